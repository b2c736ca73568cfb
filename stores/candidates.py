"""What a search of the memory index takes and gives: sparse vectors to ask with, and candidates with both scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


class SparseEncoder(Protocol):
    """Turns text into sparse vectors, alike for writing and asking: (indices, weights), without duplicates.

    The document's weights are term frequency saturated and normalised by length (BM25 without its IDF, which Qdrant
    multiplies in); the query's are usually 1. A text without terms gives two empty lists.
    """

    def document(self, text: str) -> tuple[list[int], list[float]]:
        """The vector of a stored text."""
        ...

    def query(self, text: str) -> tuple[list[int], list[float]]:
        """The vector of a question."""
        ...


@dataclass(frozen=True)
class Hit:
    """One point that a search found: its store key and value, and its score on each leg.

    `dense` is a cosine (-1 to 1), None when the dense leg was not asked or the point has no dense vector yet.
    `bm25` is 0 or more, 0 when no word is shared, None when the question had no words to ask for.
    """

    key: str
    value: dict[str, Any]
    dense: float | None
    bm25: float | None


@dataclass(frozen=True)
class Candidates:
    """What `hybrid` found, in the order of the keys; `degraded` says in a sentence what did not work."""

    hits: list[Hit]
    degraded: str | None = None
