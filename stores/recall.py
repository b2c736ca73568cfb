"""Recall: from a question to the memories that bear on it, each with its reasons, inside a token budget."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from typing import Any, Final, Literal

from qdrant_client import models

from memory.ranking import Scored
from memory.record import Memory, TokenCounter
from memory.summary import same_words

NOTES_SHARE = 3
"""Summaries and lessons may take one place in this many, and one token."""

LIMIT: Final = 10
MAX_TOKENS: Final = 1024
"""How many memories come back at most, and how many tokens their texts may have together."""

Empty = Literal["nothing stored", "nothing relevant", "filtered out"]


@dataclass(frozen=True)
class Recalled:
    """One recalled memory: its score (higher is better), the signals it is made of, and a sentence saying why."""

    memory: Memory
    score: float
    signals: Mapping[str, float]
    reason: str


@dataclass(frozen=True, repr=False)
class Recall:
    """What a question brought back.

    `empty` says why there is nothing, `degraded` what did not work; `memory_time` is the ledger time it was read at.
    `confirm` are the ids of old facts that matter: to be confirmed before anybody relies on them. `seconds` has "total"
    and "embedding", both in seconds.
    """

    results: tuple[Recalled, ...] = ()
    profile: tuple[Memory, ...] = ()
    empty: Empty | None = None
    degraded: str | None = None
    memory_time: int = 0
    seconds: Mapping[str, float] = field(default_factory=dict)
    confirm: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        found = f"{len(self.results)} results" if self.results else repr(self.empty or self.degraded)
        return f"<Recall: {found}, {len(self.profile)} in the profile>"

    def to_dicts(self) -> list[dict[str, Any]]:
        """One row a result, for a data frame or a table."""
        return [
            {"score": r.score, "text": r.memory.text, "kind": r.memory.kind, "reason": r.reason, **r.signals}
            for r in self.results
        ]

    def to_state(self) -> dict[str, Any]:
        """What the graph's state keeps of it: plain JSON."""
        return {
            "results": [
                {
                    "id": r.memory.id,
                    "kind": r.memory.kind,
                    "text": r.memory.text,
                    "speaker": r.memory.speaker,
                    "said_at": r.memory.said_at.isoformat() if r.memory.said_at else None,
                    "score": r.score,
                    "signals": dict(r.signals),
                    "reason": r.reason,
                    **self._mark(r.memory),
                    **({"past": True} if r.memory.standing == "superseded" else {}),
                }
                for r in self.results
            ],
            "profile": [{"id": m.id, "text": m.text, **self._mark(m)} for m in self.profile],
            "skills": [],
            "empty": self.empty,
            "degraded": self.degraded,
            "memory_time": self.memory_time,
        }

    def _mark(self, memory: Memory) -> dict[str, bool]:
        return {"confirm": True} if memory.id in self.confirm else {}

    def _repr_html_(self) -> str:
        """A table for a notebook."""
        if not self.results:
            return f"<p>{escape(self.empty or 'nothing recalled')}</p>"
        rows = "".join(
            f"<tr><td>{r.score:.3f}</td><td>{escape(r.memory.kind)}</td><td>{escape(r.memory.text)}</td>"
            f"<td>{escape(r.reason)}</td></tr>"
            for r in self.results
        )
        heading = "<tr><th>score</th><th>kind</th><th>memory</th><th>why</th></tr>"
        return f"<table style='text-align: left'>{heading}{rows}</table>"


def conditions(
    t: int,
    now: datetime,
    *,
    past: bool = False,
    kinds: Sequence[str] | None = None,
    thread_id: str | None = None,
    tags: Sequence[str] | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> tuple[models.Filter, bool]:
    """The filter of a recall: what stood at ledger time `t` and had not expired. Also whether anything narrows it.

    With `past` also what newer facts took the place of. The times are excluded rather than asked for, which every
    record of ours has: Qdrant then begins with the user's points and looks at each once (at 6,000 of them 1.6 ms
    instead of 3.8).
    """
    ended: models.Condition = _range("value.end", lte=t)
    if past:
        superseded = models.FieldCondition(key="value.standing", match=models.MatchValue(value="superseded"))
        ended = models.Filter(must=[ended], must_not=[superseded])
    outside: list[models.Condition] = [
        _range("value.start", gt=t),
        ended,
        _range("value.expires_ms", lte=_ms(now)),
    ]
    must: list[models.Condition] = []
    if kinds is not None:
        must.append(models.FieldCondition(key="value.kind", match=models.MatchAny(any=list(kinds))))
    if thread_id is not None:
        must.append(models.FieldCondition(key="value.thread_id", match=models.MatchValue(value=thread_id)))
    if tags is not None:
        must.append(models.FieldCondition(key="value.tags", match=models.MatchAny(any=list(tags))))
    if since is not None:
        must.append(_range("value.said_ms", gte=_ms(since)))
    if until is not None:
        must.append(_range("value.said_ms", lt=_ms(until)))
    return models.Filter(must=must, must_not=outside), bool(must)


def _range(key: str, **bounds: int) -> models.FieldCondition:
    return models.FieldCondition(key=key, range=models.Range(**bounds))


def _ms(when: datetime) -> int:
    return int(when.timestamp() * 1000)


def choose(ranked: Sequence[Scored], *, limit: int, max_tokens: int, count: TokenCounter) -> tuple[Recalled, ...]:
    """The best that fit: a fact and the message it came from do not both take room; a too long text is passed over.

    Summaries and lessons have a third of the room between them, and come after the best of their own sources: they add
    to what was said and never take its place.
    """
    chosen: list[Recalled] = []
    told: set[str] = set()
    left = max_tokens
    notes, note_tokens = max(1, limit // NOTES_SHARE), max_tokens // NOTES_SHARE
    for s in _after_their_sources(ranked):
        if len(chosen) == limit:
            break
        if s.memory.sources:
            tokens = count(s.memory.text)
            repeats = any(same_words(r.memory.text) == same_words(s.memory.text) for r in chosen)
            if repeats or not notes or tokens > min(left, note_tokens):
                continue
            notes, note_tokens, left = notes - 1, note_tokens - tokens, left - tokens
            chosen.append(Recalled(s.memory, s.score, s.signals, s.reason))
            continue
        source = set(s.memory.message_ids)
        whole_message_told = source and source <= told and s.memory.kind in ("fact", "episode")
        tokens = count(s.memory.text)
        if (whole_message_told and _other_kind(s.memory, chosen)) or tokens > left:
            continue
        left -= tokens
        told |= source
        chosen.append(Recalled(s.memory, s.score, s.signals, s.reason))
    return tuple(chosen)


def _after_their_sources(ranked: Sequence[Scored]) -> Iterator[Scored]:
    """The ranking, with the best source of each summary or lesson before it."""
    given: set[str] = set()
    for s in ranked:
        if s.memory.sources and given.isdisjoint(s.memory.sources):
            source = next((r for r in ranked if r.memory.id in s.memory.sources), None)
            if source is not None:
                given.add(source.memory.id)
                yield source
        if s.memory.id not in given:
            given.add(s.memory.id)
            yield s


def _other_kind(memory: Memory, chosen: Sequence[Recalled]) -> bool:
    """Whether its message was told by the other kind already; two passages of one message may both stay."""
    mine = set(memory.message_ids)
    return any(mine & set(r.memory.message_ids) and r.memory.kind != memory.kind for r in chosen)


class Stopwatch:
    """Adds up the seconds spent in named parts of a call."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self.embedding = 0.0

    def seconds(self) -> dict[str, float]:
        """The total so far and the part inside the embedder."""
        return {"total": time.perf_counter() - self._began, "embedding": self.embedding}
