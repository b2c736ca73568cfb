"""Where threads are kept: LangGraph's SQLite saver, sync and async in one, made safe to copy, prune and roll back."""

from __future__ import annotations

import asyncio
import json
import secrets
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence, Set
from typing import Any
from uuid import UUID, uuid5

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from langgraph.checkpoint.serde.types import ERROR, INTERRUPT, RESUME, _DeltaSnapshot

from stores.checkpoint_file import CheckpointFile
from stores.errors import NotFound

_RUNTIME = "__pregel_runtime"
_COLUMNS = {
    "checkpoints": "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata",
    "writes": "checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value",
}
_KEYS = ("thread_id", "checkpoint_ns", "checkpoint_id")
_Key = tuple[str, str, str]


class SqliteCheckpointer(CheckpointFile):
    """LangGraph's saver on one file; async methods run the sync ones in a thread.

    Any string is a thread id, taken as it is: quotes, emoji, a NUL, a megabyte. (A lone surrogate is no text, and
    SQLite refuses it with `UnicodeEncodeError`.)

    `delta_channels` are the graph's `DeltaChannel`s by name. Their checkpoints hold changes only, so `prune` and
    `delete_for_runs` first write the whole value into what stays; without the channel they refuse, and change nothing.

    The hooks are None until someone sets them:
    - `on_begin(thread_id)` just before a thread's first checkpoint is stored, also when an older thread of that id was
      deleted;
    - `on_input(thread_id, user_id, checkpoint_id)` just before an input checkpoint is stored, when the run's context
      has a `user_id`: whoever finds that checkpoint after a crash can learn whose it is;
    - `check_lease(thread_id)` before something is stored that no run with a lease of its own stores: `update_state`,
      and a graph called inside another graph's node on a thread of its own. It raises when the thread is busy;
    - `on_delete_runs(thread_ids)` (those that had checkpoints of the runs), `on_delete_thread(thread_id)` and
      `on_copy_thread(source, target)` afterwards, outside the transaction.

    Every method may raise `CheckpointsCorrupt`; a transaction that fails is rolled back whole. It does not encrypt,
    and takes no lease itself (`stores.leases`).
    """

    on_begin: Callable[[str], None] | None = None
    on_input: Callable[[str, str, str], None] | None = None
    check_lease: Callable[[str], None] | None = None
    on_delete_runs: Callable[[Sequence[str]], None] | None = None
    on_delete_thread: Callable[[str], None] | None = None
    on_copy_thread: Callable[[str, str], None] | None = None

    def get_next_version(self, current: Any, channel: None) -> str:  # noqa: ARG002 - upstream's signature
        """A channel's next version: greater than the one before, and like no other.

        Upstream's with less chance in it: that part of some thirty versions is most of a checkpoint, compressed. A
        LangGraph server counts on in upstream's way, so the two must compare.
        """
        steps = current if isinstance(current, int) else int((current or "0").split(".")[0])
        return f"{steps + 1:032}.{secrets.token_urlsafe(4)}"

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint, after the hooks `check_lease`, `on_begin` and `on_input` have had their say."""
        self._check(config)
        thread_id, source = str(config["configurable"]["thread_id"]), metadata.get("source")
        whole = not config["configurable"].get("checkpoint_ns")
        if whole and source == "loop" and config["configurable"].get("checkpoint_id"):
            # In one transaction, which the checkpoint ends: nobody deletes the thread between the look and the write.
            with self._writing() as cur:
                if not cur.execute(_BEGUN, (thread_id,)).fetchone():
                    raise NotFound(
                        f"The thread {thread_id!r} was deleted while a turn of it ran. It stays deleted, and what "
                        "this turn went on to do was not kept."
                    )
                return super().put(config, checkpoint, metadata, new_versions)
        # A thread begins with input or with `update_state`, whatever checkpoint of a deleted one it names.
        if whole and self.on_begin and source not in ("fork", "loop") and not self._begun(thread_id):
            self.on_begin(thread_id)
        if self.on_input and source == "input" and (user_id := _user(config)):
            self.on_input(thread_id, user_id, checkpoint["id"])
        return super().put(config, checkpoint, metadata, new_versions)

    def _begun(self, thread_id: str) -> bool:
        with self.cursor(transaction=False) as cur:
            return cur.execute(_BEGUN, (thread_id,)).fetchone() is not None

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store a task's writes beside the checkpoint it starts from, after the hook `check_lease` has had its say."""
        self._check(config)
        super().put_writes(config, writes, task_id, task_path)

    def _check(self, config: RunnableConfig) -> None:
        configurable = config["configurable"]
        nested = "langgraph_step" in config.get("metadata", {}) and not configurable.get("checkpoint_ns")
        if self.check_lease and (nested or _RUNTIME not in configurable):
            self.check_lease(str(configurable["thread_id"]))

    def delete_thread(self, thread_id: str) -> None:
        """Delete all checkpoints of a thread; then `on_delete_thread`."""
        super().delete_thread(thread_id)
        self._last.forget(str(thread_id))
        if self.on_delete_thread:
            self.on_delete_thread(str(thread_id))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints of a thread, whole chains, to a thread that has none.

        Raises `ValueError` when the target has any: two threads mixed could not be taken apart again.
        """
        source, target = str(source_thread_id), str(target_thread_id)
        with self._writing() as cur:
            if cur.execute("SELECT 1 FROM checkpoints WHERE thread_id = ?", (target,)).fetchone():
                raise ValueError(f"The thread {target!r} has checkpoints already; copy to a thread that is new.")
            for table, columns in _COLUMNS.items():
                cur.execute(
                    f"INSERT INTO {table} (thread_id, {columns}) SELECT ?, {columns} FROM {table} WHERE thread_id = ?",
                    (target, source),
                )
        if self.on_copy_thread:
            self.on_copy_thread(source, target)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keep the newest checkpoint of each namespace ("keep_latest"), or none ("delete"); each thread by itself.

        What is kept holds its delta channels' whole values. Branches are not seen: the newest is kept, the rest goes.
        Raises `ValueError` for another strategy, or for a delta channel that `delta_channels` does not have.
        """
        if strategy not in ("keep_latest", "delete"):
            raise ValueError(f"Unknown strategy {strategy!r}: say 'keep_latest' or 'delete'.")
        for thread_id in map(str, thread_ids):
            if strategy == "delete":
                self.delete_thread(thread_id)
                continue
            with self._writing() as cur:
                for ns, checkpoint_id in cur.execute(_NEWEST, (thread_id,)).fetchall():
                    self._materialise(cur, (thread_id, ns, checkpoint_id))
                rest = "thread_id = ? AND (checkpoint_ns, checkpoint_id) NOT IN"
                cur.execute(f"DELETE FROM checkpoints WHERE {rest} ({_NEWEST})", (thread_id, thread_id))
                cur.execute(f"DELETE FROM writes WHERE {rest} ({_NEWEST})", (thread_id, thread_id))
                cur.execute("UPDATE checkpoints SET parent_checkpoint_id = NULL WHERE thread_id = ?", (thread_id,))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Take runs back: delete their checkpoints, and what they left beside a checkpoint that they resumed.

        A surviving child of a deleted checkpoint gets its delta channels' whole values and the nearest surviving
        ancestor as its parent. A run is known by `run_id` in its metadata, as a LangGraph server sets it. Then
        `on_delete_runs`. Raises `ValueError` for a delta channel that `delta_channels` does not have.
        """
        runs = [str(run_id) for run_id in run_ids]
        with self._writing() as cur:
            gone = set(cur.execute(_OF_RUNS, (json.dumps(runs),)).fetchall())
            self._cut(cur, gone)
            for table in _COLUMNS:
                cur.executemany(f"DELETE FROM {table} WHERE {_WHERE}", sorted(gone))
        if self.on_delete_runs:
            self.on_delete_runs(sorted({thread_id for thread_id, _, _ in gone}))

    def _cut(self, cur: sqlite3.Cursor, gone: set[_Key]) -> None:
        # Make what survives stand without the checkpoints that go.
        parents: dict[_Key, _Key | None] = {}
        for thread_id in {key[0] for key in gone}:
            for ns, checkpoint_id, parent in cur.execute(_FAMILY, (thread_id,)).fetchall():
                parents[thread_id, ns, checkpoint_id] = (thread_id, ns, parent) if parent else None
        surviving = parents.keys() - gone
        for key in surviving:
            if (ancestor := parents[key]) in gone:
                self._materialise(cur, key)
                for _ in gone:  # no further than this, should the parents ever form a ring
                    ancestor = parents.get(ancestor) if ancestor in gone else ancestor
                new_parent = ancestor and ancestor[2]
                cur.execute(f"UPDATE checkpoints SET parent_checkpoint_id = ? WHERE {_WHERE}", (new_parent, *key))
        # A checkpoint that has another child keeps what was left beside it: it may be that one's.
        for start in {parents[key] for key in gone} - gone - {parents[key] for key in surviving}:
            if start:
                halted = cur.execute(f"SELECT 1 FROM writes WHERE {_WHERE} AND {_HALTED} LIMIT 1", start).fetchone()
                left = f"AND ({_LEFT_BY_CHILD})" if halted else ""
                cur.execute(f"DELETE FROM writes WHERE {_WHERE} {left}", (*start, *start) if halted else start)

    def _materialise(self, cur: sqlite3.Cursor, key: _Key) -> None:
        # Write the whole value of each delta channel into the checkpoint, as a snapshot of LangGraph's own kind.
        saved = self.get_tuple({"configurable": dict(zip(_KEYS, key, strict=True))})
        assert saved is not None
        values, versions = saved.checkpoint["channel_values"], saved.checkpoint["channel_versions"]
        absent = [name for name in versions if name not in values]
        counted = _counted(saved)
        if unknown := sorted(name for name in absent if name in counted and name not in self.delta_channels):
            raise ValueError(
                f"The delta channels {', '.join(unknown)} of thread {key[0]!r} are not known here, so deleting their "
                "history would lose their values. Nothing was deleted; set `delta_channels` to the graph's."
            )
        names = [name for name in absent if name in self.delta_channels]
        if not names:
            return
        for name, history in self.get_delta_channel_history(config=saved.config, channels=names).items():
            values[name] = _DeltaSnapshot(self._value(name, history))
        kind, blob = self.serde.dumps_typed(saved.checkpoint)
        cur.execute(f"UPDATE checkpoints SET type = ?, checkpoint = ? WHERE {_WHERE}", (kind, blob, *key))
        self._held.cache_clear()

    def delete_checkpoints(self, thread_id: str, checkpoint_ids: Collection[str], *, vacuum: bool = False) -> None:
        """Delete these checkpoints of a thread's own graph; every other one reads as it did before.

        What stays gets its nearest staying ancestor as its parent. That ancestor takes over what the deleted ones on
        the way had written to delta channels, so that a long thread does not grow by being cut; where it leads to
        several that stay, or has nothing to add to, they get the whole values. `vacuum` gives the room back to the
        disk. Checkpoints of subgraphs are left alone. Raises `ValueError` for a delta channel that `delta_channels`
        does not have.
        """
        with self._writing() as cur:
            rows = cur.execute(_FAMILY, (str(thread_id),)).fetchall()
            parents: dict[str, str | None] = {one: parent for ns, one, parent in rows if not ns}
            gone = parents.keys() & set(checkpoint_ids)
            ways = {one: _way_up(parents, gone, one) for one in sorted(parents.keys() - gone)}
            heirs = Counter(ancestor for _, ancestor in ways.values())
            for one, (way, ancestor) in ways.items():
                key = (str(thread_id), "", one)
                if way:
                    if ancestor is None or heirs[ancestor] > 1 or not self._hand_down(cur, key, way, ancestor):
                        self._materialise(cur, key)
                    cur.execute(f"UPDATE checkpoints SET parent_checkpoint_id = ? WHERE {_WHERE}", (ancestor, *key))
            for table in _COLUMNS:
                cur.executemany(f"DELETE FROM {table} WHERE {_WHERE}", [(str(thread_id), "", one) for one in gone])
        if vacuum:
            with self.lock:
                self.conn.execute("VACUUM")
                self.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _hand_down(self, cur: sqlite3.Cursor, key: _Key, way: Sequence[str], ancestor: str) -> bool:
        # A checkpoint's writes belong to the child that consumed them (any later branch takes snapshots), so an only
        # heir may find more of them there. Not across a snapshot: what it holds would be lost.
        thread_id, ns, checkpoint_id = key
        saved = [self.get_tuple({"configurable": dict(zip(_KEYS, (thread_id, ns, c), strict=True))}) for c in way]
        names = {*self.delta_channels, *(n for s in saved if s for n in _counted(s))}
        if any(s is None or names & s.checkpoint["channel_values"].keys() for s in saved):
            return False
        marks = ", ".join("?" * len(names))
        moved = (
            row
            for one in reversed(way)
            for row in cur.execute(
                f"SELECT channel, type, value FROM writes WHERE {_WHERE} AND channel IN ({marks}) {_IN_ORDER}",
                (thread_id, ns, one, *sorted(names)),
            ).fetchall()
        )
        # Their task is none that ran. Its path sorts after those of all that did ("~__pregel_pull, ..."), and after
        # what was handed down here before.
        task, path = str(uuid5(UUID(int=0), checkpoint_id)), f"~~{checkpoint_id}"
        cur.executemany(
            "INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, "
            "value) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(thread_id, ns, ancestor, task, path, i, *row) for i, row in enumerate(moved)],
        )
        return True

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """`get_tuple` in a thread."""
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - upstream's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """`list` in a thread."""
        for found in await asyncio.to_thread(self.list, config, filter=filter, before=before, limit=limit):
            yield found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """`put` in a thread."""
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """`put_writes` in a thread."""
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """`delete_thread` in a thread."""
        await asyncio.to_thread(self.delete_thread, thread_id)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """`copy_thread` in a thread."""
        await asyncio.to_thread(self.copy_thread, source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """`prune` in a thread."""
        await asyncio.to_thread(self.prune, thread_ids, strategy=strategy)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """`delete_for_runs` in a thread."""
        await asyncio.to_thread(self.delete_for_runs, run_ids)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """`get_delta_channel_history` in a thread."""
        return await asyncio.to_thread(self.get_delta_channel_history, config=config, channels=channels)


_BEGUN = "SELECT 1 FROM checkpoints WHERE thread_id = ? LIMIT 1"
_WHERE = "thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?"
_NEWEST = "SELECT checkpoint_ns, max(checkpoint_id) FROM checkpoints WHERE thread_id = ? GROUP BY checkpoint_ns"
_FAMILY = "SELECT checkpoint_ns, checkpoint_id, parent_checkpoint_id FROM checkpoints WHERE thread_id = ?"
_IN_ORDER = "ORDER BY task_path, task_id, idx"
_OF_RUNS = """SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints
    WHERE json_extract(CAST(metadata AS TEXT), '$.run_id') IN (SELECT value FROM json_each(?))"""
# What a resumed run leaves beside the checkpoint it resumes: commands (the null task), answers to interrupts, and the
# results of the tasks that had been interrupted or had failed. Where none had, all that is there is its own.
_HALTED = f"idx IN ({WRITES_IDX_MAP[ERROR]}, {WRITES_IDX_MAP[INTERRUPT]})"
_LEFT_BY_CHILD = f"""task_id = '{UUID(int=0)}' OR idx = {WRITES_IDX_MAP[RESUME]} OR (idx >= 0 AND task_id IN (
    SELECT task_id FROM writes WHERE {_WHERE} AND {_HALTED}))"""


def _counted(saved: CheckpointTuple) -> Collection[str]:
    """The delta channels that a checkpoint was written with."""
    return saved.metadata.get("counters_since_delta_snapshot", {})


def _way_up(parents: Mapping[str, str | None], gone: Set[str], start: str) -> tuple[list[str], str | None]:
    """The deleted checkpoints above one that stays, nearest first, and the nearest above them that stays, if any."""
    way: list[str] = []
    ancestor = parents[start]
    while ancestor is not None and ancestor in gone and ancestor not in way:
        way.append(ancestor)
        ancestor = parents.get(ancestor)
    return way, ancestor if ancestor in parents and ancestor not in gone else None


def _user(config: RunnableConfig) -> str | None:
    context = getattr(config["configurable"].get(_RUNTIME), "context", None)
    user_id = context.get("user_id") if isinstance(context, Mapping) else getattr(context, "user_id", None)
    return str(user_id) if user_id else None
