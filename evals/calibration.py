"""Where an embedder's cosines begin to mean something: the numbers of its `Scale`, and how well they hold.

Questions are asked of the memory that answers them and of another group's, which does not. The floor is the mean cosine
of questions and texts of other groups. The threshold is the largest at which hardly any question loses its own memory;
it is chosen without one fold of the groups and judged on that fold, so no question judges what it helped to choose.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from evals.datasets import Dataset, Query
from evals.retrieval import Progress, user_of, write
from memory.text import Language, language
from stores.embeddings import Embedder

if TYPE_CHECKING:
    from graph.agent import Agent
    from stores.book import MemoryBook

LOSS = 0.01
"""The share of own questions that may be refused where the threshold is chosen."""
_FOLDS = 5
_MOST = 0.95
"""No threshold above this: where every question passes any, a cosine may still be 1."""
_SAMPLE = 200


@dataclass(frozen=True)
class Pair:
    """A question asked of a memory. `passes_at` is the largest threshold at which anything is found relevant."""

    dataset: str
    group: str
    language: Language
    own: bool
    near: bool
    passes_at: float


class Judged(TypedDict):
    """Shares at the thresholds chosen without the fold: of own questions lost, of other groups' questions refused."""

    own: int
    lost: float
    others: int
    refused: float


class Calibration(TypedDict):
    """The scale that was found, and how it was judged on groups that had no say in it: in all, by language, by set."""

    floor: float
    threshold: float
    judged: dict[str, Judged]


def run(
    datasets: Iterable[Dataset],
    make_agent: Callable[[Path], AbstractContextManager[Agent]],
    embedder: Embedder,
    *,
    progress: Progress | None = None,
    seed: int = 0,
) -> Calibration:
    """Measure the scale of `embedder`, the one that `make_agent` opens its agents with."""
    kept = list(datasets)
    rng = random.Random(seed)
    floor = _floor(kept, embedder, rng)
    pairs: list[Pair] = []
    with ExitStack() as opened:
        books: dict[str, MemoryBook] = {}
        for dataset in kept:
            folder = opened.enter_context(TemporaryDirectory(prefix="palimpsest-calibrate-"))
            books[dataset.name] = opened.enter_context(make_agent(Path(folder))).memory
            write(dataset, books[dataset.name], progress)
        for dataset in kept:
            for done, query in enumerate(dataset.queries, 1):
                pairs += _ask(dataset, query, kept, books, floor, rng)
                if progress:
                    progress(f"{dataset.name}: asking", done, len(dataset.queries))
    return {"floor": round(floor, 3), "threshold": round(_threshold(pairs), 3), "judged": _judge(pairs)}


def _floor(datasets: Sequence[Dataset], embedder: Embedder, rng: random.Random) -> float:
    """The mean cosine of questions and texts that belong to different groups."""
    questions = [(d.name, q.group, q.text) for d in datasets for q in d.queries]
    texts = [(d.name, i.group, m.text) for d in datasets for i in d.items for m in i.messages]
    asked, said = (rng.sample(rows, min(_SAMPLE, len(rows))) for rows in (questions, texts))
    left = np.array([embedder.embeddings.embed_query(text) for _, _, text in asked])
    right = np.array(embedder.embeddings.embed_documents([text for _, _, text in said]))
    apart = np.array([[a[1] != b[1] for b in said] for a in asked])
    cosines = (left @ right.T) / np.outer(np.linalg.norm(left, axis=1), np.linalg.norm(right, axis=1))
    return float(cosines[apart].mean())


def _ask(
    dataset: Dataset,
    query: Query,
    datasets: Sequence[Dataset],
    books: dict[str, MemoryBook],
    floor: float,
    rng: random.Random,
) -> list[Pair]:
    """A question asked of its own memory, of another group of its set, and of a group of another set."""
    places: list[tuple[Dataset, str]] = [(dataset, query.group)]
    if others := [group for group in dataset.groups() if group != query.group]:
        places.append((dataset, rng.choice(others)))
    if far := [one for one in datasets if not {i.group for i in one.items} & {i.group for i in dataset.items}]:
        other = rng.choice(far)
        places.append((other, rng.choice(list(other.groups()))))
    found = []
    for place, group in places:
        signs = books[place.name].relevance(user_of(place, group), query.text, now=query.asked_at)
        own = place is dataset and group == query.group
        passes_at = -1.0 if signs is None else _passes_at(*signs, floor)
        found.append(
            Pair(dataset.name, query.group, language(query.text), own, place is dataset and not own, passes_at)
        )
    return found


def _passes_at(best: float, others: float, floor: float) -> float:
    """The largest threshold that `best + (threshold - floor) * others` reaches."""
    return (best - floor * others) / (1 - others) if others < 1 else float("inf")


def _threshold(pairs: Iterable[Pair]) -> float:
    own = np.sort([pair.passes_at for pair in pairs if pair.own])
    return float(min(own[int(LOSS * len(own))], _MOST))


def _judge(pairs: Sequence[Pair]) -> dict[str, Judged]:
    groups = sorted({pair.group for pair in pairs})
    fold = {group: i % _FOLDS for i, group in enumerate(groups)}
    thresholds = [_threshold(p for p in pairs if fold[p.group] != i) for i in range(min(_FOLDS, len(groups)))]
    kinds: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        for kind in ("all", pair.language, pair.dataset):
            kinds[kind].append(pair)
        if not pair.own:
            kinds["others of the same set" if pair.near else "others of another set"].append(pair)

    def share(some: Sequence[Pair]) -> float:
        return float(np.mean([p.passes_at < thresholds[fold[p.group]] for p in some])) if some else float("nan")

    judged = {}
    for kind, some in kinds.items():
        own, others = ([p for p in some if p.own is wanted] for wanted in (True, False))
        judged[kind] = Judged(own=len(own), lost=share(own), others=len(others), refused=share(others))
    return judged
