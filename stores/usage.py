"""What model calls cost, kept with the commit of the turn that made them, and added up.

A commit is written once, so a step that runs again counts once; a turn that was answered anew on another branch is
another commit, and its calls were made as well. What a turn cost that never reached its commit is not known here, nor
does a replay, which commits nothing, add to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, func, insert, select

from stores import schema

COUNTS = ("calls", "input_tokens", "output_tokens")


def write_usage(
    conn: Connection,
    commit_id: str,
    user_id: str,
    thread_id: str,
    turn_id: str,
    usage: Mapping[str, Mapping[str, int]],
    t: int,
) -> None:
    """Write what a new commit's turn cost; what was not called has no row."""
    rows = [
        {
            "commit_id": commit_id,
            "what": what,
            "user_id": user_id,
            "thread_id": thread_id,
            "turn_id": turn_id,
            **{name: int(counts.get(name, 0)) for name in COUNTS},
            "recorded_at": t,
        }
        for what, counts in usage.items()
        if counts.get("calls")
    ]
    if rows:
        conn.execute(insert(schema.usage), rows)


def usage_of_thread(conn: Connection, thread_id: str) -> dict[str, dict[str, int]]:
    """The sums of a thread, on all of its branches: by what the calls were for, and the `total`."""
    return _sums(conn, schema.usage.c.thread_id == thread_id)


def usage_of_user(conn: Connection, user_id: str) -> dict[str, dict[str, int]]:
    """The sums of a user over all threads, deleted ones too: by what the calls were for, and the `total`."""
    return _sums(conn, schema.usage.c.user_id == user_id)


def _sums(conn: Connection, where: Any) -> dict[str, dict[str, int]]:
    table = schema.usage
    sums = [func.coalesce(func.sum(table.c[name]), 0).label(name) for name in COUNTS]
    rows = conn.execute(select(table.c.what, *sums).where(where).group_by(table.c.what).order_by(table.c.what))
    found = {row.what: {name: int(getattr(row, name)) for name in COUNTS} for row in rows}
    return {**found, "total": {name: sum(counts[name] for counts in found.values()) for name in COUNTS}}
