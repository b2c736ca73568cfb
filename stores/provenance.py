"""Where a memory comes from, and what differs between two moments of memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

from sqlalchemy import Connection, select

from memory.attributes import is_single, value_key
from memory.record import OPEN, Memory
from stores import schema
from stores.rows import memory_of, moment


@dataclass(frozen=True)
class Diff:
    """What memory has at `b` and had not at `a` (`added`), and the reverse (`removed`); newest first.

    `held` is what waits for a person at `b` and did not at `a`.
    """

    a: int
    b: int
    added: tuple[Memory, ...]
    removed: tuple[Memory, ...]
    held: tuple[Memory, ...] = ()

    def to_dicts(self) -> list[dict[str, Any]]:
        """One row a memory, with "+" or "-", or "?" for one that waits without having been current; `reason` says why
        it waits."""
        why = {m.id: m.held for m in self.held}
        gone = {m.id for m in self.removed}
        signed = [("+", m) for m in self.added] + [("-", m) for m in self.removed]
        signed += [("?", m) for m in self.held if m.id not in gone]
        rows = [{"change": sign, "id": m.id, "kind": m.kind, "text": m.text} for sign, m in signed]
        return [{**row, "reason": why[row["id"]]} if row["id"] in why else row for row in rows]

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{r['change']}</td><td>{r['kind']}</td><td>{escape(r['text'])}</td></tr>" for r in self.to_dicts()
        )
        return f"<table><tr><th></th><th>kind</th><th>memory</th></tr>{rows}</table>"


@dataclass(frozen=True)
class Written:
    """A memory and the checkpoint it was written at, and whether it stands at one of the moments asked about."""

    memory_id: str
    user_id: str
    text: str
    checkpoint_id: str
    stands: bool


def written_in(conn: Connection, thread_id: str, moments: Collection[int]) -> list[Written]:
    """The memories that a thread wrote at checkpoints, oldest first. They may stand now, or at `moments` (ms)."""
    asked = {OPEN - 1, *moments}
    r, i = schema.records, schema.intervals
    mine = r.c.thread_id == thread_id
    spans = conn.execute(select(i.c.record_id, i.c.start, i.c.end).join(r, r.c.id == i.c.record_id).where(mine))
    stands = {row.record_id for row in spans if any(row.start <= t < row.end for t in asked)}
    query = select(r.c.id, r.c.user_id, r.c.text, r.c.checkpoint_id).where(mine, r.c.checkpoint_id.is_not(None))
    return [Written(*row, row.id in stands) for row in conn.execute(query.order_by(r.c.recorded_at))]


def difference(
    a: int, b: int, before: Iterable[Memory], after: Iterable[Memory], held: tuple[Memory, ...] = ()
) -> Diff:
    """The difference of two lists of what was current; `held` is what waits since."""
    old, new = {m.id: m for m in before}, {m.id: m for m in after}
    return Diff(
        a,
        b,
        tuple(m for i, m in new.items() if i not in old),
        tuple(m for i, m in old.items() if i not in new),
        held,
    )


def blame(conn: Connection, memory: Memory) -> list[dict[str, Any]]:
    """The way back from a memory to the words it was read from, through what it superseded, newest first.

    Each step has the message id and character span, speaker, time, extractor, checkpoint, commit and thread; a person's
    act has its event. What waits for a person says why, as `held`.
    """
    steps = [_step(memory, "is")]
    if memory.subject is None or memory.attribute is None:
        made_of = select(schema.records).where(schema.records.c.id.in_(memory.sources))
        rows = conn.execute(made_of.order_by(schema.records.c.recorded_at.desc())).mappings()
        return steps + [_step(memory_of(row), "source") for row in rows]
    r, lives = schema.records, schema.lives
    rows = conn.execute(
        select(r)
        .join(lives, lives.c.origin == r.c.origin)
        .where(r.c.user_id == memory.user_id, r.c.subject == memory.subject, r.c.attribute == memory.attribute)
        # What counted when this was said: what an abandoned branch had said is no part of it.
        .where(lives.c.start <= memory.recorded_at, lives.c.end > memory.recorded_at)
        .order_by(r.c.recorded_at.desc(), r.c.id)
    ).mappings()
    key, single = value_key(memory.value or ""), is_single(memory.attribute)
    for other in (memory_of(row) for row in rows):
        alike = value_key(other.value or "") == key
        if other.id == memory.id or other.recorded_at > memory.recorded_at or not (alike or single):
            continue
        steps.append(_step(other, "confirms" if alike and other.polarity == memory.polarity else "superseded"))
    return steps


def _step(memory: Memory, how: str) -> dict[str, Any]:
    step = {
        "how": how,
        "memory_id": memory.id,
        "text": memory.text,
        "speaker": memory.speaker,
        "said_at": memory.said_at.isoformat() if memory.said_at else None,
        "message_ids": list(memory.message_ids),
        "spans": [list(s) for s in memory.spans],
        "extractor": memory.extractor,
        "thread_id": memory.thread_id,
        "checkpoint_id": memory.checkpoint_id,
        "commit_id": memory.commit_id,
        "recorded_at": moment(memory.recorded_at).isoformat(),
    }
    return {**step, "held": memory.held} if memory.standing == "held" else step
