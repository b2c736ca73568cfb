"""`palimpsest memory cost`: what memory takes of a model, in all and by thread."""

import pytest
from langchain_core.messages import AIMessage

from graph import open_agent
from graph.scripted_model import ScriptedModel
from stores.embeddings import HashEmbeddings
from stores.usage import spent_on_memory


def counts(calls, given, made):
    return {"calls": calls, "input_tokens": given, "output_tokens": made}


def told(text, given, made):
    return AIMessage(text, usage_metadata={"input_tokens": given, "output_tokens": made, "total_tokens": given + made})


@pytest.fixture
def spent(palimpsest):
    """Two threads of ann: three answers and two extractions; small talk costs no extraction."""
    answers = ScriptedModel(lambda messages: told("Noted.", 90, 10))
    reading = ScriptedModel(lambda messages: told('{"facts": []}', 40, 10))
    with open_agent(palimpsest.folder, model=answers, extraction_model=reading, embeddings=HashEmbeddings()) as agent:
        for thread, words in (("a", "My boat is moored at Hull"), ("b", "好的，谢谢"), ("b", "我的船停在舟山")):
            where = {"configurable": {"thread_id": thread}}
            state = agent.graph.invoke({"messages": [("user", words)]}, where, context={"user_id": "ann"})
            extraction = {} if words == "好的，谢谢" else {"extraction": counts(1, 40, 10)}
            assert state["usage"]["calls"] == {"answer": counts(1, 90, 10), **extraction}
            memory = {**counts(1, 40, 10), "share": 0.5} if extraction else {**counts(0, 0, 0), "share": 0.0}
            assert state["usage"]["memory"] == memory
    return palimpsest


def test_the_cost_of_memory_in_all_and_by_thread(spent, monkeypatch):
    monkeypatch.setenv("PALIMPSEST_EMBEDDINGS", "hash")
    found = spent.json("memory", "cost", "-u", "ann")
    assert found == {
        "user_id": "ann",
        "turns": 3,
        "calls": {"answer": counts(3, 270, 30), "extraction": counts(2, 80, 20)},
        "memory": {**counts(2, 80, 20), "share": 0.333},
        "threads": [
            {
                "thread_id": "a",
                "turns": 1,
                "calls": {"answer": counts(1, 90, 10), "extraction": counts(1, 40, 10)},
                "memory": {**counts(1, 40, 10), "share": 0.5},
            },
            {
                "thread_id": "b",
                "turns": 2,
                "calls": {"answer": counts(2, 180, 20), "extraction": counts(1, 40, 10)},
                "memory": {**counts(1, 40, 10), "share": 0.25},
            },
        ],
    }
    with open_agent(spent.folder, embeddings=HashEmbeddings()) as agent:
        assert agent.memory.cost("ann") == found
        # It needs the ledger alone, so it works while another holds the index.
        assert spent.json("memory", "cost", "--user", "ann") == found


def test_the_cost_as_a_table(spent):
    lines = [line.split() for line in spent("memory", "cost", "-u", "ann").stdout.splitlines()]
    assert lines[1:4] == [
        ["user", "ann", "answer", "3", "270", "30", "3"],
        ["user", "ann", "extraction", "2", "80", "20", "3"],
        ["user", "ann", "memory", "in", "all", "2", "80", "20", "33.3%", "3"],
    ]
    assert [line[:2] for line in lines[4:]] == [["thread", "a"]] * 3 + [["thread", "b"]] * 3


def test_nothing_was_spent_on_who_said_nothing(spent):
    assert spent("memory", "cost", "-u", "bob").stdout.strip() == "No model was called for bob yet."
    assert spent.json("memory", "cost", "-u", "bob")["memory"] == {**counts(0, 0, 0), "share": None}


def test_answering_and_naming_a_thread_is_not_memory():
    calls = {what: counts(1, 10, 1) for what in ("answer", "extraction", "reflection", "summary", "title")}
    assert spent_on_memory(calls) == {**counts(3, 30, 3), "share": 3.0}
