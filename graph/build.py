"""The wiring of one turn.

START -> retrieve_memory -> manage_context -> call_llm (<-> tools) -> extract_facts -> write_memory -> END
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore

from graph.consolidators import choosing_consolidator
from graph.counters import counter_for
from graph.extractors import choosing_extractor
from graph.model_errors import read_error
from graph.models import resolve_model
from graph.settings import Settings
from graph.state import AgentInput, AgentState
from graph.summarizers import choosing_summarizer
from graph.tools import Tool as Tool
from graph.tools import next_step, tool_node
from memory.record import Extractor, TokenCounter
from nodes.call_llm import call_llm
from nodes.context import Context
from nodes.extract_facts import extract_facts
from nodes.manage_context import manage_context
from nodes.retrieve_memory import retrieve_memory
from nodes.write_memory import write_memory

STEPS = {
    "retrieve_memory": "Memory follows the branch; what bears on the question is recalled, with reasons.",
    "manage_context": "What the model will see inside the token budget, and the running summary.",
    "call_llm": "The model answers; the memory block exists only in its prompt.",
    "tools": "The tools that the model called.",
    "extract_facts": "What the turn's own words say, as proposals.",
    "write_memory": "Proposals are decided and committed: ledger first, index after.",
}
"""What each step does, in its node's metadata: Studio shows it."""

Graph = CompiledStateGraph[Any, Any, Any, Any]


def build_graph(
    *,
    model: str | BaseChatModel | None = None,
    tools: Sequence[Tool] = (),
    extraction_model: str | BaseChatModel | None = None,
    extractor: Extractor | None = None,
    settings: Settings | None = None,
    count: TokenCounter | None = None,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    store: BaseStore | None = None,
) -> Graph:
    """Compile the agent's graph. Without `checkpointer` and `store` it is what a LangGraph server exports.

    `model` is a name ("openai:gpt-4.1-mini") or a LangChain chat model; None means the settings' own, or the offline
    model. `extraction_model` reads the facts; None means the one that answers, "rules" none (so does the offline
    model), and an `extractor` of one's own comes before both. A run may choose others by name in its
    context. `count` counts tokens; None means the model's own tokenizer where it is installed, and an estimate
    elsewhere. Raises `ModelNotConfigured` on the first call, not here.
    """
    settings = settings or Settings()
    default = model if model is not None else settings.model
    count = count or counter_for(default)

    def models(name: str | None) -> BaseChatModel:
        return resolve_model(name or default, settings=settings)

    extractors = choosing_extractor(
        lambda name: resolve_model(name, settings=settings),
        model=default,
        extraction_model=extraction_model if extraction_model is not None else settings.extraction_model,
        own=extractor,
    )

    consolidators = choosing_consolidator(
        lambda name: resolve_model(name, settings=settings),
        model=default,
        extraction_model=extraction_model if extraction_model is not None else settings.extraction_model,
    )

    builder = StateGraph(AgentState, context_schema=Context, input_schema=AgentInput)
    steps: dict[str, Any] = {
        "retrieve_memory": retrieve_memory,
        "manage_context": manage_context(tools, count, choosing_summarizer(models, count)),
        "call_llm": call_llm(models, tools, count, max_rounds=settings.max_tool_rounds, explain=read_error),
        "extract_facts": extract_facts(extractors, consolidators),
        "write_memory": write_memory,
    }
    for name, step in steps.items():
        builder.add_node(name, step, metadata={"description": STEPS[name]})
    builder.add_edge(START, "retrieve_memory")
    builder.add_edge("retrieve_memory", "manage_context")
    builder.add_edge("manage_context", "call_llm")
    if tools:
        builder.add_node("tools", tool_node(tools), metadata={"description": STEPS["tools"]})
        builder.add_conditional_edges("call_llm", next_step, ["tools", "manage_context", "extract_facts"])
        builder.add_edge("tools", "manage_context")
    else:
        builder.add_edge("call_llm", "extract_facts")
    builder.add_edge("extract_facts", "write_memory")
    builder.add_edge("write_memory", END)
    return builder.compile(checkpointer=checkpointer, store=store, name="palimpsest")


def delta_channels(graph: Graph) -> dict[str, DeltaChannel[Any]]:
    """The channels of a graph whose checkpoints hold changes only; a checkpointer needs them to copy and prune."""
    return {name: channel for name, channel in graph.channels.items() if isinstance(channel, DeltaChannel)}
