"""The file that checkpoints are in: opened, closed, locked and read, with clear words for what can be wrong with it."""

from __future__ import annotations

import functools
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.base import CheckpointTuple, DeltaChannelHistory, get_checkpoint_id
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite._delta import build_delta_channels_writes_history

from stores.errors import PalimpsestError
from stores.last_read import LastRead, Read, own
from stores.serializer import CompressingSerializer
from stores.wal import into_wal

LOG_PAGES = 125
"""Of 8 kB: the log beside the file grows to a megabyte, a quarter of SQLite's default."""

PAGE = 8192
"""Bytes; a key's row of more than a quarter of a page takes a page of its own."""

_TABLES = """
CREATE TABLE IF NOT EXISTS checkpoints (
    thread_id TEXT NOT NULL,
    checkpoint_ns TEXT NOT NULL DEFAULT '',
    checkpoint_id TEXT NOT NULL,
    parent_checkpoint_id TEXT,
    type TEXT,
    checkpoint BLOB,
    metadata BLOB,
    PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS writes (
    thread_id TEXT NOT NULL,
    checkpoint_ns TEXT NOT NULL DEFAULT '',
    checkpoint_id TEXT NOT NULL,
    task_id TEXT NOT NULL,
    task_path TEXT NOT NULL DEFAULT '',
    idx INTEGER NOT NULL,
    channel TEXT NOT NULL,
    type TEXT,
    value BLOB,
    PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
) WITHOUT ROWID;
"""
# From a checkpoint back to the beginning, without what they hold: to read that takes most of the time.
_WAY_BACK = """
WITH RECURSIVE way(id, parent, bytes) AS (
    SELECT checkpoint_id, parent_checkpoint_id, length(checkpoint) FROM checkpoints
    WHERE thread_id = :thread AND checkpoint_ns = :ns AND checkpoint_id = :start
    UNION ALL
    SELECT c.checkpoint_id, c.parent_checkpoint_id, length(c.checkpoint) FROM way CROSS JOIN checkpoints c
    WHERE c.thread_id = :thread AND c.checkpoint_ns = :ns AND c.checkpoint_id = way.parent
)
SELECT id, bytes FROM way
"""
_HELD = "SELECT type, checkpoint FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?"
# Of the checkpoints in the first gap, to the channels in the second.
_WRITTEN = """
SELECT checkpoint_id, channel, task_id, idx, type, value, task_path FROM writes
WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id IN ({}) AND channel IN ({})
"""
_FIRST_CHILD = """
SELECT checkpoint_id FROM checkpoints
WHERE thread_id = ? AND checkpoint_ns = '' AND parent_checkpoint_id = ? ORDER BY checkpoint_id LIMIT 1
"""

REMEMBERED = 16_384
"""Checkpoints of which is known what they hold; a long thread's walk meets up to 350."""

T = TypeVar("T")


def last_value(state: T, writes: Sequence[T]) -> T:
    """The reducer of a delta channel that holds its last write, or what there was when nothing was written."""
    return writes[-1] if writes else state


class CheckpointsCorrupt(PalimpsestError):
    """The file of the checkpoints is damaged, or is not one of ours."""


class DataFolderReadOnly(PalimpsestError, PermissionError):
    """The file of the checkpoints cannot be written, or its folder cannot."""


class CheckpointFile(SqliteSaver):
    """One SQLite file of checkpoints by one connection of its own; a transaction that fails is rolled back whole."""

    def __init__(
        self,
        conn: sqlite3.Connection,
        *,
        serde: SerializerProtocol | None = None,
        delta_channels: Mapping[str, DeltaChannel[Any]] | None = None,
    ) -> None:
        super().__init__(conn, serde=serde or CompressingSerializer())
        # Re-entrant, so that a transaction may read through the methods that take the lock themselves.
        self.lock = threading.RLock()  # type: ignore[assignment]
        self.delta_channels: Mapping[str, DeltaChannel[Any]] = dict(delta_channels or {})
        self.path = ":memory:"
        self._held = functools.lru_cache(REMEMBERED)(self._held_now)
        self._last = LastRead()

    def setup(self) -> None:
        """Make missing tables: with upstream's columns, but stored by their keys, which upstream keeps twice."""
        if not self.is_setup:
            self.conn.execute(f"PRAGMA page_size = {PAGE}")
            into_wal(self.conn)
            self.conn.executescript(_TABLES)
            super().setup()

    @classmethod
    def open(cls, path: str | Path, *, delta_channels: Mapping[str, DeltaChannel[Any]] | None = None) -> Self:
        """Open the file at `path` (":memory:" too); create it, and its folder, where they are missing.

        Raises `CheckpointsCorrupt` for a damaged or foreign file, `DataFolderReadOnly` when nothing can be written.
        """
        try:
            if str(path) != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            conn = sqlite3.connect(path, timeout=10, check_same_thread=False)
            with ExitStack() as on_failure:
                on_failure.callback(conn.close)
                tables = dict(conn.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
                if tables and "checkpoint_ns" not in tables.get("checkpoints", ""):
                    raise _corrupt(path, "it belongs to another program")
                conn.execute("PRAGMA synchronous = NORMAL")
                conn.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
                saver = cls(conn, delta_channels=delta_channels)
                saver.path = str(path)
                saver.setup()
                # A complete file opens without a write; one that cannot be written has to show now.
                conn.execute("DELETE FROM writes WHERE 0")
                conn.rollback()
                on_failure.pop_all()
        except (OSError, sqlite3.Error) as error:
            if clear := _explained(path, error):
                raise clear from error
            raise
        return saver

    def close(self) -> None:
        """Close the connection; closing twice is fine."""
        with self.lock:
            self.conn.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        """A cursor; with `transaction`, what it did is kept when the block ends well and undone when it does not.

        Upstream commits in either case. A cursor inside another's transaction is for reading: `transaction=False`.
        """
        with self.lock:
            cur = self.conn.cursor()
            try:
                self.setup()
                yield cur
                if transaction:
                    self.conn.commit()
            except BaseException as error:
                if transaction:
                    self.conn.rollback()
                if clear := _explained(self.path, error):
                    raise clear from error
                raise
            finally:
                cur.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Cursor]:
        # A writer from its first statement on: one that starts by reading could be refused when it comes to write.
        with self.cursor() as cur:
            cur.execute("BEGIN IMMEDIATE")
            yield cur

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - upstream's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Checkpoints, newest first, all read at once: upstream holds its lock while the caller looks at each."""
        return iter([*super().list(config, filter=filter, before=before, limit=limit)])

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """What rebuilds delta channels at a checkpoint: the whole value of each, with no write after it.

        Upstream's gives the nearest value above the checkpoint and all writes since, and reads every checkpoint on the
        way, most of them only to see that they hold no such value. Here it is remembered which they hold, and what the
        channels of `delta_channels` held where the thread was last read. Of a channel whose reducer is `last_value`,
        no write before the last counts, so none is decoded. A channel that is not among `delta_channels` comes as
        upstream gives it.
        """
        if not channels or not (start := get_checkpoint_id(config)):
            return super().get_delta_channel_history(config=config, channels=channels)
        thread_id, ns = str(config["configurable"]["thread_id"]), config["configurable"].get("checkpoint_ns", "")
        # A subgraph may have a channel of the same name and another reducer.
        ours = not ns and set(channels) <= self.delta_channels.keys()
        last = (self._last.of(thread_id) if ours else None) or Read("", {})
        way: dict[str, None] = {}
        wanted = set(channels)
        chains: dict[str, list[str]] = {}
        seeds: dict[str, Any] = {}
        with self.cursor(transaction=False) as cur:
            rows = cur.execute(_WAY_BACK, {"thread": thread_id, "ns": ns, "start": start})
            # What it holds, and what was written beside it, is no part of its past.
            if next(rows, None) and start == last.checkpoint_id and wanted <= last.values.keys():
                return _whole(channels, last.values)
            for one, size in rows:
                if one in way or one == start or not wanted:
                    break
                way[one] = None
                found: dict[str, Any] = {}
                if held := self._held(thread_id, ns, one, size) & wanted:
                    values = self._checkpoint(thread_id, ns, one)["channel_values"]
                    found = {name: values[name] for name in held}
                if one == last.checkpoint_id:
                    known = wanted & last.values.keys() - found.keys()
                    found |= {name: _DeltaSnapshot(last.values[name]) for name in known}
                seeds |= found
                chains |= {name: [*way] for name in found}
                wanted -= found.keys()
            chains = {name: chains.get(name, [*way]) for name in channels}
            marks, names = ", ".join("?" * len(way)), ", ".join("?" * len(channels))
            written = cur.execute(_WRITTEN.format(marks, names), (thread_id, ns, *way, *channels)).fetchall()
        for name in channels:
            if ours and self.delta_channels[name].reducer is last_value:
                wrote = {row[0] for row in written if row[1] == name}
                chains[name] = [one for one in chains[name] if one in wrote][:1]
        histories = build_delta_channels_writes_history(
            channels=channels,
            chain_by_ch=chains,
            seed_val_by_ch=seeds,
            seeded=set(seeds),
            stage2_rows=written,
            serde=self.serde,
        )
        if not ours:
            return histories
        values = {name: self._value(name, history) for name, history in histories.items()}
        self._last.keep(thread_id, Read(start, values))
        return _whole(channels, values)

    def _value(self, name: str, history: DeltaChannelHistory) -> Any:
        """What a delta channel of `delta_channels` holds after its history."""
        channel = self.delta_channels[name].from_checkpoint(history.get("seed"))
        channel.replay_writes(history["writes"])
        return channel.get()

    def _held_now(self, thread_id: str, ns: str, checkpoint_id: str, size: int) -> frozenset[str]:  # noqa: ARG002
        # The channels that a checkpoint holds a value of; one that is rewritten to hold others has another size.
        return frozenset(self._checkpoint(thread_id, ns, checkpoint_id).get("channel_values") or ())

    def _checkpoint(self, thread_id: str, ns: str, checkpoint_id: str) -> Any:
        with self.cursor(transaction=False) as cur:
            row = cur.execute(_HELD, (thread_id, ns, checkpoint_id)).fetchone()
        return self.serde.loads_typed(row)

    def count(self) -> int:
        """How many checkpoints there are, of all threads."""
        with self.cursor(transaction=False) as cur:
            return int(cur.execute("SELECT count(*) FROM checkpoints").fetchone()[0])

    def first_child(self, thread_id: str, checkpoint_id: str) -> str | None:
        """The id of the oldest checkpoint that went on from this one, or None."""
        with self.cursor(transaction=False) as cur:
            row = cur.execute(_FIRST_CHILD, (thread_id, checkpoint_id)).fetchone()
        return row[0] if row else None


def _whole(channels: Sequence[str], values: Mapping[str, Any]) -> dict[str, DeltaChannelHistory]:
    return {name: {"writes": [], "seed": _DeltaSnapshot(own(values[name]))} for name in channels}


def _explained(path: str | Path, error: BaseException) -> PalimpsestError | None:
    # What a person can do something about, in words; None for the rest.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return _corrupt(path, str(error))
    if isinstance(error, OSError) or code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return DataFolderReadOnly(
            f"The checkpoints at {path} cannot be written ({error}). Nothing was changed. Make the folder writable, "
            "or choose another one."
        )
    return None


def _corrupt(path: str | Path, why: str) -> CheckpointsCorrupt:
    return CheckpointsCorrupt(
        f"The checkpoints at {path} cannot be read ({why}). The file was left as it is, and the ledger with all "
        "memories is not touched by this. Move the file away to start new threads, or put a backup in its place."
    )
