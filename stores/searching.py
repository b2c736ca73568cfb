"""From a question to its candidates: one search of the index, and the ledger's word on what is not current any more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from qdrant_client import models

from memory.question import Asked
from memory.relevance import Scale, signs
from memory.signals import Candidate, Found
from stores import past
from stores.current import standing
from stores.database import Database
from stores.indexer import namespace_of
from stores.qdrant_store import PalimpsestStore
from stores.where import Where

POOL = 60
"""How many candidates each leg of a search brings, and at least three for each result asked for."""


@dataclass(frozen=True)
class Searched:
    """What a search found, in no order; `degraded` says in a sentence what did not work."""

    candidates: Sequence[Candidate] = ()
    degraded: str | None = None

    def signs(self, asked: Asked, *, now: datetime, scale: Scale) -> tuple[float, float] | None:
        """The signs that any candidate bears on the question (`memory.relevance.signs`); None without candidates."""
        return signs(Found(self.candidates, asked, now=now, floor=scale.floor)) if self.candidates else None


def search(
    database: Database,
    store: PalimpsestStore,
    user_id: str,
    asked: Asked,
    where: Where,
    *,
    before: past.Moved | None = None,
    limit: int = 10,
) -> Searched:
    """The candidates for a question among what `where` lets through.

    `before` is `past.moved` of this user as of `where.t`, where whoever asks has read it already.

    An index that does not answer is a sentence: the turn goes on without memory.
    """
    if not asked.text:
        return Searched()
    namespace, inside = namespace_of(user_id), None
    narrowed: models.Filter | None = where.then
    if before is None:
        with database.read() as conn:
            before = past.moved(conn, user_id, where.t)
    if where.narrowed is not None and not before.since:
        inside = standing(namespace, where.now, expiring=before.expiring)
        narrowed = models.Filter(must=where.narrowed) if where.narrowed else None
    try:
        found = store.hybrid(namespace, asked.text, where=narrowed, inside=inside, pool=max(POOL, 3 * limit))
    except Exception as error:  # Qdrant's client, its transport, or a closed folder
        return Searched(degraded=f"memory did not answer ({type(error).__name__}: {error}); nothing was recalled")
    memories = [hit.memory for hit in found.hits]
    with database.read() as conn:
        moved_meanwhile = inside is not None and past.moved(conn, user_id, where.t) != before
        replaced = past.replaced(conn, memories, where.t) if before.superseding else set()
    if moved_meanwhile:  # by another turn, and marks tell nothing of what stood before: the times do
        return search(database, store, user_id, asked, where._replace(narrowed=None), limit=limit)
    candidates = [
        Candidate(m, hit.dense, hit.bm25, m.id in replaced) for m, hit in zip(memories, found.hits, strict=True)
    ]
    return Searched(_as_they_stood(database, candidates, where.t) if asked.past else candidates, found.degraded)


def _as_they_stood(database: Database, candidates: Sequence[Candidate], t: int) -> list[Candidate]:
    """The candidates with their standing at `t`, each once: what is current, and the superseded facts."""
    with database.read() as conn:
        standing = past.standings_at(conn, [c.memory for c in candidates], t)
    once = {c.memory.id: c._replace(memory=replace(c.memory, standing=standing[c.memory.id])) for c in candidates}
    return [c for c in once.values() if c.memory.standing in ("current", "superseded")]
