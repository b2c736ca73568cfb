"""Threads: what conversations there are, what was said in them, and their end."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any, cast

from langchain_core.runnables import RunnableConfig

from graph.pending import Graph, extract_pending
from graph.replay import replay, snapshot_of
from graph.tree import Tree, tree_of
from stores import views
from stores.book import MemoryBook
from stores.checkpointer import SqliteCheckpointer
from stores.errors import IndexClosed, NotFound
from stores.leases import Leases


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
        if self.leases:
            self.leases.check(thread_id)
        if self.checkpointer:
            self.checkpointer.delete_thread(thread_id)
        self.memory.delete_thread(thread_id, memories=memories)
