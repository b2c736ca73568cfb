"""From a question to its candidates: one search of the index, and the ledger's word on what is not current any more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from qdrant_client.models import Filter

from memory.question import Asked
from memory.relevance import Scale, signs
from memory.signals import Candidate, Found
from stores import past
from stores.database import Database
from stores.indexer import namespace_of
from stores.qdrant_store import PalimpsestStore

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
    database: Database, store: PalimpsestStore, user_id: str, asked: Asked, where: Filter, t: int, *, limit: int = 10
) -> Searched:
    """The candidates for a question among what `where` lets through at ledger time `t`.

    An index that does not answer is a sentence: the turn goes on without memory.
    """
    if not asked.text:
        return Searched()
    try:
        found = store.hybrid(namespace_of(user_id), asked.text, where=where, pool=max(POOL, 3 * limit))
    except Exception as error:  # Qdrant's client, its transport, or a closed folder
        return Searched(degraded=f"memory did not answer ({type(error).__name__}: {error}); nothing was recalled")
    memories = [hit.memory for hit in found.hits]
    with database.read() as conn:
        replaced = past.replaced(conn, user_id, memories, t)
    candidates = [
        Candidate(m, hit.dense, hit.bm25, m.id in replaced) for m, hit in zip(memories, found.hits, strict=True)
    ]
    return Searched(_as_they_stood(database, candidates, t) if asked.past else candidates, found.degraded)


def _as_they_stood(database: Database, candidates: Sequence[Candidate], t: int) -> list[Candidate]:
    """The candidates with their standing at `t`, each once: what is current, and the superseded facts."""
    with database.read() as conn:
        standing = past.standings_at(conn, [c.memory for c in candidates], t)
    once = {c.memory.id: replace(c, memory=replace(c.memory, standing=standing[c.memory.id])) for c in candidates}
    return [c for c in once.values() if c.memory.standing in ("current", "superseded")]
