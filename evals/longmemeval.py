"""LongMemEval as it is published (`longmemeval_s.json` and its kin): a question, and a haystack of sessions of its own.

A question is a group, asked at its `question_date`; a turn is an item `question_id/session_id/place`, the places of a
session counted from 0, with its session's time. Times are taken as UTC. Gold are the turns that are marked with
`has_answer`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from evals.datasets import Dataset, Item, Query, located
from stores.imports import ImportedMessage

_ROLES: Final = ("user", "assistant")
_TIME: Final = "%Y/%m/%d %H:%M"


def reads(rows: Sequence[Any]) -> bool:
    """Whether a file's content has this form."""
    return all(isinstance(row, dict) and "haystack_sessions" in row for row in rows)


def read(name: str, rows: Sequence[Mapping[str, Any]], source: str) -> Dataset:
    """The set of a file's content; `source` is what errors call it. Raises `BadInput` with what is wrong and where.

    Left out, and counted in `passed_over`: questions of which no turn is marked (those that cannot be answered), with
    their haystacks, and turns without words.
    """
    items: list[Item] = []
    queries: dict[str, Query] = {}
    passed_over: Counter[str] = Counter()
    for number, row in enumerate(rows, 1):
        place = f"{source}, question {number}"
        with located(place):
            group = str(row["question_id"])
            if group in queries:
                raise ValueError(f"the question_id {group} is there twice")
            turns = list(_turns(group, row, place))
            gold = tuple(item.id for item, answers in turns if answers and item.messages[0].text.strip())
            query = Query(
                id=group,
                group=group,
                text=str(row["question"]),
                category=str(row["question_type"]),
                gold=gold,
                asked_at=_time(row["question_date"]),
            )
        if not gold:
            passed_over["questions of which no turn is marked"] += 1
            continue
        queries[group] = query
        said = [item for item, _ in turns if item.messages[0].text.strip()]
        passed_over["turns without words"] += len(turns) - len(said)
        items += said
    return Dataset(name, tuple(items), tuple(queries.values()), {why: n for why, n in passed_over.items() if n})


def _turns(group: str, row: Mapping[str, Any], place: str) -> Iterator[tuple[Item, bool]]:
    """Every turn of a haystack in the order in which the sessions were held, and whether it answers the question.

    A haystack may hold a session twice; the second is another one then.
    """
    ids, dates, sessions = (row[f"haystack_{what}"] for what in ("session_ids", "dates", "sessions"))
    if not len(ids) == len(dates) == len(sessions):
        raise ValueError(f"{len(ids)} session ids, {len(dates)} dates and {len(sessions)} sessions")
    times: Counter[str] = Counter()
    held = []
    for number, (name, date, turns) in enumerate(zip(ids, dates, sessions, strict=True), 1):
        times[name] += 1
        session = str(name) if times[name] == 1 else f"{name} ({times[name]})"
        with located(f"{place}, session {number}"):
            held.append((_time(date), session, list(turns), number))
    for said_at, session, turns, number in sorted(held, key=lambda one: one[0]):
        for i, turn in enumerate(turns):
            with located(f"{place}, session {number}, turn {i + 1}"):
                if turn["role"] not in _ROLES:
                    raise ValueError(f"the role {turn['role']!r} is not one of {', '.join(_ROLES)}")
                item_id = f"{group}/{session}/{i}"
                said = ImportedMessage(item_id, str(turn["content"]), f"{group}/{session}", turn["role"], said_at)
                yield Item(item_id, group, (said,)), bool(turn.get("has_answer"))


def _time(text: str) -> datetime:
    """A time such as `2023/05/20 (Sat) 02:21`."""
    day, _, rest = text.partition(" ")
    return datetime.strptime(f"{day} {rest.rpartition(' ')[2]}", _TIME).replace(tzinfo=UTC)
