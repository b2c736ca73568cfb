"""Looking for words in what was said, on all threads at once.

The spelling of every message (`memory.spelling`) is kept in a table of its own, written by the commit that writes the
message, and a word is found where its spelling is a part of that: the same comparison on every database, with no
extension and no query syntax. The newest messages are looked at first, and no more of them than a page needs; a word
that nobody said takes a look at all of a user's (about 0.1 s for 100,000 messages of 300 bytes).

What people forgot is not found, nor what was said in a deleted thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, func, insert, select

from memory.spelling import excerpt, query_words, spelled
from stores import schema
from stores.rows import iso, moment

# Enough to leave few rows to look at, and within every database's limits however much is pasted into a query.
_WORDS, _CHARS = 8, 200
_ROWS = 256


def keep_spellings(conn: Connection, messages: Sequence[Mapping[str, Any]]) -> None:
    """Write the spellings of new rows of `messages`, in the order in which they were said."""
    names = ("user_id", "thread_id", "message_id")
    rows = [{**{name: row[name] for name in names}, "spelled": spelled(row["text"])} for row in messages]
    conn.execute(insert(schema.spellings), rows)


def search_transcript(
    conn: Connection, text: str, user_id: str | None = None, limit: int = 50, offset: int = 0
) -> list[dict[str, Any]]:
    """Messages that hold every word of `text`, newest first, from the `offset`th on; None is every user's.

    Any string may be asked; one without a visible character finds nothing. Each is a message of the transcript (see
    `stores.views.transcript`) with its `user_id` and a `snippet`: one line around the first hit, the hits marked.
    `said_at` is its own time, or that of its commit, always with an offset.
    """
    words = query_words(text)
    if not words:
        return []
    query = _holding(conn, words)
    if user_id is not None:
        query = query.where(schema.spellings.c.user_id == user_id)
    with conn.execute(query, execution_options={"yield_per": _ROWS}) as rows:
        found = (row for row in rows if all(word in row.spelled for word in words))
        return [_hit(row, words) for row in islice(found, offset, offset + limit)]


def _holding(conn: Connection, words: Sequence[str]) -> Select[Any]:
    """The messages that may hold these words: what is too long for a query is left to the reader of its rows."""
    s, m, t = schema.spellings, schema.messages, schema.threads
    place = func.strpos if conn.dialect.name == "postgresql" else func.instr
    held: list[ColumnElement[bool]] = [
        place(s.c.spelled, word[:_CHARS]) > 0 for word in sorted(words, key=len, reverse=True)[:_WORDS]
    ]
    deleted = select(t.c.thread_id).where(t.c.deleted.is_not(None))
    return (
        select(m, s.c.spelled)
        .join_from(s, m, and_(m.c.thread_id == s.c.thread_id, m.c.message_id == s.c.message_id))
        .where(*held, m.c.hidden_by.is_(None), s.c.thread_id.not_in(deleted))
        .order_by(s.c.seq.desc())
    )


def _hit(row: Any, words: Sequence[str]) -> dict[str, Any]:
    return {
        "thread_id": row.thread_id,
        "message_id": row.message_id,
        "user_id": row.user_id,
        "turn_id": row.turn_id,
        "speaker": row.speaker,
        "said_at": row.said_at or iso(moment(row.recorded_at)),
        "snippet": excerpt(row.text, words),
        "text": row.text,
    }
