"""Lines over turns as an SVG, without a plotting library: a picture for the docs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 720, 360, 64, 44, 150, 40
_INKS = ("#1f4e8c", "#1a7f4b", "#b35900", "#8a8f98")


def lines(title: str, unit: str, series: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """A chart of points (turns, value) by name, on one scale from 0; each line is named where it ends."""
    right = max((x for points in series.values() for x, _ in points), default=1.0)
    top = max((y for points in series.values() for _, y in points), default=1.0) or 1.0

    def place(x: float, y: float) -> tuple[float, float]:
        across = _LEFT + (_WIDTH - _LEFT - _RIGHT) * x / right
        return round(across, 1), round(_HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * y / top, 1)

    parts = [f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>', _text(_LEFT, 22, title, size=14)]
    for share in (0.0, 0.5, 1.0):
        x0, y0 = place(0, top * share)
        parts.append(f'<path d="M{x0} {y0}H{_WIDTH - _RIGHT}" stroke="#e5e7eb" fill="none"/>')
        parts.append(_text(x0 - 6, y0 + 4, f"{top * share:,.4g}", anchor="end"))
        parts.append(
            _text(place(right * share, 0)[0], _HEIGHT - _BOTTOM + 18, f"{right * share:,.0f}", anchor="middle")
        )
    parts.append(_text(_LEFT - 6, _TOP - 10, unit, anchor="end"))
    parts.append(_text(_WIDTH - _RIGHT + 8, _HEIGHT - _BOTTOM + 18, "turns"))
    lowest = float(_HEIGHT)
    ends = sorted(series.items(), key=lambda named: -named[1][-1][1] if named[1] else 0.0, reverse=True)
    for (name, points), ink in zip(ends, _INKS, strict=False):
        way = "L".join(f"{x} {y}" for x, y in (place(*point) for point in points))
        parts.append(f'<path d="M{way}" stroke="{ink}" stroke-width="2" fill="none"/>')
        lowest = min(place(*points[-1])[1] + 4, lowest - 16)
        parts.append(_text(_WIDTH - _RIGHT + 8, lowest, name, ink=ink))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        f'font-family="ui-sans-serif,system-ui,sans-serif" role="img" aria-label="{escape(title)}">'
        + "".join(parts)
        + "</svg>\n"
    )


def _text(x: float, y: float, words: str, *, anchor: str = "start", size: int = 11, ink: str = "#1f2328") -> str:
    place = f'x="{x}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{ink}"'
    return f"<text {place}>{escape(words)}</text>"
