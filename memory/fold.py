"""What is current in a slot: a pure function of its live statements and of people's acts.

A slot is (user, subject, attribute). Statements and acts are taken in order of `at` (when it was said; ledger time
where that is unknown), ties by ledger time and ordinal. Nothing is ever revived by following pointers: when the set of
live commits changes, the slot is folded again and the difference is what opens or closes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod

from memory.attributes import value_key
from memory.record import Standing, Statement


@dataclass(frozen=True)
class Act:
    """An act on a slot: it ends one value (`value`), or everything in the slot where `value` is None.

    With `records`, it is a sweep's, and ends what these very records said: the same value said by others stays.
    """

    event_id: str
    value: str | None
    at: int
    tie: tuple[int, int]
    standing: Standing = "retracted"
    records: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Current:
    """A fact that is true now, and how sure we are after every live statement that said so."""

    record_id: str
    confidence: float
    confirmations: int
    said: tuple[str, ...]


@dataclass(frozen=True)
class Ended:
    """How a statement's record stopped being current, and which record or event ended it."""

    standing: Standing
    by: str


@dataclass(frozen=True)
class Folded:
    """A slot after its fold: what is current, and how everything else ended."""

    current: Mapping[str, Current]
    ended: Mapping[str, Ended]


def noisy_or(confidences: Iterable[float]) -> float:
    """The chance that at least one of independent statements is right: 1 - prod(1 - c). It never falls by adding one.

    Source: Pearl, Probabilistic Reasoning in Intelligent Systems (1988), section 4.3.2.
    """
    return round(1 - prod(1 - c for c in confidences), 6)


def fold(statements: Iterable[Statement], acts: Iterable[Act] = (), *, single: bool) -> Folded:
    """Fold one slot.

    `single`: a new value takes the place of every other one. Otherwise values accumulate, and only the opposite
    polarity of the same value takes its place. The same value said again is a confirmation: the first record stays.
    """
    steps: list[Statement | Act] = [*statements, *acts]
    steps.sort(key=lambda s: (s.at, s.tie))
    open_: dict[str, list[Statement]] = {}
    ended: dict[str, Ended] = {}

    def close(key: str, standing: Standing, by: str) -> None:
        for said in open_.pop(key):
            ended[said.record_id] = Ended(standing, by)

    for step in steps:
        if isinstance(step, Act):
            for key, saying in list(open_.items()):
                gone = [s for s in saying if _ends(step, key, s)]
                ended |= {s.record_id: Ended(step.standing, step.event_id) for s in gone}
                open_[key] = [s for s in saying if s not in gone]
                if not open_[key]:
                    del open_[key]
            continue
        key = value_key(step.value or "")
        if not step.asserts:
            for other in [k for k in open_ if step.value is None or k == key]:
                close(other, "retracted", step.record_id)
            continue
        said = open_.get(key)
        if said and said[0].polarity == step.polarity:
            said.append(step)
            continue
        if said:
            close(key, "superseded", step.record_id)
        if single and step.polarity == 1:
            for other in list(open_):
                close(other, "superseded", step.record_id)
        open_[key] = [step]

    current = {
        said[0].record_id: Current(
            said[0].record_id,
            noisy_or(s.confidence for s in said),
            len(said),
            tuple(s.record_id for s in said),
        )
        for said in open_.values()
    }
    return Folded(current, ended)


def _ends(act: Act, key: str, said: Statement) -> bool:
    if act.records:
        return said.record_id in act.records
    return act.value is None or key == value_key(act.value)
