"""What stands now, found quicker: each point says it of itself, in one field, for as long as it is so.

That a record stood at a moment is two times to compare, and that it had not expired a third; to look at all three of
every point costs a search as much again as scoring it. So a point carries a mark while it stands, which names whose it
is, and a search of what stands now asks for the mark alone. It finds the very points that the times would, as long as
memory has not moved since the moment that is asked about; `stores.past.moved` says that from the ledger.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from langgraph.store.qdrant import _filters as filters
from langgraph.store.qdrant._payload import encode_ns
from langgraph.store.qdrant._plans import Plan, call
from pydantic_core import from_json
from qdrant_client import models

from memory.record import OPEN

MARK: Final = "stands"
"""The payload field of the mark, beside the value. A point that stands no longer has none."""
_PAGE: Final = 512


def mark_of(namespace: Sequence[str], value: Mapping[str, Any]) -> str | None:
    """The mark of a point of ours with this value: whose it is, and whether it expires; None once it has ended."""
    if value.get("end", 0) < OPEN:
        return None
    return _mark(namespace, expires=value.get("expires_ms", OPEN) < OPEN)


def standing(namespace: Sequence[str], now: datetime, *, expiring: bool) -> models.Condition:
    """The condition of what stands of the user of a namespace; `expiring` where some of it may expire."""
    for_good = filters.match(MARK, _mark(namespace, expires=False))
    if not expiring:
        return for_good
    good_yet = filters.within("value.expires_ms", gt=int(now.timestamp() * 1000))
    return filters.either(for_good, filters.every(filters.match(MARK, _mark(namespace, expires=True)), good_yet))


def mark_plan(collection: str, inside: models.Condition) -> Plan[None]:
    """Put marks right: a program from before there were any may have written to this index, also since the last time.

    Only points whose mark does not say what their end does are read.
    """
    unmarked = models.IsEmptyCondition(is_empty=models.PayloadField(key=MARK))
    stands, ended = filters.within("value.end", gte=OPEN), filters.within("value.end", lt=OPEN)
    wrong = filters.either(filters.every(stands, unmarked), filters.every(ended, filters.negate(unmarked)))
    after = None
    while True:
        points, after = yield from call(
            "scroll",
            collection,
            scroll_filter=filters.every(inside, wrong),
            limit=_PAGE,
            offset=after,
            with_payload=["namespace", "value_json"],
            with_vectors=False,
        )
        marked: dict[str | None, list[Any]] = defaultdict(list)
        for point in points:
            mark = mark_of(point.payload["namespace"], from_json(point.payload["value_json"]))
            marked[mark].append(point.id)
        operations = [
            models.SetPayloadOperation(
                set_payload=models.SetPayload(
                    payload={MARK: mark},
                    # A filter rather than the ids: a point deleted meanwhile is then no error.
                    filter=filters.every(models.HasIdCondition(has_id=ids), stands if mark else ended),
                )
            )
            for mark, ids in marked.items()
        ]
        if operations:
            yield from call("batch_update_points", collection, update_operations=operations, wait=True)
        if after is None:
            return


def _mark(namespace: Sequence[str], *, expires: bool) -> str:
    return encode_ns([*namespace[:2], *(["until"] if expires else [])])
