"""Deferred and failed extraction: episodes at once, facts later, exactly once, on every branch that goes on."""

import pytest
from langchain_core.messages import RemoveMessage

from graph import open_agent
from graph.pending import extract_pending, pending_threads
from memory.extraction import RuleExtractor
from memory.record import Extraction
from stores.embeddings import HashEmbeddings

LATER = {"extraction": "deferred"}


class Faulty:
    """The rules, failing while `broken`."""

    version = "faulty"

    def __init__(self):
        self.broken, self.read = False, []

    def extract(self, said, known=()):
        self.read.append([u.text for u in said])
        if self.broken:
            return Extraction(extractor=self.version, failure="the reply was prose, twice")
        return RuleExtractor().extract(said, known)


@pytest.fixture
def extractor():
    return Faulty()


@pytest.fixture
def agent(tmp_path, extractor):
    with open_agent(tmp_path, embeddings=HashEmbeddings(), extractor=extractor) as opened:
        yield opened


def config(thread="t"):
    return {"configurable": {"thread_id": thread}}


def say(agent, words, where=None, **options):
    given = {"messages": [("user", words)]}
    return agent.graph.invoke(given, where or config(), context={"user_id": "alice", **options})


def facts(agent):
    return sorted(m.value for m in agent.memory.list("alice", kind="fact"))


def spoken(agent):
    return sorted(m.text for m in agent.memory.list("alice", kind="episode"))


def test_a_deferred_turn_is_read_with_the_next_one(agent, extractor):
    state = say(agent, "我对花生过敏", **LATER)
    assert (facts(agent), spoken(agent), extractor.read) == ([], ["我对花生过敏"], [])
    assert state["changes"]["facts"] == []
    say(agent, "I live in Berlin", **LATER)
    assert facts(agent) == ["花生"]
    say(agent, "嗯嗯")
    assert facts(agent) == ["Berlin", "花生"]
    assert extractor.read == [["我对花生过敏"], ["I live in Berlin", "嗯嗯"]]
    assert len(spoken(agent)) == 3


def test_what_waits_at_a_tip_is_read_on_close_and_only_once(agent, extractor):
    say(agent, "我对花生过敏", **LATER)
    assert pending_threads(agent.memory) == ["t"]
    changes = agent.threads.close("t")
    assert [f["op"] for f in changes["facts"]] == ["add"]
    assert agent.threads.close("t") is None
    assert pending_threads(agent.memory) == []
    assert (facts(agent), spoken(agent)) == (["花生"], ["我对花生过敏"])
    say(agent, "嗯嗯", **LATER)
    say(agent, "好的", **LATER)
    assert facts(agent) == ["花生"]
    assert [m.text for m in agent.graph.get_state(config()).values["messages"]][0] == "我对花生过敏"


def test_the_branch_that_goes_on_reads_what_it_holds_and_no_other(agent):
    say(agent, "我对花生过敏", **LATER)
    fork = agent.graph.get_state(config()).config
    say(agent, "I live in Berlin", **LATER)
    say(agent, "I live in Paris", fork, **LATER)
    assert facts(agent) == ["花生"]
    extract_pending(agent.graph, "t")
    assert facts(agent) == ["Paris", "花生"]


def test_a_failed_extraction_keeps_the_turn_and_is_tried_again(agent, extractor):
    extractor.broken = True
    state = say(agent, "我对花生过敏")
    assert state["changes"]["failure"] == "the reply was prose, twice"
    assert (facts(agent), spoken(agent)) == ([], ["我对花生过敏"])
    assert pending_threads(agent.memory) == ["t"]
    extractor.broken = False
    say(agent, "嗯嗯")
    assert facts(agent) == ["花生"]
    assert pending_threads(agent.memory) == []


def test_a_fact_read_later_keeps_when_and_where_it_was_said(agent):
    said = say(agent, "昨天我搬到了杭州，我住在杭州", **LATER)
    say(agent, "嗯嗯", config(), **LATER)
    (fact,) = [m for m in agent.memory.list("alice", kind="fact") if m.attribute == "home"]
    (episode,) = [m for m in agent.memory.list("alice", kind="episode") if "杭州" in m.text]
    assert (fact.message_ids, fact.said_at) == (episode.message_ids, episode.said_at)
    assert fact.message_ids == (said["messages"][0].id,)


async def test_the_same_asynchronously(tmp_path):
    async with open_agent(tmp_path, embeddings=HashEmbeddings()) as agent:
        context = {"user_id": "alice", **LATER}
        await agent.graph.ainvoke({"messages": [("user", "我对花生过敏")]}, config(), context=context)
        await agent.graph.ainvoke({"messages": [("user", "嗯嗯")]}, config(), context=context)
        assert facts(agent) == ["花生"]


def test_removing_the_last_message_makes_no_earlier_one_new(agent):
    say(agent, "我对花生过敏")
    state = say(agent, "I live in Berlin")
    agent.graph.update_state(
        config(), {"messages": [RemoveMessage(id=state["messages"][-1].id)]}, as_node="write_memory"
    )
    say(agent, "嗯嗯")
    assert spoken(agent) == ["I live in Berlin", "嗯嗯", "我对花生过敏"]
    assert facts(agent) == ["Berlin", "花生"]
