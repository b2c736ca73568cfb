"""What every peer is told and asked: a question set as it is, and one user's memory of a given size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from evals.datasets import Dataset, Query
from evals.latency import sentences
from stores.imports import ImportedMessage


@dataclass(frozen=True)
class Asked:
    """A question of a user, the items that answer it, and when it is asked (None for the present)."""

    user_id: str
    text: str
    gold: tuple[str, ...]
    at: datetime | None


@dataclass(frozen=True)
class Place:
    """What is said by each user, in order, and what is asked; `item_of` has the item of a message id."""

    name: str
    said: Mapping[str, Sequence[ImportedMessage]]
    asked: Sequence[Asked]
    item_of: Mapping[str, str]

    def records(self) -> int:
        """How many messages there are."""
        return sum(map(len, self.said.values()))


def whole(dataset: Dataset) -> Place:
    """A set as it is: each group a user."""
    said = {group: [m for item in items for m in item.messages] for group, (items, _) in dataset.groups().items()}
    asked = [_asked(query.group, query) for query in dataset.queries]
    return Place(dataset.name, said, asked, dataset.item_of())


def one_user(dataset: Dataset, others: Iterable[Dataset], records: int, questions: int, room: int) -> Place:
    """One user with so many messages: whole groups of a set, and among them what others said and made-up sentences.

    The groups are the first ones that fit into `room` together, the same for every size, and so are the questions: at
    most `questions`, evenly spread over theirs. When `records` is less than the groups have, there are as many as they
    have. What is not theirs comes first: the user's own words are the later ones.
    """
    own: list[ImportedMessage] = []
    queries: list[Query] = []
    groups: set[str] = set()
    for group, (items, asked) in dataset.groups().items():
        messages = [m for item in items for m in item.messages]
        if not own or len(own) + len(messages) <= room:
            own += messages
            queries += asked
            groups.add(group)
    rest = _others((dataset, *others), {item.id for item in dataset.items if item.group in groups})
    missing = max(0, records - len(own))
    said = [*_made_up(missing - len(rest)), *_apart(rest[:missing]), *own]
    step = max(1, -(-len(queries) // questions))
    asked_of = [_asked("one", query) for query in queries[::step]]
    return Place(f"{len(said):,} records", {"one": said}, asked_of, dataset.item_of())


def _others(datasets: Iterable[Dataset], known: set[str]) -> list[ImportedMessage]:
    """What the items say that are not known, each once: two sets may share items (parallel sides asked across)."""
    items = {item.id: item for dataset in datasets for item in dataset.items if item.id not in known}
    return [message for item in items.values() for message in item.messages]


def _asked(user_id: str, query: Query) -> Asked:
    return Asked(user_id, query.text, query.gold, query.asked_at)


def _apart(messages: Iterable[ImportedMessage]) -> list[ImportedMessage]:
    """The same words in other threads under other ids: other sets may have the ids of this one."""
    return [
        ImportedMessage(f"rest/{i}", m.text, f"rest/{m.thread_id}", m.speaker, m.said_at, m.subject)
        for i, m in enumerate(messages)
    ]


def _made_up(records: int) -> list[ImportedMessage]:
    start = datetime(2020, 1, 1, tzinfo=UTC)
    return [
        ImportedMessage(f"made up/{i}", text, f"made up/{i // 100}", said_at=start + timedelta(minutes=i))
        for i, text in enumerate(sentences(max(0, records)))
    ]
