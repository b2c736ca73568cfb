"""The third step: render what the plan allows and ask the model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph._internal._runnable import RunnableCallable
from langgraph.runtime import Runtime

from memory.record import TokenCounter
from memory.tokens import estimate_tokens
from nodes.model_name import model_name
from nodes.skills import skills_of_turn
from nodes.turn import State, settled
from nodes.view import TurnSkills, render

Models = Callable[[str | None], BaseChatModel]
Explain = Callable[[Exception, str], Exception | None]
"""What a model's error is for a person, given the model's name; None leaves the error as it is."""

MAX_TOOL_ROUNDS = 10


class EndlessTools(RuntimeError):
    """The model called tools when it was offered none, after its last round."""


def call_llm(
    models: Models | BaseChatModel,
    tools: Sequence[Any] = (),
    count: TokenCounter = estimate_tokens,
    *,
    max_rounds: int = MAX_TOOL_ROUNDS,
    explain: Explain = lambda error, model: None,  # noqa: ARG005
) -> Runnable[Any, dict[str, Any]]:
    """The step that asks a model, or the one which `models` gives for the run's model name; it may call these tools.

    Synchronous and asynchronous, so that no model call sits in a thread pool under `ainvoke`. Appends the answer to
    `messages`. The rendered memory block goes to the model alone.

    After `max_rounds` rounds of tools in a turn the model is asked once more without any. A tool call whose arguments
    are no JSON is answered by an error at once. When the model says that the request is too long, it is asked once
    more with half the history. Raises what the model raises, or `EndlessTools`, as `explain` reads it; then nothing is
    appended, and the turn can be resumed from here.
    """

    def question(state: State, runtime: Runtime[Any]) -> _Question:
        name = _given(runtime.context) or settled(state).model
        model = models if isinstance(models, BaseChatModel) else models(name)
        last = bool(tools) and tool_rounds(state["messages"]) >= max_rounds
        # Read here, since to read files is to wait for the disk, and this is where that may be.
        skills = skills_of_turn(state, runtime.store, tools)
        return _Question(state, model, [] if last else tools, last, count, explain, skills)

    def ask(state: State, config: RunnableConfig, runtime: Runtime[Any]) -> dict[str, Any]:
        asked = question(state, runtime)
        for share in asked.shares:
            try:
                return asked.update(asked.bound.invoke(asked.messages(share), config), share)
            except Exception as error:  # a model is anybody's code
                asked.raise_unless_shorter(error, share)
        raise AssertionError("the last share raises")

    async def aask(state: State, config: RunnableConfig, runtime: Runtime[Any]) -> dict[str, Any]:
        # To make a client reads certificates from the disk, which an event loop must not wait for.
        asked = await asyncio.to_thread(question, state, runtime)
        for share in asked.shares:
            try:
                return asked.update(await asked.bound.ainvoke(asked.messages(share), config), share)
            except Exception as error:  # a model is anybody's code
                asked.raise_unless_shorter(error, share)
        raise AssertionError("the last share raises")

    return RunnableCallable(ask, aask, name="call_llm", trace=False)


def tool_rounds(messages: Sequence[AnyMessage]) -> int:
    """How many answers of the turn so far called tools."""
    rounds = 0
    for message in reversed(messages):
        if isinstance(message, HumanMessage):
            break
        rounds += isinstance(message, AIMessage) and bool(message.tool_calls or message.invalid_tool_calls)
    return rounds


@dataclass(frozen=True)
class _Question:
    """All about asking a model but the asking itself, which is synchronous or not."""

    state: State
    model: BaseChatModel
    tools: Sequence[Any]
    last_round: bool
    count: TokenCounter
    explain: Explain
    skills: TurnSkills

    shares = (1, 2)
    """Of the planned history one part in this many is sent: all of it, then half."""

    @property
    def bound(self) -> Runnable[Any, Any]:
        return self.model.bind_tools(list(self.tools)) if self.tools else self.model

    def messages(self, share: int) -> list[BaseMessage]:
        return render(self.state, self.count, skills=self.skills, history_share=share, last_round=self.last_round)

    def update(self, answer: AIMessage, share: int) -> dict[str, Any]:
        if self.last_round and (answer.tool_calls or answer.invalid_tool_calls):
            raise EndlessTools(f"{tool_rounds(self.state['messages'])} rounds")
        refused = [
            ToolMessage(
                f"Error: the arguments are not valid JSON: {call['args']}",
                name=call["name"],
                tool_call_id=str(call["id"]),
                status="error",
            )
            for call in answer.invalid_tool_calls
        ]
        update: dict[str, Any] = {"messages": [answer, *refused]}
        return update if share == 1 else {**update, "usage": {**self.state["usage"], "history_share": share}}

    def raise_unless_shorter(self, error: Exception, share: int) -> None:
        """Raise, unless the request was too long and there is a shorter one to try."""
        told = self.explain(error, model_name(self.model) or type(self.model).__name__)
        if share == self.shares[-1] or not isinstance(told or error, ContextOverflowError):
            raise told or error from (error if told else error.__cause__)


def _given(context: Any) -> str | None:
    """The model that this very run was given: a resume may choose another one than the turn began with."""
    name = context.get("model") if isinstance(context, Mapping) else getattr(context, "model", None)
    return name if isinstance(name, str) else None
