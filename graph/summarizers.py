"""Who writes a run's running summary: the model that answers, or nobody but the words themselves."""

from __future__ import annotations

from collections.abc import Callable

from langchain_core.language_models import BaseChatModel

from graph.offline import OfflineModel
from memory.record import TokenCounter
from memory.summary import ExtractiveSummarizer
from memory.summary_request import Summarizer
from nodes.context import Context
from nodes.llm_summarizer import LLMSummarizer


def choosing_summarizer(
    resolve: Callable[[str | None], BaseChatModel], count: TokenCounter
) -> Callable[[Context], Summarizer]:
    """A function from a run's context to its summariser: the run's model, and sentences picked for the offline one."""
    extractive = ExtractiveSummarizer(count)

    def choose(context: Context) -> Summarizer:
        model = resolve(context.model)
        return extractive if isinstance(model, OfflineModel) else LLMSummarizer(model, count)

    return choose
