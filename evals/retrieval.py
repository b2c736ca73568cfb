"""The recall benchmark: write a set through the product's own path, ask its questions, measure what comes back.

Every question goes unchanged to `recall` with its defaults, at its own time when it has one. Each set gets a data
folder of its own that is gone afterwards, each group a user. Nothing is tuned here, and nothing but recall is measured:
no answers.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from evals.datasets import Dataset, Query
from evals.metrics import Estimate, Hit, score, summarise
from memory.record import Memory
from memory.tokens import estimate_tokens
from stores.recall import Recall, Recalled

if TYPE_CHECKING:
    from graph.agent import Agent
    from stores.book import MemoryBook

MakeAgent = Callable[[Path], "AbstractContextManager[Agent]"]
Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""


class SetReport(TypedDict):
    """One set: sizes, measures over all questions and by category, and times in seconds."""

    items: int
    questions: int
    metrics: dict[str, Estimate]
    categories: dict[str, dict[str, Any]]
    time: dict[str, float]


class Report(TypedDict):
    """All sets by name, and one row a question."""

    sets: dict[str, SetReport]
    questions: list[dict[str, Any]]


def run(datasets: Iterable[Dataset], make_agent: MakeAgent, *, progress: Progress | None = None) -> Report:
    """Measure recall on each set, with an agent that `make_agent` opens on a fresh folder.

    `time` has p50 and p95 of a recall with and without its embedding, and what writing took. A row of `questions` has
    the question, its gold, the items recalled in order (each memory's own list), its scores and its seconds.
    """
    report: Report = {"sets": {}, "questions": []}
    for dataset in datasets:
        with TemporaryDirectory(prefix="palimpsest-bench-") as folder, make_agent(Path(folder)) as agent:
            written = write(dataset, agent.memory, progress)
            rows = _ask(dataset, agent.memory, progress)
        report["sets"][dataset.name] = _report(dataset, rows, written)
        report["questions"] += rows
    return report


def user_of(dataset: Dataset, group: str) -> str:
    """The user whose memory a group is."""
    return f"{dataset.name}/{group}"


def write(dataset: Dataset, book: MemoryBook, progress: Progress | None) -> float:
    """Import every group; returns the seconds it took."""
    total = sum(len(item.messages) for item in dataset.items)
    done = 0

    def tell(more: int) -> None:
        nonlocal done
        done += more
        if progress:
            progress(f"{dataset.name}: writing", done, total)

    began = time.perf_counter()
    for group, (items, _) in dataset.groups().items():
        messages = [message for item in items for message in item.messages]
        book.import_messages(user_of(dataset, group), messages, progress=tell)
    return time.perf_counter() - began


def _ask(dataset: Dataset, book: MemoryBook, progress: Progress | None) -> list[dict[str, Any]]:
    item_of = dataset.item_of()
    rows = []
    for done, query in enumerate(dataset.queries, 1):
        user_id = user_of(dataset, query.group)
        recall = book.recall(user_id, query.text, now=query.asked_at)
        rows.append(_row(dataset, query, recall, _hits(book, user_id, recall.results, item_of)))
        if progress:
            progress(f"{dataset.name}: asking", done, len(dataset.queries))
    return rows


def scores_of(
    book: MemoryBook, user_id: str, query: Query, results: Sequence[Recalled], item_of: dict[str, str]
) -> dict[str, float]:
    """All measures of what one question brought back; `item_of` is the set's item of each message."""
    return score(_hits(book, user_id, results, item_of), query.gold, query.stale)


def _hits(book: MemoryBook, user_id: str, results: Sequence[Recalled], item_of: dict[str, str]) -> list[Hit]:
    return [
        Hit(_items(messages_of(book, user_id, result.memory), item_of), estimate_tokens(result.memory.text))
        for result in results
    ]


def messages_of(book: MemoryBook, user_id: str, memory: Memory) -> Sequence[str]:
    """The messages that a memory came from: its own, or those of its sources."""
    if memory.message_ids or not memory.sources:
        return memory.message_ids
    return [message for source in memory.sources for message in messages_of(book, user_id, book.get(user_id, source))]


def _items(message_ids: Iterable[str], item_of: dict[str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item_of[message_id] for message_id in message_ids))


def _row(dataset: Dataset, query: Query, recall: Recall, hits: Sequence[Hit]) -> dict[str, Any]:
    return {
        "set": dataset.name,
        "id": query.id,
        "category": query.category,
        "text": query.text,
        "gold": list(query.gold),
        **({"stale": list(query.stale)} if query.stale else {}),
        "recalled": [list(hit.items) for hit in hits],
        "scores": score(hits, query.gold, query.stale),
        "seconds": dict(recall.seconds),
    }


def _report(dataset: Dataset, rows: Sequence[dict[str, Any]], written: float) -> SetReport:
    by_category: dict[str, list[dict[str, float]]] = defaultdict(list)
    for row in rows:
        by_category[row["category"]].append(row["scores"])
    return {
        "items": len(dataset.items),
        "questions": len(rows),
        "metrics": summarise([row["scores"] for row in rows]),
        "categories": {
            category: {"questions": len(scores), "metrics": summarise(scores)}
            for category, scores in sorted(by_category.items())
        },
        "time": {**_times([row["seconds"] for row in rows]), "write": written},
    }


def _times(seconds: Sequence[dict[str, float]]) -> dict[str, float]:
    whole = [one["total"] for one in seconds]
    without = [one["total"] - one["embedding"] for one in seconds]
    return {
        f"p{percent}{suffix}": float(np.percentile(values, percent))
        for suffix, values in (("", whole), ("_without_embedding", without))
        for percent in (50, 95)
        if values
    }
