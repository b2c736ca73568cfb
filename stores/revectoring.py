"""Vectors made anew for points that are there already: the dense ones that a failing embedder left out, and the sparse
ones that an encoder of another version made. Plans for `stores.qdrant_store`; nothing else of a point changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from langgraph.store.qdrant import _filters as filters
from langgraph.store.qdrant._payload import encode_ns
from langgraph.store.qdrant._plans import EmbedDocuments, Plan, call
from langgraph.store.qdrant.base import VECTOR_NAME
from pydantic_core import from_json
from qdrant_client import models

from stores.candidates import SparseEncoder

BM25: Final = "bm25"
"""The name of the sparse vector."""
UNDENSE: Final = filters.negate(models.HasVectorCondition(has_vector=VECTOR_NAME))
"""The points without a dense vector."""
_PAGE: Final = 512

Checked = Callable[[Any, int], list[list[float]]]
"""Takes what an embedder gave for so many texts, and gives it back as vectors, or raises."""


def sparse_of(encoder: SparseEncoder, namespace: Sequence[str], texts: Sequence[str]) -> dict[str, Any]:
    """The named sparse vector of a point in a namespace; nothing where its texts have no terms."""
    indices, weights = encoder.document("\n".join(texts), owner_of(namespace))
    return {BM25: models.SparseVector(indices=indices, values=weights)} if indices else {}


def owner_of(namespace: Sequence[str]) -> str:
    """Whose terms a namespace has: those of its first two labels, which of our own are the root and the user."""
    return encode_ns(tuple(namespace[:2]))


def embed_plan(collection: str, limit: int, inside: models.Condition, checked: Checked) -> Plan[int]:
    """Give dense vectors to at most `limit` points that have none and something to embed; returns how many had."""
    points, _ = yield from call(
        "scroll",
        collection,
        scroll_filter=filters.every(inside, UNDENSE),
        limit=limit,
        with_payload=["value_json"],
        with_vectors=False,
    )
    texts = [(p.id, text) for p in points if (text := _text(p.payload))]
    if not texts:
        return 0
    vectors = checked((yield EmbedDocuments([text for _, text in texts])), len(texts))
    given = [
        models.PointVectors(id=pid, vector={VECTOR_NAME: [vector]})
        for (pid, _), vector in zip(texts, vectors, strict=True)
    ]
    yield from call("update_vectors", collection, points=given, wait=True)
    return len(given)


def respell_plan(collection: str, inside: models.Condition, encoder: SparseEncoder) -> Plan[None]:
    """Make the sparse vector of every point that has one again by this encoder."""
    spelled = filters.every(inside, models.HasVectorCondition(has_vector=BM25))
    after = None
    while True:
        points, after = yield from call(
            "scroll",
            collection,
            scroll_filter=spelled,
            limit=_PAGE,
            offset=after,
            with_payload=["namespace", "value_json"],
            with_vectors=False,
        )
        given = [
            models.PointVectors(id=p.id, vector=sparse_of(encoder, p.payload["namespace"], [_text(p.payload)]))
            for p in points
        ]
        if given:
            yield from call("update_vectors", collection, points=given, wait=True)
        if after is None:
            return


def _text(payload: dict[str, Any]) -> str:
    text: str = from_json(payload["value_json"]).get("text") or ""
    return text
