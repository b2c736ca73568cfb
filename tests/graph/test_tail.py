"""The bounded tail: a state keeps so many messages, a summary covers the rest, and nothing is lost by it."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, SystemMessage

from graph import open_agent
from graph.scripted_model import ScriptedModel
from memory.clock import ManualClock
from memory.window import Line
from memory.window_strategy import leaving
from nodes.tail import outgrown
from stores.embeddings import HashEmbeddings

CONFIG = {"configurable": {"thread_id": "t"}}


@pytest.fixture
def agent(tmp_path):
    with open_agent(tmp_path, model="offline", embeddings=HashEmbeddings(), clock=ManualClock()) as opened:
        yield opened


def say(agent, words, where=CONFIG, **context):
    context = {"user_id": "alice", "max_messages": 8, **context}
    return agent.graph.invoke({"messages": [("user", words)]}, where, context=context)


def humans(state):
    return [m.text for m in state["messages"] if m.type == "human"]


@pytest.mark.parametrize("strategy", ["window", "priority", "summary", "hybrid"])
def test_a_state_keeps_so_many_messages_and_begins_with_a_human_one(agent, strategy):
    lengths = []
    for i in range(20):
        state = say(agent, f"第{i}次：我去过{i}号公园", context_strategy=strategy)
        assert state["messages"][0].type == "human"
        lengths.append(len(state["messages"]))
    assert max(lengths[4:]) == 8
    assert humans(state) == [f"第{i}次：我去过{i}号公园" for i in range(20 - lengths[-1] // 2, 20)]
    assert agent.threads.show("t")["messages"] == 40
    assert len(agent.memory.list("alice", kind="episode")) == 20


def test_what_leaves_the_state_is_in_the_summary(agent):
    say(agent, "Order 4471 is mine", context_strategy="hybrid")
    for i in range(6):
        state = say(agent, f"And {i}?")
    assert "4471" in state["summary"]["text"]
    assert "Order 4471 is mine" not in humans(state)


def test_an_old_checkpoint_still_has_its_messages_and_can_be_gone_on_from(agent):
    for i in range(10):
        say(agent, f"Turn {i}")
    early = next(
        s.config for s in agent.graph.get_state_history(CONFIG) if not s.next and humans(s.values)[-1] == "Turn 2"
    )
    assert humans(say(agent, "anew", early)) == ["Turn 0", "Turn 1", "Turn 2", "anew"]


def test_what_is_not_read_yet_stays(agent):
    for i in range(6):
        state = say(agent, f"My cat is called Cat{i}.", extraction="deferred", context_strategy="window")
    assert len(state["messages"]) == 8
    assert agent.threads.close("t")["failure"] is None
    assert "Cat5" in {m.value for m in agent.memory.list("alice", kind="fact")}


def test_while_a_summary_fails_every_message_stays(tmp_path):
    def answer(messages):
        if not messages[-1].text.startswith("Turn"):
            raise RuntimeError("no summary today")
        return "ok"

    with open_agent(
        tmp_path, model=ScriptedModel(answer), extraction_model="rules", embeddings=HashEmbeddings()
    ) as agent:
        for i in range(8):
            state = say(agent, f"Turn {i}")
    assert "no summary today" in state["usage"]["failure"]
    assert humans(state) == [f"Turn {i}" for i in range(8)]


def test_the_marks_and_system_messages_bound_what_leaves():
    talk = [kind(f"{i}", id=f"{kind.__name__[0]}{i}") for i in range(5) for kind in (HumanMessage, AIMessage)]
    messages = [SystemMessage("be kind", id="s"), *talk]
    state = {"messages": messages, "settings": {"max_messages": 4, "context_strategy": "window"}, "user_id": "alice"}

    def leave(committed="A4", extracted="A4", **more):
        marks = {"committed_to": committed, "extracted_to": extracted}
        removals = outgrown({**state, **more}, marks)
        assert all(isinstance(r, RemoveMessage) for r in removals)
        return [r.id for r in removals]

    assert leave() == ["H0", "A0", "H1", "A1", "H2", "A2"]
    assert leave(extracted="A1") == ["H0", "A0", "H1"]
    assert leave(committed=None) == []
    assert leave(messages=messages[-4:]) == []
    summing = {"settings": {"max_messages": 4, "context_strategy": "hybrid"}}
    assert leave(**summing) == []
    assert leave(**summing, summary={"text": "...", "to": "A1"}) == ["H0", "A0", "H1", "A1"]


def test_a_crowd_of_short_lines_leaves_too():
    lines = [Line(f"{role[0]}{i}", role, "", 1) for i in range(20) for role in ("human", "ai")]
    gone = leaving(lines, 10_000, 30, "hybrid")
    assert [line.id for line in (gone[0], gone[-1], lines[len(gone)])] == ["h0", "a10", "h11"]
    assert leaving(lines, 10_000, 40, "hybrid") == []
    assert leaving(lines, 10_000, 30, "window") == []
