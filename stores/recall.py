"""Recall: from a question to the memories that bear on it, each with its reasons, inside a token budget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from html import escape
from typing import Any, Final

from memory.explaining import Empty, NearMiss, Why
from memory.privacy import redact
from memory.question import Asked, read
from memory.ranking import Scored
from memory.record import Memory, TokenCounter
from memory.summary import same_words
from memory.text import Language, clean, language
from memory.time_filter import SaidRange, said_range
from stores.where import Filters

NOTES_SHARE = 3
"""Summaries and lessons may take one place in this many, and one token."""

YEARS = 5
"""How far back a day without its year is looked for."""

LIMIT: Final = 10
MAX_TOKENS: Final = 1024
"""How many memories come back at most, and how many tokens their texts may have together."""


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

    `empty` says why there is nothing and `advice` the same as a sentence, in the question's language, with what to do;
    `degraded` says what did not work. `within` is the range that the question's own words ("what did I tell you last
    week") bound it to. `near_misses` are what might have been expected and did not come back, when that was asked for.
    `confirm` are the ids of old facts that matter: to be confirmed before anybody relies on them. `memory_time` is the
    ledger time it was read at. `seconds` has "total" and "embedding", both in seconds.
    """

    results: tuple[Recalled, ...] = ()
    profile: tuple[Memory, ...] = ()
    empty: Empty | None = None
    advice: str | None = None
    degraded: str | None = None
    within: SaidRange | None = None
    near_misses: tuple[NearMiss, ...] = ()
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
        """What the graph's state keeps of it: plain JSON, of the signals those that said something."""
        return {
            "results": [
                {
                    "id": r.memory.id,
                    "kind": r.memory.kind,
                    "text": r.memory.text,
                    "speaker": r.memory.speaker,
                    "said_at": r.memory.said_at.isoformat() if r.memory.said_at else None,
                    "score": r.score,
                    "signals": {name: round(value, 3) for name, value in r.signals.items() if value},
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
            **({"within": self.within.to_dict()} if self.within else {}),
        }

    def _mark(self, memory: Memory) -> dict[str, bool]:
        return {"confirm": True} if memory.id in self.confirm else {}

    def _repr_html_(self) -> str:
        """A table for a notebook, and one of the near misses below it."""
        return self._results_html() + self._near_html()

    def _results_html(self) -> str:
        if not self.results:
            return f"<p>{escape(self.advice or self.empty or 'nothing recalled')}</p>"
        rows = "".join(
            f"<tr><td>{r.score:.3f}</td><td>{escape(r.memory.kind)}</td><td>{escape(r.memory.text)}</td>"
            f"<td>{escape(r.reason)}</td></tr>"
            for r in self.results
        )
        heading = "<tr><th>score</th><th>kind</th><th>memory</th><th>why</th></tr>"
        within = f"<p>{escape(self.within.sentence('en'))}</p>" if self.within else ""
        return f"{within}<table style='text-align: left'>{heading}{rows}</table>"

    def _near_html(self) -> str:
        if not self.near_misses:
            return ""
        rows = "".join(
            f"<tr><td>{escape(n.why)}</td><td>{escape(n.memory.kind)}</td><td>{escape(n.memory.text)}</td>"
            f"<td>{escape(n.reason)}</td></tr>"
            for n in self.near_misses
        )
        heading = "<tr><th>near miss</th><th>kind</th><th>memory</th><th>why not</th></tr>"
        return f"<table style='text-align: left'>{heading}{rows}</table>"


@dataclass(frozen=True)
class Question:
    """One recall as it is asked: whose memory, the question as read, of which moment, and what narrows it.

    `t` is the ledger time that memory is read at, `now` the moment of the asking. `within` is the range that the
    question's own words named, which `filters` have too. `all_count` says that it asks for everything said then, so
    there is no threshold and the newest come first.
    """

    user_id: str
    asked: Asked
    language: Language
    t: int
    now: datetime
    filters: Filters
    within: SaidRange | None = None

    def years_before(self) -> Iterator[Question]:
        """The same question about the same days of earlier years, where its words leave the year open."""
        question = self
        while question.within and question.within.year_open and question.within.since.year > self.now.year - YEARS:
            within = question.within.a_year_before()
            filters = replace(self.filters, since=within.since, until=within.until)
            ranges = ((within.since, within.until),) if self.asked.ranges else ()
            question = replace(self, within=within, filters=filters, asked=replace(self.asked, ranges=ranges))
            yield question

    @property
    def all_count(self) -> bool:
        """Whether the question asks for all that was said in a range."""
        return self.within is not None and not self.within.topic

    @property
    def range(self) -> str | None:
        """The range that the question itself named, as a sentence."""
        return self.within.sentence(self.language) if self.within else None


def ask(user_id: str, query: str, filters: Filters, *, t: int, now: datetime, zone: tzinfo | None = None) -> Question:
    """Read a question asked at `now`; its words are redacted, and its relative dates are of `zone` (else of `now`'s).

    A range of its own words counts where the filters name none.
    """
    text, local = redact(clean(query)).text.strip(), now.astimezone(zone) if zone else now
    within = None if filters.since or filters.until else said_range(text, local)
    if within:
        filters = replace(filters, since=within.since, until=within.until)
    asked = read(text, local)
    if within and within.topic:
        # The range keeps the rest out, so what is left to look for is the topic.
        topic = read(within.topic, local)
        asked = replace(topic, ranges=((within.since, within.until),), past=asked.past)
    return Question(user_id, asked, language(text), t, now, filters, within)


def choose(ranked: Sequence[Scored], *, limit: int, max_tokens: int, count: TokenCounter) -> tuple[Recalled, ...]:
    """The best that fit: a fact and the message it came from do not both take room; a too long text is passed over."""
    return sift(ranked, limit=limit, max_tokens=max_tokens, count=count)[0]


def sift(
    ranked: Sequence[Scored], *, limit: int, max_tokens: int, count: TokenCounter
) -> tuple[tuple[Recalled, ...], list[tuple[Scored, Why]]]:
    """The best that fit, and what was passed over for them, with why.

    Summaries and lessons have a third of the room between them, and come after the best of their own sources: they add
    to what was said and never take its place.
    """
    chosen: list[Recalled] = []
    passed: list[tuple[Scored, Why]] = []
    told: set[str] = set()
    left = max_tokens
    notes, note_tokens = max(1, limit // NOTES_SHARE), max_tokens // NOTES_SHARE
    for s in _after_their_sources(ranked):
        if len(chosen) == limit:
            passed.append((s, "beyond the limit"))
            continue
        if s.memory.sources:
            tokens = count(s.memory.text)
            if any(same_words(r.memory.text) == same_words(s.memory.text) for r in chosen):
                passed.append((s, "told already"))
            elif not notes:
                passed.append((s, "beyond the limit"))
            elif tokens > min(left, note_tokens):
                passed.append((s, "no room"))
            else:
                notes, note_tokens, left = notes - 1, note_tokens - tokens, left - tokens
                chosen.append(Recalled(s.memory, s.score, s.signals, s.reason))
            continue
        source = set(s.memory.message_ids)
        whole_message_told = source and source <= told and s.memory.kind in ("fact", "episode")
        if whole_message_told and _other_kind(s.memory, chosen):
            passed.append((s, "told already"))
        elif (tokens := count(s.memory.text)) > left:
            passed.append((s, "no room"))
        else:
            left -= tokens
            told |= source
            chosen.append(Recalled(s.memory, s.score, s.signals, s.reason))
    return tuple(chosen), passed


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
