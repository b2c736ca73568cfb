"""What waits for a person, now or as of a ledger time, and why: read from the fold and from people's acts.

Facts wait by their content (value and polarity). An episode, summary or lesson waits as the record it is, or as the
same words in another commit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, and_, select

from memory import guard
from memory.attributes import value_key
from memory.deciding import Hold
from memory.fold import Folded
from memory.record import OPEN, Memory, Proposal, Standing, Utterance
from stores import schema
from stores.database import batches
from stores.standings import Slot, bereft, folded, stands_at

_R, _E, _L = schema.records, schema.events, schema.lives

BY_PERSON = "A person holds it."


def holds_for(
    conn: Connection, user_id: str, proposals: Sequence[Proposal], said: Mapping[str, Utterance]
) -> list[Hold | None]:
    """Why each proposal is held, if it is: by its words, unless a person released them, or by a person's hold.

    `said` are the messages that they were read from.
    """
    whys = [guard.hold(p, said.get(p["message_id"])) for p in proposals]
    slots: list[Slot] = [(user_id, p["subject"], p["attribute"]) for p in proposals]
    touched = {slot for slot, why in zip(slots, whys, strict=True) if why} | _held_by_people(conn, slots)
    folds = folded(conn, touched)
    return [_hold(p, why, folds.get(s)) for p, why, s in zip(proposals, whys, slots, strict=True)]


def _held_by_people(conn: Connection, slots: Iterable[Slot]) -> set[Slot]:
    if not (users := {slot[0] for slot in slots}):
        return set()
    query = select(_E.c.user_id, _E.c.subject, _E.c.attribute).where(_E.c.user_id.in_(users), _E.c.kind == "hold")
    return {(r.user_id, r.subject, r.attribute) for r in conn.execute(query.where(stands_at(None)))} & set(slots)


def _hold(proposal: Proposal, why: str | None, slot: Folded | None) -> Hold | None:
    content = (value_key(proposal.get("value") or ""), proposal.get("polarity", 1))
    if slot is None or proposal.get("retract"):
        return None
    if content in slot.holds:
        return Hold(BY_PERSON, guard=False, waiting=slot.held.get(content))
    return Hold(why, waiting=slot.held.get(content)) if why and content not in slot.released else None


def waiting_ids(conn: Connection, user_id: str, as_of: int | None) -> set[str]:
    """The user's records that wait: the first of each content that is held, and records without a slot."""
    found = _marked_or_held(conn, user_id, as_of)
    ids = {record for slot in _folds_of(conn, found, as_of) for record in slot.held.values()}
    words = {r[0] for r in found if r.attribute is None}
    ended = schema.ended
    for some in batches(r[0] for r in found if r.attribute is None):
        same = select(ended.c.event_id).where(ended.c.record_id.in_(some), ended.c.standing == "held")
        words |= set(conn.scalars(select(ended.c.record_id).where(ended.c.event_id.in_(same))))
    return ids | _words_that_wait(conn, words, as_of).keys()


def facts_that_wait(conn: Connection, user_id: str) -> set[str]:
    """Every record of a fact that waits now, also those that say what another one says."""
    folds = _folds_of(conn, _marked_or_held(conn, user_id, None), None)
    return {record for slot in folds for record, how in slot.ended.items() if how.standing == "held"}


def _marked_or_held(conn: Connection, user_id: str, as_of: int | None) -> list[Any]:
    """The records that the guard marked or a person holds, by their ids and slots."""
    marked = select(_R.c.id, _R.c.user_id, _R.c.subject, _R.c.attribute).where(
        _R.c.user_id == user_id, _R.c.held.is_not(None)
    )
    by_hand = select(_E.c.target, _E.c.user_id, _E.c.subject, _E.c.attribute).where(
        _E.c.user_id == user_id, _E.c.kind == "hold", stands_at(as_of)
    )
    return [*conn.execute(marked).all(), *conn.execute(by_hand).all()]


def _folds_of(conn: Connection, found: Iterable[Any], as_of: int | None) -> Iterable[Folded]:
    slots = {(r.user_id, r.subject, r.attribute) for r in found if r.attribute is not None}
    return folded(conn, slots, as_of).values()


def settled(conn: Connection, memories: Sequence[Memory], as_of: int | None) -> list[Memory]:
    """The same memories, each current fact as sure as all its live statements make it, and what waits said to be held.

    `held` is the reason while a memory waits, and None else.
    """
    slots = {(m.user_id, m.subject, m.attribute) for m in memories if m.subject and m.attribute}
    folds = folded(conn, slots, as_of)
    # One that stood in a commit that was left may wait since, held as the same words of another commit.
    unsure = ("held", "retracted")
    words = {m.id for m in memories if not m.attribute and (m.held or m.standing in unsure or not m.intervals)}
    waits = _words_that_wait(conn, words, as_of)
    out = []
    for memory in memories:
        slot = folds.get((memory.user_id, memory.subject or "", memory.attribute or ""))
        out.append(_in_slot(memory, slot) if slot else _in_words(memory, waits))
    return out


def _in_slot(memory: Memory, slot: Folded) -> Memory:
    current = slot.current.get(memory.id)
    if current:
        return replace(memory, confidence=current.confidence, held=None)
    ended = slot.ended.get(memory.id)
    standing = memory.standing
    if ended and ended.standing == "held":
        standing = "held"
    elif standing == "held" or not memory.intervals:
        confirms = any(memory.id in c.said for c in slot.current.values())
        standing = ended.standing if ended else "current" if confirms else "retracted"
    by_guard = ended is not None and ended.by == memory.id
    why = (memory.held if by_guard else BY_PERSON) if standing == "held" else None
    return replace(memory, standing=standing, held=why)


def _in_words(memory: Memory, waits: Mapping[str, str]) -> Memory:
    if memory.id in waits:
        return replace(memory, standing="held", held=waits[memory.id])
    ended: Standing = "retracted" if memory.standing == "held" or not memory.intervals else memory.standing
    return replace(memory, standing=ended, held=None)


def _words_that_wait(conn: Connection, record_ids: Iterable[str], as_of: int | None) -> dict[str, str]:
    """Which of these records without a slot wait, and why: live ones, marked or held, that nothing has ended.

    A summary or lesson that lost a source does not wait: it is over until the source is back.
    """
    moment = OPEN - 1 if as_of is None else as_of
    ended = schema.ended
    out: dict[str, str] = {}
    for some in batches(sorted(record_ids)):
        live = and_(_L.c.origin == _R.c.origin, _L.c.start <= moment, _L.c.end > moment)
        rows = conn.execute(
            select(_R.c.id, _R.c.held, _R.c.sources).join(_L, live).where(_R.c.id.in_(some), _R.c.attribute.is_(None))
        ).all()
        lost = bereft(conn, rows, as_of)
        acts = conn.execute(
            select(ended.c.record_id, ended.c.standing)
            .join(_E, _E.c.id == ended.c.event_id)
            .where(ended.c.record_id.in_(some), stands_at(as_of))
            .order_by(_E.c.recorded_at)
        )
        last = {act.record_id: act.standing for act in acts}
        freed = set(
            conn.scalars(select(_E.c.target).where(_E.c.target.in_(some), _E.c.kind == "release", stands_at(as_of)))
        )
        for row in rows:
            if row.id in lost:
                continue
            if last.get(row.id) == "held":
                out[row.id] = BY_PERSON
            elif row.held and row.id not in freed and row.id not in last:
                out[row.id] = row.held
    return out
