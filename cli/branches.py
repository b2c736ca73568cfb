"""How the command line names checkpoints and moments of memory, and how it shows branches and what changed.

A checkpoint is `THREAD` (where the thread is now), `THREAD@ID` or `THREAD@PREFIX`, as much of the id as tells it from
the thread's others. A moment is a checkpoint, a time with its offset from UTC (2026-01-05T09:00+08:00), or a ledger
time in milliseconds. `THREAD@` is a thread whose name looks like a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from langchain_core.runnables import RunnableConfig
from rich.text import Text

from cli.output import fail, out, show_json
from graph.threads import Threads
from graph.tree import Tree, words_of
from stores.book import MemoryBook
from stores.provenance import Diff
from stores.reader import AsOf

CHECKPOINT = "THREAD (where it is now), THREAD@ID, or THREAD@ and how an id begins."
MOMENT = "A checkpoint (THREAD, THREAD@ID), a time with its offset (2026-01-05T09:00+08:00), or a ledger time in ms."


def checkpoint(threads: Threads, name: str) -> RunnableConfig:
    """The checkpoint that a name means. Ends the command with a sentence when there is none, or more than one."""
    if found := _saved(threads, name):
        return found
    thread_id, _, prefix = name.rpartition("@")
    head = _saved(threads, thread_id) if thread_id else None
    if head is None:
        fail(f"There is no thread {thread_id or name!r} with checkpoints. `palimpsest threads list` shows the threads.")
    if found := _saved(threads, thread_id, prefix) if prefix else head:
        return found
    alike = [one for one in _ids(threads, thread_id) if one.startswith(prefix)]
    if len(alike) != 1:
        begin = f"{len(alike)} checkpoints begin" if alike else "No checkpoint begins"
        fail(f"{begin} with {prefix!r} in the thread {thread_id!r}. `palimpsest threads tree {thread_id}` shows them.")
    return _config(thread_id, alike[0])


def _saved(threads: Threads, thread_id: str, checkpoint_id: str | None = None) -> RunnableConfig | None:
    """A thread's checkpoint, the newest unless said; None when there is none."""
    found = threads.checkpointer.get_tuple(_config(thread_id, checkpoint_id)) if threads.checkpointer else None
    return _config(thread_id, found.checkpoint["id"]) if found else None


def _ids(threads: Threads, thread_id: str) -> list[str]:
    saved = threads.checkpointer.list(_config(thread_id)) if threads.checkpointer else ()
    return [one.checkpoint["id"] for one in saved]


def _config(thread_id: str, checkpoint_id: str | None = None) -> RunnableConfig:
    named = {"checkpoint_id": checkpoint_id} if checkpoint_id else {}
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": "", **named}}


def name_of(config: RunnableConfig) -> str:
    """The name of a checkpoint, whole."""
    return f"{config['configurable']['thread_id']}@{config['configurable']['checkpoint_id']}"


def moment(threads: Threads, text: str) -> AsOf:
    """The moment of memory that a text means. Ends the command with a sentence when it is none."""
    if text.isascii() and text.isdigit():
        return int(text)
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return checkpoint(threads, text)
    if when.tzinfo is None:
        fail(
            f"{text} has no time zone; give its offset, such as {when.isoformat(timespec='minutes')}+08:00 or ...Z "
            f"for UTC. A thread of that name is {text}@."
        )
    return when


def show_tree(tree: Tree) -> None:
    """Print a tree: the current branch with full dots, each turn with its checkpoint and the commit it made."""
    rows = tree.rows()
    width = max((Text(row.graph + words_of(row.node)).cell_len for row in rows), default=0)
    for row in rows:
        node, on = row.node, "" if row.node.current else "dim"
        line = Text(row.graph, style="bold blue" if node.current else "dim") + Text(words_of(node), style=on)
        line.pad_right(width - line.cell_len + 2)
        line += Text(f"@{tree.short(node)}", style="cyan" if node.current else "dim")
        if node.commit:
            line += Text(f"  commit {node.commit}", style=on)
        if node.next:
            line += Text(f"  before {', '.join(node.next)}", style="yellow")
        if row.head:
            line += Text("  ← here", style="bold green")
        out.print(line)


def show_diff(diff: Diff) -> None:
    """Print what memory has at the later moment and had not at the earlier, and the reverse."""
    for row in diff.to_dicts():
        style = {"+": "green", "-": "red"}.get(row["change"], "yellow")
        why = f"  (held: {row['reason']})" if "reason" in row else ""
        text = Text(f"{row['kind']}: {row['text']}{why}", style=style)
        out.print(Text(f"{row['change']} ", style=f"bold {style}") + text)
    if not diff.added and not diff.removed and not diff.held:
        out.print(Text("Memory is the same.", style="dim"))


def told(book: MemoryBook, user_id: str, before: int, done: dict[str, Any], sentence: str, as_json: bool) -> None:
    """Say what was done, and what it changed in a user's memory since `before` (ledger time)."""
    diff = book.diff(user_id, before)
    if as_json:
        show_json({**done, "changes": diff.to_dicts()})
    else:
        out.print(Text(sentence))
        show_diff(diff)


def show_blame(steps: Sequence[dict[str, Any]]) -> None:
    """Print the way back from a memory to the words it was read from, newest first."""
    for step in steps:
        words = zip(step["message_ids"], step["spans"], strict=False)
        spans = ", ".join(f"{message} [{start}:{end}]" for message, (start, end) in words)
        where = (step["thread_id"], step["checkpoint_id"])
        out.print(Text(f"{step['how']:<10} ", style="bold") + Text(step["text"]))
        lines = {
            "said": " ".join(str(x) for x in (step["speaker"], step["said_at"]) if x),
            "message": spans or ", ".join(step["message_ids"]),
            "checkpoint": "@".join(part for part in where if part),
            "commit": step["commit_id"],
            "read by": step["extractor"],
            "recorded": step["recorded_at"],
            "held": step.get("held"),
        }
        for name, value in lines.items():
            if value:
                out.print(Text(f"  {name:<11}", style="dim") + Text(str(value)))
