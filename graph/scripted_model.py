"""The scripted model: a chat model for tests that answers from a list, or from a function of the messages."""

from __future__ import annotations

import itertools
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any, NamedTuple

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field, PrivateAttr, SkipValidation

Reply = str | AIMessage | BaseException


class Call(NamedTuple):
    """One call that a `ScriptedModel` got: the messages, and what else was bound or passed (`tools`, `tool_choice`)."""

    messages: list[BaseMessage]
    options: dict[str, Any]


class ScriptedModel(BaseChatModel):
    """A chat model for tests that answers from a script and keeps the calls it got in `calls`.

    `replies` is a list, one reply a call in order, or a function of the messages. A reply is a text, an `AIMessage`
    (with tool calls, ids or usage as they should come out), or an exception to raise. It streams word by word; tool
    calls and usage come with the last piece. Tools are bound for real, so structured output works with a reply that
    calls the schema as a tool. It counts no tokens and never waits.

    Raises:
        LookupError: on a call after the last reply of a list.
    """

    replies: SkipValidation[Sequence[Reply] | Callable[[list[BaseMessage]], Reply]]
    calls: list[Call] = Field(default_factory=list)
    _turn: Iterator[int] = PrivateAttr(default_factory=itertools.count)

    def __init__(self, replies: Sequence[Reply] | Callable[[list[BaseMessage]], Reply] = (), **kwargs: Any) -> None:
        super().__init__(**{"replies": replies, **kwargs})

    @property
    def _llm_type(self) -> str:
        return "palimpsest-scripted"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """This model with the tools, in OpenAI's form, in the `options` of its calls."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], tool_choice=tool_choice, **kwargs)

    def _reply(self, messages: list[BaseMessage], options: dict[str, Any]) -> AIMessage:
        turn = next(self._turn)
        self.calls.append(Call(list(messages), options))
        if callable(self.replies):
            reply = self.replies(messages)
        elif turn < len(self.replies):
            reply = self.replies[turn]
        else:
            raise LookupError(f"the script has {len(self.replies)} replies, and this is call {turn + 1}")
        if isinstance(reply, BaseException):
            raise reply
        return AIMessage(content=reply) if isinstance(reply, str) else reply.model_copy(deep=True)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._reply(messages, kwargs))])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,
    ) -> ChatResult:
        return self._generate(messages, stop, **kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        reply = self._reply(messages, kwargs)
        pieces = re.findall(r"\s*\S+|\s+$", reply.content) if isinstance(reply.content, str) else [reply.content]
        for piece in pieces:
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece, id=reply.id))
        last = AIMessageChunk(
            content="",
            id=reply.id,
            tool_calls=reply.tool_calls,
            invalid_tool_calls=reply.invalid_tool_calls,
            usage_metadata=reply.usage_metadata,
            response_metadata=reply.response_metadata,
            additional_kwargs=reply.additional_kwargs,
            chunk_position="last",
        )
        yield ChatGenerationChunk(message=last)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in self._stream(messages, stop, **kwargs):
            yield chunk
