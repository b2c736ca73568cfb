"""LoCoMo as it is published (`locomo10.json`, snap-research/locomo): ten long conversations of two, with questions.

A conversation is a group; a turn is an item `sample_id/dia_id` with its session's time (taken as UTC), its speaker and
the caption of its picture. Questions keep their place as their number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from evals.datasets import Dataset, Item, Query, located
from stores.imports import messages_of

CATEGORIES: Final = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""The names of the numbers that the file has for categories."""

_SESSION: Final = re.compile(r"session_(\d+)")
_TURN: Final = re.compile(r"D:?(\d+):(\d+)")
_TIME: Final = "%I:%M %p on %d %B, %Y"


def reads(rows: Sequence[Any]) -> bool:
    """Whether a file's content has this form."""
    return all(isinstance(row, dict) and "conversation" in row for row in rows)


def read(name: str, rows: Sequence[Mapping[str, Any]], source: str) -> Dataset:
    """The set of a file's content; `source` is what errors call it. Raises `BadInput` with what is wrong and where.

    An adversarial question has evidence too, of what it twists, and is measured by it. Left out, and counted in
    `passed_over`: questions without evidence, and evidence that names no turn. A string may name several turns
    ("D1:3; D2:5"), with a stray colon or leading zeros ("D:1:03").
    """
    items: dict[str, Item] = {}
    groups: set[str] = set()
    queries: list[Query] = []
    passed_over: Counter[str] = Counter()
    for number, row in enumerate(rows, 1):
        place = f"{source}, conversation {number}"
        with located(place):
            group = str(row["sample_id"])
            if group in groups:
                raise ValueError(f"the sample_id {group} is there twice")
            groups.add(group)
            for item in _items(group, row["conversation"], place):
                if item.id in items:
                    raise ValueError(f"the turn {item.id} is there twice")
                items[item.id] = item
            asked = list(row["qa"])
        for i, qa in enumerate(asked):
            with located(f"{place}, question {i + 1}"):
                category = CATEGORIES.get(qa["category"], str(qa["category"]))
                gold, unknown = _gold(group, qa.get("evidence") or (), items)
                query = Query(f"{group}/q{i}", group, str(qa["question"]), category, gold)
            passed_over["evidence that names no turn"] += unknown
            if gold:
                queries.append(query)
            else:
                passed_over["questions without evidence"] += 1
    return Dataset(name, tuple(items.values()), tuple(queries), {why: n for why, n in passed_over.items() if n})


def _items(group: str, conversation: Mapping[str, Any], place: str) -> Iterator[Item]:
    numbers = sorted(int(found[1]) for key in conversation if (found := _SESSION.fullmatch(key)))
    if not numbers:
        raise ValueError("a conversation without sessions")
    for session in numbers:
        with located(f"{place}, session {session}"):
            date = datetime.strptime(conversation[f"session_{session}_date_time"], _TIME).isoformat()  # noqa: DTZ007
            turns = list(conversation[f"session_{session}"])
        for number, turn in enumerate(turns, 1):
            with located(f"{place}, session {session}, turn {number}"):
                row = {
                    "id": f"{group}/{turn['dia_id']}",
                    "group": group,
                    "session": session,
                    "date": date,
                    "speaker": turn["speaker"],
                    "text": turn["text"],
                    "image": turn.get("blip_caption"),
                }
                yield Item(row["id"], group, tuple(messages_of(row, ZoneInfo("UTC"))))


def _gold(group: str, evidence: Sequence[str], items: Mapping[str, Item]) -> tuple[tuple[str, ...], int]:
    """The items that the evidence names, and how many names there are of which no turn is known."""
    found: dict[str, None] = {}
    unknown = 0
    for words in [evidence] if isinstance(evidence, str) else evidence:
        named = [f"{group}/D{int(session)}:{int(turn)}" for session, turn in _TURN.findall(words)]
        known = [item_id for item_id in named if item_id in items]
        found |= dict.fromkeys(known)
        unknown += len(named) - len(known) if named else 1
    return tuple(found), unknown
