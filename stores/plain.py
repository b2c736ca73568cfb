"""What the nodes ask of memory during a turn, and its simplest answer: any LangGraph store, by search and put."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from langgraph.store.base import BaseStore

from memory.consolidation import Material
from memory.guard import hold
from memory.record import Memory, stable_id
from stores.indexer import namespace_of
from stores.ledger import Draft
from stores.recall import Recall, Recalled


class TurnMemory(Protocol):
    """The memory of one turn. `stores.book.MemoryBook` has it all; `PlainMemory` what a plain store can."""

    def begin_turn(self, user_id: str, thread_id: str, head: str | None) -> int:
        """Bring memory in line with the state's head; returns the ledger time that the turn reads memory at."""
        ...

    def user_of(self, thread_id: str) -> str | None:
        """Whose thread this is, where that was entered."""
        ...

    def recall(self, user_id: str, query: str, **options: Any) -> Recall:
        """The memories that bear on a question."""
        ...

    def newest_facts(self, user_id: str, t: int, limit: int) -> Sequence[Memory]:
        """The facts that were current at a ledger time, the newest first."""
        ...

    def to_consolidate(self, user_id: str, head: str | None, every: int) -> Material | None:
        """What a thread with this head has to sum up, at every so many of its commits; None when it is not time."""
        ...

    def said_at(self, thread_id: str, message_ids: Sequence[str]) -> dict[str, datetime]:
        """When messages that were committed were said, where that is known."""
        ...

    def use(self, user_id: str, turn_id: str, memory_ids: Sequence[str], t: int) -> None:
        """Note that a live turn recalled these memories."""
        ...

    def commit(self, draft: Draft) -> dict[str, Any]:
        """Commit a turn; again changes nothing."""
        ...


class PlainMemory:
    """Memory on any `BaseStore`: episodes and facts by put, recall by its search.

    It has no ledger: no branches, no as-of, no undo, and facts are never superseded. What instructs the agent is left
    out, with the reason in what `commit` returns: there is nowhere to hold it.
    """

    def __init__(self, store: BaseStore) -> None:
        self.store = store

    def begin_turn(self, user_id: str, thread_id: str, head: str | None) -> int:
        """The time now; a plain store follows no branch."""
        del user_id, thread_id, head
        return int(datetime.now(UTC).timestamp() * 1000)

    def user_of(self, thread_id: str) -> str | None:
        """None: a plain store knows no threads."""
        del thread_id
        return None

    def recall(self, user_id: str, query: str, **options: Any) -> Recall:
        """The store's own search; its score is the only signal."""
        found = self.store.search(namespace_of(user_id), query=query, limit=options.get("limit", 10)) if query else []
        kinds = options.get("kinds")
        results = [
            Recalled(
                Memory(id=i.key, user_id=user_id, kind=i.value["kind"], text=i.value["text"]),
                i.score or 0.0,
                {},
                "found by the store's search",
            )
            for i in found
            if kinds is None or i.value["kind"] in kinds
        ]
        return Recall(results=tuple(results), empty=None if results else "nothing relevant")

    def newest_facts(self, user_id: str, t: int, limit: int) -> Sequence[Memory]:  # noqa: ARG002 - see TurnMemory
        """None: a plain store keeps no times and no standing."""
        return ()

    def to_consolidate(self, user_id: str, head: str | None, every: int) -> Material | None:  # noqa: ARG002
        """Nothing: a plain store has no commits to count."""
        return None

    def said_at(self, thread_id: str, message_ids: Sequence[str]) -> dict[str, datetime]:
        """Nothing: a plain store keeps no transcript."""
        del thread_id, message_ids
        return {}

    def use(self, user_id: str, turn_id: str, memory_ids: Sequence[str], t: int) -> None:
        """A plain store keeps no uses."""

    def commit(self, draft: Draft) -> dict[str, Any]:
        """Put each message and each fact under the user's namespace, with ids that make a repeat change nothing."""
        said_in = {u.message_id: u for u in draft.said}
        whys = [(p, hold(p, said_in.get(p["message_id"]))) for p in draft.proposals]
        whys = [(p, why) for p, why in whys if not p.get("retract") and not p.get("keep") and p.get("value")]
        facts = [p for p, why in whys if not why]
        for ordinal, said in enumerate(u for u in draft.said if u.keep):
            key = stable_id(draft.commit_id, ordinal)
            value = {"kind": "episode", "text": said.text, "speaker": said.speaker}
            self.store.put(namespace_of(draft.user_id, "episode"), key, value)
        for fact in facts:
            key = stable_id(draft.user_id, fact["subject"], fact["attribute"], fact["value"], fact.get("polarity", 1))
            self.store.put(namespace_of(draft.user_id, "fact"), key, {"kind": "fact", "text": fact["text"]})
        return {
            "commit_id": draft.commit_id,
            "turn_id": draft.turn_id,
            "episodes": sum(u.keep for u in draft.said),
            "facts": [
                {"op": "hold" if why else "add", "text": p["text"], "reason": why or "new", "touches": []}
                for p, why in whys
            ],
            "skipped": dict(draft.skipped),
            "failure": draft.failure,
            "ledger_time": int(datetime.now(UTC).timestamp() * 1000),
            "index": None,
        }
