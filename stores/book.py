"""MemoryBook: everything that people and the graph ask of memory, joining ledger, index and rules.

The ledger is the source of truth; a book opened without an index still lists, shows and searches, read-only.
"""

from __future__ import annotations

import builtins
import functools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from memory.consolidation import Material
from memory.explaining import NearMiss
from memory.extraction import RuleExtractor
from memory.forgetting import Forgetting
from memory.privacy import redact
from memory.question import read
from memory.ranking import STRATEGIES, Scored, Strategy, rank
from memory.record import KINDS, Extractor, Memory, TokenCounter
from memory.relevance import Scale
from memory.text import clean
from memory.tokens import estimate_tokens
from stores import consolidating, holding, imports, outside, people, sweeping, undoing, views
from stores.database import Database
from stores.database import now as ledger_time
from stores.errors import IndexClosed
from stores.explaining import Explainer
from stores.imports import ImportedMessage, ImportReport
from stores.indexer import Indexer
from stores.ledger import Draft
from stores.past import Moved, moved
from stores.qdrant_store import PalimpsestStore
from stores.reader import AsOf, MemoryReader, aware, checked_user, one_of
from stores.recall import LIMIT, MAX_TOKENS, Question, Recall, ask, sift
from stores.searching import Searched, search
from stores.skill_folder import SkillFolder
from stores.sweeping import Sweep
from stores.traces import old_facts, to_confirm
from stores.where import Filters, conditions


class MemoryBook(MemoryReader):
    """One folder's memory. Methods raise `PalimpsestError`s whose messages are meant for a person."""

    def __init__(
        self,
        database: Database,
        store: PalimpsestStore | None,
        *,
        scale: Scale | None = None,
        extractor: Extractor | None = None,
        count: TokenCounter = estimate_tokens,
        forgetting: Forgetting | None = None,
        lesson_messages: int = 5,
    ) -> None:
        """`scale` is the embedder's own: where its cosines mean something. `store` None is the ledger alone."""
        super().__init__(database)
        self.store = store
        self.indexer = Indexer(database, store) if store else None
        self.scale = scale or Scale(0.0)
        self.extractor = extractor or RuleExtractor()
        self.count = count
        self.forgetting = forgetting or Forgetting()
        # How many messages on one topic make lessons.
        self.lesson_messages = lesson_messages
        # Procedural memory, which no conversation writes; whoever opens the agent says where it lies.
        self.skills: SkillFolder | None = None
        # The zone in which a question's "yesterday" is read; None is that of the moment of asking.
        self.zone: tzinfo | None = None
        self._spent = threading.local()
        if store is not None:
            store.book = self
            store.on_outside = functools.partial(outside.apply, self)

    # Recall.

    def recall(
        self,
        user_id: str,
        query: str,
        *,
        limit: int = LIMIT,
        max_tokens: int = MAX_TOKENS,
        kinds: Sequence[str] | None = None,
        thread_id: str | None = None,
        tags: Sequence[str] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        strategy: Strategy = "hybrid",
        as_of: AsOf | None = None,
        now: datetime | None = None,
        explain: bool = False,
    ) -> Recall:
        """The memories that bear on a question, best first, each with its reasons.

        A question about what was so before (以前, used to) also finds facts that newer ones took the place of; no
        other question does. `max_tokens` bounds the texts together. `since` and `until` bound when it was said; without
        them, a question that says so itself does ("what did I tell you last week", 我们昨天聊了什么; `Recall.within`).
        `as_of` is the moment of ledger time at which memory is read, `now` the moment at which the question is asked
        (decay, expiry, relative dates). `explain` also brings the near misses, by a search or two more. Writes nothing:
        asking leaves no trace. Raises `BadInput`.
        """
        began = time.perf_counter()
        one_of("strategy", strategy, STRATEGIES)
        for kind in kinds or ():
            one_of("kind", kind, KINDS)
        asked_at = aware(now, "now") or self.database.clock()
        at = self.ledger_time_of(as_of)
        with self.database.read() as conn:
            t = ledger_time(conn) if at is None else at
            profile = tuple(self._profile(conn, checked_user(user_id), t))
            before = moved(conn, user_id, t)
        filters = Filters(kinds, thread_id, tags, aware(since, "since"), aware(until, "until"))
        question = ask(user_id, query, filters, t=t, now=asked_at, zone=self.zone)
        self._spent.embedding = 0.0
        found, ranked = self._ranked(question, before, strategy, limit)
        if not ranked and not found.degraded:
            for earlier in question.years_before():
                again, others = self._ranked(earlier, before, strategy, limit)
                if others:
                    question, found, ranked = earlier, again, others
                    break
        results, passed = sift(ranked, limit=limit, max_tokens=max_tokens, count=self.count)
        explainer = Explainer(self.database, self.index, self.scale, self.count)
        empty, advice = (None, None) if results or found.degraded else explainer.why_empty(question, found)
        near: tuple[NearMiss, ...] = ()
        if explain:
            near = explainer.near_misses(question, found, results, passed, limit=limit, max_tokens=max_tokens)
        return Recall(
            results=results,
            profile=profile,
            confirm=self._to_confirm([*(r.memory for r in results), *profile], asked_at, t),
            empty=empty,
            advice=advice,
            degraded=found.degraded,
            within=question.within,
            near_misses=near,
            memory_time=t,
            seconds={"total": time.perf_counter() - began, "embedding": self._spent.embedding},
        )

    def _ranked(
        self, question: Question, before: Moved, strategy: Strategy, limit: int
    ) -> tuple[Searched, Sequence[Scored]]:
        where = conditions(question.t, question.now, question.filters, past=question.asked.past)
        found = search(self.database, self.index, question.user_id, question.asked, where, before=before, limit=limit)
        ranked = rank(
            found.candidates,
            question.asked,
            scale=self.scale,
            now=question.now,
            strategy="recency" if question.all_count and strategy == "hybrid" else strategy,
            most=4 * limit,
            all_count=question.all_count,
        )
        return found, ranked

    def _to_confirm(self, memories: Sequence[Memory], now: datetime, t: int) -> frozenset[str]:
        at = int(now.timestamp() * 1000)
        if not (old := old_facts(memories, at, self.forgetting)):
            return frozenset()
        with self.database.read() as conn:
            return to_confirm(conn, old, at, self.forgetting, t)

    def relevance(self, user_id: str, query: str, *, now: datetime | None = None) -> tuple[float, float] | None:
        """The signs that anything kept bears on a question, before `scale` judges them; None when nothing is kept."""
        asked_at = aware(now, "now") or self.database.clock()
        t, asked = self.ledger.now(), read(redact(clean(query)).text.strip(), asked_at)
        where = conditions(t, asked_at, past=asked.past)
        found = search(self.database, self.index, checked_user(user_id), asked, where)
        return found.signs(asked, now=asked_at, scale=self.scale)

    @property
    def index(self) -> PalimpsestStore:
        """The index. Raises `IndexClosed` for a book of the ledger alone."""
        if self.store is None:
            raise IndexClosed("This book was opened for the ledger alone: it lists and shows, but does not recall.")
        return self.store

    def _need_index(self) -> None:
        """Refuse to write where Qdrant could not follow."""
        _ = self.index

    @contextmanager
    def embedding(self) -> Iterator[None]:
        """Add the seconds inside to this thread's time in the embedder."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self._spent.embedding = getattr(self._spent, "embedding", 0.0) + time.perf_counter() - began

    # Writing.

    def commit(self, draft: Draft) -> dict[str, Any]:
        """Commit a turn: the ledger first, then Qdrant from there. Again changes nothing."""
        self._need_index()
        return {**self.ledger.commit(draft), "index": self.sync()}

    def begin_turn(self, user_id: str, thread_id: str, head: str | None) -> int:
        """Bring memory in line with the state's head; returns the ledger time that the turn reads memory at."""
        self._need_index()
        t, behind = self.ledger.start_turn(checked_user(user_id), thread_id, head)
        if self.indexer:
            self.indexer.sync(waits=behind)
        return t

    def follow(self, thread_id: str, head: str | None) -> bool:
        """Bring memory in line with a thread's head outside a turn; True when anything had to move."""
        self._need_index()
        moved = self.ledger.align(thread_id, head)
        self.sync()
        return moved

    def user_of(self, thread_id: str) -> str | None:
        """The user whose turn this thread last ran, or None."""
        return self.ledger.user_of(thread_id)

    def to_consolidate(self, user_id: str, head: str | None, every: int) -> Material | None:
        """What a thread with this head has to sum up, at every so many of its commits; None when it is not time."""
        with self.database.read() as conn:
            return consolidating.material_of(conn, user_id, head, every, self.lesson_messages)

    def said_at(self, thread_id: str, message_ids: Sequence[str]) -> dict[str, datetime]:
        """When messages of the transcript were said, where that is known."""
        return self.ledger.said_at(thread_id, message_ids)

    def use(self, user_id: str, turn_id: str, memory_ids: Sequence[str], t: int) -> None:
        """Note that a live turn recalled these memories."""
        self.ledger.use(user_id, turn_id, memory_ids, t)

    def sync(self, progress: Callable[[int], None] | None = None) -> str | None:
        """Bring Qdrant up to date; returns one sentence when it stays behind."""
        return self.indexer.sync(progress) if self.indexer else None

    def delete_thread(self, thread_id: str, *, memories: bool) -> None:
        """Mark a thread deleted; with `memories`, what only it had said is no longer current."""
        self.ledger.delete_thread(thread_id, memories=memories)
        self.sync()

    def import_messages(
        self,
        user_id: str,
        messages: Sequence[ImportedMessage],
        *,
        progress: Callable[[int], None] | None = None,
    ) -> ImportReport:
        """Write messages from elsewhere through the same commits that turns make; known ones are passed over.

        `progress` is told how many more messages are done. Raises `BadInput` for a naive time.
        """
        self._need_index()
        for message in messages:
            aware(message.said_at, "said_at")
        report = imports.import_messages(self.ledger, self.extractor, checked_user(user_id), messages, progress)
        self.sync()
        return report

    def import_items(
        self,
        path: str | Path,
        *,
        timezone: str,
        user_id: str | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> dict[str, ImportReport]:
        """Import a file of `stores.imports`' form; `timezone` is that of times without an offset.

        Without `user_id` each `group` is a user. The whole file is checked first: raises `BadInput` with the line's
        number, and nothing is written.
        """
        self._need_index()
        by_user = imports.read_file(Path(path), timezone, user_id)
        return {user: self.import_messages(user, said, progress=progress) for user, said in by_user.items()}

    def indexed(self) -> int:
        """How many points the whole index has: one for each interval in which a memory was current."""
        with self.database.read() as conn:
            return views.indexed(conn)

    def rebuild(self, progress: Callable[[int], None] | None = None) -> int:
        """Make Qdrant anew from the ledger; returns how many points it has."""
        _ = self.index
        return self.indexer.rebuild(progress) if self.indexer else 0

    def remember(self, user_id: str, text: str, **fields: Any) -> Memory:
        """Keep what a person says, as facts; `fields` name one outright (subject, attribute, value...).

        The same content twice is a confirmation. What instructs the agent comes back held, with the reason, and waits
        for `release` or `reject`. Raises `BadInput` for a blank text, an unknown field, a time without its zone.
        """
        self._need_index()
        memory_id = people.remember(self.ledger, self.extractor, checked_user(user_id), text, fields)
        self.sync()
        return self.get(user_id, memory_id)

    def correct(self, user_id: str, memory_id: str, text: str) -> Memory:
        """Put a person's words in a fact's place at once. Raises `NotFound`, `BadInput`."""
        self._need_index()
        new_id = people.correct(self.ledger, self.extractor, checked_user(user_id), memory_id, text)
        self.sync()
        return self.get(user_id, new_id)

    def undo(self, user_id: str, which: str) -> builtins.list[str]:
        """Take a turn's commits (or one commit) out of what counts, on every branch, until they are restored.

        Changes memory, not messages. Returns the commits' ids. Raises `NotFound`.
        """
        self._need_index()
        undone = undoing.undo(self.ledger, checked_user(user_id), which)
        self.sync()
        return undone

    def restore(self, user_id: str, which: str) -> builtins.list[str]:
        """Bring back an undone turn or commit, a forgotten memory, or a rejected one, which waits again.

        Returns the ids. Raises `NotFound`.
        """
        self._need_index()
        restored = undoing.restore(self.ledger, checked_user(user_id), which)
        self.sync()
        return restored

    def hold(self, user_id: str, memory_id: str) -> Memory:
        """Take a current memory out of recall, the profile and the prompt until it is released. Raises `NotFound`."""
        self._need_index()
        holding.hold(self.ledger, checked_user(user_id), memory_id)
        self.sync()
        return self.get(user_id, memory_id)

    def release(self, user_id: str, memory_id: str) -> Memory:
        """Let a held memory count from now on, in the order in which it was said. Raises `NotFound`.

        What superseded it since keeps its place. The guard holds what says the same no more.
        """
        self._need_index()
        holding.release(self.ledger, checked_user(user_id), memory_id)
        self.sync()
        return self.get(user_id, memory_id)

    def reject(self, user_id: str, memory_id: str) -> Memory:
        """End a held memory; `restore` makes it wait again. Raises `NotFound`."""
        self._need_index()
        holding.reject(self.ledger, checked_user(user_id), memory_id)
        self.sync()
        return self.get(user_id, memory_id)

    def sweep(self, user_id: str | None = None, *, now: datetime | None = None, dry_run: bool = False) -> Sweep:
        """End what is too old, too weak, too many or said twice (`memory.forgetting`), of one user or of everybody.

        `now` is the moment by which it is judged. Nothing is deleted: what was ended is readable as of then, and
        `restore` brings it back. With `dry_run` nothing changes.
        """
        at = aware(now, "now") or self.database.clock()
        if not dry_run:
            self._need_index()
        if user_id is None:
            with self.database.read() as conn:
                users = sweeping.users(conn)
        else:
            users = [checked_user(user_id)]
        swept = [sweeping.sweep_user(self.ledger, u, at, self.forgetting, dry_run=dry_run) for u in users]
        if not dry_run:
            self.sync()
        return Sweep(at, dry_run, tuple(s for found in swept for s in found))

    def forget(self, user_id: str, memory_id: str) -> None:
        """End a memory, and with a fact the episodes it was read from. Raises `NotFound`."""
        self._need_index()
        people.forget(self.ledger, checked_user(user_id), memory_id)
        self.sync()
