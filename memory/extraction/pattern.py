"""The form of a rule: what a clause must say after its subject, and the facts that it then states."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from memory.record import Polarity

Check = Literal[
    "text",
    "plain",
    "name",
    "place",
    "number",
    "id",
    "tool",
    "organisation",
    "occupation",
    "school",
    "thing",
    "doing",
    "origin",
    "job",
    "major",
    "breed",
    "allergen",
    "id5",
    "age",
    "food",
    "place_or_firm",
    "known",
    "no_place",
    "trade",
    "work",
]


class Lazy:
    """A pattern that is compiled when it is first used: the rules are many, and importing them should cost nothing."""

    def __init__(self, source: str, flags: re.RegexFlag = re.IGNORECASE) -> None:
        self._source, self._flags = source, flags

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self._source, self._flags)

    def match(self, text: str, start: int = 0, end: int = 1 << 60) -> re.Match[str] | None:
        """As `re.Pattern.match`."""
        return self.pattern.match(text, start, min(end, len(text)))

    def fullmatch(self, text: str, start: int = 0, end: int = 1 << 60) -> re.Match[str] | None:
        """As `re.Pattern.fullmatch`."""
        return self.pattern.fullmatch(text, start, min(end, len(text)))

    def search(self, text: str, start: int = 0, end: int = 1 << 60) -> re.Match[str] | None:
        """As `re.Pattern.search`."""
        return self.pattern.search(text, start, min(end, len(text)))


@dataclass(frozen=True)
class Fact:
    """One fact of a rule.

    `text` is the sentence to store, with `{s}` for the subject and `{v}` for the value. The value is the group `group`
    of the match, seen by the check `check`, or the constant `value`. With `many`, a list states one fact a member.
    `attribute` may name groups of the match in braces.
    """

    attribute: str
    text: str
    group: str = "v"
    value: str | None = None
    polarity: Polarity = 1
    retract: bool = False
    many: bool = False
    check: Check = "text"
    confidence: float = 0.9


@dataclass(frozen=True)
class Rule:
    """A pattern over the rest of a clause, to its very end, and its facts; a match whose values are all refused fails.

    `bare`: may stand in a clause without any subject. `passes_on`: a next clause without subject speaks of the same one. `others`: says so only of somebody else than the speaker.
    """

    lazy: Lazy
    facts: tuple[Fact, ...]
    bare: bool = False
    passes_on: bool = True
    others: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return self.lazy.pattern


def rule(pattern: str, *facts: Fact, bare: bool = False, passes_on: bool = True, others: bool = False) -> Rule:
    """A rule whose pattern reads capitals and small letters alike."""
    return Rule(Lazy(pattern), facts, bare, passes_on, others)


@dataclass(frozen=True)
class Who:
    """A subject: its key in the slot, and how a sentence about it names it."""

    key: str
    shown: str


@dataclass(frozen=True)
class Found:
    """A fact that a clause states, before it becomes a proposal."""

    who: Who
    attribute: str
    value: str | None
    text: str
    polarity: Polarity = 1
    retract: bool = False
    confidence: float = 0.9
    occurred_at: str | None = None
