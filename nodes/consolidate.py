"""Now and then a turn's words come to more than facts: a summary of the conversation, and lessons of many messages.

It is part of the step that reads facts, and its result is checkpointed and committed with theirs. What is consolidated
is what was committed before this turn, people's own words alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.config import get_store

from memory.consolidation import Consolidation, Consolidator, Material
from nodes.context import Context
from nodes.turn import State, memory_of, replayed_at, settled

Consolidators = Callable[[Context], Consolidator]

CLOSING = "consolidate"
"""What of a run's `configurable` says that its thread is closed: it is consolidated whatever its length."""


def material(state: State, config: RunnableConfig) -> Material | None:
    """What is to be consolidated in this run, if it is one to do so. A replay writes nothing."""
    context = settled(state)
    if replayed_at(config, state, context) is not None:
        return None
    every = 1 if (config.get("configurable") or {}).get(CLOSING) else context.consolidate_every
    return memory_of(get_store()).to_consolidate(str(context.user_id), state.get("head"), every)


def consolidated(state: State, config: RunnableConfig, consolidators: Consolidators) -> dict[str, Any]:
    """The consolidation as a part of `proposals`: empty where this run makes none."""
    found = material(state, config)
    return _part(consolidators(settled(state)).consolidate(found)) if found else {}


async def aconsolidated(state: State, config: RunnableConfig, consolidators: Consolidators) -> dict[str, Any]:
    """As `consolidated`; only a model is awaited, the rest asks the ledger in a thread."""
    found = await asyncio.to_thread(material, state, config)
    if found is None:
        return {}
    consolidator = await asyncio.to_thread(consolidators, settled(state))
    if (ask := getattr(consolidator, "aconsolidate", None)) is not None:
        return _part(await ask(found))
    return _part(await asyncio.to_thread(consolidator.consolidate, found))


def _part(found: Consolidation) -> dict[str, Any]:
    notes = [{**asdict(n), "sources": list(n.sources)} for n in found.notes]
    usage = dict(found.usage)
    return {"consolidation": {"notes": notes, "extractor": found.extractor, "failure": found.failure, "usage": usage}}
