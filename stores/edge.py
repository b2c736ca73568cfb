"""Qdrant Edge behind the handful of `QdrantClient` methods that the memory index calls.

One folder holds one collection: `collection.json` (name, vectors, metadata; written whole or not at all), `shard/`
(Edge's own files), `lock` and `holder.json` (who holds the lock, for people). The collection exists once its JSON
does; the shard is built beside its place and renamed into it, so that a process which dies at any moment leaves a
folder that opens.

Writes reach Edge's log before a call returns and survive a killed process. `optimize` is never called from here:
without it every search is a scan, which is exact.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final, TypeVar

import portalocker
import qdrant_edge as edge
from qdrant_client import models

from stores import edge_models as translate
from stores.errors import PalimpsestError

_T = TypeVar("_T")

SERVER_VERSION: Final = "1.19.0"
"""The oldest Qdrant server that can what Edge 0.9 can (IDF over a corpus of the search's own)."""

_FLUSH_EVERY = 2_000
"""Points written between two flushes: Edge's log, which is read again at each opening, grows until one."""

_MAX_FACETS = 1_000_000


class EdgeError(PalimpsestError):
    """The embedded memory index could not do what was asked."""


class FolderBusy(EdgeError):
    """Another process holds the folder; the sentence names it."""


@dataclass(frozen=True)
class Answer:
    """What one request of a batch found, best first."""

    points: list[translate.Found]


class IndexCorrupt(EdgeError):
    """The folder's files are damaged or not ours; the ledger, which everything can be made from again, is elsewhere."""

    def __init__(self, path: Path, why: object) -> None:
        super().__init__(
            f"The memory index in {path} cannot be read ({why}); the ledger is unharmed, and "
            "`palimpsest memory rebuild` makes the index anew from it."
        )


def _write_json(path: Path, value: object) -> None:
    """Write a file whole or not at all."""
    beside = path.with_name(f"{path.name}.new")
    with beside.open("w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False, indent=1)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def _discard(path: Path) -> None:
    """Remove a file or a folder that may be missing."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _command() -> str:
    """The program and its subcommand; no further argument, which may be private text."""
    program, *words = sys.argv or ["python"]
    named = [word for word in words[:1] if word.isascii() and word.isalpha()]
    return " ".join([Path(program).name or "python", *named])


def _alive(pid: int) -> bool:
    """Whether a process of this machine runs; where asking would signal it (Windows), it is taken to."""
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def holder(path: Path) -> str | None:
    """Who holds the folder of an index, in words, as far as its holder file tells; None when nobody does.

    It explains and decides nothing: only the lock decides. Takes no lock.
    """
    try:
        found = json.loads((path / "holder.json").read_text(encoding="utf-8"))
        pid, host, since, command = int(found["pid"]), found["host"], found["since"], found["command"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    here = host == socket.gethostname()
    if here and not _alive(pid):
        return None
    return f"process {pid} (`{command}`, since {since}) on {'this machine' if here else host}"


@dataclass
class _Collection:
    """What `collection.json` says."""

    name: str
    vectors: dict[str, models.VectorParams]
    sparse: dict[str, models.SparseVectorParams]
    metadata: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> _Collection:
        found = json.loads(path.read_text(encoding="utf-8"))
        return cls(
            name=str(found["name"]),
            vectors={name: models.VectorParams(**params) for name, params in found["vectors"].items()},
            sparse={name: models.SparseVectorParams(**params) for name, params in found["sparse"].items()},
            metadata=dict(found["metadata"]),
        )

    def write(self, path: Path) -> None:
        _write_json(
            path,
            {
                "name": self.name,
                "vectors": {name: params.model_dump(mode="json") for name, params in self.vectors.items()},
                "sparse": {name: params.model_dump(mode="json") for name, params in self.sparse.items()},
                "metadata": self.metadata,
            },
        )


class _Folder:
    """The one handle that this process has on a folder, shared by its clients and counted."""

    _open: Final[dict[Path, _Folder]] = {}
    _opening: Final = threading.Lock()

    def __init__(self, path: Path) -> None:
        self.path = path
        self.pid = os.getpid()
        self.guard = threading.RLock()
        self.clients = 0
        self.unflushed = 0
        self._shard: edge.EdgeShard | None = None
        self._collection: _Collection | None = None
        self._lock = self._take()

    @classmethod
    def acquire(cls, path: Path) -> _Folder:
        """This process's handle, new or shared."""
        with cls._opening:
            folder = cls._open.get(path)
            if folder is None or folder.pid != os.getpid():  # a forked child inherits the table but not the right
                folder = cls._open[path] = cls(path)
            folder.clients += 1
            return folder

    def release(self) -> None:
        """Give back one client's share; the last one closes the shard and frees the folder."""
        with self._opening, self.guard:
            self.clients -= 1
            if self.clients or self.pid != os.getpid():
                return
            self._open.pop(self.path, None)
            try:
                self.shut()
            finally:
                (self.path / "holder.json").unlink(missing_ok=True)
                self._lock.close()

    def _take(self) -> IO[str]:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = (self.path / "lock").open("a", encoding="utf-8")
        except FileExistsError as exc:
            raise EdgeError(
                f"{self.path} is a file where the memory index's folder should be; move it away, and `palimpsest "
                "memory rebuild` makes the index anew from the ledger, which is unharmed."
            ) from exc
        except OSError as exc:
            raise EdgeError(f"The memory index cannot be kept in {self.path}: {exc.strerror}.") from exc
        try:
            portalocker.lock(lock, portalocker.LOCK_EX | portalocker.LOCK_NB)
        except portalocker.LockException as exc:
            lock.close()
            raise FolderBusy(
                f"The memory index in {self.path} is held by {holder(self.path) or 'another process'}: close that one "
                "first, or set PALIMPSEST_QDRANT_URL to a Qdrant server, which several processes can share."
            ) from exc
        since = datetime.now(UTC).isoformat(timespec="seconds")
        who = {"pid": os.getpid(), "host": socket.gethostname(), "since": since, "command": _command()}
        with suppress(OSError):  # it only explains
            _write_json(self.path / "holder.json", who)
        return lock

    @property
    def collection(self) -> _Collection | None:
        """What `collection.json` says, or None when there is no collection."""
        if self._collection is None:
            file, shard = self.path / "collection.json", self.path / "shard"
            if file.exists():
                try:
                    self._collection = _Collection.read(file)
                except (OSError, ValueError, KeyError, TypeError, AttributeError) as exc:
                    raise IndexCorrupt(self.path, f"collection.json: {exc}") from exc
            elif shard.exists():
                raise IndexCorrupt(self.path, "it has a shard but no collection.json")
        return self._collection

    def save(self, collection: _Collection) -> None:
        """Write `collection.json`."""
        collection.write(self.path / "collection.json")
        self._collection = collection

    def shard(self, collection: _Collection) -> edge.EdgeShard:
        """The collection's shard, opened or, when it is not there yet, built."""
        if self._shard is None:
            place, beside = self.path / "shard", self.path / "shard.new"
            if not place.exists():
                _discard(beside)
                config = translate.config(collection.vectors, collection.sparse)
                beside.mkdir()
                _edge(lambda: edge.EdgeShard.create(str(beside), config).close(), self._broken)
                beside.rename(place)
            self._shard = _edge(lambda: edge.EdgeShard.load(str(place)), self._broken)
        return self._shard

    def _broken(self, exc: BaseException) -> EdgeError:
        return IndexCorrupt(self.path, exc)

    def shut(self) -> None:
        """Close the shard, with everything on disk."""
        if self._shard is not None:
            shard, self._shard = self._shard, None
            _edge(shard.flush, EdgeError)
            _edge(shard.close, EdgeError)
        self.unflushed = 0

    def erase(self) -> None:
        """Remove the collection; readable or not."""
        with suppress(EdgeError):
            self.shut()
        old = self.path / "shard.old"
        _discard(old)
        if (self.path / "shard").exists():
            (self.path / "shard").rename(old)
        _discard(self.path / "collection.json")
        self._collection = None
        _discard(old)


def _edge(ask: Callable[[], _T], error: Callable[[BaseException], EdgeError]) -> _T:
    """Ask Edge, which raises bare `Exception`s and, when Rust panics, an exception that is not even one."""
    try:
        return ask()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as exc:
        if not isinstance(exc, Exception) and type(exc).__name__ != "PanicException":
            raise
        raise error(exc) from exc


class EdgeClient:
    """The calls of a synchronous `QdrantClient` that the memory index makes, on a folder of this machine.

    Thread safe. Clients of one process on one folder share one shard; the last `close` closes it. Opening a folder
    that another process holds raises `FolderBusy`; the first call on damaged or foreign files raises `IndexCorrupt`.
    Parameters that only a server can use (`wait`, timeouts, consistency, shard keys) are accepted and have no effect.
    What is not translated raises `TypeError`; an unknown collection, as in `QdrantClient`, `ValueError`.
    """

    def __init__(self, path: str | Path) -> None:
        self._folder = _Folder.acquire(Path(path).expanduser().resolve())
        self._closing = weakref.finalize(self, self._folder.release)

    @property
    def path(self) -> Path:
        """The folder."""
        return self._folder.path

    def close(self) -> None:
        """Give up this client's share of the folder. Closing twice is harmless."""
        self._closing()

    def _held(self) -> _Folder:
        if not self._closing.alive:
            raise EdgeError(f"This client of the memory index in {self._folder.path} is closed.")
        return self._folder

    def _ask(self, collection_name: str, ask: Callable[[edge.EdgeShard], _T], *, writes: int = 0) -> _T:
        folder = self._held()
        with folder.guard:
            shard = folder.shard(self._named(collection_name))
            answer = _edge(lambda: ask(shard), _failed)
            folder.unflushed += writes
            if folder.unflushed >= _FLUSH_EVERY:
                _edge(shard.flush, _failed)
                folder.unflushed = 0
            return answer

    def _named(self, collection_name: str) -> _Collection:
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
        translate.config(dense, sparse)  # what cannot be translated is refused before anything is written
        folder = self._held()
        with folder.guard:
            if folder.collection is not None:
                raise ValueError(f"Collection {folder.collection.name} already exists in {folder.path}")
            folder.save(_Collection(collection_name, dense, sparse, dict(metadata or {})))
            folder.shard(self._named(collection_name))
        return True

    def delete_collection(self, collection_name: str, **_: Any) -> bool:
        """Remove the folder's collection, even one that cannot be read; False when there is another or none."""
        folder = self._held()
        with folder.guard:
            try:
                known = folder.collection
            except IndexCorrupt:
                known = _Collection(collection_name, {}, {})
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
            merged = {**found.metadata, **(metadata or {})}
            folder.save(_Collection(found.name, found.vectors, found.sparse, merged))
        return True

    def create_payload_index(
        self, collection_name: str, field_name: str, field_schema: Any = None, **_: Any
    ) -> models.UpdateResult:
        """Index a payload field; an index that is there already stays."""
        operation = edge.UpdateOperation.create_field_index(*translate.payload_index(field_name, field_schema))
        return self._update(collection_name, operation)

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
        return models.CountResult(count=self._ask(collection_name, lambda shard: shard.count(request)))

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
        found = self._ask(collection_name, lambda shard: shard.facet(request))
        return models.FacetResponse(hits=[models.FacetValueHit(value=hit.value, count=hit.count) for hit in found.hits])

    def query_batch_points(
        self, collection_name: str, requests: Sequence[models.QueryRequest], **_: Any
    ) -> list[Answer]:
        """Answer several requests in one pass over the shard, in their order."""
        batch = edge.QueryBatchRequest([translate.query_request(request) for request in requests])
        found = self._ask(collection_name, lambda shard: shard.query_batch(batch))
        return [Answer([translate.scored(point) for point in points]) for points in found]

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
        found, following = self._ask(collection_name, lambda shard: shard.scroll(request))
        return [translate.record(one) for one in found], None if following is None else translate.point_id(following)


def _failed(exc: BaseException) -> EdgeError:
    return EdgeError(
        f"The memory index could not answer ({exc}); the ledger is unharmed, and if this does not pass, "
        "`palimpsest memory rebuild` makes the index anew from it."
    )
