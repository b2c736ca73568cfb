"""The ledger's read side: memories and their standing, now or as of a ledger time; threads and the transcript.

Nothing here needs Qdrant, so all of it works while another process holds the index.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    Table,
    and_,
    bindparam,
    func,
    or_,
    select,
    union,
)

from memory.record import OPEN, USER, Interval, Memory, Standing
from memory.titles import first_words
from stores import schema
from stores.database import batches, now
from stores.rows import memory_of, moment, parse_time
from stores.usage import usage_of_thread
from stores.waiting import settled, waiting_ids

_R, _I, _M, _T = schema.records, schema.intervals, schema.messages, schema.threads

PROFILE_CONFIDENCE = 0.7
"""Facts about the user at least this sure are in every memory block."""


def indexed(conn: Connection) -> int:
    """How many points the whole index has: one for each interval of every memory."""
    return int(conn.execute(select(func.count()).select_from(schema.intervals)).scalar_one())


def current_at(t: int | BindParameter[int]) -> ColumnElement[bool]:
    """That an interval holds a ledger time."""
    return and_(_I.c.start <= t, _I.c.end > t)


def _read(
    conn: Connection, query: Select[Any], as_of: int, clock: datetime, bound: Mapping[str, Any] | None = None
) -> list[Memory]:
    rows = conn.execute(query, bound).mappings().all()
    spans: dict[str, list[Any]] = {}
    for chunk in batches(r["id"] for r in rows):
        for row in conn.execute(_SPANS, {"ids": chunk}).all():
            spans.setdefault(row.record_id, []).append(row)
    return [_with_standing(r, spans.get(r["id"], ()), as_of, clock) for r in rows]


def _with_standing(row: RowMapping, spans: Iterable[Any], as_of: int, clock: datetime) -> Memory:
    known = [s for s in spans if s.start <= as_of]
    intervals = tuple(Interval(s.start, s.end if s.end <= as_of else OPEN) for s in known)
    standing: Standing = "superseded"
    if intervals and intervals[-1].end == OPEN:
        expires_at = parse_time(row["expires_at"])
        standing = "expired" if expires_at and expires_at <= clock else "current"
    elif known:
        standing = known[-1].standing or "retracted"
    memory = memory_of(row, intervals, standing)
    return replace(memory, held=None) if memory.held and standing in ("current", "expired") else memory


def list_memories(
    conn: Connection,
    user_id: str,
    clock: datetime,
    *,
    kind: str | None = None,
    standing: str = "current",
    as_of: int | None = None,
    limit: int | None = None,
) -> list[Memory]:
    """A user's memories, newest first; `standing` "all" gives everything that ever stood."""
    t = now(conn) if as_of is None else as_of
    query = (
        select(_R)
        .where(_R.c.user_id == user_id, _R.c.recorded_at <= t)
        .order_by(_R.c.recorded_at.desc(), _R.c.ordinal.desc())
    )
    if kind:
        query = query.where(_R.c.kind == kind)
    stood = select(_I.c.record_id).where(_I.c.record_id == _R.c.id)
    if standing == "held":
        query = query.where(_R.c.id.in_(waiting_ids(conn, user_id, as_of)))
    elif standing == "current":
        query = query.where(stood.where(current_at(t)).exists())
        if limit is not None:
            # Expiry is judged after reading, so a few more are read than asked for.
            query = query.limit(limit + 64)
    else:
        waits = _R.c.id.in_(waiting_ids(conn, user_id, as_of))
        query = query.where(or_(stood.where(_I.c.start <= t).exists(), _R.c.held.is_not(None), waits))
    if standing == "current":
        found = [m for m in _read(conn, query, t, clock) if m.standing == "current"]
        return settled(conn, found if limit is None else found[:limit], as_of)
    found = [m for m in settled(conn, _read(conn, query, t, clock), as_of) if standing in ("all", m.standing)]
    return found if limit is None else found[:limit]


def get_memory(conn: Connection, user_id: str, memory_id: str, clock: datetime) -> Memory | None:
    """One memory with its standing now, or None when this user has none of that id."""
    found = _read(conn, select(_R).where(_R.c.id == memory_id, _R.c.user_id == user_id), now(conn), clock)
    return settled(conn, found, None)[0] if found else None


def memories_at(conn: Connection, user_id: str, ids: Iterable[str], t: int, clock: datetime) -> dict[str, Memory]:
    """Those of some memories that this user has, with their standing at ledger time `t`, by id."""
    out: dict[str, Memory] = {}
    for some in batches(ids):
        found = _read(conn, select(_R).where(_R.c.id.in_(some), _R.c.user_id == user_id), t, clock)
        out |= {m.id: m for m in settled(conn, found, t)}
    return out


def ids_beginning(conn: Connection, user_id: str, beginning: str) -> list[str]:
    """At most five of a user's memory ids that begin so, in order."""
    mine = (_R.c.user_id == user_id, _begins(_R.c.id, beginning))
    return list(conn.scalars(select(_R.c.id).where(*mine).order_by(_R.c.id).limit(5)))


def turns_beginning(conn: Connection, user_id: str, beginning: str) -> list[str]:
    """At most five ids of a user's turns and commits that begin so, in order."""
    c = schema.commits.c
    ids = union(
        *(select(one.label("id")).where(c.user_id == user_id, _begins(one, beginning)) for one in (c.id, c.turn_id))
    )
    return list(conn.scalars(select(ids.subquery().c.id).order_by("id").limit(5)))


def _begins(column: ColumnElement[str], beginning: str) -> ColumnElement[bool]:
    return column.startswith(beginning, autoescape=True)


def profile(conn: Connection, user_id: str, t: int, clock: datetime, limit: int) -> list[Memory]:
    """The facts about the user that every memory block holds, the most important and newest first."""
    kept: list[Memory] = []
    # Expiry and doubt are judged after reading, and leave out few: only where they did, more is read.
    for most in (limit, limit * 2):
        read = _read(conn, _ABOUT_USER, t, clock, {"user": user_id, "t": t, "most": most})
        facts = [m for m in read if m.standing == "current"]
        sure = {m.id: m for m in settled(conn, [m for m in facts if m.confidence < PROFILE_CONFIDENCE], t)}
        kept = [m for m in (sure.get(m.id, m) for m in facts) if m.confidence >= PROFILE_CONFIDENCE]
        if len(kept) >= limit or len(read) < most:
            break
    return kept[:limit]


# Made once, as every turn asks them: to make a statement takes longer than to run it.
_SPANS = select(_I).where(_I.c.record_id.in_(bindparam("ids", expanding=True))).order_by(_I.c.start)
_ABOUT_USER = (
    select(_R)
    .join(_I, _I.c.record_id == _R.c.id)
    .where(_I.c.user_id == bindparam("user"), _I.c.kind == "fact", current_at(bindparam("t")), _R.c.subject == USER)
    .order_by(_R.c.importance.desc(), _R.c.recorded_at.desc(), _R.c.ordinal)
    .limit(bindparam("most"))
)


def history(conn: Connection, memory: Memory) -> list[dict[str, Any]]:
    """Everything that was said about this memory's slot, oldest first, and what sweeps ended; for an episode, when it
    was added."""
    if memory.subject is None or memory.attribute is None:
        added = [
            {"t": moment(i.start).isoformat(), "op": "add", "text": memory.text, "record_id": memory.id}
            for i in memory.intervals[:1]
        ]
        swept = [{**step, "t": step["at"], "text": memory.text} for step in _swept(conn, [memory.id])]
        return added + swept
    s, e = schema.statements, schema.events
    found = conn.execute(
        select(s, _R.c.text, _R.c.thread_id, _R.c.message_ids)
        .outerjoin(_R, _R.c.id == s.c.id)
        .where(s.c.user_id == memory.user_id, s.c.subject == memory.subject, s.c.attribute == memory.attribute)
    ).mappings()
    acts = conn.execute(
        select(e).where(
            e.c.user_id == memory.user_id,
            e.c.subject == memory.subject,
            e.c.attribute == memory.attribute,
            e.c.kind.in_(("forget", "hold", "release", "reject")),
        )
    ).mappings()
    said = found.all()
    origins = [r["origin"] for r in said]
    live = schema.lives
    lives = set(conn.scalars(select(live.c.origin).where(live.c.origin.in_(origins), live.c.end == OPEN)))
    steps = [
        {
            "t": r["recorded_at"],
            "at": moment(r["at"]).isoformat(),
            "op": r["op"],
            "text": r["text"],
            "value": r["value"],
            "polarity": r["polarity"],
            "reason": r["reason"],
            "record_id": r["id"],
            "origin": r["origin"],
            "live": r["origin"] in lives,
            "thread_id": r["thread_id"],
            "message_ids": r["message_ids"] or [],
        }
        for r in said
    ]
    steps += [
        {
            "t": r["recorded_at"],
            "at": moment(r["recorded_at"]).isoformat(),
            "op": r["kind"],
            "value": r["value"],
            "reason": "by a person",
            "origin": r["id"],
        }
        for r in acts
    ]
    steps += _swept(conn, [r["id"] for r in said])
    return sorted(steps, key=lambda step: (step["at"], step["t"]))


def _swept(conn: Connection, record_ids: Sequence[str]) -> list[dict[str, Any]]:
    """What sweeps ended of some records, as steps of a history."""
    ended, e = schema.ended, schema.events
    query = select(ended, e.c.recorded_at).join(e, e.c.id == ended.c.event_id).where(e.c.kind == "sweep")
    return [
        {
            "t": row.recorded_at,
            "at": moment(row.recorded_at).isoformat(),
            "op": "sweep",
            "reason": row.reason,
            "record_id": row.record_id,
            "origin": row.event_id,
        }
        for some in batches(record_ids)
        for row in conn.execute(query.where(ended.c.record_id.in_(some)).order_by(e.c.recorded_at))
    ]


def stats(conn: Connection, user_id: str) -> dict[str, Any]:
    """How many memories of each kind are current, how many there ever were, and how much is said and waits."""
    t = now(conn)
    ever = conn.execute(select(_R.c.kind, func.count().label("n")).where(_R.c.user_id == user_id).group_by(_R.c.kind))
    current = conn.execute(
        select(_I.c.kind, func.count().label("n")).where(_I.c.user_id == user_id, current_at(t)).group_by(_I.c.kind)
    )
    return {
        "user_id": user_id,
        "current": {row.kind: row.n for row in current},
        "records": {row.kind: row.n for row in ever},
        "threads": _count(conn, _T, user_id),
        "messages": _count(conn, _M, user_id),
        "commits": _count(conn, schema.commits, user_id),
        "held": len(waiting_ids(conn, user_id, None)),
        "waiting_for_index": conn.execute(select(func.count()).select_from(schema.outbox)).scalar_one(),
        "ledger_time": moment(t).isoformat(),
    }


def _count(conn: Connection, table: Table, user_id: str) -> int:
    return int(conn.execute(select(func.count()).select_from(table).where(table.c.user_id == user_id)).scalar_one())


def anything_stored(conn: Connection, user_id: str, t: int) -> bool:
    """Whether the user has any memory that is current at a ledger time."""
    return (
        conn.execute(select(_I.c.record_id).where(_I.c.user_id == user_id, current_at(t)).limit(1)).first() is not None
    )


_BLANKS = " \t\n\r\u3000"
_BEGINNING = 400
"""How many characters of a message a title is made of."""


def _threads() -> Select[Any]:
    """Threads, each with what its user said in it first."""
    said = (
        select(func.substr(_M.c.text, 1, _BEGINNING))
        .where(
            _M.c.thread_id == _T.c.thread_id,
            _M.c.speaker.not_in(("assistant", "tool")),
            _M.c.hidden_by.is_(None),
            func.ltrim(_M.c.text, _BLANKS) != "",
        )
        .order_by(_M.c.ordinal)
        .limit(1)
        .scalar_subquery()
    )
    return select(_T, said.label("said"))


def list_threads(
    conn: Connection, user_id: str | None = None, limit: int | None = None, offset: int = 0
) -> list[dict[str, Any]]:
    """Threads, the last used first, from the `offset`th on."""
    query = _threads().order_by(_T.c.updated.desc(), _T.c.thread_id).offset(offset)
    if limit is not None:
        query = query.limit(limit)
    if user_id is not None:
        query = query.where(_T.c.user_id == user_id)
    return [_thread(r) for r in conn.execute(query)]


def count_threads(conn: Connection, user_id: str | None = None) -> int:
    """How many threads there are."""
    query = select(func.count()).select_from(_T)
    return int(conn.execute(query if user_id is None else query.where(_T.c.user_id == user_id)).scalar_one())


def pending_threads(conn: Connection) -> list[str]:
    """The threads whose last commit left words unread, the last used first."""
    heads, commits = schema.heads, schema.commits
    query = (
        select(_T.c.thread_id)
        .join(heads, heads.c.thread_id == _T.c.thread_id)
        .join(commits, commits.c.id == heads.c.head)
        .where(commits.c.pending, _T.c.deleted.is_(None))
        .order_by(_T.c.updated.desc(), _T.c.thread_id)
    )
    return list(conn.scalars(query))


def get_thread(conn: Connection, thread_id: str) -> dict[str, Any] | None:
    """One thread, or None."""
    row = conn.execute(_threads().where(_T.c.thread_id == thread_id)).one_or_none()
    return _thread(row) if row else None


def _thread(row: Any) -> dict[str, Any]:
    return {
        "thread_id": row.thread_id,
        "user_id": row.user_id,
        "title": row.title or first_words(row.said or "") or row.thread_id,
        "messages": row.messages,
        "created": moment(row.created).isoformat(),
        "updated": moment(row.updated).isoformat(),
        "deleted": moment(row.deleted).isoformat() if row.deleted else None,
    }


def transcript(conn: Connection, thread_id: str, limit: int | None = None, offset: int = 0) -> list[dict[str, Any]]:
    """What was said in a thread, in order, redacted; what a person forgot is left out."""
    query = select(_M).where(_M.c.thread_id == thread_id, _M.c.hidden_by.is_(None)).order_by(_M.c.ordinal)
    return [_message(r) for r in conn.execute(query.offset(offset).limit(limit))]


def _message(row: Any) -> dict[str, Any]:
    return {
        "thread_id": row.thread_id,
        "message_id": row.message_id,
        "speaker": row.speaker,
        "text": row.text,
        "said_at": row.said_at,
        "turn_id": row.turn_id,
    }


def _said(row: Any) -> str:
    """A message's own time, or that of its commit."""
    return str(row.said_at or moment(row.recorded_at).isoformat())


def thread_stats(conn: Connection, thread_id: str) -> dict[str, Any]:
    """A thread in numbers: messages by speaker, turns, facts read from it, first and last time, what its calls cost.

    What a person forgot is not counted. `facts` are those that it ever gave, `current_facts` those that stand now.
    """
    shown = and_(_M.c.thread_id == thread_id, _M.c.hidden_by.is_(None))
    speakers = select(_M.c.speaker, func.count().label("n")).where(shown).group_by(_M.c.speaker).order_by(_M.c.speaker)
    by_speaker = {row.speaker: row.n for row in conn.execute(speakers)}
    turns = conn.execute(select(func.count(_M.c.turn_id.distinct())).where(shown)).scalar_one()
    times = select(_M.c.said_at, _M.c.recorded_at).where(shown).limit(1)
    first, last = (conn.execute(times.order_by(end)).first() for end in (_M.c.ordinal, _M.c.ordinal.desc()))
    users = select(_M.c.user_id).where(_M.c.thread_id == thread_id).distinct()
    facts = select(func.count(_R.c.id.distinct())).where(
        _R.c.user_id.in_(users), _R.c.kind == "fact", _R.c.thread_id == thread_id
    )
    standing = facts.join(_I, _I.c.record_id == _R.c.id).where(current_at(now(conn)))
    return {
        "messages": sum(by_speaker.values()),
        "by_speaker": by_speaker,
        "turns": turns,
        "facts": conn.execute(facts).scalar_one(),
        "current_facts": conn.execute(standing).scalar_one(),
        "first": _said(first) if first else None,
        "last": _said(last) if last else None,
        "usage": usage_of_thread(conn, thread_id)["total"],
    }
