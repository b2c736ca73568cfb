"""The one way from the ledger to Qdrant: the outbox, applied in order, idempotently.

An interval is one point. Opening writes it as the ledger has it now, closing patches its end; both may run again.
When Qdrant does not answer, the outbox stays and the next sync goes on where this one stopped.
"""

from __future__ import annotations

import base64
import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import BindParameter, Row, bindparam, delete, func, insert, select

from memory.record import Interval
from stores import schema
from stores.database import Database
from stores.errors import PalimpsestError
from stores.qdrant_store import PalimpsestStore
from stores.rows import index_value, memory_of

ROOT = "palimpsest"
BATCH = 256
_LOG = logging.getLogger(__name__)

Namespace = tuple[str, ...]


def encode_user(user_id: str) -> str:
    """A user id as one namespace label, reversibly: any string, no empty label, no dots."""
    return "u" + base64.b32encode(user_id.encode()).decode().rstrip("=").lower()


def decode_user(label: str) -> str:
    """The inverse of `encode_user`."""
    body = label[1:].upper()
    return base64.b32decode(body + "=" * (-len(body) % 8)).decode()


def namespace_of(user_id: str, kind: str | None = None) -> Namespace:
    """The store namespace of a user's memories, of one kind or of all."""
    return (ROOT, encode_user(user_id)) + ((kind,) if kind else ())


def key_of(record_id: str, start: int) -> str:
    """The store key of one interval of a record."""
    return f"{record_id}:{start}"


_RECORDS, _INTERVALS, _OUTBOX = schema.records, schema.intervals, schema.outbox
# Made once, as every turn runs them: to make a statement takes longer than to run it.
_THESE: BindParameter[Any] = bindparam("these", expanding=True)
_WAITING = select(_OUTBOX).order_by(_OUTBOX.c.seq).limit(BATCH)
_APPLIED = delete(_OUTBOX).where(_OUTBOX.c.seq.in_(_THESE))
_POINTS = (
    select(_RECORDS, _INTERVALS.c.start, _INTERVALS.c.end, _INTERVALS.c.standing.label("closed_as"))
    .join(_INTERVALS, _INTERVALS.c.record_id == _RECORDS.c.id)
    .where(_RECORDS.c.id.in_(_THESE))
)


class Indexer:
    """Brings a `PalimpsestStore` up to date from the ledger's outbox."""

    def __init__(self, database: Database, store: PalimpsestStore) -> None:
        self.database = database
        self.store = store
        self._lock = threading.Lock()
        # Whether some points may wait for a dense vector; a process that died may have left such behind.
        self._undense = True

    def sync(self, progress: Callable[[int], None] | None = None, *, waits: bool = True) -> str | None:
        """Apply what waits, oldest first; returns None, or one sentence saying why Qdrant is behind.

        `waits` False says that nothing does (`stores.standings.is_behind`). It never raises for a Qdrant that does not
        answer: the ledger has everything, and the next call goes on.
        """
        with self._lock:
            while waits:
                with self.database.read() as conn:
                    rows = conn.execute(_WAITING).all()
                    values = self._values(conn, rows) if rows else {}
                if not rows:
                    break
                try:
                    self._apply(rows, values)
                except Exception as error:  # any client or transport failure: said, logged, and tried again later
                    _LOG.warning("Qdrant is behind the ledger: %s", error)
                    return f"Qdrant is behind the ledger ({type(error).__name__}); it catches up at the next turn"
                with self.database.write() as conn:
                    conn.execute(_APPLIED, {"these": [r.seq for r in rows]})
                if progress:
                    progress(len(rows))
                waits = len(rows) == BATCH  # whoever writes more syncs it too
            return self._embed_missing()

    def _embed_missing(self) -> str | None:
        if not self._undense:
            return None
        try:
            while self.store.embed_missing():
                pass
        except Exception as error:  # any embedder failure: recall goes on by words, and it is tried again later
            _LOG.warning("Some memories wait for their dense vectors: %s", error)
            return f"some memories are found by their words only ({type(error).__name__}); the rest follows"
        self._undense = False
        return None

    def _values(self, conn: Any, rows: Sequence[Row[Any]]) -> dict[tuple[str, int], tuple[Namespace, dict[str, Any]]]:
        found = conn.execute(_POINTS, {"these": sorted({r.record_id for r in rows})}).mappings()
        return {
            (row["id"], row["start"]): (
                namespace_of(row["user_id"], row["kind"]),
                index_value(memory_of(row), Interval(row["start"], row["end"]), row["closed_as"]),
            )
            for row in found
        }

    def _apply(self, rows: Sequence[Row[Any]], values: dict[tuple[str, int], tuple[Namespace, dict[str, Any]]]) -> None:
        opened = {(r.record_id, r.start) for r in rows if r.what != "close"} & values.keys()
        closed = {(r.record_id, r.start) for r in rows if r.what == "close"} & values.keys() - opened
        if opened and self.store.write([(values[p][0], key_of(*p), values[p][1]) for p in sorted(opened)]):
            self._undense = True
        patches: dict[Namespace, dict[str, dict[str, Any]]] = {}
        for point in sorted(closed):
            namespace, value = values[point]
            patches.setdefault(namespace, {})[key_of(*point)] = {
                "end": value["end"],
                "standing": value["standing"],
            }
        for namespace, changes in patches.items():
            self.store.patch(namespace, changes)

    def rebuild(self, progress: Callable[[int], None] | None = None) -> int:
        """Make the index anew from the ledger; returns how many points it has. Raises `PalimpsestError` half way."""
        self.store.reset()
        with self.database.write() as conn:
            conn.execute(delete(schema.outbox))
            points = select(schema.intervals.c.record_id, schema.intervals.c.start).order_by(
                schema.intervals.c.start, schema.intervals.c.record_id
            )
            rows = [{"record_id": r.record_id, "start": r.start, "what": "open"} for r in conn.execute(points)]
            if rows:
                conn.execute(insert(schema.outbox), rows)
        if behind := self.sync(progress):
            raise PalimpsestError(f"The rebuild is not complete: {behind}. The ledger is unharmed; run it again.")
        return len(rows)

    def waiting(self) -> int:
        """How many changes Qdrant has not seen yet."""
        with self.database.read() as conn:
            return int(conn.execute(select(func.count()).select_from(schema.outbox)).scalar_one())
