"""Which commits count: heads of threads, the references they hold, and the intervals in which an origin was live.

When a thread's head moves, the commits that left its lineage and those that came in are found by walking both up to
where they meet. What they said is folded again by the caller. One look-up when nothing moved.
"""

from __future__ import annotations

from sqlalchemy import Connection, and_, delete, insert, select, update

from memory.record import OPEN
from stores import schema

_COMMITS, _HEADS, _REFS, _LIVES, _UNDONE = schema.commits, schema.heads, schema.refs, schema.lives, schema.undone


def head_of(conn: Connection, thread_id: str) -> str | None:
    """The thread's last commit as the ledger knows it."""
    return conn.execute(select(_HEADS.c.head).where(_HEADS.c.thread_id == thread_id)).scalar_one_or_none()


def _step(conn: Connection, commit_id: str | None) -> tuple[str | None, int]:
    if commit_id is None:
        return None, -1
    row = conn.execute(select(_COMMITS.c.parent, _COMMITS.c.depth).where(_COMMITS.c.id == commit_id)).one_or_none()
    return (row.parent, row.depth) if row else (None, -1)


def difference(conn: Connection, old: str | None, new: str | None) -> tuple[list[str], list[str]]:
    """The commits on `old`'s lineage alone and on `new`'s alone: what a move leaves, and what it enters."""
    left: list[str] = []
    entered: list[str] = []
    (old_parent, old_depth), (new_parent, new_depth) = _step(conn, old), _step(conn, new)
    while old != new:
        if old is not None and old_depth >= new_depth:
            left.append(old)
            old = old_parent
            old_parent, old_depth = _step(conn, old)
        elif new is not None:
            entered.append(new)
            new = new_parent
            new_parent, new_depth = _step(conn, new)
    return left, entered


def move_head(conn: Connection, thread_id: str, head: str | None, t: int) -> set[str]:
    """Move a thread's head and return the commits that became live or ceased to be. `t` is the ledger time of it."""
    left, entered = difference(conn, head_of(conn, thread_id), head)
    touched = {c for c in left if _count(conn, c, -1) == 0} | {c for c in entered if _count(conn, c, 1) == 1}
    conn.execute(delete(_HEADS).where(_HEADS.c.thread_id == thread_id))
    conn.execute(insert(_HEADS).values(thread_id=thread_id, head=head))
    return {c for c in touched if settle(conn, c, t)}


def _count(conn: Connection, commit_id: str, by: int) -> int:
    n = (conn.execute(select(_REFS.c.n).where(_REFS.c.commit_id == commit_id)).scalar_one_or_none() or 0) + by
    conn.execute(delete(_REFS).where(_REFS.c.commit_id == commit_id))
    conn.execute(insert(_REFS).values(commit_id=commit_id, n=n))
    return n


def settle(conn: Connection, commit_id: str, t: int) -> bool:
    """Open or close a commit's life by whether a lineage holds it and nobody undid it; True when that changed."""
    held = (conn.execute(select(_REFS.c.n).where(_REFS.c.commit_id == commit_id)).scalar_one_or_none() or 0) > 0
    gone = conn.execute(select(_UNDONE.c.recorded_at).where(_UNDONE.c.commit_id == commit_id)).one_or_none() is not None
    wanted = held and not gone
    if wanted == is_live(conn, commit_id):
        return False
    if wanted:
        begin(conn, commit_id, t)
    else:
        conn.execute(update(_LIVES).where(and_(_LIVES.c.origin == commit_id, _LIVES.c.end == OPEN)).values(end=t))
    return True


def begin(conn: Connection, origin: str, t: int) -> None:
    """An origin counts from `t` on."""
    conn.execute(insert(_LIVES).values(origin=origin, start=t, end=OPEN))


def is_live(conn: Connection, origin: str) -> bool:
    """Whether what this origin said counts now."""
    found = select(_LIVES.c.start).where(and_(_LIVES.c.origin == origin, _LIVES.c.end == OPEN))
    return conn.execute(found).first() is not None


def import_lineage(thread_id: str) -> str:
    """The lineage of what was imported into a thread: no checkpoint leads it, so a run of the thread leaves it be."""
    return f"import:{thread_id}"
