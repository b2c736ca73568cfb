"""What goes wrong with a model over a real connection: the sentence, what is kept, and the resume that answers it."""

import time

import openai
import pytest
from langchain_core.exceptions import ModelError as AnyModelError
from langchain_core.messages import AIMessageChunk

from graph import open_agent
from graph.model_errors import (
    ContextTooLong,
    ModelBusy,
    ModelError,
    ModelOutOfCredit,
    ModelRejected,
    ModelSilent,
    ModelUnauthorized,
    ModelUnavailable,
    ModelUnknown,
    read_error,
)
from graph.models import ModelNotConfigured, ScriptedModel, resolve_model
from graph.scripted_server import Failure, Half, OpenAIServer, Stall
from graph.settings import Settings
from stores.errors import PalimpsestError

MONDAY = {"configurable": {"thread_id": "monday"}}
ALICE = {"user_id": "alice"}

TOO_LONG = Failure(400, "This model's maximum context length is 4096 tokens.", "context_length_exceeded")


@pytest.fixture(autouse=True)
def _no_settings_of_the_machine(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "PALIMPSEST_MODEL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def served(tmp_path):
    """An agent whose model is a server with this script, and that server."""
    opened = []

    def serve(script, **settings):
        server = OpenAIServer(script).__enter__()
        opened.append(server)
        fields = {"openai_base_url": server.base_url, "max_retries": 0, "request_timeout": 5.0, **settings}
        agent = open_agent(
            tmp_path / "data", extraction_model="rules", model=resolve_model("openai:any", settings=Settings(**fields))
        )
        opened.append(agent)
        return agent, server

    yield serve
    for one in reversed(opened):
        one.__exit__(None, None, None)


def said(agent):
    return sorted(m.text for m in agent.memory.list("alice", kind="episode", standing="all"))


def messages(state):
    return [(m.type, m.text) for m in state["messages"]]


def give(words):
    return {"messages": [("user", words)]}


FAILURES = [
    (Failure(401, "Incorrect API key provided: sk-abcdefghijklmnopqrstuvwx."), ModelUnauthorized, "refused the key"),
    (Failure(403, "Country not supported"), ModelUnauthorized, "refused the key"),
    (Failure(404, "The model `any` does not exist", "model_not_found"), ModelUnknown, "was not found"),
    (Failure(400, "Model Not Exist"), ModelUnknown, "was not found"),
    (Failure(402, "Insufficient Balance"), ModelOutOfCredit, "no credit or quota left"),
    (Failure(429, "You exceeded your current quota", "insufficient_quota"), ModelOutOfCredit, "no credit or quota"),
    (Failure(429, "Rate limit reached"), ModelBusy, "takes no more requests now"),
    (Failure(400, "temperature: must be below 2"), ModelRejected, "temperature: must be below 2"),
    (Failure(400, "max_tokens is too large: 99999."), ModelRejected, "refused the request"),
    (Failure(422, "Input should be a valid list"), ModelRejected, "refused the request"),
    (Failure(500, "oops"), ModelUnavailable, "failed or could not be reached (HTTP 500: oops)"),
    (Failure(503, "overloaded"), ModelUnavailable, "failed or could not be reached"),
    (Half("Hello"), ModelUnavailable, "failed or could not be reached"),
    (TOO_LONG, ContextTooLong, "too long"),
    (Failure(400, "Range of input length should be [1, 30720]"), ContextTooLong, "too long"),
    (Failure(400, "the request exceeds the available context size (4096)"), ContextTooLong, "too long"),
]


@pytest.mark.parametrize(("failure", "kind", "sentence"), FAILURES)
def test_what_a_service_answers_becomes_one_sentence(failure, kind, sentence):
    with OpenAIServer([failure]) as server:
        model = resolve_model("openai:any", settings=Settings(openai_base_url=server.base_url, max_retries=0))
        with pytest.raises(openai.OpenAIError) as raised:
            model.invoke("hi")
    error = read_error(raised.value, "any")
    assert type(error) is kind
    assert isinstance(error, PalimpsestError)
    assert isinstance(error, AnyModelError)
    assert str(error).startswith('The model "any at 127.0.0.1" ')
    assert sentence in str(error)
    assert "resume with graph.invoke(None, config)" in str(error)
    assert "\n" not in str(error)
    assert "sk-abc" not in str(error)


def test_a_failure_ends_the_turn_and_a_resume_answers_it_once(served):
    agent, server = served([Failure(401, "Incorrect API key provided."), "Noted, Alice."])
    with pytest.raises(ModelUnauthorized):
        agent.graph.invoke(give("My name is Alice."), MONDAY, context=ALICE)
    snapshot = agent.graph.get_state(MONDAY)
    assert (snapshot.next, messages(snapshot.values)) == (("call_llm",), [("human", "My name is Alice.")])
    assert said(agent) == []

    state = agent.graph.invoke(None, MONDAY)
    assert messages(state) == [("human", "My name is Alice."), ("ai", "Noted, Alice.")]
    assert said(agent) == ["My name is Alice.", "Noted, Alice."]
    assert [f.value for f in agent.memory.list("alice", kind="fact")] == ["Alice"]
    assert len(server.requests) == 2


async def test_the_same_asynchronously(served):
    agent, _ = served([Failure(500), "记住了。"])
    with pytest.raises(ModelUnavailable):
        await agent.graph.ainvoke(give("我叫小明"), MONDAY, context=ALICE)
    state = await agent.graph.ainvoke(None, MONDAY)
    assert messages(state) == [("human", "我叫小明"), ("ai", "记住了。")]
    assert said(agent) == sorted(["我叫小明", "记住了。"])


def test_a_new_message_after_a_failure_goes_on_with_both(served):
    agent, server = served([Failure(500), "好的。"])
    with pytest.raises(ModelUnavailable):
        agent.graph.invoke(give("我叫小明"), MONDAY, context=ALICE)
    agent.graph.invoke(give("我住在杭州"), MONDAY, context=ALICE)
    assert [m["content"] for m in server.requests[1].body["messages"][1:]] == ["我叫小明", "我住在杭州"]
    assert said(agent) == sorted(["我叫小明", "我住在杭州", "好的。"])
    assert {f.value for f in agent.memory.list("alice", kind="fact")} == {"小明", "杭州"}


def test_half_a_streamed_answer_is_not_kept(served):
    agent, _ = served([Half("one two"), "one two three"])

    def stream(given):
        for chunk, _ in agent.graph.stream(given, MONDAY, context=ALICE, stream_mode="messages"):
            if isinstance(chunk, AIMessageChunk):
                heard.append(chunk.text)

    heard = []
    with pytest.raises(ModelUnavailable):
        stream(give("count"))
    assert "".join(heard) == "one two"
    assert messages(agent.graph.get_state(MONDAY).values) == [("human", "count")]
    heard.clear()
    stream(None)
    assert "".join(heard) == "one two three"
    assert said(agent) == ["count", "one two three"]


def test_a_stall_ends_with_the_timeout_and_names_its_setting(served):
    agent, _ = served([Stall(), "hello"], request_timeout=0.2)
    with pytest.raises(ModelSilent, match="PALIMPSEST_REQUEST_TIMEOUT"):
        agent.graph.invoke(give("hi"), MONDAY, context=ALICE)
    assert messages(agent.graph.invoke(None, MONDAY))[-1] == ("ai", "hello")


async def test_a_stall_in_the_middle_of_a_stream_ends_with_the_timeout(served):
    agent, _ = served([Stall("one"), "one two"], request_timeout=0.2)
    with pytest.raises(ModelError, match=r"said nothing|could not be reached"):
        async for _ in agent.graph.astream(give("count"), MONDAY, context=ALICE, stream_mode="messages"):
            pass
    assert messages(await agent.graph.ainvoke(None, MONDAY))[-1] == ("ai", "one two")


def test_a_service_that_is_not_there_is_one_sentence(tmp_path):
    with OpenAIServer() as gone:
        address = gone.base_url
    model = resolve_model("openai:any", settings=Settings(openai_base_url=address, max_retries=0))
    with (
        open_agent(tmp_path / "data", extraction_model="rules", model=model) as agent,
        pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1"),
    ):
        agent.graph.invoke(give("hi"), MONDAY, context=ALICE)


def test_a_model_without_a_key_ends_the_turn_the_same_way(tmp_path):
    with open_agent(tmp_path / "data", extraction_model="rules", model="openai:gpt-none") as agent:
        with pytest.raises(ModelNotConfigured, match="OPENAI_API_KEY"):
            agent.graph.invoke(give("我叫小明"), MONDAY, context=ALICE)
        assert messages(agent.graph.get_state(MONDAY).values) == [("human", "我叫小明")]
        agent.graph.invoke(None, MONDAY, context={**ALICE, "model": "offline"})
        assert said(agent) == ["我叫小明"]


def test_an_error_that_is_not_the_model_s_is_left_as_it_is(tmp_path):
    with open_agent(tmp_path / "data", extraction_model="rules", model=ScriptedModel([LookupError("a bug")])) as agent:
        with pytest.raises(LookupError) as raised:
            agent.graph.invoke(give("hi"), MONDAY, context=ALICE)
        assert raised.value.args == ("a bug",)
    assert read_error(ModelNotConfigured("ours"), "m") is None


# retries


def test_what_passes_is_tried_again_and_no_more_often_than_the_settings_say(served):
    agent, server = served([Failure(429), Failure(503), "at last", *[Failure(500)] * 3], max_retries=2)
    assert messages(agent.graph.invoke(give("hi"), MONDAY, context=ALICE))[-1] == ("ai", "at last")
    with pytest.raises(ModelUnavailable):
        agent.graph.invoke(give("again"), MONDAY, context=ALICE)
    assert len(server.requests) == 6


async def test_what_passes_is_tried_again_asynchronously_too(served):
    agent, server = served([Failure(429), Failure(503), "at last"], max_retries=2)
    state = await agent.graph.ainvoke(give("hi"), MONDAY, context=ALICE)
    assert (messages(state)[-1], len(server.requests)) == (("ai", "at last"), 3)


def test_between_the_tries_it_waits_as_told_or_longer_each_time(served, monkeypatch):
    waited = []
    agent, _ = served([Failure(503, retry_after_ms=7000), *[Failure(503, retry_after_ms=0)] * 2, "ok"], max_retries=3)
    monkeypatch.setattr(time, "sleep", waited.append)
    agent.graph.invoke(give("hi"), MONDAY, context=ALICE)
    told, second, third = waited
    assert told == 7.0
    assert 0.75 <= second <= 1.0
    assert 1.5 <= third <= 2.0


# a context that overflows


def fill(agent, turns=6):
    for i in range(turns):
        agent.graph.invoke(give(f"第{i}件事：" + "很多细节，" * 30), MONDAY, context=ALICE)


def test_too_long_a_request_is_sent_once_more_with_half_the_history(served):
    agent, server = served([*["好的。"] * 6, TOO_LONG, "在。"])
    fill(agent)
    state = agent.graph.invoke(give("还在吗？"), MONDAY, context=ALICE)
    assert messages(state)[-1] == ("ai", "在。")
    refused, taken = (sum(len(m["content"]) for m in r.body["messages"][1:]) for r in server.requests[-2:])
    assert 0.25 < taken / refused < 0.55
    assert server.requests[-1].body["messages"][-1]["content"] == "还在吗？"
    assert len(state["messages"]) == 14
    assert state["usage"]["history_share"] == 2


async def test_still_too_long_is_a_clear_error_and_another_model_can_answer(served):
    agent, server = served([TOO_LONG, TOO_LONG])
    with pytest.raises(ContextTooLong, match="also with half of its history left out") as ended:
        await agent.graph.ainvoke(give("长话" * 600), MONDAY, context=ALICE)
    assert 'context={"model": ...}' in str(ended.value)
    sizes = [len(r.body["messages"][-1]["content"]) for r in server.requests]
    assert sizes[0] == 1200
    assert 500 < sizes[1] < 700
    state = await agent.graph.ainvoke(None, MONDAY, context={**ALICE, "model": "offline"})
    assert state["messages"][0].text == "长话" * 600
    assert len(agent.memory.list("alice", kind="episode")) >= 1


# reading errors of other clients


def test_errors_without_openai_s_classes_are_read_by_status_and_name():
    class TimeoutException(Exception):
        pass

    class HTTPStatusError(Exception):
        def __init__(self, status):
            super().__init__("服务出错了。")
            self.response = type("Response", (), {"status_code": status})()

    kinds = {type(read_error(HTTPStatusError(status), "m")) for status in (401, 404, 408, 429, 529, 418)}
    assert kinds == {ModelUnauthorized, ModelUnknown, ModelSilent, ModelBusy, ModelUnavailable, ModelRejected}
    assert type(read_error(TimeoutException("late"), "m")) is ModelSilent
    assert type(read_error(ConnectionResetError("gone"), "m")) is ModelUnavailable
    assert str(read_error(HTTPStatusError(529), "m")) == (
        'The model "m" failed or could not be reached (HTTP 529: 服务出错了). Your message is kept in its thread, and '
        "memory is unchanged; resume with graph.invoke(None, config) when it answers again."
    )
    assert read_error(ValueError("no failure of a model"), "m") is None


def test_a_long_message_is_cut():
    told = str(read_error(openai.APIError("x" * 9000, request=None, body=None), "m"))
    assert len(told) < 500
