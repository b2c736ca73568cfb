"""How long recall takes as one user's memory grows, and as others' memories do; and that others change no ranking.

Every folder is closed after it was filled and opened anew before it is asked, no question comes twice, and the first
questions are told apart from the later ones: the process keeps points that it has read. The operating system's cache of
files is as filling left it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from evals.datasets import Dataset
from evals.embedded import SharedEmbedder
from evals.latency import fill, quantiles, sentences
from evals.retrieval import user_of
from graph import Agent, open_agent
from stores.book import MemoryBook
from stores.recall import Recall

USER_ID: Final = "bench"
FIRST: Final = 20
"""How many questions after opening are the first ones."""
SAME: Final = 5e-6
"""How far two scores of one memory may be apart and still be the same; scores are rounded to six digits."""
_OTHERS_EACH: Final = 1_000

Progress = Callable[[int], None]
Ranking = list[tuple[tuple[str, ...], float]]


@dataclass(frozen=True)
class Measure:
    """Quantiles of recall, in milliseconds: of the first questions after opening and of the later ones.

    `first` and `later` are without the time inside the embedder, `whole` are the later ones with it.
    """

    what: str
    first: dict[str, float]
    later: dict[str, float]
    whole: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON."""
        return dict(self.__dict__)


def questions(records: int, wanted: int) -> list[str]:
    """Different questions about memories from the whole of a user's life; as many as there are records at most."""
    step = max(1, records // wanted)
    return [f"What about {text}?" for text in sentences(records)[::step][:wanted]]


def alone(records: int, wanted: int, embedder: SharedEmbedder, progress: Progress | None = None) -> Measure:
    """One user with so many memories and nobody else."""
    with _filled(embedder, records, 0, progress) as folder, opened(folder, embedder) as agent:
        (seconds,) = _by_turns([agent.memory], questions(records, wanted))
    return _measure(f"{records:,} records of one user", seconds)


def among(
    records: int, others: int, wanted: int, embedder: SharedEmbedder, progress: Progress | None = None
) -> list[Measure]:
    """The same user twice: alone, and among so many memories of others. The two folders are asked by turns."""
    with ExitStack() as stack:
        folders = [stack.enter_context(_filled(embedder, records, n, progress)) for n in (0, others)]
        books = [stack.enter_context(opened(folder, embedder)).memory for folder in folders]
        by_itself, with_others = _by_turns(books, questions(records, wanted))
    return [
        _measure(f"{records:,} records, alone", by_itself),
        _measure(f"{records:,} records among {others:,} of others", with_others),
    ]


@contextmanager
def opened(folder: Path, embedder: SharedEmbedder) -> Iterator[Agent]:
    """An agent on a folder with the shared embedder, and the threshold of the one inside."""
    shared = embedder.open()
    with open_agent(folder, embeddings=shared, extraction_model="rules") as agent:
        agent.memory.scale = shared.embedder.scale
        yield agent


@contextmanager
def _filled(embedder: SharedEmbedder, records: int, others: int, progress: Progress | None) -> Iterator[Path]:
    """A folder with the user's memories, half of what the others have before them and half after."""
    with TemporaryDirectory(prefix="palimpsest-scale-") as folder:
        with opened(Path(folder), embedder) as agent:
            half = -(-others // 2)
            _fill_others(agent, range(0, half, _OTHERS_EACH), half, progress)
            fill(agent, USER_ID, records, progress)
            _fill_others(agent, range(half, others, _OTHERS_EACH), others, progress)
        yield Path(folder)


def _fill_others(agent: Agent, starts: range, end: int, progress: Progress | None) -> None:
    for start in starts:
        fill(agent, f"other {start}", min(_OTHERS_EACH, end - start), progress)


def _by_turns(books: Sequence[MemoryBook], asked: Sequence[str]) -> list[list[dict[str, float]]]:
    """The seconds of each recall by book; the books take turns, so that what else the machine does slows all alike."""
    found: list[list[dict[str, float]]] = [[] for _ in books]
    for i, question in enumerate(asked):
        for place in range(len(books)) if i % 2 else reversed(range(len(books))):
            found[place].append(dict(books[place].recall(USER_ID, question).seconds))
    return found


def _measure(what: str, seconds: Sequence[dict[str, float]]) -> Measure:
    without = [one["total"] - one["embedding"] for one in seconds]
    # A run of fewer questions has no later ones.
    later, whole = (values[FIRST:] or values for values in (without, [one["total"] for one in seconds]))
    return Measure(what, quantiles(without[:FIRST]), quantiles(later), quantiles(whole))


def different_rankings(
    dataset: Dataset, embedder: SharedEmbedder, progress: Callable[[str, int, int], None] | None = None
) -> list[str]:
    """The questions of a set that recall other memories, or in another order, among the other users than alone.

    All groups are users of one folder; then each has a folder of its own. A question's user and time are the same both
    times. Scores count as equal within `SAME`: the index adds a score's parts up in no fixed order.
    """
    groups = dataset.groups()
    now = datetime.now(UTC)
    together = _rankings(dataset, list(groups), embedder, now, _told(progress, f"{dataset.name}: together", groups))
    apart: dict[str, Ranking] = {}
    tell = _told(progress, f"{dataset.name}: each alone", groups)
    for group in groups:
        apart |= _rankings(dataset, [group], embedder, now, tell)
    return [query.text for query in dataset.queries if not _same(together[query.id], apart[query.id])]


def _same(a: Ranking, b: Ranking) -> bool:
    if [messages for messages, _ in a] != [messages for messages, _ in b]:
        return False
    return all(abs(x - y) <= SAME for (_, x), (_, y) in zip(a, b, strict=True))


def _rankings(
    dataset: Dataset, groups: Sequence[str], embedder: SharedEmbedder, now: datetime, tell: Progress
) -> dict[str, Ranking]:
    """What each question of these groups recalls: for each memory the messages that it came from, and its score."""
    found: dict[str, Ranking] = {}
    with TemporaryDirectory(prefix="palimpsest-scale-") as folder, opened(Path(folder), embedder) as agent:
        by_group = dataset.groups()
        for group in groups:
            messages = [message for item in by_group[group][0] for message in item.messages]
            agent.memory.import_messages(user_of(dataset, group), messages, progress=tell)
        for group in groups:
            for query in by_group[group][1]:
                recall = agent.memory.recall(user_of(dataset, group), query.text, now=query.asked_at or now)
                found[query.id] = _ranking(recall)
    return found


def _ranking(recall: Recall) -> Ranking:
    return [(tuple(one.memory.message_ids) or (one.memory.text,), one.score) for one in recall.results]


def _told(progress: Callable[[str, int, int], None] | None, what: str, groups: dict[str, Any]) -> Progress:
    total = sum(len(item.messages) for items, _ in groups.values() for item in items)
    done = 0

    def tell(more: int) -> None:
        nonlocal done
        done += more
        if progress:
            progress(what, done, total)

    return tell
