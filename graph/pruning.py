"""Pruning that knows branches: a thread gives up its old checkpoints, and no branch, and no current memory's source.

It keeps, of every branch, the last turns whole and the checkpoint that the first of them began at, so that each can be
replayed, edited and sent again; and every checkpoint at which a memory was written that is current now, or was where a
branch ends. What stands nowhere gives up its checkpoint, and the report names it: its words, message and commit stay in
the ledger, which pruning never touches.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

from graph.tree import Tree, TreeNode
from stores.provenance import Written


@dataclass(frozen=True)
class GivenUp:
    """A memory that stands on no branch any more, and whose checkpoint is gone."""

    memory_id: str
    user_id: str
    text: str
    checkpoint_id: str


@dataclass(frozen=True)
class PruneReport:
    """What pruning did to a thread: the ids of its checkpoints, oldest first, and the provenance that it cost."""

    thread_id: str
    kept: tuple[str, ...]
    deleted: tuple[str, ...]
    given_up: tuple[GivenUp, ...]

    def to_dicts(self) -> list[dict[str, Any]]:
        """One row for each memory that gave up its checkpoint."""
        return [dict(one.__dict__) for one in self.given_up]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain JSON."""
        return {
            "thread_id": self.thread_id,
            "kept": list(self.kept),
            "deleted": list(self.deleted),
            "given_up": self.to_dicts(),
        }

    def __str__(self) -> str:
        return (
            f"{self.thread_id}: {len(self.deleted)} checkpoints deleted, {len(self.kept)} kept; "
            f"{len(self.given_up)} memories that stand nowhere any more gave up theirs"
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(one.text)}</td><td>{escape(one.checkpoint_id)}</td></tr>" for one in self.given_up
        )
        head = "<tr><th>stands nowhere any more</th><th>gave up its checkpoint</th></tr>" if rows else ""
        return f"<p>{escape(str(self))}</p><table>{head}{rows}</table>"


def ends_of(tree: Tree) -> set[int]:
    """The ledger times (ms) at which memory stands where the branches end."""
    return {tip.memory_time for tip in tree.tips() if tip.memory_time is not None}


def plan(tree: Tree, keep: int, written: Iterable[Written]) -> PruneReport:
    """What pruning a thread to `keep` turns a branch (at least 1) would keep, delete and give up. Pure.

    `written` are the thread's memories, of which those that stand now or at `ends_of` keep their checkpoints.
    """
    found = list(written)
    by_id = {node.checkpoint_id: node for node in tree.nodes}
    needed = {one.checkpoint_id for one in found if one.stands}
    for tip in tree.tips():
        needed |= _last_turns(by_id, tip, keep)
    needed |= {copy for one in needed for copy in tree.copies(one)}
    deleted = tuple(one for one in by_id if one not in needed)
    gone = set(deleted)
    return PruneReport(
        thread_id=tree.thread_id,
        kept=tuple(one for one in by_id if one in needed),
        deleted=deleted,
        given_up=tuple(
            GivenUp(one.memory_id, one.user_id, one.text, one.checkpoint_id)
            for one in found
            if one.checkpoint_id in gone
        ),
    )


def _last_turns(by_id: dict[str, TreeNode], tip: TreeNode, keep: int) -> set[str]:
    """The checkpoints of a branch's last turns, and the one that the first of them began at.

    A turn that has not ended counts as one. What `update_state` adds to a turn that had ended is still that turn.
    """
    turns = set() if tip.next else {tip.turn_id}
    begun = 1 if tip.next else 0
    needed: set[str] = set()
    at: TreeNode | None = tip
    while at is not None and at.checkpoint_id not in needed:
        needed.add(at.checkpoint_id)
        if not at.next:
            turns.add(at.turn_id)
            if len(turns) + begun > keep:
                break
        at = by_id.get(at.parent_id or "")
    return needed
