"""`palimpsest threads ...`: the conversations of a folder."""

from __future__ import annotations

from typing import Annotated

import typer
from langchain_core.runnables import RunnableConfig
from rich.text import Text

from cli.branches import CHECKPOINT, checkpoint, name_of, show_tree, told
from cli.common import AsJson, Folder, ledger, reading
from cli.output import fail, out, show_fields, show_json, show_table
from cli.remote import Url, remote
from cli.times import Timezone, shown, zone_of, zoned
from cli.usage import show_usage
from graph import Context, open_agent
from graph.threads import Threads

app = typer.Typer(help="The conversations of a folder.", no_args_is_help=True)

_Checkpoint = Annotated[str, typer.Argument(metavar="CHECKPOINT", help=CHECKPOINT)]
_Limit = Annotated[int, typer.Option(min=0, help="How many at the most.")]
_Offset = Annotated[int, typer.Option(min=0, help="How many to pass over.")]
_USED = ("created", "updated", "deleted")
_User = Annotated[str | None, typer.Option("--user", "-u", help="Only this user's.")]


@app.command("list")
def list_(
    user: _User = None,
    limit: _Limit = 50,
    offset: _Offset = 0,
    timezone: Timezone = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """List threads with their titles, the last used first, a page at a time. Needs the ledger alone."""
    zone = zone_of(timezone)
    columns = {"thread_id": "thread", "title": "title", "user_id": "user", "messages": "messages"}
    if url:
        columns = {"thread_id": "thread", "server_id": "in the server", "user_id": "user"}
        with remote(url) as server:
            every = server.threads(user)
        rows, total = every[offset : offset + limit], len(every)
    else:
        threads = Threads(ledger())
        rows, total = threads.list(user, limit=limit, offset=offset), threads.count(user)
    rows = [zoned(row, _USED, zone) for row in rows]
    if as_json:
        show_json(rows)
        return
    empty = "There are no threads yet." if not total else f"There are no more than {total} threads."
    rows = [shown(row, _USED) for row in rows]
    show_table(rows, {**columns, "updated": "last used", "deleted": "deleted"}, empty)
    if rows and offset + len(rows) < total:
        out.print(Text(f"{len(rows)} of {total}; --offset {offset + len(rows)} goes on from here.", style="dim"))


@app.command()
def show(
    thread_id: str,
    usage: Annotated[
        bool, typer.Option("--usage", help="Show what its turns cost instead: tokens by part, calls, and sums.")
    ] = False,
    limit: Annotated[int | None, typer.Option(min=0, help="How many messages at the most; all unless said.")] = None,
    offset: _Offset = 0,
    timezone: Timezone = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Show what was said in a thread, redacted, or what it cost. Works while another process holds the index."""
    if usage:
        if url:
            fail("--usage reads a folder; a server's usage is in its threads' state.")
        with reading() as threads:
            cost = threads.usage(thread_id)
        if as_json:
            show_json(cost)
        else:
            show_usage(cost)
        return
    zone = zone_of(timezone)
    if url:
        with remote(url) as server:
            found = server.transcript(thread_id)
        end = None if limit is None else offset + limit
        found = {**found, "transcript": found["transcript"][offset:end]}
    else:
        found = zoned(Threads(ledger()).show(thread_id, limit=limit, offset=offset), _USED, zone)
    said = [zoned(message, ("said_at",), zone) for message in found["transcript"]]
    if as_json:
        show_json({**found, "transcript": said})
        return
    for message in said:
        when = shown(message, ("said_at",)).get("said_at")
        time = Text(f"{when}  " if when else "", style="dim")
        out.print(time + Text(f"{message['speaker']}: ", style="bold") + Text(message["text"]))


@app.command()
def stats(thread_id: str, timezone: Timezone = None, as_json: AsJson = False) -> None:
    """Show a thread in numbers: messages, turns, facts, first and last time, what it cost. Needs the ledger alone."""
    times = ("first", "last", "deleted")
    found = zoned(Threads(ledger()).stats(thread_id), times, zone_of(timezone))
    if as_json:
        show_json(found)
        return
    row = shown(found, times)
    speakers = ", ".join(f"{n} {speaker}" for speaker, n in row["by_speaker"].items())
    show_fields(
        [
            ("thread", row["thread_id"]),
            ("title", row["title"]),
            ("user", row["user_id"]),
            ("messages", f"{row['messages']} ({speakers})" if speakers else row["messages"]),
            ("turns", row["turns"]),
            ("facts", f"{row['facts']} ({row['current_facts']} current)"),
            ("first", row["first"]),
            ("last", row["last"]),
            ("deleted", row["deleted"]),
            ("model calls", row["usage"]["calls"]),
            ("tokens in", row["usage"]["input_tokens"]),
            ("tokens out", row["usage"]["output_tokens"]),
        ]
    )


@app.command()
def search(
    text: Annotated[str, typer.Argument(help="Words to find; any text, without a syntax.")],
    user: _User = None,
    limit: _Limit = 50,
    offset: _Offset = 0,
    timezone: Timezone = None,
    as_json: AsJson = False,
) -> None:
    """Find messages that hold every word of a text, newest first. Needs the ledger alone."""
    zone = zone_of(timezone)
    found = Threads(ledger()).search(text, user_id=user, limit=limit, offset=offset)
    rows = [zoned(row, ("said_at",), zone) for row in found]
    if as_json:
        show_json(rows)
        return
    columns = {"thread_id": "thread", "speaker": "speaker", "snippet": "message", "said_at": "said"}
    empty = "No message holds that." if not offset else "No more messages hold that."
    show_table([shown(row, ("said_at",)) for row in rows], columns, empty)
    if limit and len(rows) == limit:
        out.print(Text(f"--offset {offset + limit} looks for more.", style="dim"))


@app.command()
def title(
    thread_id: str,
    ask: Annotated[bool, typer.Option("--ask", help="Have the model write it anew, and keep it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a thread's title: what a model called it, else its first words (always so without a model)."""
    if ask:
        with open_agent(Folder.path) as agent:
            found = agent.threads.title(thread_id, ask=True)
    else:
        found = Threads(ledger()).title(thread_id)
    if as_json:
        show_json({"thread_id": thread_id, "title": found})
    else:
        out.print(Text(found))


@app.command()
def close(thread_id: str, as_json: AsJson = False) -> None:
    """End a conversation for now: read the facts that wait in it, and have a model give it a title. It may go on."""
    with open_agent(Folder.path) as agent:
        changes = agent.threads.close(thread_id) or {"facts": [], "failure": None}
        called = agent.threads.title(thread_id)
    done = {"closed": thread_id, "title": called, "facts": len(changes["facts"]), "failure": changes["failure"]}
    if as_json:
        show_json(done)
        return
    out.print(Text(f"Closed: {called}"))
    if done["facts"]:
        out.print(Text(f"Facts read: {done['facts']}", style="dim"))
    if done["failure"]:
        out.print(Text(str(done["failure"]), style="yellow"))


@app.command()
def delete(
    thread_id: str,
    memories: Annotated[bool, typer.Option("--memories", help="End what only this thread had said, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete a thread's checkpoints; its memories stay unless --memories is given."""
    with open_agent(Folder.path) as agent:
        agent.threads.delete(thread_id, memories=memories)
    if as_json:
        show_json({"deleted": thread_id, "memories": memories})
    else:
        out.print(f"Deleted: {thread_id}", markup=False)


@app.command()
def tree(thread_id: str, as_json: AsJson = False) -> None:
    """Draw a thread's branches: its turns, their checkpoints and commits, the current branch marked.

    Works while another process holds the index.
    """
    with reading() as threads:
        threads.show(thread_id)
        if threads.graph is None:
            fail(f"The thread {thread_id!r} has no checkpoints here.")
        found = threads.tree(thread_id)
    if as_json:
        show_json(found.to_dicts())
    elif not found.nodes:
        out.print(Text(f"The thread {thread_id!r} has no checkpoints.", style="dim"))
    else:
        show_tree(found)


@app.command()
def replay(name: _Checkpoint, as_json: AsJson = False) -> None:
    """Run on from a checkpoint on a throw-away copy: it recalls what was recalled then, and changes nothing."""
    with open_agent(Folder.path) as agent:
        where = checkpoint(agent.threads, name)
        state = agent.threads.replay(where)
    said = state.get("messages") or []
    recalled = state.get("recalled") or {}
    answer = str(said[-1].text) if said and said[-1].type == "ai" else None
    if as_json:
        show_json({"checkpoint": name_of(where), "recalled": recalled, "answer": answer})
        return
    rows = [{**r, "text": r["text"][:200]} for r in recalled.get("results", [])]
    show_table(rows, {"score": "score", "kind": "kind", "text": "recalled", "reason": "why"}, "Nothing was recalled.")
    for line in recalled.get("profile", []):
        out.print(Text("about the user: ", style="dim") + Text(line["text"]))
    if answer:
        out.print(Text(answer))


@app.command()
def branch(
    name: _Checkpoint,
    message: Annotated[str | None, typer.Option("--message", "-m", help="Say this there.")] = None,
    as_node: Annotated[str | None, typer.Option("--as-node", help="As if this step had just run.")] = None,
    run: Annotated[bool, typer.Option("--run", help="Run the branch on at once, and print the answer.")] = False,
    as_json: AsJson = False,
) -> None:
    """Go on from an older checkpoint; memory follows when the thread next runs, or at once with --run."""
    if message is not None and not message.strip():
        fail("The message is empty, so there was nothing to say. Nothing was changed.")
    said = [("user", message)] if message is not None else None
    with open_agent(Folder.path) as agent:
        where = checkpoint(agent.threads, name)
        thread_id = where["configurable"]["thread_id"]
        user_id, before = agent.memory.user_of(thread_id) or "", agent.memory.ledger.now()
        made = agent.threads.branch(where, messages=said, as_node=as_node or ("__start__" if said else None))
        if run:
            state = agent.graph.invoke(None, made, context=Context(user_id=user_id))
            thread: RunnableConfig = {"configurable": {"thread_id": thread_id}}
            answer = str(state["messages"][-1].text)
            done = {"checkpoint": name_of(agent.graph.get_state(thread).config), "answer": answer}
            told(agent.memory, user_id, before, done, answer, as_json)
        elif as_json:
            show_json({"checkpoint": name_of(made)})
        else:
            out.print(Text(f"Branched: {name_of(made)}"))
            out.print(Text(f"`palimpsest chat -t {thread_id}` goes on from here.", style="dim"))


@app.command()
def switch(name: _Checkpoint, as_json: AsJson = False) -> None:
    """Make an older checkpoint the thread's head, and bring memory in line with it at once."""
    with open_agent(Folder.path) as agent:
        where = checkpoint(agent.threads, name)
        thread_id = where["configurable"]["thread_id"]
        user_id, before = agent.memory.user_of(thread_id) or "", agent.memory.ledger.now()
        head = name_of(agent.threads.switch(thread_id, where))
        told(agent.memory, user_id, before, {"checkpoint": head}, f"Switched: {head}", as_json)


@app.command()
def prune(
    thread_id: str,
    keep: Annotated[int, typer.Option(min=1, help="How many turns of every branch stay whole.")],
    vacuum: Annotated[bool, typer.Option("--vacuum", help="Give the room back to the disk.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete a thread's old checkpoints; what a branch or a memory needs stays, and what it cost is said."""
    with open_agent(Folder.path) as agent:
        report = agent.threads.prune(thread_id, keep, vacuum=vacuum)
    if as_json:
        show_json(report.to_dict())
        return
    out.print(Text(f"Pruned: {report}."))
    if report.given_up:
        show_table(report.to_dicts(), {"memory_id": "memory", "text": "what it said", "checkpoint_id": "gave up"}, "")
