"""Reading JSON out of whatever a model replied: forgiving, bounded, and inventing nothing."""

from __future__ import annotations

import json
import re
from typing import Any

MAX_REPLY = 400_000
"""Characters of a reply that are read; a whole answer to the prompt has a few thousand."""


class WrittenNumber(str):
    """A JSON number as it is written."""


# NaN and Infinity are nothing. Line ends inside strings are let through.
_DECODER = json.JSONDecoder(
    strict=False, parse_int=WrittenNumber, parse_float=WrittenNumber, parse_constant=lambda _: None
)
_START = re.compile(r"[{\[]")
_FACTS_HEAD = re.compile(r'\{\s*"facts"\s*:\s*\[')
_GAP = re.compile(r"[\s,]*")
_TRAILING_COMMA = re.compile(r'"(?:[^"\\]|\\.?)*+(?:"|\Z)|,(?=\s*[}\]])', re.DOTALL)
_REASONED = re.compile(r"</(?:think|thinking|thought|reasoning|reflection)\s*>", re.IGNORECASE)
_REASONS = re.compile(r"\s*<(?:think|thinking|thought|reasoning|reflection)\b", re.IGNORECASE)
_MAX_ATTEMPTS, _MAX_WORK, _REPAIRED = 2000, 10_000_000, 20_000


def items_in(reply: str) -> tuple[list[Any] | None, int]:
    """The items that a reply lists as facts, None when there is no such list, and how many objects were unreadable.

    Passed over: prose and code fences around, and reasoning, which ends at the last closing tag that stands in no JSON
    string. Several objects are one list; a list that is cut off or broken gives the items that are whole.
    """
    text = reply[:MAX_REPLY]
    values, broken = _values(text)
    begin = 0
    if not re.match(r"\s*(?:[{\[]|```)", text):
        ends = [m.end() for m in _REASONED.finditer(text) if not any(a <= m.start() < b for a, b, _ in values)]
        begin = ends[-1] if ends else len(text) if _REASONS.match(text) else 0
    lists = [_listed(value) for start, _, value in values if start >= begin]
    read = [items for items in lists if items is not None]
    items = [item for listed in read for item in listed]
    return (items if read else None), sum(at >= begin for at in broken)


def _values(text: str) -> tuple[list[tuple[int, int, Any]], list[int]]:
    """The outermost JSON values in a text with their ranges, and where objects began that could not be read."""
    values: list[tuple[int, int, Any]] = []
    broken: list[int] = []
    at = work = attempts = 0
    while attempts < _MAX_ATTEMPTS and work < _MAX_WORK and (m := _START.search(text, at)):
        start = m.start()
        end, value, spent = _decoded(text, start)
        if end:
            values.append((start, end, value))
            at = end
            continue
        attempts, work, at = attempts + 1, work + spent, start + 1
        if head := _FACTS_HEAD.match(text, start):
            pieces, at, spent = _pieces(text, head.end())
            values += pieces
            work += spent
        elif text.startswith('"', _GAP.match(text, start + 1).end()):  # type: ignore[union-attr]  # it matches nothing too
            broken.append(start)
    return values, broken


def _pieces(text: str, at: int) -> tuple[list[tuple[int, int, Any]], int, int]:
    """The elements of a list one by one, up to the first that cannot be read, where that is, and the work on it."""
    pieces: list[tuple[int, int, Any]] = []
    while True:
        at = _GAP.match(text, at).end()  # type: ignore[union-attr]  # it matches nothing too
        end, value, spent = _decoded(text, at) if text[at : at + 1] in ("{", '"') else (0, None, 0)
        if not end:
            return pieces, at, spent
        pieces.append((at, end, {"facts": [value]}))
        at = end


def _decoded(text: str, start: int) -> tuple[int, Any, int]:
    """Where the JSON value at `start` ends (0: it is none), the value, and how many characters were looked at."""
    try:
        value, end = _DECODER.raw_decode(text, start)
        return end, value, end - start
    except json.JSONDecodeError as error:
        spent = (len(text) if error.msg.startswith("Unterminated") else error.pos) - start
    except (ValueError, RecursionError):
        return 0, None, len(text) - start
    # A comma before a closing bracket becomes a space: the same length, so positions hold.
    piece = text[start : start + _REPAIRED]
    fixed = _TRAILING_COMMA.sub(lambda m: " " if m[0] == "," else m[0], piece)
    if fixed != piece:
        try:
            value, end = _DECODER.raw_decode(fixed)
            return start + end, value, spent + end
        except (ValueError, RecursionError):
            pass
    return 0, None, spent + len(piece)


def _listed(value: Any) -> list[Any] | None:
    """The facts that a JSON value holds, None for one that is about something else."""
    if isinstance(value, list):
        return value if all(isinstance(item, dict) for item in value) else None
    if not isinstance(value, dict):
        return None
    for holder in (value, *(v for v in value.values() if isinstance(v, dict))):  # or the arguments of a written call
        if "facts" in holder:
            facts = holder["facts"]
            return facts if isinstance(facts, list) else [] if facts is None else [facts]
    return [value] if value.keys() & {"action", "attribute"} else None
