"""Words that a turn asked to have forgotten ("forget my address"): they end with the facts that were read from them.

Such a request is a statement of its commit, so it counts while that commit does: on another branch, or when the turn is
undone, the words are there again. A person's own `forget` (`stores.people`) is an event, which no fork takes back. The
transcript keeps both: it shows the conversation as it was held.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, literal_column, select

from memory.attributes import value_key
from memory.fold import Ended
from memory.record import OPEN
from stores import schema
from stores.database import batches
from stores.rows import parse_time, said_ms

_S, _R, _L = schema.statements, schema.records, schema.lives
# Written out: SQLite uses an index on a part of a table only where it can see the condition.
_ASKS = _S.c.op == literal_column("'forget'")


def asked(conn: Connection, rows: Sequence[Row[Any]], as_of: int | None = None) -> dict[str, Ended]:
    """Which of these records are words that a live turn asked to forget, and its commit. Said later, they stand.

    As of a ledger time: a turn that was live then.
    """
    moment = OPEN - 1 if as_of is None else as_of
    found: dict[str, Ended] = {}
    for request in conn.execute(_LIVE, {"users": sorted({r.user_id for r in rows}), "moment": moment}).all():
        facts = _facts(conn, request)
        how = Ended("retracted", request.origin)
        found |= {row.id: how for row in rows if any(_cites(fact, row, request) for fact in facts)}
    return found


# Made once: every turn asks it, and to make it takes longer than to run it.
_LIVE = (
    select(_S)
    .join(_L, _L.c.origin == _S.c.origin)
    .where(
        _ASKS,
        _S.c.user_id.in_(bindparam("users", expanding=True)),
        _L.c.start <= bindparam("moment"),
        _L.c.end > bindparam("moment"),
    )
)


def touched(conn: Connection, origins: Collection[str]) -> set[str]:
    """The origins of the words that requests to forget among these origins are about."""
    found: set[str] = set()
    for some in batches(origins):
        for request in conn.execute(select(_S).where(_S.c.origin.in_(some), _ASKS)).all():
            for fact in _facts(conn, request):
                # Facts may have been read by a later commit than the one that has their words.
                words = select(_R).where(
                    _R.c.user_id == fact.user_id, _R.c.kind == "episode", _R.c.thread_id == fact.thread_id
                )
                found |= {row.origin for row in conn.execute(words) if _cites(fact, row, request)}
    return found


def _facts(conn: Connection, request: Row[Any]) -> list[Row[Any]]:
    """The facts that a request is about: of its slot, with its value where it names one, said before it."""
    slot = (_R.c.user_id == request.user_id, _R.c.subject == request.subject, _R.c.attribute == request.attribute)
    rows = conn.execute(select(_R).where(*slot)).all()
    key = value_key(request.value) if request.value else None
    return [r for r in rows if _before(r, request) and key in (None, value_key(r.value or ""))]


def _cites(fact: Row[Any], row: Row[Any], request: Row[Any]) -> bool:
    same_place = fact.thread_id == row.thread_id or fact.turn_id == row.turn_id
    same_user = fact.user_id == row.user_id
    same_words = {*(fact.message_ids or ())} & {*(row.message_ids or ())}
    return bool(same_user and same_place and same_words and _before(row, request))


def _before(row: Row[Any], request: Row[Any]) -> bool:
    return said_ms(parse_time(row.said_at), row.recorded_at) < int(request.at)
