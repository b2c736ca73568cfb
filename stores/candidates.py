"""What a search of the memory index takes and gives: sparse vectors to ask with, and candidates with both scores."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from memory.record import Memory


class SparseEncoder(Protocol):
    """Turns text into sparse vectors, alike for writing and asking: (indices, weights), without duplicates.

    The document's weights are term frequency saturated and normalised by length (BM25 without its IDF, which Qdrant
    multiplies in); the query's are usually 1. A text without terms gives two empty lists. The terms of one `owner` are
    others than those of the next, so that a search walks no list of somebody else's records. `version` is another when
    the same text has another vector.
    """

    @property
    def version(self) -> str:
        """Which way of making vectors this is."""
        ...

    def document(self, text: str, owner: str) -> tuple[list[int], list[float]]:
        """The vector of a stored text of an owner."""
        ...

    def query(self, text: str, owner: str) -> tuple[list[int], list[float]]:
        """The vector of a question to an owner's texts."""
        ...


class Stored(NamedTuple):
    """What a point keeps: its store key, and the record, which never changes."""

    key: str
    memory: Memory


class RecentlyStored:
    """The points that were read last, at most `most`: to decode one costs Qdrant as much as to score a hundred.

    Thread safe.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._points: OrderedDict[str, Stored] = OrderedDict()
        self._guard = threading.Lock()

    def among(self, ids: Iterable[str]) -> dict[str, Stored]:
        """Those of these points that are known."""
        with self._guard:
            known = {one: self._points[one] for one in ids if one in self._points}
            for one in known:
                self._points.move_to_end(one)
        return known

    def keep(self, points: Mapping[str, Stored]) -> None:
        """Remember points, and let go of those that were not asked for the longest."""
        with self._guard:
            self._points |= points
            while len(self._points) > self._most:
                self._points.popitem(last=False)

    def drop(self, ids: Iterable[str]) -> None:
        """Forget points that were written or deleted."""
        with self._guard:
            for one in ids:
                self._points.pop(one, None)


class Hit(NamedTuple):
    """One point that a search found: its store key, its record, and its score on each leg.

    `dense` is a cosine (-1 to 1, as exactly as vectors are kept), None when that leg was not asked or the point has no
    dense vector yet.
    `bm25` is 0 or more, 0 when no word is shared, None when the question had no words to ask for.
    """

    key: str
    memory: Memory
    dense: float | None
    bm25: float | None


@dataclass(frozen=True)
class Candidates:
    """What `hybrid` found, in the order of the keys; `degraded` says in a sentence what did not work."""

    hits: list[Hit]
    degraded: str | None = None
