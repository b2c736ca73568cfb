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
from memory.record import MACHINES, Standing, Statement


@dataclass(frozen=True)
class Act:
    """A person's act on a slot: it ends one value (`value`), or everything in the slot where `value` is None."""

    event_id: str
    value: str | None
    at: int
    tie: tuple[int, int]
    standing: Standing = "retracted"


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
    polarity of the same value takes its place, and a value that names what it `replaces`. The same value said again is
    a confirmation: the first record stays. What no person said (`MACHINES`) takes no place of what a person did.
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
            for key in [k for k in open_ if step.value is None or k == value_key(step.value)]:
                close(key, step.standing, step.event_id)
            continue
        key = value_key(step.value or "")
        if not step.asserts:
            for other in [k for k in open_ if step.value is None or k == key]:
                if not _outranks(open_[other], step):
                    close(other, "retracted", step.record_id)
            continue
        said = open_.get(key, [])
        again = bool(said) and said[0].polarity == step.polarity
        if single and step.polarity == 1 and not again:
            rivals = list(open_)
        else:
            replaced = {value_key(step.replaces)} - {key} if step.replaces else set()
            rivals = [k for k in open_ if k in replaced or (k == key and not again)]
        stronger = next((k for k in rivals if _outranks(open_[k], step)), None)
        if stronger is None:
            for rival in rivals:
                close(rival, "superseded", step.record_id)
        if again:
            said.append(step)
        elif stronger is None:
            open_[key] = [step]
        else:
            ended[step.record_id] = Ended("superseded", open_[stronger][0].record_id)

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


def _outranks(said: Iterable[Statement], step: Statement) -> bool:
    """Whether a person said this, and the step that would take its place is no person's."""
    return step.speaker in MACHINES and any(s.speaker not in MACHINES for s in said)
