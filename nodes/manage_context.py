"""The second step: what the model will see inside the token budget, and the running summary of what it will not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.runtime import Runtime

from memory.record import TokenCounter
from memory.rendering import render_summary
from memory.summary import fold_summary
from memory.tokens import estimate_tokens
from memory.window import Line, Window, choose_window, plan_context
from nodes.turn import State, settled
from nodes.view import MESSAGE_TOKENS, block_of, view_of

SUMMARY_SHARE = 8
"""The running summary may use one part in this many of what is left for the input."""
MEMORY_SHARE = 3
"""The memory block may use one part in this many: the profile, and what was recalled."""


def manage_context(tools: Sequence[Any] = (), count: TokenCounter = estimate_tokens) -> Callable[..., dict[str, Any]]:
    """The step that plans the context, for a model that is offered these tools, with this token counter.

    Leaves `usage` (tokens by part) in the state, and `summary` where messages left the window.
    """
    tool_tokens = sum(count(str(convert_to_openai_tool(t))) for t in tools)

    def manage(state: State, runtime: Runtime[Any]) -> dict[str, Any]:
        context = settled(state)
        view = view_of(state, count)
        summary = state.get("summary") or {}
        most = max(0, context.max_context_tokens - context.reserve_output_tokens)
        block = block_of(state, view.tongue, most // MEMORY_SHARE, count)
        wanted = sum(line.tokens for line in view.lines)

        def plan(summary_tokens: int) -> dict[str, int]:
            return plan_context(
                max_context_tokens=context.max_context_tokens,
                reserve_output_tokens=context.reserve_output_tokens,
                system=count(view.prompt) + MESSAGE_TOKENS,
                tools=tool_tokens,
                memory=block.tokens,
                summary=summary_tokens,
                history=wanted,
            )

        def framed(text: str) -> int:
            return count(render_summary(text, language=view.tongue)) if text else 0

        parts = plan(framed(summary.get("text", "")))
        window = choose_window(view.lines, parts["history"], count)
        update: dict[str, Any] = {}
        if gone := _left(view.lines, window):
            parts = plan(most // SUMMARY_SHARE)
            window = choose_window(view.lines, parts["history"], count)
            gone = _left(view.lines, window)
            room = max(0, parts["summary"] - framed("x"))
            text = fold_summary(summary.get("text", ""), gone, max_tokens=room, language=view.tongue, count=count)
            update["summary"] = {"text": text, "to": gone[-1].id}
        usage = {"tokens": parts, "dropped": len(window.dropped), "shortened": len(window.shortened)}
        runtime.stream_writer({"node": "manage_context", **usage})
        return {**update, "usage": usage}

    return manage


def _left(lines: Sequence[Line], window: Window) -> list[Line]:
    """The messages before the first that stays: they leave for good, and the summary covers them from now on."""
    kept = set(window.kept)
    first = next((i for i, line in enumerate(lines) if line.id in kept), len(lines))
    return list(lines[:first])
