"""Which of a user's points a search looks at: those that stood at a moment and are let through by the filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from qdrant_client import models

from memory.explaining import Filter
from memory.record import Memory


@dataclass(frozen=True)
class Filters:
    """What narrows a recall: kinds, a thread, tags, and when something was said (half-open, aware)."""

    kinds: Sequence[str] | None = None
    thread_id: str | None = None
    tags: Sequence[str] | None = None
    since: datetime | None = None
    until: datetime | None = None

    def must(self) -> list[models.Condition]:
        """The conditions as Qdrant takes them; none when nothing narrows."""
        must: list[models.Condition] = []
        if self.kinds is not None:
            must.append(models.FieldCondition(key="value.kind", match=models.MatchAny(any=list(self.kinds))))
        if self.thread_id is not None:
            must.append(models.FieldCondition(key="value.thread_id", match=models.MatchValue(value=self.thread_id)))
        if self.tags is not None:
            must.append(models.FieldCondition(key="value.tags", match=models.MatchAny(any=list(self.tags))))
        if self.since is not None:
            must.append(_range("value.said_ms", gte=_ms(self.since)))
        if self.until is not None:
            must.append(_range("value.said_ms", lt=_ms(self.until)))
        return must

    def against(self, memory: Memory) -> tuple[Filter, ...]:
        """Which of these do not let a memory through."""
        said = _ms(memory.said_at) if memory.said_at else memory.recorded_at
        early = self.since is not None and said < _ms(self.since)
        late = self.until is not None and said >= _ms(self.until)
        fails: dict[Filter, bool] = {
            "kind": self.kinds is not None and memory.kind not in self.kinds,
            "thread": self.thread_id is not None and memory.thread_id != self.thread_id,
            "tag": self.tags is not None and not set(self.tags) & set(memory.tags),
            "time": early or late,
        }
        return tuple(name for name, failed in fails.items() if failed)

    def named(self) -> tuple[Filter, ...]:
        """Which of them there are."""
        time = self.since is not None or self.until is not None
        given: dict[Filter, bool] = {
            "kind": self.kinds is not None,
            "thread": self.thread_id is not None,
            "tag": self.tags is not None,
            "time": time,
        }
        return tuple(name for name, there in given.items() if there)

    def __bool__(self) -> bool:
        """Whether anything narrows."""
        return bool(self.named())


class Where(NamedTuple):
    """What a search looks at, as of ledger time `t`: `then` has the conditions, the times among them.

    `narrowed` are those of the filters alone, for a search of what stands now, which `stores.current` finds quicker;
    None where that is not what is looked for. `now` is the moment by which what expires has to be still good.
    """

    t: int
    now: datetime
    then: models.Filter
    narrowed: list[models.Condition] | None = None


def conditions(t: int, now: datetime, filters: Filters | None = None, *, past: bool = False) -> Where:
    """A recall's: what stood at ledger time `t`, had not expired, and is let through by `filters`.

    With `past` also what newer facts took the place of. The times are excluded rather than asked for, which every
    record of ours has: Qdrant then begins with the user's points and looks at each once, instead of once a condition.
    """
    ended: models.Condition = _range("value.end", lte=t)
    if past:
        superseded = models.FieldCondition(key="value.standing", match=models.MatchValue(value="superseded"))
        ended = models.Filter(must=[ended], must_not=[superseded])
    outside: list[models.Condition] = [
        _range("value.start", gt=t),
        ended,
        _range("value.expires_ms", lte=_ms(now)),
    ]
    narrowed = (filters or Filters()).must()
    return Where(t, now, models.Filter(must=narrowed, must_not=outside), None if past else narrowed)


def closed(t: int, now: datetime, filters: Filters) -> Where:
    """What had stood before ledger time `t` and does not then, or had expired."""
    ended = models.Filter(should=[_range("value.end", lte=t), _range("value.expires_ms", lte=_ms(now))])
    return Where(t, now, models.Filter(must=[*filters.must(), ended], must_not=[_range("value.start", gt=t)]))


def _range(key: str, **bounds: int) -> models.FieldCondition:
    return models.FieldCondition(key=key, range=models.Range(**bounds))


def _ms(when: datetime) -> int:
    return int(when.timestamp() * 1000)
