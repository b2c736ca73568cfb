"""What each signal of ranking is worth: every question ranked again with one signal's weight at 0, or without a kind.

The worth of a signal is what the measure loses without it, question by question, with the interval of that difference
over questions (a paired bootstrap): one whose interval is around 0 earns no place. Nothing is tuned here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from evals.datasets import Dataset, Query
from evals.metrics import Estimate, interval
from evals.retrieval import Progress, scores_of, user_of, write
from memory.privacy import redact
from memory.question import read
from memory.ranking import Weights, rank
from memory.text import clean
from stores.recall import LIMIT, MAX_TOKENS, Recalled, choose
from stores.searching import search
from stores.where import conditions

if TYPE_CHECKING:
    from graph.agent import Agent
    from stores.book import MemoryBook

MEASURES = ("R@5", "R@10", "MRR")
FULL = "full"
NOTHING = "no memory"

SIGNALS: Mapping[str, Weights] = {
    FULL: Weights(),
    **{f"no {field.name}": replace(Weights(), **{field.name: 0.0}) for field in fields(Weights)},
}
# Skills are chosen beside this list and take no place in it, so leaving them out changes nothing here.
KINDS: Mapping[str, Sequence[str]] = {"no episodes": ("fact", "lesson"), "no facts": ("episode", "summary")}

Worth = dict[str, dict[str, Estimate]]
"""By set (and `all`), then by measure."""


def run(
    datasets: Iterable[Dataset],
    make_agent: Callable[[Path], AbstractContextManager[Agent]],
    *,
    progress: Progress | None = None,
) -> dict[str, Worth]:
    """For each variant what full recall has over it, by set and over all questions; `full` itself is given whole."""
    rows: dict[str, dict[str, list[dict[str, float]]]] = defaultdict(lambda: defaultdict(list))
    for dataset in datasets:
        item_of = dataset.item_of()
        with TemporaryDirectory(prefix="palimpsest-ablate-") as folder, make_agent(Path(folder)) as agent:
            book = agent.memory
            write(dataset, book, progress)
            for done, query in enumerate(dataset.queries, 1):
                user_id = user_of(dataset, query.group)
                for variant, recalled in _variants(book, user_id, query).items():
                    found = scores_of(book, user_id, query, recalled, item_of)
                    rows[variant][dataset.name].append({measure: found[measure] for measure in MEASURES})
                if progress:
                    progress(f"{dataset.name}: asking", done, len(dataset.queries))
    return {variant: _worth(rows[FULL], found, whole=variant == FULL) for variant, found in rows.items()}


def _variants(book: MemoryBook, user_id: str, query: Query) -> dict[str, Sequence[Recalled]]:
    """What recall brings in each variant: the signals' from one search, as `recall` goes about it."""
    now = query.asked_at or book.database.clock()
    t, asked = book.ledger.now(), read(redact(clean(query.text)).text.strip(), now)
    where = conditions(t, now, past=asked.past)
    candidates = search(book.database, book.index, user_id, asked, where, limit=LIMIT).candidates
    found: dict[str, Sequence[Recalled]] = {}
    for variant, weights in SIGNALS.items():
        ranked = rank(candidates, asked, scale=book.scale, now=now, weights=weights, most=4 * LIMIT)
        found[variant] = choose(ranked, limit=LIMIT, max_tokens=MAX_TOKENS, count=book.count)
    for variant, kinds in KINDS.items():
        found[variant] = book.recall(user_id, query.text, now=query.asked_at, kinds=kinds).results
    return {**found, NOTHING: ()}


def _worth(
    full: Mapping[str, list[dict[str, float]]], found: Mapping[str, list[dict[str, float]]], *, whole: bool
) -> Worth:
    """The differences by set, and over all questions together."""
    lost = {
        name: [
            {measure: a[measure] - (0.0 if whole else b[measure]) for measure in MEASURES}
            for a, b in zip(full[name], found[name], strict=True)
        ]
        for name in full
    }
    lost["all"] = [row for rows in lost.values() for row in rows]
    return {
        name: {measure: interval([row[measure] for row in rows]) for measure in MEASURES} for name, rows in lost.items()
    }
