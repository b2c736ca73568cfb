"""Who writes a run's summaries of conversations and lessons: a model, or the words themselves."""

from __future__ import annotations

from collections.abc import Callable

from langchain_core.language_models import BaseChatModel

from graph.extractors import RULES, ModelName
from graph.offline import OfflineModel
from memory.consolidation import Consolidator, ExtractiveConsolidator
from nodes.context import Context
from nodes.llm_consolidator import LLMConsolidator


def choosing_consolidator(
    resolve: Callable[[ModelName], BaseChatModel], *, model: ModelName, extraction_model: ModelName
) -> Callable[[Context], Consolidator]:
    """A function from a run's context to its consolidator: the model that reads its facts, and whole sentences, as they
    were said, where that is the offline model or the rules."""
    extractive = ExtractiveConsolidator()

    def choose(context: Context) -> Consolidator:
        name = context.extraction_model or extraction_model or context.model or model
        if name is None or name == RULES:
            return extractive
        found = resolve(name)
        return extractive if isinstance(found, OfflineModel) else LLMConsolidator(found)

    return choose
