"""Charts as SVG, without a plotting library: pictures for the docs and the notebooks.

Each function takes numbers by name and gives back one `<svg>` element as text, the same for the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from unicodedata import east_asian_width

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 720, 360, 64, 44, 150, 40
_INKS = ("#1f4e8c", "#1a7f4b", "#b35900", "#8a8f98")
_FILLS = (
    *("#1f4e8c", "#4f86c6", "#a3c4e8", "#1a7f4b", "#86c7a3", "#b35900"),
    *("#e0a458", "#7b4fa3", "#bfa3d6", "#c8b900", "#d1495b", "#5b6470"),
)
_TEXT, _FAINT, _GRID = "#1f2328", "#656d76", "#e5e7eb"
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
    for share in (0.0, 0.5, 1.0):
        x0, y0 = place(0, top * share)
        parts.append(f'<path d="M{x0} {y0}H{_WIDTH - _RIGHT}" stroke="{_GRID}" fill="none"/>')
        parts.append(_text(x0 - 6, y0 + 4, f"{top * share:,.4g}", anchor="end"))
        parts.append(
            _text(place(right * share, 0)[0], _HEIGHT - _BOTTOM + 18, f"{right * share:,.0f}", anchor="middle")
        )
    parts.append(_text(_LEFT - 6, _TOP - 10, unit, anchor="end"))
    # Right of where the last number ends.
    parts.append(_text(_WIDTH - _RIGHT + 8 + 3 * len(f"{right:,.0f}"), _HEIGHT - _BOTTOM + 18, across))
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

    The number after a bar is the sum. A part has the same colour in every row and stands in the legend when any row has
    it; a part has its place by the first row that names it. `mark` is a line across all rows, with its name. There are
    twelve colours; more parts begin with the first again.
    """
    names = [n for n in dict.fromkeys(n for _, parts in rows for n in parts) if any(p.get(n) for _, p in rows)]
    fill = {name: _FILLS[i % len(_FILLS)] for i, name in enumerate(names)}
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
        drawn.append(_text(place(right) + 6, y + 30, f"{left + right:.2f}", ink=_FAINT))
        y += 42
    drawn.append(f'<path d="M{place(0)} {top}V{y}" stroke="{_FAINT}" fill="none"/>')
    if mark:
        x = place(mark[1])
        drawn.append(f'<path d="M{x} {top}V{y}" stroke="#d1495b" stroke-dasharray="4 3" fill="none"/>')
        drawn.append(_text(x, top - 6, f"{mark[0]} {mark[1]:.2f}", anchor="middle", ink="#d1495b"))
    return _svg(title, y + 8, [_text(16, 22, title, size=14), *legend, *drawn])


def points(title: str, axes: tuple[str, str], groups: Mapping[str, Sequence[tuple[float, float, str]]]) -> str:
    """Points (x, y, words beside it) by group, on scales that begin at 0 or below; `axes` name x and y."""
    fill = dict(zip(groups, _INKS, strict=False))
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
    for share in (0.0, 0.5, 1.0):
        x, y = place(x0 + (x1 - x0) * share, y0 + (y1 - y0) * share)
        parts.append(f'<path d="M{_LEFT} {y}H{_WIDTH - 40}" stroke="{_GRID}" fill="none"/>')
        parts.append(_text(_LEFT - 6, y + 4, f"{y0 + (y1 - y0) * share:.2f}", anchor="end"))
        parts.append(_text(x, bottom + 18, f"{x0 + (x1 - x0) * share:.2f}", anchor="middle"))
    parts.append(_text(_WIDTH - 40, bottom + 36, axes[0], anchor="end"))
    for name, some in groups.items():
        for px, py, words in some:
            x, y = place(px, py)
            parts.append(f'<circle cx="{x}" cy="{y}" r="4.5" fill="{fill[name]}" fill-opacity=".75"/>')
            left = x > _WIDTH - _RIGHT
            parts.append(_text(x - 8 if left else x + 8, y + 4, words, anchor="end" if left else "start"))
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
    for value in sorted({low, 0.0, high / 2, high}):
        ink = _FAINT if value == 0 else _GRID
        parts.append(f'<path d="M{place(value)} {top + 4}V{bottom}" stroke="{ink}" fill="none"/>')
        parts.append(_text(place(value), bottom + 16, f"{value:+.3f}" if value else "0", anchor="middle"))
    for i, (name, row) in enumerate(rows.items()):
        y = top + 8 + step * i
        parts.append(_text(first - 14, y + step / 2 + 2, name, anchor="end"))
        for series, (value, start, end) in row.items():
            middle = y + 8 + 11 * names.index(series)
            ink = fill[series]
            parts.append(f'<path d="M{place(start)} {middle}H{place(end)}" stroke="{ink}" stroke-width="2"/>')
            parts.append(f'<circle cx="{place(value)}" cy="{middle}" r="4" fill="{ink}"/>')
    return _svg(title, bottom + 28, parts)


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
