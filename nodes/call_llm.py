"""The third step: render what the plan allows and ask the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda

from memory.record import TokenCounter
from nodes.turn import State, settled
from nodes.view import render

Models = Callable[[str | None], BaseChatModel]


def call_llm(models: Models, tools: Sequence[Any], count: TokenCounter) -> Runnable[Any, dict[str, Any]]:
    """The step that asks the model which `models` gives for the run's model name; it may call these tools.

    Synchronous and asynchronous, so that no model call sits in a thread pool under `ainvoke`. Appends the answer to
    `messages`. The rendered memory block goes to the model alone.
    """

    def model_for(state: State) -> Runnable[Any, Any]:
        model = models(settled(state).model)
        return model.bind_tools(list(tools)) if tools else model

    def ask(state: State, config: RunnableConfig) -> dict[str, Any]:
        answer: BaseMessage = model_for(state).invoke(render(state, count), config)
        return {"messages": [answer]}

    async def aask(state: State, config: RunnableConfig) -> dict[str, Any]:
        answer: BaseMessage = await model_for(state).ainvoke(render(state, count), config)
        return {"messages": [answer]}

    return RunnableLambda(ask, aask, name="call_llm")
