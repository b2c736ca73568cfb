"""Reading what waits: turns whose extraction was deferred or failed, at each thread's tip.

It goes through the graph's own last two steps, so that a fact is committed once, on the branch that said it. Branches
that nobody went on with stay as they are.
"""

from __future__ import annotations

from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph

from memory.consolidation import worth_consolidating
from nodes.consolidate import CLOSING
from stores import views
from stores.book import MemoryBook

Graph = CompiledStateGraph[Any, Any, Any, Any]


def pending_threads(memory: MemoryBook) -> list[str]:
    """The threads whose last commit left words unread, the last used first. Needs the ledger alone."""
    with memory.database.read() as conn:
        return views.pending_threads(conn)


def extract_pending(graph: Graph, thread_id: str) -> dict[str, Any] | None:
    """Read what waits at a thread's tip; returns what changed, or None when nothing waited.

    A turn that was interrupted is left to its resume. Raises `ThreadBusy` while a turn of the thread runs.
    """
    config: RunnableConfig = {"configurable": {"thread_id": thread_id}}
    state = graph.get_state(config)
    messages = state.values.get("messages", [])
    if state.tasks or not messages or messages[-1].id == state.values.get("extracted_to"):
        return None
    settings = {**state.values["settings"], "extraction": "inline"}
    graph.update_state(config, {"settings": settings}, as_node="call_llm")
    result = graph.invoke(None, config)
    return dict(result["changes"])


def consolidate(graph: Graph, memory: MemoryBook, thread_id: str) -> dict[str, Any] | None:
    """Sum up what a thread's tip has that no summary covers; returns what changed, or None when there is nothing to.

    It goes through the graph's own last two steps, so that the summary belongs to the branch. A turn that was
    interrupted is left to its resume. Raises `ThreadBusy` while a turn of the thread runs.
    """
    config: RunnableConfig = {"configurable": {"thread_id": thread_id}}
    state = graph.get_state(config)
    if state.tasks or not state.values.get("user_id"):
        return None
    found = memory.to_consolidate(state.values["user_id"], state.values.get("head"), 1)
    if found is None or not worth_consolidating(found):
        return None
    graph.update_state(config, {"settings": state.values["settings"]}, as_node="call_llm")
    closing: RunnableConfig = {"configurable": {"thread_id": thread_id, CLOSING: True}}
    return dict(graph.invoke(None, closing)["changes"])
