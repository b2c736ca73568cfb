"""What a proposal does to what is known, with its reason: add, confirm, supersede, retract, forget, hold or ignore.

The label tells people what happened; what is current is always decided by `memory.fold`. Facts compare by
(subject, attribute, value) and polarity, never by the closeness of their vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memory.attributes import is_single, value_key
from memory.record import MACHINES, USER, Memory, Polarity, Proposal

Op = Literal["add", "confirm", "supersede", "retract", "forget", "hold", "ignore"]
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

    @property
    def asserts(self) -> bool:
        """Whether it says that something is so, and leaves a fact, also one that waits; not when it ends one."""
        return self.op in ("add", "confirm", "supersede", "hold")


@dataclass
class _Known:
    record_id: str
    text: str
    key: str
    polarity: Polarity
    speaker: str


def decide(
    proposals: Sequence[Proposal],
    current: Mapping[Slot, Iterable[Memory]],
    holds: Sequence[Hold | None] = (),
    speakers: Mapping[str, str] | None = None,
) -> list[Decision]:
    """Decide each proposal in order against the current facts of its slot, and against those before it.

    `holds` says of each proposal why it is held, if it is: such a one changes nothing that is current. `speakers` is
    who spoke each message; unless it says otherwise, a person did. The reason that the proposal came with stands after
    the rule's own.
    """
    known = {
        slot: [_Known(m.id, m.text, value_key(m.value or ""), m.polarity, m.speaker) for m in facts]
        for slot, facts in current.items()
    }
    said_by = speakers or {}
    return [
        _held(p, hold)
        if hold
        else _with_its_own_reason(
            _decide(p, known.setdefault((p["subject"], p["attribute"]), []), said_by.get(p["message_id"], USER))
        )
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


def _with_its_own_reason(decision: Decision) -> Decision:
    given = decision.proposal.get("reason")
    return replace(decision, reason=f"{decision.reason} ({given})") if given else decision


def _decide(proposal: Proposal, known: list[_Known], speaker: str) -> Decision:
    value = (proposal.get("value") or "").strip()
    key = value_key(value)
    polarity = proposal.get("polarity", 1)
    if proposal.get("keep"):
        kept = [k for k in known if k.key == key]
        return Decision("ignore", f"stays as it is: {proposal['text']}", proposal, _ids(kept))
    if proposal.get("retract"):
        gone = [k for k in known if not value or k.key == key]
        for k in gone:
            known.remove(k)
        what = _texts(gone) if gone else "nothing that was known"
        if proposal.get("forget") or not value:
            return Decision("forget", f"asked to forget: {what}", proposal, _ids(gone))
        return Decision("retract", f"no longer true: {what}", proposal, _ids(gone))
    if why := _useless(proposal):
        return Decision("ignore", why, proposal)
    same = [k for k in known if k.key == key]
    again = any(k.polarity == polarity for k in same)
    replaced = {value_key(proposal["replaces"])} - {key} if "replaces" in proposal else set()
    if is_single(proposal["attribute"]) and polarity == 1 and not again:
        gone = list(known)
    else:
        gone = [k for k in known if k.key in replaced or (k.key == key and not again)]
    if speaker in MACHINES and (stronger := [k for k in gone if k.speaker not in MACHINES]):
        if again:
            return Decision("confirm", "said again", proposal, _ids(same))
        return Decision("add", f"kept beside what a person said, which stands: {_texts(stronger)}", proposal)
    for k in gone:
        known.remove(k)
    if not again:
        known.append(_Known("", proposal["text"], key, polarity, speaker))
    if gone:
        return Decision("supersede", f"takes the place of: {_texts(gone)}", proposal, _ids(gone))
    if again:
        return Decision("confirm", "said again", proposal, _ids(same))
    return Decision("add", "new", proposal)


def _texts(known: Iterable[_Known]) -> str:
    return "; ".join(k.text for k in known)


def _ids(known: Sequence[_Known]) -> tuple[str, ...]:
    return tuple(k.record_id for k in known)
