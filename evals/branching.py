"""What it costs that memory follows branches, and whether that grows with what others have stored. It judges nothing.

One user has a thread of a thousand commits and some thousands of memories. Everything is measured twice: with that user
alone in a folder, and in one that other users have filled with other threads before.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import event

from evals.latency import fill, sentences
from graph import Agent
from memory.extraction import RuleExtractor
from memory.record import USER, Utterance, stable_id
from stores.book import MemoryBook
from stores.ledger import Draft

Progress = Callable[[int], None]

USER_ID, THREAD = "bench", "branching"
FORKS = (10, 1000)
"""How many commits back the forks go; each is timed with its way back, and the index follows."""
OTHERS = 9
"""How many other users fill the folder, each with as much as the one who is measured."""


@dataclass(frozen=True)
class Measure:
    """The median and the least of some runs, in milliseconds, and the statements a run sent to the ledger on average.

    On a busy machine the least says more about growth than the median does.
    """

    what: str
    ms: float
    least_ms: float
    statements: int

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON."""
        return dict(self.__dict__)


@dataclass(frozen=True)
class Lineage:
    """A thread's commits, oldest first, and the ledger time at which half of them were made."""

    commits: tuple[str, ...]
    middle: int


def commit_lineage(book: MemoryBook, progress: Progress | None = None) -> Lineage:
    """Commit a thread of one-message turns, with a move to another town every tenth; long enough for every fork."""
    ledger, extractor, start = book.ledger, RuleExtractor(), datetime(2026, 6, 1, tzinfo=UTC)
    said = [f"I live in Town{i}." if i % 10 == 0 else text for i, text in enumerate(sentences(max(FORKS) + 1))]
    commits: list[str] = []
    middle = 0
    ledger.enter_thread(THREAD, USER_ID)
    for i, words in enumerate(said):
        turn = (Utterance(f"b{i}", words, USER, start + timedelta(minutes=i), USER),)
        read = extractor.extract(turn)
        draft = Draft(
            user_id=USER_ID,
            thread_id=THREAD,
            turn_id=stable_id("branching", i),
            parent=commits[-1] if commits else None,
            said=turn,
            proposals=read.proposals,
            extractor=read.extractor,
        )
        ledger.commit(draft)
        commits.append(draft.commit_id)
        middle = ledger.now() if i == len(said) // 2 else middle
        if progress:
            progress(1)
    book.sync()
    return Lineage(tuple(commits), middle)


def fill_others(agent: Agent, records: int, progress: Progress | None = None) -> None:
    """Give other users so many memories together, through the product's import, in threads of a hundred."""
    for i in range(OTHERS):
        fill(agent, f"other {i}", records // OTHERS + (i < records % OTHERS), progress)


def measure(book: MemoryBook, thread: Lineage, questions: int) -> list[Measure]:
    """Aligning when nothing has changed, forks and the way back, and recall now and as of the middle of the thread."""
    commits = thread.commits
    align = [partial(book.ledger.align, THREAD, commits[-1])]
    found = [_median(book, "aligning, nothing changed", align * 200)]
    for back in FORKS:
        forth = [partial(book.follow, THREAD, head) for head in (commits[-1 - back], commits[-1])]
        found.append(_median(book, f"fork {back:,} commits back", forth * (10 if back < 100 else 2)))
    asked = [f"What about {text}?" for text in sentences(questions)]
    for what, as_of in (("recall now", None), ("recall as of the middle", thread.middle)):
        book.recall(USER_ID, asked[0], as_of=as_of)
        found.append(_median(book, what, [partial(book.recall, USER_ID, q, as_of=as_of) for q in asked]))
    return found


def _median(book: MemoryBook, what: str, runs: Sequence[Callable[[], Any]]) -> Measure:
    seconds = []
    with _counting(book) as count:
        for run in runs:
            began = time.perf_counter()
            run()
            seconds.append(time.perf_counter() - began)
    median, least = (round(1000 * s, 3) for s in (statistics.median(seconds), min(seconds)))
    return Measure(what, median, least, round(count[0] / len(runs)))


@contextmanager
def _counting(book: MemoryBook) -> Iterator[list[int]]:
    """Count the statements that are sent to the ledger's database."""
    count = [0]

    def counted(conn: Any, cursor: Any, statement: str, *_: Any) -> None:  # noqa: ARG001 - names that it is called with
        count[0] += not statement.startswith("BEGIN")

    event.listen(book.database.engine, "before_cursor_execute", counted)
    try:
        yield count
    finally:
        event.remove(book.database.engine, "before_cursor_execute", counted)
