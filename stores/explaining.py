"""Why something did not come back: the near misses of a recall, and which kind of nothing an empty one is.

None of this runs on a turn's path unless it is asked for, or nothing was found where filters narrowed. Near misses come
from four places: what was ranked and not taken; what was found and is below the threshold; one more search of the index
for what stood before, and one for what the filters left out; and the ledger, for what waits and never stood.

What it does not do: it finds no record that was older news when it was written (it never stood, so it is no point of
the index), and it looks no further than a search does: a near miss is near.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sqlalchemy import Connection, select

from memory.explaining import Empty, NearMiss, Why, advice, near_miss
from memory.ranking import Scored, rank
from memory.record import OPEN, Memory, Standing, TokenCounter
from memory.relevance import Scale, each, evidence, is_relevant
from memory.signals import WHOLE, Candidate, Found, Terms, Texts
from memory.summary import same_words
from stores import schema, views
from stores.database import Database, batches
from stores.qdrant_store import PalimpsestStore
from stores.recall import Question, Recalled
from stores.searching import Searched, search
from stores.standings import Slot, folded
from stores.where import Where, closed, conditions

EACH = 5
"""How many near misses of one reason are told."""


@dataclass(frozen=True)
class Explainer:
    """Reads the ledger and searches the index for what a recall left behind. Writes nothing."""

    database: Database
    store: PalimpsestStore
    scale: Scale
    count: TokenCounter

    def why_empty(self, question: Question, found: Searched) -> tuple[Empty, str]:
        """Which of the three kinds of nothing it is, and the same as a sentence with what to do.

        "Filtered out" is said only where something would be found without the filters.
        """
        with self.database.read() as conn:
            stored = views.anything_stored(conn, question.user_id, question.t)
            then = not stored and views.anything_stored(conn, question.user_id, OPEN - 1)
        empty: Empty = "nothing relevant" if stored else "nothing stored"
        if stored and question.filters and (not found.candidates or self._without_filters(question)):
            empty = "filtered out"
        numbers = self._evidence(question, found.candidates) if empty == "nothing relevant" else None
        names = question.filters.named()
        return empty, advice(
            empty, question.language, filters=names, within=question.range, evidence=numbers, then=then
        )

    def _without_filters(self, question: Question) -> bool:
        where = conditions(question.t, question.now, past=question.asked.past)
        found = self._search(question, where).candidates
        return bool(found) and is_relevant(self._found(question, found), self.scale)

    def _evidence(self, question: Question, candidates: Sequence[Candidate]) -> tuple[float, float] | None:
        if not any(c.dense is not None for c in candidates):
            return None
        return evidence(self._found(question, candidates), self.scale), self.scale.threshold

    def near_misses(
        self,
        question: Question,
        found: Searched,
        results: Sequence[Recalled],
        passed: Iterable[tuple[Scored, Why]],
        *,
        limit: int,
        max_tokens: int,
    ) -> tuple[NearMiss, ...]:
        """What might have been expected and is not among the results, the nearest first, a few of each reason."""
        passed = list(passed)
        said = {message: r.memory for r in reversed(results) for message in r.memory.message_ids}
        same = {same_words(r.memory.text): r.memory.text for r in results}
        misses = [
            near_miss(
                s.memory,
                why,
                question.language,
                score=s.score,
                limit=limit,
                max_tokens=max_tokens,
                tokens=self.count(s.memory.text),
                other=next(
                    (said[m].text for m in s.memory.message_ids if m in said), same.get(same_words(s.memory.text), "")
                ),
            )
            for s, why in passed
        ]
        texts = {r.memory.text for r in results}
        known = {r.memory.id for r in results} | {s.memory.id for s, _ in passed}
        misses += (m for m in self._elsewhere(question, found, known, bool(results)) if m.memory.text not in texts)
        misses += self._waiting(question, known | {m.memory.id for m in misses})
        told: Counter[Why] = Counter()
        out = []
        for miss in misses:
            told[miss.why] += 1
            if told[miss.why] <= EACH:
                out.append(miss)
        return tuple(out)

    def _elsewhere(
        self, question: Question, found: Searched, known: Collection[str], any_result: bool
    ) -> Iterator[NearMiss]:
        """What stood before, what the filters left out, and what is below the threshold, by score."""
        let_through = {c.memory.id for c in found.candidates}
        pool = {
            c.memory.id: c
            for c in self._search(question, closed(question.t, question.now, question.filters)).candidates
        }
        if question.filters and not question.all_count:
            unfiltered = self._search(question, conditions(question.t, question.now))
            pool |= {c.memory.id: c for c in unfiltered.candidates}
        pool |= {c.memory.id: c for c in found.candidates}
        if not pool:
            return
        candidates = list(pool.values())
        sure = dict(zip(pool, self._sureness(question, candidates), strict=True))
        ranked = rank(candidates, question.asked, scale=self.scale, now=question.now, all_count=True)
        near = [s for s in ranked if s.memory.id not in known]
        with self.database.read() as conn:
            stood = _Stood(conn, question, [s.memory.id for s in near])
            for s in near:
                number = sure[s.memory.id]
                enough = question.all_count or number >= self.scale.threshold
                if s.memory.id in let_through:
                    # Beside results, what was found and not ranked says nothing about the question.
                    if not any_result and number > self.scale.floor:
                        yield near_miss(
                            s.memory,
                            "below threshold",
                            question.language,
                            score=s.score,
                            evidence=number,
                            threshold=self.scale.threshold,
                        )
                elif enough and (miss := stood.miss(s.memory.id, s.score)):
                    yield miss

    def _sureness(self, question: Question, candidates: Sequence[Candidate]) -> list[float]:
        """The evidence of each; without any cosine, a shared word is enough."""
        found = self._found(question, candidates)
        if any(c.dense is not None for c in candidates):
            return each(found, self.scale)
        return [self.scale.threshold if shared else -1.0 for shared in found.words]

    def _waiting(self, question: Question, known: Collection[str]) -> Iterator[NearMiss]:
        """What waits for a person and shares a whole word with the question: it has no vector, being in no index."""
        with self.database.read() as conn:
            waiting = views.list_memories(conn, question.user_id, question.now, standing="held", as_of=question.t)
        waiting = [m for m in waiting if m.id not in known and not question.filters.against(m)]
        asked = {term: weight for term, weight in question.asked.terms.items() if weight >= WHOLE}
        shared = Terms(asked, Texts(m.text for m in waiting)).held
        for memory, held in sorted(zip(waiting, shared, strict=True), key=lambda pair: -pair[1].bit_count()):
            if held or question.all_count:
                yield near_miss(memory, "held", question.language)

    def _search(self, question: Question, where: Where) -> Searched:
        # Here what was so before is no result, so a question about the past needs no standings from the ledger.
        asked = replace(question.asked, past=False)
        return search(self.database, self.store, question.user_id, asked, where)

    def _found(self, question: Question, candidates: Sequence[Candidate]) -> Found:
        return Found(candidates, question.asked, now=question.now, floor=self.scale.floor)


class _Stood:
    """How some memories stood at the moment that was asked about, and what ended those that did not stand."""

    def __init__(self, conn: Connection, question: Question, ids: Sequence[str]) -> None:
        self.question = question
        self.memories = views.memories_at(conn, question.user_id, ids, question.t, question.now)
        facts = [m for m in self.memories.values() if m.subject and m.attribute]
        self.folds = folded(conn, {_slot(m) for m in facts}, question.t)
        origins = {m.commit_id for m in self.memories.values() if m.commit_id}
        self.gone = _not_live(conn, origins, question.t)
        self.swept = _swept(conn, ids, question.t)
        enders = {end.by for fold in self.folds.values() for end in fold.ended.values()}
        self.texts = _texts(conn, enders)

    def miss(self, memory_id: str, score: float) -> NearMiss | None:
        """Why this one did not come back; None where what it says stands under another id."""
        memory = self.memories.get(memory_id)
        if memory is None:
            return None
        language, filters = self.question.language, self.question.filters.against(memory)
        ended = self._ended(memory)
        if ended is None:
            within = self.question.range
            why: Why = "expired" if memory.standing == "expired" else "filtered out"
            if why == "filtered out" and not filters:
                return None
            return near_miss(memory, why, language, score=score, filters=filters, within=within)
        why, by = ended
        standing: Standing = why if why in ("superseded", "held") else "retracted"
        waits = memory.held if standing == "held" else None
        shown = memory if why == "swept" else replace(memory, standing=standing, held=waits)
        return near_miss(shown, why, language, score=score, other=self.texts.get(by, by[:8]), swept=by)

    def _ended(self, memory: Memory) -> _Ended | None:
        """How it ended and by what; None for one that stands, though it may have expired."""
        if memory.standing in ("expired", "superseded") and memory.id in self.swept:
            return "swept", self.swept[memory.id]
        fold = self.folds.get(_slot(memory)) if memory.attribute else None
        if fold is None:
            if memory.standing in ("current", "expired"):
                return None
            return self.gone.get(memory.commit_id or "") or (_WHYS.get(memory.standing, "retracted"), "")
        if memory.id in fold.current or any(memory.id in c.said for c in fold.current.values()):
            return None
        if end := fold.ended.get(memory.id):
            return _WHYS.get(end.standing, "retracted"), end.by
        return self.gone.get(memory.commit_id or "") or ("retracted", "")


_Ended = tuple[Literal["superseded", "held", "retracted", "swept", "undone", "other branch", "deleted thread"], str]
_WHYS: Mapping[Standing, Literal["superseded", "held", "retracted"]] = {
    "superseded": "superseded",
    "held": "held",
}


def _slot(memory: Memory) -> Slot:
    return memory.user_id, memory.subject or "", memory.attribute or ""


def _not_live(conn: Connection, commits: Collection[str], t: int) -> dict[str, _Ended]:
    """Why those of some commits that were not live at a ledger time were not."""
    lives, undone, threads = schema.lives.c, schema.undone.c, schema.threads.c
    out: dict[str, _Ended] = {}
    for some in batches(commits):
        live = set(conn.scalars(select(lives.origin).where(lives.origin.in_(some), lives.start <= t, lives.end > t)))
        taken = set(conn.scalars(select(undone.commit_id).where(undone.commit_id.in_(some), undone.recorded_at <= t)))
        where = select(schema.commits.c.id, threads.deleted)
        where = where.join(schema.threads, threads.thread_id == schema.commits.c.thread_id)
        deleted = {row.id for row in conn.execute(where.where(schema.commits.c.id.in_(some), threads.deleted <= t))}
        for one in set(some) - live:
            out[one] = ("undone" if one in taken else "deleted thread" if one in deleted else "other branch"), one
    return out


def _swept(conn: Connection, record_ids: Collection[str], t: int) -> dict[str, str]:
    """Why a sweep had ended those of some records that one had by a ledger time."""
    ended, events = schema.ended.c, schema.events.c
    query = select(ended.record_id, ended.reason).join(schema.events, events.id == ended.event_id)
    query = query.where(events.kind == "sweep", events.recorded_at <= t)
    return {
        r.record_id: r.reason
        for some in batches(record_ids)
        for r in conn.execute(query.where(ended.record_id.in_(some)))
    }


def _texts(conn: Connection, record_ids: Collection[str]) -> dict[str, str]:
    r = schema.records.c
    out: dict[str, str] = {}
    for some in batches(record_ids):
        out |= {row.id: row.text for row in conn.execute(select(r.id, r.text).where(r.id.in_(some)))}
    return out
