"""Writing the transcript: every message once, in the order in which it was said, with its spelling for the search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, insert, select

from memory.record import Utterance
from stores import schema
from stores.rows import iso
from stores.transcript import keep_spellings

_M = schema.messages


def transcribe(conn: Connection, thread_id: str, user_id: str, turn_id: str, said: Sequence[Utterance], t: int) -> int:
    """Write what a thread's transcript does not have yet, at ledger time `t`; returns how many messages that was."""
    known = {row.message_id for row in transcribed(conn, thread_id, [u.message_id for u in said])}
    fresh = [u for u in said if u.message_id not in known]
    if not fresh:
        return 0
    last = conn.execute(_LAST, {"thread": thread_id}).scalar_one()
    first = 0 if last is None else last + 1
    rows = [
        {
            "thread_id": thread_id,
            "message_id": u.message_id,
            "user_id": user_id,
            "ordinal": first + i,
            "speaker": u.speaker,
            "text": u.text,
            "said_at": iso(u.said_at),
            "turn_id": turn_id,
            "recorded_at": t,
        }
        for i, u in enumerate(fresh)
    ]
    conn.execute(insert(_M), rows)
    keep_spellings(conn, rows)
    return len(rows)


def transcribed(conn: Connection, thread_id: str, message_ids: Iterable[str]) -> Sequence[Row[Any]]:
    """The transcript's rows of some messages of a thread; none for those that it does not have."""
    wanted = sorted(message_ids)
    if not wanted:
        return []
    return conn.execute(_THESE, {"thread": thread_id, "ids": wanted}).all()


# Made once, as every turn runs them: to make a statement takes longer than to run it.
_LAST = select(func.max(_M.c.ordinal)).where(_M.c.thread_id == bindparam("thread"))
_THESE = select(_M).where(_M.c.thread_id == bindparam("thread"), _M.c.message_id.in_(bindparam("ids", expanding=True)))
