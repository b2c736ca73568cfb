"""One turn at a time per thread, across threads, tasks and processes: who has a thread, and until when.

Two turns that run at once on one thread would each build on what the other does not see, and one of them would be
lost. So a run takes the thread's lease before its first node and frees it when it ends, however it ends. A paused run
(an interrupt) has ended: it holds none.
"""

from __future__ import annotations

import asyncio
import copy
import functools
import os
import platform
import subprocess
import weakref
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar, cast
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler, BaseCallbackManager
from langchain_core.runnables import Runnable
from langchain_core.runnables.config import merge_configs, run_in_executor
from langgraph._internal._runnable import RunnableCallable
from langgraph.config import get_config
from langgraph.graph.state import CompiledStateGraph
from sqlalchemy import Connection, Engine, Executable, bindparam, delete, or_, select

from memory.record import Clock
from stores.database import upsert
from stores.errors import PalimpsestError
from stores.gate import gate
from stores.schema import leases as table

Graph = TypeVar("Graph", bound=CompiledStateGraph[Any, Any, Any, Any])
_PROC = Path("/proc")


class ThreadBusy(PalimpsestError):
    """Another run has the thread."""


@dataclass(frozen=True)
class Holder:
    """Who has a thread: a run of a process (which started at `process_started`) of a host, until `expires_at` (ms)."""

    run_id: str
    host: str
    pid: int
    process_started: str
    expires_at: int


@dataclass(frozen=True)
class _Running:
    run_id: str
    renew_at: int
    run: Callable[[], object | None] | None

    @property
    def is_known(self) -> bool:
        return self.run is not None and self.run() is not None

    @property
    def is_forgotten(self) -> bool:
        return self.run is not None and self.run() is None


class Leases:
    """The leases of one ledger's threads, in its table `leases`; every change is one transaction.

    A lease is taken over when its run has ended without saying so: at once when its process on this host is dead or
    has forgotten the run, else `seconds` after the run's last sign of life. A run that this process still knows keeps
    its thread from the process's other runs for as long as it takes. It does not wait for a busy thread.
    """

    def __init__(self, engine: Engine, *, seconds: float = 600, clock: Clock = lambda: datetime.now(UTC)) -> None:
        self._engine = engine
        # The ledger's engine begins a transaction marked so as a writer; others ignore the mark.
        self._writer = engine.execution_options(write=True)
        self._take, self._take_over = _statements(engine.dialect.name)
        self._milliseconds = int(seconds * 1000)
        self._clock = clock
        self._running: dict[str, _Running] = {}  # thread -> its run in this process

    def _now(self) -> int:
        return int(self._clock().timestamp() * 1000)

    def acquire(self, thread_id: str, run_id: str, *, run: UUID | None = None) -> None:
        """Take the thread for a run, or renew what the run has. Raises `ThreadBusy` when another run has it.

        `run` is an object that lives as long as the run does: when Python has forgotten it, so is the lease.
        """
        now, pid = self._now(), os.getpid()
        mine = Holder(run_id, platform.node(), pid, _started(pid), now + self._milliseconds)
        other = self._running.get(thread_id)
        if other and other.is_known and other.run_id != run_id:
            raise _busy(thread_id, mine)
        row = {"thread_id": thread_id, **mine.__dict__}
        with self._writer.begin() as conn:
            if conn.execute(self._take, {**row, "now": now}).first() is None:
                # The refused statement has locked the row, so what is read here stays so until the end.
                holder = _read(conn, thread_id)
                if holder and self._lives(thread_id, holder):
                    raise _busy(thread_id, holder)
                conn.execute(self._take_over, row)
        known = weakref.ref(run) if run else other.run if other and other.run_id == run_id else None
        self._running[thread_id] = _Running(run_id, now + self._milliseconds // 2, known)

    def renew(self, thread_id: str) -> None:
        """A sign of life of this process's run on a thread; writes only when half of the lease's time has gone.

        Raises `ThreadBusy` when the lease was lost meanwhile: that run must not go on. Nothing to do without a lease.
        """
        if (running := self._running.get(thread_id)) and self._now() >= running.renew_at:
            self.acquire(thread_id, running.run_id)

    def release(self, thread_id: str, run_id: str) -> None:
        """Free the thread, if this run has it."""
        if (running := self._running.get(thread_id)) and running.run_id == run_id:
            del self._running[thread_id]
        with self._writer.begin() as conn:
            conn.execute(_FREE, {"thread": thread_id, "run": run_id})

    def holder(self, thread_id: str) -> Holder | None:
        """Who has the thread now, if anyone does."""
        with self._engine.connect() as conn:
            found = _read(conn, thread_id)
        return found if found and found.expires_at > self._now() and self._lives(thread_id, found) else None

    def check(self, thread_id: str) -> None:
        """Raise `ThreadBusy` when any run has the thread: for what writes to a thread and is no run of its own."""
        if found := self.holder(thread_id):
            raise _busy(thread_id, found)

    def _lives(self, thread_id: str, holder: Holder) -> bool:
        if holder.host != platform.node():
            return True  # nothing can be known before the lease expires
        if (holder.pid, holder.process_started) == (os.getpid(), _started(os.getpid())):
            running = self._running.get(thread_id)
            return not (running and running.run_id == holder.run_id and running.is_forgotten)
        return _process(holder.pid) == holder.process_started


class LeaseHandler(BaseCallbackHandler):
    """Takes a thread's lease when a graph starts, frees it when it ends; bind it with `leased`.

    A run without a thread takes none. A graph inside another graph's node takes none either: the outermost graph's
    turn is the turn, so bind the handler there. (LangGraph tells callbacks the outer thread even when the inner call
    names its own; what that call writes is checked by `SqliteCheckpointer.check_lease`.)

    Not inline: in an async run LangChain calls it in a worker thread and waits for it, so that the database never
    blocks the event loop; `raise_error` makes `ThreadBusy` the run's own error.
    """

    raise_error = True
    run_inline = False
    ignore_llm = ignore_chat_model = ignore_retriever = True
    ignore_agent = ignore_custom_event = ignore_retry = True

    def __init__(self, leases: Leases, before: Callable[[str], None] | None = None) -> None:
        """`before(thread_id)` is called when new input comes to a thread, before its lease is taken."""
        self._leases = leases
        self._before = before
        self._threads: dict[str, str] = {}  # run -> its thread

    def on_chain_start(
        self,
        serialized: dict[str, Any] | None,  # noqa: ARG002
        inputs: Any,
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """A graph's start takes the lease."""
        metadata = metadata or {}
        if "langgraph_step" in metadata or metadata.get("thread_id") is None:
            return
        thread_id, run = str(metadata["thread_id"]), str(run_id)
        if run in self._threads:
            raise ThreadBusy(
                f"The run {run} is going on already, so this second one with its id was not started. Nothing was "
                "changed. Give each run an id of its own, or none."
            )
        if self._before and isinstance(inputs, dict) and not metadata.get("checkpoint_id"):
            self._before(thread_id)
        self._leases.acquire(thread_id, run, run=run_id if isinstance(run_id, UUID) else None)
        self._threads[run] = thread_id

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_: Any) -> None:  # noqa: ARG002
        """A graph's end frees the lease; an interrupt ends a run too."""
        if (thread_id := self._threads.pop(str(run_id), None)) is not None:
            self._leases.release(thread_id, str(run_id))

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """So does an error, a cancelled task, or a stream that nobody reads on."""
        self.on_chain_end(error, run_id=run_id)


def leased(graph: Graph, leases: Leases, before: Callable[[str], None] | None = None) -> Graph:
    """The graph, one turn at a time per thread: with a `LeaseHandler`, and with sync nodes that keep the lease.

    A plain sync node renews the lease when it starts. And it runs to its end: a cancelled async run would leave its
    worker thread going on alone, past the lease; here the run waits for that thread and ends after it. Async nodes,
    and sync tools or models inside them, are cancelled as ever.
    """
    nodes = {name: node.copy({"bound": _keeping(node.bound, leases)}) for name, node in graph.nodes.items()}
    # Not inherited by what runs inside. A manager of this plain class, unlike a CallbackManager, still gets the
    # tracers and callbacks that LangChain adds for each run.
    callbacks = BaseCallbackManager(handlers=[LeaseHandler(leases, before)], inheritable_handlers=[])
    return graph.copy({"nodes": nodes, "config": merge_configs(graph.config, {"callbacks": callbacks})})


def _keeping(bound: Runnable[Any, Any], leases: Leases) -> Runnable[Any, Any]:
    # Only what LangGraph itself made of a plain sync function: its async half is that function in a worker thread.
    if not isinstance(bound, RunnableCallable) or getattr(bound.afunc, "func", None) is not run_in_executor:
        return bound
    func = cast("Callable[..., Any]", bound.func)

    def run(*args: Any, **kwargs: Any) -> Any:
        leases.renew(str(get_config()["metadata"].get("thread_id", "")))
        return func(*args, **kwargs)

    twin = copy.copy(bound)
    twin.func, twin.afunc = run, functools.partial(_to_its_end, run)
    return twin


async def _to_its_end(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    cancelled: asyncio.CancelledError | None = None

    def run() -> Any:
        try:
            return None if cancelled else func(*args, **kwargs)
        except StopIteration as error:  # a future cannot hold one
            raise RuntimeError("The node raised StopIteration.") from error

    async with gate().place(get_config()["metadata"].get("langgraph_step", 0)):
        future = asyncio.get_running_loop().run_in_executor(None, copy_context().run, run)
        while not future.done():
            try:
                await asyncio.wait([future])
            except asyncio.CancelledError as error:
                cancelled = error
    if cancelled:
        future.exception()
        raise cancelled
    return future.result()


# Statements are made once: to make them takes longer than to run them.
_FREE = delete(table).where(table.c.thread_id == bindparam("thread"), table.c.run_id == bindparam("run"))
_HOLDER = select(table.c.run_id, table.c.host, table.c.pid, table.c.process_started, table.c.expires_at).where(
    table.c.thread_id == bindparam("thread")
)


@functools.cache
def _statements(dialect: str) -> tuple[Executable, Executable]:
    """Take a thread where it is free, its run's own or expired; take it over from whoever has it."""
    put = upsert(dialect, table).returning(table.c.run_id)
    free = or_(table.c.run_id == put.excluded.run_id, table.c.expires_at <= bindparam("now"))
    update = functools.partial(put.on_conflict_do_update, index_elements=[table.c.thread_id], set_=dict(put.excluded))
    return update(where=free), update()


def _read(conn: Connection, thread_id: str) -> Holder | None:
    row = conn.execute(_HOLDER, {"thread": thread_id}).first()
    return Holder(*row) if row else None


def _busy(thread_id: str, holder: Holder) -> ThreadBusy:
    until = datetime.fromtimestamp(holder.expires_at / 1000, UTC).isoformat(timespec="seconds")
    return ThreadBusy(
        f"The thread {thread_id!r} is in the middle of another turn (process {holder.pid} on {holder.host}). Nothing "
        f"was changed and your message was not taken: send it again when that turn has ended, or after {until} if it "
        "never does."
    )


@functools.lru_cache(maxsize=4)
def _started(pid: int) -> str:
    return _process(pid)


def _process(pid: int) -> str:
    """What tells a process from a later one with the same number; empty when there is none, or it is a zombie."""
    if (_PROC / "self" / "stat").exists():
        try:
            stat = (_PROC / str(pid) / "stat").read_text()
            boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        except OSError:
            return ""
        fields = stat.rpartition(")")[2].split()
        return "" if fields[0] in "ZX" else f"{boot} {fields[19]}"
    try:
        command = ["ps", "-o", "state=", "-o", "lstart=", "-p", str(pid)]
        found = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "TZ": "UTC"})
    except OSError:
        return "unknown"  # so it counts as alive, and only time frees its leases
    state, _, started = found.stdout.strip().partition(" ")
    return "" if state.startswith("Z") else started.strip()
