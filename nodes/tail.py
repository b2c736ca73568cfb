"""The bounded tail of a conversation that a state keeps: the transcript and old checkpoints have all of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import HumanMessage, RemoveMessage, SystemMessage

from memory.window_strategy import sums_up
from nodes.turn import State, settled


def outgrown(state: State, marks: Mapping[str, Any]) -> list[RemoveMessage]:
    """Removals of the oldest messages, so that at most the run's `max_messages` stay; none while no more are there.

    What stays begins with a human message. Nothing leaves that is not committed yet or not read for facts yet (`marks`
    has the state's newest `committed_to` and `extracted_to`), nor, where the strategy sums up, what no summary covers:
    then more messages stay. System messages stay too.
    """
    messages, context = state["messages"], settled(state)
    over = len(messages) - context.max_messages
    if over <= 0:
        return []
    places = {m.id: i for i, m in enumerate(messages)}
    first = next((i for i in range(over, len(messages)) if isinstance(messages[i], HumanMessage)), 0)
    first = min(first, *(places.get(marks[name], 0) for name in ("committed_to", "extracted_to")))
    if sums_up(context.context_strategy):
        covered = places.get((state.get("summary") or {}).get("to"), -1)
        first = min(first, covered + 1)
    return [RemoveMessage(id=str(m.id)) for m in messages[:first] if not isinstance(m, SystemMessage)]
