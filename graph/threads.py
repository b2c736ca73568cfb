"""Threads: what conversations there are, what was said in them, and their end."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any, cast
from uuid import uuid4

from langchain_core.runnables import RunnableConfig

from graph.pending import Graph, consolidate, extract_pending
from graph.pruning import PruneReport, ends_of, plan
from graph.replay import replay, snapshot_of
from graph.titles import Titler
from graph.tree import Tree, tree_of
from stores import views
from stores.book import MemoryBook
from stores.checkpointer import SqliteCheckpointer
from stores.errors import BadInput, IndexClosed, NotFound
from stores.leases import Leases
from stores.provenance import written_in
from stores.titles import keep_title, opening, stored_title
from stores.transcript import search_transcript
from stores.usage import usage_of_thread, usage_of_user


class Threads:
    """The conversations of one folder. Reading needs the ledger alone."""

    def __init__(
        self,
        memory: MemoryBook,
        graph: Graph | None = None,
        plain: Graph | None = None,
        checkpointer: SqliteCheckpointer | None = None,
        leases: Leases | None = None,
        titler: Titler | None = None,
    ) -> None:
        self.memory = memory
        self.graph = graph
        # The graph without leases: a replay takes nobody's thread.
        self.plain = plain or graph
        self.checkpointer = checkpointer
        self.leases = leases
        # Writes titles; without one, the first words are the title.
        self.titler = titler

    def list(
        self, user_id: str | None = None, *, limit: int | None = None, offset: int = 0
    ) -> builtins.list[dict[str, Any]]:
        """Threads of everybody or of one user, with titles, the last used first, from the `offset`th on.

        A deleted one is among them, with the time in `deleted`. Raises `BadInput` for a negative limit or offset.
        """
        _check_page(limit, offset)
        with self.memory.database.read() as conn:
            return views.list_threads(conn, user_id, limit, offset)

    def count(self, user_id: str | None = None) -> int:
        """How many threads `list` has in all."""
        with self.memory.database.read() as conn:
            return views.count_threads(conn, user_id)

    def show(self, thread_id: str, *, limit: int | None = None, offset: int = 0) -> dict[str, Any]:
        """A thread and what was said in it, redacted, from the `offset`th message on. Raises `NotFound`, `BadInput`."""
        _check_page(limit, offset)
        found = self._thread(thread_id)
        with self.memory.database.read() as conn:
            return {**found, "transcript": views.transcript(conn, thread_id, limit, offset)}

    def stats(self, thread_id: str) -> dict[str, Any]:
        """A thread in numbers: messages by speaker, turns, facts, first and last time, what its model calls cost.

        What a person forgot is not counted. Raises `NotFound`.
        """
        found = self._thread(thread_id)
        about = {name: found[name] for name in ("thread_id", "user_id", "title", "deleted")}
        with self.memory.database.read() as conn:
            return {**about, **views.thread_stats(conn, thread_id)}

    def _thread(self, thread_id: str) -> dict[str, Any]:
        with self.memory.database.read() as conn:
            found = views.get_thread(conn, thread_id)
        if found is None:
            raise NotFound(f"No thread {thread_id!r} was found. `palimpsest threads list` shows those there are.")
        return found

    def usage(self, thread_id: str) -> dict[str, Any]:
        """What a thread's model calls cost, and its user's in all threads: sums by what they were for.

        `last` is the report of its last turn (`usage` in the state), None without checkpoints. Raises `NotFound`.
        """
        user_id = self._thread(thread_id)["user_id"]
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

    def search(
        self, text: str, *, user_id: str | None = None, limit: int = 50, offset: int = 0
    ) -> builtins.list[dict[str, Any]]:
        """Messages that hold every word of `text`, newest first, from the `offset`th on; None searches all users'.

        Any string may be asked: it has no syntax. A word is found by its beginning, in any case and width, and Chinese
        anywhere. Each hit is a message with its time and a `snippet` in which the words stand between ⟦ and ⟧. What
        people forgot is not found, nor a deleted thread. Raises `BadInput` for a negative limit or offset.
        """
        _check_page(limit, offset)
        with self.memory.database.read() as conn:
            return search_transcript(conn, text, user_id, limit, offset)

    def tree(self, thread_id: str) -> Tree:
        """The thread's checkpoints with the current branch marked; drawn in a notebook. Raises `NotFound`."""
        self._thread(thread_id)
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

    def title(self, thread_id: str, *, ask: bool = False) -> str:
        """A thread's title: what a model called it, else what its user said in it first, else its id; redacted.

        `ask` has the thread's model write it anew, in one short call, and keeps it. Without a language model (the
        offline one is none), or when the call fails, the title is what it was. Raises `NotFound`.
        """
        self._thread(thread_id)
        if ask:
            self._ask_for_title(thread_id)
        return str(self._thread(thread_id)["title"])

    def _ask_for_title(self, thread_id: str) -> None:
        if self.titler is None or self.graph is None:
            return
        with self.memory.database.read() as conn:
            said = opening(conn, thread_id)
        config: RunnableConfig = {"configurable": {"thread_id": thread_id}}
        settings = self.graph.get_state(config).values.get("settings") or {}
        written = self.titler(settings.get("model"), said)
        if written is not None:
            keep_title(self.memory.database, thread_id, written.text, written.usage, said)

    def prune(self, thread_id: str, keep: int, *, vacuum: bool = False) -> PruneReport:
        """Delete a thread's old checkpoints, all but the last `keep` turns of every branch; says what it gave up.

        Checkpoints at which a memory was written that is current, now or where a branch ends, stay as well. Every
        state that stays is what it was, and can be gone on from; memory does not change. `vacuum` gives the room back
        to the disk. Raises `NotFound`, `BadInput` for fewer than one turn, and `ThreadBusy` while a turn of the thread
        runs.
        """
        if keep < 1:
            raise BadInput(f"At least one turn of a branch is kept, not {keep}. Nothing was deleted.")
        self._thread(thread_id)
        graph, run = self._graph(), str(uuid4())
        if self.leases:
            self.leases.acquire(thread_id, run)
        try:
            tree = tree_of(graph, thread_id)
            with self.memory.database.read() as conn:
                report = plan(tree, keep, written_in(conn, thread_id, ends_of(tree)))
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
        """End a conversation for now: what it left unread is read, what was said is summed up, and a model gives it a
        title if it has none.

        Returns what changed, None when nothing did. The thread may go on later, and be closed again. Raises
        `NotFound`, and `ThreadBusy` while a turn of it runs.
        """
        if self._thread(thread_id)["deleted"]:
            return None
        changes = extract_pending(self.graph, thread_id) if self.graph else None
        if self.graph and not (changes and changes["failure"]):
            summed = consolidate(self.graph, self.memory, thread_id)
            changes = {**(changes or summed), "reflection": summed["reflection"]} if summed else changes
        with self.memory.database.read() as conn:
            named = stored_title(conn, thread_id) is not None
        if not named:
            self._ask_for_title(thread_id)
        return changes

    def delete(self, thread_id: str, *, memories: bool = False) -> None:
        """Delete a thread's checkpoints. Its memories stay, marked, unless `memories` ends them too.

        Raises `NotFound`, and `ThreadBusy` while a turn of it runs.
        """
        self._thread(thread_id)
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


def _check_page(limit: int | None, offset: int) -> None:
    if (limit is not None and limit < 0) or offset < 0:
        raise BadInput(f"A page has no negative limit ({limit}) or offset ({offset}). Nothing was read.")
