"""Running summaries written by a language model, one call each.

What the model raises or replies never ends the turn: it becomes a sentence in `Summary.failure`, the history stays as
it is, and `manage_context` tries again with the next turn. Retrying a service is its client's business.
"""

from __future__ import annotations

import logging

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig
from langgraph.constants import TAG_NOSTREAM

from memory.privacy import redact
from memory.record import TokenCounter
from memory.summary import complete_summary
from memory.summary_request import Question, Summary, SummaryRequest, ask_for_summary, read_summary
from memory.text import content_text
from memory.tokens import estimate_tokens

_MAX_ERROR = 200

# Its tokens are not part of the answer: without the tag `stream_mode="messages"` would show them.
_CONFIG: RunnableConfig = {"tags": [TAG_NOSTREAM], "run_name": "summarize"}

_log = logging.getLogger(__name__)


class LLMSummarizer:
    """Implements `memory.summary_request.Summarizer` with a chat model."""

    def __init__(self, model: BaseChatModel, count: TokenCounter = estimate_tokens) -> None:
        self._model = model
        self._count = count

    def summarize(self, request: SummaryRequest) -> Summary:
        """Ask for a summary of as many of the lines as the model's window takes. Never raises for what it does."""
        question = ask_for_summary(request, self._count)
        try:
            reply = self._model.invoke(_prompt(question), _CONFIG)
        except Exception as error:  # whatever a model raises is an outcome here
            return _failed(error)
        return self._read(reply, question, request)

    async def asummarize(self, request: SummaryRequest) -> Summary:
        """As `summarize`, without a thread: no model call sits in a pool."""
        question = ask_for_summary(request, self._count)
        try:
            reply = await self._model.ainvoke(_prompt(question), _CONFIG)
        except Exception as error:  # whatever a model raises is an outcome here; cancelling is not among it
            return _failed(error)
        return self._read(reply, question, request)

    def _read(self, reply: AIMessage, question: Question, request: SummaryRequest) -> Summary:
        usage = _usage(reply, question, self._count)
        written = read_summary(content_text(reply.content))
        text = written and complete_summary(
            written,
            request.previous,
            question.lines,
            max_tokens=request.max_tokens,
            language=request.language,
            count=self._count,
        )
        if not text:
            return Summary(failure="The model wrote no summary.", usage=usage)
        return Summary(text, question.lines[-1].id, usage=usage)


def _prompt(question: Question) -> list[BaseMessage]:
    return [SystemMessage(question.system), HumanMessage(question.prompt)]


def _failed(error: Exception) -> Summary:
    words = redact(" ".join(str(error).split())).text[:_MAX_ERROR]
    failure = f"The summary failed: {type(error).__name__}{': ' + words if words else ''}"
    _log.warning(failure)
    return Summary(failure=failure, usage={"calls": 1, "input_tokens": 0, "output_tokens": 0})


def _usage(reply: AIMessage, question: Question, count: TokenCounter) -> dict[str, int]:
    """What the service says that it cost; counted here when it says nothing."""
    told = reply.usage_metadata
    given = told["input_tokens"] if told else count(question.system) + count(question.prompt)
    made = told["output_tokens"] if told else count(content_text(reply.content))
    return {"calls": 1, "input_tokens": given, "output_tokens": made}
