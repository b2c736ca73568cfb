"""What each signal of ranking is worth: every question ranked again with one signal's weight at 0, or without a kind.

The worth of a signal is what the measure loses without it, question by question, with the interval of that difference
over questions (a paired bootstrap): one whose interval is around 0 earns no place. Nothing is tuned here.

Skills are chosen beside the recalled list and take no place in it, so on the question sets "no skills" loses nothing by
construction. What they are worth is measured on requests that call for one, which stand apart from `all`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from evals import skill_requests
from evals.datasets import Dataset, Query
from evals.metrics import Estimate, interval
from evals.retrieval import Progress, scores_of, user_of, write
from memory.privacy import redact
from memory.question import read
from memory.ranking import Weights, rank
from memory.text import clean
from stores.errors import BadInput
from stores.recall import LIMIT, MAX_TOKENS, Recalled, choose
from stores.searching import search
from stores.where import conditions

if TYPE_CHECKING:
    from graph.agent import Agent
    from stores.book import MemoryBook

MEASURES = ("R@5", "R@10", "MRR")
FULL, NO_SKILLS, NOTHING = "full", "no skills", "no memory"
ALL, SKILLS = "all", "skills"

SIGNALS: Mapping[str, Weights] = {
    FULL: Weights(),
    **{f"no {field.name}": replace(Weights(), **{field.name: 0.0}) for field in fields(Weights)},
}
KINDS: Mapping[str, Sequence[str]] = {"no episodes": ("fact", "lesson"), "no facts": ("episode", "summary")}

Worth = dict[str, dict[str, Estimate]]
"""By set (and `all`, and the `skills` apart from it), then by measure."""


def run(
    datasets: Iterable[Dataset],
    make_agent: Callable[..., AbstractContextManager[Agent]],
    *,
    progress: Progress | None = None,
) -> dict[str, Worth]:
    """For each variant what full recall has over it, by set and over all questions; `full` itself is given whole.

    `make_agent` opens an agent on a folder, with `skills`, as `open_agent` does. Raises `BadInput` for a set that is
    called like one of our own columns.
    """
    chosen = [*datasets]
    if taken := {ALL, SKILLS}.intersection(dataset.name for dataset in chosen):
        raise BadInput(f"A set cannot be called {taken.pop()!r} here: that is a column of its own. Rename its files.")
    rows: dict[str, dict[str, list[dict[str, float]]]] = defaultdict(lambda: defaultdict(list))
    for dataset in chosen:
        item_of = dataset.item_of()
        with _opened(make_agent) as book:
            write(dataset, book, progress)
            for done, query in enumerate(dataset.queries, 1):
                user_id = user_of(dataset, query.group)
                for variant, recalled in _variants(book, user_id, query).items():
                    found = scores_of(book, user_id, query, recalled, item_of)
                    rows[variant][dataset.name].append({measure: found[measure] for measure in MEASURES})
                if progress:
                    progress(f"{dataset.name}: asking", done, len(dataset.queries))
    with _opened(make_agent) as book:
        asked, without = (skill_requests.scores(book, use_skills=use) for use in (True, False))
    for variant, by_set in rows.items():
        by_set[SKILLS] = without if variant in (NO_SKILLS, NOTHING) else asked
    return {variant: _worth(rows[FULL], by_set, whole=variant == FULL) for variant, by_set in rows.items()}


@contextmanager
def _opened(make_agent: Callable[..., AbstractContextManager[Agent]]) -> Iterator[MemoryBook]:
    """The memory of an agent in a folder of its own, with the bench's skills."""
    with (
        TemporaryDirectory(prefix="palimpsest-ablate-") as folder,
        make_agent(Path(folder), skills=skill_requests.FOLDER) as agent,
    ):
        yield agent.memory


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
    return {**found, NO_SKILLS: found[FULL], NOTHING: ()}


def _worth(
    full: Mapping[str, list[dict[str, float]]], found: Mapping[str, list[dict[str, float]]], *, whole: bool
) -> Worth:
    """The differences by set, over the questions of all sets together, and of skills."""
    lost = {
        name: [
            {measure: a[measure] - (0.0 if whole else b[measure]) for measure in MEASURES}
            for a, b in zip(full[name], found[name], strict=True)
        ]
        for name in full
    }
    skills = lost.pop(SKILLS)
    lost |= {ALL: [row for rows in lost.values() for row in rows], SKILLS: skills}
    return {
        name: {measure: interval([row[measure] for row in rows]) for measure in MEASURES} for name, rows in lost.items()
    }
