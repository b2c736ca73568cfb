"""The reducer for delta channels of messages: their ids are the same at every read.

A delta channel is rebuilt by replaying its writes, in larger batches than they were made in. So a reducer must give
the same result for the same writes, however they are cut: `f(f(s, xs), ys) == f(s, xs + ys)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from langchain_core.messages import (
    AnyMessage,
    BaseMessage,
    BaseMessageChunk,
    RemoveMessage,
    convert_to_messages,
    message_chunk_to_message,
)
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from memory.record import stable_id
from memory.text import clean

_ROLES = frozenset({"human", "user", "ai", "assistant", "system", "developer"})


def reduce_messages(state: Sequence[Any] | None, writes: Sequence[Any]) -> list[AnyMessage]:
    """Apply writes to a list of messages; each write is a message, dict, string or (role, text), or a list of those.

    A message without an id gets one derived from the id before it, its type and its content, so two equal messages
    in a row differ and a second read agrees with the first. A message with a known id replaces that one in its place,
    `RemoveMessage` takes it out, `REMOVE_ALL_MESSAGES` takes out all that came before. Costs one pass over the state
    and the writes together. Nothing that was passed in is changed.

    Unlike `add_messages` it ignores the removal of a message that is not there: an error would come back at every
    replay and make the thread unreadable. Raises what `convert_to_messages` raises for what is no message.
    """
    messages = cast("list[AnyMessage | None]", _messages(state or ()))
    places = {m.id: i for i, m in enumerate(messages) if m is not None}
    last = messages[-1].id if messages and messages[-1] is not None else None
    for message in map(_cleaned, _messages([m for w in writes for m in _parts(w)])):
        if isinstance(message, RemoveMessage):
            if message.id == REMOVE_ALL_MESSAGES:
                messages, places = [], {}
            elif (place := places.pop(message.id, None)) is not None:
                messages[place] = None
            last = None
            continue
        if not message.id:
            before = last or next((m.id for m in reversed(messages) if m is not None), None)
            while (before := stable_id(before, message.type, message.content)) in places:
                pass  # taken only where a message was removed and came back further down
            message = message.model_copy(update={"id": before})
        if (place := places.get(message.id)) is not None:
            messages[place] = message
        else:
            places[message.id] = len(messages)
            messages.append(message)
            last = message.id
    return [m for m in messages if m is not None]


def _parts(write: Any) -> Sequence[Any]:
    """The messages of one write. A (role, text) comes back from a checkpoint as a list, so such a list is one too."""
    if not isinstance(write, list):
        return (write,)
    is_pair = len(write) == 2 and isinstance(write[0], str) and write[0] in _ROLES and isinstance(write[1], str | list)
    return (write,) if is_pair else write


def _cleaned(message: AnyMessage) -> AnyMessage:
    """The message with text that every store can keep: this is where words enter."""
    content = message.content
    if isinstance(content, str):
        kept: Any = clean(content)
    else:
        kept = [_cleaned_part(part) for part in content]
    return message if kept == content else message.model_copy(update={"content": kept})


def _cleaned_part(part: Any) -> Any:
    if isinstance(part, str):
        return clean(part)
    return {**part, "text": clean(part["text"])} if isinstance(part.get("text"), str) else part


def _messages(items: Sequence[Any]) -> list[AnyMessage]:
    # A long history has few distinct types, and all of them are plain messages.
    if not all(issubclass(t, BaseMessage) and not issubclass(t, BaseMessageChunk) for t in set(map(type, items))):
        items = [
            message_chunk_to_message(m) if isinstance(m, BaseMessageChunk) else m for m in convert_to_messages(items)
        ]
    return cast("list[AnyMessage]", list(items))
