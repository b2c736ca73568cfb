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


def leaving(lines: Sequence[Line], room: int, strategy: Strategy, count: TokenCounter = estimate_tokens) -> list[Line]:
    """The oldest lines, which a summary is to stand for from now on; none when all may stay.

    `room` is what the conversation may use (tokens). The last human line and what follows it never leave, nor does an
    exchange in parts: what stays begins where a window of `KEPT_SHARE` of the room does.
    """
    limit = {"summary": 1.0, "hybrid": FAR}.get(strategy)
    if limit is None or sum(line.tokens for line in lines) <= room * limit:
        return []
    kept = set(choose_window(lines, int(room * KEPT_SHARE), count).kept)
    first = next((i for i, line in enumerate(lines) if line.id in kept), len(lines) - 1)
    return list(lines[:first])
