"""What turns cost, as tables: a thread's, and what memory took of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from cli.output import out, show_table

PARTS = {
    "reserved": "reserved for the answer",
    "system": "system prompt",
    "tools": "tools",
    "profile": "profile",
    "recalled": "recalled memory",
    "memory": "memory",
    "summary": "summary",
    "skills": "skills",
    "history": "history",
    "free": "free",
}
"""The parts of a context, in the order in which they are planned."""
_COUNTS = {
    "whose": "of",
    "what": "for",
    "calls": "model calls",
    "input_tokens": "tokens in",
    "output_tokens": "tokens out",
}


def show_usage(usage: Mapping[str, Any]) -> None:
    """Print what `Threads.usage` found: the last turn's context, and the sums of the thread and of its user."""
    if last := usage["last"]:
        _show_context(last)
    rows = [
        {"whose": whose, "what": what, **counts}
        for whose, sums in (
            (f"thread {usage['thread_id']}", usage["thread"]),
            (f"user {usage['user_id']}", usage["user"]),
        )
        for what, counts in sums.items()
    ]
    show_table(rows, _COUNTS, "")


def show_cost(cost: Mapping[str, Any]) -> None:
    """Print what `MemoryBook.cost` found: what the calls were for, in all and thread by thread, and memory's share."""
    parts = [(f"user {cost['user_id']}", cost), *((f"thread {t['thread_id']}", t) for t in cost["threads"])]
    rows = [
        {"whose": whose, "turns": part["turns"], "what": what, **counts}
        for whose, part in parts
        for what, counts in [*part["calls"].items(), ("memory in all", part["memory"])]
    ]
    for row in rows:
        share = row.get("share")
        row["share"] = "" if share is None else f"{share:.1%}"
    columns = {**_COUNTS, "share": "share of the answers' tokens", "turns": "turns"}
    show_table(rows if cost["calls"] else [], columns, f"No model was called for {cost['user_id']} yet.")


def _show_context(last: Mapping[str, Any]) -> None:
    tokens = last.get("tokens") or {}
    budget = sum(tokens.values()) or 1
    rows = [
        {"part": name, "tokens": tokens[part], "share": f"{tokens[part] / budget:.1%}"}
        for part, name in PARTS.items()
        if part in tokens
    ]
    if rows:
        show_table(rows, {"part": "last turn's context", "tokens": "tokens", "share": "share"}, "")
    dropped = last.get("dropped")
    for kind, reasons in dropped.items() if isinstance(dropped, Mapping) else ():
        why = ", ".join(f"{n} {reason}" for reason, n in reasons.items())
        out.print(Text(f"{kind} not shown to the model: ", style="dim") + Text(why))
    if last.get("shortened"):
        out.print(Text("messages shortened: ", style="dim") + Text(str(last["shortened"])))
    if last.get("failure"):
        out.print(Text(str(last["failure"]), style="yellow"))
