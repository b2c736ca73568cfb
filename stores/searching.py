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
from stores.candidates import Candidates
from stores.current import standing
from stores.database import Database
from stores.indexer import namespace_of
from stores.qdrant_store import PalimpsestStore
from stores.where import Where

POOL = 30
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
    database: Database, store: PalimpsestStore, user_id: str, asked: Asked, where: Where, *, limit: int = 10
) -> Searched:
    """The candidates for a question among what `where` lets through.

    An index that does not answer is a sentence: the turn goes on without memory.
    """
    if not asked.text:
        return Searched()
    try:
        found = _found(database, store, user_id, asked.text, where, max(POOL, 3 * limit))
    except Exception as error:  # Qdrant's client, its transport, or a closed folder
        return Searched(degraded=f"memory did not answer ({type(error).__name__}: {error}); nothing was recalled")
    memories = [hit.memory for hit in found.hits]
    with database.read() as conn:
        replaced = past.replaced(conn, user_id, memories, where.t)
    candidates = [
        Candidate(m, hit.dense, hit.bm25, m.id in replaced) for m, hit in zip(memories, found.hits, strict=True)
    ]
    return Searched(_as_they_stood(database, candidates, where.t) if asked.past else candidates, found.degraded)


def _found(
    database: Database, store: PalimpsestStore, user_id: str, question: str, where: Where, pool: int
) -> Candidates:
    """By the marks of what stands where that is what is asked for, else by the times."""
    namespace = namespace_of(user_id)

    def moved() -> past.Moved:
        with database.read() as conn:
            return past.moved(conn, user_id, where.t)

    if where.narrowed is not None and not (before := moved()).since:
        inside = standing(namespace, where.now, expiring=before.expiring)
        narrowed = models.Filter(must=where.narrowed) if where.narrowed else None
        found = store.hybrid(namespace, question, where=narrowed, inside=inside, pool=pool)
        # Another turn may have written meanwhile.
        if moved() == before:
            return found
    return store.hybrid(namespace, question, where=where.then, pool=pool)


def _as_they_stood(database: Database, candidates: Sequence[Candidate], t: int) -> list[Candidate]:
    """The candidates with their standing at `t`, each once: what is current, and the superseded facts."""
    with database.read() as conn:
        standing = past.standings_at(conn, [c.memory for c in candidates], t)
    once = {c.memory.id: replace(c, memory=replace(c.memory, standing=standing[c.memory.id])) for c in candidates}
    return [c for c in once.values() if c.memory.standing in ("current", "superseded")]
