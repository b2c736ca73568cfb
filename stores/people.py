"""What people do to memory by hand: remember, correct, forget. Each is an event of no thread; no fork takes it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, insert, or_, select, update

from memory.attributes import value_key
from memory.deciding import Decision, decide
from memory.privacy import redact
from memory.record import USER, Extractor, Memory, Proposal, Utterance, stable_id
from memory.text import clean
from stores import lineage, schema, standings
from stores.database import tick
from stores.errors import BadInput, NotFound
from stores.facts import Origin, fact_of, write_statement
from stores.ledger import Ledger
from stores.reader import aware
from stores.rows import memory_of, moment, record_row
from stores.waiting import holds_for

NOTE = "note"
"""The attribute of what a person wants remembered and no rule has a better word for."""


def checked_text(text: str) -> str:
    """The text as it may be kept: cleaned and redacted. Raises `BadInput` for a blank one."""
    kept = redact(clean(text)).text.strip()
    if not kept:
        raise BadInput("There is nothing to remember in a blank text. Memory is unchanged; give some words.")
    return kept


def remember(ledger: Ledger, extractor: Extractor, user_id: str, text: str, fields: dict[str, Any]) -> str:
    """Keep what a person said as facts; returns the id of the first. The same content twice is a confirmation.

    What instructs waits for a release.
    """
    kept = checked_text(text)
    with ledger.database.write() as conn:
        t = tick(conn, ledger.database.clock)
        event_id = stable_id("remember", user_id, kept, t)
        proposals = _proposals(extractor, event_id, kept, moment(t), fields)
        holds = holds_for(conn, user_id, proposals, {})
        decisions = decide(proposals, ledger.current_facts(conn, user_id, proposals), holds)
        conn.execute(
            insert(schema.events).values(id=event_id, user_id=user_id, recorded_at=t, kind="remember", note=kept)
        )
        facts = _enter(conn, event_id, user_id, decisions, t)
        shown = next((d.touches[0] for d in decisions if d.op == "confirm" and d.touches), None)
        return shown or facts[0].id


def _proposals(
    extractor: Extractor, event_id: str, text: str, at: datetime, fields: dict[str, Any]
) -> Sequence[Proposal]:
    base: Proposal = {
        "subject": USER,
        "attribute": NOTE,
        "value": text,
        "text": text,
        "message_id": event_id,
        "confidence": 1.0,
        "importance": 0.8,
    }
    if fields:
        unknown = fields.keys() - Proposal.__annotations__.keys()
        if unknown:
            raise BadInput(f"Unknown field {sorted(unknown)[0]!r}. Memory is unchanged; a fact has {sorted(base)}.")
        named: Proposal = {**base, **fields}  # type: ignore[typeddict-item]
        if isinstance(occurred := fields.get("occurred_at"), datetime):
            named["occurred_at"] = _moment("occurred_at", occurred)
        if (until := fields.get("expires_at")) is not None:
            named["expires_at"] = _moment("expires_at", until)
        return [named]
    found = extractor.extract([Utterance(event_id, text, USER, at)]).proposals
    sure: list[Proposal] = [{**p, "confidence": 1.0} for p in found if not p.get("retract")]
    return sure or [base]


def _moment(name: str, given: object) -> str:
    """A time of a zone, or the same in ISO 8601, as a proposal has it."""
    try:
        when = given if isinstance(given, datetime) else datetime.fromisoformat(given)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise BadInput(
            f"{name}={given!r} is no time. Memory is unchanged; give an aware datetime, or one in ISO 8601."
        ) from error
    aware(when, name)
    return when.isoformat()


def _enter(conn: Connection, event_id: str, user_id: str, decisions: Sequence[Decision], t: int) -> list[Memory]:
    origin = Origin(event_id, user_id, moment(t), t)
    facts = []
    for ordinal, decision in enumerate(decisions):
        fact = fact_of(origin, ordinal, decision, speaker="person", extractor="person")
        write_statement(conn, origin, ordinal, fact, decision, by_person=True)
        facts.append(replace(fact, message_ids=()))
    conn.execute(insert(schema.records), [record_row(f, event_id, i) for i, f in enumerate(facts)])
    lineage.begin(conn, event_id, t)
    standings.refold(conn, [event_id], t)
    return facts


def correct(ledger: Ledger, extractor: Extractor, user_id: str, memory_id: str, text: str) -> str:
    """Put a person's words in a fact's place at once; returns the new fact's id. Raises `NotFound`, `BadInput`.

    Words that instruct wait for a release, and the old fact stays until then.
    """
    kept = checked_text(text)
    with ledger.database.write() as conn:
        old = find_memory(conn, user_id, memory_id)
        if old.subject is None or old.attribute is None:
            raise BadInput(
                f"Memory {memory_id} is a {old.kind}: what was said is kept as it was said. Nothing was changed; "
                "forget it instead, or remember the right fact."
            )
        t = tick(conn, ledger.database.clock)
        event_id = stable_id("correct", user_id, memory_id, kept, t)
        found = extractor.extract([Utterance(event_id, kept, USER, moment(t))]).proposals
        same_slot = [p for p in found if (p["subject"], p["attribute"]) == (old.subject, old.attribute)]
        if same_slot and same_slot[0].get("retract"):
            raise BadInput("That says what is no longer true, and puts nothing in its place. Forget the fact instead.")
        value = same_slot[0]["value"] if same_slot else kept
        polarity = same_slot[0].get("polarity", 1) if same_slot else old.polarity
        proposal: Proposal = {
            "subject": old.subject,
            "attribute": old.attribute,
            "value": value,
            "polarity": polarity,
            "text": kept,
            "message_id": event_id,
            "confidence": 1.0,
            "importance": old.importance,
        }
        write_event(conn, event_id, "correct", old, t, kept)
        [held] = holds_for(conn, user_id, [proposal], {})
        decision = Decision("supersede", f"a person corrected: {old.text}", proposal, (old.id,))
        if held:
            decision = Decision("hold", f"would take the place of: {old.text}. {held.why}", proposal, hold=held)
        return _enter(conn, event_id, user_id, [decision], t)[0].id


def forget(ledger: Ledger, user_id: str, memory_id: str) -> None:
    """End a memory, and with a fact the episodes it was read from. What it had superseded stays ended.

    What a summary or a lesson was made of stays. Raises `NotFound`.
    """
    with ledger.database.write() as conn:
        old = find_memory(conn, user_id, memory_id)
        t = tick(conn, ledger.database.clock)
        event_id = stable_id("forget", user_id, memory_id, t)
        write_event(conn, event_id, "forget", old, t, None)
        cited = [old]
        if old.subject is not None and old.attribute is not None:
            cited = _said_the_same(conn, old)
            standings.refold_slots(conn, [(user_id, old.subject, old.attribute)], t)
        if old.kind in ("summary", "lesson"):
            conn.execute(insert(schema.ended).values(record_id=old.id, event_id=event_id, standing="retracted"))
            standings.refold_records(conn, [old.id], t)
        else:
            _end_episodes(conn, event_id, cited, t)


def find_memory(conn: Connection, user_id: str, memory_id: str) -> Memory:
    """One of the user's records. Raises `NotFound`."""
    query = select(schema.records).where(schema.records.c.id == memory_id, schema.records.c.user_id == user_id)
    row = conn.execute(query).mappings().one_or_none()
    if row is None:
        raise NotFound(f"No memory {memory_id!r} was found for this user. Nothing was changed.")
    return memory_of(row)


def write_event(conn: Connection, event_id: str, kind: str, target: Memory, t: int, note: str | None) -> None:
    """Enter what a person did to a memory, with the slot and the value that the fold reads it in."""
    conn.execute(
        insert(schema.events).values(
            id=event_id,
            user_id=target.user_id,
            recorded_at=t,
            kind=kind,
            target=target.id,
            subject=target.subject,
            attribute=target.attribute,
            value=target.value,
            polarity=target.polarity,
            note=note,
        )
    )


def _said_the_same(conn: Connection, fact: Memory) -> list[Memory]:
    """Every record that says what this fact says, whichever message it came from."""
    r = schema.records
    rows = conn.execute(
        select(r).where(r.c.user_id == fact.user_id, r.c.subject == fact.subject, r.c.attribute == fact.attribute)
    ).mappings()
    key = value_key(fact.value or "")
    return [m for m in (memory_of(row) for row in rows) if value_key(m.value or "") == key]


def _cites(conn: Connection, memory: Memory, episode: Memory) -> bool:
    """Whether an episode is the words that a memory was read from: not what the message says on another branch."""
    where = memory.thread_id == episode.thread_id or memory.turn_id == episode.turn_id
    if not where or not set(memory.message_ids) & set(episode.message_ids):
        return False
    on_another_branch, _ = lineage.difference(conn, episode.commit_id, memory.commit_id)
    return not on_another_branch or memory.text == episode.text


def _end_episodes(conn: Connection, event_id: str, cited: Sequence[Memory], t: int) -> None:
    r, m = schema.records, schema.messages
    messages = {(c.thread_id, i) for c in cited for i in c.message_ids if c.thread_id}
    if not messages:
        return
    which = or_(*((m.c.thread_id == thread) & (m.c.message_id == message) for thread, message in sorted(messages)))
    # What was read later than it was said belongs to another turn than its words.
    turns = {c.turn_id for c in cited if c.turn_id} | set(conn.scalars(select(m.c.turn_id).where(which)))
    texts = {c.text for c in cited if c.kind == "episode"}
    mine = and_(r.c.user_id == cited[0].user_id, r.c.kind == "episode")
    found = conn.execute(select(r).where(mine, or_(r.c.turn_id.in_(turns), r.c.text.in_(texts)))).mappings()
    episodes = [memory_of(row) for row in found]
    gone = [e for e in episodes if any(_cites(conn, c, e) for c in cited)]
    if gone:
        rows = [{"record_id": e.id, "event_id": event_id, "standing": "retracted"} for e in gone]
        conn.execute(insert(schema.ended), rows)
    conn.execute(update(m).where(which).values(hidden_by=event_id))
    # A model may have named the conversation by what is forgotten now.
    named = schema.threads
    conn.execute(update(named).where(named.c.thread_id.in_({thread for thread, _ in messages})).values(title=None))
    standings.refold(conn, {e.commit_id for e in gone if e.commit_id}, t)
