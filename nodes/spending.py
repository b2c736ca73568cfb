"""What a turn's model calls cost: calls and tokens, by what they were for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage

from memory.record import TokenCounter
from memory.text import content_text
from memory.tokens import estimate_tokens
from nodes.turn import State
from stores.usage import spent_on_memory

_INPUT = ("system", "tools", "profile", "recalled", "summary", "skills", "history")


def spent(state: State, said: Sequence[AnyMessage], count: TokenCounter = estimate_tokens) -> dict[str, dict[str, int]]:
    """What the turn in `state` cost, whose own messages are `said`.

    It is by what calls were for: "answer", "summary" (of the window), "extraction", "reflection" (consolidation).

    Each has `calls`, `input_tokens` and `output_tokens`, as the services told them; an answer that came without is
    estimated, by the plan of its context. A call that failed without an answer has no tokens. What was not called is
    left out, and so is what an earlier commit of the same turn has.
    """
    proposals = state.get("proposals") or {}
    usage = _of_turn(state)
    planned = {} if usage.get("committed") else usage
    answers = [m for m in said if isinstance(m, AIMessage)]
    sent = sum(planned.get("tokens", {}).get(part, 0) for part in _INPUT)
    costs = [_cost(m, sent, count) for m in answers]
    found: dict[str, Any] = {
        "answer": {
            "calls": len(answers),
            "input_tokens": sum(given for given, _ in costs),
            "output_tokens": sum(made for _, made in costs),
        },
        "summary": (planned.get("calls") or {}).get("summary") or {},
        "extraction": proposals.get("usage") or {},
        "reflection": (proposals.get("consolidation") or {}).get("usage") or {},
    }
    names = ("calls", "input_tokens", "output_tokens")
    return {what: {n: int(costs.get(n, 0)) for n in names} for what, costs in found.items() if costs.get("calls")}


def report(state: State, calls: dict[str, dict[str, int]]) -> dict[str, Any]:
    """The turn's `usage` with the calls that are in its commit, beside those that an earlier one has.

    `memory` is what of them went into memory, with its share of the answer's tokens.
    """
    usage = _of_turn(state)
    earlier = usage.get("calls") or {} if usage.get("committed") else {}
    calls = {**earlier, **calls}
    turn_id = state["proposals"]["turn_id"]
    return {**usage, "turn_id": turn_id, "calls": calls, "memory": spent_on_memory(calls), "committed": True}


def _of_turn(state: State) -> dict[str, Any]:
    usage: dict[str, Any] = state.get("usage") or {}
    return usage if usage.get("turn_id") == (state.get("proposals") or {}).get("turn_id") else {}


def _cost(answer: AIMessage, sent: int, count: TokenCounter) -> tuple[int, int]:
    told = answer.usage_metadata
    if told:
        return told["input_tokens"], told["output_tokens"]
    calls = "".join(f"{call['name']} {call['args']}" for call in answer.tool_calls)
    return sent, count(content_text(answer.content) + calls)
