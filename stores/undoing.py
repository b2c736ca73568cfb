"""Undo and restore: taking commits out of what counts, on every branch, and bringing them back.

It changes memory, not messages. Both are events of no thread; nothing of the past changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, and_, delete, insert, or_, select, update

from memory.attributes import value_key
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
    swept = _swept_with(conn, record) if record else []
    if record is None or not (forgot or swept):
        raise NotFound(
            f"No forgotten, rejected or swept memory {memory_id!r} was found for this user. Nothing was changed."
        )
    conn.execute(update(e).where(e.c.id.in_(forgot)).values(ended_at=t))
    # To a later sweep this is a use of it.
    _enter(conn, user_id, "restore", memory_id, t)
    episodes = select(schema.ended.c.record_id).where(schema.ended.c.event_id.in_(forgot))
    words = select(r.c.text).where(r.c.id.in_(episodes))
    same = select(r.c.origin).where(r.c.user_id == user_id, r.c.attribute.is_(None), r.c.text.in_(words))
    origins = set(conn.scalars(same))
    conn.execute(delete(schema.ended).where(schema.ended.c.event_id.in_(forgot)))
    for event_id, record_id in swept:
        this = and_(schema.ended.c.event_id == event_id, schema.ended.c.record_id == record_id)
        conn.execute(delete(schema.ended).where(this))
    _show(conn, forgot)
    standings.refold(conn, origins, t)
    standings.refold_records(conn, [memory_id], t)
    return memory_id


def _swept_with(conn: Connection, record: Any) -> list[tuple[str, str]]:
    """The sweeps that ended a record, each with every record that it ended for saying what this one says."""
    r, e, ended = schema.records, schema.events, schema.ended
    same = r.c.id == record.id
    if record.attribute is not None:
        slot = and_(r.c.user_id == record.user_id, r.c.subject == record.subject, r.c.attribute == record.attribute)
        same = and_(slot, r.c.polarity == record.polarity)
    query = select(ended.c.event_id, r.c.id, r.c.value).join(r, r.c.id == ended.c.record_id)
    rows = conn.execute(query.join(e, e.c.id == ended.c.event_id).where(e.c.kind == "sweep", same)).all()
    events = {row.event_id for row in rows if row.id == record.id}
    key = value_key(record.value or "")
    return [(row.event_id, row.id) for row in rows if row.event_id in events and value_key(row.value or "") == key]


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
