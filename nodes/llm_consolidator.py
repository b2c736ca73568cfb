"""Summaries and lessons written by a language model, in one call.

What the model raises or replies never ends the turn: it becomes a sentence in `Consolidation.failure`, nothing is
written, and it is tried again later. Retrying a service is its client's business.
"""

from __future__ import annotations

import logging

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig
from langgraph.constants import TAG_NOSTREAM

from memory.consolidation import Consolidation, Material
from memory.consolidation_request import VERSION, Asked, ask, read_reply
from memory.privacy import redact
from memory.record import TokenCounter
from memory.text import content_text
from memory.tokens import estimate_tokens
from nodes.model_name import model_name

_MAX_ERROR = 200

# Its tokens are not part of the answer: without the tag `stream_mode="messages"` would show them.
_CONFIG: RunnableConfig = {"tags": [TAG_NOSTREAM], "run_name": "consolidate"}

_log = logging.getLogger(__name__)


class LLMConsolidator:
    """Implements `memory.consolidation.Consolidator` with a chat model."""

    def __init__(self, model: BaseChatModel, count: TokenCounter = estimate_tokens) -> None:
        self.version = f"{VERSION}:{model_name(model) or model._llm_type}"
        self._model = model
        self._count = count

    def consolidate(self, material: Material) -> Consolidation:
        """Ask for a summary and lessons; no call where there is nothing to consolidate."""
        if (asked := ask(material)) is None:
            return Consolidation(extractor=self.version)
        try:
            reply = self._model.invoke(_prompt(asked), _CONFIG)
        except Exception as error:  # whatever a model raises is an outcome here
            return self._failed(error)
        return self._read(reply, asked)

    async def aconsolidate(self, material: Material) -> Consolidation:
        """As `consolidate`, without a thread: no model call sits in a pool."""
        if (asked := ask(material)) is None:
            return Consolidation(extractor=self.version)
        try:
            reply = await self._model.ainvoke(_prompt(asked), _CONFIG)
        except Exception as error:  # whatever a model raises is an outcome here; cancelling is not among it
            return self._failed(error)
        return self._read(reply, asked)

    def _failed(self, error: Exception) -> Consolidation:
        words = redact(" ".join(str(error).split())).text[:_MAX_ERROR]
        failure = f"Nothing was consolidated: {type(error).__name__}{': ' + words if words else ''}"
        _log.warning(failure)
        return Consolidation((), self.version, failure, {"calls": 1, "input_tokens": 0, "output_tokens": 0})

    def _read(self, reply: AIMessage, asked: Asked) -> Consolidation:
        text = content_text(reply.content)
        reading, told = read_reply(text, asked), reply.usage_metadata
        usage = {
            "calls": 1,
            "input_tokens": told["input_tokens"] if told else self._count(asked.system) + self._count(asked.prompt),
            "output_tokens": told["output_tokens"] if told else self._count(text),
            "skipped": sum((reading.skipped or {}).values()),
        }
        if reading.skipped:
            reasons = ", ".join(f"{reason} ({n})" for reason, n in reading.skipped.items())
            _log.warning("Items of the model's reply were skipped: %s", reasons)
        if reading.failure:
            _log.warning(reading.failure)
        return Consolidation(reading.notes, self.version, reading.failure, usage)


def _prompt(asked: Asked) -> list[BaseMessage]:
    return [SystemMessage(asked.system), HumanMessage(asked.prompt)]
