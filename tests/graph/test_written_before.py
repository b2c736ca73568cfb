"""A folder that an earlier version wrote is opened, brought up to date and gone on with.

`tests/written_before` has the two databases as SQL, from before titles, usage, the bounded tail and the summary had a
place in them: three turns of one thread. The index is not kept; it is made anew from the ledger.
"""

import sqlite3
from pathlib import Path

import pytest

from graph import open_agent

WRITTEN = Path(__file__).parents[1] / "written_before"
MONDAY = {"configurable": {"thread_id": "monday"}}
ALICE = {"user_id": "alice"}


@pytest.fixture
def folder(tmp_path):
    for name in ("ledger", "checkpoints"):
        with sqlite3.connect(tmp_path / f"{name}.sqlite") as conn:
            conn.executescript((WRITTEN / f"{name}.sql").read_text("utf-8"))
        conn.close()
    return tmp_path


@pytest.fixture
def agent(folder):
    with open_agent(folder, model="offline", embeddings="hash") as opened:
        opened.memory.indexer.rebuild()
        yield opened


def test_what_was_said_and_remembered_is_there(agent):
    messages = agent.graph.get_state(MONDAY).values["messages"]
    said = ["我叫小林，我对花生过敏", "I live in Lisbon.", "不对，我住在波尔图"]
    assert [m.text for m in messages if m.type == "human"] == said
    assert sorted(m.value for m in agent.memory.list("alice", kind="fact")) == ["小林", "波尔图", "花生"]
    assert [m.value for m in agent.memory.list("alice", kind="fact", standing="superseded")] == ["Lisbon"]
    assert [t["thread_id"] for t in agent.threads.list("alice")] == ["monday"]


def test_the_thread_goes_on(agent):
    answered = agent.graph.invoke({"messages": [("user", "我对什么过敏？")]}, MONDAY, context=ALICE)
    assert len(answered["messages"]) == 8
    assert "花生" in answered["messages"][-1].text
    assert [r["text"] for r in answered["recalled"]["results"]][:1] == ["我叫小林，我对花生过敏"]


def test_an_old_turn_is_replayed_and_forked(agent):
    states = list(agent.graph.get_state_history(MONDAY))
    begins = [state for state in states if state.next == ("retrieve_memory",)]
    first, second, third = (state for state in reversed(states) if not state.next)
    replayed = agent.threads.replay(begins[0].config)
    assert [m.text for m in replayed["messages"]] == [m.text for m in third.values["messages"]]
    # Ranking has learned since; the moment of memory is that of then.
    assert replayed["memory_time"] == third.values["recalled"]["memory_time"]
    assert len(second.values["messages"]) == 4
    agent.graph.invoke({"messages": [("user", "I live in Porto.")]}, first.config, context=ALICE)
    assert sorted(m.value for m in agent.memory.list("alice", kind="fact")) == ["Porto", "小林", "花生"]
