"""The last step: what was proposed is decided and committed, the ledger first and Qdrant from there.

Running it again changes nothing: the commit's id comes from its parent, its turn, its messages and its proposals.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from nodes.turn import State, memory_of, settled, thread_of, utterances
from stores.ledger import Draft
from stores.plain import TurnMemory


def write_memory(state: State, config: RunnableConfig, runtime: Runtime[Any]) -> dict[str, Any]:
    """Commit the turn's proposals; leaves `changes`, `head`, `committed_to` and `extracted_to` in the state."""
    memory = memory_of(runtime.store)
    update = commit_proposals(state, config, memory, str(settled(state).user_id))
    changes = update["changes"]
    runtime.stream_writer({"node": "write_memory", "episodes": changes["episodes"], "facts": len(changes["facts"])})
    return update


def commit_proposals(state: State, config: RunnableConfig, memory: TurnMemory, user_id: str) -> dict[str, Any]:
    """Commit the proposals in a state on top of its head; returns the state's update."""
    proposals = state["proposals"]
    wanted = set(proposals["message_ids"])
    said_at = datetime.fromtimestamp(proposals["said_ms"] / 1000, UTC)
    messages = [m for m in state["messages"] if m.id in wanted]
    metadata = config.get("metadata") or {}
    changes = memory.commit(
        Draft(
            user_id=user_id,
            thread_id=thread_of(config),
            turn_id=proposals["turn_id"],
            parent=state.get("head"),
            said=tuple(utterances(messages, said_at)),
            proposals=tuple(proposals["items"]),
            extractor=proposals["extractor"],
            failure=proposals["failure"],
            pending=bool(messages) and proposals["extracted_to"] != proposals["message_ids"][-1],
            checkpoint_id=metadata.get("checkpoint_id"),
            run_id=str(metadata["run_id"]) if metadata.get("run_id") else None,
        )
    )
    return {
        "changes": changes,
        "head": changes["commit_id"],
        "extracted_to": proposals["extracted_to"],
        "committed_to": proposals["message_ids"][-1] if proposals["message_ids"] else state.get("committed_to"),
    }
