"""Sweeping: a user's current memories are judged by `memory.forgetting`, and what it says ends, ends.

One transaction a user, and one event of kind "sweep" for all that it ended; a sweep that ends nothing leaves no trace.
Nothing is deleted: what was ended stays readable as of then, and `restore` brings it back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Any

from sqlalchemy import Connection, insert, select

from memory.forgetting import Ending, Forgetting, plan, strength
from memory.record import OPEN, stable_id
from stores import schema, standings
from stores.database import tick
from stores.ledger import Ledger
from stores.rows import moment
from stores.traces import Found, traces_of


@dataclass(frozen=True)
class Swept:
    """One memory that a sweep ended, or would end: why, how strong it was, and when it was last used, if ever."""

    memory_id: str
    user_id: str
    kind: str
    text: str
    why: str
    reason: str
    strength: float
    said: datetime
    last_used: datetime | None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON; times as ISO 8601."""
        used = self.last_used.isoformat() if self.last_used else None
        return {**vars(self), "said": self.said.isoformat(), "last_used": used}


@dataclass(frozen=True, repr=False)
class Sweep:
    """What a sweep ended, or with `dry_run` would end, oldest first. `now` is the moment it judged by."""

    now: datetime
    dry_run: bool
    ended: tuple[Swept, ...]

    def __repr__(self) -> str:
        return f"<Sweep: {'would end' if self.dry_run else 'ended'} {len(self.ended)}>"

    def to_dicts(self) -> list[dict[str, Any]]:
        """One row a memory."""
        return [s.to_dict() for s in self.ended]

    def _repr_html_(self) -> str:
        """A table for a notebook."""
        if not self.ended:
            return "<p>nothing to end</p>"
        rows = "".join(
            f"<tr><td>{escape(s.kind)}</td><td>{escape(s.text)}</td><td>{escape(s.reason)}</td>"
            f"<td>{s.strength:.2f}</td></tr>"
            for s in self.ended
        )
        heading = "<tr><th>kind</th><th>memory</th><th>why</th><th>strength</th></tr>"
        return f"<table style='text-align: left'>{heading}{rows}</table>"


def users(conn: Connection) -> list[str]:
    """Those who have any memory that is current, in order."""
    i = schema.intervals
    return list(conn.scalars(select(i.c.user_id).where(i.c.end == OPEN).distinct().order_by(i.c.user_id)))


def sweep_user(ledger: Ledger, user_id: str, now: datetime, settings: Forgetting, *, dry_run: bool) -> list[Swept]:
    """End what a sweep of this user's memories ends at `now`; a dry run only reads."""
    at = round(now.timestamp() * 1000)
    opened: Callable[[], Any] = ledger.database.read if dry_run else ledger.database.write
    with opened() as conn:
        found = traces_of(conn, user_id)
        endings = plan(found.traces, at, settings)
        if endings and not dry_run:
            _end(conn, user_id, endings, found, tick(conn, ledger.database.clock))
    return [_swept(user_id, e, found.texts[e.trace.id], strength(e.trace, at, settings)) for e in endings]


def _swept(user_id: str, ending: Ending, text: str, strong: float) -> Swept:
    trace = ending.trace
    used = None if trace.used is None else moment(trace.used)
    strong = round(strong, 4)
    return Swept(trace.id, user_id, trace.kind, text, ending.why, ending.reason, strong, moment(trace.said), used)


def _end(conn: Connection, user_id: str, endings: Sequence[Ending], found: Found, t: int) -> None:
    event_id = stable_id("sweep", user_id, t)
    note = f"ended {len(endings)}"
    row = {"id": event_id, "user_id": user_id, "recorded_at": t, "kind": "sweep", "note": note}
    conn.execute(insert(schema.events).values(row))
    rows = [
        {"record_id": i, "event_id": event_id, "standing": e.standing, "reason": e.reason, "kept": e.kept}
        for e in endings
        for i in found.records[e.trace.id]
    ]
    conn.execute(insert(schema.ended), rows)
    standings.refold_records(conn, [e.trace.id for e in endings], t)
