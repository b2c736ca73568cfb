"""`palimpsest threads ...`: the conversations of a folder."""

from __future__ import annotations

from typing import Annotated

import typer
from langchain_core.runnables import RunnableConfig
from rich.text import Text

from cli.branches import CHECKPOINT, checkpoint, name_of, show_tree, told
from cli.common import AsJson, Folder, ledger, reading
from cli.output import fail, out, show_json, show_table
from cli.remote import Url, remote
from cli.usage import show_usage
from graph import Context, open_agent
from graph.threads import Threads

app = typer.Typer(help="The conversations of a folder.", no_args_is_help=True)

_Checkpoint = Annotated[str, typer.Argument(metavar="CHECKPOINT", help=CHECKPOINT)]
_User = Annotated[str | None, typer.Option("--user", "-u", help="Only this user's.")]


@app.command("list")
def list_(user: _User = None, url: Url = None, as_json: AsJson = False) -> None:
    """List threads, the last used first. Needs the ledger alone."""
    columns = {"thread_id": "thread", "user_id": "user", "messages": "messages", "updated": "last used"}
    if url:
        columns = {"thread_id": "thread", "server_id": "in the server", "user_id": "user", "updated": "last used"}
        with remote(url) as server:
            rows = server.threads(user)
    else:
        rows = Threads(ledger()).list(user)
    if as_json:
        show_json(rows)
    else:
        show_table(rows, {**columns, "deleted": "deleted"}, "There are no threads yet.")


@app.command()
def show(
    thread_id: str,
    usage: Annotated[
        bool, typer.Option("--usage", help="Show what its turns cost instead: tokens by part, calls, and sums.")
    ] = False,
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
    if url:
        with remote(url) as server:
            found = server.transcript(thread_id)
    else:
        found = Threads(ledger()).show(thread_id)
    if as_json:
        show_json(found)
        return
    for message in found["transcript"]:
        out.print(Text(f"{message['speaker']}: ", style="bold") + Text(message["text"]))


@app.command()
def search(text: str, user: _User = None, as_json: AsJson = False) -> None:
    """Find messages that hold every word of a text. Needs the ledger alone."""
    rows = Threads(ledger()).search(text, user_id=user)
    if as_json:
        show_json(rows)
    else:
        columns = {"thread_id": "thread", "speaker": "speaker", "text": "message", "said_at": "said"}
        show_table(rows, columns, "No message holds that.")


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
