"""What can go wrong with a model, each with one sentence: what happened, what is unharmed, what to do.

A provider's exceptions are read by what they have in common: LangChain's own classes, an HTTP status, a class name. So
no provider's package is imported here, and ours are LangChain's classes too: `except ModelRateLimitError` still works.
"""

from __future__ import annotations

import re
from typing import Final

from langchain_core import exceptions as langchain

from memory.privacy import redact
from nodes.call_llm import EndlessTools
from stores.errors import PalimpsestError

MESSAGE_CHARS = 240
"""How much of a service's own words is repeated."""


class ModelError(PalimpsestError, langchain.ModelError):
    """A model did not answer, so the turn ended before its answer.

    The human's message is in the thread, memory is as it was before the turn, and `graph.invoke(None, config)`
    answers the message later; a new message in the thread does so too.
    """


class ModelNotConfigured(ModelError, ValueError):
    """A model was asked for by name and cannot be made; the message says what is missing and how to supply it."""


class ModelUnauthorized(ModelError, langchain.ModelAuthenticationError):
    """The service does not accept the key, or the key may not use this model (401, 403)."""


class ModelUnknown(ModelError, langchain.ModelNotFoundError):
    """The service has no such model, or the address is not that of its API (404)."""


class ModelOutOfCredit(ModelError):
    """The account has no credit or quota left (402, or 429 that says so): waiting does not help."""


class ModelBusy(ModelError, langchain.ModelRateLimitError):
    """Too many requests (429), also after the retries."""


class ModelUnavailable(ModelError, langchain.ModelConnectionError):
    """The service cannot be reached, failed (5xx), or broke its answer off."""


class ModelSilent(ModelError, langchain.ModelTimeoutError):
    """The service said nothing for as long as `request_timeout` allows."""


class ContextTooLong(ModelError, langchain.ContextOverflowError):
    """The request is longer than the model's context, also with half of the history left out."""


class ModelRejected(ModelError, langchain.ModelInvalidRequestError):
    """The service does not accept the request, for another reason (400, 422)."""


class ToolsNeverEnd(ModelError):
    """The model went on calling tools after its last round, when it was offered none."""


KEPT: Final = "Your message is kept in its thread, and memory is unchanged"
RESUME: Final = "resume with graph.invoke(None, config)"

# What happened to {model}, and what to do.
_TELLS: Final[dict[type[ModelError], tuple[str, str]]] = {
    ModelUnauthorized: (
        "{model} refused the key",
        "correct PALIMPSEST_OPENAI_API_KEY (or the provider's own variable), open the agent again and " + RESUME,
    ),
    ModelUnknown: (
        "{model} was not found: there is no such model there, or the address is wrong",
        "correct PALIMPSEST_MODEL or PALIMPSEST_OPENAI_BASE_URL (most end in /v1), open the agent again and " + RESUME,
    ),
    ModelOutOfCredit: ("{model} has no credit or quota left for this key", "top it up and " + RESUME),
    ModelBusy: ("{model} takes no more requests now, and did not after waiting either", "wait a while and " + RESUME),
    ModelUnavailable: ("{model} failed or could not be reached", RESUME + " when it answers again"),
    ModelSilent: (
        "{model} said nothing for as long as it may",
        "raise PALIMPSEST_REQUEST_TIMEOUT if it is only slow, and " + RESUME,
    ),
    ContextTooLong: (
        "{model} refused the conversation as too long, also with half of its history left out",
        'choose a model with a larger context (context={"model": ...}) and ' + RESUME + ", or go on in the thread "
        "with a smaller max_context_tokens",
    ),
    ModelRejected: ("{model} refused the request", "see what it said, and " + RESUME),
    ToolsNeverEnd: (
        "{model} went on calling tools when it was offered none, after its last round",
        "raise PALIMPSEST_MAX_TOOL_ROUNDS or choose another model, and " + RESUME,
    ),
}

_TOO_LONG = re.compile(
    r"context_length_exceeded|context (?:length|window|size)|input length|prompt is too long|input tokens exceed"
    r"|too many (?:input )?tokens|上下文(?:长度|窗口)|输入(?:长度|过长)",
    re.IGNORECASE,
)
_NO_SUCH_MODEL = re.compile(r"model\b.{0,80}?\b(?:not exist|not found|unknown)|unknown model|模型不存在", re.IGNORECASE)
_NO_CREDIT = re.compile(
    r"insufficient[_ ](?:quota|balance|credit)|exceeded your current quota|余额不足|欠费", re.IGNORECASE
)

_BY_CLASS: Final[tuple[tuple[tuple[type[Exception], ...], type[ModelError]], ...]] = (
    ((langchain.ContextOverflowError,), ContextTooLong),
    ((langchain.ModelAuthenticationError, langchain.ModelPermissionDeniedError), ModelUnauthorized),
    ((langchain.ModelNotFoundError,), ModelUnknown),
    ((langchain.ModelRateLimitError,), ModelBusy),
    ((langchain.ModelTimeoutError, TimeoutError), ModelSilent),
    ((langchain.ModelAPIError, langchain.ModelConnectionError, ConnectionError), ModelUnavailable),
    ((langchain.ModelInvalidRequestError,), ModelRejected),
    ((EndlessTools,), ToolsNeverEnd),
)
_BY_NAME: Final = {
    "APITimeoutError": ModelSilent,
    "TimeoutException": ModelSilent,
    "APIConnectionError": ModelUnavailable,
    "TransportError": ModelUnavailable,
    "APIError": ModelUnavailable,
}
"""Classes that the clients of OpenAI and Anthropic, and httpx under the others, raise without a status."""


def read_error(error: Exception, model: str) -> ModelError | None:
    """One of ours for what calling `model` raised, or None where it is no failure of a model: a bug, our own error.

    The service's words are repeated, redacted, in one line of at most `MESSAGE_CHARS`.
    """
    if isinstance(error, PalimpsestError) or (kind := _kind(error)) is None:
        return None
    status = _status(error)
    what, do = _TELLS[kind]
    happened = what.format(model=f'The model "{_place(error, model)}"')
    said = (f"HTTP {status}: " if status else "") + _said(error)
    return kind(f"{happened} ({said}). {KEPT}; {do}.")


def _kind(error: Exception) -> type[ModelError] | None:
    status, words = _status(error), str(error)
    if status in (400, 413, 422) and _TOO_LONG.search(words):
        return ContextTooLong
    if status == 402 or (status in (403, 429) and _NO_CREDIT.search(words)):
        return ModelOutOfCredit
    if status == 400 and _NO_SUCH_MODEL.search(words):
        return ModelUnknown
    for classes, kind in _BY_CLASS:
        if isinstance(error, classes):
            return kind
    if status is not None and status >= 400:
        return _of_status(status)
    return next((_BY_NAME[c.__name__] for c in type(error).__mro__ if c.__name__ in _BY_NAME), None)


def _of_status(status: int) -> type[ModelError]:
    known = {401: ModelUnauthorized, 403: ModelUnauthorized, 404: ModelUnknown, 408: ModelSilent, 429: ModelBusy}
    return known.get(status) or (ModelUnavailable if status >= 500 else ModelRejected)


def _status(error: Exception) -> int | None:
    response = vars(error).get("response")
    status = getattr(error, "status_code", None) or getattr(response, "status_code", None)
    return status if isinstance(status, int) else None


def _place(error: Exception, model: str) -> str:
    """The model's name, and the host that was asked where that is known."""
    # An attribute of the instance: as a property it may raise.
    host = getattr(getattr(vars(error).get("request"), "url", None), "host", None)
    return f"{model} at {host}" if host else model


def _said(error: Exception) -> str:
    body = getattr(error, "body", None)
    message = body.get("message") if isinstance(body, dict) else None
    words = " ".join(str(message or getattr(error, "message", None) or error).split())
    words = redact(words).text.rstrip(".。")
    return words if len(words) <= MESSAGE_CHARS else words[:MESSAGE_CHARS] + "…"
