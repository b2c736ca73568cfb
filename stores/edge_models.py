"""Translating `qdrant_client.models` into `qdrant_edge`, in pure functions.

Only what the memory index uses is translated; anything else is a `TypeError` that names it, never a silent loss.

Edge 0.9.0 takes `MatchValue(True)` for the integer 1. Booleans are therefore mirrored: `mirrored` writes beside each
key that holds booleans a hidden key with the same value as text, `condition` asks that key instead, and `unmirrored`
takes it out again. The mirror stands in the same object, so nested conditions find it too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, cast

import qdrant_edge as edge
from pydantic import BaseModel
from qdrant_client import models

MIRROR: Final = "__boolean_as_text"
"""The suffix of the hidden key that holds a key's booleans as text."""

_LAST_KEY = re.compile(r'("?)((?:\[\d*\])*)$')


def refuse(model: BaseModel, *translated: str) -> None:
    """Raise `TypeError` when `model` sets a field that is not translated."""
    for name in type(model).model_fields:
        if name not in translated and getattr(model, name) not in (None, False):
            raise TypeError(f"EdgeClient does not translate {type(model).__name__}.{name}")


def unknown(what: str, value: object) -> TypeError:
    """The error for a value of a type that is not translated."""
    return TypeError(f"EdgeClient does not translate the {what} {type(value).__name__}")


# -- booleans


def mirror_key(key: str) -> str:
    """The JSON path of the hidden key beside `key`: the suffix joins the last name, inside its quotes."""
    return _LAST_KEY.sub(rf"{MIRROR}\1\2", key, count=1)


def _as_text(value: Any) -> Any:
    """The booleans of a value as text (in lists at the same place, other elements null), or None if there are none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        texts = [_as_text(element) for element in value]
        return texts if any(text is not None for text in texts) else None
    return None


def mirrored(value: Any) -> Any:
    """A copy of a JSON value with a hidden text key beside each key that holds booleans."""
    if isinstance(value, Mapping):
        out = {key: mirrored(child) for key, child in value.items()}
        texts = ((f"{key}{MIRROR}", _as_text(child)) for key, child in value.items())
        return out | {key: text for key, text in texts if text is not None}
    if isinstance(value, list):
        return [mirrored(element) for element in value]
    return value


def unmirrored(value: Any) -> Any:
    """The value without hidden keys: the inverse of `mirrored`."""
    if isinstance(value, dict):
        return {key: unmirrored(child) for key, child in value.items() if not is_mirror(key, value)}
    if isinstance(value, list):
        return [unmirrored(element) for element in value]
    return value


def is_mirror(key: str, beside: Mapping[str, Any]) -> bool:
    """Whether `key` was put there by `mirrored`; a user's own key of that ending, without its base, was not."""
    return key.endswith(MIRROR) and key.removesuffix(MIRROR) in beside


# -- conditions


def filter_(flt: models.Filter | None) -> edge.Filter | None:
    """A filter and everything in it."""
    if flt is None:
        return None
    if flt.min_should is None:
        return edge.Filter(must=_all(flt.must), should=_all(flt.should), must_not=_all(flt.must_not))
    at_least = edge.MinShould(_all(flt.min_should.conditions) or [], flt.min_should.min_count)
    return edge.Filter(must=_all(flt.must), should=_all(flt.should), must_not=_all(flt.must_not), min_should=at_least)


def _all(conditions: Any) -> list[edge.ConditionType] | None:
    if conditions is None:
        return None
    many = conditions if isinstance(conditions, Sequence) else [conditions]
    return [condition(one) for one in many]


def condition(value: object) -> edge.ConditionType:
    """One condition; an untranslated one raises `TypeError`."""
    match value:
        case models.Filter():
            return cast("edge.Filter", filter_(value))
        case models.FieldCondition():
            return _field_condition(value)
        case models.HasIdCondition(has_id=ids):
            return edge.HasIdCondition({point_id(one) for one in cast("Sequence[Any]", ids)})
        case models.HasVectorCondition(has_vector=name):
            return edge.HasVectorCondition(name)
        case models.IsEmptyCondition(is_empty=field):
            return edge.IsEmptyCondition(field.key)
        case models.IsNullCondition(is_null=field):
            return edge.IsNullCondition(field.key)
        case models.NestedCondition(nested=nested):
            return edge.NestedCondition(nested.key, cast("edge.Filter", filter_(nested.filter)))
    raise unknown("condition", value)


def _field_condition(value: models.FieldCondition) -> edge.FieldCondition:
    refuse(value, "key", "match", "range", "values_count")
    key = value.key
    match: edge.MatchType | None = None
    if value.match is not None:
        if isinstance(value.match, models.MatchValue) and isinstance(value.match.value, bool):
            key = mirror_key(key)
        match = _match(value.match)
    if sum(part is not None for part in (value.match, value.range, value.values_count)) != 1:
        raise TypeError(f"EdgeClient wants exactly one of match, range and values_count on {value.key!r}")
    count = value.values_count
    return edge.FieldCondition(
        key,
        match=match,
        range=None if value.range is None else _range(value.range),
        values_count=edge.ValuesCount(lt=count.lt, gt=count.gt, lte=count.lte, gte=count.gte) if count else None,
    )


def _match(value: object) -> edge.MatchType:
    match value:
        case models.MatchValue(value=bool() as boolean):
            return edge.MatchValue(_as_text(boolean))
        case models.MatchValue(value=scalar):
            return edge.MatchValue(scalar)
        case models.MatchAny(any=values):
            return edge.MatchAny(cast("Any", list(values)))
        case models.MatchExcept():
            return edge.MatchExcept(cast("Any", list(value.except_)))
    raise unknown("match", value)


def _range(value: object) -> edge.RangeType:
    match value:
        case models.DatetimeRange():
            return edge.RangeDateTime(gte=_iso(value.gte), gt=_iso(value.gt), lte=_iso(value.lte), lt=_iso(value.lt))
        case models.Range():
            return edge.RangeFloat(gte=value.gte, gt=value.gt, lte=value.lte, lt=value.lt)
    raise unknown("range", value)


def _iso(value: object) -> str | None:
    if value is None:
        return None
    return value.isoformat() if isinstance(value, datetime) else str(value)


# -- points, vectors and queries


def point_id(value: object) -> int | str:
    """A point id as `qdrant_client` gives it: an integer, or the text of a UUID."""
    return value if isinstance(value, int) else str(value)


def vectors(named: Mapping[str, Any]) -> dict[str, edge.NamedVector]:
    """The named vectors of a point: dense, multi or sparse."""
    return {name: _vector(value) for name, value in named.items()}


def _vector(value: Any) -> edge.NamedVector:
    match value:
        case models.SparseVector(indices=indices, values=values):
            return edge.SparseVector(indices, values)
        case list():
            return value
    raise unknown("vector", value)


def point(value: models.PointStruct) -> edge.Point:
    """A point with named vectors (none is allowed) and the mirrored payload."""
    named = {} if value.vector is None else value.vector
    if not isinstance(named, Mapping):
        raise TypeError("EdgeClient wants named vectors")
    return edge.Point(point_id(value.id), cast("Any", vectors(named)), mirrored(value.payload or {}))


def point_vectors(value: models.PointVectors) -> tuple[int | str, Any]:
    """The id and the named vectors of an update."""
    if not isinstance(value.vector, Mapping):
        raise TypeError("EdgeClient wants named vectors")
    return point_id(value.id), vectors(value.vector)


def set_payload(value: object) -> list[edge.UpdateOperation]:
    """The operations that set payload keys: the keys, and what stood in their mirrors before removed."""
    if not isinstance(value, models.SetPayloadOperation):
        raise unknown("operation", value)
    change = value.set_payload
    refuse(change, "payload", "points", "filter")
    payload = mirrored(change.payload)
    stale = [f"{key}{MIRROR}" for key in change.payload if f"{key}{MIRROR}" not in payload]
    if change.points is not None:
        ids = cast("list[edge.PointId]", [point_id(one) for one in change.points])
        drop, write = edge.UpdateOperation.delete_payload, edge.UpdateOperation.set_payload
        return [drop(ids, stale), write(ids, payload)]
    flt = filter_(change.filter) or edge.Filter()
    return [
        edge.UpdateOperation.delete_payload_by_filter(flt, stale),
        edge.UpdateOperation.set_payload_by_filter(flt, payload),
    ]


@dataclass(slots=True)
class Found:
    """A point as `QdrantClient` returns it, without hidden keys: the part of `Record` and `ScoredPoint` that is used.

    Building the pydantic models themselves took longer than Edge's search.
    """

    id: int | str
    payload: dict[str, Any] | None
    vector: Any = None
    score: float = 0.0


def record(value: edge.Record, bare: bool = False) -> Found:
    """A stored point; `bare` when neither payload nor vector was asked for."""
    if bare:  # to look at what is not there takes Edge longer than all the rest
        return Found(point_id(value.id), None)
    return Found(point_id(value.id), unmirrored(value.payload), _vectors_back(value.vector))


def scored(points: Sequence[edge.ScoredPoint], bare: bool = False) -> list[Found]:
    """The points that a query found; `bare` when neither payload nor vector was asked for."""
    if bare:  # in one piece: a recall reads some three hundred
        return [Found(i if isinstance(i := one.id, int) else str(i), None, None, one.score) for one in points]
    return [Found(point_id(one.id), unmirrored(one.payload), _vectors_back(one.vector), one.score) for one in points]


def _vectors_back(named: Any) -> Any:
    if named is None or not isinstance(named, Mapping):
        return named
    return {
        name: models.SparseVector(indices=one.indices, values=one.values) if isinstance(one, edge.SparseVector) else one
        for name, one in named.items()
    }


Translate = Callable[[models.Filter | None], edge.Filter | None]


def query_request(value: models.QueryRequest, translated: Translate = filter_) -> edge.QueryRequest:
    """A request of one stage: nearest to a dense, multi or sparse vector, or ordered by a field, or neither."""
    refuse(
        value,
        *("query", "using", "filter", "params", "limit", "offset", "with_payload", "with_vector", "score_threshold"),
    )
    return edge.QueryRequest(
        limit=10 if value.limit is None else value.limit,
        offset=value.offset,
        query=None if value.query is None else _query(value.query, value.using),
        filter=translated(value.filter),
        score_threshold=value.score_threshold,
        params=None if value.params is None else search_params(value.params, translated),
        with_payload=selected(value.with_payload),
        with_vector=bool(value.with_vector),
    )


def _query(value: object, using: str | None) -> edge.ScoringQueryType:
    match value:
        case models.OrderByQuery(order_by=str() as key):
            return edge.OrderBy(key)
        case models.OrderByQuery(order_by=models.OrderBy() as order):
            return order_by(order)
        case models.NearestQuery(nearest=vector, mmr=None):
            return edge.Query.Nearest(_vector(vector), using=using)
        case models.SparseVector() | list():
            return edge.Query.Nearest(_vector(value), using=using)
    raise unknown("query", value)


def order_by(value: models.OrderBy) -> edge.OrderBy:
    """An order over a payload field that has a range index."""
    refuse(value, "key", "direction")
    down = value.direction == models.Direction.DESC
    return edge.OrderBy(value.key, edge.Direction.Desc if down else edge.Direction.Asc)


def search_params(value: models.SearchParams, translated: Translate = filter_) -> edge.SearchParams:
    """How to search, with the corpus over which IDF is counted."""
    refuse(value, "hnsw_ef", "exact", "indexed_only", "idf")
    idf: edge.IdfParams | None = None
    match value.idf:
        case models.IdfCorpusParams(corpus=corpus):
            idf = edge.IdfParams(translated(corpus))
        case None | models.IdfScope.GLOBAL:
            pass
        case other:
            raise unknown("IDF scope", other)
    return edge.SearchParams(
        hnsw_ef=value.hnsw_ef, exact=bool(value.exact), indexed_only=bool(value.indexed_only), idf=idf
    )


def selected(with_payload: Any) -> bool | list[str]:
    """Which payload comes back: all, none, or some keys (with the hidden ones of booleans left out)."""
    match with_payload:
        case None | bool():
            return bool(with_payload)
        case list() | tuple():
            return [str(key) for key in with_payload]
        case models.PayloadSelectorInclude(include=keys):
            return list(keys)
    raise unknown("payload selector", with_payload)
