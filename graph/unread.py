"""The words of a run that died after storing its input and before its first step.

LangGraph completes such a run on a resume, and drops its input when other input comes instead. Here it is taken in
first, so that nothing that was said is lost.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.constants import START
from langgraph.graph.state import CompiledStateGraph

from stores.checkpointer import SqliteCheckpointer

_LAST = """
SELECT metadata FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = '' ORDER BY checkpoint_id DESC LIMIT 1
"""


def taking_in_what_is_unread(
    graph: CompiledStateGraph[Any, Any, Any, Any], checkpointer: SqliteCheckpointer
) -> Callable[[str], None]:
    """What is to happen before new input comes to a thread, by its id. One look-up when the last run went well."""

    def take_in(thread_id: str) -> None:
        if (unread := _unread_input(checkpointer, thread_id)) is not None:
            graph.update_state(_config(thread_id), unread, as_node=START)

    return take_in


def _unread_input(checkpointer: SqliteCheckpointer, thread_id: str) -> dict[str, Any] | None:
    with checkpointer.cursor(transaction=False) as cur:
        row = cur.execute(_LAST, (thread_id,)).fetchone()
    if row is None or json.loads(row[0]).get("source") != "input":
        return None
    found = checkpointer.get_tuple(_config(thread_id))
    unread = found.checkpoint["channel_values"].get(START) if found else None
    return unread if isinstance(unread, dict) else None


def _config(thread_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}
