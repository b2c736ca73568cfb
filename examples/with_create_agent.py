"""LangChain's `create_agent` on Palimpsest's store: notes of its own, and Palimpsest's memories to read.

Palimpsest's store is a LangGraph `BaseStore`. Under a root of one's own, here "notes", it is a plain store: `put`,
`get`, `search` and `delete` do what they do in any other. Under the root "palimpsest" lie the memories that Palimpsest
keeps, and they are read by the same `search`. What is put or deleted there counts as the user's own correction.

The model is a script, so that this runs without a key; any LangChain chat model that calls tools takes its place.
"""

import tempfile
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from langchain.agents import create_agent
from langchain.tools import ToolRuntime, tool
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore, SearchItem

from graph import Context, open_agent
from graph.models import ScriptedModel
from stores.indexer import encode_user, namespace_of


def notes_of(user_id: str) -> tuple[str, str]:
    """The namespace of a user's notes. A label may hold no dot, as an e-mail address does, so the id is encoded."""
    return ("notes", encode_user(user_id))


@tool
def save_note(text: str, runtime: ToolRuntime[Context]) -> str:
    """Save a note for the user."""
    user_id, store = _who_and_where(runtime)
    store.put(notes_of(user_id), str(uuid4()), {"text": text})
    return "Saved."


@tool
def search_notes(query: str, runtime: ToolRuntime[Context]) -> str:
    """Search the notes that were saved for the user."""
    user_id, store = _who_and_where(runtime)
    return _lines("note", store.search(notes_of(user_id), query=query, limit=3))


@tool
def search_memories(query: str, runtime: ToolRuntime[Context]) -> str:
    """Search the facts that are remembered about the user."""
    user_id, store = _who_and_where(runtime)
    # Memories are never overwritten: without this filter, what was true once is found as well.
    found = store.search(namespace_of(user_id, "fact"), query=query, filter={"standing": "current"}, limit=3)
    return _lines("fact", found)


def _who_and_where(runtime: ToolRuntime[Context]) -> tuple[str, BaseStore]:
    assert runtime.context.user_id
    assert runtime.store
    return runtime.context.user_id, runtime.store


def _lines(kind: str, found: Sequence[SearchItem]) -> str:
    return "\n".join(f"- {kind}: {item.value['text']}" for item in found) or f"- no {kind} found"


def build(model: BaseChatModel, store: BaseStore) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The agent. Whose notes and memories it may read, its context says, not the model."""
    return create_agent(model, [save_note, search_notes, search_memories], context_schema=Context, store=store)


def script(messages: Sequence[BaseMessage]) -> AIMessage:
    """In the place of a model: a note is saved, anything else is looked up in both places at once."""
    last = messages[-1]
    if isinstance(last, ToolMessage):
        answered = [m.text for m in messages if isinstance(m, ToolMessage)]
        return AIMessage("\n".join(answered))
    asked, _, note = last.text.partition("Note: ")
    if note:
        return _calling(save_note={"text": note})
    return _calling(search_notes={"query": asked}, search_memories={"query": asked})


def _calling(**calls: dict[str, str]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": name} for name, args in calls.items()])


def main() -> None:
    """Palimpsest hears two facts; an agent of LangChain's saves a note, and finds both."""
    with tempfile.TemporaryDirectory() as folder, open_agent(folder, model="offline") as agent:
        for words in ("I live in Paris", "I moved to Lyon", "我对花生过敏"):
            agent.graph.invoke(
                {"messages": [("user", words)]},
                {"configurable": {"thread_id": "before"}},
                context={"user_id": "ana@example.com"},
            )
        assistant = build(ScriptedModel(script), agent.memory.index)
        for user_id, words in (
            ("ana@example.com", "Note: the market in Lyon opens at seven"),
            ("ana@example.com", "Which city do I live in, and when does the market open?"),
            ("ana@example.com", "我能吃花生吗？"),
            ("bob@example.com", "When does the market open?"),
        ):
            state = assistant.invoke({"messages": [("user", words)]}, context=Context(user_id=user_id))
            print(f"{user_id}: {words}\n{state['messages'][-1].text}\n")


if __name__ == "__main__":
    main()
