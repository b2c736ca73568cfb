"""The fourth step: what the turn's own words say about the world, as proposals. Nothing is decided or written here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langgraph.runtime import Runtime

from memory.record import Extractor
from nodes.turn import State, after, moment_of, utterances


def extract_facts(extractor: Extractor) -> Callable[..., dict[str, Any]]:
    """The step that reads facts out of every message since `extracted_to`, redacted, with this extractor.

    What was recalled is never among them: it stands in no message. Leaves `proposals` in the state.
    """

    def extract(state: State, runtime: Runtime[Any]) -> dict[str, Any]:
        at = moment_of(state)
        messages = after(state["messages"], state.get("extracted_to"))
        found = extractor.extract([u for u in utterances(messages, at) if u.keep])
        runtime.stream_writer({"node": "extract_facts", "proposals": len(found.proposals), "failure": found.failure})
        return {
            "proposals": {
                "turn_id": state["turn_id"],
                "said_ms": state["memory_time"],
                "message_ids": [str(m.id) for m in messages],
                "items": [dict(p) for p in found.proposals],
                "extractor": found.extractor,
                "failure": found.failure,
            }
        }

    return extract
