"""Question sets for recall: what was said, in order, what is asked, and which items answer it.

A set is two files of JSON lines (plain or gzipped), `NAME_items` and `NAME_queries`. Items hold `id`, `group` (one
user's memory), `date`, `text`, and optionally `session`, `speaker`, `image` or `user` and `assistant`; queries `id`,
`group`, `text`, `category`, `gold` (item ids) and optionally `date` and `stale`. Times without an offset are UTC.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from stores.errors import BadInput
from stores.imports import ImportedMessage, messages_of

OWN = Path(__file__).parent / "data"
"""The folder of the set that comes with the package."""

# Two sides that say the same in two languages, under the same ids: each is asked in the other's language too.
_PARALLEL = "memorybank"
_CROSS_CATEGORY = "aligned"
_SUFFIXES = (".jsonl", ".jsonl.gz")
T = TypeVar("T", "Item", "Query")


@dataclass(frozen=True)
class Item:
    """One thing said (or one exchange), as the messages that an import writes: their ids are `id`, or `id`/side."""

    id: str
    group: str
    messages: tuple[ImportedMessage, ...]


@dataclass(frozen=True)
class Query:
    """One question and the items that answer it; `stale` once did. `asked_at` is aware, None for the present."""

    id: str
    group: str
    text: str
    category: str
    gold: tuple[str, ...]
    stale: tuple[str, ...] = ()
    asked_at: datetime | None = None


@dataclass(frozen=True)
class Dataset:
    """A named set: all items in the order they were said within their group, and the questions that have an answer."""

    name: str
    items: tuple[Item, ...]
    queries: tuple[Query, ...]
    passed_over: Mapping[str, int] = field(default_factory=dict)
    """Why questions, or items that should answer them, were left out while reading, and how many for each reason."""

    def groups(self) -> dict[str, tuple[list[Item], list[Query]]]:
        """Items and questions by group, in order."""
        found: dict[str, tuple[list[Item], list[Query]]] = {}
        for item in self.items:
            found.setdefault(item.group, ([], []))[0].append(item)
        for query in self.queries:
            found[query.group][1].append(query)
        return found

    def item_of(self) -> dict[str, str]:
        """The item of each message id."""
        return {message.message_id: item.id for item in self.items for message in item.messages}


def load(folder: Path) -> list[Dataset]:
    """Every set in a folder, by name, and the cross-lingual ones where both sides are there.

    Questions without gold are left out. Raises `BadInput` for a folder without sets, a file that is not what it should
    be, an id that comes twice and gold that is no item of the question's group.
    """
    names = sorted({path.name.partition("_items.jsonl")[0] for path in folder.glob("*_items.jsonl*")})
    if not names:
        raise BadInput(f"{folder} holds no question set (NAME_items.jsonl and NAME_queries.jsonl, or .jsonl.gz).")
    sets = {name: _load(folder, name) for name in names}
    for asked, kept in (("zh", "en"), ("en", "zh")):
        questions, memory = sets.get(f"{_PARALLEL}_{asked}"), sets.get(f"{_PARALLEL}_{kept}")
        if questions and memory:
            cross = _cross(f"{_PARALLEL}_{asked}_on_{kept}", questions, memory)
            sets[cross.name] = cross
    return list(sets.values())


def _load(folder: Path, name: str) -> Dataset:
    items = _read(_file(folder, f"{name}_items"), _item)
    queries = [query for query in _read(_file(folder, f"{name}_queries"), _query) if query.gold]
    group_of = {item.id: item.group for item in items}
    for query in queries:
        for item_id in (*query.gold, *query.stale):
            if group_of.get(item_id) != query.group:
                raise BadInput(f"Question {query.id} of {name}: {item_id} is no item of group {query.group}.")
    return Dataset(name, tuple(items), tuple(queries))


def _cross(name: str, questions: Dataset, memory: Dataset) -> Dataset:
    ids = {item.id for item in memory.items}
    asked = (query for query in questions.queries if query.category == _CROSS_CATEGORY)
    return Dataset(name, memory.items, tuple(query for query in asked if ids.issuperset(query.gold)))


def _item(row: dict[str, Any]) -> Item:
    return Item(str(row["id"]), str(row["group"]), tuple(messages_of(row, ZoneInfo("UTC"))))


def _query(row: dict[str, Any]) -> Query:
    asked_at = datetime.fromisoformat(row["date"]) if row.get("date") else None
    if asked_at is not None and asked_at.tzinfo is None:
        asked_at = asked_at.replace(tzinfo=UTC)
    return Query(
        id=str(row["id"]),
        group=str(row["group"]),
        text=str(row["text"]),
        category=str(row["category"]),
        gold=tuple(row["gold"]),
        stale=tuple(row.get("stale") or ()),
        asked_at=asked_at,
    )


def _file(folder: Path, stem: str) -> Path:
    for suffix in _SUFFIXES:
        path = folder / f"{stem}{suffix}"
        if path.is_file():
            return path
    raise BadInput(f"{folder} holds no {stem}.jsonl or {stem}.jsonl.gz.")


def _read(path: Path, build: Callable[[dict[str, Any]], T]) -> list[T]:
    found: dict[str, T] = {}
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                with located(f"{path}, line {number}"):
                    built = build(json.loads(line))
                if built.id in found:
                    raise BadInput(f"{path}, line {number}: the id {built.id} is there twice.")
                found[built.id] = built
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read ({error}).") from error
    return list(found.values())


@contextmanager
def located(place: str) -> Iterator[None]:
    """Say where in a file something stands that cannot be used. Raises `BadInput`; one raised inside stays as it is."""
    try:
        yield
    except BadInput:
        raise
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        what = f"no {error}" if isinstance(error, KeyError) else error
        raise BadInput(f"{place}: {what}.") from error


def choose(sets: Iterable[Dataset], names: Sequence[str]) -> list[Dataset]:
    """The sets of these names, in their order; all of them when none is named. Raises `BadInput` for an unknown one."""
    known = {dataset.name: dataset for dataset in sets}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise BadInput(f"No set {', '.join(unknown)} here; there are {', '.join(known)}.")
    return [known[name] for name in names] or list(known.values())
