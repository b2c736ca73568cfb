"""The signals of ranking: each a pure function from the candidates of one question to a number for each of them.

A signal is 0 where it says nothing; most end at 1. What one counts for is no matter of this module:
`memory.ranking.Weights` has a weight for each, and docs/recall.md what each was measured to be worth. Nothing here
looks at anything but the candidates, the question and the time it is asked at, so the same recall comes out the same
for ever.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property, lru_cache
from typing import NamedTuple

from memory.answers import Wanted, people_in, tells, wanted
from memory.lexical import comparable, needle, query_weights
from memory.question import Asked
from memory.record import Memory

HALF_LIFE_DAYS = 30.0
_NEAR, _FAR = 0.6, 0.4
"""What a word of the question counts for that stands one or two messages away."""
_FARTHER, _AFTER = 0.6, 0.5
"""What the meaning of the second message counts for beside the first, and of those after beside those before."""
_HOPS = 2
"""How many of the best lead to others."""
_BRIDGES = 40
"""How many words of each of them may lead there: a page leads everywhere."""
WHOLE = 1.0
"""What a whole word weighs in a question; less is a part of one."""


class Candidate(NamedTuple):
    """One memory that either leg found, or that stands beside one in its conversation.

    `replaced` marks a message all of whose facts newer ones took the place of.
    """

    memory: Memory
    dense: float | None
    bm25: float | None
    replaced: bool = False


Beside = tuple[int, int, int, int]
"""Places in a list: of the messages one and two before, one and two after; -1 where there is none, which is the place
of what whoever reads the list puts behind its end."""
_ALONE: Beside = (-1, -1, -1, -1)


class Found:
    """The candidates of one question and what several signals read of them; `floor` is that of the scale."""

    def __init__(self, candidates: Sequence[Candidate], asked: Asked, *, now: datetime, floor: float) -> None:
        self.candidates = candidates
        self.memories = [c.memory for c in candidates]
        self.asked = asked
        self.now = now
        self.words = _shares(c.bm25 or 0.0 for c in candidates)
        self.meaning = _shares((c.dense or 0.0) - floor for c in candidates)

    @cached_property
    def texts(self) -> Texts:
        """Every text, for terms to be looked for in."""
        return Texts(m.text for m in self.memories)

    @cached_property
    def question(self) -> Terms:
        """The question's terms in every candidate."""
        return Terms(self.asked.terms, self.texts)

    @cached_property
    def wanted(self) -> tuple[Wanted, ...]:
        """What the question asks of whom."""
        return wanted(self.asked.text)

    @cached_property
    def people(self) -> list[frozenset[str]]:
        """Whom every candidate tells of, where the question asks something of somebody."""
        return [people_in(m.text) if self.wanted else frozenset() for m in self.memories]

    @cached_property
    def telling(self) -> list[bool]:
        """Whether it tells what the question asks for, of whom it asks."""
        return [
            any(one.people & whom and tells(m, one.topics) for one in self.wanted)
            for m, whom in zip(self.memories, self.people, strict=True)
        ]

    @cached_property
    def beside(self) -> list[Beside]:
        """For each candidate the places of the messages one and two before it and one and two after it.

        A fact stands where its message does. In notes of one voice, where nobody answers anybody, none has any.
        """
        speakers = [m.speaker for m in self.memories]
        if len(set(speakers)) == 1:
            return [_ALONE] * len(speakers)
        place = {m.id: i for i, m in enumerate(self.memories)}
        around = [list(_ALONE) for _ in self.memories]
        for i, memory in enumerate(self.memories):
            for nth, near in enumerate(reversed(memory.near[-2:])):
                j = place.get(near)
                if j is not None:
                    around[i][nth], around[j][2 + nth] = j, i
        if any(m.kind == "fact" for m in self.memories):
            said = {_message(m): i for i, m in enumerate(self.memories) if m.kind == "episode"}
            around = [
                around[said.get(_message(m), i)] if m.kind == "fact" else around[i] for i, m in enumerate(self.memories)
            ]
        heard = [*speakers, None]
        return [
            (b, b2, a, a2) if {heard[b], heard[b2], heard[a], heard[a2]} - {mine, None} else _ALONE
            for (b, b2, a, a2), mine in zip(around, speakers, strict=True)
        ]


class _Read(NamedTuple):
    """What several signals read of a text, remembered of the last ones: a memory is a candidate again and again."""

    plain: str
    spaced: str
    asks: float
    length: float


@lru_cache(maxsize=16_384)
def _read(text: str) -> _Read:
    length = min(max((math.log1p(len(text.encode()) / 4) - 2) / 3, 0.0), 1.0)
    return _Read(*comparable(text), asks=float("?" in text or "？" in text), length=length)


class Texts:
    """Several texts to look for terms in."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.read = [_read(text) for text in texts]
        self.plain = [one.plain for one in self.read]
        self._forms = self.plain, [one.spaced for one in self.read]

    def __len__(self) -> int:
        return len(self.plain)

    def holding(self, term: str) -> list[int]:
        """The places of those that hold a term, ascending."""
        form, wanted = needle(term)
        return [i for i, text in enumerate(self._forms[form]) if wanted in text]


class Terms:
    """Weighted terms and the texts that hold them; a term counts the more, the fewer of these texts hold it.

    Its rarity is BM25's IDF (Robertson and Zaragoza 2009) counted over the candidates: what nobody says counts most.
    """

    def __init__(self, terms: Mapping[str, float], texts: Texts) -> None:
        many = len(texts)
        self.held = [0] * many
        """For each text the terms that it holds, as bits in their order."""
        self.weights: list[float] = []
        for bit, (term, weight) in enumerate(terms.items()):
            holders = texts.holding(term)
            for i in holders:
                self.held[i] |= 1 << bit
            self.weights.append(weight * math.log1p((many - len(holders) + 0.5) / (len(holders) + 0.5)))
        self.share: Callable[[int], float] = _Shares(self.weights).__getitem__
        """What some terms, as bits, weigh of all, from 0 to 1."""


class _Shares(dict[int, float]):
    """The share of each set of terms that was asked for: most texts hold the same few."""

    def __init__(self, weights: Sequence[float]) -> None:
        super().__init__({0: 0.0})
        self._weights, self._total = weights, sum(weights)

    def __missing__(self, held: int) -> float:
        some = sum(w for bit, w in enumerate(self._weights) if held >> bit & 1)
        self[held] = share = some / self._total if self._total else 0.0
        return share


def words(found: Found) -> list[float]:
    """BM25 as a share of the best: a leg gives nothing to what it scores 0."""
    return found.words


def meaning(found: Found) -> list[float]:
    """Similarity above that of unrelated texts, as a share of the best."""
    return found.meaning


def covered(found: Found) -> list[float]:
    """How much of the question's words it holds, however often, the rare ones counting most."""
    return [found.question.share(held) for held in found.question.held]


def window(found: Found) -> list[float]:
    """How many more of the question's words the messages around it hold: the answer need not repeat the question."""
    held, share = [*found.question.held, 0], found.question.share
    gained = []
    for mine, (before, before2, after, after2) in zip(held, found.beside, strict=False):
        near = (held[before] | held[after]) & ~mine
        far = (held[before2] | held[after2]) & ~mine & ~near
        gained.append(_NEAR * share(near) + _FAR * share(far))
    return gained


def around(found: Found) -> list[float]:
    """How near the messages around it are in meaning: an answer is found by its question, and the reverse."""
    value = [*found.meaning, 0.0]
    return [
        value[b] + _FARTHER * value[b2] + _AFTER * (value[a] + _FARTHER * value[a2]) for b, b2, a, a2 in found.beside
    ]


def speaker(found: Found) -> list[float]:
    """1 for what the one speaker said whom the question names, -1 for what another did."""
    voices = {m.speaker for m in found.memories} - {"user", "assistant", "tool", "reflection", "person"}
    text = found.asked.text.lower()
    named = [v for v in voices if re.search(rf"(?<![a-z0-9]){re.escape(v.lower())}(?![a-z0-9])", text)]
    if len(named) != 1:
        return [0.0] * len(found.memories)
    return [(1.0 if m.speaker == named[0] else -1.0) if m.speaker in voices else 0.0 for m in found.memories]


def date(found: Found) -> list[float]:
    """1 for what was said in a time that the question names."""
    ranges, days, months = found.asked.ranges, found.asked.days, found.asked.months
    if not (ranges or days or months):
        return [0.0] * len(found.memories)

    def meant(said: datetime) -> bool:
        named = said.month in months or (said.month, said.day) in days
        return named or any(since <= said < until for since, until in ranges)

    return [float(m.said_at is not None and meant(m.said_at)) for m in found.memories]


def question(found: Found) -> list[float]:
    """1 for what asks something: it tells less than an answer does."""
    return [one.asks for one in found.texts.read]


def length(found: Found) -> list[float]:
    """0 for a few words to 1 for a page, by the logarithm: a longer message tells more."""
    return [one.length for one in found.texts.read]


def recent(found: Found) -> list[float]:
    """Recency of what matches in words and in meaning alike: among near-equals the newer one counts."""
    return [
        recency(m, found.now, HALF_LIFE_DAYS) * math.sqrt(w * s) if w and s else 0.0
        for m, w, s in zip(found.memories, found.words, found.meaning, strict=True)
    ]


def about(found: Found) -> list[float]:
    """1 for what tells of somebody of whom something is asked ("my sister"), -1 for what tells of others alone."""
    asked = frozenset().union(*(one.people for one in found.wanted))
    return [(1.0 if whom & asked else -1.0) if whom else 0.0 for whom in found.people]


def latest(found: Found) -> list[float]:
    """1 for the last that tells what is asked for, unless the question is about what was so before.

    None where the question names somebody: there may be two sisters. A question or an answer of ours tells nothing.
    """
    said = [
        m.said_at if told and not asks and m.speaker != "assistant" else None
        for m, told, asks in zip(found.memories, found.telling, question(found), strict=True)
    ]
    last = None if found.asked.past or found.asked.names else max((when for when in said if when), default=None)
    return [float(when is not None and when == last) for when in said]


def replaced(found: Found) -> list[float]:
    """1 for a message whose facts newer ones took the place of, unless the question is about what was so before."""
    return [float(c.replaced and not found.asked.past) for c in found.candidates]


def hop(found: Found, scores: Sequence[float]) -> list[float]:
    """The second hop: how much it shares with the best by `scores`, in words that the question has not.

    "The colleague who likes chess, how tall is he?" finds who likes chess first, and by the name how tall he is.
    """
    best = sorted(range(len(scores)), key=lambda i: -scores[i])[:_HOPS]
    shared = [0.0] * len(scores)
    for i in best:
        if scores[i] <= 0:
            continue
        said = query_weights(found.memories[i].text)
        new = [term for term, weight in said.items() if weight >= WHOLE and term not in found.asked.terms]
        terms = Terms(dict.fromkeys(new[:_BRIDGES], 1.0), found.texts)
        worth, mine = scores[i] / scores[best[0]], _message(found.memories[i])
        for j, held in enumerate(terms.held):
            if held and _message(found.memories[j]) != mine:
                shared[j] = max(shared[j], worth * terms.share(held))
    return shared


SIGNALS: Mapping[str, Callable[[Found], list[float]]] = {
    f.__name__: f
    for f in (
        words,
        meaning,
        covered,
        window,
        around,
        speaker,
        date,
        question,
        length,
        recent,
        about,
        latest,
        replaced,
    )
}
"""Every signal that needs no ranking before it, by the name of its weight; `hop` comes after them."""


def recency(memory: Memory, now: datetime, half_life_days: float) -> float:
    """1 for what was said just now, halved every half-life; 0.5 where the time is unknown.

    Exponential forgetting; source: Ebbinghaus's curve as used by Park et al., Generative Agents (2023), section 4.1.
    """
    if memory.said_at is None:
        return 0.5
    age = max(0.0, (now - memory.said_at).total_seconds() / 86400)
    return float(0.5 ** (age / half_life_days))


def _shares(values: Iterable[float]) -> list[float]:
    """Each value as a share of the best, none below 0."""
    kept = [max(0.0, value) for value in values]
    best = max(kept, default=0.0)
    return [value / best if best > 0 else 0.0 for value in kept]


def _message(memory: Memory) -> tuple[str | None, tuple[str, ...]]:
    return memory.thread_id, memory.message_ids or (memory.id,)
