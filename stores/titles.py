"""Titles that a model wrote, kept with their threads; and the words that they are made of."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, select, update

from memory.record import stable_id
from stores import schema
from stores.database import Database, tick
from stores.usage import write_usage

_MESSAGES = 6
"""How many messages tell what a conversation is about."""


def opening(conn: Connection, thread_id: str) -> list[tuple[str, str]]:
    """A thread's first messages by speaker and text, redacted; what a person forgot is left out."""
    m = schema.messages
    said = select(m.c.speaker, m.c.text).where(m.c.thread_id == thread_id, m.c.hidden_by.is_(None))
    return [(row.speaker, row.text) for row in conn.execute(said.order_by(m.c.ordinal).limit(_MESSAGES))]


def stored_title(conn: Connection, thread_id: str) -> str | None:
    """The title that a model wrote for a thread, if one did."""
    t = schema.threads
    return conn.execute(select(t.c.title).where(t.c.thread_id == thread_id)).scalar_one_or_none()


def keep_title(
    database: Database, thread_id: str, title: str | None, usage: Mapping[str, int], said: list[tuple[str, str]]
) -> None:
    """Keep what a model answered, and what its call cost; None keeps the title that there was.

    A title made of words that a person forgot while the model wrote is not kept.
    """
    with database.write() as conn:
        threads = schema.threads
        user_id = conn.execute(select(threads.c.user_id).where(threads.c.thread_id == thread_id)).scalar_one()
        t = tick(conn, database.clock)
        if title is not None and opening(conn, thread_id)[: len(said)] == said:
            conn.execute(update(threads).where(threads.c.thread_id == thread_id).values(title=title))
        write_usage(conn, stable_id("title", thread_id, t), user_id, thread_id, "", {"title": usage}, t)
