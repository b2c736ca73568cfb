"""What a model does to the reading of facts: the turn completes, the reason is told and kept, the words are read later.

Over the wire, with a server that breaks off, talks, or is not there any more.
"""

import json

import pytest
from langchain_openai import ChatOpenAI
from sqlalchemy import select

from graph import open_agent
from graph.pending import pending_threads
from graph.scripted_model import ScriptedModel
from graph.scripted_server import Answer, Failure, Half, OpenAIServer
from stores import schema
from stores.embeddings import HashEmbeddings

PHRASES = {"花生": "我对花生过敏", "Lyon": "I moved to Lyon"}
FACTS = {"花生": ("allergy", "用户对花生过敏"), "Lyon": ("home", "The user lives in Lyon")}


def facts_of(request):
    """A reply that reads each phrase in the request, from the message that says it; it sums nothing up."""
    if '"lessons"' in request.body["messages"][0]["content"]:
        return {"summary": [], "lessons": []}
    items = []
    for i, spoken in enumerate(json.loads(line.split(" ", 1)[1]) for line in _said(request)):
        for value, phrase in PHRASES.items():
            if phrase in spoken["text"]:
                attribute, text = FACTS[value]
                more = {"attribute": attribute, "value": value, "text": text, "message": f"m{i + 1}"}
                items.append({"reason": "said", "action": "add", "id": None, "subject": "user", "polarity": 1, **more})
    return {"facts": items}


def _said(request):
    return [line for line in request.body["messages"][-1]["content"].splitlines() if line.startswith("m")]


def reader(server):
    return ChatOpenAI(
        model="scripted-1",
        base_url=server.base_url,
        api_key="any",
        max_retries=0,
        timeout=10,
        default_headers={"Connection": "close"},
    )


def opened(folder, server):
    answers = ScriptedModel(lambda messages: "Noted.")
    return open_agent(folder, model=answers, extraction_model=reader(server), embeddings=HashEmbeddings())


def say(agent, words, thread="t"):
    where = {"configurable": {"thread_id": thread}}
    return agent.graph.invoke({"messages": [("user", words)]}, where, context={"user_id": "alice"})


def known(agent):
    return sorted(m.value for m in agent.memory.list("alice", kind="fact"))


def commits(agent):
    c = schema.commits.c
    with agent.memory.database.read() as conn:
        return [(r.failure, r.pending) for r in conn.execute(select(c.failure, c.pending).order_by(c.recorded_at))]


HALF = json.dumps({"facts": [{"attribute": "allergy", "value": "花生"}]})[:30]
FAULTS = {
    "killed": (Half('{"facts": [{"reas'), "The extraction model failed: OpenAIConnectionError: Connection error."),
    "prose": ("很高兴认识你！Nice to meet you!", "The extraction model's reply has no facts in JSON in it (24 characters)."),
    "half": (Answer(HALF, finish_reason="length"), "The extraction model's reply has no facts in JSON in it (30 characters)."),
    "huge": ("x" * 500_000, "The extraction model's reply has no facts in JSON in it (500,000 characters)."),
    "thinking": ('<think>they say {"facts": [{"value": "花生"}]} or not', "The extraction model's reply has no facts in JSON in it (51 characters)."),
    "refused": (Failure(500, "overloaded"), "The extraction model failed: OpenAIAPIError: Error code: 500 - overloaded"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_turn_completes_says_why_and_is_read_with_the_next(fault, tmp_path, caplog):
    reply, failure = FAULTS[fault]
    script = iter([reply])
    with (
        OpenAIServer(lambda request: next(script, None) or facts_of(request)) as server,
        opened(tmp_path, server) as agent,
    ):
        state = say(agent, PHRASES["花生"])
        assert state["messages"][-1].text == "Noted."
        why = state["changes"]["failure"]
        assert why.startswith(failure)
        assert (state["proposals"]["failure"], commits(agent)) == (why, [(why, True)])
        assert f"Facts were not extracted by llm-2:scripted-1: {why}" in caplog.messages
        assert (known(agent), pending_threads(agent.memory)) == ([], ["t"])
        assert [m.text for m in agent.memory.list("alice", kind="episode")] == ["Noted.", PHRASES["花生"]]
        assert state["usage"]["calls"]["extraction"]["calls"] == 1

        state = say(agent, PHRASES["Lyon"])
        assert (state["changes"]["failure"], state["usage"]["calls"]["extraction"]["calls"]) == (None, 1)
        assert (known(agent), pending_threads(agent.memory)) == (["Lyon", "花生"], [])
        assert commits(agent) == [(why, True), (None, False)]
        peanut = next(m for m in agent.memory.list("alice", kind="fact") if m.value == "花生")
        assert agent.memory.blame("alice", peanut.id)[0]["text"] == FACTS["花生"][1]
        assert len(server.requests) == 2


def test_words_that_wait_are_read_with_small_talk_too(tmp_path):
    script = iter(["..."])
    with (
        OpenAIServer(lambda request: next(script, None) or facts_of(request)) as server,
        opened(tmp_path, server) as agent,
    ):
        say(agent, PHRASES["Lyon"])
        assert known(agent) == []
        say(agent, "好的，谢谢")
        say(agent, "嗯嗯")
        assert (known(agent), len(server.requests)) == (["Lyon"], 2)


def test_reasoning_before_the_facts_is_no_fault(tmp_path):
    def reply(request):
        return f"<think>is it {{}}? they say it plainly</think>\n```json\n{json.dumps(facts_of(request))}\n```"

    with OpenAIServer(reply) as server, opened(tmp_path, server) as agent:
        assert say(agent, PHRASES["花生"])["changes"]["failure"] is None
        assert known(agent) == ["花生"]


def test_an_empty_list_stores_nothing_least_of_all_itself(tmp_path):
    with OpenAIServer(lambda request: '{"facts":[]}') as server, opened(tmp_path, server) as agent:
        changes = say(agent, "Tell me a joke about tortoises")["changes"]
        assert (changes["facts"], changes["failure"], pending_threads(agent.memory)) == ([], None, [])
        kept = [m.text for m in agent.memory.list("alice", standing="all")]
        assert kept == ["Noted.", "Tell me a joke about tortoises"]


def test_a_server_that_is_gone_for_good_and_another_that_reads_what_it_left(tmp_path):
    with OpenAIServer(lambda request: facts_of(request)) as gone:
        pass
    with opened(tmp_path, gone) as agent:
        for words in PHRASES.values():
            assert "Connection error" in say(agent, words)["changes"]["failure"]
        assert known(agent) == []
    with OpenAIServer(lambda request: facts_of(request)) as server, opened(tmp_path, server) as agent:
        assert agent.threads.close("t")["failure"] is None
        assert (known(agent), pending_threads(agent.memory)) == (["Lyon", "花生"], [])
        # Once, in one call, and one that sums the conversation up.
        assert agent.threads.close("t") is None
        assert len(server.requests) == 2


async def test_a_model_that_dies_in_an_asynchronous_turn(tmp_path):
    script = iter([Half('{"facts": [')])
    with OpenAIServer(lambda request: next(script, None) or facts_of(request)) as server:
        async with opened(tmp_path, server) as agent:
            where = {"configurable": {"thread_id": "t"}}
            for words, found in zip(PHRASES.values(), ([], ["Lyon", "花生"]), strict=True):
                await agent.graph.ainvoke({"messages": [("user", words)]}, where, context={"user_id": "alice"})
                assert known(agent) == found
