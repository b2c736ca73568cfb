"""Hold, release and reject: what a person says of a memory that waits, or should.

Each is an event of no thread, and no fork takes it back. It is about what a memory says: a value is held or released in
every commit that says it, also in later ones; a rejection ends what was said before it. The guard's own holds belong to
their commits.
"""

from __future__ import annotations

from sqlalchemy import Connection, insert, select, update

from memory.attributes import value_key
from memory.record import OPEN, Memory, stable_id
from stores import schema, standings, waiting
from stores.database import tick
from stores.errors import NotFound
from stores.ledger import Ledger
from stores.people import find_memory, write_event

_R, _E, _I = schema.records, schema.events, schema.intervals


def hold(ledger: Ledger, user_id: str, memory_id: str) -> None:
    """Take a current memory out of what counts until it is released. Raises `NotFound` for one that is not current."""
    with ledger.database.write() as conn:
        memory = find_memory(conn, user_id, memory_id)
        if conn.execute(select(_I.c.start).where(_I.c.record_id == memory_id, _I.c.end == OPEN)).first() is None:
            raise NotFound(f"No current memory {memory_id!r} was found for this user. Nothing was changed.")
        t = tick(conn, ledger.database.clock)
        event_id = stable_id("hold", user_id, memory_id, t)
        write_event(conn, event_id, "hold", memory, t, None)
        if memory.attribute is None:
            conn.execute(insert(schema.ended).values(record_id=memory.id, event_id=event_id, standing="held"))
        _fold_again(conn, memory, t)


def release(ledger: Ledger, user_id: str, memory_id: str) -> None:
    """Let what waits count, from now on and where it was said. Raises `NotFound` for a memory that is not held."""
    with ledger.database.write() as conn:
        memory = _waiting(conn, user_id, memory_id)
        t = tick(conn, ledger.database.clock)
        write_event(conn, stable_id("release", user_id, memory_id, t), "release", memory, t, None)
        conn.execute(update(_E).where(_E.c.id.in_(_holds_on(conn, memory))).values(ended_at=t))
        _fold_again(conn, memory, t)


def reject(ledger: Ledger, user_id: str, memory_id: str) -> None:
    """End what waits. Said again later it waits again. Raises `NotFound` for a memory that is not held."""
    with ledger.database.write() as conn:
        memory = _waiting(conn, user_id, memory_id)
        t = tick(conn, ledger.database.clock)
        event_id = stable_id("reject", user_id, memory_id, t)
        write_event(conn, event_id, "reject", memory, t, None)
        if memory.attribute is None:
            conn.execute(insert(schema.ended).values(record_id=memory.id, event_id=event_id, standing="retracted"))
        _fold_again(conn, memory, t)


def _waiting(conn: Connection, user_id: str, memory_id: str) -> Memory:
    [memory] = waiting.settled(conn, [find_memory(conn, user_id, memory_id)], None)
    if memory.standing != "held":
        raise NotFound(f"No held memory {memory_id!r} was found for this user. Nothing was changed.")
    return memory


def _holds_on(conn: Connection, memory: Memory) -> list[str]:
    """The events by which a person holds what this memory says; an older hold that was settled stays as it is."""
    if memory.subject is not None and memory.attribute is not None:
        slot = (memory.user_id, memory.subject, memory.attribute)
        by = standings.folded(conn, [slot])[slot].holds.get((value_key(memory.value or ""), memory.polarity))
        return [by] if by else []
    ended = schema.ended
    held = select(ended.c.event_id).join(_E, _E.c.id == ended.c.event_id).where(_E.c.ended_at.is_(None))
    return list(conn.scalars(held.where(ended.c.record_id == memory.id, ended.c.standing == "held")))


def _fold_again(conn: Connection, memory: Memory, t: int) -> None:
    if memory.subject is not None and memory.attribute is not None:
        standings.refold_slots(conn, [(memory.user_id, memory.subject, memory.attribute)], t)
        return
    same = select(_R.c.origin).where(_R.c.user_id == memory.user_id, _R.c.attribute.is_(None), _R.c.text == memory.text)
    standings.refold(conn, set(conn.scalars(same)), t)
