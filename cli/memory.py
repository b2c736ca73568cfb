"""`palimpsest memory ...`: look at what is remembered, and set it right."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.branches import MOMENT, moment, show_blame, show_diff, told
from cli.common import LOCAL_USER, AsJson, Folder, User, ledger, reading, told_held
from cli.output import fail, out, progress_bar, show_fields, show_json, show_table
from cli.recalling import recall_json, show_recall
from cli.remote import Url, remote
from cli.times import TIME, time_in, zone_of
from cli.usage import show_cost
from graph import open_agent, rebuild_index
from graph.pending import pending_threads
from memory.record import Memory
from memory.spelling import query_words
from memory.text import language
from stores.imports import count_messages

app = typer.Typer(help="Look at what is remembered, and set it right.", no_args_is_help=True)

_AsOf = Annotated[str | None, typer.Option("--as-of", metavar="MOMENT", help="Memory as it stood then. " + MOMENT)]
_Moment = Annotated[str, typer.Argument(metavar="MOMENT", help=MOMENT)]
_COLUMNS = {
    "id": "id",
    "kind": "kind",
    "text": "memory",
    "confidence": "sure",
    "standing": "standing",
    "said_at": "said",
}
_HELD = {**_COLUMNS, "held": "why it waits"}


def _row(memory: Memory) -> dict[str, Any]:
    said = memory.said_at.isoformat(timespec="minutes") if memory.said_at else ""
    # The beginning of an id is enough for every command that takes one.
    return {
        **memory.to_dict(),
        "id": memory.id[:8],
        "said_at": said,
        "confidence": memory.confidence if memory.kind == "fact" else None,
    }


@app.command("list")
def list_(
    user: User = LOCAL_USER,
    kind: Annotated[str | None, typer.Option(help="episode, fact, summary or lesson.")] = None,
    standing: Annotated[str, typer.Option(help="current, superseded, retracted, expired, held or all.")] = "current",
    limit: Annotated[int, typer.Option(min=1, help="How many at the most.")] = 50,
    as_of: _AsOf = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """List memories, newest first. Needs the ledger alone; a server (`--url`) lists the current ones."""
    if url:
        if standing != "current" or as_of:
            fail("A server's store lists what is current; for the rest, leave --url out: it needs the ledger alone.")
        with remote(url) as server:
            rows = server.memories(user, kind=kind, limit=limit)
        if as_json:
            show_json(rows)
        else:
            show_table([{**r, "id": r["id"][:8]} for r in rows], _COLUMNS, f"Nothing is stored for {user}.")
        return
    with reading() as threads:
        when = moment(threads, as_of) if as_of else None
        found = threads.memory.list(user, kind=kind, standing=standing, as_of=when, limit=limit)
    if as_json:
        show_json([m.to_dict() for m in found])
    else:
        nothing = f"Nothing was stored for {user} then." if as_of else f"Nothing is stored for {user}."
        show_table([_row(m) for m in found], _HELD if any(m.held for m in found) else _COLUMNS, nothing)


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="A question or some words; any text.")],
    user: User = LOCAL_USER,
    limit: Annotated[int, typer.Option(min=1)] = 10,
    strategy: Annotated[str, typer.Option(help="hybrid, semantic, lexical, recency or importance.")] = "hybrid",
    kind: Annotated[list[str] | None, typer.Option(help="Only of this kind; may be given again.")] = None,
    thread: Annotated[str | None, typer.Option(help="Only what was said in this thread.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Only with this tag; may be given again.")] = None,
    since: Annotated[str | None, typer.Option(metavar="TIME", help="Only what was said from then on. " + TIME)] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Only what was said before then. " + TIME)] = None,
    as_of: _AsOf = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show every signal, and what came near with the reason why not.")
    ] = False,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Recall memories for a question, each with the reasons why; a server (`--url`) has its store's own search.

    A question that asks what was said in a time ("what did I tell you last week", 我们昨天聊了什么) keeps to it.
    """
    if not query_words(query):
        raise typer.BadParameter("say what to look for; `palimpsest memory list` shows everything")
    if url:
        if as_of:
            fail("A server's store searches what is current; for another moment, leave --url out.")
        if explain or kind or thread or tag or since or until:
            fail("A server's store has no filters and no reasons; for those, leave --url out.")
        with remote(url) as server:
            rows = server.memories(user, kind=None, limit=limit, query=query)
        if as_json:
            show_json(rows)
        else:
            show_table(rows, {"score": "score", "kind": "kind", "text": "memory"}, f"Nothing is stored for {user}.")
        return
    zone = zone_of(None)
    with open_agent(Folder.path) as agent:
        found = agent.memory.recall(
            user,
            query,
            limit=limit,
            strategy=strategy,  # type: ignore[arg-type]
            kinds=kind or None,
            thread_id=thread,
            tags=tag or None,
            since=time_in(since, zone) if since else None,
            until=time_in(until, zone) if until else None,
            as_of=moment(agent.threads, as_of) if as_of else None,
            now=agent.memory.database.clock().astimezone(zone),
            explain=explain,
        )
    if as_json:
        show_json(recall_json(found, explain))
    else:
        show_recall(found, explain, language(query))


@app.command()
def get(memory_id: str, user: User = LOCAL_USER, as_json: AsJson = False) -> None:
    """Show one memory whole. Needs the ledger alone."""
    book = ledger()
    memory = book.get(user, book.find(user, memory_id))
    if as_json:
        show_json(memory.to_dict())
    else:
        show_fields(memory.to_dict().items())


@app.command()
def history(memory_id: str, user: User = LOCAL_USER, as_json: AsJson = False) -> None:
    """Show everything that was said about what a memory says, oldest first. Needs the ledger alone."""
    book = ledger()
    steps = book.history(user, book.find(user, memory_id))
    if as_json:
        show_json(steps)
    else:
        show_table(steps, {"at": "said", "op": "did", "text": "memory", "reason": "why", "live": "counts"}, "Nothing.")


@app.command()
def diff(
    a: _Moment,
    b: Annotated[str | None, typer.Argument(metavar="[MOMENT]", help="The later moment; else now.")] = None,
    user: User = LOCAL_USER,
    kind: Annotated[str | None, typer.Option(help="episode, fact, summary or lesson.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show what memory has at B and had not at A, and the reverse. Works while another process holds the index."""
    with reading() as threads:
        later = moment(threads, b) if b else None
        found = threads.memory.diff(user, moment(threads, a), later, kind=kind)
    if as_json:
        show_json({"a": found.a, "b": found.b, "changes": found.to_dicts()})
    else:
        show_diff(found)


@app.command()
def blame(memory_id: str, user: User = LOCAL_USER, as_json: AsJson = False) -> None:
    """Show the words a memory was read from, and what it superseded, back to the beginning. Needs the ledger alone."""
    book = ledger()
    steps = book.blame(user, book.find(user, memory_id))
    if as_json:
        show_json(steps)
    else:
        show_blame(steps)


@app.command()
def undo(
    which: Annotated[str, typer.Argument(metavar="TURN|COMMIT", help="A turn's or commit's id, or its beginning.")],
    user: User = LOCAL_USER,
    as_json: AsJson = False,
) -> None:
    """Take a turn or a commit out of what counts, on every branch, until it is restored. Messages stay."""
    with open_agent(Folder.path) as agent:
        before = agent.memory.ledger.now()
        undone = agent.memory.undo(user, agent.memory.find_undoable(user, which))
        told(agent.memory, user, before, {"undone": undone}, f"Undone: {', '.join(undone)}", as_json)


@app.command()
def restore(
    which: Annotated[
        str,
        typer.Argument(metavar="ID", help="An undone turn or commit, or a forgotten or rejected memory: its id."),
    ],
    user: User = LOCAL_USER,
    as_json: AsJson = False,
) -> None:
    """Bring back what was undone or forgotten; what was rejected waits again."""
    with open_agent(Folder.path) as agent:
        before = agent.memory.ledger.now()
        restored = agent.memory.restore(user, agent.memory.find_undoable(user, which))
        told(agent.memory, user, before, {"restored": restored}, f"Restored: {', '.join(restored)}", as_json)


@app.command()
def stats(user: User = LOCAL_USER, as_json: AsJson = False) -> None:
    """Count what is kept. Needs the ledger alone."""
    found = ledger().stats(user)
    if as_json:
        show_json(found)
    else:
        show_fields(found.items())


@app.command()
def cost(user: User = LOCAL_USER, as_json: AsJson = False) -> None:
    """Show what memory cost in model calls and tokens, in all and by thread. Needs the ledger alone."""
    found = ledger().cost(user)
    if as_json:
        show_json(found)
    else:
        show_cost(found)


@app.command()
def remember(text: str, user: User = LOCAL_USER, as_json: AsJson = False) -> None:
    """Keep something, in your own words."""
    with open_agent(Folder.path) as agent:
        _show(agent.memory.remember(user, text), "Remembered", as_json)


@app.command()
def correct(memory_id: str, text: str, user: User = LOCAL_USER, as_json: AsJson = False) -> None:
    """Put the right words in a fact's place; the old ones stay readable in its history."""
    with open_agent(Folder.path) as agent:
        _show(agent.memory.correct(user, agent.memory.find(user, memory_id), text), "Corrected", as_json)


@app.command()
def forget(memory_id: str, user: User = LOCAL_USER, as_json: AsJson = False) -> None:
    """End a memory, and with a fact the messages it was read from."""
    with open_agent(Folder.path) as agent:
        memory_id = agent.memory.find(user, memory_id)
        agent.memory.forget(user, memory_id)
    if as_json:
        show_json({"forgotten": memory_id})
    else:
        out.print(f"Forgotten: {memory_id}", markup=False)


@app.command()
def hold(memory_id: str, user: User = LOCAL_USER, url: Url = None, as_json: AsJson = False) -> None:
    """Take a memory out of recall, the profile and the prompt until it is released."""
    _stand(memory_id, "held", user, url, as_json)


@app.command()
def release(memory_id: str, user: User = LOCAL_USER, url: Url = None, as_json: AsJson = False) -> None:
    """Let a held memory count; `memory list --standing held` shows what waits, and why."""
    _stand(memory_id, "current", user, url, as_json)


@app.command()
def reject(memory_id: str, user: User = LOCAL_USER, url: Url = None, as_json: AsJson = False) -> None:
    """End a held memory."""
    _stand(memory_id, "retracted", user, url, as_json)


_DONE = {"held": "Held", "current": "Released", "retracted": "Rejected"}


def _stand(memory_id: str, standing: str, user: str, url: str | None, as_json: bool) -> None:
    """Hold, release or reject a memory, in the data folder or by a server's store."""
    if url:
        with remote(url) as server:
            server.stand(user, memory_id, standing)
        if as_json:
            show_json({"id": memory_id, "standing": standing})
        else:
            out.print(f"{_DONE[standing]}: {memory_id}", markup=False)
        return
    with open_agent(Folder.path) as agent:
        book = agent.memory
        act = {"held": book.hold, "current": book.release, "retracted": book.reject}[standing]
        memory = act(user, book.find(user, memory_id))
    _show(memory, _DONE[standing], as_json)
    if not as_json and memory.standing != standing:
        out.print(f"What was said or done since made it {memory.standing}.", markup=False)


@app.command()
def sweep(
    user: Annotated[str | None, typer.Option("--user", "-u", help="Whose memory; else everybody's.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would end.")] = False,
    as_json: AsJson = False,
) -> None:
    """End what faded, ran out, is said twice or is beyond the capacity. `restore` brings a memory back.

    Nothing is deleted: what was ended is still there with --as-of. A dry run needs the ledger alone.
    """
    if dry_run:
        found = ledger().sweep(user, dry_run=True)
    else:
        with open_agent(Folder.path) as agent:
            found = agent.memory.sweep(user)
    rows = found.to_dicts()
    if as_json:
        show_json({"now": found.now.isoformat(), "dry_run": dry_run, "ended": rows})
        return
    columns = {"user_id": "user", "memory_id": "id", "kind": "kind", "text": "memory", "reason": "why"}
    columns |= {"strength": "strength", "last_used": "last use"}
    shown = [{**r, "memory_id": r["memory_id"][:8], "text": r["text"][:80]} for r in rows]
    shown = [{**r, "last_used": r["last_used"][:16] if r["last_used"] else "never"} for r in shown]
    show_table(shown, columns, "Nothing is to end.")
    if rows:
        out.print(f"{'Would end' if dry_run else 'Ended'}: {len(rows)}")


def _show(memory: Memory, done: str, as_json: bool) -> None:
    if as_json:
        show_json(memory.to_dict())
        return
    out.print(f"{'Held' if memory.held else done}: {memory.text}  ({memory.id[:8]})", markup=False)
    if memory.held:
        out.print(f"{memory.held} {told_held(memory.id, memory.user_id)}", markup=False)


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="JSON lines, .jsonl or .jsonl.gz.")],
    timezone: Annotated[str, typer.Option(help="The zone of times without an offset, such as UTC or Asia/Shanghai.")],
    user: Annotated[str | None, typer.Option("--user", "-u", help="Whose memory; else each line's group.")] = None,
    as_json: AsJson = False,
) -> None:
    """Import conversations that were held elsewhere. Doing it again, or going on after Ctrl-C, adds nothing twice."""
    total = count_messages(file, timezone)
    with open_agent(Folder.path) as agent, progress_bar("Importing messages", total) as progress:
        try:
            report = agent.memory.import_items(file, timezone=timezone, user_id=user, progress=progress)
        except KeyboardInterrupt:
            fail("Stopped. What was imported so far is whole; the same command goes on from there.")
    rows = [{"user": user_id, **asdict(done)} for user_id, done in report.items()]
    if as_json:
        show_json(rows)
    else:
        columns = {"user": "user", "messages": "messages", "known": "known before", "facts": "facts read"}
        columns |= {"held": "held"} if any(row["held"] for row in rows) else {}
        show_table(rows, columns, "The file holds no messages.")


@app.command()
def extract(
    pending: Annotated[bool, typer.Option("--pending", help="Read what deferred or failed extractions left.")] = False,
    as_json: AsJson = False,
) -> None:
    """Read the facts of turns whose extraction was deferred or failed, at each thread's tip, once."""
    if not pending:
        raise typer.BadParameter("say --pending: there is nothing else to extract")
    rows = []
    with open_agent(Folder.path) as agent:
        waiting = pending_threads(agent.memory)
        with progress_bar("Reading threads", len(waiting)) as progress:
            for thread_id in waiting:
                changes = agent.threads.close(thread_id) or {"facts": [], "failure": None}
                rows.append({"thread": thread_id, "facts": len(changes["facts"]), "failure": changes["failure"]})
                progress(1)
    if as_json:
        show_json(rows)
    else:
        show_table(rows, {"thread": "thread", "facts": "facts read", "failure": "failure"}, "Nothing waits.")


@app.command()
def rebuild(as_json: AsJson = False) -> None:
    """Make Qdrant anew from the ledger, with the embedder that is configured now."""
    with progress_bar("Rebuilding the index", ledger().indexed()) as progress:
        try:
            points = rebuild_index(Folder.path, progress=progress)
        except KeyboardInterrupt:
            fail("Stopped. The ledger is unharmed and what the index misses follows at the next start.")
    if as_json:
        show_json({"points": points})
    else:
        out.print(f"Rebuilt: {points} points.")
