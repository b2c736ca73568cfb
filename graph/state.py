"""The graph's short-term state: messages and plain JSON values only, checkpointed after every step.

What changes every turn is a delta channel: a checkpoint keeps the turn's own change, not the whole again.
"""

from __future__ import annotations

from typing import Annotated, Any

from langchain_core.messages import AnyMessage
from langgraph.channels import DeltaChannel
from typing_extensions import TypedDict

from graph.messages import reduce_messages
from stores.checkpoint_file import last_value

MESSAGES_SNAPSHOT, SNAPSHOT = 120, 40
"""After how many writes a checkpoint holds the whole value again. To read a state is to walk back so far; to write the
messages whole, some two hundred of them, costs as much as dozens of turns."""


def _latest() -> DeltaChannel[Any]:
    # A channel is told its name, so each needs one of its own.
    return DeltaChannel(last_value, dict, snapshot_frequency=SNAPSHOT)


class AgentInput(TypedDict):
    """What a caller gives: messages. Studio's form shows just these."""

    messages: Annotated[list[AnyMessage], DeltaChannel(reduce_messages, list, snapshot_frequency=MESSAGES_SNAPSHOT)]


class AgentState(AgentInput, total=False):
    """Everything that one turn hands from step to step, and from this turn to the next.

    `head` is the thread's last commit on this branch, `committed_to` the last message that it holds as an episode,
    `extracted_to` the last one whose facts are committed. `memory_time` the ledger time (ms) at which this turn reads
    memory. `summary` covers what left the window.
    """

    user_id: str
    settings: dict[str, Any]
    turn_id: str
    memory_time: int
    recalled: Annotated[dict[str, Any], _latest()]
    summary: Annotated[dict[str, Any], _latest()]
    usage: Annotated[dict[str, Any], _latest()]
    proposals: Annotated[dict[str, Any], _latest()]
    changes: Annotated[dict[str, Any], _latest()]
    committed_to: str | None
    extracted_to: str | None
    head: str | None
