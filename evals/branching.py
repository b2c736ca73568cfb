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


def measure(places: Sequence[tuple[MemoryBook, Lineage]], questions: int) -> list[list[Measure]]:
    """For each place: aligning when nothing has changed, forks and the way back, recall now and as of the middle.

    The places take turns, so that what else the machine does slows all of them alike.
    """
    found: list[list[Measure]] = [[] for _ in places]

    def add(what: str, runs: Callable[[MemoryBook, Lineage], Sequence[Callable[[], Any]]]) -> None:
        for measures, one in zip(found, _by_turns(places, what, runs), strict=True):
            measures.append(one)

    add("aligning, nothing changed", lambda b, t: [partial(b.ledger.align, THREAD, t.commits[-1])] * 200)
    for back in FORKS:
        times = 10 if back < 100 else 3
        add(
            f"fork {back:,} commits back",
            lambda b, t, back=back, times=times: (  # type: ignore[misc]
                [partial(b.follow, THREAD, head) for head in (t.commits[-1 - back], t.commits[-1])] * times
            ),
        )
    asked = [f"What about {text}?" for text in sentences(questions)]
    for book, _ in places:
        book.recall(USER_ID, asked[0])
    add("recall now", lambda b, _: [partial(b.recall, USER_ID, q) for q in asked])
    add("recall as of the middle", lambda b, t: [partial(b.recall, USER_ID, q, as_of=t.middle) for q in asked])
    return found


def _by_turns(
    places: Sequence[tuple[MemoryBook, Lineage]],
    what: str,
    runs: Callable[[MemoryBook, Lineage], Sequence[Callable[[], Any]]],
) -> Iterator[Measure]:
    seconds: list[list[float]] = [[] for _ in places]
    sent = [0 for _ in places]
    for together in zip(*(runs(*place) for place in places), strict=True):
        for i, run in enumerate(together):
            with _counting(places[i][0]) as count:
                began = time.perf_counter()
                run()
                seconds[i].append(time.perf_counter() - began)
            sent[i] += count[0]
    for took, statements in zip(seconds, sent, strict=True):
        median, least = (round(1000 * s, 3) for s in (statistics.median(took), min(took)))
        yield Measure(what, median, least, round(statements / len(took)))


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
