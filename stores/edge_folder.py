"""The folder that Qdrant Edge lives in: who holds it, what its collection is, and its one shard.

One folder holds one collection: `collection.json` (name, vectors, indexes, metadata; written whole or not at all),
`shard/` (Edge's own files), `lock` and `holder.json` (who holds the lock, for people). The collection exists once its
JSON does; the shard is built beside its place and renamed into it, so that a process which dies at any moment leaves a
folder that opens.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final, TypeVar

import portalocker
import qdrant_edge as edge
from qdrant_client import models

from stores import edge_config
from stores.edge_indexes import Indexes
from stores.errors import PalimpsestError

_T = TypeVar("_T")


class EdgeError(PalimpsestError):
    """The embedded memory index could not do what was asked."""


class FolderBusy(EdgeError):
    """Another process holds the folder; the sentence names it."""


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
class Collection:
    """What `collection.json` says."""

    name: str
    vectors: dict[str, models.VectorParams]
    sparse: dict[str, models.SparseVectorParams]
    metadata: dict[str, Any] = field(default_factory=dict)
    indexes: dict[str, models.PayloadFieldSchema] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Collection:
        """What the file says. Raises what JSON or the models raise for a file that is not one."""
        found = json.loads(path.read_text(encoding="utf-8"))
        return cls(
            name=str(found["name"]),
            vectors={name: models.VectorParams(**params) for name, params in found["vectors"].items()},
            sparse={name: models.SparseVectorParams(**params) for name, params in found["sparse"].items()},
            metadata=dict(found["metadata"]),
            indexes={name: _schema(name, schema) for name, schema in found.get("indexes", {}).items()},
        )

    def write(self, path: Path) -> None:
        """Write the file whole or not at all."""
        _write_json(
            path,
            {
                "name": self.name,
                "vectors": {name: params.model_dump(mode="json") for name, params in self.vectors.items()},
                "sparse": {name: params.model_dump(mode="json") for name, params in self.sparse.items()},
                "metadata": self.metadata,
                "indexes": {
                    name: schema if isinstance(schema, str) else schema.model_dump(mode="json", exclude_none=True)
                    for name, schema in self.indexes.items()
                },
            },
        )


def _schema(name: str, found: object) -> models.PayloadFieldSchema:
    schema = models.CreateFieldIndex.model_validate({"field_name": name, "field_schema": found}).field_schema
    if schema is None:
        raise ValueError(f"the index {name!r} has no schema")
    return schema


class Folder:
    """The one handle that this process has on a folder, shared by its clients and counted."""

    _open: Final[dict[Path, Folder]] = {}
    _opening: Final = threading.Lock()

    def __init__(self, path: Path) -> None:
        self.path = path
        self.pid = os.getpid()
        self.guard = threading.RLock()
        self.clients = 0
        self.unflushed = 0
        self._indexes: Indexes | None = None
        self._shard: edge.EdgeShard | None = None
        self._collection: Collection | None = None
        self._unsaved = False
        self._lock = self._take()

    @classmethod
    def acquire(cls, path: Path) -> Folder:
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
                try:
                    self.settle()
                finally:
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
    def collection(self) -> Collection | None:
        """What `collection.json` says, or None when there is no collection."""
        if self._collection is None:
            file, shard = self.path / "collection.json", self.path / "shard"
            if file.exists():
                try:
                    self._collection = Collection.read(file)
                except (OSError, ValueError, KeyError, TypeError, AttributeError) as exc:
                    raise IndexCorrupt(self.path, f"collection.json: {exc}") from exc
            elif shard.exists():
                raise IndexCorrupt(self.path, "it has a shard but no collection.json")
        return self._collection

    def save(self, collection: Collection) -> None:
        """Write `collection.json`."""
        collection.write(self.path / "collection.json")
        self._collection, self._unsaved = collection, False

    def note(self, collection: Collection) -> None:
        """Have `collection.json` written before the next point is, or at the end: a setup changes it a dozen times."""
        self._collection, self._unsaved = collection, True

    def settle(self) -> None:
        """Write what was noted."""
        if self._unsaved and self._collection is not None:
            self.save(self._collection)

    def shard(self, collection: Collection) -> edge.EdgeShard:
        """The collection's shard, opened or, when it is not there yet, built."""
        if self._shard is None:
            place, beside = self.path / "shard", self.path / "shard.new"
            if not place.exists():
                _discard(beside)
                config = edge_config.config(collection.vectors, collection.sparse)
                beside.mkdir()
                ask_edge(lambda: edge.EdgeShard.create(str(beside), config).close(), self._broken)
                beside.rename(place)
            self._shard = ask_edge(lambda: edge.EdgeShard.load(str(place)), self._broken)
        return self._shard

    def indexes(self, collection: Collection) -> Indexes:
        """The payload indexes that the collection's shard is still to have."""
        shard = self.shard(collection)
        if self._indexes is None:
            self._indexes = Indexes(shard, collection.indexes)
        return self._indexes

    def _broken(self, exc: BaseException) -> EdgeError:
        return IndexCorrupt(self.path, exc)

    def shut(self) -> None:
        """Close the shard, with everything on disk."""
        if self._shard is not None:
            shard, self._shard, self._indexes = self._shard, None, None
            ask_edge(shard.flush, EdgeError)
            ask_edge(shard.close, EdgeError)
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
        self._collection, self._unsaved = None, False
        _discard(old)


def ask_edge(ask: Callable[[], _T], error: Callable[[BaseException], EdgeError]) -> _T:
    """Ask Edge, which raises bare `Exception`s and, when Rust panics, an exception that is not even one."""
    try:
        return ask()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as exc:
        if not isinstance(exc, Exception) and type(exc).__name__ != "PanicException":
            raise
        raise error(exc) from exc
