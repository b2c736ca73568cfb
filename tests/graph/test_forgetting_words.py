"""A user who asks, in a turn, to have something forgotten: the fact ends and so do the words it was read from."""

import json

import pytest

from graph import open_agent
from graph.scripted_model import ScriptedModel
from memory.clock import ManualClock
from stores.embeddings import HashEmbeddings

ALICE = {"user_id": "alice"}
SAID = {
    "zh": ("我的地址是梧桐路12号", "我喜欢下棋", "忘掉我的地址", "梧桐路12号"),
    "en": ("My address is 12 Elm Row", "I like chess", "Please forget my address", "12 Elm Row"),
}


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def opened(tmp_path, clock):
    def opening(extraction="rules"):
        return open_agent(tmp_path, embeddings=HashEmbeddings(), clock=clock, extraction_model=extraction)

    return opening


def say(agent, words, thread="t"):
    agent.memory.database.clock.advance(minutes=1)
    where = {"configurable": {"thread_id": thread}}
    return agent.graph.invoke({"messages": [("user", words)]}, where, context=ALICE)


def kept(agent):
    return sorted(m.value or m.text for m in agent.memory.list("alice"))


@pytest.mark.parametrize("language", SAID)
def test_the_words_of_what_is_to_be_forgotten_end_with_it(language, opened):
    address, chess, forget, value = SAID[language]
    with opened() as agent:
        say(agent, address)
        say(agent, chess, "other")
        then = agent.memory.ledger.now()
        (did,) = say(agent, forget, "other")["changes"]["facts"]
        assert (did["op"], len(did["touches"])) == ("forget", 1)
        chess_value = "下棋" if language == "zh" else "chess"
        assert kept(agent) == sorted([chess, forget, chess_value])
        assert address not in str(agent.memory.recall("alice", address).to_state())
        # As of then it is readable; nothing was erased, and the transcript is what was said.
        assert address in str(agent.memory.list("alice", as_of=then))
        assert [m["text"] for m in agent.threads.show("t")["transcript"]][0] == address
        # Said again it stands, and only the new words do.
        say(agent, address, "third")
        assert [m.thread_id for m in agent.memory.list("alice") if value in m.text] == ["third"] * 2


@pytest.mark.parametrize("language", SAID)
def test_the_request_counts_on_its_branch_and_until_it_is_undone(language, opened):
    address, chess, forget, value = SAID[language]
    with opened() as agent:
        say(agent, address)
        before = agent.graph.get_state({"configurable": {"thread_id": "t"}}).config
        state = say(agent, forget)
        assert not any(value in m for m in kept(agent))
        agent.memory.undo("alice", state["changes"]["turn_id"])
        assert kept(agent) == sorted([address, value])
        agent.memory.restore("alice", state["changes"]["turn_id"])
        assert not any(value in m for m in kept(agent))
        agent.threads.switch("t", before)
        assert kept(agent) == sorted([address, value])
        agent.graph.invoke({"messages": [("user", chess)]}, {"configurable": {"thread_id": "t"}}, context=ALICE)
        assert {address, value} <= set(kept(agent))


def test_a_change_is_no_request_and_leaves_the_words(opened):
    with opened() as agent:
        say(agent, "I use Notion")
        say(agent, "I no longer use Notion")
        assert kept(agent) == ["I no longer use Notion", "I use Notion"]


def test_another_user_s_words_are_another_s(opened):
    address, _, forget, value = SAID["en"]
    with opened() as agent:
        say(agent, address)
        agent.graph.invoke(
            {"messages": [("user", address)]}, {"configurable": {"thread_id": "b"}}, context={"user_id": "bob"}
        )
        agent.graph.invoke(
            {"messages": [("user", forget)]}, {"configurable": {"thread_id": "b"}}, context={"user_id": "bob"}
        )
        assert kept(agent) == sorted([address, value])
        assert [m.text for m in agent.memory.list("bob")] == [forget]


def test_a_model_forgets_one_value_of_several(opened):
    def reply(messages):
        prompt = messages[-1].text
        base = {"reason": "asked", "subject": "user", "attribute": "likes", "polarity": 1, "message": "m1", "id": None}
        if "forget" in prompt:
            name = next(line.split()[0] for line in prompt.splitlines() if '"value": "chess"' in line)
            return json.dumps({"facts": [{**base, "action": "forget", "id": name, "value": "chess", "text": "x"}]})
        value = "golf" if "golf" in prompt else "chess"
        return json.dumps({"facts": [{**base, "action": "add", "value": value, "text": f"The user likes {value}"}]})

    with opened(ScriptedModel(reply)) as agent:
        say(agent, "I like chess")
        say(agent, "I like golf")
        (did,) = say(agent, "forget that thing about the board game")["changes"]["facts"]
        assert (did["op"], did["reason"]) == ("forget", "asked to forget: The user likes chess (asked)")
        assert kept(agent) == ["I like golf", "forget that thing about the board game", "golf"]


def test_words_that_were_read_later_than_they_were_said_end_too(opened):
    address, _, forget, _ = SAID["en"]
    with opened() as agent:
        where = {"configurable": {"thread_id": "t"}}
        context = {**ALICE, "extraction": "deferred"}
        for words in (address, "Lovely weather", forget, "Bye now, talk soon"):
            agent.memory.database.clock.advance(minutes=1)
            agent.graph.invoke({"messages": [("user", words)]}, where, context=context)
        assert kept(agent) == sorted(["Lovely weather", forget, "Bye now, talk soon"])
