"""Chat models by name."""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import Protocol, cast

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from graph.model_errors import ModelNotConfigured
from graph.offline import OfflineModel
from graph.scripted_model import ScriptedModel

__all__ = ["ModelNotConfigured", "ModelSettings", "ScriptedModel", "resolve_model"]

OPENAI_EXTRA = "pip install langchain-openai"

CONNECT_SECONDS = 5.0
"""A service that takes no connection for so long is not there; the client's own default."""


class ModelSettings(Protocol):
    """What `resolve_model` reads; `graph.settings.Settings` fills it from the environment."""

    @property
    def openai_base_url(self) -> str | None:
        """Where an OpenAI-compatible service answers, for example `http://localhost:11434/v1`; None is OpenAI."""
        ...

    @property
    def openai_api_key(self) -> str | None:
        """The key it asks for."""
        ...

    @property
    def request_timeout(self) -> float:
        """Seconds that the service may be silent."""
        ...

    @property
    def max_retries(self) -> int:
        """How often a request is sent again after the first."""
        ...


def resolve_model(name: str | BaseChatModel | None, *, settings: ModelSettings) -> BaseChatModel:
    """The chat model that `name` stands for; the same object for the same name and settings.

    - None, an empty name or `"offline"`: the `OfflineModel`.
    - `"openai:<name>"`: OpenAI or any service that speaks its protocol, through `langchain-openai`. With an address of
      one's own no key is needed.
    - any other `"<provider>:<name>"`: LangChain's `init_chat_model`, with that provider's own variables and defaults.
    - a chat model object: that object.

    OpenAI's client sends a request again after 408, 409, 429, 5xx, a connection that broke and a silence of
    `request_timeout`, `max_retries` times, with exponential backoff (from 0.5 s, to 8 s) and jitter, or after what
    `Retry-After` says (up to two minutes). Once a streamed answer has begun it does not: what was said is said.

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
    return _openai(
        model, settings.openai_base_url, settings.openai_api_key, settings.request_timeout, settings.max_retries
    )


@lru_cache(maxsize=1)
def _offline() -> BaseChatModel:
    return OfflineModel()


@lru_cache(maxsize=32)
def _openai(model: str, base_url: str | None, key: str | None, timeout: float, retries: int) -> BaseChatModel:
    try:
        from langchain_openai import ChatOpenAI
        from openai import Timeout
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
        timeout=Timeout(timeout, connect=min(timeout, CONNECT_SECONDS)),
        stream_chunk_timeout=timeout,
        max_retries=retries,
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
        why = next(iter(str(error).splitlines()), type(error).__name__)
        raise ModelNotConfigured(f'"{name}" could not be set up: {why}') from error
