"""What a proposal does to what is known: add, confirm, supersede, retract, hold or ignore, each with its reason.

The label tells people what happened; what is current is always decided by `memory.fold`. Facts compare by
(subject, attribute, value) and polarity, never by the closeness of their vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memory.attributes import is_single, value_key
from memory.record import Memory, Polarity, Proposal

Op = Literal["add", "confirm", "supersede", "retract", "hold", "ignore"]
Slot = tuple[str, str]

LEAST_CONFIDENCE = 0.3
"""A proposal below this is a guess, and guesses are not kept."""


@dataclass(frozen=True)
class Hold:
    """Why a proposal waits for a person. `guard`: because of its words; else a person holds what it says.

    `waiting` is the record that says the same and waits already.
    """

    why: str
    guard: bool = True
    waiting: str | None = None


@dataclass(frozen=True)
class Decision:
    """What becomes of one proposal; `touches` are the ids of the facts that it confirms or ends.

    `hold` says why it waits for a person instead of counting: it is a "hold", or confirms what waits already.
    """

    op: Op
    reason: str
    proposal: Proposal
    touches: tuple[str, ...] = ()
    hold: Hold | None = None


@dataclass
class _Known:
    record_id: str
    text: str
    key: str
    polarity: Polarity


def decide(
    proposals: Sequence[Proposal], current: Mapping[Slot, Iterable[Memory]], holds: Sequence[Hold | None] = ()
) -> list[Decision]:
    """Decide each proposal in order against the current facts of its slot, and against those before it.

    `holds` says of each proposal why it is held, if it is: such a one changes nothing that is current.
    """
    known = {
        slot: [_Known(m.id, m.text, value_key(m.value or ""), m.polarity) for m in facts]
        for slot, facts in current.items()
    }
    return [
        _held(p, hold) if hold else _decide(p, known.setdefault((p["subject"], p["attribute"]), []))
        for p, hold in zip(proposals, holds or [None] * len(proposals), strict=True)
    ]


def _useless(proposal: Proposal) -> str | None:
    if not (proposal.get("value") or "").strip():
        return "it has no value"
    return f"confidence below {LEAST_CONFIDENCE}" if proposal.get("confidence", 1.0) < LEAST_CONFIDENCE else None


def _held(proposal: Proposal, hold: Hold) -> Decision:
    if why := _useless(proposal):
        return Decision("ignore", why, proposal)
    if hold.waiting:
        return Decision("confirm", f"said again, and waits for a person. {hold.why}", proposal, (hold.waiting,), hold)
    return Decision("hold", f"waits for a person. {hold.why}", proposal, (), hold)


def _decide(proposal: Proposal, known: list[_Known]) -> Decision:
    value = (proposal.get("value") or "").strip()
    key = value_key(value)
    polarity = proposal.get("polarity", 1)
    if proposal.get("retract"):
        gone = [k for k in known if not value or k.key == key]
        for k in gone:
            known.remove(k)
        what = "; ".join(k.text for k in gone) if gone else "nothing that was known"
        return Decision("retract", f"no longer true: {what}", proposal, tuple(k.record_id for k in gone))
    if why := _useless(proposal):
        return Decision("ignore", why, proposal)
    same = [k for k in known if k.key == key]
    if any(k.polarity == polarity for k in same):
        return Decision("confirm", "said again", proposal, tuple(k.record_id for k in same))
    gone = [k for k in known if k.key != key] if is_single(proposal["attribute"]) and polarity == 1 else []
    gone += same
    for k in gone:
        known.remove(k)
    known.append(_Known("", proposal["text"], key, polarity))
    if gone:
        return Decision(
            "supersede",
            f"takes the place of: {'; '.join(k.text for k in gone)}",
            proposal,
            tuple(k.record_id for k in gone),
        )
    return Decision("add", "new", proposal)
