"""How the command line shows a recall: its results with their signals, what came near, and why there is nothing."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from cli.output import out, show_table
from memory.text import Language
from stores.recall import Recall

_TEXT = 200
"""Characters of a memory that a row shows."""


def recall_json(found: Recall, explain: bool) -> dict[str, Any]:
    """A recall as JSON; with `explain` also its near misses."""
    near = {"near_misses": [n.to_dict() for n in found.near_misses]} if explain else {}
    return {**found.to_state(), "advice": found.advice, **near}


_WITHIN: dict[Language, str] = {"en": "Only what was said {}.", "zh": "只看这段时间里说过的：{}。"}


def show_recall(found: Recall, explain: bool, language: Language) -> None:
    """Print the results, or why there are none; with `explain` every signal that says something, and near misses.

    `language` is that of the question.
    """
    if found.within and found.results:
        out.print(Text(_WITHIN[language].format(found.within.sentence(language)), style="dim"))
    rows = [{**r, "text": r["text"][:_TEXT]} for r in found.to_dicts()]
    columns = {"score": "score", "kind": "kind", "text": "memory", "reason": "why"}
    if explain:
        signals = dict.fromkeys(name for r in found.results for name, value in r.signals.items() if value)
        columns = {"score": "score", **{name: name for name in signals}, "kind": "kind", "text": "memory"}
    show_table(rows, columns, found.advice or found.empty or "")
    if found.degraded:
        out.print(found.degraded, style="yellow", markup=False)
    if not explain:
        return
    for place, result in enumerate(found.results, 1):
        out.print(
            Text(f"{place}. ", style="bold")
            + Text(result.memory.text[:_TEXT])
            + Text(f"  {result.reason}", style="dim")
        )
    out.print(Text("\nNear misses", style="bold"))
    near = [{**n.to_dict(), "id": n.memory.id[:8], "text": n.memory.text[:_TEXT]} for n in found.near_misses]
    headings = {"why": "why not", "id": "id", "kind": "kind", "text": "memory", "reason": "reason"}
    show_table(near, headings, "Nothing came near.")
