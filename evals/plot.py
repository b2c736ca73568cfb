"""Charts as SVG, without a plotting library: pictures for the docs and the notebooks.

Each function takes numbers by name and gives back one `<svg>` element as text, the same for the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from unicodedata import east_asian_width

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 720, 360, 64, 44, 150, 40
_INKS = ("#1f4e8c", "#1a7f4b", "#b35900", "#8a8f98")
_FILLS = (
    *("#1f4e8c", "#4f86c6", "#a3c4e8", "#1a7f4b", "#86c7a3", "#b35900"),
    *("#e0a458", "#7b4fa3", "#bfa3d6", "#8a7a00", "#c8b900", "#5b6470"),
)
_TEXT, _FAINT, _GRID, _AGAINST = "#1f2328", "#656d76", "#e5e7eb", "#d1495b"
_LETTER = 6.2
"""How wide a letter of the small size is, about; a Chinese one is twice that."""

Point = tuple[float, float]
Span = tuple[float, float, float]
"""A value and the ends of its interval."""


def lines(title: str, unit: str, series: Mapping[str, Sequence[Point]], across: str = "turns") -> str:
    """A chart of points (x, value) by name, on one scale from 0; each line is named where it ends.

    `across` is what x counts. There are as many inks as lines that can be told apart: four.
    """
    right = max((x for points in series.values() for x, _ in points), default=1.0)
    top = max((y for points in series.values() for _, y in points), default=1.0) or 1.0

    def place(x: float, y: float) -> Point:
        across = _LEFT + (_WIDTH - _LEFT - _RIGHT) * x / right
        return round(across, 1), round(_HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * y / top, 1)

    parts = [_text(_LEFT, 22, title, size=14)]
    below = _HEIGHT - _BOTTOM + 18
    for share in (0.0, 0.5, 1.0):
        x0, y0 = place(0, top * share)
        parts.append(f'<path d="M{x0} {y0}H{_WIDTH - _RIGHT}" stroke="{_GRID}" fill="none"/>')
        parts.append(_text(x0 - 6, y0 + 4, f"{top * share:,.4g}", anchor="end"))
        parts.append(_text(place(right * share, 0)[0], below, f"{right * share:,.0f}", anchor="middle"))
    parts.append(_text(_LEFT - 6, _TOP - 10, unit, anchor="end"))
    # Right of where the last number ends.
    parts.append(_text(_WIDTH - _RIGHT + 8 + 3 * len(f"{right:,.0f}"), below, across))
    lowest = float(_HEIGHT)
    ends = sorted(series.items(), key=lambda named: -named[1][-1][1] if named[1] else 0.0, reverse=True)
    for (name, points), ink in zip(ends, _INKS, strict=False):
        way = "L".join(f"{x} {y}" for x, y in (place(*point) for point in points))
        parts.append(f'<path d="M{way}" stroke="{ink}" stroke-width="2" fill="none"/>')
        lowest = min(place(*points[-1])[1] + 4, lowest - 16)
        parts.append(_text(_WIDTH - _RIGHT + 8, lowest, name, ink=ink))
    return _svg(title, _HEIGHT, parts)


def bars(title: str, rows: Sequence[tuple[str, Mapping[str, float]]], *, mark: tuple[str, float] | None = None) -> str:
    """A bar a row, made of its parts one after another: those above 0 to the right, those below to the left.

    The number after a bar is the sum. A part has its place and its colour by the first row that names it, and stands in
    the legend when any row has some of it; one that only ever takes away is red. `mark` is a line across all rows, with
    its name. There are twelve colours besides; more parts begin with the first again.
    """
    every = dict.fromkeys(name for _, parts in rows for name in parts)
    values = {name: [parts.get(name, 0.0) for _, parts in rows] for name in every}
    fill = {
        name: _AGAINST if max(values[name]) <= 0 else _FILLS[i % len(_FILLS)]
        for i, name in enumerate(every)
        if any(values[name])
    }
    names = list(fill)
    legend, y = _legend(fill)
    first, last = 16.0, _WIDTH - 60.0
    ends = [value for _, parts in rows for value in _ends(parts)] + [mark[1] if mark else 0.0, 0.0]
    low, high = min(ends), max(ends) or 1.0

    def place(value: float) -> float:
        return round(first + (last - first) * (value - low) / (high - low), 1)

    drawn, top = [], y + (22 if mark else 4)
    y = top
    for words, parts in rows:
        drawn.append(_text(first, y + 13, _cut(words, 100)))
        left = right = 0.0
        for name in names:
            value = parts.get(name, 0.0)
            start, end = (right, right + value) if value >= 0 else (left + value, left)
            left, right = (left, end) if value >= 0 else (start, right)
            if value:
                x, wide = place(start), round(place(end) - place(start), 1)
                drawn.append(
                    f'<rect x="{x}" y="{y + 19}" width="{wide}" height="14" fill="{fill[name]}">'
                    f"<title>{escape(name)} {value:+.2f}</title></rect>"
                )
        # Adding 0 makes a negative zero a plain one.
        drawn.append(_text(place(right) + 6, y + 30, f"{round(left + right, 2) + 0.0:.2f}", ink=_FAINT))
        drawn.append(f'<path d="M{place(0)} {y + 17}V{y + 35}" stroke="{_FAINT}" fill="none"/>')
        y += 42
    if mark:
        x = place(mark[1])
        drawn.append(f'<path d="M{x} {top}V{y}" stroke="{_AGAINST}" stroke-dasharray="4 3" fill="none"/>')
        drawn.append(_text(x, top - 6, f"{mark[0]} {mark[1]:.2f}", anchor="middle", ink=_AGAINST))
    return _svg(title, y + 8, [_text(16, 22, title, size=14), *legend, *drawn])


def points(title: str, axes: tuple[str, str], groups: Mapping[str, Sequence[tuple[float, float, str]]]) -> str:
    """Points (x, y, words for it) by group on scales that begin at 0 or below, for a few words; `axes` name x and y."""
    fill = {name: ink for (name, some), ink in zip(groups.items(), _INKS, strict=False) if some}
    legend, top = _legend(fill)
    top += 24
    bottom = top + 250.0
    xs, ys = [x for some in groups.values() for x, _, _ in some], [y for some in groups.values() for _, y, _ in some]
    x0, y0 = min([0.0, *xs]), min([0.0, *ys])
    x1, y1 = (1.04 * max(values, default=0.0) or 1.0 for values in (xs, ys))

    def place(x: float, y: float) -> Point:
        across = _LEFT + (_WIDTH - _LEFT - 40) * (x - x0) / (x1 - x0)
        return round(across, 1), round(bottom - (bottom - top) * (y - y0) / (y1 - y0), 1)

    parts = [_text(16, 22, title, size=14), *legend, _text(_LEFT - 6, top - 10, axes[1], anchor="end")]
    for value in _ticks(y0, y1):
        y = place(x0, value)[1]
        parts.append(f'<path d="M{_LEFT} {y}H{_WIDTH - 40}" stroke="{_GRID}" fill="none"/>')
        parts.append(_text(_LEFT - 6, y + 4, f"{value:,.4g}", anchor="end"))
    parts += [_text(place(value, y0)[0], bottom + 18, f"{value:,.4g}", anchor="middle") for value in _ticks(x0, x1)]
    parts.append(_text(_WIDTH - 40, bottom + 36, axes[0], anchor="end"))
    taken: list[float] = []
    for name, some in groups.items():
        for px, py, words in some:
            x, y = place(px, py)
            parts.append(f'<circle cx="{x}" cy="{y}" r="4.5" fill="{fill[name]}" fill-opacity=".75"/>')
            if words:
                # Above its point or below it, at the first height that no words have taken yet.
                line = next(y + d for d in (-8, 16, -21, 29, *range(42, 400, 13)) if _free(y + d, taken))
                taken.append(line)
                parts.append(_text(x + 5, line, words, anchor="end" if x > _WIDTH / 2 else "start"))
    return _svg(title, round(bottom + 48), parts)


def intervals(title: str, rows: Mapping[str, Mapping[str, Span]]) -> str:
    """For each row a dot and its interval by series, one scale for all, with a line at 0."""
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    fill = dict(zip(names, _INKS, strict=False))
    legend, top = _legend(fill)
    first, last = 120.0, _WIDTH - 30.0
    ends = [end for row in rows.values() for span in row.values() for end in span]
    low, high = min(0.0, *ends), max(0.0, *ends) or 1.0
    step = 6 + 11 * len(names)
    bottom = top + 8 + step * len(rows)

    def place(value: float) -> float:
        return round(first + (last - first) * (value - low) / (high - low), 1)

    parts = [_text(16, 22, title, size=14), *legend]
    for value in _ticks(low, high):
        ink = _FAINT if value == 0 else _GRID
        parts.append(f'<path d="M{place(value)} {top + 4}V{bottom}" stroke="{ink}" fill="none"/>')
        parts.append(_text(place(value), bottom + 16, f"{value:+,.4g}" if value else "0", anchor="middle"))
    for i, (name, row) in enumerate(rows.items()):
        y = top + 8 + step * i
        parts.append(_text(first - 14, y + step / 2 + 2, name, anchor="end"))
        for series, (value, start, end) in row.items():
            middle = y + 8 + 11 * names.index(series)
            ink = fill[series]
            parts.append(f'<path d="M{place(start)} {middle}H{place(end)}" stroke="{ink}" stroke-width="2"/>')
            parts.append(f'<circle cx="{place(value)}" cy="{middle}" r="4" fill="{ink}"/>')
    return _svg(title, bottom + 28, parts)


def _free(line: float, taken: Iterable[float]) -> bool:
    return all(abs(line - other) >= 12 for other in taken)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers from `low` to `high`, with 0 among them where it lies between: three to seven of them."""
    about = (high - low) / 6
    size = 10.0 ** math.floor(math.log10(about))
    step = next(size * many for many in (1, 2, 5, 10) if size * many >= about)
    return [round(i * step, 10) for i in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _ends(parts: Mapping[str, float]) -> Point:
    """How far to the left and to the right a bar of these parts reaches."""
    return sum(v for v in parts.values() if v < 0), sum(v for v in parts.values() if v > 0)


def _legend(fill: Mapping[str, str]) -> tuple[list[str], int]:
    """A square and a name for each colour, in as many lines as it takes; and where the chart may begin."""
    parts, x, y = [], 16.0, 44
    for name, ink in fill.items():
        wide = 24 + _LETTER * _columns(name)
        if x + wide > _WIDTH - 16:
            x, y = 16.0, y + 18
        parts.append(f'<rect x="{x:.0f}" y="{y - 9}" width="10" height="10" rx="2" fill="{ink}"/>')
        parts.append(_text(round(x + 14), y, name))
        x += wide + 8
    return parts, y + 10


def _columns(words: Iterable[str]) -> int:
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in words)


def _cut(words: str, columns: int) -> str:
    """The beginning of a text that is too long, by columns as a terminal counts them."""
    if _columns(words) <= columns:
        return words
    while _columns(words) >= columns:
        words = words[:-1]
    return words.rstrip() + "…"


def _svg(title: str, height: int, parts: Iterable[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
        f'style="max-width:100%;height:auto" font-family="ui-sans-serif,system-ui,sans-serif" role="img" '
        f'aria-label="{escape(title)}"><rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>'
        + "".join(parts)
        + "</svg>\n"
    )


def _text(x: float, y: float, words: str, *, anchor: str = "start", size: int = 11, ink: str = _TEXT) -> str:
    place = f'x="{x}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{ink}"'
    return f"<text {place}>{escape(words)}</text>" if words else ""
