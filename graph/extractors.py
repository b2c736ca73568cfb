"""Which extractor reads a run's words: the rules, or a model."""

from __future__ import annotations

from collections.abc import Callable

from langchain_core.language_models import BaseChatModel

from graph.offline import OfflineModel
from memory.extraction import RuleExtractor
from memory.record import Extractor
from nodes.context import Context
from nodes.llm_extractor import LLMExtractor

RULES = "rules"
"""The name that forces the rule extractor where a model is named."""

ModelName = str | BaseChatModel | None


def choosing_extractor(
    resolve: Callable[[ModelName], BaseChatModel],
    *,
    model: ModelName,
    extraction_model: ModelName,
    own: Extractor | None = None,
) -> Callable[[Context], Extractor]:
    """A function from a run's context to its extractor.

    `own`, where it is given, reads everything. Otherwise the run's `extraction_model` comes first, then the agent's,
    then the model that answers; without any, or with "rules", the rules read.
    """
    rules = RuleExtractor()
    asking: dict[int, LLMExtractor] = {}

    def choose(context: Context) -> Extractor:
        if own is not None:
            return own
        name = context.extraction_model or extraction_model or context.model or model
        if name is None or name == RULES:
            return rules
        found = resolve(name)
        if isinstance(found, OfflineModel):
            return rules
        return asking.setdefault(id(found), LLMExtractor(found))

    return choose
