"""A true replay: a checkpoint runs again on a throw-away copy, and recalls what the original turn recalled.

Neither the thread nor memory nor the ledger changes. LangGraph's own `invoke(None, old.config)` is something else: it
goes on from the checkpoint in the thread itself, and moves its head.
"""

from __future__ import annotations

from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.base import Checkpoint
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.constants import START
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot

from nodes.skills import SKILLS_AS_OF, kept_of_skills
from stores.checkpointer import SqliteCheckpointer
from stores.errors import NotFound

Graph = CompiledStateGraph[Any, Any, Any, Any]


def snapshot_of(graph: Graph, checkpoint: RunnableConfig) -> StateSnapshot:
    """The state at a checkpoint; the thread's last one when its id is left out. Raises `NotFound`."""
    found = graph.get_state(checkpoint)
    if not found.values and not found.tasks:
        named = checkpoint.get("configurable", {})
        raise NotFound(
            f"There is no checkpoint {named.get('checkpoint_id') or 'yet'!r} in the thread {named.get('thread_id')!r}. "
            "Nothing was changed; graph.get_state_history lists those there are."
        )
    return found


def moment_of_memory(graph: Graph, checkpoint: RunnableConfig) -> int:
    """The ledger time that "as of this checkpoint" means: its state's `memory_time`, 0 before the first turn ran.

    Raises `NotFound`.
    """
    return int(snapshot_of(graph, checkpoint).values.get("memory_time") or 0)


def after_recall(graph: Graph, snapshot: StateSnapshot) -> StateSnapshot | None:
    """The state in which the turn that runs on from here had first recalled; None when it never did."""
    here = snapshot
    while _before_recall(here):
        thread, one = here.config["configurable"]["thread_id"], here.config["configurable"]["checkpoint_id"]
        child = cast("SqliteCheckpointer", graph.checkpointer).first_child(thread, one)
        if child is None:
            return None
        here = graph.get_state({"configurable": {"thread_id": thread, "checkpoint_id": child}})
    return None if here.values.get("memory_time") is None else here


def _before_recall(snapshot: StateSnapshot) -> bool:
    return snapshot.next in ((START,), ("retrieve_memory",))


def replay(graph: Graph, checkpoint: RunnableConfig, now: int) -> dict[str, Any]:
    """Run on from a checkpoint on a copy in memory; returns the state at its end.

    `graph` is the plain graph, without leases. `now` is the ledger time to recall at where the turn never ran. The
    model is asked again, and may answer otherwise; what is recalled is the same. Raises `NotFound`.
    """
    snapshot = snapshot_of(graph, checkpoint)
    if not snapshot.next:
        return dict(snapshot.values)
    recalled = after_recall(graph, snapshot)
    at = None if recalled is None else recalled.values.get("memory_time")
    copy = InMemorySaver(serde=cast("Any", graph.checkpointer).serde)
    config = _copy_into(copy, graph, snapshot)
    config["configurable"]["memory_as_of"] = now if at is None else at
    if recalled is not None:
        config["configurable"][SKILLS_AS_OF] = kept_of_skills(recalled.values)
    return dict(graph.copy(update={"checkpointer": copy}).invoke(None, config))


def _copy_into(copy: InMemorySaver, graph: Graph, snapshot: StateSnapshot) -> RunnableConfig:
    """Put one checkpoint into another saver, whole: its delta channels need none of those before it."""
    found = cast("Any", graph.checkpointer).get_tuple(snapshot.config)
    values = dict(found.checkpoint["channel_values"])
    for name, channel in graph.channels.items():
        if isinstance(channel, DeltaChannel) and name in snapshot.values:
            values[name] = _DeltaSnapshot(snapshot.values[name])
    checkpoint = cast("Checkpoint", {**found.checkpoint, "channel_values": values})
    thread = {"thread_id": snapshot.config["configurable"]["thread_id"], "checkpoint_ns": ""}
    placed = copy.put({"configurable": thread}, checkpoint, found.metadata, checkpoint["channel_versions"])
    writes: dict[str, list[tuple[str, Any]]] = {}
    for task, channel, value in found.pending_writes or ():
        writes.setdefault(task, []).append((channel, value))
    for task, written in writes.items():
        copy.put_writes(placed, written, task)
    return placed
