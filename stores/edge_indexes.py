"""Payload indexes of an Edge shard, each made when there is something to look up by it.

An index is a dozen files of two megabytes: it takes milliseconds to make one and, at each opening, to read it, however
little it holds. A few memories are scanned as fast, and most fields are never asked by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import qdrant_edge as edge
from qdrant_client import models

from stores import edge_config

FEW: Final = 32
"""Points: fewer are scanned. With more, whatever is asked first makes every index (3 ms each), so that no later one
changes a file, and none waits long for it (30 ms each at 5,000 points)."""


class Indexes:
    """The indexes that a collection is to have and its shard has not yet."""

    def __init__(self, shard: edge.EdgeShard, wanted: Mapping[str, models.PayloadFieldSchema]) -> None:
        self._waiting: dict[str, edge.UpdateOperation] = {}
        made = shard.info().payload_schema
        for field, schema in wanted.items():
            key, operation = _creation(field, schema)
            if key not in made:
                self._waiting[field] = operation

    def want(self, shard: edge.EdgeShard, field: str, schema: models.PayloadFieldSchema) -> None:
        """Note an index; one that the shard has already is brought to this schema now."""
        key, operation = _creation(field, schema)
        if key in shard.info().payload_schema:
            shard.update(operation)
        else:
            self._waiting[field] = operation

    def make(self, shard: edge.EdgeShard, by: Sequence[object]) -> None:
        """Make every index, or of few points those alone that a request needs (a facet's or an order's field).

        `by` holds orders and names of fields; anything else (None, a vector) is answered without.
        """
        if not self._waiting:
            return
        enough = shard.info().points_count >= FEW
        fields = set(self._waiting) if enough else {field for part in by for field in _needed(part)}
        for field in fields & self._waiting.keys():
            shard.update(self._waiting[field])
            del self._waiting[field]


def _creation(field: str, schema: models.PayloadFieldSchema) -> tuple[str, edge.UpdateOperation]:
    """The key that an index is on, and the operation that makes it."""
    key, params = edge_config.payload_index(field, schema)
    return key, edge.UpdateOperation.create_field_index(key, params)


def _needed(part: object) -> Iterator[str]:
    """The field that Edge does not answer without: it has no scan for a facet or an order."""
    match part:
        case (str() as field) | models.OrderByQuery(order_by=str() as field):
            yield field
        case models.OrderBy(key=key) | models.OrderByQuery(order_by=models.OrderBy(key=key)):
            yield key
