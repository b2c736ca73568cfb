"""The tree of a thread's checkpoints: which turns lead where, on which branch the thread is, and where memory stands.

It is read from the checkpoints as they are stored, in one pass, so a long thread takes no longer per checkpoint than a
short one. Drawn as text for a terminal and as SVG for a notebook; nothing is fetched for either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import Any
from unicodedata import east_asian_width

from langchain_core.runnables import RunnableConfig
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.base import Checkpoint, CheckpointTuple
from langgraph.graph.state import CompiledStateGraph

from memory.privacy import redact
from memory.text import clean

Graph = CompiledStateGraph[Any, Any, Any, Any]


@dataclass(frozen=True)
class TreeNode:
    """One checkpoint: where it comes from, what runs next there, and what the human had said last, redacted.

    `current` is True on the way from the root to the thread's head, `commit` the commit that memory stands at,
    `turn_id` the last turn that began, and `memory_time` the ledger time (ms) of memory here. `copy_of` is the oldest
    checkpoint that this one repeats whole, as a switch or a run again makes it.
    """

    checkpoint_id: str
    parent_id: str | None
    step: int
    source: str
    next: tuple[str, ...]
    said: str
    commit: str | None
    turn_id: str | None
    memory_time: int | None
    created_at: str | None
    current: bool
    copy_of: str | None


@dataclass(frozen=True)
class Row:
    """A turn as it is drawn: what it goes on from, in which lane, and whether a branch begins or the thread is here."""

    node: TreeNode
    lane: int
    above: TreeNode | None
    begins: bool
    head: bool

    @property
    def graph(self) -> str:
        """What stands before its words in a terminal: full dots for the current branch."""
        bars = "│ " * (self.lane - 1) + ("├─" if self.begins else "│ ") if self.lane else ""
        return bars + ("● " if self.node.current else "○ ")


@dataclass(frozen=True, repr=False)
class Tree:
    """A thread's checkpoints, oldest first. In a notebook it is drawn; `str` draws it for a terminal."""

    thread_id: str
    nodes: tuple[TreeNode, ...]

    def to_dicts(self) -> list[dict[str, Any]]:
        """One row a checkpoint."""
        return [dict(n.__dict__, next=list(n.next)) for n in self.nodes]

    def turns(self) -> tuple[TreeNode, ...]:
        """The checkpoints at which a turn had ended, or where a branch ends in the middle of one.

        A copy is the turn that it copied: it is shown once, by its newest checkpoint.
        """
        return tuple(dict.fromkeys(self._shown.values()))

    def tips(self) -> tuple[TreeNode, ...]:
        """The turns at which branches end."""
        went_on = {self._shown.get(node.parent_id or "") for node in self.nodes}
        return tuple(node for node in self.turns() if node not in went_on)

    def copies(self, checkpoint_id: str) -> set[str]:
        """The checkpoints that are shown as one with this one: itself, and its copies."""
        one = self._shown.get(checkpoint_id)
        return {checkpoint_id, *(i for i, node in self._shown.items() if node is one)}

    def rows(self) -> list[Row]:
        """The turns as they are drawn: a turn, then the branches that left it, then what the thread went on with."""
        return [*_rows(self)]

    def short(self, node: TreeNode) -> str:
        """As much of a checkpoint's id as tells it from the thread's others, and never less than eight characters."""
        return self._short[node.checkpoint_id]

    def __str__(self) -> str:
        return "\n".join(row.graph + words_of(row.node) for row in self.rows())

    def __repr__(self) -> str:
        return str(self)

    def _repr_svg_(self) -> str:
        return draw(self)

    @cached_property
    def _shown(self) -> Mapping[str, TreeNode]:
        """The turn that stands for each checkpoint that is drawn, itself or a copy of it."""
        parents = {n.parent_id for n in self.nodes}
        ends = [n for n in self.nodes if not n.next or n.checkpoint_id not in parents]
        alike: dict[str, list[TreeNode]] = {}
        for n in ends:
            alike.setdefault(n.copy_of or n.checkpoint_id, []).append(n)
        shown: dict[str, TreeNode] = {}
        for group in alike.values():
            # What was run again where nothing was left to run has the checkpoint it repeats above it.
            one = replace(group[-1], parent_id=group[0].parent_id, current=any(n.current for n in group))
            shown |= {n.checkpoint_id: one for n in group}
        return {n.checkpoint_id: shown[n.checkpoint_id] for n in ends}

    @cached_property
    def _short(self) -> Mapping[str, str]:
        ordered = sorted(n.checkpoint_id for n in self.nodes)
        return {
            one: one[: max(8, 1 + max(_alike(one, ordered[i - 1] if i else ""), _alike(one, (*ordered, "")[i + 1])))]
            for i, one in enumerate(ordered)
        }


def _alike(a: str, b: str) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def tree_of(graph: Graph, thread_id: str) -> Tree:
    """Read the tree of a thread; empty for one that has no checkpoint."""
    saver: Any = graph.checkpointer
    config: RunnableConfig = {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}
    found: list[CheckpointTuple] = [*saver.list(config)]
    parents = {_id(one.config): _id(one.parent_config) for one in found}
    current: set[str] = set()
    at = _id(found[0].config) if found else None
    while at is not None and at not in current:
        current.add(at)
        at = parents.get(at)
    said = _said(graph, found[::-1])
    copied = _copied(found[::-1])
    return Tree(thread_id, tuple(_node(graph, one, said, copied, current) for one in reversed(found)))


def _copied(found: Sequence[CheckpointTuple]) -> dict[str, str]:
    """What each copy among checkpoints, oldest first, is a copy of.

    A write gives its channel a version of its own, half of it random, so that only a copy has all of another's.
    """
    first: dict[frozenset[tuple[str, Any]], str] = {}
    ids = {str(_id(one.config)): frozenset(one.checkpoint["channel_versions"].items()) for one in found}
    origins = {one: first.setdefault(versions, one) for one, versions in ids.items()}
    return {one: origin for one, origin in origins.items() if one != origin}


def _id(config: RunnableConfig | None) -> str | None:
    return str(config["configurable"]["checkpoint_id"]) if config else None


def _said(graph: Graph, found: Sequence[CheckpointTuple]) -> dict[str, str]:
    """What the human had said last at each checkpoint. `found` has parents before their children."""
    channel: Any = graph.channels["messages"]
    messages: dict[str | None, Any] = {}
    written: dict[str | None, list[Any]] = {}
    said: dict[str, str] = {}
    for one in found:
        here, above = str(_id(one.config)), _id(one.parent_config)
        values = one.checkpoint["channel_values"]
        if "messages" in values:
            messages[here] = channel.from_checkpoint(values["messages"]).get()
        elif isinstance(channel, DeltaChannel) and written.get(above):
            state = channel.from_checkpoint(messages.get(above))
            state.replay_writes(written[above])
            messages[here] = state.get()
        else:
            messages[here] = messages.get(above)
        written[here] = [w for w in one.pending_writes or () if w[1] == "messages"]
        same = above in said and messages[here] is messages.get(above)
        said[here] = said[str(above)] if same else _last_human(messages[here] or ())
    return said


def _last_human(messages: Sequence[Any]) -> str:
    human = next((m for m in reversed(messages) if m.type == "human"), None)
    return redact(clean(str(human.text))).text if human else ""


def _next(graph: Graph, checkpoint: Checkpoint) -> tuple[str, ...]:
    """The steps that run next: those of which a trigger holds a value that they have not seen."""
    values, versions = checkpoint["channel_values"], checkpoint["channel_versions"]
    seen = checkpoint["versions_seen"]

    def waits(name: str, triggers: Iterable[str]) -> bool:
        return any(t in values and versions.get(t) != seen.get(name, {}).get(t) for t in triggers)

    sent = (send.node for send in values.get("__pregel_tasks") or ())
    return (*sent, *(name for name, step in graph.nodes.items() if waits(name, step.triggers)))


def _node(
    graph: Graph, one: CheckpointTuple, said: Mapping[str, str], copied: Mapping[str, str], current: set[str]
) -> TreeNode:
    here, values = str(_id(one.config)), one.checkpoint["channel_values"]
    return TreeNode(
        checkpoint_id=here,
        parent_id=_id(one.parent_config),
        step=one.metadata.get("step", 0),
        source=one.metadata.get("source", ""),
        next=_next(graph, one.checkpoint),
        said=said[here],
        commit=values.get("head"),
        turn_id=values.get("turn_id"),
        memory_time=values.get("memory_time"),
        created_at=one.checkpoint["ts"],
        current=here in current,
        copy_of=copied.get(here),
    )


def _rows(tree: Tree) -> Iterator[Row]:
    nodes = tree.turns()
    by_id = {n.checkpoint_id: n for n in tree.nodes}
    above: dict[TreeNode, TreeNode | None] = {}
    for node in nodes:
        at = node.parent_id
        while at in by_id and at not in tree._shown:
            at = by_id[at].parent_id
        above[node] = tree._shown.get(at or "")
    newest: dict[TreeNode, str] = {}  # the last checkpoint that a turn leads to
    for node in sorted(nodes, key=lambda n: n.checkpoint_id, reverse=True):
        up: TreeNode | None = node
        while up is not None and up not in newest:
            newest[up], up = node.checkpoint_id, above[up]
    children: dict[TreeNode | None, list[TreeNode]] = {}
    for node in sorted(nodes, key=newest.__getitem__):
        children.setdefault(above[node], []).append(node)
    head = max((n.checkpoint_id for n in nodes), default="")
    left = [(root, 0, False) for root in reversed(children.get(None, []))]
    while left:
        node, lane, begins = left.pop()
        yield Row(node, lane, above[node], begins, node.checkpoint_id == head)
        onward = children.get(node, [])
        left += [(n, lane, False) for n in onward[-1:]]
        left += [(n, lane + 1, True) for n in reversed(onward[:-1])]


def words_of(node: TreeNode) -> str:
    """The beginning of what was said last, on one line, no wider than 32 columns of a terminal."""
    line, width = "", 0
    for letter in " ".join(node.said.split()):
        width += _cells(letter)
        if width > _COLUMNS:
            return line + "…"
        line += letter
    return line or "(nothing said yet)"


def _cells(text: str) -> int:
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


_COLUMNS = 32
_INK, _PALE, _LINE, _FAINT = "#1f4e8c", "#8a8f98", "#c9cdd3", "#6b7280"
_LANE, _ROW, _TOP, _LEFT, _CELL = 22, 34, 56, 18, 7.2
_MONO = 'font-family="ui-monospace,SFMono-Regular,Menlo,monospace" font-size="11"'


def draw(tree: Tree) -> str:
    """The turns of a tree as an SVG: a row a turn with its words, the commit it made and its checkpoint.

    The current branch is in ink and its line full, what was left is pale; the head is marked.
    """
    rows = tree.rows()
    places = {row.node: (_LEFT + _LANE * row.lane, _TOP + _ROW * i) for i, row in enumerate(rows)}
    text = _LEFT + _LANE * max((row.lane for row in rows), default=0) + 20
    commit = text + _CELL * max((_cells(words_of(row.node)) for row in rows), default=0) + 24
    width = commit + 300
    branches = 1 + sum(row.begins for row in rows)
    about = f"{_many(len(rows), 'turn')} on {_many(branches, 'branch')}" if rows else "no checkpoint yet"
    title = (
        f'<rect width="100%" height="100%" fill="#ffffff"/>'
        f'<text x="{_LEFT - 6}" y="24" font-size="14" font-weight="600" fill="#1f2328">{escape(tree.thread_id)}'
        f'<tspan dx="10" font-size="12" font-weight="400" fill="{_FAINT}">{about}</tspan></text>'
    )
    # The current branch is drawn last, over the others.
    below = [row for row in sorted(rows, key=lambda row: row.node.current) if row.above]
    parts = [title, *(_edge(places[row.above], places[row.node], row.node.current) for row in below if row.above)]
    parts += [_turn(tree, row, places[row.node], text, commit) for row in rows]
    height = _TOP + _ROW * max(len(rows), 1) - 8
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" '
        f'style="max-width:100%;height:auto" font-family="ui-sans-serif,system-ui,sans-serif" font-size="13" '
        f'role="img" aria-label="checkpoints of {escape(tree.thread_id)}">' + "".join(parts) + "</svg>"
    )


def _many(n: int, what: str) -> str:
    plural = what + ("es" if what.endswith("ch") else "s")
    return f"{n} {what if n == 1 else plural}"


def _edge(start: tuple[float, float], end: tuple[float, float], current: bool) -> str:
    (x0, y0), (x1, y1) = start, end
    way = f"M{x0} {y0}V{y1}" if x0 == x1 else f"M{x0} {y0}V{y1 - _ROW / 2:.0f}Q{x0} {y1} {x1} {y1}"
    return f'<path d="{way}" fill="none" stroke="{_INK if current else _LINE}" stroke-width="{2.5 if current else 2}"/>'


def _turn(tree: Tree, row: Row, place: tuple[float, float], text: float, commit: float) -> str:
    (x, y), node = place, row.node
    ink, words, chip = (_INK, "#1f2328", "#e8f0fb") if node.current else (_PALE, _PALE, "#f3f4f6")
    fill = ink if node.current else "#ffffff"
    parts = [
        f'<circle cx="{x}" cy="{y}" r="5.5" fill="{fill}" stroke="{ink}" stroke-width="2"/>',
        f'<text x="{text:.0f}" y="{y + 4.5}" fill="{words}">{escape(words_of(node))}</text>',
    ]
    if node.commit:
        parts.append(
            f'<rect x="{commit:.0f}" y="{y - 9}" width="74" height="18" rx="9" fill="{chip}"/>'
            f'<text x="{commit + 37:.0f}" y="{y + 4}" text-anchor="middle" fill="{ink}" {_MONO}>'
            f"{escape(node.commit[:8])}</text>"
        )
    waits = f'<tspan dx="8" fill="{_FAINT}">before {escape(", ".join(node.next))}</tspan>' if node.next else ""
    here = '<tspan dx="10" font-weight="700" fill="#1a7f4b">head</tspan>' if row.head else ""
    at = f"@{escape(tree.short(node))}{waits}{here}"
    parts.append(f'<text x="{commit + 88:.0f}" y="{y + 4}" fill="{_PALE}" {_MONO}>{at}</text>')
    if row.head:
        parts.append(f'<circle cx="{x}" cy="{y}" r="9" fill="none" stroke="{ink}" stroke-width="1.5"/>')
    return "".join(parts)
