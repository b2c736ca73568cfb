"""Which commits count: heads of threads, the references they hold, and the intervals in which an origin was live.

When a thread's head moves, the commits that left its lineage and those that came in are found by walking both up to
where they meet. What they said is folded again by the caller. One look-up when nothing moved; a handful of statements
when something did, however many commits it was.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator
from typing import Any

from sqlalchemy import Connection, Select, and_, bindparam, insert, select, update

from memory.record import OPEN
from stores import schema
from stores.database import batches, upsert

_COMMITS, _HEADS, _REFS, _LIVES, _UNDONE = schema.commits, schema.heads, schema.refs, schema.lives, schema.undone

FIRST_STRIDE = 4
"""How many commits the walk up a lineage reads at first; each further read is eight times as far."""


def head_of(conn: Connection, thread_id: str) -> str | None:
    """The thread's last commit as the ledger knows it."""
    return conn.execute(_HEAD, {"thread": thread_id}).scalar_one_or_none()


def walk(conn: Connection, head: str | None) -> Iterator[tuple[str, int]]:
    """The commits of a lineage with their depths, from its head to its beginning, read as far as they are asked for."""
    stride = FIRST_STRIDE
    while head is not None:
        rows = conn.execute(_STRIDE, {"head": head, "stride": stride}).all()
        for row in rows:
            yield row.id, row.depth
        head = rows[-1].parent if rows else None
        stride *= 8


def difference(conn: Connection, old: str | None, new: str | None) -> tuple[list[str], list[str]]:
    """The commits on `old`'s lineage alone and on `new`'s alone: what a move leaves, and what it enters."""
    above = conn.execute(_PARENT, {"commit": new}).one_or_none()
    if new is not None and above is not None and above.parent == old:
        return [], [new]  # a turn's own commit, as nearly every move
    left: list[str] = []
    entered: list[str] = []
    end = (None, -1)
    olds, news = walk(conn, old), walk(conn, new)
    a, b = next(olds, end), next(news, end)
    while a[0] != b[0]:
        if a[0] is not None and a[1] >= b[1]:
            left.append(a[0])
            a = next(olds, end)
        elif b[0] is not None:
            entered.append(b[0])
            b = next(news, end)
    return left, entered


def move_head(conn: Connection, thread_id: str, head: str | None, t: int) -> set[str]:
    """Move a thread's head and return the commits that became live or ceased to be. `t` is the ledger time of it."""
    left, entered = difference(conn, head_of(conn, thread_id), head)
    conn.execute(_putting(conn.dialect.name), {"thread_id": thread_id, "head": head})
    _count(conn, left, -1)
    _count(conn, entered, 1)
    return settle(conn, [*left, *entered], t)


def _count(conn: Connection, commits: Collection[str], by: int) -> None:
    """One thread more, or one fewer, holds these commits."""
    if rows := [{"commit_id": c, "n": by} for c in commits]:
        conn.execute(_counting(conn.dialect.name), rows)


def settle(conn: Connection, commits: Collection[str], t: int) -> set[str]:
    """Open or close commits' lives by whether a lineage holds them and nobody undid them; returns those that changed.

    A commit that the ledger does not have stays as it is.
    """
    changed: set[str] = set()
    for some in batches(commits):
        rows = conn.execute(_STANDING, {"commits": some}).all()
        begun = {r.id for r in rows if (r.n or 0) > 0 and r.undone is None and r.since is None}
        over = {r.id for r in rows if not ((r.n or 0) > 0 and r.undone is None) and r.since is not None}
        if begun:
            conn.execute(insert(_LIVES), [{"origin": c, "start": t, "end": OPEN} for c in sorted(begun)])
        if over:
            conn.execute(update(_LIVES).where(_LIVES.c.origin.in_(over), _LIVES.c.end == OPEN).values(end=t))
        changed |= begun | over
    return changed


def begin(conn: Connection, origin: str, t: int) -> None:
    """An origin counts from `t` on."""
    conn.execute(insert(_LIVES).values(origin=origin, start=t, end=OPEN))


def live_among(conn: Connection, origins: Collection[str], as_of: int | None = None) -> set[str]:
    """Those of some origins that count now, or did at a ledger time."""
    moment = OPEN - 1 if as_of is None else as_of
    live: set[str] = set()
    for some in batches(origins):
        counts = and_(_LIVES.c.origin.in_(some), _LIVES.c.start <= moment, _LIVES.c.end > moment)
        live |= set(conn.scalars(select(_LIVES.c.origin).where(counts)))
    return live


def import_lineage(thread_id: str) -> str:
    """The lineage of what was imported into a thread: no checkpoint leads it, so a run of the thread leaves it be."""
    return f"import:{thread_id}"


# Statements that every turn runs are made once: to make them takes longer than to run them.
_HEAD = select(_HEADS.c.head).where(_HEADS.c.thread_id == bindparam("thread"))
_PARENT = select(_COMMITS.c.parent).where(_COMMITS.c.id == bindparam("commit"))
_STANDING = (
    select(_COMMITS.c.id, _REFS.c.n, _UNDONE.c.recorded_at.label("undone"), _LIVES.c.start.label("since"))
    .outerjoin(_REFS, _REFS.c.commit_id == _COMMITS.c.id)
    .outerjoin(_UNDONE, _UNDONE.c.commit_id == _COMMITS.c.id)
    .outerjoin(_LIVES, and_(_LIVES.c.origin == _COMMITS.c.id, _LIVES.c.end == OPEN))
    .where(_COMMITS.c.id.in_(bindparam("commits", expanding=True)))
)


@functools.cache
def _putting(dialect: str) -> Any:
    new = upsert(dialect, _HEADS)
    return new.on_conflict_do_update(index_elements=["thread_id"], set_={"head": new.excluded.head})


@functools.cache
def _counting(dialect: str) -> Any:
    new = upsert(dialect, _REFS)
    return new.on_conflict_do_update(index_elements=["commit_id"], set_={"n": _REFS.c.n + new.excluded.n})


def _stride() -> Select[tuple[str, str | None, int]]:
    columns = (_COMMITS.c.id, _COMMITS.c.parent, _COMMITS.c.depth)
    first = select(*columns, (bindparam("stride") - 1).label("more")).where(_COMMITS.c.id == bindparam("head"))
    up = first.cte("up", recursive=True)
    up = up.union_all(
        select(*columns, (up.c.more - 1).label("more")).where(_COMMITS.c.id == up.c.parent, up.c.more > 0)
    )
    return select(up.c.id, up.c.parent, up.c.depth).order_by(up.c.depth.desc())


_STRIDE = _stride()
