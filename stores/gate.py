"""Who goes first when many turns run at once in one event loop: the one that is furthest along.

A turn's memory work is Python under one lock, so running thirteen of them side by side ends them all late, and every
model would be asked only after everybody's memory was read. In turn, the first model call begins at once, and the
others' memory is read while it runs.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

PLACES = 2
"""How much memory work runs side by side: one computes while another waits for disk or network."""


class Gate:
    """At most `PLACES` pieces of work at once; of those that wait, the one with the highest step goes first."""

    def __init__(self) -> None:
        self._free = PLACES
        self._order = itertools.count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []

    @asynccontextmanager
    async def place(self, step: int) -> AsyncIterator[None]:
        """Wait for a place, and give it on afterwards. Cancelling the wait takes no place."""
        if self._free:
            self._free -= 1
        else:
            turn = asyncio.get_running_loop().create_future()
            heapq.heappush(self._waiting, (-step, next(self._order), turn))
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._give_on()
                raise
        try:
            yield
        finally:
            self._give_on()

    def _give_on(self) -> None:
        while self._waiting:
            _, _, turn = heapq.heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


_GATES: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Gate] = weakref.WeakKeyDictionary()


def gate() -> Gate:
    """The gate of the event loop that runs."""
    return _GATES.setdefault(asyncio.get_running_loop(), Gate())
