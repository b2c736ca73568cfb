"""Undo and restore: taking commits out of what counts, on every branch, and bringing them back.

It changes memory, not messages. Both are events of no thread; nothing of the past changes.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, and_, delete, insert, or_, select, update

from memory.record import stable_id
from stores import lineage, schema, standings
from stores.database import tick
from stores.errors import NotFound
from stores.ledger import Ledger


def undo(ledger: Ledger, user_id: str, which: str) -> list[str]:
    """Take a commit, or every commit of a turn, out of what counts; returns their ids. Raises `NotFound`."""
    with ledger.database.write() as conn:
        found = _commits(conn, user_id, which)
        if not found:
            raise NotFound(f"No turn or commit {which!r} was found for this user. Nothing was changed.")
        t = tick(conn, ledger.database.clock)
        known = set(conn.scalars(select(schema.undone.c.commit_id).where(schema.undone.c.commit_id.in_(found))))
        fresh = [c for c in found if c not in known]
        if fresh:
            conn.execute(insert(schema.undone), [{"commit_id": c, "recorded_at": t} for c in fresh])
        _enter(conn, user_id, "undo", which, t)
        standings.refold(conn, lineage.settle(conn, found, t), t)
    return found


def restore(ledger: Ledger, user_id: str, which: str) -> list[str]:
    """Bring back what was undone (a turn or a commit), forgotten or rejected (a memory); returns the ids.

    What was rejected waits again. Raises `NotFound`.
    """
    with ledger.database.write() as conn:
        t = tick(conn, ledger.database.clock)
        commits = _commits(conn, user_id, which)
        if commits:
            conn.execute(delete(schema.undone).where(schema.undone.c.commit_id.in_(commits)))
            _enter(conn, user_id, "restore", which, t)
            standings.refold(conn, lineage.settle(conn, commits, t), t)
            return commits
        return [_restore_memory(conn, user_id, which, t)]


def _commits(conn: Connection, user_id: str, which: str) -> list[str]:
    c = schema.commits
    query = select(c.c.id).where(c.c.user_id == user_id, or_(c.c.id == which, c.c.turn_id == which))
    return list(conn.scalars(query.order_by(c.c.recorded_at)))


def _restore_memory(conn: Connection, user_id: str, memory_id: str, t: int) -> str:
    r, e = schema.records, schema.events
    record = conn.execute(select(r).where(r.c.id == memory_id, r.c.user_id == user_id)).first()
    forgot: Sequence[str] = list(
        conn.scalars(
            select(e.c.id).where(
                e.c.user_id == user_id,
                e.c.kind.in_(("forget", "reject")),
                e.c.target == memory_id,
                e.c.ended_at.is_(None),
            )
        )
    )
    if record is None or not forgot:
        raise NotFound(f"No forgotten or rejected memory {memory_id!r} was found for this user. Nothing was changed.")
    conn.execute(update(e).where(e.c.id.in_(forgot)).values(ended_at=t))
    _enter(conn, user_id, "restore", memory_id, t)
    episodes = select(schema.ended.c.record_id).where(schema.ended.c.event_id.in_(forgot))
    words = select(r.c.text).where(r.c.id.in_(episodes))
    same = select(r.c.origin).where(r.c.user_id == user_id, r.c.kind == "episode", r.c.text.in_(words))
    origins = set(conn.scalars(same))
    conn.execute(delete(schema.ended).where(schema.ended.c.event_id.in_(forgot)))
    _show(conn, forgot)
    standings.refold(conn, origins, t)
    if record.attribute is not None:
        standings.refold_slots(conn, [(user_id, record.subject, record.attribute)], t)
    return memory_id


def _show(conn: Connection, forgot: Sequence[str]) -> None:
    """The transcript shows again what these events hid and no other one does."""
    m, r, ended = schema.messages, schema.records, schema.ended
    for message in conn.execute(select(m).where(m.c.hidden_by.in_(forgot))).all():
        others = conn.execute(
            select(ended.c.event_id, r.c.message_ids)
            .join(r, r.c.id == ended.c.record_id)
            .where(r.c.turn_id == message.turn_id)
        )
        still = next((other.event_id for other in others if message.message_id in other.message_ids), None)
        this = and_(m.c.thread_id == message.thread_id, m.c.message_id == message.message_id)
        conn.execute(update(m).where(this).values(hidden_by=still))


def _enter(conn: Connection, user_id: str, kind: str, target: str, t: int) -> None:
    event_id = stable_id(kind, user_id, target, t)
    conn.execute(insert(schema.events).values(id=event_id, user_id=user_id, recorded_at=t, kind=kind, target=target))
