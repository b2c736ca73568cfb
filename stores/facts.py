"""A proposal that was decided, as a fact record and as a statement of the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert

from memory.deciding import Decision
from memory.record import Memory, stable_id
from memory.text import language
from stores import schema


@dataclass(frozen=True)
class Origin:
    """What a statement comes from: a commit or a person's event, whose memory, when it was said, and ledger time."""

    id: str
    user_id: str
    said_at: datetime | None
    t: int

    @property
    def at(self) -> int:
        """Where the fold puts it: milliseconds of `said_at`, or ledger time where that is unknown."""
        return int(self.said_at.timestamp() * 1000) if self.said_at else self.t


def fact_of(origin: Origin, ordinal: int, decision: Decision, **provenance: Any) -> Memory:
    """The record of a fact that was decided. `provenance` are further fields of `Memory`."""
    proposal = decision.proposal
    span = proposal.get("span")
    return Memory(
        id=stable_id(origin.id, ordinal),
        user_id=origin.user_id,
        kind="fact",
        text=proposal["text"],
        subject=proposal["subject"],
        attribute=proposal["attribute"],
        value=proposal.get("value"),
        polarity=proposal.get("polarity", 1),
        confidence=proposal.get("confidence", 1.0),
        importance=proposal.get("importance", 0.5),
        said_at=origin.said_at,
        occurred_at=proposal.get("occurred_at"),
        expires_at=_moment(proposal.get("expires_at")),
        spans=((span[0], span[1]),) if span else (),
        tags=tuple(proposal.get("tags", ())),
        language=language(proposal["text"]),
        held=decision.hold.why if decision.hold and decision.hold.guard else None,
        recorded_at=origin.t,
        **provenance,
    )


def _moment(text: str | None) -> datetime | None:
    """An aware moment, where the words could be resolved to one; words that could not end nothing."""
    try:
        when = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return when if when and when.tzinfo else None


def write_statement(
    conn: Connection, origin: Origin, ordinal: int, fact: Memory, decision: Decision, *, by_person: bool = False
) -> None:
    """Enter what an origin says about a slot."""
    conn.execute(
        insert(schema.statements).values(
            id=fact.id,
            origin=origin.id,
            user_id=origin.user_id,
            subject=fact.subject,
            attribute=fact.attribute,
            value=fact.value,
            polarity=fact.polarity,
            asserts=decision.asserts,
            by_person=by_person,
            replaces=decision.proposal.get("replaces"),
            op=decision.op,
            reason=decision.reason,
            confidence=fact.confidence,
            at=origin.at,
            recorded_at=origin.t,
            ordinal=ordinal,
        )
    )
