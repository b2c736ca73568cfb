"""Reading memory from the ledger alone: what there is, where it comes from, what changed. No index and no recall."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from langchain_core.runnables import RunnableConfig
from sqlalchemy import Connection

from memory.record import KINDS, Memory
from stores import provenance, views
from stores.database import Database
from stores.database import now as ledger_time
from stores.errors import BadInput, NotFound
from stores.ledger import Ledger
from stores.provenance import Diff
from stores.usage import memory_cost

PROFILE_LIMIT = 40
"""How many facts about the user a memory block may hold."""
AsOf = datetime | int | RunnableConfig
"""A moment of memory: an aware time, a ledger time (ms), or a checkpoint's config."""


class MemoryReader:
    """What the ledger says of memory. Methods raise `PalimpsestError`s whose messages are meant for a person."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.ledger = Ledger(database)
        # How a checkpoint is told its moment of memory; whoever has the graph sets it.
        self.memory_time_of: Callable[[RunnableConfig], int] | None = None

    def list(
        self,
        user_id: str,
        *,
        kind: str | None = None,
        standing: str = "current",
        as_of: AsOf | None = None,
        limit: int | None = None,
    ) -> builtins.list[Memory]:
        """A user's memories, newest first; `standing="all"` for everything that ever stood."""
        one_of("kind", kind, KINDS)
        one_of("standing", standing, ("all", "current", "superseded", "retracted", "expired", "held"))
        with self.database.read() as conn:
            return views.list_memories(
                conn,
                checked_user(user_id),
                self.database.clock(),
                kind=kind,
                standing=standing,
                as_of=self.ledger_time_of(as_of),
                limit=limit,
            )

    def newest_facts(self, user_id: str, t: int, limit: int) -> builtins.list[Memory]:
        """The facts that were current at ledger time `t`, the newest first."""
        return self.list(user_id, kind="fact", as_of=t, limit=limit)

    def get(self, user_id: str, memory_id: str) -> Memory:
        """One memory with its standing and intervals. Raises `NotFound`."""
        with self.database.read() as conn:
            found = views.get_memory(conn, checked_user(user_id), memory_id, self.database.clock())
        if found is None:
            raise NotFound(f"No memory {memory_id!r} was found for this user.")
        return found

    def find(self, user_id: str, beginning: str) -> str:
        """The id that begins so. Raises `NotFound` for none of the user's, or for several."""
        with self.database.read() as conn:
            return only(views.ids_beginning(conn, checked_user(user_id), beginning), beginning, "memory", "memories")

    def find_undoable(self, user_id: str, beginning: str) -> str:
        """The turn, commit or memory whose id begins so. Raises `NotFound` for none, or for several."""
        with self.database.read() as conn:
            found = views.turns_beginning(conn, checked_user(user_id), beginning)
            found += views.ids_beginning(conn, user_id, beginning)
        return only(found, beginning, "turn, commit or memory", "turns, commits or memories")

    def history(self, user_id: str, memory_id: str) -> builtins.list[dict[str, Any]]:
        """Everything that was said about what this memory says, oldest first. Raises `NotFound`."""
        memory = self.get(user_id, memory_id)
        with self.database.read() as conn:
            return views.history(conn, memory)

    def blame(self, user_id: str, memory_id: str) -> builtins.list[dict[str, Any]]:
        """The way back from a memory to the words it was read from, through what it superseded, newest first.

        Raises `NotFound`.
        """
        memory = self.get(user_id, memory_id)
        with self.database.read() as conn:
            return provenance.blame(conn, memory)

    def diff(self, user_id: str, a: AsOf, b: AsOf | None = None, *, kind: str | None = None) -> Diff:
        """What became current between two moments, what ceased to be, and what waits since; `b` None is now."""
        before = self.ledger_time_of(a) or 0
        after = self.ledger_time_of(b)
        after = self.ledger.now() if after is None else after
        at_a, at_b = (self.list(user_id, kind=kind, as_of=t) for t in (before, after))
        waited, waits = (self.list(user_id, kind=kind, standing="held", as_of=t) for t in (before, after))
        new = tuple(m for m in waits if m.id not in {w.id for w in waited})
        return provenance.difference(before, after, at_a, at_b, new)

    def stats(self, user_id: str) -> dict[str, Any]:
        """Counts of what is kept for a user."""
        with self.database.read() as conn:
            return views.stats(conn, checked_user(user_id))

    def cost(self, user_id: str) -> dict[str, Any]:
        """What memory cost a user in model calls and tokens, in all and by thread; see `stores.usage.memory_cost`."""
        with self.database.read() as conn:
            return memory_cost(conn, checked_user(user_id))

    def profile(self, user_id: str, t: int | None = None) -> builtins.list[Memory]:
        """The facts about the user that every memory block holds."""
        with self.database.read() as conn:
            return self._profile(conn, checked_user(user_id), ledger_time(conn) if t is None else t)

    def _profile(self, conn: Connection, user_id: str, t: int) -> builtins.list[Memory]:
        return views.profile(conn, user_id, t, self.database.clock(), PROFILE_LIMIT)

    def ledger_time_of(self, as_of: AsOf | None) -> int | None:
        """A moment of memory as ledger time (ms); None stays None, which is now. Raises `BadInput`."""
        if isinstance(as_of, datetime):
            when = aware(as_of, "as_of")
            return int(when.astimezone(UTC).timestamp() * 1000) if when else None
        if isinstance(as_of, Mapping):
            if self.memory_time_of is None:
                raise BadInput("This book knows no checkpoints; give a time, or open the agent with its graph.")
            return self.memory_time_of(as_of)
        return as_of


def checked_user(user_id: str) -> str:
    """A user id as given. Raises `BadInput` for what is none."""
    if not isinstance(user_id, str) or not user_id:
        raise BadInput("A user id is a string that is not empty. Nothing was read or changed.")
    return user_id


def only(found: Sequence[str], beginning: str, one: str, many: str) -> str:
    """The one id that a beginning stands for. Raises `NotFound` for none, or for several."""
    if len(found) > 1 and beginning not in found:
        raise NotFound(f"Several {many} begin with {beginning!r}: {', '.join(found)}. Nothing was changed.")
    if not found:
        raise NotFound(f"No {one} {beginning!r} was found for this user. Nothing was changed.")
    return beginning if beginning in found else found[0]


def one_of(name: str, value: str | None, allowed: Sequence[str]) -> None:
    """Raise `BadInput` for a value that is not one of the allowed; None is."""
    if value is not None and value not in allowed:
        raise BadInput(f"Unknown {name} {value!r}; it is one of {', '.join(allowed)}.")


def aware(when: datetime | None, name: str) -> datetime | None:
    """A time as given. Raises `BadInput` for one without a zone."""
    if when is not None and when.tzinfo is None:
        raise BadInput(f"{name}={when.isoformat()} has no time zone; give an aware time, such as datetime.now(UTC).")
    return when
