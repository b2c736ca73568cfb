"""Qdrant Edge behind the handful of `QdrantClient` methods that the memory index calls.

Writes reach Edge's log before a call returns and survive a killed process. `optimize` is never called from here:
without it every search is a scan, which is exact. The folder and its lock are `stores.edge_folder`'s.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar

import qdrant_edge as edge
from qdrant_client import models

from stores import edge_config
from stores import edge_models as translate
from stores.edge_folder import Collection, EdgeError, Folder, IndexCorrupt, ask_edge

_T = TypeVar("_T")

SERVER_VERSION: Final = "1.19.0"
"""The oldest Qdrant server that can what Edge 0.9 can (IDF over a corpus of the search's own)."""

_FLUSH_EVERY = 2_000
"""Points written between two flushes: Edge's log, which is read again at each opening, grows until one."""

_MAX_FACETS = 1_000_000


@dataclass(frozen=True)
class Answer:
    """What one request of a batch found, best first."""

    points: list[translate.Found]


class EdgeClient:
    """The calls of a synchronous `QdrantClient` that the memory index makes, on a folder of this machine.

    Thread safe. Clients of one process on one folder share one shard; the last `close` closes it. Opening a folder
    that another process holds raises `FolderBusy`; the first call on damaged or foreign files raises `IndexCorrupt`.
    Parameters that only a server can use (`wait`, timeouts, consistency, shard keys) are accepted and have no effect.
    What is not translated raises `TypeError`; an unknown collection, as in `QdrantClient`, `ValueError`.
    """

    def __init__(self, path: str | Path) -> None:
        self._folder = Folder.acquire(Path(path).expanduser().resolve())
        self._closing = weakref.finalize(self, self._folder.release)

    @property
    def path(self) -> Path:
        """The folder."""
        return self._folder.path

    def close(self) -> None:
        """Give up this client's share of the folder. Closing twice is harmless."""
        self._closing()

    def _held(self) -> Folder:
        if not self._closing.alive:
            raise EdgeError(f"This client of the memory index in {self._folder.path} is closed.")
        return self._folder

    def _ask(
        self,
        collection_name: str,
        ask: Callable[[edge.EdgeShard], _T],
        *,
        writes: int = 0,
        by: Sequence[object] = (),
    ) -> _T:
        folder = self._held()
        with folder.guard:
            collection = self._named(collection_name)
            shard = folder.shard(collection)
            ask_edge(lambda: folder.indexes(collection).make(shard, by), _failed)
            if writes > 0:
                folder.settle()
            answer = ask_edge(lambda: ask(shard), _failed)
            folder.unflushed += writes
            if folder.unflushed >= _FLUSH_EVERY:
                ask_edge(shard.flush, _failed)
                folder.unflushed = 0
            return answer

    def _named(self, collection_name: str) -> Collection:
        collection = self._held().collection
        if collection is None or collection.name != collection_name:
            raise ValueError(f"Collection {collection_name} not found")
        return collection

    # -- the collection

    def info(self, **_: Any) -> models.VersionInfo:
        """The server version whose features Edge has."""
        return models.VersionInfo(title="qdrant edge", version=SERVER_VERSION)

    def collection_exists(self, collection_name: str, **_: Any) -> bool:
        """Whether the folder's collection has this name."""
        folder = self._held()
        with folder.guard:
            return folder.collection is not None and folder.collection.name == collection_name

    def create_collection(
        self,
        collection_name: str,
        vectors_config: Mapping[str, models.VectorParams] | None = None,
        sparse_vectors_config: Mapping[str, models.SparseVectorParams] | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> bool:
        """Create the folder's one collection; `ValueError` when it has one already."""
        dense, sparse = dict(vectors_config or {}), dict(sparse_vectors_config or {})
        edge_config.config(dense, sparse)  # what cannot be translated is refused before anything is written
        folder = self._held()
        with folder.guard:
            if folder.collection is not None:
                raise ValueError(f"Collection {folder.collection.name} already exists in {folder.path}")
            folder.save(Collection(collection_name, dense, sparse, dict(metadata or {})))
            folder.shard(self._named(collection_name))
        return True

    def delete_collection(self, collection_name: str, **_: Any) -> bool:
        """Remove the folder's collection, even one that cannot be read; False when there is another or none."""
        folder = self._held()
        with folder.guard:
            try:
                known = folder.collection
            except IndexCorrupt:
                known = Collection(collection_name, {}, {})
            if known is None or known.name != collection_name:
                return False
            folder.erase()
        return True

    def get_collection(self, collection_name: str, **_: Any) -> models.CollectionInfo:
        """The collection's vectors, metadata and number of points; the rest of the model is not filled in."""
        found = self._named(collection_name)
        params = models.CollectionParams(vectors=found.vectors, sparse_vectors=found.sparse or None)
        return models.CollectionInfo.model_construct(
            status=models.CollectionStatus.GREEN,
            points_count=self._ask(collection_name, lambda shard: shard.info().points_count),
            config=models.CollectionConfig.model_construct(params=params, metadata=dict(found.metadata)),
        )

    def update_collection(self, collection_name: str, metadata: Mapping[str, Any] | None = None, **_: Any) -> bool:
        """Merge into the collection's metadata."""
        folder = self._held()
        with folder.guard:
            found = self._named(collection_name)
            folder.save(replace(found, metadata={**found.metadata, **(metadata or {})}))
        return True

    def create_payload_index(
        self, collection_name: str, field_name: str, field_schema: Any = None, **_: Any
    ) -> models.UpdateResult:
        """Have a payload field indexed, once there is something to look up by it (see `stores.edge_indexes`).

        An index finds only values of its own type: a fraction in a field of integers is found while there is none.
        """
        folder = self._held()
        with folder.guard:
            found = self._named(collection_name)
            if found.indexes.get(field_name) != field_schema:
                self._ask(collection_name, lambda shard: folder.indexes(found).want(shard, field_name, field_schema))
                folder.note(replace(found, indexes={**found.indexes, field_name: field_schema}))
        return models.UpdateResult(status=models.UpdateStatus.COMPLETED)

    def optimize(self, collection_name: str) -> bool:
        """Merge segments and build graphs, holding the interpreter meanwhile. Nothing here ever calls it."""
        return self._ask(collection_name, lambda shard: shard.optimize())

    def flush(self, collection_name: str) -> None:
        """Put everything on disk, so that it survives a power cut too."""
        self._ask(collection_name, lambda shard: shard.flush(), writes=-self._folder.unflushed)

    # -- writing

    def _update(self, collection_name: str, *operations: edge.UpdateOperation, points: int = 1) -> models.UpdateResult:
        def apply(shard: edge.EdgeShard) -> None:
            for operation in operations:
                shard.update(operation)

        self._ask(collection_name, apply, writes=points)
        return models.UpdateResult(status=models.UpdateStatus.COMPLETED)

    def upsert(self, collection_name: str, points: Sequence[models.PointStruct], **_: Any) -> models.UpdateResult:
        """Write points, each replacing what had its id, vectors included."""
        operation = edge.UpdateOperation.upsert_points([translate.point(point) for point in points])
        return self._update(collection_name, operation, points=len(points))

    def update_vectors(
        self, collection_name: str, points: Sequence[models.PointVectors], **_: Any
    ) -> models.UpdateResult:
        """Set some named vectors of points that exist; payload and other vectors stay."""
        changed = [edge.PointVectors(*translate.point_vectors(point)) for point in points]
        return self._update(collection_name, edge.UpdateOperation.update_vectors(changed), points=len(points))

    def delete(self, collection_name: str, points_selector: object, **_: Any) -> models.UpdateResult:
        """Delete points by id or by filter; missing ones are ignored."""
        match points_selector:
            case models.PointIdsList(points=ids):
                operation = edge.UpdateOperation.delete_points([translate.point_id(one) for one in ids])
            case models.FilterSelector(filter=flt):
                operation = edge.UpdateOperation.delete_points_by_filter(translate.filter_(flt) or edge.Filter())
            case _:
                raise TypeError(f"EdgeClient does not translate the selector {type(points_selector).__name__}")
        return self._update(collection_name, operation)

    def batch_update_points(
        self, collection_name: str, update_operations: Sequence[object], **_: Any
    ) -> list[models.UpdateResult]:
        """Apply operations in order; setting payload is the only kind."""
        translated = [translate.set_payload(operation) for operation in update_operations]
        return [self._update(collection_name, *operations) for operations in translated]

    # -- reading

    def retrieve(
        self,
        collection_name: str,
        ids: Sequence[Any],
        with_payload: Any = True,
        with_vectors: bool = False,
        **_: Any,
    ) -> list[translate.Found]:
        """The points of these ids that exist."""
        wanted, payload = [translate.point_id(one) for one in ids], translate.selected(with_payload)
        found = self._ask(collection_name, lambda shard: shard.retrieve(list(wanted), payload, with_vectors))
        return [translate.record(one) for one in found]

    def count(
        self, collection_name: str, count_filter: models.Filter | None = None, exact: bool = True, **_: Any
    ) -> models.CountResult:
        """How many points match."""
        request = edge.CountRequest(exact=exact, filter=translate.filter_(count_filter))
        count = self._ask(collection_name, lambda shard: shard.count(request))
        return models.CountResult(count=count)

    def facet(
        self,
        collection_name: str,
        key: str,
        facet_filter: models.Filter | None = None,
        limit: int = 10,
        exact: bool = False,
        **_: Any,
    ) -> models.FacetResponse:
        """The values of an indexed payload field with their counts, most frequent first."""
        request = edge.FacetRequest(
            key, limit=min(limit, _MAX_FACETS), exact=exact, filter=translate.filter_(facet_filter)
        )
        found = self._ask(collection_name, lambda shard: shard.facet(request), by=[key])
        return models.FacetResponse(hits=[models.FacetValueHit(value=hit.value, count=hit.count) for hit in found.hits])

    def query_batch_points(
        self, collection_name: str, requests: Sequence[models.QueryRequest], **_: Any
    ) -> list[Answer]:
        """Answer several requests in one pass over the shard, in their order."""
        translated = _once()
        batch = edge.QueryBatchRequest([translate.query_request(request, translated) for request in requests])
        by = [request.query for request in requests]
        found = self._ask(collection_name, lambda shard: shard.query_batch(batch), by=by)
        return [
            Answer(translate.scored(points, bare=not (asked.with_payload or asked.with_vector)))
            for asked, points in zip(requests, found, strict=True)
        ]

    def scroll(
        self,
        collection_name: str,
        scroll_filter: models.Filter | None = None,
        limit: int = 10,
        order_by: models.OrderBy | None = None,
        offset: Any = None,
        with_payload: Any = True,
        with_vectors: bool = False,
        **_: Any,
    ) -> tuple[list[translate.Found], int | str | None]:
        """A page of points in the order of their ids (or of a field), and the id that the next page starts at."""
        request = edge.ScrollRequest(
            limit=limit,
            filter=translate.filter_(scroll_filter),
            offset=None if offset is None else translate.point_id(offset),
            order_by=None if order_by is None else translate.order_by(order_by),
            with_payload=translate.selected(with_payload),
            with_vector=with_vectors,
        )
        found, following = self._ask(collection_name, lambda shard: shard.scroll(request), by=[order_by])
        bare = not (with_payload or with_vectors)
        return [translate.record(one, bare) for one in found], None if following is None else translate.point_id(
            following
        )


def _failed(exc: BaseException) -> EdgeError:
    return EdgeError(
        f"The memory index could not answer ({exc}); the ledger is unharmed, and if this does not pass, "
        "`palimpsest memory rebuild` makes the index anew from it."
    )


def _once() -> translate.Translate:
    """A `filter_` that translates each filter object once: the requests of a batch mostly share theirs."""
    known: dict[int, edge.Filter | None] = {}

    def translated(flt: models.Filter | None) -> edge.Filter | None:
        if id(flt) not in known:
            known[id(flt)] = translate.filter_(flt)
        return known[id(flt)]

    return translated
