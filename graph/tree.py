"""The tree of a thread's checkpoints: one node a turn's end or fork, with the current branch marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot

Graph = CompiledStateGraph[Any, Any, Any, Any]


@dataclass(frozen=True)
class TreeNode:
    """One checkpoint: where it comes from, what runs next there, and what the thread had said last.

    `current` is True on the way from the root to the thread's head, `commit` the commit that memory stands at.
    """

    checkpoint_id: str
    parent_id: str | None
    step: int
    source: str
    next: tuple[str, ...]
    said: str
    commit: str | None
    created_at: str | None
    current: bool


@dataclass(frozen=True)
class Tree:
    """A thread's checkpoints, oldest first. In a notebook it is drawn; nothing is fetched for it."""

    thread_id: str
    nodes: tuple[TreeNode, ...]

    def to_dicts(self) -> list[dict[str, Any]]:
        """One row a checkpoint."""
        return [dict(n.__dict__, next=list(n.next)) for n in self.nodes]

    def turns(self) -> tuple[TreeNode, ...]:
        """The checkpoints at which a turn had ended, or where a branch ends in the middle of one."""
        parents = {n.parent_id for n in self.nodes}
        return tuple(n for n in self.nodes if not n.next or n.checkpoint_id not in parents)

    def _repr_svg_(self) -> str:
        return draw(self)


def tree_of(graph: Graph, thread_id: str) -> Tree:
    """Read the tree of a thread; empty for one that has no checkpoint."""
    config: Any = {"configurable": {"thread_id": thread_id}}
    found = list(graph.get_state_history(config))
    parents = {_id(s): _parent(s) for s in found}
    current: set[str] = set()
    at: str | None = _id(found[0]) if found else None
    while at is not None and at not in current:
        current.add(at)
        at = parents.get(at)
    return Tree(thread_id, tuple(_node(s, _id(s) in current) for s in reversed(found)))


def _id(snapshot: StateSnapshot) -> str:
    return str(snapshot.config["configurable"]["checkpoint_id"])


def _parent(snapshot: StateSnapshot) -> str | None:
    return str(snapshot.parent_config["configurable"]["checkpoint_id"]) if snapshot.parent_config else None


def _node(snapshot: StateSnapshot, current: bool) -> TreeNode:
    messages = snapshot.values.get("messages") or []
    human = next((m for m in reversed(messages) if m.type == "human"), None)
    metadata: Any = snapshot.metadata or {}
    return TreeNode(
        checkpoint_id=_id(snapshot),
        parent_id=_parent(snapshot),
        step=metadata.get("step", 0),
        source=metadata.get("source", ""),
        next=snapshot.next,
        said=str(human.text) if human else "",
        commit=snapshot.values.get("head"),
        created_at=snapshot.created_at,
        current=current,
    )


_ROW, _COLUMN, _TOP, _LEFT = 44, 190, 30, 20


def draw(tree: Tree) -> str:
    """The turns of a tree as an SVG, each with its words and commit; the current branch in ink, the others pale."""
    nodes = list(tree.turns())
    place = _places(tree, nodes)
    lines, boxes = [], []
    for node in nodes:
        x, y = place[node.checkpoint_id]
        ink = "#1f3a5f" if node.current else "#b8b0a0"
        above = _shown_ancestor(tree, node, place)
        if above:
            px, py = place[above]
            lines.append(
                f'<path d="M{px} {py} V{y - _ROW / 2} H{x} V{y}" fill="none" stroke="{ink}" stroke-width="2"/>'
            )
        said = escape(node.said[:20] + ("…" if len(node.said) > 20 else ""))
        commit = f" · {escape(node.commit[:8])}" if node.commit else ""
        boxes.append(
            f'<circle cx="{x}" cy="{y}" r="6" fill="{ink}"/>'
            f'<text x="{x + 12}" y="{y + 4}" font-size="12" fill="{ink}">{said}'
            f'<tspan font-size="9">{commit}</tspan></text>'
        )
    width = _LEFT + _COLUMN * (1 + max((x for x, _ in place.values()), default=0) // _COLUMN)
    height = _TOP + _ROW * max(len(nodes), 1)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'font-family="system-ui, sans-serif" role="img" aria-label="checkpoints of {escape(tree.thread_id)}">'
        + "".join([*lines, *boxes])
        + "</svg>"
    )


def _places(tree: Tree, nodes: Sequence[TreeNode]) -> dict[str, tuple[int, int]]:
    """Rows in the order of time; a column a branch, the current one first."""
    place: dict[str, tuple[int, int]] = {}
    column_of: dict[str, int] = {}
    taken = 0
    for row, node in enumerate(nodes):
        above = _shown_ancestor(tree, node, place)
        if node.current:
            column = 0
        elif above is not None and not _by_id(nodes)[above].current and _only_child(tree, nodes, above, node, place):
            column = column_of[above]
        else:
            taken += 1
            column = taken
        column_of[node.checkpoint_id] = column
        place[node.checkpoint_id] = (_LEFT + column * _COLUMN, _TOP + row * _ROW)
    return place


def _by_id(nodes: Sequence[TreeNode]) -> dict[str, TreeNode]:
    return {n.checkpoint_id: n for n in nodes}


def _only_child(
    tree: Tree, nodes: Sequence[TreeNode], above: str, node: TreeNode, place: dict[str, tuple[int, int]]
) -> bool:
    """Whether this is the first of what goes on from `above`."""
    earlier = [n for n in nodes if n.checkpoint_id in place and n.checkpoint_id != node.checkpoint_id]
    return not any(_shown_ancestor(tree, n, place) == above for n in earlier)


def _shown_ancestor(tree: Tree, node: TreeNode, place: dict[str, tuple[int, int]]) -> str | None:
    parents = {n.checkpoint_id: n.parent_id for n in tree.nodes}
    at = node.parent_id
    while at is not None and at not in place:
        at = parents.get(at)
    return at
