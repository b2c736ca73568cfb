"""The first step: memory follows the state's branch, and what bears on the question is recalled.

It writes nothing about the question itself; the only traces are the ledger's uses.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from nodes.context import Context
from nodes.skills import skills_for
from nodes.turn import State, context_of, last_human, memory_of, replayed_at, thread_of, turn_of, words_of
from nodes.write_memory import commit_proposals
from stores.plain import TurnMemory
from stores.recall import Recall


def retrieve_memory(state: State, config: RunnableConfig, runtime: Runtime[Any]) -> dict[str, Any]:
    """Bring memory in line with the state's head, settle this run's context, and recall for the last human message.

    Skills that the message calls for are matched too. Leaves `recalled`, `memory_time` (ledger time, ms), `turn_id`,
    `user_id` and `settings` in the state. Proposals that a crash left uncommitted are committed first. A replay recalls
    as of its moment, with the skills of then, and leaves no trace. Raises `MissingUser`.
    """
    memory = memory_of(runtime.store)
    context = context_of(state, config, runtime, memory)
    user_id = str(context.user_id)
    thread_id = thread_of(config, state)
    update: dict[str, Any] = {"user_id": user_id, "settings": context.settings()}
    as_of = replayed_at(config, state, context)
    t = as_of if as_of is not None else memory.begin_turn(user_id, thread_id, state.get("head"))
    if as_of is None and (left := left_uncommitted(state)):
        update |= commit_proposals({**state, "proposals": left}, config, runtime, memory)
        t = memory.begin_turn(user_id, thread_id, update["head"])
    messages = state.get("messages", [])
    turn_id = turn_of(thread_id, messages)
    human = last_human(messages)
    question = words_of(human) if human else ""
    recall = recall_for(memory, context, question, t)
    skills = skills_for(state, memory, context, config, question, by_meaning=recall.degraded is None)
    if as_of is None:
        memory.use(user_id, turn_id, [r.memory.id for r in recall.results], t)
    found = {"recalled": len(recall.results), "empty": recall.empty, "skills": skills["skills"]}
    runtime.stream_writer({"node": "retrieve_memory", **found})
    return {**update, "turn_id": turn_id, "memory_time": t, "recalled": {**recall.to_state(), **skills}}


def left_uncommitted(state: State) -> dict[str, Any] | None:
    """The proposals of a turn that ended between extraction and commit, if the last one did."""
    proposals = state.get("proposals") or {}
    changes = state.get("changes") or {}
    return proposals if proposals and proposals["turn_id"] != changes.get("turn_id") else None


def recall_for(memory: TurnMemory, context: Context, question: str, t: int) -> Recall:
    """Recall as this run's settings ask for it."""
    kinds = [
        kind
        for kind, wanted in (
            ("episode", context.use_episodes),
            ("fact", context.use_facts),
            ("summary", context.use_episodes),
            ("lesson", context.use_facts),
        )
        if wanted
    ]
    return memory.recall(
        str(context.user_id),
        question,
        limit=context.recall_limit,
        max_tokens=context.recall_tokens,
        kinds=None if len(kinds) == 4 else kinds,
        as_of=t,
        now=datetime.fromtimestamp(t / 1000, UTC),
    )
