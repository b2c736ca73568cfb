"""Rows of the ledger to values of memory and back. No rule lives here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from typing import Any

from memory.record import OPEN, Interval, Memory, Standing

_DEFAULTS = {f.name: f.default for f in fields(Memory)}
_TIMES = ("said_at", "expires_at")
_TUPLES = ("message_ids", "sources", "tags", "near")


def moment(t: int) -> datetime:
    """Ledger time as an aware time in UTC."""
    return datetime.fromtimestamp(t / 1000, UTC)


def iso(when: datetime | None) -> str | None:
    """An aware time as ISO 8601 with its offset."""
    return when.isoformat() if when else None


def parse_time(text: str | None) -> datetime | None:
    """The inverse of `iso`."""
    return datetime.fromisoformat(text) if text else None


def said_ms(said_at: datetime | None, recorded_at: int) -> float:
    """When something was said, in milliseconds; its ledger time where that is unknown."""
    return said_at.timestamp() * 1000 if said_at else recorded_at


def record_row(memory: Memory, origin: str, ordinal: int) -> dict[str, Any]:
    """The row of `records` that keeps this memory, at its place among those of its origin."""
    row = memory.to_dict()
    for derived in ("standing", "intervals"):
        del row[derived]
    return {**row, "origin": origin, "ordinal": ordinal}


def memory_of(row: Mapping[Any, Any], intervals: Iterable[Interval] = (), standing: Standing = "current") -> Memory:
    """The memory that a row of `records`, or an index value, keeps. Raises `KeyError` without what every record has."""
    # Past the constructor: that of a frozen class takes six microseconds, and a recall may read two hundred records.
    memory = object.__new__(Memory)
    kept = vars(memory)
    for name, default in _DEFAULTS.items():
        kept[name] = row[name] if default is MISSING else row.get(name, default)
    for name in _TIMES:
        if kept[name] is not None:
            kept[name] = datetime.fromisoformat(kept[name])
    for name in _TUPLES:
        kept[name] = tuple(kept[name] or ())
    kept["spans"] = tuple(map(tuple, kept["spans"] or ()))
    kept["intervals"], kept["standing"] = tuple(intervals), standing
    return memory


def index_value(memory: Memory, interval: Interval, standing: str | None) -> dict[str, Any]:
    """What Qdrant keeps of one interval of a record: flat fields that filters use, beside the record itself."""
    value = memory.to_dict()
    for derived in ("intervals", "recorded_at", "held"):
        del value[derived]
    return {
        **{k: v for k, v in value.items() if v not in (None, [], ())},
        "recorded_at": memory.recorded_at,
        "near": list(memory.near),
        "start": interval.start,
        "end": interval.end,
        "standing": standing or "current",
        "said_ms": int(memory.said_at.timestamp() * 1000) if memory.said_at else memory.recorded_at,
        "expires_ms": int(memory.expires_at.timestamp() * 1000) if memory.expires_at else OPEN,
    }
