"""What the delta channels of a thread were last read to hold, so that its next turn reads only what was written since.

What a checkpoint builds on reads the same for as long as it is there, whatever is pruned, copied or rolled back around
it, and its id is never given again. So what is remembered of one cannot become wrong, and it is looked for by that id
alone; what the checkpoint itself holds goes before it.
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

MOST_TEXT = 1 << 20
"""Characters of a thread's values; with more they are read from the file each time."""


@dataclass(frozen=True)
class Read:
    """The values of delta channels before a checkpoint's own writes. Nobody may change them."""

    checkpoint_id: str
    values: Mapping[str, Any]


class LastRead:
    """The last checkpoint of each thread that was read, with what it holds; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: OrderedDict[str, Read] = OrderedDict()

    def of(self, thread_id: str) -> Read | None:
        """What was read last, if it is remembered; values for others are to be made with `own`."""
        with self._lock:
            if thread_id in self._of:
                self._of.move_to_end(thread_id)
            return self._of.get(thread_id)

    def keep(self, thread_id: str, read: Read) -> None:
        """Remember what was read now, in place of what was before; or nothing, when it is too much."""
        with self._lock:
            self._of.pop(thread_id, None)
            if text_of(read.values) <= MOST_TEXT:
                self._of[thread_id] = read
            if len(self._of) > THREADS:
                self._of.popitem(last=False)

    def forget(self, thread_id: str) -> None:
        """Forget a thread."""
        with self._lock:
            self._of.pop(thread_id, None)


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


def text_of(value: Any) -> int:
    """About how many characters a value holds; what is neither text, list, mapping nor message counts as a few."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, BaseMessage):
        fields = value.__dict__
        return sum(text_of(fields[name]) for name in _LONG if fields.get(name))
    if isinstance(value, list):
        return sum(map(text_of, value))
    if isinstance(value, Mapping):
        return sum(map(text_of, value.values()))
    return 8


_LONG = "content", "additional_kwargs", "tool_calls", "artifact"
"""The fields of a message that may be long."""


_FIXED = frozenset((str, int, float, bool, type(None)))
"""Types whose values nobody can change."""
