"""Forgetting: how strong a memory still is, and what a sweep ends, with its reasons.

A memory's strength halves with every half-life since it was last used (Ebbinghaus's curve, as in `memory.ranking`). It
is worked out when asked, from base values and times, and stored nowhere, so it cannot compound.

Everything that a sweep does falls due at a moment of its own that no sweep changes. Sweeping daily, once a month or
once leaves the same, with the same reasons, as long as nothing is said or recalled in between: duplicates and what
goes beyond the capacity are judged as of when memory last grew, and what fades as of now.

This module ends nothing; it reads no ledger and no clock.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf, log2
from typing import Literal

from memory.record import OPEN, Kind, Standing

DAY = 86_400_000
"""Milliseconds."""

UNCHANGING = frozenset(
    ("name", "surname", "birthday", "birth_year", "birthplace", "hometown", "blood_type", "father", "mother")
)
"""Attributes that do not change: a fact about one of them is never doubted for its age."""

Why = Literal["merged", "capacity", "expired", "unused", "faded"]


@dataclass(frozen=True)
class Forgetting:
    """The settings of forgetting.

    `half_life_days` is how long it takes a memory to lose half its strength since it was last used. What was used
    leaves when its strength falls below `floor` (0 to 1), what never was when it is `age_days` old, and nothing leaves
    younger than that. At most `capacity` memories of one user stay, the strongest. Facts at least as important as
    `spare_importance` matter: they never fade, but are marked as needing confirmation when others would.
    """

    half_life_days: float = 30.0
    floor: float = 0.1
    age_days: float = 90.0
    capacity: int = 50_000
    spare_importance: float = 0.7


@dataclass(frozen=True, slots=True)
class Trace:
    """What forgetting must know of a memory. Times are milliseconds.

    `said` is when it was last said (or brought back by a person), `used` when it was last recalled, `expires` when it
    stops being true. Two traces of equal `says` say the same; None says what nothing else does. `attribute` is a
    fact's.
    """

    id: str
    kind: Kind
    importance: float
    said: int
    used: int | None = None
    expires: int | None = None
    says: Hashable = None
    attribute: str | None = None

    @property
    def last(self) -> int:
        """When it was last said or used."""
        return self.said if self.used is None else max(self.said, self.used)


@dataclass(frozen=True, slots=True)
class Ending:
    """One memory that a sweep ends: why, as a word and as a sentence, and for a duplicate the id of what stays for it.

    When that leaves with its branch, or is undone, the duplicate is there again; one that is due itself has no such id.
    """

    trace: Trace
    why: Why
    reason: str
    kept: str | None = None

    @property
    def standing(self) -> Standing:
        """How it stands afterwards."""
        return "superseded" if self.why == "merged" else "expired"


def strength(trace: Trace, now: int, settings: Forgetting) -> float:
    """0 to 1: its importance, halved with each half-life since it was last said or used."""
    days = max(0, now - trace.last) / DAY
    return trace.importance * float(0.5 ** (days / settings.half_life_days))


def fades(trace: Trace, settings: Forgetting) -> int:
    """When it is no longer strong enough to stay, in milliseconds.

    What was used falls below the floor then; what never was has reached its age. Using a memory never shortens its
    life.
    """
    by_age = trace.said + round(settings.age_days * DAY)
    if trace.used is None or trace.importance <= settings.floor:
        return by_age
    lasts = settings.half_life_days * log2(trace.importance / settings.floor)
    return max(by_age, trace.last + round(lasts * DAY))


def matters(trace: Trace, settings: Forgetting) -> bool:
    """Whether it is a fact too important to leave because nobody asked."""
    return trace.kind == "fact" and trace.importance >= settings.spare_importance


def needs_confirming(trace: Trace, now: int, settings: Forgetting) -> bool:
    """Whether it is an old fact that matters: kept, but to be confirmed before anybody relies on it."""
    return matters(trace, settings) and trace.attribute not in UNCHANGING and fades(trace, settings) <= now


def due(trace: Trace, settings: Forgetting) -> int:
    """When a sweep may end it, in milliseconds; `OPEN` for never."""
    return min(OPEN if trace.expires is None else trace.expires, _faded_at(trace, settings))


def _faded_at(trace: Trace, settings: Forgetting) -> int:
    return OPEN if matters(trace, settings) else fades(trace, settings)


def plan(traces: Collection[Trace], now: int, settings: Forgetting) -> list[Ending]:
    """What a sweep at `now` ends of one user's current memories, each memory once, oldest first.

    Of those that say the same, the one that would last longest stays.
    """
    endings = _duplicates(traces, now, settings)
    gone = {e.trace.id for e in endings}
    left = [t for t in traces if t.id not in gone]
    beyond = _beyond_capacity(left, now, settings)
    gone = {e.trace.id for e in beyond}
    ended = [_ending(t, settings) for t in left if t.id not in gone and due(t, settings) <= now]
    return sorted([*endings, *beyond, *ended], key=lambda e: (e.trace.said, e.trace.id))


def _duplicates(traces: Collection[Trace], now: int, settings: Forgetting) -> list[Ending]:
    groups: dict[Hashable, list[Trace]] = {}
    for trace in traces:
        if trace.says is not None:
            groups.setdefault(trace.says, []).append(trace)
    endings = []
    for same in groups.values():
        kept = max(same, key=lambda t: (due(t, settings), t.last, t.said, t.id))
        reason = f"says the same as {kept.id[:8]}, which lasts longer"
        # One that would end by itself does not come back with what becomes of the other.
        endings += [
            Ending(t, "merged", reason, kept.id if due(t, settings) > now else None) for t in same if t is not kept
        ]
    return endings


def _beyond_capacity(traces: Sequence[Trace], now: int, settings: Forgetting) -> list[Ending]:
    """The weakest of too many.

    Strengths fall by the same factor, so their order never changes; what is compared is the logarithm. How many there
    are is counted as of when memory last grew: a sweep right then would have found them, and a later one ends the same.
    """
    grown = max((t.last for t in traces), default=0)
    there = [t for t in traces if due(t, settings) > grown] if grown <= now else []
    over = len(there) - settings.capacity
    if over <= 0:
        return []
    reason = f"among the weakest of more than {settings.capacity} memories"
    return [Ending(t, "capacity", reason) for t in sorted(there, key=lambda t: _order(t, settings))[:over]]


def _order(trace: Trace, settings: Forgetting) -> tuple[bool, float, int, str]:
    weight = log2(trace.importance) if trace.importance > 0 else -inf
    return matters(trace, settings), weight + trace.last / (settings.half_life_days * DAY), trace.said, trace.id


def _ending(trace: Trace, settings: Forgetting) -> Ending:
    faded = _faded_at(trace, settings)
    if trace.expires is not None and trace.expires <= faded:
        return Ending(trace, "expired", f"its time ran out on {_day(trace.expires)}")
    if trace.used is None:
        return Ending(trace, "unused", f"never used in the {settings.age_days:g} days since {_day(trace.said)}")
    return Ending(trace, "faded", f"not used since {_day(trace.last)}; too weak to stay from {_day(faded)} on")


def _day(t: int) -> str:
    return datetime.fromtimestamp(t / 1000, UTC).date().isoformat()
