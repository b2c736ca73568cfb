"""What the delta channels of a thread were last read to hold, so that its next turn reads only what was written since.

A checkpoint reads the same for as long as it is there, whatever is pruned, copied or rolled back around it, and its id
is never given again. So what is remembered of one cannot become wrong, and it is looked for by that id alone.
"""

from __future__ import annotations

import copy
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage

THREADS = 16
"""How many threads are remembered: those that were read last."""

MOST_BYTES = 1 << 20
"""Of what a thread's values were read from, as it is stored; beyond that they are read from the file each time. What
left a thread since counts as well, so a long one is read whole again now and then."""

Thread = tuple[str, str]
"""Its id, and the namespace of the graph."""


@dataclass(frozen=True)
class Read:
    """The values of delta channels at a checkpoint, and the bytes that they were read from. Nobody may change them."""

    checkpoint_id: str
    values: Mapping[str, Any]
    size: int


class LastRead:
    """The last checkpoint of each thread that was read, with what it holds; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: OrderedDict[Thread, Read] = OrderedDict()

    def of(self, thread: Thread) -> Read | None:
        """What was read last, if it is remembered; values for others are to be made with `own`."""
        with self._lock:
            if thread in self._of:
                self._of.move_to_end(thread)
            return self._of.get(thread)

    def keep(self, thread: Thread, read: Read) -> None:
        """Remember what was read now, in place of what was before; or nothing, when it is too much."""
        with self._lock:
            self._of.pop(thread, None)
            if read.size <= MOST_BYTES:
                self._of[thread] = read
            if len(self._of) > THREADS:
                self._of.popitem(last=False)

    def forget(self, thread_id: str) -> None:
        """Forget a thread, in all of its namespaces."""
        with self._lock:
            for thread in [t for t in self._of if t[0] == thread_id]:
                del self._of[thread]


def own(value: Any) -> Any:
    """An equal value that has nothing in common with this one that anybody could change: as decoding anew would give,
    at a third of the time."""
    kind = type(value)
    if kind in _FIXED:
        return value
    if kind is list:
        return [own(item) for item in value]
    if kind is dict:
        return {name: own(item) for name, item in value.items()}
    if isinstance(value, BaseMessage):
        twin = value.model_copy()
        for fields in (twin.__dict__, twin.__pydantic_extra__ or {}):
            for name, item in fields.items():
                if type(item) not in _FIXED:
                    fields[name] = own(item)
        return twin
    return copy.deepcopy(value)


_FIXED = frozenset((str, int, float, bool, type(None)))
"""Types whose values nobody can change."""
