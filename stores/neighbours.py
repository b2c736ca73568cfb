"""Which of what a search found brings its neighbours in conversation, and how these are asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from langgraph.store.qdrant import _filters as filters
from qdrant_client import models

from memory.record import Memory

EXPANDED: Final = 12
"""How many of the best of each leg bring their neighbours; docs/recall.md has what more of them are worth."""


def best(points: Sequence[models.ScoredPoint]) -> list[str]:
    """Those that bring their neighbours; of equals that were found always the same ones."""
    least = points[:EXPANDED][-1].score - 1e-5 if points else 0.0
    order = sorted((-round(point.score, 5), str(point.id)) for point in points if point.score >= least)
    return [pid for _, pid in order[:EXPANDED]]


def these(memories: Iterable[Memory]) -> models.Condition:
    """These records, by their ids rather than the points': Edge takes as long to read those as to search among them."""
    return filters.match_any("value.id", [memory.id for memory in memories])


def beside(memories: Collection[Memory]) -> list[models.Condition]:
    """The records that these name as near, and those that name one of these."""
    if not memories:
        return []
    before = {near for memory in memories for near in memory.near}
    after = filters.match_any("value.near", [memory.id for memory in memories])
    return [after, *([filters.match_any("value.id", list(before))] if before else [])]
