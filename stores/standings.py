"""Folding the ledger: which records are current, opened and closed by the difference to what was.

Everything here runs inside the caller's transaction. What changed goes to the outbox, from where the index follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, and_, insert, or_, select, update

from memory.attributes import is_single
from memory.fold import Act, Ended, Folded, fold
from memory.record import OPEN, Statement
from stores import lineage, schema
from stores.rows import parse_time

_S, _R, _I, _E = schema.statements, schema.records, schema.intervals, schema.events

Slot = tuple[str, str, str]
"""(user, subject, attribute)."""


def slots_of(conn: Connection, origins: Iterable[str]) -> list[Slot]:
    """The slots that these origins speak about, in a stable order."""
    wanted = list(origins)
    rows = conn.execute(select(_S.c.user_id, _S.c.subject, _S.c.attribute).where(_S.c.origin.in_(wanted)).distinct())
    return sorted((r.user_id, r.subject, r.attribute) for r in rows)


def statements_of(conn: Connection, slot: Slot, as_of: int | None = None) -> list[Statement]:
    """The statements about a slot that count: those whose origin is live now, or was at a ledger time."""
    lives = schema.lives
    counts = (
        lives.c.end == OPEN
        if as_of is None
        else and_(lives.c.start <= as_of, lives.c.end > as_of, _S.c.recorded_at <= as_of)
    )
    rows = conn.execute(
        select(_S)
        .join(lives, lives.c.origin == _S.c.origin)
        .where(_S.c.user_id == slot[0], _S.c.subject == slot[1], _S.c.attribute == slot[2], counts)
    )
    return [
        Statement(
            record_id=r.id,
            attribute=r.attribute,
            value=r.value,
            polarity=r.polarity,
            at=r.at,
            tie=(r.recorded_at, r.ordinal),
            confidence=r.confidence,
            asserts=r.asserts,
            by_person=r.by_person,
        )
        for r in rows
    ]


def acts_of(conn: Connection, slot: Slot, as_of: int | None = None) -> list[Act]:
    """People's acts that end something in a slot."""
    moment = OPEN - 1 if as_of is None else as_of
    stands = and_(_E.c.recorded_at <= moment, or_(_E.c.ended_at.is_(None), _E.c.ended_at > moment))
    rows = conn.execute(
        select(_E).where(_E.c.user_id == slot[0], _E.c.subject == slot[1], _E.c.attribute == slot[2], stands)
    )
    return [
        Act(r.id, r.value, r.recorded_at, (r.recorded_at, -1), "superseded" if r.kind == "correct" else "retracted")
        for r in rows
        if r.kind in ("forget", "correct")
    ]


def folded(conn: Connection, slot: Slot, as_of: int | None = None) -> Folded:
    """A slot as it stands now, or as it stood at a ledger time."""
    return fold(statements_of(conn, slot, as_of), acts_of(conn, slot, as_of), single=is_single(slot[2]))


def refold(conn: Connection, origins: Iterable[str], t: int) -> None:
    """Bring the standing of everything that these origins touch in line with what is live."""
    wanted = sorted(origins)
    for slot in slots_of(conn, wanted):
        refold_slot(conn, slot, t)
    rows = conn.execute(select(_R).where(_R.c.origin.in_(wanted), _R.c.attribute.is_(None))).all()
    if not rows:
        return
    ended = _ended_by(conn, rows)
    live = {o: lineage.is_live(conn, o) for o in {r.origin for r in rows}}
    for row in rows:
        by = ended.get(row.id) or row.origin
        gone = {row.id: Ended("retracted", by)}
        want = {row.id} if live[row.origin] and row.id not in ended else set()
        _change(conn, (row.user_id, row.kind), want, _open_of(conn, [row.id]), gone, t)


def _ended_by(conn: Connection, rows: Sequence[Row[Any]]) -> dict[str, str]:
    """Which of these records a person ended, and the event.

    Words that were ended are so in every commit that has them, also one that is made later: an answer that is asked
    for again does not bring them back. Said again after the event, they stand. Costs what these users forgot.
    """
    ended = schema.ended
    query = (
        select(ended.c.event_id, _E.c.recorded_at.label("ended_at"), _R)
        .join(_E, _E.c.id == ended.c.event_id)
        .join(_R, _R.c.id == ended.c.record_id)
        .where(_E.c.user_id.in_({r.user_id for r in rows}))
        .order_by(_E.c.recorded_at)
    )
    return {
        row.id: act.event_id
        for act in conn.execute(query).all()
        for row in rows
        if row.id == act.id or (_same_words(row, act) and _said_ms(row) < act.ended_at)
    }


def _same_words(a: Any, b: Any) -> bool:
    # A copied thread goes on with the turns of its source.
    where = a.thread_id == b.thread_id or a.turn_id == b.turn_id
    return bool(where and a.text == b.text and a.message_ids == b.message_ids)


def _said_ms(row: Any) -> float:
    said_at = parse_time(row.said_at)
    return said_at.timestamp() * 1000 if said_at else row.recorded_at


def refold_slot(conn: Connection, slot: Slot, t: int) -> None:
    """Fold one slot again and open or close its records by the difference."""
    result = folded(conn, slot)
    rows = conn.execute(
        select(_I.c.record_id)
        .join(_R, _R.c.id == _I.c.record_id)
        .where(_R.c.user_id == slot[0], _R.c.subject == slot[1], _R.c.attribute == slot[2], _I.c.end == OPEN)
    )
    have = set(rows.scalars())
    _change(conn, (slot[0], "fact"), set(result.current), have, result.ended, t)


def _open_of(conn: Connection, record_ids: list[str]) -> set[str]:
    return set(conn.scalars(select(_I.c.record_id).where(_I.c.record_id.in_(record_ids), _I.c.end == OPEN)))


def _change(
    conn: Connection, owner: tuple[str, str], want: set[str], have: set[str], ended: Mapping[str, Ended], t: int
) -> None:
    """Open what should be current and is not, close what is and should not be."""
    for record_id in sorted(have - want):
        how = ended.get(record_id, Ended("retracted", ""))
        which = and_(_I.c.record_id == record_id, _I.c.end == OPEN)
        start = conn.execute(select(_I.c.start).where(which)).scalar_one()
        conn.execute(update(_I).where(which).values(end=t, standing=how.standing, ended_by=how.by))
        conn.execute(insert(schema.outbox).values(record_id=record_id, start=start, what="close"))
    opened = sorted(want - have)
    if opened:
        user_id, kind = owner
        conn.execute(
            insert(_I),
            [{"record_id": r, "start": t, "end": OPEN, "user_id": user_id, "kind": kind} for r in opened],
        )
        conn.execute(insert(schema.outbox), [{"record_id": r, "start": t, "what": "open"} for r in opened])
