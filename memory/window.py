"""What of a conversation the model sees: a token budget by parts, and the messages that fit in their part.

It works on descriptions of messages, not on messages, and knows no chat library. It writes no summary of what it
drops (`memory.summary`), and it never changes a text itself: it says how many characters of it to keep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memory.record import TokenCounter
from memory.tokens import estimate_tokens

Role = Literal["system", "human", "ai", "tool"]
Order = Literal["newest", "priority"]
"""Which messages come first when not all fit: the newest without gaps, or by what they are and how old they are."""

WEIGHTS = {"human": 1.0, "tool result": 0.6, "assistant": 0.5, "tool call": 0.4, "error": 0.2}
"""What a message of a kind is worth at age 0; system text is always kept. A person's words are what a thread is about,
a result may be asked for again, and what failed has been told by then."""
HALF_LIFE = 12
"""Human messages after which a message is worth half."""

_LEAST_CHARS = 40
"""What is kept of a shortened text however small the budget: a question must stay a question."""


@dataclass(frozen=True)
class Line:
    """A message as the window sees it. `calls` are the ids of the tool calls that it makes, `answers` the one that it
    answers; `tokens` is its whole cost: its text by the same counter as `choose_window` gets, and what cannot be cut
    (its calls, the chat format, images). `failed` marks the result of a tool that failed. Ids are unique.
    """

    id: str
    role: Role
    text: str = ""
    tokens: int = 0
    calls: tuple[str, ...] = ()
    answers: str | None = None
    failed: bool = False


@dataclass(frozen=True)
class Window:
    """Ids kept and dropped, both in the conversation's order, and the characters to keep of those too large.

    `broken` are those of the dropped that could not have been kept: calls without results, results without calls.
    """

    kept: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    shortened: Mapping[str, int] = field(default_factory=dict)
    broken: tuple[str, ...] = ()


def plan_context(
    *,
    max_context_tokens: int,
    reserve_output_tokens: int,
    system: int,
    tools: int,
    profile: int,
    recalled: int,
    summary: int,
    history: int,
    skills: int = 0,
    turn: int = 0,
) -> dict[str, int]:
    """What each part may use of the context, given what each would like to (tokens).

    In this order: `reserved` for the answer, `system` and `tools` in full, for they cannot be cut; then `profile`,
    `recalled`, `summary` and `skills`, together at most half of what is left, so that they never crowd the conversation
    out; `history` gets the rest, up to what it asked for. `skills` come last of the four, and leave the `turn`'s own
    part of the history its room too, so they are the first to go when the budget is short, and the profile is the last.
    `free` is what nobody uses; below 0, the fixed parts alone are too large by so much.

    Raises ValueError for a negative number.
    """
    asked = (system, tools, profile, recalled, summary, history, skills, turn)
    if min(max_context_tokens, reserve_output_tokens, *asked) < 0:
        raise ValueError("token counts cannot be negative")
    left = max(0, max_context_tokens - reserve_output_tokens - system - tools)
    parts = {"reserved": reserve_output_tokens, "system": system, "tools": tools}
    half = left // 2
    for part, wanted in (("profile", profile), ("recalled", recalled), ("summary", summary)):
        parts[part] = min(wanted, half)
        half -= parts[part]
        left -= parts[part]
    parts["skills"] = min(skills, half, max(0, left - turn))
    left -= parts["skills"]
    parts["history"] = min(history, left)
    return parts | {"free": max_context_tokens - sum(parts.values())}


def choose_window(
    lines: Sequence[Line], budget: int, count: TokenCounter = estimate_tokens, *, order: Order = "newest"
) -> Window:
    """The lines that fit in `budget` tokens: the newest, without gaps, or those that are worth most (`order`).

    - A tool exchange (a message that calls, and the results) is kept or dropped whole. A result without its call is
      dropped, and so is a call without all its results, unless the conversation ends with it: then it is kept.
    - System lines, the last human line and the exchange that the conversation ends with are always kept. When these
      are too large, the longest of the latter two are shortened, evenly; `count` says how large a shortened text is.
    - What is kept starts at a human line wherever there is one.
    - By priority, the turn that runs comes before all others; then kind and age decide (`WEIGHTS`, `HALF_LIFE`), and
      what does not fit leaves its room to what is worth less.

    The budget is exceeded only by what cannot be cut: system lines, the cost of calls, 40 characters of a text.
    """
    units = _units(lines)
    last_human = max((i for i, line in enumerate(lines) if line.role == "human"), default=-1)
    system = {i for i, line in enumerate(lines) if line.role == "system"}
    pinned = {i for unit in _open_end(lines, units, last_human) for i in unit} | ({last_human} - {-1})

    room = budget - sum(lines[i].tokens for i in system)
    shortened = _shorten_largest([lines[i] for i in sorted(pinned)], room, count)
    room = -1 if shortened else room - sum(lines[i].tokens for i in pinned)
    others = [unit for unit in units if unit[0] not in pinned and unit[0] not in system]
    chosen = (_newest if order == "newest" else _worthiest)(lines, others, room)
    while chosen and chosen[-1][0] < last_human and lines[chosen[-1][0]].role != "human":
        chosen.pop()
    kept = {i for unit in chosen for i in unit} | pinned | system
    whole = {i for unit in units for i in unit}
    return Window(
        kept=tuple(line.id for i, line in enumerate(lines) if i in kept),
        dropped=tuple(line.id for i, line in enumerate(lines) if i not in kept),
        shortened=shortened,
        broken=tuple(line.id for i, line in enumerate(lines) if i not in whole and i not in kept),
    )


def shorten(text: str, chars: int) -> str:
    """`chars` characters of the text, two thirds from its head and the rest from its tail, and a mark between them.

    A text that is not longer comes back as it is. The mark adds to `chars`: 〔已截短〕 in a text with Chinese in what
    is kept, [shortened] in others.
    """
    if len(text) <= chars:
        return text
    tail = chars // 3
    head, rest = text[: chars - tail].rstrip(), text[len(text) - tail :].lstrip() if tail else ""
    chinese = any("\u4e00" <= c <= "\u9fff" for c in head + rest)
    return head + ("…〔已截短〕…" if chinese else " … [shortened] … ") + rest


def fit_chars(text: str, tokens: int, count: TokenCounter = estimate_tokens) -> int:
    """How many characters `shorten` may keep so that the result has at most so many tokens; at least 40 or all."""
    chars = len(text)
    while chars > _LEAST_CHARS and (size := count(shorten(text, chars))) > tokens:
        # Aim where the density of the text says, a little below; each round removes at least a tenth.
        chars = max(_LEAST_CHARS, min(chars * 9 // 10, chars * max(tokens, 0) // size))
    return chars


def _newest(lines: Sequence[Line], units: Sequence[tuple[int, ...]], room: int) -> list[tuple[int, ...]]:
    """The newest units that fit, up to the first that does not; the newest first."""
    chosen = []
    for unit in sorted(units, reverse=True):
        room -= sum(lines[i].tokens for i in unit)
        if room < 0:
            break
        chosen.append(unit)
    return chosen


def _worthiest(lines: Sequence[Line], units: Sequence[tuple[int, ...]], room: int) -> list[tuple[int, ...]]:
    """The units that are worth most and fit; the newest first."""
    ages, age = [0] * len(lines), 0
    for i in range(len(lines) - 1, -1, -1):
        ages[i] = age + (lines[i].role == "human")
        age = ages[i]

    def rank(unit: tuple[int, ...]) -> tuple[bool, float, int]:
        worth = _weight([lines[i] for i in unit]) * 0.5 ** (ages[unit[0]] / HALF_LIFE)
        return ages[unit[0]] > 0, -worth, -unit[0]

    chosen = []
    for unit in sorted(units, key=rank):
        tokens = sum(lines[i].tokens for i in unit)
        if tokens <= room:
            chosen.append(unit)
            room -= tokens
    return sorted(chosen, reverse=True)


def _weight(unit: Sequence[Line]) -> float:
    """What an exchange is worth is what the best of its messages is; with a failure and no other result, little."""
    results = [line for line in unit if line.role == "tool"]
    if results and all(line.failed for line in results):
        return WEIGHTS["error"]
    return max(WEIGHTS[_kind(line)] for line in unit)


def _kind(line: Line) -> str:
    if line.role == "tool":
        return "error" if line.failed else "tool result"
    if line.role == "ai":
        return "tool call" if line.calls else "assistant"
    return "human"


def _units(lines: Sequence[Line]) -> list[tuple[int, ...]]:
    """Indices of lines that stand and fall together, a unit headed by its first; what fits nowhere is left out.

    An id may be used again later in a conversation, so a result belongs to the latest call of that id before it.
    """
    members: dict[int, list[int]] = {}
    caller: dict[str, int] = {}
    for i, line in enumerate(lines):
        if line.role != "tool":
            members[i] = [i]
            caller.update(dict.fromkeys(line.calls, i))
        elif line.answers in caller:
            members[caller[line.answers]].append(i)
    last_speaker = max(members, default=-1)
    return [tuple(unit) for head, unit in members.items() if head == last_speaker or not _unanswered(lines, unit)]


def _unanswered(lines: Sequence[Line], unit: Sequence[int]) -> set[str]:
    return set(lines[unit[0]].calls) - {str(lines[i].answers) for i in unit[1:]}


def _open_end(lines: Sequence[Line], units: Sequence[tuple[int, ...]], last_human: int) -> list[tuple[int, ...]]:
    """The exchanges that the model must see to go on with its turn: nothing but results has come after their calls."""
    last_speaker = max((i for i, line in enumerate(lines) if line.role != "tool"), default=-1)
    return [
        unit
        for unit in units
        if unit[0] > last_human and lines[unit[0]].calls and (unit[-1] > last_speaker or unit[0] == last_speaker)
    ]


def _shorten_largest(lines: Sequence[Line], room: int, count: TokenCounter) -> dict[str, int]:
    """Characters to keep of the largest lines so that all fit: each gets the same share, and the small leave theirs."""
    shortened: dict[str, int] = {}
    for left, line in zip(range(len(lines), 0, -1), sorted(lines, key=lambda line: line.tokens), strict=True):
        share = max(0, room) // left
        if line.tokens > share:
            fixed = max(0, line.tokens - count(line.text))
            chars = fit_chars(line.text, share - fixed, count)
            if chars < len(line.text):
                shortened[line.id] = chars
                room -= fixed + count(shorten(line.text, chars))
                continue
        room -= line.tokens
    return shortened
