"""Memory follows what happens to checkpoints outside a turn: runs rolled back, threads copied and deleted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langgraph.graph.state import CompiledStateGraph

from stores.book import MemoryBook


class Following:
    """The hooks of a checkpointer that bring memory in line. What happened has happened when they are called."""

    def __init__(self, graph: CompiledStateGraph[Any, Any, Any, Any], memory: MemoryBook) -> None:
        self.graph = graph
        self.memory = memory

    def runs_were_deleted(self, thread_ids: Sequence[str]) -> None:
        """What the runs had committed no longer counts in the threads that had checkpoints of them, copies too."""
        for thread_id in thread_ids:
            self._follow(thread_id)

    def thread_was_copied(self, source: str, target: str) -> None:
        """The copy holds what the source holds, from now on by itself; a deleted thread of its name keeps its own."""
        if user_id := self.memory.user_of(source):
            self.memory.ledger.enter_thread(target, user_id)
        self.memory.ledger.begin_thread(target)
        self._follow(target)

    def thread_was_deleted(self, thread_id: str) -> None:
        """Its memories stay; it is marked."""
        self.memory.delete_thread(thread_id, memories=False)

    def _follow(self, thread_id: str) -> None:
        state = self.graph.get_state({"configurable": {"thread_id": thread_id}})
        self.memory.follow(thread_id, state.values.get("head"))
