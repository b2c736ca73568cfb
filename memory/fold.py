"""What is current in a slot: a pure function of its live statements and of people's acts.

A slot is (user, subject, attribute). Statements and acts are taken in order of `at` (when it was said; ledger time
where that is unknown), ties by ledger time and ordinal. Nothing is ever revived by following pointers: when the set of
live commits changes, the slot is folded again and the difference is what opens or closes.

What is held waits beside the slot, by its content (value and polarity): statements that the guard held until a person
releases that content, and all that say what a person holds. Only people's acts touch what waits, never a sweep; a
release puts it where it would have been from the start.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import prod

from memory.attributes import value_key
from memory.record import MACHINES, Polarity, Standing, Statement

Content = tuple[str, Polarity]
"""What a statement says of its slot: the key of its value, and its polarity."""


@dataclass(frozen=True)
class Act:
    """An act on a slot: what becomes of one value (`value`), or of everything in it where `value` is None.

    `standing` "held" takes a value of a polarity out until the act is taken back, "current" releases what the guard
    held, whenever it was said; any other ends the value, and what waits of it. `polarity` None means either. `waiting`
    ends only what waits (a rejection). An act that came with a statement (`record_id`, a correction) waits when that
    one does. With `records` it is a sweep's and not a person's, and ends what these very records said as far as it
    counts: the same said by others stays, and what waits goes on waiting.
    """

    event_id: str
    value: str | None
    at: int
    tie: tuple[int, int]
    standing: Standing = "retracted"
    polarity: Polarity | None = None
    waiting: bool = False
    record_id: str | None = None
    records: frozenset[str] = frozenset()

    def is_about(self, content: Content) -> bool:
        """Whether the act is about what says this."""
        key, polarity = content
        return (self.value is None or value_key(self.value) == key) and self.polarity in (None, polarity)


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
    """A slot after its fold: what is current, and how everything else ended.

    `held` has the first record of each content that waits, `holds` the events by which people hold contents, also ones
    that nothing says now, and `released` what the guard lets pass since a person released it.
    """

    current: Mapping[str, Current]
    ended: Mapping[str, Ended]
    held: Mapping[Content, str] = field(default_factory=dict)
    holds: Mapping[Content, str] = field(default_factory=dict)
    released: frozenset[Content] = frozenset()


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
    said_all, acted = list(statements), list(acts)
    released = frozenset((value_key(a.value or ""), a.polarity or 1) for a in acted if a.standing == "current")
    guarded = {s.record_id for s in said_all if s.held and content_of(s) not in released}
    steps: list[Statement | Act] = [*said_all, *(a for a in acted if a.record_id not in guarded)]
    steps.sort(key=lambda s: (s.at, s.tie))
    open_: dict[str, list[Statement]] = {}
    waiting: dict[Content, list[Statement]] = {}
    holds: dict[Content, str] = {}
    ended: dict[str, Ended] = {}

    def close(key: str, standing: Standing, by: str) -> None:
        for said in open_.pop(key):
            ended[said.record_id] = Ended(standing, by)

    def sweep(act: Act) -> None:
        for key, saying in list(open_.items()):
            gone = {s.record_id for s in saying} & act.records
            ended.update({record_id: Ended(act.standing, act.event_id) for record_id in gone})
            open_[key] = [s for s in saying if s.record_id not in gone]
            if not open_[key]:
                del open_[key]

    for step in steps:
        if isinstance(step, Act):
            if step.records:
                sweep(step)
                continue
            about = [k for k, said in open_.items() if step.is_about(content_of(said[0]))]
            if step.standing == "held":
                content = (value_key(step.value or ""), step.polarity or 1)
                holds[content] = step.event_id
                for key in about:
                    waiting.setdefault(content, []).extend(open_.pop(key))
            elif step.standing != "current":
                for content in [c for c in {**waiting, **holds} if step.is_about(c)]:
                    holds.pop(content, None)
                    for waited in waiting.pop(content, ()):
                        ended[waited.record_id] = Ended(step.standing, step.event_id)
                for key in about if not step.waiting else ():
                    close(key, step.standing, step.event_id)
            continue
        key = value_key(step.value or "")
        if not step.asserts:
            for other in [k for k in open_ if step.value is None or k == key]:
                if not _outranks(open_[other], step):
                    close(other, "retracted", step.record_id)
            continue
        if step.record_id in guarded or (key, step.polarity) in holds:
            waiting.setdefault((key, step.polarity), []).append(step)
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
    for content, said in waiting.items():
        ended |= {s.record_id: Ended("held", holds.get(content, s.record_id)) for s in said}
    return Folded(current, ended, {c: said[0].record_id for c, said in waiting.items()}, holds, released)


def content_of(said: Statement) -> Content:
    """What a statement says of its slot."""
    return value_key(said.value or ""), said.polarity


def _outranks(said: Iterable[Statement], step: Statement) -> bool:
    """Whether a person said this, and the step that would take its place is no person's."""
    return step.speaker in MACHINES and any(s.speaker not in MACHINES for s in said)
