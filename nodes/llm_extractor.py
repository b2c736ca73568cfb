"""Facts read out of a turn by a language model, in one structured call.

Services differ in what they can do: some know JSON schemas, some only tools, some neither. The ways are tried in that
order, and the one that worked is where the next turn begins. A turn makes one call: only a service that refuses a way,
which costs no tokens, is asked in the next at once, and a reply that cannot be read is left to a later turn, which asks
in the next way. What a model must never do here is end the turn: whatever it raises or replies becomes a sentence in
`Extraction.failure`.

What this does not do: decide when a failed turn is tried again (the graph does), or retry a service that does not
answer (its client does).
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.constants import TAG_NOSTREAM

from memory.extraction.prompts import SCHEMA, VERSION, Asked, ask, worth_asking
from memory.extraction.replies import read_reply
from memory.privacy import redact
from memory.record import Extraction, Extractor, Memory, Utterance
from memory.text import content_text
from nodes.model_name import model_name

Way = Literal["json_schema", "function_calling", "text"]
WAYS: tuple[Way, ...] = ("json_schema", "function_calling", "text")

# What a service answers when it cannot do what was asked in this way, rather than at all. OpenRouter says 404 when no
# provider of a model knows tools.
_REFUSALS = frozenset({400, 404, 415, 422, 501})
_MAX_ERROR = 200

# Its tokens are not part of the answer: without the tag `stream_mode="messages"` would show them.
_CONFIG: RunnableConfig = {"tags": [TAG_NOSTREAM], "run_name": "extract_facts"}

_log = logging.getLogger(__name__)


class _Call(NamedTuple):
    """A call that the one body wants made; how is the wrappers' business."""

    runnable: Runnable[Any, Any]
    messages: list[BaseMessage]


_Body = Generator[_Call, Any, Extraction]


class LLMExtractor:
    """Implements `memory.record.Extractor` with a chat model. Keep one for each model object: it remembers what works.

    When the model fails, `fallback` reads the messages in its place, if there is one; the turn then counts as read, and
    the failure is only logged. Without one, the result carries the failure and no proposals.
    """

    def __init__(self, model: BaseChatModel, *, fallback: Extractor | None = None) -> None:
        self.version = f"{VERSION}:{model_name(model) or model._llm_type}"
        self._model = model
        self._fallback = fallback
        self._first = 0
        self._ready: dict[Way, Runnable[Any, Any] | None] = {}

    def extract(self, said: Sequence[Utterance], known: Sequence[Memory] = ()) -> Extraction:
        """Propose facts from these messages; `known` are the facts that they may touch, the likeliest first.

        No call is made for small talk or when no person speaks. `usage` counts `input_tokens`, `output_tokens`,
        `calls` (one at the most), and `refused` ways where there were some; `skipped` has the items that were not used,
        by the reason why. Never raises for anything that the model does.
        """
        body = self._body(said, known)
        try:
            call = next(body)
            while True:
                call = body.send(_invoke(call))
        except StopIteration as done:
            return _result(done)

    async def aextract(self, said: Sequence[Utterance], known: Sequence[Memory] = ()) -> Extraction:
        """As `extract`, without a thread: no model call sits in a pool."""
        body = self._body(said, known)
        try:
            call = next(body)
            while True:
                call = body.send(await _ainvoke(call))
        except StopIteration as done:
            return _result(done)

    def _body(self, said: Sequence[Utterance], known: Sequence[Memory]) -> _Body:
        """The whole extraction but for the calls: yields each and is sent what came of it, a reply or an exception."""
        if not worth_asking(said):
            return Extraction(extractor=self.version)
        asked = ask(said, known)
        messages: list[BaseMessage] = [SystemMessage(asked.system), HumanMessage(asked.prompt)]
        usage = Counter(input_tokens=0, output_tokens=0, calls=0)
        failure = "The extraction model offers no way to be asked."
        for index in range(self._first, len(WAYS)):
            runnable = self._runnable(WAYS[index])
            if runnable is None:
                continue
            outcome = yield _Call(runnable, messages)
            reply = _message(outcome)
            if reply is None:
                failure = _sentence(outcome)
                if _refuses(outcome) and index + 1 < len(WAYS):
                    usage["refused"] += 1
                    continue
                usage["calls"] += 1
                break
            usage["calls"] += 1
            usage.update(_tokens(reply))
            found = self._read(reply, asked, usage)
            self._first = index if found.failure is None else (index + 1) % len(WAYS)
            if found.failure is None:
                return found
            failure = found.failure
            break
        return self._failed(failure, usage, said, known)

    def _read(self, reply: AIMessage, asked: Asked, usage: Counter[str]) -> Extraction:
        reading = read_reply(_text(reply), asked)
        if reading.skipped:
            reasons = ", ".join(f"{reason} ({n})" for reason, n in reading.skipped.items())
            _log.warning("Items of the extraction model's reply were skipped: %s", reasons)
        return Extraction(reading.proposals, self.version, reading.failure, dict(usage), dict(reading.skipped))

    def _failed(
        self, failure: str, usage: Mapping[str, int], said: Sequence[Utterance], known: Sequence[Memory]
    ) -> Extraction:
        _log.warning("Facts were not extracted by %s: %s", self.version, failure)
        if self._fallback is None:
            return Extraction(extractor=self.version, failure=failure, usage=dict(usage))
        found = self._fallback.extract(said, known)
        return Extraction(found.proposals, found.extractor, found.failure, {**found.usage, **usage})

    def _runnable(self, way: Way) -> Runnable[Any, Any] | None:
        """The model asked in this way; None when it knows that it cannot. Made once."""
        if way not in self._ready:
            try:
                self._ready[way] = (
                    self._model
                    if way == "text"
                    else self._model.with_structured_output(SCHEMA, method=way, include_raw=True)
                )
            except (NotImplementedError, TypeError, ValueError):
                self._ready[way] = None
        return self._ready[way]


def _invoke(call: _Call) -> Any:
    try:
        return call.runnable.invoke(call.messages, _CONFIG)
    except Exception as error:  # whatever a model raises is an outcome here
        return error


async def _ainvoke(call: _Call) -> Any:
    try:
        return await call.runnable.ainvoke(call.messages, _CONFIG)
    except Exception as error:  # whatever a model raises is an outcome here; cancelling is not among it
        return error


def _result(done: StopIteration) -> Extraction:
    found: Extraction = done.value
    return found


def _message(outcome: Any) -> AIMessage | None:
    """The model's message, also when the client put it into an error because it is cut off; None for other errors."""
    if isinstance(outcome, Exception):
        return _cut_off(outcome)
    message = outcome.get("raw") if isinstance(outcome, Mapping) else outcome
    return message if isinstance(message, AIMessage) else None


def _cut_off(error: Exception) -> AIMessage | None:
    """What stands in openai's `LengthFinishReasonError`: a reply that reached its limit of tokens."""
    completion: Any = getattr(error, "completion", None)
    if not getattr(completion, "choices", None):
        return None
    message = AIMessage(completion.choices[0].message.content or "")
    if usage := completion.usage:
        given, made = usage.prompt_tokens, usage.completion_tokens
        message.usage_metadata = {"input_tokens": given, "output_tokens": made, "total_tokens": given + made}
    return message


def _text(message: AIMessage) -> str:
    """What to read: the arguments of its tool calls, well-formed or not, and its text."""
    calls = [json.dumps(call["args"], ensure_ascii=False) for call in message.tool_calls]
    calls += [call["args"] or "" for call in message.invalid_tool_calls]
    return "\n".join([*calls, content_text(message.content)])


def _tokens(message: AIMessage) -> Mapping[str, int]:
    usage = message.usage_metadata
    return {"input_tokens": usage["input_tokens"], "output_tokens": usage["output_tokens"]} if usage else {}


def _refuses(outcome: Any) -> bool:
    """Whether another way may work: the service refused this one. Not when it is down, full or out of its window."""
    if isinstance(outcome, ContextOverflowError):
        return False
    status = getattr(outcome, "status_code", None) or getattr(getattr(outcome, "response", None), "status_code", None)
    return status in _REFUSALS if status else isinstance(outcome, NotImplementedError | TypeError | ValueError)


def _sentence(outcome: Any) -> str:
    if not isinstance(outcome, Exception):
        return "The extraction model gave no message."
    words = redact(" ".join(str(outcome).split())).text[:_MAX_ERROR]
    return f"The extraction model failed: {type(outcome).__name__}{': ' + words if words else ''}"
