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
NOT_MEMORY = ("answer", "title")
"""What is not spent on memory: answering, and naming a thread. Everything else is (extraction, summary, reflection)."""


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


def spent_on_memory(calls: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """What of some calls went into memory: the counts, and `share`, its tokens by those of the answers.

    `share` is None where nothing was answered.
    """
    memory = {n: sum(c.get(n, 0) for what, c in calls.items() if what not in NOT_MEMORY) for n in COUNTS}
    answer = _tokens(calls.get("answer", {}))
    return {**memory, "share": round(_tokens(memory) / answer, 3) if answer else None}


def _tokens(counts: Mapping[str, int]) -> int:
    return counts.get("input_tokens", 0) + counts.get("output_tokens", 0)


def memory_cost(conn: Connection, user_id: str) -> dict[str, Any]:
    """What memory cost a user, in all and thread by thread, the dearest thread first; deleted ones too.

    Each has `turns` (those whose calls are known), `calls` by what they were for, and `memory` (`spent_on_memory`).
    """
    table = schema.usage
    sums = [func.sum(table.c[name]).label(name) for name in COUNTS]
    rows = conn.execute(
        select(table.c.thread_id, table.c.what, *sums)
        .where(table.c.user_id == user_id)
        .group_by(table.c.thread_id, table.c.what)
        .order_by(table.c.thread_id, table.c.what)
    )
    said = (
        select(table.c.thread_id, func.count(table.c.turn_id.distinct()).label("n"))
        .where(table.c.user_id == user_id, table.c.what != "title")
        .group_by(table.c.thread_id)
    )
    turns = {row.thread_id: int(row.n) for row in conn.execute(said)}
    by_thread: dict[str, dict[str, dict[str, int]]] = {}
    whole: dict[str, dict[str, int]] = {}
    for row in rows:
        counts = {name: int(getattr(row, name)) for name in COUNTS}
        by_thread.setdefault(row.thread_id, {})[row.what] = counts
        before = whole.get(row.what, {})
        whole[row.what] = {name: n + before.get(name, 0) for name, n in counts.items()}
    threads: list[dict[str, Any]] = [
        {"thread_id": thread_id, "turns": turns.get(thread_id, 0), "calls": calls, "memory": spent_on_memory(calls)}
        for thread_id, calls in by_thread.items()
    ]
    threads.sort(key=lambda thread: -_tokens(thread["memory"]))
    return {
        "user_id": user_id,
        "turns": sum(turns.values()),
        "calls": dict(sorted(whole.items())),
        "memory": spent_on_memory(whole),
        "threads": threads,
    }


def _sums(conn: Connection, where: Any) -> dict[str, dict[str, int]]:
    table = schema.usage
    sums = [func.coalesce(func.sum(table.c[name]), 0).label(name) for name in COUNTS]
    rows = conn.execute(select(table.c.what, *sums).where(where).group_by(table.c.what).order_by(table.c.what))
    found = {row.what: {name: int(getattr(row, name)) for name in COUNTS} for row in rows}
    return {**found, "total": {name: sum(counts[name] for counts in found.values()) for name in COUNTS}}
