"""Measures of recall, per question and with their uncertainty over questions. Pure.

Places are those of recalled memories, counted from 1. A memory stands for the items it came from; an item that several
memories stand for counts once, at the best of their places.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

TOKEN_BUDGET = 1024
_CUTOFF = 10


@dataclass(frozen=True)
class Hit:
    """One recalled memory: the items it came from and the tokens of its text."""

    items: tuple[str, ...]
    tokens: int = 0


class Estimate(TypedDict):
    """A mean over questions and the ends of its 95 % interval."""

    value: float
    low: float
    high: float


def places(hits: Sequence[Hit]) -> dict[str, int]:
    """The best place, from 1, of every item that was recalled."""
    found: dict[str, int] = {}
    for place, hit in enumerate(hits, 1):
        for item in hit.items:
            found.setdefault(item, place)
    return found


def score(hits: Sequence[Hit], gold: Collection[str], stale: Collection[str] = ()) -> dict[str, float]:
    """All measures of one question, each from 0 to 1.

    R@k is the share of gold in the first k places, H@k whether any is there, A@k whether all are; MRR is 1 / place of
    the first gold; nDCG@10 has binary gains (Järvelin and Kekäläinen 2002); gold_in_1024 is the share of gold whose
    text lies whole in the first 1,024 tokens recalled. With `stale` also current_before_stale (the current item is
    recalled, and no stale one as early) and current_first (in the first place). Raises ValueError without gold.
    """
    if not gold:
        raise ValueError("a question without gold cannot be scored")
    place = places(hits)
    at = [place.get(item, math.inf) for item in gold]
    first = min(at)
    ideal = sum(1 / math.log2(1 + i) for i in range(1, min(len(gold), _CUTOFF) + 1))
    gained = sum(1 / math.log2(1 + p) for p in at if p <= _CUTOFF)
    scores = {
        **{f"R@{k}": sum(p <= k for p in at) / len(at) for k in (5, 10)},
        **{f"H@{k}": float(first <= k) for k in (5, 10)},
        "A@10": float(max(at) <= 10),
        "MRR": 1 / first,
        # One memory may stand for several gold items, which the ideal order does not foresee.
        "nDCG@10": min(1.0, gained / ideal),
        "gold_in_1024": len(set(gold) & _within(hits, TOKEN_BUDGET)) / len(at),
    }
    if stale:
        scores["current_before_stale"] = float(first < min(place.get(item, math.inf) for item in stale))
        scores["current_first"] = float(first == 1)
    return scores


def _within(hits: Sequence[Hit], budget: int) -> set[str]:
    found: set[str] = set()
    for hit in hits:
        budget -= hit.tokens
        if budget < 0:
            break
        found.update(hit.items)
    return found


def interval(values: Sequence[float], *, resamples: int = 2000, seed: int = 0) -> Estimate:
    """The mean and its percentile bootstrap interval (Efron 1979) over questions; the same values give the same one.

    Raises ValueError without values.
    """
    if not values:
        raise ValueError("no values to average")
    sample = np.asarray(values, dtype=np.float64)
    chosen = np.random.default_rng(seed).integers(len(sample), size=(resamples, len(sample)))
    low, high = np.percentile(sample[chosen].mean(axis=1), [2.5, 97.5])
    return {"value": float(sample.mean()), "low": float(low), "high": float(high)}


def summarise(scores: Sequence[Mapping[str, float]]) -> dict[str, Estimate]:
    """Each measure over the questions that have it, in the order of first appearance."""
    names = dict.fromkeys(name for one in scores for name in one)
    return {name: interval([one[name] for one in scores if name in one]) for name in names}
