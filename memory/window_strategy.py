"""What to do when a conversation outgrows its part of the context: four strategies over one budget.

`window` keeps the newest messages, `priority` those that are worth most, `summary` sums up what leaves, and `hybrid`
does either: a little over the budget it goes by priority, far over it sums up. No summary is made message by message:
one makes room for the turns to come.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from memory.record import TokenCounter
from memory.tokens import estimate_tokens
from memory.window import Line, Order, choose_window

Strategy = Literal["window", "priority", "summary", "hybrid"]

FAR = 1.25
"""`hybrid` sums up when a conversation is this many times as large as its part of the context."""
KEPT_SHARE = 0.6
"""The share of its part that a conversation has left after a summary."""


def order_of(strategy: Strategy) -> Order:
    """Which messages come first while not all fit."""
    return "priority" if strategy in ("priority", "hybrid") else "newest"


def sums_up(strategy: Strategy) -> bool:
    """Whether what leaves is summed up."""
    return strategy in ("summary", "hybrid")


def leaving(
    lines: Sequence[Line], room: int, most: int, strategy: Strategy, count: TokenCounter = estimate_tokens
) -> list[Line]:
    """The oldest lines, which a summary is to stand for from now on; none when all may stay.

    `room` is what the conversation may use (tokens), `most` how many lines it may have. The last human line and what
    follows it never leave, nor does an exchange in parts: what stays begins where a window of `KEPT_SHARE` of the room
    does, or with a human line.
    """
    if not sums_up(strategy):
        return []
    crowded = len(lines) > most
    limit = FAR if strategy == "hybrid" else 1.0
    if sum(line.tokens for line in lines) <= room * limit and not crowded:
        return []
    kept = set(choose_window(lines, int(room * KEPT_SHARE), count).kept)
    first = next((i for i, line in enumerate(lines) if line.id in kept), len(lines) - 1)
    if crowded:
        humans = [i for i, line in enumerate(lines) if line.role == "human"]
        enough = len(lines) - int(most * KEPT_SHARE)
        first = max(first, next((i for i in humans if i >= enough), max(humans, default=0)))
    return list(lines[:first])
