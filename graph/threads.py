"""Threads: what conversations there are, what was said in them, and their end."""

from __future__ import annotations

import builtins
from typing import Any

from graph.pending import Graph, extract_pending
from stores import views
from stores.book import MemoryBook
from stores.checkpointer import SqliteCheckpointer
from stores.errors import NotFound
from stores.leases import Leases


class Threads:
    """The conversations of one folder. Reading needs the ledger alone."""

    def __init__(
        self,
        memory: MemoryBook,
        graph: Graph | None = None,
        checkpointer: SqliteCheckpointer | None = None,
        leases: Leases | None = None,
    ) -> None:
        self.memory = memory
        self.graph = graph
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
