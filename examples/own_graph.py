"""Palimpsest's steps in a graph of one's own: a help desk where refunds go to a person.

The five steps are the ones that `open_agent` wires. In between stands a choice of our own: most questions go to the
model, a refund goes to `hand_over`, which asks no model and writes a ticket from what memory knows of the customer.
Either way the turn is remembered. The checkpointer is LangGraph's own, the store is Palimpsest's.
"""

import tempfile
from pathlib import Path
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore

from graph import AgentState, Context, open_agent
from graph.drawing import draw
from graph.offline import OfflineModel
from memory import RuleExtractor
from nodes import call_llm, extract_facts, manage_context, retrieve_memory, write_memory


class DeskState(AgentState, total=False):
    """Palimpsest's state, and one key of our own."""

    ticket: str


def triage(state: DeskState) -> Literal["hand_over", "manage_context"]:
    """Our own choice: who answers this?"""
    words = state["messages"][-1].text.lower()
    return "hand_over" if "refund" in words or "退款" in words else "manage_context"


def hand_over(state: DeskState) -> dict[str, Any]:
    """Our own step: a ticket for a person, with what memory knows of the customer, and a form letter."""
    known = [memory["text"] for memory in state["recalled"]["profile"]]
    # A form letter says nothing about the customer: it stays in the thread and out of memory.
    letter = AIMessage("A colleague will write to you. 同事会联系你。", additional_kwargs={"remember": False})
    return {"ticket": f"{state['messages'][-1].text} | known: {'; '.join(known)}", "messages": [letter]}


def build(
    model: BaseChatModel, checkpointer: BaseCheckpointSaver[Any], store: BaseStore
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The desk's graph. `model` may be any LangChain chat model."""
    builder = StateGraph(DeskState, context_schema=Context)
    steps: dict[str, Any] = {
        "retrieve_memory": retrieve_memory,
        "manage_context": manage_context(),
        "call_llm": call_llm(model),
        "hand_over": hand_over,
        "extract_facts": extract_facts(RuleExtractor()),
        "write_memory": write_memory,
    }
    for name, step in steps.items():
        builder.add_node(name, step)
    builder.add_edge(START, "retrieve_memory")
    builder.add_conditional_edges("retrieve_memory", triage)
    builder.add_edge("manage_context", "call_llm")
    builder.add_edge("call_llm", "extract_facts")
    builder.add_edge("hand_over", "extract_facts")
    builder.add_edge("extract_facts", "write_memory")
    builder.add_edge("write_memory", END)
    return builder.compile(checkpointer=checkpointer, store=store)


def main() -> None:
    """Two conversations with one customer, in a folder that is thrown away."""
    with (
        tempfile.TemporaryDirectory() as folder,
        open_agent(folder, model="offline") as agent,
        SqliteSaver.from_conn_string(str(Path(folder, "desk.sqlite"))) as checkpointer,
    ):
        desk = build(OfflineModel(), checkpointer, agent.memory.index)
        print(draw(desk))

        def say(words: str, thread_id: str) -> dict[str, Any]:
            config: RunnableConfig = {"configurable": {"thread_id": thread_id}}
            state: dict[str, Any] = desk.invoke({"messages": [("user", words)]}, config, context={"user_id": "ana"})
            print(f"\n[{thread_id}] ana: {words}\n{state['messages'][-1].text}")
            return state

        say("My name is Ana. I live in Lyon.", "monday")
        say("Where do I live?", "tuesday")
        state = say("我要退款：the kettle I bought is broken", "tuesday")
        print(f"\nTicket: {state['ticket']}")

        print("\nRemembered:")
        for memory in reversed(agent.memory.list("ana")):
            print(f"- {memory.kind}: {memory.text}")


if __name__ == "__main__":
    main()
