"""Folding the ledger: which records are current, opened and closed by the difference to what was.

Everything here runs inside the caller's transaction. What changed goes to the outbox, from where the index follows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Table,
    and_,
    bindparam,
    insert,
    or_,
    select,
    tuple_,
    union,
    update,
)

from memory.attributes import is_single
from memory.fold import Act, Ended, Folded, fold
from memory.record import OPEN, USER, Standing, Statement, stable_id
from stores import asked_to_forget, lineage, schema
from stores.database import batches, upsert
from stores.rows import parse_time, said_ms

_S, _R, _I, _E = schema.statements, schema.records, schema.intervals, schema.events

Slot = tuple[str, str, str]
"""(user, subject, attribute)."""

Owner = tuple[str, str]
"""Whose record it is, and of which kind."""


def slots_of(conn: Connection, origins: Collection[str]) -> list[Slot]:
    """The slots that these origins speak about, in a stable order."""
    found: set[Slot] = set()
    for some in batches(origins):
        found |= {(r.user_id, r.subject, r.attribute) for r in conn.execute(_SLOTS, {"origins": some})}
    return sorted(found)


# Statements that every turn runs are made once: to make them takes longer than to run them.
_SLOTS = (
    select(_S.c.user_id, _S.c.subject, _S.c.attribute)
    .where(_S.c.origin.in_(bindparam("origins", expanding=True)))
    .distinct()
)


def _within(table: Table, slots: Collection[Slot]) -> ColumnElement[bool]:
    """That a row belongs to one of these slots. One slot is compared plainly, which every planner's index serves."""
    columns = (table.c.user_id, table.c.subject, table.c.attribute)
    if len(slots) == 1:
        [slot] = slots
        return and_(*(column == part for column, part in zip(columns, slot, strict=True)))
    return tuple_(*columns).in_(slots)


def _by_slot(rows: Iterable[Row[Any]]) -> dict[Slot, list[Row[Any]]]:
    out: dict[Slot, list[Row[Any]]] = {}
    for row in rows:
        out.setdefault((row.user_id, row.subject, row.attribute), []).append(row)
    return out


def _statements_of(conn: Connection, slots: Collection[Slot], as_of: int | None) -> dict[Slot, list[Row[Any]]]:
    """The statements about slots that count: those whose origin is live now, or was at a ledger time."""
    lives = schema.lives
    counts = (
        lives.c.end == OPEN
        if as_of is None
        else and_(lives.c.start <= as_of, lives.c.end > as_of, _S.c.recorded_at <= as_of)
    )
    query = select(_S, _R.c.held, _R.c.speaker).join(lives, lives.c.origin == _S.c.origin)
    query = query.outerjoin(_R, _R.c.id == _S.c.id).where(_within(_S, slots), counts)
    return _by_slot(conn.execute(query))


def _statement(row: Row[Any]) -> Statement:
    return Statement(
        record_id=row.id,
        attribute=row.attribute,
        value=row.value,
        polarity=row.polarity,
        at=row.at,
        tie=(row.recorded_at, row.ordinal),
        confidence=row.confidence,
        asserts=row.asserts,
        by_person=row.by_person,
        held=row.held is not None,
        replaces=row.replaces,
        # A retraction has no record; only a person's words make one.
        speaker=row.speaker or USER,
    )


def _acts_of(conn: Connection, slots: Collection[Slot], as_of: int | None) -> dict[Slot, list[Row[Any]]]:
    """People's acts on slots."""
    return _by_slot(conn.execute(select(_E).where(_within(_E, slots), stands_at(as_of), _E.c.kind.in_(_ACTS))))


def stands_at(as_of: int | None) -> ColumnElement[bool]:
    """That an event had happened by a ledger time (now, for None) and was not taken back."""
    moment = OPEN - 1 if as_of is None else as_of
    return and_(_E.c.recorded_at <= moment, or_(_E.c.ended_at.is_(None), _E.c.ended_at > moment))


_ACTS: Mapping[str, Standing] = {
    "forget": "retracted",
    "correct": "superseded",
    "hold": "held",
    "release": "current",
    "reject": "retracted",
}


def _act(row: Row[Any]) -> Act:
    act = Act(row.id, row.value, row.recorded_at, (row.recorded_at, -1), _ACTS[row.kind])
    if row.kind == "correct":
        return replace(act, record_id=stable_id(row.id, 0))
    return act if row.kind == "forget" else replace(act, polarity=row.polarity, waiting=row.kind == "reject")


def _sweeps_of(conn: Connection, slots: Collection[Slot], as_of: int | None) -> dict[Slot, list[Act]]:
    """What sweeps ended in slots. An act comes after the words that it ends, also where those lie in the future."""
    moment = OPEN - 1 if as_of is None else as_of
    query = _SWEPT.add_columns(_S.c.user_id, _S.c.subject, _S.c.attribute, _S.c.at)
    query = query.join(_S, _S.c.id == schema.ended.c.record_id)
    rows = conn.execute(query.where(_within(_S, slots), _E.c.recorded_at <= moment, _counts_against(moment))).all()
    grouped: dict[tuple[Slot, str, Standing], list[Row[Any]]] = {}
    for row in rows:
        slot = (row.user_id, row.subject, row.attribute)
        grouped.setdefault((slot, row.event_id, row.standing), []).append(row)
    out: dict[Slot, list[Act]] = {}
    for (slot, event_id, standing), ended in grouped.items():
        t, records = ended[0].recorded_at, frozenset(r.record_id for r in ended)
        at = max(t, *(r.at for r in ended))
        out.setdefault(slot, []).append(Act(event_id, None, at, (t, -1), standing, records=records))
    return out


def _counts_against(moment: int) -> ColumnElement[bool]:
    """That what a sweep ended stays ended: always, but a duplicate's other one must count itself at that time."""
    lives, kept = schema.lives, _R.alias("kept")
    counts = and_(lives.c.origin == kept.c.origin, lives.c.start <= moment, lives.c.end > moment)
    there = select(kept.c.id).join(lives, counts).where(kept.c.id == schema.ended.c.kept)
    return or_(schema.ended.c.kept.is_(None), there.exists())


def folded(conn: Connection, slots: Collection[Slot], as_of: int | None = None) -> dict[Slot, Folded]:
    """Slots as they stand now, or as they stood at a ledger time."""
    out: dict[Slot, Folded] = {}
    for some in batches(slots):
        said, acts = _statements_of(conn, some, as_of), _acts_of(conn, some, as_of)
        swept = _sweeps_of(conn, some, as_of)
        for slot in some:
            acted = [*map(_act, acts.get(slot, ())), *swept.get(slot, ())]
            out[slot] = fold(map(_statement, said.get(slot, ())), acted, single=is_single(slot[2]))
    return out


def refold(conn: Connection, origins: Iterable[str], t: int) -> None:
    """Bring the standing of everything that these origins touch in line with what is live."""
    wanted = sorted(origins)
    if not wanted:
        return
    slots = slots_of(conn, wanted)
    refold_slots(conn, slots, t)
    # Who asks to forget speaks about a slot.
    words = asked_to_forget.touched(conn, wanted) if slots else set()
    for some in batches(sorted({*wanted, *words})):
        _refold(conn, conn.execute(_WORDS, {"origins": some}).all(), t)
        refold_records(conn, _dependents(conn, some), t)


def refold_records(conn: Connection, record_ids: Collection[str], t: int) -> None:
    """Bring the standing of these records in line with what is live; of a fact, that of its slot."""
    slots: set[Slot] = set()
    for some in batches(record_ids):
        rows = conn.execute(_THESE, {"ids": some}).all()
        slots |= {(r.user_id, r.subject, r.attribute) for r in rows if r.attribute is not None}
        _refold(conn, [r for r in rows if r.attribute is None], t)
    refold_slots(conn, sorted(slots), t)


def _refold(conn: Connection, rows: Sequence[Row[Any]], t: int) -> None:
    """Bring records without a slot in line with what is live and what waits; rows are those of `_STANDING`."""
    if not rows:
        return
    # Most people never do anything to their memory by hand, and every turn comes by here.
    if conn.execute(_ACTED, {"users": sorted({r.user_id for r in rows})}).first() is None:
        ended = asked_to_forget.asked(conn, rows)
    else:
        ended = _swept(conn, rows) | _forgotten(conn, rows)
        _hold_the_same(conn, ended)
    ended |= bereft(conn, rows)
    waits = {r.id for r in rows if r.held is not None} - _released(conn, rows)
    want = {r.id: (r.user_id, r.kind) for r in rows if r.alive_since is not None and r.id not in {*ended, *waits}}
    have = {r.id: (r.user_id, r.kind) for r in rows if r.open_since is not None}
    gone = {r.id: ended.get(r.id) or Ended("retracted", r.origin) for r in rows}
    _change(conn, want, have, gone, t)


def _dependents(conn: Connection, origins: Collection[str]) -> list[str]:
    """What is made of these origins' records, and what sweeps ended because one of them says the same."""
    return sorted(conn.scalars(_DEPENDENTS, {"origins": list(origins)}))


_OF_THESE = _R.c.origin.in_(bindparam("origins", expanding=True))
_STANDING = (
    select(_R, schema.lives.c.start.label("alive_since"), _I.c.start.label("open_since"))
    .outerjoin(schema.lives, and_(schema.lives.c.origin == _R.c.origin, schema.lives.c.end == OPEN))
    .outerjoin(_I, and_(_I.c.record_id == _R.c.id, _I.c.end == OPEN))
)
_WORDS = _STANDING.where(_OF_THESE, _R.c.attribute.is_(None))
_THESE = _STANDING.where(_R.c.id.in_(bindparam("ids", expanding=True)))
_ACTED = select(_E.c.id).where(_E.c.user_id.in_(bindparam("users", expanding=True))).limit(1)
_DEPENDENTS = union(
    select(schema.sources.c.record_id).join(_R, _R.c.id == schema.sources.c.source_id).where(_OF_THESE),
    select(schema.ended.c.record_id).join(_R, _R.c.id == schema.ended.c.kept).where(_OF_THESE),
)


def bereft(conn: Connection, rows: Sequence[Any], as_of: int | None = None) -> dict[str, Ended]:
    """Which of these summaries and lessons lost a source: forgotten, held, undone, or on a branch that was left.

    A source that only faded, or was merged into another, is no loss: what it said is why they are kept.
    """
    sources = sorted({s for r in rows for s in r.sources})
    found = [r for some in batches(sources) for r in conn.execute(select(_R).where(_R.c.id.in_(some))).all()]
    if not found:
        return {}
    live = lineage.live_among(conn, {r.origin for r in found}, as_of)
    lost = {r.id: r.origin for r in found if r.origin not in live}
    lost |= {i: how.by for i, how in _forgotten(conn, found, as_of).items()}
    return {r.id: Ended("retracted", lost[s]) for r in rows for s in r.sources if s in lost}


def _hold_the_same(conn: Connection, ended: Mapping[str, Ended]) -> None:
    """Words that a person holds wait in every commit that has them, each to be released by its own id."""
    if rows := [
        {"record_id": r, "event_id": e.by, "standing": "held"} for r, e in ended.items() if e.standing == "held"
    ]:
        conn.execute(upsert(conn.dialect.name, schema.ended).on_conflict_do_nothing(), rows)


def _released(conn: Connection, rows: Sequence[Row[Any]]) -> set[str]:
    """Which of these records say what a person released."""
    if not any(r.held for r in rows):
        return set()
    users = {r.user_id for r in rows}
    query = select(_R.c.user_id, _R.c.text).join(_E, _E.c.target == _R.c.id)
    freed = {tuple(r) for r in conn.execute(query.where(_E.c.user_id.in_(users), _E.c.kind == "release"))}
    return {r.id for r in rows if (r.user_id, r.text) in freed}


def _swept(conn: Connection, rows: Sequence[Row[Any]]) -> dict[str, Ended]:
    """Which of these records a sweep ended, how, and by which event."""
    swept: dict[str, Ended] = {}
    for some in batches(r.id for r in rows):
        found = conn.execute(_SWEPT.where(schema.ended.c.record_id.in_(some), _counts_against(OPEN - 1)))
        swept |= {row.record_id: Ended(row.standing, row.event_id) for row in found}
    return swept


def _forgotten(conn: Connection, rows: Sequence[Row[Any]], as_of: int | None = None) -> dict[str, Ended]:
    """Which of these records a live turn asked to forget, or a person ended or holds, and by what."""
    return asked_to_forget.asked(conn, rows, as_of) | _ended_by_people(conn, rows, as_of)


def _ended_by_people(conn: Connection, rows: Sequence[Row[Any]], as_of: int | None) -> dict[str, Ended]:
    """How a person ended or holds which of these records, and by which event.

    Words that were ended are so in every commit that has them, also one that is made later: an answer that is asked
    for again does not bring them back. Said again after the event, they stand. Costs what these users forgot.
    """
    ended = schema.ended
    query = (
        select(ended.c.event_id, ended.c.standing, _E.c.recorded_at.label("ended_at"), _R)
        .join(_E, _E.c.id == ended.c.event_id)
        .join(_R, _R.c.id == ended.c.record_id)
        .where(_E.c.user_id.in_({r.user_id for r in rows}), _E.c.kind != "sweep", stands_at(as_of))
        .order_by(_E.c.recorded_at)
    )
    return {
        row.id: Ended(act.standing, act.event_id)
        for act in conn.execute(query).all()
        for row in rows
        if row.id == act.id
        or (_same_words(row, act) and said_ms(parse_time(row.said_at), row.recorded_at) < act.ended_at)
    }


_SWEPT = (
    select(schema.ended.c.record_id, schema.ended.c.event_id, schema.ended.c.standing, _E.c.recorded_at)
    .join(_E, _E.c.id == schema.ended.c.event_id)
    .where(_E.c.kind == "sweep")
)


def _same_words(a: Any, b: Any) -> bool:
    # A copied thread goes on with the turns of its source.
    where = a.thread_id == b.thread_id or a.turn_id == b.turn_id
    return bool(where and a.text == b.text and a.message_ids == b.message_ids)


def refold_slots(conn: Connection, slots: Collection[Slot], t: int) -> None:
    """Fold slots again and open or close their records by the difference."""
    for some in batches(slots):
        want: dict[str, Owner] = {}
        ended: dict[str, Ended] = {}
        for slot, result in folded(conn, some).items():
            want |= dict.fromkeys(result.current, (slot[0], "fact"))
            # One that stood until it was known that the same had been said before.
            ended |= {r: Ended("superseded", c.record_id) for c in result.current.values() for r in c.said[1:]}
            ended |= result.ended
        query = select(_I.c.record_id, _R.c.user_id).join(_R, _R.c.id == _I.c.record_id)
        rows = conn.execute(query.where(_within(_R, some), _I.c.end == OPEN))
        _change(conn, want, {r.record_id: (r.user_id, "fact") for r in rows}, ended, t)


def _open_among(conn: Connection, record_ids: Collection[str]) -> dict[str, int]:
    """When the open intervals of some records began, of those that have one."""
    out: dict[str, int] = {}
    for some in batches(record_ids):
        rows = conn.execute(select(_I.c.record_id, _I.c.start).where(_I.c.record_id.in_(some), _I.c.end == OPEN))
        out |= {r.record_id: r.start for r in rows}
    return out


def _change(
    conn: Connection, want: Mapping[str, Owner], have: Mapping[str, Owner], ended: Mapping[str, Ended], t: int
) -> None:
    """Open what should be current and is not, close what is and should not be."""
    closed = sorted(have.keys() - want.keys())
    if closed:
        starts = _open_among(conn, closed)
        how = {r: ended.get(r, Ended("retracted", "")) for r in closed}
        conn.execute(_CLOSE, [{"record": r, "to": t, "how": how[r].standing, "by": how[r].by} for r in closed])
        conn.execute(insert(schema.outbox), [{"record_id": r, "start": starts[r], "what": "close"} for r in closed])
    opened = sorted(want.keys() - have.keys())
    if opened:
        rows = [{"record_id": r, "start": t, "end": OPEN, "user_id": want[r][0], "kind": want[r][1]} for r in opened]
        conn.execute(insert(_I), rows)
        conn.execute(insert(schema.outbox), [{"record_id": r, "start": t, "what": "open"} for r in opened])


_CLOSE = (
    update(_I)
    .where(_I.c.record_id == bindparam("record"), _I.c.end == OPEN)
    .values(end=bindparam("to"), standing=bindparam("how"), ended_by=bindparam("by"))
)


def is_behind(conn: Connection) -> bool:
    """Whether something changed that the index was not told of yet."""
    return conn.execute(_UNTOLD).first() is not None


_UNTOLD = select(schema.outbox.c.seq).limit(1)
