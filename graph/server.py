"""What a LangGraph server asks for: the graph, the checkpointer and the store of one data folder, opened together.

The server opens each of the three by itself and closes each by itself; all are parts of one agent here, so there is
one set of handles in a process and it is opened with the first part and closed with the last.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any
from uuid import UUID, uuid5

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot

from graph.agent import Agent, open_agent
from stores.checkpointer import SqliteCheckpointer
from stores.qdrant_store import PalimpsestStore

GRAPH_ID = "palimpsest"
"""The graph's name in `langgraph.json`."""
THREAD_NAME = "palimpsest_thread"
"""Where a thread's own id stands when the server knows it by another: in its metadata, and in that of a run."""
THREAD_USER = "palimpsest_user"
"""Where the server's metadata of a thread says whose it is."""

_NAMESPACE = UUID("5a1e5e57-7a1c-5d0e-9c3b-0d6f70616c69")


def server_id(thread_id: str) -> str:
    """The id by which a server knows a thread: its own when that is a UUID as servers write it, else a UUID made of it.

    A server takes nothing but UUIDs, and the agent takes any string.
    """
    try:
        return thread_id if str(UUID(thread_id)) == thread_id else str(uuid5(_NAMESPACE, thread_id))
    except ValueError:
        return str(uuid5(_NAMESPACE, thread_id))


class ThreadNames:
    """The threads' own ids by the server's: "monday" for a UUID that was made of it, and a UUID for itself."""

    def __init__(self, thread_ids: Sequence[str] = ()) -> None:
        self._own = {server_id(t): t for t in thread_ids}

    def own(self, thread_id: str, named: Any = None) -> str:
        """The own id of a server's thread. `named` is what a caller says it is, believed when it makes that UUID."""
        if isinstance(named, str) and server_id(named) == thread_id:
            self._own[thread_id] = named
        return self._own.get(thread_id, thread_id)

    def inside(self, config: RunnableConfig) -> RunnableConfig:
        """A server's config as the agent's parts take it."""
        configurable = config.get("configurable") or {}
        if not (given := configurable.get("thread_id")):
            return config
        metadata = config.get("metadata") or {}
        own = {"thread_id": self.own(str(given), metadata.get(THREAD_NAME))}
        inside: dict[str, Any] = {**config, "configurable": {**configurable, **own}}
        if "thread_id" in metadata:
            inside["metadata"] = {**metadata, **own}
        return inside  # type: ignore[return-value]

    @staticmethod
    def outside(config: RunnableConfig | None) -> RunnableConfig | None:
        """The agent's config as a server takes it; the inverse of `inside`."""
        configurable = (config or {}).get("configurable") or {}
        if config is None or not (own := configurable.get("thread_id")):
            return config
        return {**config, "configurable": {**configurable, "thread_id": server_id(str(own))}}

    def snapshot(self, found: StateSnapshot) -> StateSnapshot:
        """A state as a server takes it."""
        parent = self.outside(found.parent_config)
        return found._replace(config=self.outside(found.config) or found.config, parent_config=parent)


class ServedGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """The agent's graph for a server: without saver and store, which the server brings, and for its ids of threads.

    Only what a server calls is translated: streaming (its `ainvoke` too), states, histories and updates.
    """

    def __init__(self, *, names: ThreadNames, **parts: Any) -> None:
        super().__init__(**parts)
        self.names = names

    @classmethod
    def of(cls, graph: CompiledStateGraph[Any, Any, Any, Any], names: ThreadNames) -> ServedGraph:
        """A compiled graph, made ready for a server."""
        parts = {k: v for k, v in graph.__dict__.items() if k != "__orig_class__"}
        return cls(**{**parts, "checkpointer": None, "store": None}, names=names)

    async def astream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> AsyncIterator[Any]:  # noqa: A002
        """LangGraph's own `astream`, on the thread that the server means."""
        async for part in super().astream(input, self.names.inside(config or {}), **options):
            yield part

    async def aget_state(self, config: RunnableConfig, *, subgraphs: bool = False) -> StateSnapshot:
        """LangGraph's own `aget_state`, of the thread that the server means."""
        return self.names.snapshot(await super().aget_state(self.names.inside(config), subgraphs=subgraphs))

    async def aget_state_history(
        self,
        config: RunnableConfig,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - LangGraph's name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[StateSnapshot]:
        """LangGraph's own `aget_state_history`, of the thread that the server means."""
        history = super().aget_state_history(self.names.inside(config), filter=filter, before=before, limit=limit)
        async for found in history:
            yield self.names.snapshot(found)

    async def abulk_update_state(self, config: RunnableConfig, supersteps: Sequence[Any]) -> RunnableConfig:
        """LangGraph's own, which `aupdate_state` calls too, on the thread that the server means."""
        done = await super().abulk_update_state(self.names.inside(config), supersteps)
        return self.names.outside(done) or done


class ServedCheckpointer(SqliteCheckpointer):
    """The agent's checkpointer for a server, which copies, deletes and prunes threads by their ids in the server.

    It shares the connection and the hooks of the one it is made of; closing it closes nothing.
    """

    names: ThreadNames

    @classmethod
    def of(cls, inner: SqliteCheckpointer, names: ThreadNames) -> ServedCheckpointer:
        """A view of an open checkpointer."""
        served = cls.__new__(cls)
        served.__dict__ = inner.__dict__
        served.names = names
        return served

    def close(self) -> None:
        """Nothing: the agent closes what it opened."""

    def delete_thread(self, thread_id: str) -> None:
        """Delete the thread that the server means."""
        super().delete_thread(self.names.own(str(thread_id)))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy the thread that the server means."""
        super().copy_thread(self.names.own(str(source_thread_id)), self.names.own(str(target_thread_id)))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Prune the threads that the server means."""
        super().prune([self.names.own(str(t)) for t in thread_ids], strategy=strategy)


class Served:
    """An agent as a server takes it: `graph`, `checkpointer` and `store` are what `langgraph.json` names.

    `opening` opens the agent, in a worker thread; give another one to serve an agent with tools or a model object.
    Export all three from one module and name them as `module:name` (not as a file's path, which would import the
    module a second time). Opening raises what `open_agent` raises.
    """

    def __init__(self, opening: Callable[[], Agent] = open_agent) -> None:
        self._opening = opening
        self._lock = threading.Lock()
        self._users = 0
        self._open: tuple[Agent, ThreadNames] | None = None

    def _enter(self) -> tuple[Agent, ThreadNames]:
        with self._lock:
            if self._open is None:
                agent = self._opening()
                self._open = agent, ThreadNames([row["thread_id"] for row in agent.threads.list()])
            self._users += 1
            return self._open

    def _leave(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0 and self._open is not None:
                self._open[0].close()
                self._open = None

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[tuple[Agent, ThreadNames]]:
        opened = await asyncio.to_thread(self._enter)
        try:
            yield opened
        finally:
            await asyncio.to_thread(self._leave)

    @asynccontextmanager
    async def _graph(self) -> AsyncIterator[ServedGraph]:
        async with self._opened() as (agent, names):
            yield ServedGraph.of(agent.graph, names)

    @asynccontextmanager
    async def _checkpointer(self) -> AsyncIterator[ServedCheckpointer]:
        async with self._opened() as (agent, names):
            assert agent.threads.checkpointer is not None
            yield ServedCheckpointer.of(agent.threads.checkpointer, names)

    @asynccontextmanager
    async def _store(self) -> AsyncIterator[PalimpsestStore]:
        async with self._opened() as (agent, _):
            yield agent.memory.index

    def graph(self) -> AbstractAsyncContextManager[ServedGraph]:
        """The graph, leased: one turn at a time per thread."""
        return self._graph()

    def checkpointer(self) -> AbstractAsyncContextManager[ServedCheckpointer]:
        """Where threads are kept."""
        return self._checkpointer()

    def store(self) -> AbstractAsyncContextManager[PalimpsestStore]:
        """Where memories are found; the graph's nodes find the ledger behind it."""
        return self._store()
