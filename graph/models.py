"""Chat models by name, and the scripted model that tests use in place of one."""

from __future__ import annotations

import importlib
import itertools
import os
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, cast

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field, PrivateAttr, SecretStr, SkipValidation

from graph.offline import OfflineModel

OPENAI_EXTRA = 'pip install "palimpsest[openai]"'


class ModelNotConfigured(ValueError):
    """A model was asked for by name and cannot be made; the message says what is missing and how to supply it."""


class ModelSettings(Protocol):
    """What `resolve_model` reads. `request_timeout` is in seconds; None for the others means: from the environment."""

    @property
    def openai_base_url(self) -> str | None:
        """Where an OpenAI-compatible service answers, for example `http://localhost:11434/v1`."""
        ...

    @property
    def openai_api_key(self) -> str | None:
        """The key it asks for."""
        ...

    @property
    def request_timeout(self) -> float:
        """Seconds that one request may take."""
        ...


def resolve_model(name: str | BaseChatModel | None, *, settings: ModelSettings) -> BaseChatModel:
    """The chat model that `name` stands for; the same object for the same name and settings.

    - None, an empty name or `"offline"`: the `OfflineModel`.
    - `"openai:<name>"`: OpenAI or any service that speaks its protocol, through `langchain-openai`, with
      `request_timeout` for each try and two retries of what failed on the way (none once an answer has begun). The
      address is `settings.openai_base_url`, else `PALIMPSEST_OPENAI_BASE_URL`, else `OPENAI_BASE_URL`; the key likewise
      from `openai_api_key`, `PALIMPSEST_OPENAI_API_KEY`, `OPENAI_API_KEY`. With an address of one's own no key is
      needed.
    - any other `"<provider>:<name>"`: LangChain's `init_chat_model`, with that provider's own variables and defaults.
    - a chat model object: that object.

    Nothing is sent anywhere: a wrong key or name shows at the first call.

    Raises:
        ModelNotConfigured: the name is not one of these, or a package or key is missing.
    """
    if isinstance(name, BaseChatModel):
        return name
    provider, _, model = (name or "offline").strip().partition(":")
    if provider in ("", "offline") and not model:
        return _offline()
    if not (provider and model):
        raise ModelNotConfigured(
            f'"{name}" is not the name of a model: write "offline" or "<provider>:<model>", for example "openai:gpt-4o"'
        )
    if provider != "openai":
        return _any(provider, model)
    base_url = settings.openai_base_url or _environment("PALIMPSEST_OPENAI_BASE_URL", "OPENAI_BASE_URL")
    key = settings.openai_api_key or _environment("PALIMPSEST_OPENAI_API_KEY", "OPENAI_API_KEY")
    return _openai(model, base_url, key, settings.request_timeout)


def _environment(*names: str) -> str | None:
    return next(filter(None, map(os.environ.get, names)), None)


@lru_cache(maxsize=1)
def _offline() -> BaseChatModel:
    return OfflineModel()


@lru_cache(maxsize=32)
def _openai(model: str, base_url: str | None, key: str | None, timeout: float) -> BaseChatModel:
    try:
        from langchain_openai import ChatOpenAI
    except ImportError as error:
        raise ModelNotConfigured(f'"openai:{model}" needs a package that is not installed: {OPENAI_EXTRA}') from error
    if not (key or base_url):
        raise ModelNotConfigured(
            f'"openai:{model}" needs a key: set OPENAI_API_KEY, or PALIMPSEST_OPENAI_BASE_URL for a service of your own'
        )
    # A service of one's own often asks for no key, but the client always sends one. A connection belongs to the event
    # loop it was opened in: kept alive, it breaks the first call in the next loop, so each serves one request.
    return ChatOpenAI(
        model=model,
        base_url=base_url,
        api_key=SecretStr(key or "none"),
        timeout=timeout,
        max_retries=2,
        stream_usage=True,
        default_headers={"Connection": "close"},
    )


@lru_cache(maxsize=32)
def _any(provider: str, model: str) -> BaseChatModel:
    name = f"{provider}:{model}"
    try:
        init_chat_model = importlib.import_module("langchain.chat_models").init_chat_model
    except ImportError as error:
        raise ModelNotConfigured(
            f'"{name}" needs packages that are not installed: pip install langchain langchain-{provider} '
            f"(models that speak OpenAI's protocol need only {OPENAI_EXTRA})"
        ) from error
    try:
        return cast("BaseChatModel", init_chat_model(name))
    except (ImportError, ValueError) as error:  # a package or key of the provider's, or no such provider
        raise ModelNotConfigured(f'"{name}" could not be set up: {error}') from error


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
