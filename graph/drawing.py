"""A picture of a graph, drawn here: SVG for a notebook, Mermaid text for a page. No web service is asked.

LangGraph's own picture of a graph (what a notebook shows for a bare `graph`) is made by a web service.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from langchain_core.runnables import Runnable
from langgraph.graph import END, START

HEIGHT, GAP, ROW, PADDING = 32, 26, 58, 8
"""Pixels: a box's height, the space between columns and between the tops of rows, and the margin."""
LETTER = 6.8
"""The width of a letter at 12 pixels, generously."""

_NAMES = {START: "start", END: "end"}
_HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
    'style="max-width:100%;height:auto" role="img" font-family="ui-sans-serif,system-ui,sans-serif" font-size="12">'
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0L8 4L0 8z" fill="#7a7f87"/></marker></defs>'
)


@dataclass(frozen=True)
class Drawing:
    """A graph as `mermaid` text and as an `svg` element. A notebook shows the second, a terminal the first."""

    mermaid: str
    svg: str

    def __str__(self) -> str:
        return self.mermaid

    def __repr__(self) -> str:
        return self.mermaid

    def _repr_svg_(self) -> str:
        return self.svg


@dataclass(frozen=True)
class _Box:
    x: float
    y: float
    width: float

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


@dataclass(frozen=True)
class _Arrow:
    source: str
    target: str
    conditional: bool


def draw(graph: Runnable[Any, Any]) -> Drawing:
    """Draw a compiled graph: steps from left to right, a dashed arrow where the graph chooses.

    It works for any graph whose steps can be put in columns; it does not keep arrows from crossing each other, and it
    shows a subgraph as one step.
    """
    shown = graph.get_graph()
    arrows = [_Arrow(e.source, e.target, e.conditional) for e in shown.edges]
    boxes = _place(_columns(list(shown.nodes), arrows))
    return Drawing(mermaid=shown.draw_mermaid(), svg=_svg(boxes, arrows))


def _columns(names: Sequence[str], arrows: Sequence[_Arrow]) -> list[list[str]]:
    """The steps by how many come before them at most, arrows that go back left out; the longest way on is on top."""
    after: dict[str, list[str]] = {name: [a.target for a in arrows if a.source == name] for name in names}
    ordered = _ordered(names, after)
    place = {name: i for i, name in enumerate(ordered)}
    onward = {name: [t for t in after[name] if place[t] > place[name]] for name in names}
    column, way_on = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for name in ordered:
        for target in onward[name]:
            column[target] = max(column[target], column[name] + 1)
    for name in reversed(ordered):
        way_on[name] = max((way_on[target] + 1 for target in onward[name]), default=0)
    by_way = sorted(names, key=lambda name: -way_on[name])
    return [[n for n in by_way if column[n] == i] for i in range(max(column.values()) + 1)]


def _ordered(names: Sequence[str], after: Mapping[str, Sequence[str]]) -> list[str]:
    """Every step after all that lead to it, except by an arrow that goes back."""
    done: list[str] = []
    seen: set[str] = set()

    def visit(name: str) -> None:
        if name not in seen:
            seen.add(name)
            for target in after[name]:
                visit(target)
            done.append(name)

    for name in names:
        visit(name)
    return done[::-1]


def _place(columns: Sequence[Sequence[str]]) -> dict[str, _Box]:
    boxes: dict[str, _Box] = {}
    x = float(PADDING)
    for column in columns:
        widest = max(_width(name) for name in column)
        for row, name in enumerate(column):
            boxes[name] = _Box(x + (widest - _width(name)) / 2, PADDING + ROW * row, _width(name))
        x += widest + GAP
    return boxes


def _width(name: str) -> float:
    return 20 + LETTER * len(_NAMES.get(name, name))


def _svg(boxes: Mapping[str, _Box], arrows: Sequence[_Arrow]) -> str:
    width = max(b.x + b.width for b in boxes.values()) + PADDING
    lowest = max(b.y for b in boxes.values()) + HEIGHT
    lines = [_arrow(boxes[a.source], boxes[a.target], boxes, lowest, a.conditional) for a in arrows]
    bows = any(low for _, low in lines)
    height = lowest + (ROW * 0.62 if bows else 0) + PADDING
    parts = [line for line, _ in lines] + [_box(name, box) for name, box in boxes.items()]
    return _HEAD.format(width=width, height=height) + "".join(parts) + "</svg>"


def _box(name: str, box: _Box) -> str:
    end = name in _NAMES
    fill, stroke, radius = ("#e9ebee", "#9aa0a6", HEIGHT / 2) if end else ("#eef3ff", "#5b7fd6", 7)
    return (
        f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{HEIGHT}" rx="{radius}" '
        f'fill="{fill}" stroke="{stroke}"/><text x="{box.middle:.1f}" y="{box.y + HEIGHT / 2 + 4.5:.1f}" '
        f'text-anchor="middle" fill="#1f2328">{escape(_NAMES.get(name, name))}</text>'
    )


def _arrow(source: _Box, target: _Box, boxes: Mapping[str, _Box], lowest: float, conditional: bool) -> tuple[str, bool]:
    """An arrow's path, and whether it bows below all boxes: one that goes back, or that would cross a box."""
    y0, y1 = source.y + HEIGHT / 2, target.y + HEIGHT / 2
    x0, x1 = source.x + source.width, target.x
    between = any(x0 < b.middle < x1 and b.y <= max(y0, y1) and b.y + HEIGHT >= min(y0, y1) for b in boxes.values())
    bows = x1 <= x0 or between
    if bows:
        low = lowest + ROW * 0.8
        top = source.y + HEIGHT, target.y + HEIGHT
        path = f"M{source.middle:.1f} {top[0]:.1f}C{source.middle:.1f} {low:.1f} {target.middle:.1f} {low:.1f} "
        path += f"{target.middle:.1f} {top[1] + 2:.1f}"
    elif y0 == y1:
        path = f"M{x0:.1f} {y0:.1f}L{x1 - 2:.1f} {y1:.1f}"
    else:
        half = (x0 + x1) / 2
        path = f"M{x0:.1f} {y0:.1f}C{half:.1f} {y0:.1f} {half:.1f} {y1:.1f} {x1 - 2:.1f} {y1:.1f}"
    dashed = ' stroke-dasharray="5 4"' if conditional else ""
    return f'<path d="{path}" fill="none" stroke="#7a7f87" stroke-width="1.4"{dashed} marker-end="url(#tip)"/>', bows
