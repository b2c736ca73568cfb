"""What is not current any more, as the ledger has it: for questions about what was so before, and those about now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, and_, bindparam, exists, literal_column, or_, select

from memory.record import KINDS, OPEN, Memory, Standing
from stores import schema
from stores.database import batches
from stores.standings import folded
from stores.views import current_at

_R, _I = schema.records, schema.intervals
_SWEEPS = select(schema.events.c.id).where(schema.events.c.kind == "sweep")
# Built once: every recall asks these.
_OF_THESE = (
    select(_R.c.origin)
    .distinct()
    .join(_I, _I.c.record_id == _R.c.id)
    .where(
        _R.c.origin.in_(bindparam("origins", expanding=True)),
        _R.c.kind == "fact",
        _I.c.end <= bindparam("t"),
        _I.c.standing == "superseded",
    )
)
# Written out, as a list of parameters is put into the statement each time it runs.
_ANY_KIND = _I.c.kind.in_([literal_column(f"'{kind}'") for kind in KINDS])
_ENDS = _I.c.user_id == bindparam("user_id"), _ANY_KIND
_MOVED = select(
    or_(
        exists().where(*_ENDS, _I.c.end == OPEN, _I.c.start > bindparam("t")),
        exists().where(*_ENDS, _I.c.end > bindparam("t"), _I.c.end < OPEN),
    ).label("since"),
    # Any text is more than none; said so, the index of what expires is the one that SQLite takes.
    exists().where(_R.c.user_id == bindparam("user_id"), _R.c.expires_at > "").label("expiring"),
    exists()
    .where(
        _I.c.user_id == bindparam("user_id"),
        _I.c.kind == "fact",
        _I.c.end <= bindparam("t"),
        _I.c.standing == "superseded",
    )
    .label("superseding"),
)
_FACTS_OF = (
    select(_R.c.thread_id, _R.c.message_ids, _I.c.end)
    .join(_I, _I.c.record_id == _R.c.id)
    .where(
        _R.c.origin.in_(bindparam("origins", expanding=True)),
        _R.c.kind == "fact",
        _I.c.start <= bindparam("t"),
        or_(_I.c.end > bindparam("t"), and_(_I.c.standing == "superseded", _I.c.ended_by.not_in(_SWEEPS))),
    )
)


class Moved(NamedTuple):
    """Whether a user's memory moved `since` a moment, whether any of it is `expiring` at some time, and whether, before
    that moment, a fact had been `superseding` another."""

    since: bool
    expiring: bool
    superseding: bool


def moved(conn: Connection, user_id: str, t: int) -> Moved:
    """What `Moved` says of a user's memory as of ledger time `t`."""
    return Moved(*map(bool, conn.execute(_MOVED, {"user_id": user_id, "t": t}).one()))


def standings_at(conn: Connection, memories: Sequence[Memory], t: int) -> dict[str, Standing]:
    """How these memories stand at ledger time `t`, by id.

    What an index still says of a closed one may be of a branch that is not live any more. What a sweep ended, also for
    saying the same as another, nothing took the place of: it is "retracted" here.
    """
    ids = [m.id for m in memories]
    found: dict[str, Standing] = dict.fromkeys(ids, "retracted")
    slots = {(m.user_id, m.subject, m.attribute) for m in memories if m.subject and m.attribute}
    ended = {r: end for slot in folded(conn, slots, t).values() for r, end in slot.ended.items() if r in found}
    sweeps = set(conn.scalars(_SWEEPS.where(schema.events.c.id.in_({end.by for end in ended.values()}))))
    found |= {record_id: end.standing for record_id, end in ended.items() if end.by not in sweeps}
    for some in batches(ids):
        current = conn.scalars(select(_I.c.record_id).where(_I.c.record_id.in_(some), current_at(t)))
        found |= dict.fromkeys(current, "current")
    return found


def replaced(conn: Connection, memories: Iterable[Memory], t: int) -> set[str]:
    """The ids of those messages whose facts, as of ledger time `t`, newer ones took the place of, all of them."""
    said = {(m.thread_id, m.message_ids): m.id for m in memories if m.kind == "episode" and m.commit_id}
    origins = {m.commit_id for m in memories if m.kind == "episode" and m.commit_id}
    stands: dict[str, bool] = {}
    for some in batches(origins):
        # Few messages have a replaced fact: only their facts are read, not those of all.
        those = conn.scalars(_OF_THESE, {"origins": some, "t": t}).all()
        for row in conn.execute(_FACTS_OF, {"origins": those, "t": t}).all():
            if episode := said.get((row.thread_id, tuple(row.message_ids))):
                stands[episode] = stands.get(episode, False) or row.end > t
    return {episode for episode, stands_yet in stands.items() if not stands_yet}
