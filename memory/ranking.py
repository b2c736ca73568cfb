"""Ranking of what recall found: a few signals on one scale, blended by weights that live in one place.

Every result carries its signals and a sentence of reasons. Nothing here searches; it orders what both legs of the
search found, each candidate with its dense similarity and its BM25 score, and its neighbours in the conversation.
`memory.signals` has what each signal says; whether anything found says anything at all is `memory.relevance`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from operator import mul
from typing import Literal

from memory.question import Asked
from memory.reasons import reason_of
from memory.record import Memory
from memory.relevance import Scale, is_relevant
from memory.signals import HALF_LIFE_DAYS, SIGNALS, Candidate, Found, hop, recency
from memory.text import Language, language

Strategy = Literal["hybrid", "semantic", "lexical", "recency", "importance"]
STRATEGIES: tuple[Strategy, ...] = ("hybrid", "semantic", "lexical", "recency", "importance")


@dataclass(frozen=True)
class Weights:
    """What each signal of `memory.signals` counts for; docs/recall.md says how that was chosen and what each brings."""

    words: float = 0.16
    meaning: float = 0.45
    covered: float = 0.55
    window: float = 1.0
    around: float = 0.16
    speaker: float = 0.07
    date: float = 0.3
    question: float = -0.12
    length: float = 0.15
    recent: float = 0.42
    about: float = 0.2
    latest: float = 0.2
    replaced: float = -0.3
    hop: float = 0.35


@dataclass(frozen=True)
class Scored:
    """A candidate with its score (higher is better) and the signals it is made of; its reason in that language.

    What people read of it is made when it is asked for, as most that are ranked never come back.
    """

    candidate: Candidate
    score: float
    parts: Mapping[str, float]
    language: Language

    @property
    def memory(self) -> Memory:
        """What was recalled."""
        return self.candidate.memory

    @property
    def signals(self) -> dict[str, float]:
        """What each signal says, to four places."""
        return {name: round(value, 4) for name, value in self.parts.items()}

    @property
    def reason(self) -> str:
        """Why it was recalled."""
        return reason_of(self.candidate, self.signals, self.language)


def rank(
    candidates: Sequence[Candidate],
    asked: Asked,
    *,
    scale: Scale,
    now: datetime,
    strategy: Strategy = "hybrid",
    weights: Weights | None = None,
    most: int | None = None,
    all_count: bool = False,
) -> list[Scored]:
    """Order candidates, best first; nothing, when none of them says anything about the question.

    With `all_count` there is no threshold: a question that asks for everything said in a time, or for near misses.

    `scale` is the embedder's own: where its cosines begin to mean something. A candidate that no leg scores is here
    for its neighbours alone and is left out. `most` bounds how many come back. The order of the candidates is no
    matter.
    """
    found = Found(sorted(candidates, key=lambda c: c.memory.id), asked, now=now, floor=scale.floor)
    if not candidates or not (all_count or is_relevant(found, scale)):
        return []
    worth = asdict(weights or Weights())
    parts = {name: signal(found) for name, signal in SIGNALS.items() if worth[name]}
    counts = [worth[name] for name in parts]
    scores = [sum(map(mul, counts, values)) for values in zip(*parts.values(), strict=True)]
    if worth["hop"]:
        parts["hop"] = hop(found, scores)
        scores = [score + worth["hop"] * far for score, far in zip(scores, parts["hop"], strict=True)]
    if strategy != "hybrid":
        scores = _by_one(found, strategy)
    kept = [
        i
        for i, score in enumerate(scores)
        if all_count or ((score > 0 or strategy == "hybrid") and (found.words[i] > 0 or found.meaning[i] > 0))
    ]
    scores = [round(score, 6) for score in scores]
    kept.sort(key=lambda i: (-scores[i], -found.memories[i].recorded_at, found.memories[i].id))
    tongue = language(asked.text)
    return [
        Scored(found.candidates[i], scores[i], {name: part[i] for name, part in parts.items()}, tongue)
        for i in kept[:most]
    ]


def _by_one(found: Found, strategy: Strategy) -> list[float]:
    match strategy:
        case "semantic":
            return found.meaning
        case "lexical":
            return found.words
        case "recency":
            return [recency(m, found.now, HALF_LIFE_DAYS) for m in found.memories]
        case _:
            return [m.importance for m in found.memories]
