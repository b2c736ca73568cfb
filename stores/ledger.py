"""The ledger's write side: threads, commits and the head that a thread is on.

One commit is one transaction: the transcript's new messages, the commit, its records and statements, the fold of what
they touch, and what Qdrant is to be told. Writing the same commit again changes nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, and_, bindparam, insert, select, update

from memory.attributes import value_key
from memory.deciding import Decision, decide
from memory.record import OPEN, Memory, Proposal, Utterance, stable_id
from memory.text import language, passages
from stores import consolidating, lineage, schema, standings
from stores.database import Database, now, tick, upsert
from stores.errors import NotFound
from stores.facts import Origin, fact_of, write_statement
from stores.rows import memory_of, moment, parse_time, record_row, said_ms
from stores.transcribing import transcribe, transcribed
from stores.usage import write_usage
from stores.waiting import holds_for

NEIGHBOURS = 2
"""How many episodes before it a message is near to: recall looks that far to both sides."""


@dataclass(frozen=True)
class Draft:
    """What one run of `write_memory` is about to commit: a turn's own messages and what was read out of them.

    `lineage` is the thread whose head moves; it differs from `thread_id` for imports, which no checkpoint leads.
    `usage` is what the turn's model calls cost, by what they were for; `skipped` how many items of the extraction
    model's reply were not used, by the reason why; `consolidation` the notes that were made of what was said before
    (`stores.consolidating`).
    """

    user_id: str
    thread_id: str
    turn_id: str
    parent: str | None
    said: tuple[Utterance, ...]
    proposals: tuple[Proposal, ...]
    extractor: str
    failure: str | None = None
    pending: bool = False
    checkpoint_id: str | None = None
    run_id: str | None = None
    lineage: str | None = None
    usage: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    consolidation: Mapping[str, Any] | None = None

    @functools.cached_property
    def commit_id(self) -> str:
        """The same parent, turn, messages, proposals and notes make the same commit."""
        notes = [self.consolidation["notes"]] if self.consolidation else []
        return stable_id(self.parent, self.turn_id, [u.message_id for u in self.said], self.proposals, *notes)


class Ledger:
    """Writes to the ledger's database. Every method is one transaction and may be repeated."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def tick(self) -> int:
        """Take the next ledger time."""
        with self.database.write() as conn:
            return tick(conn, self.database.clock)

    def now(self) -> int:
        """The last ledger time that was taken."""
        with self.database.read() as conn:
            return now(conn)

    def enter_thread(self, thread_id: str, user_id: str) -> None:
        """Note whose thread this is, before the first node of a run: a crash there still knows the user."""
        with self.database.read() as conn:
            known = conn.execute(_THREAD, {"thread": thread_id}).one_or_none()
        if known is None or tuple(known) != (user_id, None):
            with self.database.write() as conn:
                self._enter_thread(conn, thread_id, user_id, tick(conn, self.database.clock))

    def _enter_thread(self, conn: Connection, thread_id: str, user_id: str, t: int, said: int = 0) -> None:
        times = {"created": t, "updated": t, "deleted": None}
        row = {"thread_id": thread_id, "user_id": user_id, "messages": said, **times}
        conn.execute(_entering(conn.dialect.name), row)

    def user_of(self, thread_id: str) -> str | None:
        """The user whose turn this thread last ran, or None."""
        with self.database.read() as conn:
            return conn.execute(_THREAD, {"thread": thread_id}).scalar_one_or_none()

    def head_of(self, thread_id: str) -> str | None:
        """The thread's last commit as the ledger knows it."""
        with self.database.read() as conn:
            return lineage.head_of(conn, thread_id)

    def align(self, thread_id: str, head: str | None) -> bool:
        """Make the ledger follow a state's head, like a checkout; True when anything had to move."""
        if self.head_of(thread_id) == head:
            return False
        with self.database.write() as conn:
            self._align(conn, thread_id, head, tick(conn, self.database.clock))
        return True

    def _align(self, conn: Connection, thread_id: str, head: str | None, t: int) -> None:
        if _is_deleted(conn, thread_id):
            # With durability "exit" no checkpoint has said yet that another thread begins.
            self._begin_thread(conn, thread_id, t)
        standings.refold(conn, lineage.move_head(conn, thread_id, head, t), t)

    def begin_thread(self, thread_id: str) -> None:
        """A thread begins. An older one of that id keeps its lineage, and so its memories, under a name of its own."""
        with self.database.write() as conn:
            self._begin_thread(conn, thread_id, tick(conn, self.database.clock))

    def _begin_thread(self, conn: Connection, thread_id: str, t: int) -> None:
        heads, threads = schema.heads, schema.threads
        conn.execute(update(heads).where(heads.c.thread_id == thread_id).values(thread_id=f"ended:{t}:{thread_id}"))
        conn.execute(update(threads).where(threads.c.thread_id == thread_id).values(deleted=None))

    def delete_thread(self, thread_id: str, *, memories: bool) -> None:
        """Mark a thread deleted. It keeps its head, so what it said stays, unless `memories` gives that up too."""
        with self.database.write() as conn:
            t = tick(conn, self.database.clock)
            conn.execute(update(schema.threads).where(schema.threads.c.thread_id == thread_id).values(deleted=t))
            if memories:
                gone = lineage.move_head(conn, thread_id, None, t)
                gone |= lineage.move_head(conn, lineage.import_lineage(thread_id), None, t)
                standings.refold(conn, gone, t)

    def start_turn(self, user_id: str, thread_id: str, head: str | None) -> tuple[int, bool]:
        """Follow the state's head, enter the thread and take the turn's ledger time: what it recalls is memory as of
        then. Returns that time, and whether the index is behind it."""
        with self.database.write() as conn:
            t = tick(conn, self.database.clock)
            if lineage.head_of(conn, thread_id) != head:
                self._align(conn, thread_id, head, t)
            self._enter_thread(conn, thread_id, user_id, t)
            return t, standings.is_behind(conn)

    def use(self, user_id: str, turn_id: str, memory_ids: Sequence[str], t: int) -> None:
        """Note that a live turn recalled these memories."""
        if not memory_ids:
            return
        rows = [{"memory_id": m, "turn_id": turn_id, "user_id": user_id, "recorded_at": t} for m in memory_ids]
        with self.database.write() as conn:
            conn.execute(_using(conn.dialect.name), rows)

    def commit(self, draft: Draft) -> dict[str, Any]:
        """Write a commit, move the thread to it and fold what it touches.

        Returns what changed and the `ledger_time` of it, as plain JSON.

        Raises `NotFound` for a turn whose thread was deleted while it ran.
        """
        with self.database.write() as conn:
            if draft.lineage is None and _is_deleted(conn, draft.thread_id):
                # Whoever begins a thread takes the mark away, so a commit that meets it comes late.
                raise NotFound(
                    f"The thread {draft.thread_id!r} was deleted while a turn of it ran. It stays deleted, and nothing "
                    "of this turn was kept."
                )
            ids = [draft.commit_id, *([draft.parent] if draft.parent else [])]
            commits: dict[str | None, Any] = {row.id: row for row in conn.execute(_COMMITS, {"ids": ids})}
            known, parent = commits.get(draft.commit_id), commits.get(draft.parent)
            thread = draft.lineage or draft.thread_id
            if known and lineage.head_of(conn, thread) == draft.commit_id:
                return {**known.changes, "ledger_time": now(conn)}
            t = tick(conn, self.database.clock)
            changes = known.changes if known else self._write(conn, draft, parent, t)
            standings.refold(conn, lineage.move_head(conn, thread, draft.commit_id, t), t)
        return {**changes, "ledger_time": t}

    def _write(self, conn: Connection, draft: Draft, parent: Row[Any] | None, t: int) -> dict[str, Any]:
        commit_id = draft.commit_id
        more = transcribe(conn, draft.thread_id, draft.user_id, draft.turn_id, draft.said, t)
        self._enter_thread(conn, draft.thread_id, draft.user_id, t, more)
        tail: list[str] = list(parent.tail) if parent else []
        episodes: list[Memory] = []
        for said in draft.said:
            for start, end in passages(said.text) if said.keep and said.text.strip() else []:
                episode = self._episode(draft, said, (start, end), tuple(tail[-NEIGHBOURS:]), len(episodes), t)
                episodes.append(episode)
                tail.append(episode.id)
        cited = self._cited(conn, draft)
        holds = holds_for(conn, draft.user_id, draft.proposals, cited)
        speakers = {message_id: said.speaker for message_id, said in cited.items()}
        decisions = decide(draft.proposals, self.current_facts(conn, draft.user_id, draft.proposals), holds, speakers)
        facts = self._state(conn, draft, decisions, cited, len(episodes), t)
        if episodes or facts:
            conn.execute(
                insert(schema.records), [record_row(m, commit_id, i) for i, m in enumerate([*episodes, *facts])]
            )
        _end_what_was_forgotten(conn, episodes, facts)
        reflection = self._note(conn, draft, len(episodes) + len(decisions), t)
        changes = {
            "commit_id": commit_id,
            "turn_id": draft.turn_id,
            "episodes": len(episodes),
            "facts": [_change(d, stable_id(commit_id, i)) for i, d in enumerate(decisions, len(episodes))],
            "skipped": dict(draft.skipped),
            "failure": draft.failure,
            **reflection,
        }
        conn.execute(
            insert(schema.commits),
            {
                "id": commit_id,
                "parent": draft.parent,
                "depth": parent.depth + 1 if parent else 0,
                "user_id": draft.user_id,
                "thread_id": draft.thread_id,
                "turn_id": draft.turn_id,
                "checkpoint_id": draft.checkpoint_id,
                "run_id": draft.run_id,
                "recorded_at": t,
                "extractor": draft.extractor,
                "failure": draft.failure,
                "pending": draft.pending,
                "tail": tail[-NEIGHBOURS:],
                "changes": changes,
            },
        )
        write_usage(conn, commit_id, draft.user_id, draft.thread_id, draft.turn_id, draft.usage, t)
        return changes

    def _note(self, conn: Connection, draft: Draft, first: int, t: int) -> dict[str, Any]:
        """Write the draft's summaries and lessons; returns what `changes` say of them."""
        if draft.consolidation is None:
            return {}
        about = {
            name: getattr(draft, name) for name in ("user_id", "thread_id", "turn_id", "commit_id", "checkpoint_id")
        }
        notes = consolidating.notes_of(draft.consolidation, t, first, **about)
        consolidating.write_notes(conn, notes, first)
        return {"reflection": consolidating.reported(draft.consolidation, notes)}

    def said_at(self, thread_id: str, message_ids: Sequence[str]) -> dict[str, datetime]:
        """When messages of the transcript were said, where that is known."""
        with self.database.read() as conn:
            rows = transcribed(conn, thread_id, message_ids)
            return {r.message_id: datetime.fromisoformat(r.said_at) for r in rows if r.said_at}

    def _episode(
        self, draft: Draft, said: Utterance, span: tuple[int, int], near: tuple[str, ...], ordinal: int, t: int
    ) -> Memory:
        text = said.text[span[0] : span[1]]
        return Memory(
            id=stable_id(draft.commit_id, ordinal),
            user_id=draft.user_id,
            kind="episode",
            text=text,
            said_at=said.said_at or moment(t),
            thread_id=draft.thread_id,
            turn_id=draft.turn_id,
            commit_id=draft.commit_id,
            checkpoint_id=draft.checkpoint_id,
            message_ids=(said.message_id,),
            spans=(span,),
            speaker=said.speaker,
            language=language(text),
            near=near,
            recorded_at=t,
        )

    def _cited(self, conn: Connection, draft: Draft) -> dict[str, Utterance]:
        """The messages that facts were read from: the commit's own, and those of turns that waited for it."""
        said = {u.message_id: u for u in draft.said}
        older = {p["message_id"] for p in draft.proposals} - said.keys()
        for row in transcribed(conn, draft.thread_id, older):
            said[row.message_id] = Utterance(row.message_id, row.text, row.speaker, parse_time(row.said_at))
        return said

    def _state(
        self,
        conn: Connection,
        draft: Draft,
        decisions: Iterable[Decision],
        cited: Mapping[str, Utterance],
        first: int,
        t: int,
    ) -> list[Memory]:
        """Write a commit's statements and return the fact records that they assert."""
        facts = []
        for ordinal, decision in enumerate(decisions, first):
            if decision.op == "ignore":
                continue
            source = cited.get(decision.proposal["message_id"])
            origin = Origin(draft.commit_id, draft.user_id, source.said_at if source else None, t)
            fact = fact_of(
                origin,
                ordinal,
                decision,
                thread_id=draft.thread_id,
                turn_id=draft.turn_id,
                commit_id=draft.commit_id,
                checkpoint_id=draft.checkpoint_id,
                message_ids=(decision.proposal["message_id"],),
                speaker=source.speaker if source else "user",
                extractor=draft.extractor,
            )
            write_statement(conn, origin, ordinal, fact, decision)
            if decision.asserts:
                facts.append(fact)
        return facts

    def current_facts(
        self, conn: Connection, user_id: str, proposals: Iterable[Proposal]
    ) -> dict[tuple[str, str], list[Memory]]:
        """The current facts of the slots that some proposals speak about."""
        records, intervals = schema.records, schema.intervals
        found: dict[tuple[str, str], list[Memory]] = {}
        for subject, attribute in {(p["subject"], p["attribute"]) for p in proposals}:
            rows = conn.execute(
                select(records)
                .join(intervals, intervals.c.record_id == records.c.id)
                .where(
                    records.c.user_id == user_id,
                    records.c.subject == subject,
                    records.c.attribute == attribute,
                    intervals.c.end == OPEN,
                )
                .order_by(intervals.c.start, records.c.id)
            ).mappings()
            found[subject, attribute] = [memory_of(row) for row in rows]
        return found


def _change(decision: Decision, record_id: str) -> dict[str, Any]:
    """A decision as plain JSON. One that is held has, as `held`, the id of the memory that a person may release."""
    change = {
        "op": decision.op,
        "text": decision.proposal["text"],
        "reason": decision.reason,
        "touches": list(decision.touches),
    }
    return {**change, "held": decision.hold.waiting or record_id} if decision.hold else change


def _end_what_was_forgotten(conn: Connection, episodes: Sequence[Memory], facts: Sequence[Memory]) -> None:
    """End the words of facts that a person forgot after they were said and before they are kept.

    A crash or a pause lies between the two. The facts themselves are ended by the fold.
    """
    e = schema.events
    slots = {(f.subject, f.attribute) for f in facts}
    for subject, attribute in sorted(slots, key=str):
        slot = and_(e.c.subject == subject, e.c.attribute == attribute, e.c.user_id == facts[0].user_id)
        forgot = conn.execute(select(e).where(slot, e.c.kind == "forget", e.c.ended_at.is_(None))).all()
        rows = [
            {"record_id": episode.id, "event_id": act.id, "standing": "retracted"}
            for act in forgot
            for fact in facts
            if (fact.subject, fact.attribute) == (subject, attribute)
            and value_key(fact.value or "") == value_key(act.value or "")
            for episode in episodes
            if episode.message_ids == fact.message_ids
            and said_ms(episode.said_at, episode.recorded_at) < act.recorded_at
        ]
        if rows:
            conn.execute(upsert(conn.dialect.name, schema.ended).on_conflict_do_nothing(), rows)


def _is_deleted(conn: Connection, thread_id: str) -> bool:
    found = conn.execute(_THREAD, {"thread": thread_id}).one_or_none()
    return found is not None and found.deleted is not None


# Statements that every turn runs are made once: to make them takes longer than to run them.
_C = schema.commits.c
_COMMITS = select(_C.id, _C.changes, _C.depth, _C.tail).where(_C.id.in_(bindparam("ids", expanding=True)))
_T = schema.threads.c
_THREAD = select(_T.user_id, _T.deleted).where(_T.thread_id == bindparam("thread"))


@functools.cache
def _using(dialect: str) -> Any:
    return upsert(dialect, schema.uses).on_conflict_do_nothing()


@functools.cache
def _entering(dialect: str) -> Any:
    """A thread's row, for values by the names of its columns; a known one keeps when it began, and counts on."""
    new = upsert(dialect, schema.threads)
    changed = {name: new.excluded[name] for name in ("user_id", "updated", "deleted")}
    changed["messages"] = schema.threads.c.messages + new.excluded.messages
    return new.on_conflict_do_update(index_elements=["thread_id"], set_=changed)
