"""Clocks for tests and replays: time that moves only when it is told to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class ManualClock:
    """A clock that stands still until `advance`d; the shipped double of `memory.record.Clock`."""

    def __init__(self, start: datetime | None = None) -> None:
        self.time = start or datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        """The time it stands at, aware."""
        return self.time

    def advance(self, **by: float) -> None:
        """Move on by a `timedelta`'s keywords, such as `days=1`."""
        self.time += timedelta(**by)
