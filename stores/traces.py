"""What the ledger knows of a memory's use: the traces that `memory.forgetting` judges by. It only reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, func, select, tuple_

from memory.attributes import value_key
from memory.forgetting import DAY, Forgetting, Trace, needs_confirming
from memory.record import OPEN, Memory
from memory.tokens import estimate_tokens
from stores import schema
from stores.rows import parse_time
from stores.waiting import facts_that_wait

ALONE = 8
"""Tokens from which words say the same wherever they stand; what a "no, I don't" says is in the question before it."""

_R, _I, _S, _E, _U, _LIVES = (
    schema.records,
    schema.intervals,
    schema.statements,
    schema.events,
    schema.uses,
    schema.lives,
)

Claim = tuple[str | None, str | None, str, int]
"""What a fact says: subject, attribute, value (as values are compared) and polarity."""


@dataclass(frozen=True)
class Found:
    """A user's current memories: their traces in the order of the ledger, their texts, and for each the records that
    say it: itself, and the live ones that confirm a fact. What waits for a person is none of them: no sweep is about
    it."""

    traces: list[Trace]
    texts: dict[str, str]
    records: dict[str, list[str]]


def _claim(row: Any) -> Claim:
    return row.subject, row.attribute, value_key(row.value or ""), row.polarity


def traces_of(conn: Connection, user_id: str) -> Found:
    """The traces of everything that is current for a user."""
    query = (
        select(
            *(_R.c[name] for name in ("id", "kind", "text", "subject", "attribute", "value", "polarity")),
            *(_R.c[name] for name in ("importance", "speaker", "recorded_at", "expires_at")),
        )
        .join(_I, _I.c.record_id == _R.c.id)
        .where(_I.c.user_id == user_id, _I.c.end == OPEN)
        .order_by(_R.c.recorded_at, _R.c.ordinal)
    )
    rows = conn.execute(query).all()
    said = _said(conn, _statements(OPEN - 1).where(_S.c.user_id == user_id), facts_that_wait(conn, user_id))
    used = _used(conn, _U.c.user_id == user_id, OPEN - 1)
    brought_back = _brought_back(conn, user_id)
    often = Counter(row.text for row in rows)
    traces, records = [], {}
    for row in rows:
        saying = said.get(_claim(row), []) if row.kind == "fact" else []
        records[row.id] = [r for r, _ in saying] or [row.id]
        back = [brought_back[r] for r in records[row.id] if r in brought_back]
        last = max([row.recorded_at, *back, *(at for _, at in saying)])
        uses = [used[r] for r in records[row.id] if r in used]
        says: Any = None
        if row.kind == "fact":
            says = ("fact", value_key(row.subject or ""), *_claim(row)[1:])
        elif often[row.text] > 1 and estimate_tokens(row.text) >= ALONE:
            says = (row.kind, row.speaker, row.text)
        traces.append(_trace(row, last, max(uses, default=None), says))
    return Found(traces, {row.id: row.text for row in rows}, records)


def _trace(row: Any, said: int, used: int | None, says: Any = None) -> Trace:
    expires = row.expires_at if isinstance(row.expires_at, datetime | None) else parse_time(row.expires_at)
    return Trace(
        id=row.id,
        kind=row.kind,
        importance=row.importance,
        said=said,
        used=used,
        expires=round(expires.timestamp() * 1000) if expires else None,
        says=says,
        attribute=row.attribute,
    )


def old_facts(memories: Iterable[Memory], now: int, settings: Forgetting) -> list[Memory]:
    """Those current ones that are to be confirmed unless they were said again or used since they were recorded."""
    old = now - round(settings.age_days * DAY)
    facts = (m for m in memories if m.kind == "fact" and m.standing == "current" and m.recorded_at <= old)
    return [m for m in facts if needs_confirming(_trace(m, m.recorded_at, None), now, settings)]


def to_confirm(conn: Connection, facts: Sequence[Memory], now: int, settings: Forgetting, as_of: int) -> frozenset[str]:
    """Which of some old facts are to be confirmed at `now`, by what the ledger knew at `as_of`."""
    slots = {(m.user_id, m.subject, m.attribute) for m in facts}
    said = _said(conn, _statements(as_of).where(tuple_(_S.c.user_id, _S.c.subject, _S.c.attribute).in_(sorted(slots))))
    saying = {m.id: said.get(_claim(m), []) for m in facts}
    wanted = {m.id for m in facts} | {r for said in saying.values() for r, _ in said}
    used = _used(conn, _U.c.memory_id.in_(sorted(wanted)), as_of)
    doubtful = []
    for m in facts:
        last = max([m.recorded_at, *(at for _, at in saying[m.id])])
        uses = [used[r] for r in {m.id, *(r for r, _ in saying[m.id])} if r in used]
        if needs_confirming(_trace(m, last, max(uses, default=None)), now, settings):
            doubtful.append(m.id)
    return frozenset(doubtful)


def _statements(t: int) -> Select[Any]:
    """The statements that assert something and whose origin counts at a ledger time."""
    live = and_(_LIVES.c.origin == _S.c.origin, _LIVES.c.start <= t, _LIVES.c.end > t)
    columns = (_S.c.id, _S.c.subject, _S.c.attribute, _S.c.value, _S.c.polarity, _S.c.recorded_at)
    return select(*columns).join(_LIVES, live).where(_S.c.asserts, _S.c.recorded_at <= t)


def _said(conn: Connection, query: Select[Any], but: Collection[str] = ()) -> dict[Claim, list[tuple[str, int]]]:
    """Records and their ledger times by what they say, in order; all but some."""
    out: dict[Claim, list[tuple[str, int]]] = {}
    for row in conn.execute(query.order_by(_S.c.recorded_at, _S.c.ordinal)):
        if row.id not in but:
            out.setdefault(_claim(row), []).append((row.id, row.recorded_at))
    return out


def _used(conn: Connection, which: ColumnElement[bool], t: int) -> dict[str, int]:
    """When memories were last recalled."""
    last = func.max(_U.c.recorded_at).label("last")
    rows = conn.execute(select(_U.c.memory_id, last).where(which, _U.c.recorded_at <= t).group_by(_U.c.memory_id))
    return {row.memory_id: row.last for row in rows}


def _brought_back(conn: Connection, user_id: str) -> dict[str, int]:
    """When a person last brought memories back, from where they had ended or waited."""
    mine = select(_E.c.target, func.max(_E.c.recorded_at).label("last")).where(
        _E.c.user_id == user_id, _E.c.kind.in_(("restore", "release"))
    )
    return {row.target: row.last for row in conn.execute(mine.group_by(_E.c.target))}
