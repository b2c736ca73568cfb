"""The second step: what the model will see inside the token budget, and the running summary of what it will not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph._internal._runnable import RunnableCallable
from langgraph.runtime import Runtime

from memory.record import TokenCounter
from memory.rendering import Block, render_block, render_summary
from memory.skill_rendering import SkillBlock
from memory.summary import ExtractiveSummarizer
from memory.summary_request import Summarizer, Summary, SummaryRequest
from memory.tokens import estimate_tokens
from memory.window import Line, Order, Window, choose_window, plan_context
from memory.window_strategy import leaving, order_of
from nodes.context import Context
from nodes.skills import skills_of_turn
from nodes.turn import State, settled
from nodes.view import MESSAGE_TOKENS, TurnSkills, View, block_of, view_of

SUMMARY_SHARE = 8
"""The running summary may use one part in this many of what is left for the input."""
MEMORY_SHARE = 3
"""The memory block may use one part in this many: the profile, and what was recalled."""
SKILL_SHARE = 8
"""The skills may use one part in this many."""
LEAST_SUMMARY = 48
"""Tokens: where a summary may have no more, none is made, for it would lose what the one before covered."""

Summarizers = Callable[[Context], Summarizer]


def manage_context(
    tools: Sequence[Any] = (),
    count: TokenCounter = estimate_tokens,
    summarizer: Summarizers | Summarizer | None = None,
) -> Runnable[Any, dict[str, Any]]:
    """The step that plans the context, for a model that is offered these tools, with this token counter.

    Leaves `usage` in the state: tokens by part, the share of the window in use, what was dropped and why, and what
    summaries cost in this turn. Where the run's `context_strategy` says so and messages have to leave, their summary is
    made by the `summarizer` (or the one that it gives for a run; without any, sentences are picked), and left as
    `summary`: its text, and `to`, the last message that it covers. No message is covered twice. When a summary fails,
    the history stays, the window alone keeps to the budget, and the next turn tries again.

    Synchronous and asynchronous, for a summariser may ask a model.
    """
    tool_tokens = sum(count(str(convert_to_openai_tool(t))) for t in tools)
    summarizers = summarizer or ExtractiveSummarizer(count)

    def prepare(state: State, runtime: Runtime[Any]) -> tuple[_Plan, Summarizer | None]:
        plan = _Plan(state, count, tool_tokens, skills_of_turn(state, runtime.store, tools))
        if plan.gone:
            return plan, summarizers(plan.context) if callable(summarizers) else summarizers
        return plan, None

    def manage(state: State, runtime: Runtime[Any]) -> dict[str, Any]:
        plan, asked = prepare(state, runtime)
        return plan.update(runtime, asked.summarize(plan.request()) if asked else None)

    async def amanage(state: State, runtime: Runtime[Any]) -> dict[str, Any]:
        # To make a client reads certificates from the disk, which an event loop must not wait for.
        plan, asked = await asyncio.to_thread(prepare, state, runtime)
        if asked is None:
            return plan.update(runtime, None)
        if (ask := getattr(asked, "asummarize", None)) is None:
            return plan.update(runtime, await asyncio.to_thread(asked.summarize, plan.request()))
        return plan.update(runtime, await ask(plan.request()))

    return RunnableCallable(manage, amanage, name="manage_context", trace=False)


class _Plan:
    """All about one turn's context but the making of a summary, which is synchronous or not."""

    def __init__(self, state: State, count: TokenCounter, tool_tokens: int, skills: TurnSkills) -> None:
        self.context = settled(state)
        self._count, self._tools = count, tool_tokens
        self._turn = state.get("turn_id")
        self._summary: dict[str, Any] = state.get("summary") or {}
        before: dict[str, Any] = state.get("usage") or {}
        # A turn comes here again after each round of tools.
        self._before = before if before.get("turn_id") == self._turn and not before.get("committed") else {}
        self._view: View = view_of(state, count)
        self._most = max(0, self.context.max_context_tokens - self.context.reserve_output_tokens)
        self._block: Block = block_of(state, self._view.tongue, self._most // MEMORY_SHARE, count)
        self._skills = skills
        self._profile = _profile_tokens(state, self._view, self._block, count)
        self._turn_tokens = sum(line.tokens for line in _last_turn(self._view.lines))
        self._fixed = self._parts(self._framed(self._summary.get("text", "")), self._view.lines)
        self.gone: list[Line] = []
        if not self._before.get("failure"):
            room = self._fixed["history"] + self._fixed["free"]
            if self._leaving(room):
                # The summary may grow to its share, which leaves the rest less.
                self._fixed = self._parts(self._most // SUMMARY_SHARE, self._view.lines)
                room = self._fixed["history"] + self._fixed["free"]
                if self._summary_room() >= LEAST_SUMMARY:
                    self.gone = self._leaving(room)

    def _leaving(self, room: int) -> list[Line]:
        context = self.context
        return leaving(self._view.lines, room, context.max_messages, context.context_strategy, self._count)

    def request(self) -> SummaryRequest:
        """What a summariser is asked."""
        return SummaryRequest(
            previous=self._summary.get("text", ""),
            lines=self.gone,
            max_tokens=self._summary_room(),
            max_input_tokens=self._most,
            language=self._view.tongue,
        )

    def update(self, runtime: Runtime[Any], made: Summary | None) -> dict[str, Any]:
        """The state's update, also told to the stream."""
        lines, summary = self._view.lines, self._summary
        if made and made.failure is None:
            summary = {"text": made.text, "to": made.to}
            lines = lines[next(i for i, line in enumerate(lines) if line.id == made.to) + 1 :]
        parts = self._parts(self._framed(summary.get("text", "")), lines)
        order = order_of(self.context.context_strategy)
        window = choose_window(lines, parts["history"], self._count, order=order)
        used = self.context.max_context_tokens - parts["free"]
        usage: dict[str, Any] = {
            "turn_id": self._turn,
            "tokens": parts,
            "share": round(used / self.context.max_context_tokens, 3) if self.context.max_context_tokens else 1.0,
            "dropped": self._dropped(window, order, parts, summarised=len(self._view.lines) - len(lines)),
            "shortened": len(window.shortened),
            "calls": _added(self._before.get("calls") or {}, made),
        }
        if failure := made.failure if made else self._before.get("failure"):
            usage["failure"] = failure
        runtime.stream_writer({"node": "manage_context", **usage})
        # Written each turn, changed or not: a state is read by walking back to each channel's last write.
        return {"usage": usage, "summary": summary} if summary else {"usage": usage}

    def _parts(self, summary: int, lines: Sequence[Line]) -> dict[str, int]:
        wanted = self._skill_block(self._most // SKILL_SHARE).tokens
        parts = self._planned(summary, lines, wanted)
        # A skill is shown whole or not at all; what room it leaves is the conversation's.
        fitting = self._skill_block(parts["skills"]).tokens if parts["skills"] < wanted else wanted
        return parts if fitting == wanted else self._planned(summary, lines, fitting)

    def _planned(self, summary: int, lines: Sequence[Line], skills: int) -> dict[str, int]:
        return plan_context(
            max_context_tokens=self.context.max_context_tokens,
            reserve_output_tokens=self.context.reserve_output_tokens,
            system=self._count(self._view.prompt) + MESSAGE_TOKENS,
            tools=self._tools,
            profile=self._profile,
            recalled=self._block.tokens - self._profile,
            summary=summary,
            history=sum(line.tokens for line in lines),
            skills=skills,
            turn=self._turn_tokens,
        )

    def _skill_block(self, tokens: int) -> SkillBlock:
        return self._skills.block(self._view.tongue, tokens, self._count)

    def _dropped(self, window: Window, order: Order, parts: Mapping[str, int], *, summarised: int) -> dict[str, Any]:
        """How many messages, memories and skills the model does not see, by the reason why."""
        broken = len(window.broken)
        by_kind = {
            "messages": {
                "summarised": summarised,
                "too old" if order == "newest" else "worth least": len(window.dropped) - broken,
                "incomplete tool exchange": broken,
            },
            "memories": {"no room": len(self._block.dropped)},
            "skills": {
                "no room": len(self._skill_block(parts["skills"]).dropped),
                "gone since": len(self._skills.gone),
            },
        }
        kept = {kind: {why: n for why, n in found.items() if n} for kind, found in by_kind.items()}
        return {kind: found for kind, found in kept.items() if found}

    def _summary_room(self) -> int:
        return self._fixed["summary"] - self._framed("x")

    def _framed(self, text: str) -> int:
        return self._count(render_summary(text, language=self._view.tongue)) if text else 0


def _profile_tokens(state: State, view: View, block: Block, count: TokenCounter) -> int:
    """What of the block the profile takes, its frame included; a block without recalled lines is all profile."""
    recalled = state.get("recalled") or {}
    if not block.tokens or not recalled.get("profile") or not recalled.get("results"):
        return block.tokens if recalled.get("profile") else 0
    alone = render_block({**recalled, "results": []}, language=view.tongue, max_tokens=block.tokens, count=count)
    return min(alone.tokens, block.tokens)


def _last_turn(lines: Sequence[Line]) -> Sequence[Line]:
    """The last human line and what follows it: what the model answers."""
    return lines[max((i for i, line in enumerate(lines) if line.role == "human"), default=0) :]


def _added(calls: dict[str, Any], made: Summary | None) -> dict[str, Any]:
    """The model calls of the turn so far, by what they were for, with those of this summary."""
    if not made or not made.usage:
        return calls
    before = calls.get("summary") or {}
    return {**calls, "summary": {name: n + before.get(name, 0) for name, n in made.usage.items()}}
