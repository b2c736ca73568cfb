"""What a thread has to consolidate, read from the ledger; and the notes that came of it, as records of their commit.

A note belongs to the commit that it is written with, so it follows branches; and it stands while its sources do
(`stores.standings`). What was consolidated is known from the lineage alone, so the same messages are never summed up
twice, and on a branch that left the summary they are again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Connection, FromClause, Row, and_, bindparam, exists, insert, or_, select

from memory.attributes import value_key
from memory.consolidation import Material
from memory.guard import instruction
from memory.record import MACHINES, OPEN, Memory, stable_id
from memory.text import language
from stores import lineage, schema, standings
from stores.database import batches
from stores.rows import memory_of, moment, record_row

MOST_COMMITS = 400
"""How far back a summary reaches."""
MOST_EARLIER = 400
"""How many of the user's other messages lessons are looked for in, the newest first."""

NOTE_IMPORTANCE = 0.6

_R, _I = schema.records, schema.intervals
# Made once, as every turn asks it: to make a statement takes longer than to run it.
_DEPTH = select(schema.commits.c.depth).where(schema.commits.c.id == bindparam("head"))


def material_of(conn: Connection, user_id: str, head: str | None, every: int, least: int) -> Material | None:
    """What is to be consolidated at a head that `every` so many commits is one to consolidate at; None when it is not.

    The messages after the last commit that consolidated, and the user's others that are in no lesson. `least` messages
    make a topic.
    """
    depth = conn.execute(_DEPTH, {"head": head}).scalar_one_or_none()
    if every < 1 or depth is None or (depth + 1) % every:
        return None
    commits = _since_the_last(conn, head)
    said = _episodes(conn, commits)
    if not said:
        return None
    earlier = _without_lesson(conn, user_id, {m.id for m in said})
    fresh = _without_lesson(conn, user_id, set(), [m.id for m in said])
    telling, stale = _told(conn, user_id, [*said, *earlier])
    # A message that a lesson has is summed up all the same, but teaches nothing again.
    stale |= {m.id for m in said} - {m.id for m in fresh}
    lessons = select(_R.c.text).join(_I, _I.c.record_id == _R.c.id)
    known = conn.scalars(lessons.where(_I.c.user_id == user_id, _I.c.kind == "lesson", _I.c.end == OPEN))
    return Material(tuple(said), tuple(earlier), frozenset(telling), frozenset(stale), tuple(known), least)


def _since_the_last(conn: Connection, head: str | None) -> list[str]:
    """A head's commits up to the one that consolidated last: its own messages came with it and are not summed up."""
    ids = [commit for commit, _ in islice(lineage.walk(conn, head), MOST_COMMITS)]
    commits = schema.commits
    done = set()
    for some in batches(ids):
        rows = conn.execute(select(commits.c.id, commits.c.changes).where(commits.c.id.in_(some)))
        done |= {r.id for r in rows if (found := r.changes.get("reflection")) and found["failure"] is None}
    # A summary that lost a source is to be written again, without it.
    summaries = [
        r for some in batches(done) for r in conn.execute(_notes("summary").where(_R.c.origin.in_(some))).all()
    ]
    kept = _kept(conn, summaries)
    lost = {r.origin for r in summaries if r.id not in kept}
    out = []
    for commit in ids:
        out.append(commit)
        if commit in done - lost:
            break
    return out


def _notes(kind: str) -> Any:
    return select(_R.c.id, _R.c.origin, _R.c.sources).where(_R.c.kind == kind)


def _stands(notes: FromClause) -> ColumnElement[bool]:
    """That a note is current, or ended for its age alone."""
    return exists().where(_I.c.record_id == notes.c.id, or_(_I.c.end == OPEN, _I.c.standing == "expired"))


def _kept(conn: Connection, notes: Sequence[Row[Any]]) -> set[str]:
    """Which of these are not to be written again: not those of a commit that does not count or without a source.

    What waits for a person, or what a person or a sweep has ended, is not said once more.
    """
    live = lineage.live_among(conn, {n.origin for n in notes})
    lost = standings.bereft(conn, notes)
    return {n.id for n in notes if n.origin in live and n.id not in lost}


def _episodes(conn: Connection, commits: Collection[str]) -> list[Memory]:
    """What people said in these commits, as far as it is current, oldest first."""
    found: list[Memory] = []
    for some in batches(commits):
        rows = conn.execute(_current_episodes().where(_R.c.origin.in_(some))).mappings()
        found += [memory_of(row) for row in rows]
    return sorted(found, key=lambda m: m.recorded_at)


def _current_episodes() -> Any:
    standing = and_(_I.c.record_id == _R.c.id, _I.c.end == OPEN)
    mine = and_(_R.c.kind == "episode", _R.c.speaker.not_in(MACHINES))
    return select(_R).join(_I, standing).where(mine).order_by(_R.c.recorded_at, _R.c.ordinal)


def _without_lesson(
    conn: Connection, user_id: str, but: Collection[str], among: Sequence[str] | None = None
) -> list[Memory]:
    """A user's messages that are in no lesson: among some, or the newest of all but some; oldest first."""
    sources, source = schema.sources, _R.alias("lesson")
    kept = _kept(conn, conn.execute(_notes("lesson").where(_R.c.user_id == user_id, ~_stands(_R))).all())
    taught = (
        select(sources.c.source_id)
        .join(source, source.c.id == sources.c.record_id)
        .where(sources.c.source_id == _R.c.id, source.c.kind == "lesson", or_(_stands(source), source.c.id.in_(kept)))
        .correlate(_R)
    )
    query = _current_episodes().where(_R.c.user_id == user_id, ~taught.exists())
    if among is not None:
        return [
            memory_of(r) for some in batches(among) for r in conn.execute(query.where(_R.c.id.in_(some))).mappings()
        ]
    newest = query.order_by(None).order_by(_R.c.recorded_at.desc(), _R.c.ordinal.desc()).limit(MOST_EARLIER + len(but))
    found = [memory_of(row) for row in conn.execute(newest).mappings()]
    return [m for m in found if m.id not in but][:MOST_EARLIER][::-1]


def _told(conn: Connection, user_id: str, said: Sequence[Memory]) -> tuple[set[str], set[str]]:
    """Of some messages, those that facts were read from, and those whose facts no longer hold."""
    turns = sorted({m.turn_id for m in said if m.turn_id})
    mine = and_(_R.c.user_id == user_id, _R.c.kind == "fact")
    claims = (_R.c.subject, _R.c.attribute, _R.c.value, _R.c.polarity)
    read = select(*claims, _R.c.thread_id, _R.c.message_ids)
    facts = [r for some in batches(turns) for r in conn.execute(read.where(mine, _R.c.turn_id.in_(some))).all()]
    open_ = select(*claims).join(_I, _I.c.record_id == _R.c.id)
    attributes = sorted({f.attribute for f in facts})
    current = {
        _claim(row)
        for some in batches(attributes)
        for row in conn.execute(open_.where(mine, _I.c.end == OPEN, _R.c.attribute.in_(some)))
    }
    by_message: dict[tuple[str | None, str], list[bool]] = {}
    for fact in facts:
        for message_id in fact.message_ids:
            by_message.setdefault((fact.thread_id, message_id), []).append(_claim(fact) in current)
    holds = {m.id: [h for i in m.message_ids for h in by_message.get((m.thread_id, i), ())] for m in said}
    return {i for i, h in holds.items() if h}, {i for i, h in holds.items() if h and not any(h)}


def _claim(row: Any) -> tuple[str, str, str, int]:
    return row.subject, row.attribute, value_key(row.value or ""), row.polarity


def notes_of(found: Mapping[str, Any], t: int, first: int, **provenance: Any) -> list[Memory]:
    """The records of the notes that a turn's consolidation made; `first` is the ordinal of the first.

    One that instructs waits for a person (`memory.guard`), whoever said the words that it repeats.
    """
    commit_id = provenance["commit_id"]
    return [
        Memory(
            id=stable_id(commit_id, ordinal),
            kind=note["kind"],
            text=note["text"],
            importance=NOTE_IMPORTANCE,
            said_at=moment(t),
            speaker="reflection",
            extractor=found["extractor"],
            sources=tuple(note["sources"]),
            language=language(note["text"]),
            held=instruction(note["text"]),
            recorded_at=t,
            **provenance,
        )
        for ordinal, note in enumerate(found["notes"], first)
    ]


def write_notes(conn: Connection, notes: Sequence[Memory], first: int) -> None:
    """Enter notes with their sources; whether they stand is for the fold to say."""
    rows = [record_row(note, str(note.commit_id), i) for i, note in enumerate(notes, first)]
    if rows:
        conn.execute(insert(_R), rows)
        conn.execute(
            insert(schema.sources), [{"record_id": r["id"], "source_id": s} for r in rows for s in r["sources"]]
        )


def reported(found: Mapping[str, Any], notes: Sequence[Memory]) -> dict[str, Any]:
    """What a commit's `changes` say of its consolidation; `held` are the ids of the notes that wait, if any do."""
    kinds = [note.kind for note in notes]
    held = [note.id for note in notes if note.held]
    told = {
        "summaries": kinds.count("summary"),
        "lessons": kinds.count("lesson"),
        "skipped": found["usage"].get("skipped", 0),
        "failure": found["failure"],
    }
    return {**told, "held": held} if held else told
