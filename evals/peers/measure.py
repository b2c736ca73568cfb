"""Peers measured at one place: what they find, and how long they take to write and to find it.

They are told the same messages and asked the same questions, one after the other, each in a folder of its own that is
gone afterwards. What is written was embedded before; a question is embedded by each. Time is bounded for each peer and
place, once for writing and once for asking; what was not reached is said.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from evals.embedded import SharedEmbedder, SharedEmbeddings
from evals.metrics import Estimate, Hit, score, summarise
from evals.peers import langgraph_stores, mem0_memory, own, plain_bm25
from evals.peers.places import Asked, Place
from evals.peers.protocol import OpenPeer, Peer, Unavailable
from stores.imports import ImportedMessage

PEERS: Final[Mapping[str, OpenPeer]] = {
    "palimpsest": own.Palimpsest,
    "InMemoryStore": langgraph_stores.in_memory,
    "SqliteStore": langgraph_stores.sqlite,
    "langgraph-store-qdrant": langgraph_stores.qdrant_local,
    "langgraph-store-qdrant, Edge": langgraph_stores.qdrant_edge,
    "mem0": mem0_memory.Mem0,
    "BM25": plain_bm25.PlainBm25,
}
"""Ours first, then the others."""

PLACES: Final = 10
"""How many results are asked for."""
MEASURES: Final = ("R@5", "R@10")
_CHUNK = 256

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Outcome:
    """One peer at one place. Without `settings` it could not be opened; `note` says what was not measured, and why.

    `seconds` has p50 and p95 of a question, with and without the time inside the embedder; `write` is the seconds that
    all messages took.
    """

    settings: str = ""
    note: str = ""
    questions: int = 0
    metrics: Mapping[str, Estimate] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    write: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON."""
        return dict(self.__dict__)


def measure(
    open_peer: OpenPeer, place: Place, embedder: SharedEmbedder, *, bound: float, progress: Callable[[int], None]
) -> Outcome:
    """One peer at one place; `bound` is in seconds, and `progress` is told what is done of both."""
    embeddings = embedder.open()
    with TemporaryDirectory(prefix="palimpsest-peer-") as folder:
        try:
            peer = open_peer(Path(folder), embeddings)
        except Unavailable as error:
            return Outcome(note=str(error))
        with closing(peer):
            try:
                began = time.perf_counter()
                written = _write(peer, place, bound, progress)
                write = time.perf_counter() - began
                if written < place.records():
                    note = f"not measured: writing {written:,} of {place.records():,} messages took {write:,.0f} s"
                    return Outcome(peer.settings, note)
                return _ask(peer, place, embeddings, bound, progress, write)
            except Exception as error:  # somebody else's code: what it raises is told, and the others are measured
                return Outcome(peer.settings, f"not measured: it raised {type(error).__name__}: {error}")


def _write(peer: Peer, place: Place, bound: float, progress: Callable[[int], None]) -> int:
    """Tell a peer everything, until the time is over; returns how many messages it was told."""
    began = time.perf_counter()
    written = 0
    for user_id, chunk in _chunks(place.said):
        if time.perf_counter() - began > bound:
            break
        peer.add(user_id, chunk)
        written += len(chunk)
        progress(len(chunk))
    else:
        peer.ready()
    return written


def _chunks(said: Mapping[str, Sequence[ImportedMessage]]) -> Iterator[tuple[str, Sequence[ImportedMessage]]]:
    for user_id, messages in said.items():
        for start in range(0, len(messages), _CHUNK):
            yield user_id, messages[start : start + _CHUNK]


def _ask(
    peer: Peer, place: Place, embeddings: SharedEmbeddings, bound: float, progress: Callable[[int], None], write: float
) -> Outcome:
    scores: list[dict[str, float]] = []
    whole: list[float] = []
    without: list[float] = []
    embeddings.asking = True
    for asked in place.asked:
        if sum(whole) > bound:
            break
        embeddings.seconds = 0.0
        began = time.perf_counter()
        found = peer.search(asked.user_id, asked.text, PLACES, asked.at)
        whole.append(time.perf_counter() - began)
        without.append(whole[-1] - embeddings.seconds)
        scores.append(_score(found, asked, place.item_of))
        progress(1)
    missing = len(place.asked) - len(whole)
    note = f"{len(whole)} of {len(place.asked)} questions: one took {np.median(whole):,.1f} s" if missing else ""
    metrics = {name: one for name, one in summarise(scores).items() if name in MEASURES}
    return Outcome(
        peer.settings, note, len(whole), metrics, {**_times(whole, ""), **_times(without, " without")}, write
    )


def _score(found: Sequence[Sequence[str]], asked: Asked, item_of: Mapping[str, str]) -> dict[str, float]:
    """A message that belongs to no item of the set takes its place and counts for nothing."""
    return score([Hit(tuple(item_of.get(m, m) for m in messages)) for messages in found], asked.gold)


def _times(seconds: Sequence[float], suffix: str) -> dict[str, float]:
    return {f"p{percent}{suffix}": float(np.percentile(seconds, percent)) for percent in (50, 95) if seconds}
