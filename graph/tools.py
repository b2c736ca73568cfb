"""The tools of a turn: each call a task of its own, errors told to the model, and an end to the rounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.prebuilt import ToolNode
from langgraph.types import Send

Tool = BaseTool | Callable[..., Any]


def tool_node(tools: Sequence[Tool]) -> ToolNode:
    """LangGraph's `ToolNode`, which tells the model what any tool raised (an interrupt still pauses the run)."""
    return ToolNode(list(tools), handle_tool_errors=error_text)


def error_text(error: Exception) -> str:
    """What the model reads in place of a result."""
    return f"Error: {type(error).__name__}: {error}"


def next_step(state: Mapping[str, Any]) -> str | list[Send]:
    """Where the turn goes after an answer: to the tools that it calls, back to the model, or on to memory.

    Each call is a task of its own. So parallel calls run at once, and when one pauses for a person (`interrupt`), the
    others keep their results and do not run again. Calls that could not be read were answered already: back to the
    model. It must not raise: LangGraph would keep the answer and take its node for done, with nowhere to go on.
    """
    answer = next((m for m in reversed(state["messages"]) if not isinstance(m, ToolMessage)), None)
    if not isinstance(answer, AIMessage) or not (answer.tool_calls or answer.invalid_tool_calls):
        return "extract_facts"
    return [Send("tools", [call]) for call in answer.tool_calls] or "manage_context"
