"""How long a turn takes before its first token, and what many turns at once cost. It measures; it judges nothing."""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableConfig

from graph import Agent
from stores.imports import ImportedMessage

_THINGS = [
    "the boiler 锅炉",
    "the green bicycle 自行车",
    "the garden fence 篱笆",
    "the tax form 报税表",
    "the piano 钢琴",
    "the ferry to Rhodes 渡轮",
    "the dentist 牙医",
    "the bread recipe 面包配方",
    "the spare key 备用钥匙",
    "the choir 合唱团",
]
_DEEDS = [
    "was repaired by Olsen",
    "is what we argued about",
    "costs more than last year",
    "should be ready by the weekend",
    "星期六要去看一下",
    "比去年贵了不少",
    "和同事讨论了半天",
    "上个月就弄好了",
]


class SteadyModel(BaseChatModel):
    """A double that answers the same after a given number of seconds, waiting as a network call would."""

    seconds: float = 0.0
    answer: str = "Yes."

    @property
    def _llm_type(self) -> str:
        return "palimpsest-steady"

    def _generate(
        self,
        messages: list[BaseMessage],  # noqa: ARG002
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> ChatResult:
        time.sleep(self.seconds)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(self.answer))])

    async def _agenerate(
        self,
        messages: list[BaseMessage],  # noqa: ARG002
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: AsyncCallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> ChatResult:
        await asyncio.sleep(self.seconds)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(self.answer))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        self._generate(messages, stop, run_manager, **kwargs)
        yield ChatGenerationChunk(message=AIMessageChunk(content=self.answer, chunk_position="last"))

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        await self._agenerate(messages, stop, run_manager, **kwargs)
        yield ChatGenerationChunk(message=AIMessageChunk(content=self.answer, chunk_position="last"))


def sentences(n: int) -> list[str]:
    """Made-up sentences in both languages, different from each other; the same ones each time."""
    pick = random.Random(7)
    return [f"{pick.choice(_THINGS)} {pick.choice(_DEEDS)} ({i})" for i in range(n)]


def fill(agent: Agent, user_id: str, records: int, progress: Callable[[int], None] | None = None) -> None:
    """Give a user so many messages, a minute apart, in threads of a hundred."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    said = [
        ImportedMessage(f"m{i}", text, f"{user_id}/{i // 100}", said_at=start + timedelta(minutes=i))
        for i, text in enumerate(sentences(records))
    ]
    agent.memory.import_messages(user_id, said, progress=progress)


def first_tokens(agent: Agent, user_id: str, turns: int) -> list[float]:
    """Seconds from the start of a run to its first token, for turns with different questions on new threads."""
    waits = []
    for i, text in enumerate(sentences(turns)):
        config: RunnableConfig = {"configurable": {"thread_id": f"latency-{i}"}}
        given = {"messages": [("user", f"What about {text}?")]}
        began = time.perf_counter()
        stream: Any = agent.graph.stream(given, config, context={"user_id": user_id}, stream_mode="messages")
        first = False
        for chunk, _ in stream:
            if not first and isinstance(chunk, AIMessageChunk) and chunk.text:
                first = True
                waits.append(time.perf_counter() - began)
    return waits


async def at_once(agent: Agent, user_id: str, turns: int) -> float:
    """Seconds until so many turns that were started together have all ended."""
    began = time.perf_counter()
    await asyncio.gather(
        *(
            agent.graph.ainvoke(
                {"messages": [("user", f"{text}?")]},
                {"configurable": {"thread_id": f"at-once-{i}-{turns}"}},
                context={"user_id": user_id},
            )
            for i, text in enumerate(sentences(turns))
        )
    )
    return time.perf_counter() - began


def quantiles(seconds: list[float]) -> dict[str, float]:
    """The median and the 95th percentile, in milliseconds."""
    ordered = sorted(seconds)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return {"p50_ms": round(statistics.median(ordered) * 1000, 1), "p95_ms": round(p95 * 1000, 1)}
