"""What each signal of ranking is worth: every question asked again with one signal's weight at 0, or without a kind.

The worth of a signal is what the measure loses without it, question by question, with the interval of that difference
over questions (a paired bootstrap): one whose interval is around 0 earns no place. Nothing is tuned here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from evals.datasets import Dataset
from evals.metrics import Estimate, interval
from evals.retrieval import Progress, scores_of, user_of, write
from memory.ranking import Weights

if TYPE_CHECKING:
    from graph.agent import Agent
    from stores.book import MemoryBook

MEASURES = ("R@5", "R@10")
FULL = "full"
NOTHING = "no memory"

_SIGNALS: Mapping[str, dict[str, Any]] = {
    f"no {field.name}": {"weights": replace(Weights(), **{field.name: 0.0})} for field in fields(Weights)
}
# Skills are chosen beside this list and take no place in it, so leaving them out changes nothing here.
_KINDS: Mapping[str, dict[str, Any]] = {
    "no episodes": {"kinds": ["fact", "lesson"]},
    "no facts": {"kinds": ["episode", "summary"]},
}
VARIANTS: Mapping[str, dict[str, Any]] = {FULL: {}, **_SIGNALS, **_KINDS}
"""What recall is given in each run; `no memory` recalls nothing and is not run."""

Worth = dict[str, dict[str, Estimate]]
"""By set (and `all`), then by measure."""


def run(
    datasets: Iterable[Dataset],
    make_agent: Callable[[Path], AbstractContextManager[Agent]],
    *,
    progress: Progress | None = None,
) -> dict[str, Worth]:
    """For each variant what full recall has over it, by set and over all questions; `full` itself is given whole."""
    rows: dict[str, dict[str, list[dict[str, float]]]] = defaultdict(dict)
    for dataset in datasets:
        with TemporaryDirectory(prefix="palimpsest-ablate-") as folder, make_agent(Path(folder)) as agent:
            write(dataset, agent.memory, progress)
            for done, (variant, options) in enumerate(VARIANTS.items(), 1):
                rows[variant][dataset.name] = _ask(dataset, agent.memory, options)
                if progress:
                    progress(f"{dataset.name}: variants", done, len(VARIANTS))
        rows[NOTHING][dataset.name] = [dict.fromkeys(MEASURES, 0.0) for _ in dataset.queries]
    return {variant: _worth(rows[FULL], found, whole=variant == FULL) for variant, found in rows.items()}


def _ask(dataset: Dataset, book: MemoryBook, options: Mapping[str, Any]) -> list[dict[str, float]]:
    item_of = dataset.item_of()
    rows = []
    for query in dataset.queries:
        user_id = user_of(dataset, query.group)
        recall = book.recall(user_id, query.text, now=query.asked_at, **options)
        found = scores_of(book, user_id, query, recall, item_of)
        rows.append({measure: found[measure] for measure in MEASURES})
    return rows


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
