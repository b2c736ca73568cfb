"""The last step: what was proposed is decided and committed, the ledger first and Qdrant from there.

Running it again changes nothing: the commit's id comes from its parent, its turn, its messages and its proposals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from langchain_core.messages import AnyMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from memory.record import Utterance
from nodes.spending import report, spent
from nodes.tail import outgrown
from nodes.turn import State, last_human, memory_of, replayed_at, settled, thread_of, utterances
from stores.ledger import Draft
from stores.plain import TurnMemory


def write_memory(state: State, config: RunnableConfig, runtime: Runtime[Any]) -> dict[str, Any]:
    """Commit the turn's proposals; leaves `changes`, `head`, `committed_to` and `extracted_to` in the state.

    Messages beyond the run's `max_messages` leave the state then (`nodes.tail`).

    What the turn's model calls cost is kept with the commit, and in `usage`.

    `memory_time` becomes the ledger time after the commit: memory as of this checkpoint has what the turn said. A
    replay commits nothing.
    """
    if replayed_at(config, state, settled(state)) is not None:
        return {}
    memory = memory_of(runtime.store)
    update = commit_proposals(state, config, runtime, memory)
    if removals := outgrown(state, update):
        update["messages"] = removals
    changes = update["changes"]
    runtime.stream_writer(
        {
            "node": "write_memory",
            "episodes": changes["episodes"],
            "facts": len(changes["facts"]),
            "calls": update["usage"]["calls"],
        }
    )
    return update


def commit_proposals(state: State, config: RunnableConfig, runtime: Runtime[Any], memory: TurnMemory) -> dict[str, Any]:
    """Commit the proposals in a state on top of its head; returns the state's update."""
    proposals = state["proposals"]
    wanted = set(proposals["message_ids"])
    said_at = datetime.fromtimestamp(proposals["said_ms"] / 1000, UTC)
    messages = [m for m in state["messages"] if m.id in wanted]
    run_id = (config.get("metadata") or {}).get("run_id")
    step = runtime.execution_info
    calls = spent(state, messages)
    thread = thread_of(config, state)
    changes = memory.commit(
        Draft(
            user_id=str(settled(state).user_id or state.get("user_id")),
            thread_id=thread,
            turn_id=proposals["turn_id"],
            parent=state.get("head"),
            said=_said(messages, said_at, thread, memory),
            proposals=tuple(proposals["items"]),
            extractor=proposals["extractor"],
            failure=proposals["failure"],
            pending=bool(messages) and proposals["extracted_to"] != proposals["message_ids"][-1],
            checkpoint_id=step.checkpoint_id if step else None,
            run_id=str(run_id) if run_id else None,
            usage=calls,
            skipped=proposals.get("skipped") or {},
            consolidation=proposals.get("consolidation"),
        )
    )
    return {
        "changes": changes,
        "usage": report(state, calls),
        "head": changes["commit_id"],
        "memory_time": changes["ledger_time"],
        "extracted_to": proposals["extracted_to"],
        "committed_to": proposals["message_ids"][-1] if proposals["message_ids"] else state.get("committed_to"),
    }


def _said(
    messages: Sequence[AnyMessage], said_at: datetime, thread_id: str, memory: TurnMemory
) -> tuple[Utterance, ...]:
    """The messages as memory sees them. What an earlier turn left uncommitted was said when the transcript says so."""
    own = last_human(messages)
    older = [str(m.id) for m in messages[: messages.index(own)]] if own else []
    known = memory.said_at(thread_id, older) if older else {}
    return tuple(replace(u, said_at=known.get(u.message_id, u.said_at)) for u in utterances(messages, said_at))
