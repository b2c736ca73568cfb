"""What a proposal does to what is known: add, confirm, supersede, retract or ignore, each with its reason.

The label tells people what happened; what is current is always decided by `memory.fold`. Facts compare by
(subject, attribute, value) and polarity, never by the closeness of their vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from memory.attributes import is_single, value_key
from memory.record import Memory, Polarity, Proposal

Op = Literal["add", "confirm", "supersede", "retract", "ignore"]
Slot = tuple[str, str]

LEAST_CONFIDENCE = 0.3
"""A proposal below this is a guess, and guesses are not kept."""


@dataclass(frozen=True)
class Decision:
    """What becomes of one proposal; `touches` are the ids of the current facts that it confirms or ends."""

    op: Op
    reason: str
    proposal: Proposal
    touches: tuple[str, ...] = ()


@dataclass
class _Known:
    record_id: str
    text: str
    key: str
    polarity: Polarity


def decide(proposals: Iterable[Proposal], current: Mapping[Slot, Iterable[Memory]]) -> list[Decision]:
    """Decide each proposal in order against the current facts of its slot, and against those before it."""
    known = {
        slot: [_Known(m.id, m.text, value_key(m.value or ""), m.polarity) for m in facts]
        for slot, facts in current.items()
    }
    return [_decide(p, known.setdefault((p["subject"], p["attribute"]), [])) for p in proposals]


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
    if not value:
        return Decision("ignore", "it has no value", proposal)
    if proposal.get("confidence", 1.0) < LEAST_CONFIDENCE:
        return Decision("ignore", f"confidence below {LEAST_CONFIDENCE}", proposal)
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
