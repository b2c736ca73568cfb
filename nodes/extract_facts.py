"""The fourth step: what the turn's own words say about the world, as proposals. Nothing is decided or written here.

What is read is every message since `extracted_to`, redacted: a turn whose extraction was deferred or failed is read
with the next one of its branch. What was recalled is never among them: it stands in no message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import AnyMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph._internal._runnable import RunnableCallable
from langgraph.config import get_store, get_stream_writer

from memory.extraction import RuleExtractor
from memory.record import Extraction, Extractor, Memory, Utterance
from nodes.consolidate import Consolidators, aconsolidated, consolidated
from nodes.context import Context
from nodes.turn import State, after, memory_of, moment_of, settled, thread_of, utterances
from stores.plain import TurnMemory

KNOWN_FACTS = 10
"""How many facts that the words may touch a model is shown."""
AT_ONCE = 40
"""How many messages are read at once; what a long series of failures left behind is read from its newest on."""

_RULES = RuleExtractor()

Extractors = Callable[[Context], Extractor]


@dataclass(frozen=True)
class _Reading:
    """What is to be committed, what is read for facts now, and the facts that it may touch."""

    fresh: list[AnyMessage]
    read: list[AnyMessage]
    said: list[Utterance]
    known: Sequence[Memory]


def extract_facts(
    extractors: Extractors | Extractor, consolidators: Consolidators | None = None
) -> Runnable[Any, dict[str, Any]]:
    """The step that reads facts out of what was said, with an extractor or the one that `extractors` gives a run.

    Synchronous and asynchronous: an extractor that asks a model has an `aextract`. Leaves `proposals` in the state.
    With `consolidators`, a run that is one to consolidate also sums up the conversation (`nodes.consolidate`).
    """

    def chosen(state: State) -> Extractor:
        return extractors(settled(state)) if callable(extractors) else extractors

    def extract(state: State, config: RunnableConfig) -> dict[str, Any]:
        extractor = chosen(state)
        reading = _reading(state, config, extractor)
        found = extractor.extract(reading.said, reading.known) if reading.said else None
        more = consolidated(state, config, consolidators) if _may_consolidate(found) and consolidators else {}
        return _proposals(state, reading, found, more)

    async def aextract(state: State, config: RunnableConfig) -> dict[str, Any]:
        extractor = chosen(state)
        ask = getattr(extractor, "aextract", None)
        if ask is None and consolidators is None:
            return await asyncio.to_thread(extract, state, config)
        # Reading asks the ledger and the index, which would block the event loop.
        reading = await asyncio.to_thread(_reading, state, config, extractor)
        found = None
        if reading.said and ask is not None:
            found = await ask(reading.said, reading.known)
        elif reading.said:
            found = await asyncio.to_thread(extractor.extract, reading.said, reading.known)
        more = await aconsolidated(state, config, consolidators) if _may_consolidate(found) and consolidators else {}
        return _proposals(state, reading, found, more)

    return RunnableCallable(extract, aextract, name="extract_facts", trace=False)


def _reading(state: State, config: RunnableConfig, extractor: Extractor) -> _Reading:
    memory = memory_of(get_store())
    thread_id = thread_of(config, state)
    fresh = _since(memory, thread_id, state["messages"], state.get("committed_to"))
    read = _since(memory, thread_id, state["messages"], state.get("extracted_to"))
    if settled(state).extraction == "deferred":
        # This turn's own words wait; those of the turns before it are read now.
        waiting = {m.id for m in fresh}
        read = [m for m in read if m.id not in waiting]
    read = read[-AT_ONCE:]
    times = memory.said_at(thread_id, [str(m.id) for m in read])
    said = [u for u in utterances(read, moment_of(state)) if u.keep]
    said = [replace(u, said_at=times.get(u.message_id, u.said_at)) for u in said]
    asks = hasattr(extractor, "aextract") and said
    return _Reading(fresh, read, said, _known(memory, state, said) if asks else ())


def _since(
    memory: TurnMemory, thread_id: str, messages: Sequence[AnyMessage], message_id: str | None
) -> list[AnyMessage]:
    """The messages after one; when that one was removed, those that the transcript does not have yet."""
    if message_id is None or any(m.id == message_id for m in reversed(messages)):
        return after(messages, message_id)
    known = memory.said_at(thread_id, [str(m.id) for m in messages])
    return [m for m in messages if m.id not in known]


def _known(memory: TurnMemory, state: State, said: Sequence[Utterance]) -> list[Memory]:
    """The facts that the words may touch: those in the slots that the rules see them speak of, then the likeliest.

    A correction need not say what it corrects ("no, it's DHL"), so the newest are among them.
    """
    user_id, t = str(settled(state).user_id), state["memory_time"]
    words = "\n".join(u.text for u in said if u.speaker == "user")
    found = memory.recall(user_id, words, kinds=["fact"], limit=KNOWN_FACTS, as_of=t)
    slots = {(p["subject"], p["attribute"]) for p in _RULES.extract(said).proposals}
    facts = {
        m.id: m
        for m in (*(r.memory for r in found.results), *memory.newest_facts(user_id, t, KNOWN_FACTS), *found.profile)
    }
    return sorted(facts.values(), key=lambda m: (m.subject, m.attribute) not in slots)[:KNOWN_FACTS]


def _may_consolidate(found: Extraction | None) -> bool:
    """A model that could not read facts is not asked for more; it is tried again later."""
    return found is None or found.failure is None


def _proposals(state: State, reading: _Reading, found: Extraction | None, more: Mapping[str, Any]) -> dict[str, Any]:
    """The state's update. Without an extraction nothing was read, and what waits goes on waiting."""
    extraction = found or Extraction()
    get_stream_writer()(
        {"node": "extract_facts", "proposals": len(extraction.proposals), "failure": extraction.failure}
    )
    done = extraction.failure is None and bool(reading.read)
    return {
        "proposals": {
            "turn_id": state["turn_id"],
            "said_ms": state["memory_time"],
            "message_ids": [str(m.id) for m in reading.fresh],
            "extracted_to": str(reading.read[-1].id) if done else state.get("extracted_to"),
            "items": [dict(p) for p in extraction.proposals],
            "extractor": extraction.extractor,
            "failure": extraction.failure,
            "usage": dict(extraction.usage),
            "skipped": dict(extraction.skipped),
            **more,
        }
    }
