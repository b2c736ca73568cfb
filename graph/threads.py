"""Threads: what conversations there are, what was said in them, and their end."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any, cast
from uuid import uuid4

from langchain_core.runnables import RunnableConfig

from graph.pending import Graph, extract_pending
from graph.pruning import PruneReport, plan, provenance_of
from graph.replay import replay, snapshot_of
from graph.tree import Tree, tree_of
from stores import views
from stores.book import MemoryBook
from stores.checkpointer import SqliteCheckpointer
from stores.errors import BadInput, IndexClosed, NotFound
from stores.leases import Leases
from stores.usage import usage_of_thread, usage_of_user

_TITLE = 60
"""How many characters a title has at the most."""


class Threads:
    """The conversations of one folder. Reading needs the ledger alone."""

    def __init__(
        self,
        memory: MemoryBook,
        graph: Graph | None = None,
        plain: Graph | None = None,
        checkpointer: SqliteCheckpointer | None = None,
        leases: Leases | None = None,
    ) -> None:
        self.memory = memory
        self.graph = graph
        # The graph without leases: a replay takes nobody's thread.
        self.plain = plain or graph
        self.checkpointer = checkpointer
        self.leases = leases

    def list(self, user_id: str | None = None) -> builtins.list[dict[str, Any]]:
        """Every thread, or one user's, the last used first."""
        with self.memory.database.read() as conn:
            return views.list_threads(conn, user_id)

    def show(self, thread_id: str) -> dict[str, Any]:
        """A thread and what was said in it, redacted. Raises `NotFound`."""
        with self.memory.database.read() as conn:
            found = views.get_thread(conn, thread_id)
            if found is None:
                raise NotFound(f"No thread {thread_id!r} was found. `palimpsest threads list` shows those there are.")
            return {**found, "transcript": views.transcript(conn, thread_id)}

    def usage(self, thread_id: str) -> dict[str, Any]:
        """What a thread's model calls cost, and its user's in all threads: sums by what they were for.

        `last` is the report of its last turn (`usage` in the state), None without checkpoints. Raises `NotFound`.
        """
        user_id = self.show(thread_id)["user_id"]
        with self.memory.database.read() as conn:
            of_thread, of_user = usage_of_thread(conn, thread_id), usage_of_user(conn, user_id)
        config: RunnableConfig = {"configurable": {"thread_id": thread_id}}
        last = self.graph.get_state(config).values.get("usage") if self.graph else None
        return {
            "thread_id": thread_id,
            "user_id": user_id,
            "thread": of_thread,
            "user": of_user,
            "last": last or None,
        }

    def search(self, text: str, *, user_id: str | None = None, limit: int = 50) -> builtins.list[dict[str, Any]]:
        """Messages that hold every word of `text`, newest first; any string may be asked."""
        with self.memory.database.read() as conn:
            return views.search_transcript(conn, text, user_id, limit)

    def tree(self, thread_id: str) -> Tree:
        """The thread's checkpoints with the current branch marked; drawn in a notebook. Raises `NotFound`."""
        self.show(thread_id)
        return tree_of(self._graph(), thread_id)

    def replay(self, checkpoint: RunnableConfig) -> dict[str, Any]:
        """Run on from a checkpoint on a throw-away copy; returns the state at its end.

        It recalls what the original turn recalled. Neither thread, memory nor ledger changes. Raises `NotFound`.
        """
        self._graph()
        return replay(cast("Graph", self.plain), checkpoint, self.memory.ledger.now())

    def branch(
        self,
        checkpoint: RunnableConfig,
        messages: Any = None,
        values: Mapping[str, Any] | None = None,
        as_node: str | None = None,
    ) -> RunnableConfig:
        """Make a checkpoint that goes on from an older one, with these messages or values; returns its config.

        `invoke(None, config)` runs it on. Memory follows when the thread next runs. Raises `NotFound`, `ThreadBusy`.
        """
        graph = self._graph()
        snapshot = snapshot_of(graph, checkpoint)
        update = {**(values or {}), **({"messages": messages} if messages is not None else {})}
        if not update:
            return graph.update_state(snapshot.config, None, as_node="__copy__")
        return graph.update_state(snapshot.config, update, as_node=as_node)

    def switch(self, thread_id: str, checkpoint: RunnableConfig) -> RunnableConfig:
        """Make an older checkpoint the thread's head, and bring memory in line with it; returns the new head's config.

        Raises `NotFound`, `ThreadBusy`.
        """
        where: RunnableConfig = {"configurable": {**checkpoint["configurable"], "thread_id": thread_id}}
        head = self.branch(where)
        self.memory.follow(thread_id, self._graph().get_state(head).values.get("head"))
        return head

    def title(self, thread_id: str) -> str:
        """A thread's title: what its user said in it first, redacted; before that, its id. Raises `NotFound`."""
        said = (m["text"].split() for m in self.show(thread_id)["transcript"] if m["speaker"] == "user")
        words = next((" ".join(one) for one in said if one), thread_id)
        return words if len(words) <= _TITLE else words[: _TITLE - 1].rstrip() + "…"

    def prune(self, thread_id: str, keep: int, *, vacuum: bool = False) -> PruneReport:
        """Delete a thread's old checkpoints, all but the last `keep` turns of every branch; says what it gave up.

        Checkpoints at which a memory was written that is current, now or where a branch ends, stay as well. Every
        state that stays is what it was, and can be gone on from; memory does not change. `vacuum` gives the room back
        to the disk. Raises `NotFound`, `BadInput` for fewer than one turn, and `ThreadBusy` while a turn of the thread
        runs.
        """
        if keep < 1:
            raise BadInput(f"At least one turn of a branch is kept, not {keep}. Nothing was deleted.")
        self.show(thread_id)
        graph, run = self._graph(), str(uuid4())
        if self.leases:
            self.leases.acquire(thread_id, run)
        try:
            tree = tree_of(graph, thread_id)
            with self.memory.database.read() as conn:
                report = plan(tree, keep, provenance_of(conn, tree))
            if self.checkpointer:
                self.checkpointer.delete_checkpoints(thread_id, report.deleted, vacuum=vacuum)
        finally:
            if self.leases:
                self.leases.release(thread_id, run)
        return report

    def _graph(self) -> Graph:
        if self.graph is None:
            raise IndexClosed("Only the ledger was opened, which has no checkpoints to show or to go back to.")
        return self.graph

    def close(self, thread_id: str) -> dict[str, Any] | None:
        """End a conversation for now: what it left unread is read. Returns what changed, None when nothing waited.

        Raises `NotFound`, and `ThreadBusy` while a turn of it runs. The thread may go on later.
        """
        self.show(thread_id)
        return extract_pending(self.graph, thread_id) if self.graph else None

    def delete(self, thread_id: str, *, memories: bool = False) -> None:
        """Delete a thread's checkpoints. Its memories stay, marked, unless `memories` ends them too.

        Raises `NotFound`, and `ThreadBusy` while a turn of it runs.
        """
        self.show(thread_id)
        run = str(uuid4())
        if self.leases:
            # Taken, not only looked at: a turn of this process keeps its thread however long it takes.
            self.leases.acquire(thread_id, run)
        try:
            if self.checkpointer:
                self.checkpointer.delete_thread(thread_id)
            self.memory.delete_thread(thread_id, memories=memories)
        finally:
            if self.leases:
                self.leases.release(thread_id, run)
