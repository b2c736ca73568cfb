"""A collection's vectors and payload indexes in Qdrant Edge's terms, in pure functions beside `stores.edge_models`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import qdrant_edge as edge
from qdrant_client import models

from stores.edge_models import mirror_key, refuse, unknown

_DISTANCES: Final = {
    models.Distance.COSINE: edge.Distance.Cosine,
    models.Distance.DOT: edge.Distance.Dot,
    models.Distance.EUCLID: edge.Distance.Euclid,
    models.Distance.MANHATTAN: edge.Distance.Manhattan,
}
_DATATYPES: Final = {
    models.Datatype.FLOAT32: edge.VectorStorageDatatype.Float32,
    models.Datatype.FLOAT16: edge.VectorStorageDatatype.Float16,
}


def config(
    dense: Mapping[str, models.VectorParams], sparse: Mapping[str, models.SparseVectorParams]
) -> edge.EdgeConfig:
    """The configuration of a shard with these named vectors.

    Its payloads are read into the system's cache at opening. By default Edge drops them from there, and a recall, which
    reads some 200 from all over the file, waits for the disk at each: 12 ms of a recall among 50,000 were that.
    """
    return edge.EdgeConfig(
        vectors={name: _vector_params(params) for name, params in dense.items()} or None,
        sparse_vectors={name: _sparse_params(params) for name, params in sparse.items()} or None,
        payload_memory=edge.Memory.Cached,
    )


def _vector_params(value: models.VectorParams) -> edge.EdgeVectorParams:
    refuse(value, "size", "distance", "multivector_config", "datatype")
    multi = edge.MultiVectorConfig(edge.MultiVectorComparator.MaxSim) if value.multivector_config else None
    return edge.EdgeVectorParams(
        size=value.size,
        distance=_DISTANCES[value.distance],
        multivector_config=multi,
        datatype=None if value.datatype is None else _datatype(value.datatype),
    )


def _datatype(value: models.Datatype) -> edge.VectorStorageDatatype:
    if value not in _DATATYPES:
        raise unknown(f"datatype {value.value} of", value)
    return _DATATYPES[value]


def _sparse_params(value: models.SparseVectorParams) -> edge.EdgeSparseVectorParams:
    refuse(value, "modifier", "index")
    if value.index is not None:
        refuse(value.index, "full_scan_threshold")
    return edge.EdgeSparseVectorParams(
        modifier=edge.Modifier.Idf if value.modifier == models.Modifier.IDF else None,
        full_scan_threshold=value.index.full_scan_threshold if value.index else None,
    )


def payload_index(key: str, schema: object) -> tuple[str, edge.PayloadSchemaType | edge.PayloadSchemaParams]:
    """The key and schema of an index on a payload field; an index on booleans is one on their mirror."""
    match schema:
        case models.KeywordIndexParams():
            refuse(schema, "type", "is_tenant", "on_disk", "enable_hnsw")
            return key, edge.KeywordIndexParams(
                is_tenant=schema.is_tenant, on_disk=schema.on_disk, enable_hnsw=schema.enable_hnsw
            )
        case models.IntegerIndexParams():
            refuse(schema, "type", "lookup", "range", "is_principal", "on_disk", "enable_hnsw")
            return key, edge.IntegerIndexParams(
                lookup=schema.lookup,
                range=schema.range,
                is_principal=schema.is_principal,
                on_disk=schema.on_disk,
                enable_hnsw=schema.enable_hnsw,
            )
        case models.FloatIndexParams():
            refuse(schema, "type", "is_principal", "on_disk", "enable_hnsw")
            return key, edge.FloatIndexParams(
                is_principal=schema.is_principal, on_disk=schema.on_disk, enable_hnsw=schema.enable_hnsw
            )
        case models.DatetimeIndexParams():
            refuse(schema, "type", "is_principal", "on_disk", "enable_hnsw")
            return key, edge.DatetimeIndexParams(
                is_principal=schema.is_principal, on_disk=schema.on_disk, enable_hnsw=schema.enable_hnsw
            )
        case models.PayloadSchemaType.KEYWORD:
            return key, edge.PayloadSchemaType.Keyword
        case models.PayloadSchemaType.INTEGER:
            return key, edge.PayloadSchemaType.Integer
        case models.PayloadSchemaType.FLOAT:
            return key, edge.PayloadSchemaType.Float
        case models.PayloadSchemaType.DATETIME:
            return key, edge.PayloadSchemaType.Datetime
        case models.PayloadSchemaType.BOOL | models.BoolIndexParams():
            return mirror_key(key), edge.PayloadSchemaType.Keyword
    raise unknown("payload index", schema)
