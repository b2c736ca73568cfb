"""Ranking of what recall found: a few signals on one scale, blended by weights that live in one place.

Every result carries its signals and a sentence of reasons. Nothing here searches; it orders what both legs of the
search found, each candidate with its dense similarity and its BM25 score, and its neighbours in the conversation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.record import Memory

Strategy = Literal["hybrid", "semantic", "lexical", "recency", "importance"]
STRATEGIES: tuple[Strategy, ...] = ("hybrid", "semantic", "lexical", "recency", "importance")


@dataclass(frozen=True)
class Weights:
    """What each signal is worth. `near` and `far` are for the messages one and two steps before and after."""

    lexical: float = 0.6
    semantic: float = 0.4
    near: float = 0.3
    far: float = 0.15
    recency: float = 0.02
    importance: float = 0.02
    half_life_days: float = 30.0


@dataclass(frozen=True)
class Candidate:
    """One memory that either leg found, or that stands beside one in its conversation."""

    memory: Memory
    dense: float | None
    bm25: float | None


@dataclass(frozen=True)
class Scored:
    """A candidate with its score (higher is better), the signals it is made of, and why it was recalled."""

    memory: Memory
    score: float
    signals: Mapping[str, float]
    reason: str


def rank(
    candidates: Sequence[Candidate],
    *,
    threshold: float,
    now: datetime,
    strategy: Strategy = "hybrid",
    weights: Weights | None = None,
    most: int | None = None,
) -> list[Scored]:
    """Order candidates, best first; nothing, when none of them says anything about the question.

    `threshold` is the embedder's own: unless some candidate reaches that similarity or shares a word, nothing is
    relevant. Once something is, similarity counts from half of it up, where unrelated texts end and paraphrases begin.
    A candidate that no leg scores is here for its neighbours alone and is left out. `most` bounds how many come back.
    """
    w = weights or Weights()
    if not any((c.bm25 or 0.0) > 0 or (c.dense or 0.0) >= threshold for c in candidates):
        return []
    lexical = _scaled({c.memory.id: c.bm25 or 0.0 for c in candidates})
    semantic = _scaled({c.memory.id: max(0.0, (c.dense or 0.0) - threshold / 2) for c in candidates})
    own = {i: w.lexical * lexical[i] + w.semantic * semantic[i] for i in lexical}
    around = _around(candidates, own, w)
    fresh = {c.memory.id: recency(c.memory, now, w.half_life_days) for c in candidates}
    parts = {"lexical": lexical, "semantic": semantic, "neighbours": around, "recency": fresh}

    def score(m: Memory) -> float:
        if strategy == "hybrid":
            return own[m.id] + around[m.id] + w.recency * fresh[m.id] + w.importance * m.importance
        return m.importance if strategy == "importance" else parts[strategy][m.id]

    scores = {c.memory.id: round(score(c.memory), 6) for c in candidates if own[c.memory.id] > 0}
    found = [c for c in candidates if scores.get(c.memory.id, 0.0) > 0]
    found.sort(key=lambda c: (-scores[c.memory.id], -c.memory.recorded_at, c.memory.id))
    return [_scored(c, scores[c.memory.id], parts) for c in found[:most]]


def _scored(c: Candidate, score: float, parts: Mapping[str, Mapping[str, float]]) -> Scored:
    signals = {name: round(part[c.memory.id], 4) for name, part in parts.items()}
    signals["importance"] = c.memory.importance
    return Scored(c.memory, score, signals, _reason(signals, c))


def _scaled(raw: Mapping[str, float]) -> dict[str, float]:
    """Each score as a share of the best: a leg gives nothing to what it scores 0."""
    best = max(raw.values(), default=0.0)
    return {k: v / best if best > 0 else 0.0 for k, v in raw.items()}


def _around(candidates: Sequence[Candidate], own: Mapping[str, float], w: Weights) -> dict[str, float]:
    """What the messages just before and after lend to each: an answer is found by its question, and the reverse."""
    steps = (w.near, w.far)
    lent = dict.fromkeys(own, 0.0)
    for c in candidates:
        for step, before in zip(steps, reversed(c.memory.near), strict=False):
            if before in own:
                lent[c.memory.id] += step * own[before]
                lent[before] += step * own[c.memory.id]
    return lent


def recency(memory: Memory, now: datetime, half_life_days: float) -> float:
    """1 for what was said just now, halved every half-life; 0.5 where the time is unknown.

    Exponential forgetting; source: Ebbinghaus's curve as used by Park et al., Generative Agents (2023), section 4.1.
    """
    if memory.said_at is None:
        return 0.5
    age = max(0.0, (now - memory.said_at).total_seconds() / 86400)
    return float(0.5 ** (age / half_life_days))


def _reason(signals: Mapping[str, float], candidate: Candidate) -> str:
    parts = []
    if signals["lexical"] > 0:
        parts.append(f"shares words (BM25 {candidate.bm25:.2f})")
    if signals["semantic"] > 0:
        parts.append(f"cosine {candidate.dense:.2f} in meaning")
    if signals["neighbours"] > 0:
        parts.append("its neighbours in the conversation match")
    return "; ".join(parts)
