"""The form of a rule: what a clause must say after its subject, and the facts that it then states."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol, TypeVar

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


# A class of Chinese characters has no capitals, and each one that is told to look for them is compiled by going through
# all twenty thousand.
_HAN_CLASS = re.compile(r"\[\^?(?:[^\]\\a-zA-Z]|\\d|A-Za-z)*一-龥(?:[^\]\\a-zA-Z]|\\d|A-Za-z)*\]")


class Lazy:
    """A pattern that is compiled when it is first used: the rules are many, and importing them should cost nothing."""

    def __init__(self, source: str, flags: re.RegexFlag = re.IGNORECASE) -> None:
        self.source, self._flags = source, flags

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(_HAN_CLASS.sub(r"(?-i:\g<0>)", self.source), self._flags)

    def match(self, text: str, start: int = 0, end: int = 1 << 60) -> re.Match[str] | None:
        """As `re.Pattern.match`."""
        return self.pattern.match(text, start, min(end, len(text)))

    def fullmatch(self, text: str, start: int = 0, end: int = 1 << 60) -> re.Match[str] | None:
        """As `re.Pattern.fullmatch`."""
        return self.pattern.fullmatch(text, start, min(end, len(text)))

    def search(self, text: str, start: int = 0, end: int = 1 << 60) -> re.Match[str] | None:
        """As `re.Pattern.search`."""
        return self.pattern.search(text, start, min(end, len(text)))


_LETTER = re.compile("[A-Za-z]")


class Either:
    """A pattern in a Chinese and an English half, of which each is looked for only where the letters of its language are."""

    def __init__(self, zh: str, en: str) -> None:
        self.zh, self.en = Lazy(zh), Lazy(en)

    def search(self, text: str, start: int = 0, end: int = 1 << 60) -> re.Match[str] | None:
        """As `re.Pattern.search`: of the two, the match that begins first."""
        end = min(end, len(text))
        zh = None if text.isascii() else self.zh.pattern.search(text, start, end)
        en = self.en.pattern.search(text, start, end) if _LETTER.search(text, start, end) else None
        return en if zh is None or (en is not None and en.start() < zh.start()) else zh


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


_BRANCHES = re.compile(r"(?:\\.|\[(?:\\.|[^\]\\])*\]|[^\\\[()|])+|[()|]")


def by_initial(alternatives: str) -> str:
    """Pattern text for the same words, each tried only where its first letter stands: a list of hundreds is then read fast.

    Words of one letter keep their order. What begins with no plain letter comes last.
    """
    words, depth = [""], 0
    for part in _BRANCHES.findall(alternatives):
        depth += (part == "(") - (part == ")")
        words = [*words, ""] if part == "|" and not depth else [*words[:-1], words[-1] + part]
    grouped: dict[str, list[str]] = {"": []}
    for word in words:
        plain = word[:1].isalnum() and word[1:2] not in ("?", "*", "+", "{")
        grouped.setdefault(word[0] if plain else "", []).append(word)
    rest = grouped.pop("")
    return "|".join([*(f"{c}(?:{'|'.join(w[1:] for w in group)})" for c, group in grouped.items()), *rest])


class Patterned(Protocol):
    """What has a pattern: a rule, a frame."""

    @property
    def lazy(self) -> Lazy:
        """Its pattern."""


P = TypeVar("P", bound=Patterned)
Gated = tuple[tuple[Lazy | None, tuple[P, ...]], ...]
"""Runs of rules, each behind a gate: a pattern that fits wherever one of theirs does, or none."""
_RUN = 32
_GROUP = re.compile(r"\(\?P<\w+>")


def gated(rules: Sequence[P]) -> Gated[P]:
    """`rules` in their order, in runs: most clauses fit none, and to ask once a run is many times cheaper than once a rule.

    No pattern may refer back to a group of its own; the gates have none.
    """
    runs = [tuple(rules[i : i + _RUN]) for i in range(0, len(rules), _RUN)]
    return tuple((Lazy("|".join(f"(?:{_GROUP.sub('(?:', r.lazy.source)})" for r in run)), run) for run in runs)


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
