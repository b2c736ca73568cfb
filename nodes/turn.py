"""What every step of a turn needs to know: whose turn it is, with what settings, and which memory serves it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore

from memory.privacy import redact
from memory.record import USER, Utterance, stable_id
from memory.text import clean, content_text
from nodes.context import Context
from stores.errors import BadInput, MissingUser, NotYours
from stores.plain import PlainMemory, TurnMemory

State = Mapping[str, Any]

ANY_USER = "palimpsest:any-user"
"""The permission with which one who is signed in to a server may speak for others."""


def memory_of(store: BaseStore | None) -> TurnMemory:
    """The memory behind a run's store: Palimpsest's own book, or a plain store's search and put."""
    if store is None:
        raise BadInput(
            "This graph runs without a store, so it has nowhere to keep memory. Nothing was changed; compile it with "
            "store=..., or use graph.open_agent."
        )
    book: TurnMemory | None = getattr(store, "book", None)
    return book if book is not None else PlainMemory(store)


def thread_of(config: RunnableConfig, state: State) -> str:
    """The run's thread id, as a string. A run without one is a thread of its own, named after what was said."""
    given = (config.get("configurable") or {}).get("thread_id")
    return str(given) if given else f"run:{turn_of('', state.get('messages') or ())}"


def context_of(state: State, config: RunnableConfig, runtime: Runtime[Any], memory: TurnMemory) -> Context:
    """This run's context; on a resume without one, what the state kept, or whom the ledger knows for the thread.

    Whom a server's auth let in comes before what was kept, and may name another only with the permission
    `ANY_USER`. PALIMPSEST_DEFAULT_USER is for a server that nobody signs in to. Raises `MissingUser` when nothing
    says whose memory it is, `NotYours` when it is someone else's.
    """
    given = runtime.context
    if isinstance(given, Mapping):
        given = Context(**given)
    context = given if isinstance(given, Context) else Context.of(state.get("settings"), state.get("user_id"))
    configurable = config.get("configurable") or {}
    signed_in = configurable.get("langgraph_auth_user_id")  # reserved: a server refuses it from its callers
    permissions = configurable.get("langgraph_auth_permissions") or ()
    if (
        signed_in
        and ANY_USER not in permissions
        and not {context.user_id, state.get("user_id")} <= {None, "", signed_in}
    ):
        raise NotYours(f"You are signed in as {signed_in!r}, and this memory is not yours. Nothing was changed.")
    user_id = context.user_id or signed_in or state.get("user_id") or memory.user_of(thread_of(config, state))
    user_id = user_id or os.environ.get("PALIMPSEST_DEFAULT_USER")
    if not user_id or not isinstance(user_id, str):
        raise MissingUser(
            "This run does not say whose memory it is. Nothing was read or written; pass "
            'context={"user_id": "..."} to invoke.'
        )
    return replace(context, user_id=user_id)


def replayed_at(config: RunnableConfig, state: State, context: Context) -> int | None:
    """The ledger time that a replay recalls at; None in a live run. A replay writes no memory.

    `threads.replay` says the time. A run on an older checkpoint that asks for the `memory_view` "checkpoint" recalls as
    of that one (LangGraph moves the thread all the same).
    """
    at = (config.get("configurable") or {}).get("memory_as_of")
    if at is not None:
        return int(at)
    older = (config.get("metadata") or {}).get("checkpoint_id")
    return state.get("memory_time") if older and context.memory_view == "checkpoint" else None


def settled(state: State) -> Context:
    """The context as `retrieve_memory` settled it at the start of the turn."""
    return Context.of(state.get("settings"), state.get("user_id"))


def last_human(messages: Sequence[AnyMessage]) -> HumanMessage | None:
    """The message that this turn answers."""
    return next((m for m in reversed(messages) if isinstance(m, HumanMessage)), None)


def turn_of(thread_id: str, messages: Sequence[AnyMessage]) -> str:
    """The turn's id: the same thread and human message are the same turn, on whatever branch it runs again."""
    human = last_human(messages)
    return stable_id("turn", thread_id, human.id if human else None)


def words_of(message: AnyMessage) -> str:
    """A message's text as memory may see it: cleaned, and redacted."""
    return redact(clean(content_text(message.content))).text


def after(messages: Sequence[AnyMessage], message_id: str | None) -> list[AnyMessage]:
    """The messages that came after one; all of them when it is None or gone."""
    for i, m in enumerate(messages):
        if m.id == message_id and message_id is not None:
            return list(messages[i + 1 :])
    return list(messages)


def utterances(messages: Sequence[AnyMessage], said_at: datetime) -> list[Utterance]:
    """Messages as memory sees them. System text is nobody's words; neither is what a failed tool reports.

    In a message's `additional_kwargs`, `said_at` is its own time (ISO 8601 with an offset), and `remember` False keeps
    it in the transcript alone.
    """
    return [
        Utterance(
            str(m.id),
            words_of(m),
            _speaker(m),
            _own_time(m) or said_at,
            keep=m.additional_kwargs.get("remember") is not False,
        )
        for m in messages
        if _speaker(m) and words_of(m).strip()
    ]


def _speaker(message: AnyMessage) -> str:
    if isinstance(message, HumanMessage):
        return USER
    if isinstance(message, AIMessage):
        return "assistant"
    return "tool" if isinstance(message, ToolMessage) and message.status != "error" else ""


def _own_time(message: AnyMessage) -> datetime | None:
    given = message.additional_kwargs.get("said_at")
    if given is None:
        return None
    when = datetime.fromisoformat(given) if isinstance(given, str) else given
    if when.tzinfo is None:
        raise BadInput(f"said_at={given} has no time zone. Nothing was stored; give it with an offset, such as +08:00.")
    return when


def moment_of(state: State) -> datetime:
    """The turn's own time, as an aware moment."""
    return datetime.fromtimestamp(state["memory_time"] / 1000, UTC)
