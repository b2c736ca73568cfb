"""The extractor that asks a language model: over the wire, by every way that a service may know, and when it fails."""

import json
import logging
from datetime import datetime
from typing import TypedDict

import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph

from graph.models import ScriptedModel
from graph.offline import OfflineModel
from graph.scripted_server import Answer, Failure, Half, OpenAIServer, ToolCall
from memory.extraction import RuleExtractor
from memory.extraction.prompts import SCHEMA, system_prompt
from memory.record import Extraction, Memory, Utterance
from nodes.llm_extractor import LLMExtractor

AT = datetime.fromisoformat("2026-11-29T10:00+08:00")
ZH = [Utterance("h1", "我对花生过敏", "user", AT)]
EN = [Utterance("h1", "I'm allergic to peanuts", "user", AT)]


def item(**more):
    base = {"reason": "said so", "action": "add", "id": None, "subject": "user", "attribute": "allergy"}
    base |= {"value": "花生", "polarity": 1, "text": "用户对花生过敏", "message": "m1", "confidence": 0.9}
    return base | {"importance": 0.9, "occurred_at": None, "expires_at": None} | more


PEANUT = {"facts": [item()]}
PEANUT_EN = {"facts": [item(value="peanuts", text="The user is allergic to peanuts")]}
PROSE = "Nice to meet you! 很高兴认识你。"
NO_JSON = f"The extraction model's reply has no facts in JSON in it ({len(PROSE)} characters)."


@pytest.fixture(params=["sync", "async"])
def run(request):
    """Extracts in both ways, which must do the same."""
    if request.param == "sync":

        async def extract(extractor, said=ZH, known=()):
            return extractor.extract(said, known)

    else:

        async def extract(extractor, said=ZH, known=()):
            return await extractor.aextract(said, known)

    return extract


def openai(server, **more):
    return ChatOpenAI(
        model="scripted-1",
        base_url=server.base_url,
        api_key="any",
        max_retries=0,
        timeout=10,
        default_headers={"Connection": "close"},
        **more,
    )


def ways(server):
    return [
        "json_schema" if "response_format" in r.body else "tools" if r.body.get("tools") else "text"
        for r in server.requests
    ]


def values(found):
    return [(p["attribute"], p["value"]) for p in found.proposals]


def without_tokens(found):
    return found.usage["calls"], sum(found.skipped.values()), found.failure, values(found)


# --- over the wire ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("said", "facts", "language"), [(ZH, PEANUT, "zh"), (EN, PEANUT_EN, "en")], ids=["zh", "en"])
async def test_one_structured_call_over_the_wire(run, said, facts, language):
    with OpenAIServer([facts, facts]) as server:
        extractor = LLMExtractor(openai(server))
        found = await run(extractor, said)
        again = await run(extractor, said)
    value = facts["facts"][0]["value"]
    start = said[0].text.index(value)
    expected = {
        "subject": "user",
        "attribute": "allergy",
        "message_id": "h1",
        "confidence": 0.9,
        "importance": 0.9,
        "reason": "said so",
        "span": [start, start + len(value)],
        "value": value,
        "text": facts["facts"][0]["text"],
        "polarity": 1,
        "retract": False,
    }
    usage = dict(found.usage)
    assert usage.pop("input_tokens") > 500
    assert usage.pop("output_tokens") > 20
    assert usage == {"calls": 1}
    assert found == again == Extraction((expected,), "llm-2:scripted-1", None, found.usage)
    assert ways(server) == ["json_schema", "json_schema"]
    body = server.requests[0].body
    assert body["response_format"]["json_schema"]["schema"]["properties"] == SCHEMA["properties"]
    assert body["messages"][0]["content"] == system_prompt(language)
    assert said[0].text in body["messages"][1]["content"]


async def test_a_service_without_schemas_is_asked_by_tools_from_then_on(run):
    refused = Failure(400, "This response_format type is unavailable now")
    with OpenAIServer([refused, PEANUT, PEANUT, PEANUT, refused, PEANUT]) as server:
        extractor = LLMExtractor(openai(server))
        counts = [without_tokens(await run(extractor)) for _ in range(3)]
        refused = [found.usage.get("refused", 0) for found in (await run(LLMExtractor(openai(server))),)]
    assert counts == [(1, 0, None, [("allergy", "花生")])] * 3
    assert refused == [1]
    assert ways(server) == ["json_schema", "tools", "tools", "tools", "json_schema", "tools"]


async def test_a_service_without_schemas_and_tools_is_asked_in_text_from_then_on(run):
    fenced = f"<think>is it {{}}?</think>Here:\n```json\n{json.dumps(PEANUT)}\n```"
    with OpenAIServer(
        [Failure(422), Failure(404, "No endpoints found that support tool use"), fenced, fenced]
    ) as server:
        extractor = LLMExtractor(openai(server))
        counts = [without_tokens(await run(extractor)) for _ in range(2)]
    assert counts == [(1, 0, None, [("allergy", "花生")])] * 2
    assert ways(server) == ["json_schema", "tools", "text", "text"]


async def test_a_reply_in_prose_ends_the_turn_s_one_call_and_the_next_turn_asks_in_the_next_way(run):
    with OpenAIServer([json.dumps(PEANUT), PROSE, PEANUT, PROSE, PROSE, PEANUT]) as server:
        extractor = LLMExtractor(openai(server))
        counts = [without_tokens(await run(extractor)) for _ in range(6)]
    good, bad = (1, 0, None, [("allergy", "花生")]), (1, 0, NO_JSON, [])
    assert counts == [good, bad, good, bad, bad, good]
    assert ways(server) == ["json_schema", "json_schema", "tools", "tools", "text", "json_schema"]


async def test_a_reply_at_its_limit_gives_the_facts_before_the_cut(run):
    whole = json.dumps({"facts": [item(), item(value="花生油")]}, ensure_ascii=False)
    with OpenAIServer([Answer(whole[:-80], finish_reason="length")]) as server:
        found = await run(LLMExtractor(openai(server)))
    assert without_tokens(found) == (1, 1, None, [("allergy", "花生")])
    assert found.usage["output_tokens"] > 0


async def test_half_the_arguments_of_a_tool_are_read_too(run):
    whole = json.dumps({"facts": [item(), item(value="花生油")]}, ensure_ascii=False)
    with OpenAIServer([Failure(400), ToolCall("remember_facts", whole[:-80])]) as server:
        found = await run(LLMExtractor(openai(server)))
    assert without_tokens(found) == (1, 1, None, [("allergy", "花生")])


FAILURES = [
    ([Failure(500)], "The extraction model failed: OpenAIAPIError: Error code: 500"),
    ([Failure(429, "slow down")], "The extraction model failed: OpenAIRateLimitError: Error code: 429"),
    ([Failure(401, "no")], "The extraction model failed: OpenAIAuthenticationError: Error code: 401"),
    ([Half('{"facts": [')], "The extraction model failed: OpenAIConnectionError: Connection error."),
    ([Failure(400, "no")] * 3, "The extraction model failed: OpenAIInvalidRequestError: Error code: 400"),
    ([PROSE], NO_JSON),
    ([Answer(refusal="I can't help with that")], "The extraction model's reply has no facts in JSON in it (0 characters)."),
    (["x" * 500_000], "The extraction model's reply has no facts in JSON in it (500,000 characters)."),
    ([Answer('{"facts": [{"rea', finish_reason="length")], "The extraction model's reply has no facts in JSON in it (16 characters)."),
    (["<think>who is this? maybe {\"facts\": [{}]}"], "The extraction model's reply has no facts in JSON in it (41 characters)."),
]  # fmt: skip


@pytest.mark.parametrize(("script", "failure"), FAILURES)
async def test_whatever_a_service_does_the_turn_goes_on(run, script, failure, caplog):
    with OpenAIServer([*script, PEANUT]) as server, caplog.at_level(logging.WARNING):
        extractor = LLMExtractor(openai(server))
        found = await run(extractor)
        later = await run(extractor)
    assert (found.proposals, found.extractor, found.usage["calls"]) == ((), "llm-2:scripted-1", 1)
    assert found.failure.startswith(failure)
    assert f"Facts were not extracted by llm-2:scripted-1: {found.failure}" in caplog.messages
    assert values(later) == [("allergy", "花生")]
    assert len(server.requests) == len(script) + 1


async def test_a_failure_tells_no_key(run):
    with OpenAIServer([Failure(401, "Incorrect API key provided: sk-abcdefghijklmnopqrstuvwxyz012345")]) as server:
        found = await run(LLMExtractor(openai(server)))
    assert "sk-abc" not in found.failure
    assert "[SECRET]" in found.failure


# --- any chat model --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["嗯嗯", "好的", "你好", "ok thanks!", "👍", ""])
async def test_small_talk_costs_nothing(run, text):
    model = ScriptedModel([])
    assert await run(LLMExtractor(model), [Utterance("h1", text, "user", AT)]) == Extraction(
        (), "llm-2:palimpsest-scripted"
    )
    assert model.calls == []


async def test_nothing_is_asked_when_no_person_speaks(run):
    model = ScriptedModel([])
    said = [Utterance("t1", "order 8842", "tool", AT), Utterance("a1", "您对花生过敏", "assistant", AT)]
    assert await run(LLMExtractor(model), said) == Extraction((), "llm-2:palimpsest-scripted")
    assert model.calls == []


async def test_no_facts_is_no_failure_and_no_second_call(run):
    model = ScriptedModel(['{"facts":[]}'])
    found = await run(LLMExtractor(model))
    assert found == Extraction(
        (), "llm-2:palimpsest-scripted", None, {"input_tokens": 0, "output_tokens": 0, "calls": 1}
    )


async def test_a_tool_call_with_its_usage(run):
    usage = {"input_tokens": 900, "output_tokens": 40, "total_tokens": 940}
    call = {"name": "remember_facts", "args": PEANUT, "id": "c1", "type": "tool_call"}
    model = ScriptedModel([AIMessage("I note that.", tool_calls=[call], usage_metadata=usage)])
    found = await run(LLMExtractor(model))
    assert values(found) == [("allergy", "花生")]
    assert found.usage == {"input_tokens": 900, "output_tokens": 40, "calls": 1}
    assert model.calls[0].options["tool_choice"] == "any"


async def test_a_reply_that_is_not_used_was_paid_for_too(run):
    usage = {"input_tokens": 10, "output_tokens": 1, "total_tokens": 11}
    found = await run(LLMExtractor(ScriptedModel([AIMessage(PROSE, usage_metadata=usage)])))
    assert found.usage == {"input_tokens": 10, "output_tokens": 1, "calls": 1}


async def test_a_model_without_structured_output_is_asked_in_text(run):
    class Plain(ScriptedModel):
        def with_structured_output(self, schema, **kwargs):
            raise NotImplementedError

    model = Plain([json.dumps(PEANUT), PROSE, PROSE, json.dumps(PEANUT)])
    extractor = LLMExtractor(model)
    counts = [without_tokens(await run(extractor)) for _ in range(4)]
    good, bad = (1, 0, None, [("allergy", "花生")]), (1, 0, NO_JSON, [])
    assert counts == [good, bad, bad, good]
    assert [call.options for call in model.calls] == [{}] * 4


async def test_a_model_that_is_none_at_all_only_fails(run):
    found = await run(LLMExtractor(OfflineModel()))
    assert (found.proposals, found.usage["calls"]) == ((), 1)
    assert found.failure.startswith("The extraction model's reply has no facts in JSON in it")


async def test_no_other_way_is_tried_when_the_window_is_full(run):
    full = Failure(400, "Input tokens exceed the configured limit: context_length_exceeded")
    with OpenAIServer([full, PEANUT]) as server:
        extractor = LLMExtractor(openai(server))
        found = await run(extractor)
        assert found.failure.startswith("The extraction model failed: OpenAIContextOverflowError")
        assert found.usage["calls"] == 1
        assert values(await run(extractor)) == [("allergy", "花生")]


async def test_a_refused_way_is_known_by_its_error(run):
    model = ScriptedModel(
        [ValueError("no schemas here"), NotImplementedError(), json.dumps(PEANUT), json.dumps(PEANUT)]
    )
    extractor = LLMExtractor(model)
    assert [(await run(extractor)).usage for _ in range(2)] == [
        {"input_tokens": 0, "output_tokens": 0, "calls": 1, "refused": 2},
        {"input_tokens": 0, "output_tokens": 0, "calls": 1},
    ]


async def test_with_a_fallback_the_turn_is_read_by_it(run, caplog):
    extractor = LLMExtractor(ScriptedModel([PROSE, RuntimeError("down")]), fallback=RuleExtractor())
    for _ in range(2):
        found = await run(extractor)
        assert (found.extractor, found.failure, found.usage["calls"]) == ("rules-1", None, 1)
        assert found.proposals == RuleExtractor().extract(ZH).proposals
    assert len([m for m in caplog.messages if m.startswith("Facts were not extracted by llm-2")]) == 2


async def test_known_facts_go_by_local_ids_and_what_is_skipped_is_told(run, caplog):
    known = [Memory("8f3a", "u", "fact", "用户使用 Vim", "user", "uses", "Vim")]
    said = [Utterance("h1", "我不再用 Vim，改用 Emacs", "user", AT)]
    items = [
        item(action="retract", id="f1"),
        item(attribute="uses", value="Emacs", text="用户使用 Emacs"),
        item(action="update", id="f2"),
    ]
    model = ScriptedModel([json.dumps({"facts": items})])
    with caplog.at_level(logging.WARNING):
        found = await run(LLMExtractor(model), said, known)
    assert [(p["value"], p["retract"]) for p in found.proposals] == [("Vim", True), ("Emacs", False)]
    assert found.skipped == {"an id that was never offered": 1}
    assert caplog.messages == ["Items of the extraction model's reply were skipped: an id that was never offered (1)"]
    assert "8f3a" not in str(model.calls[0].messages)


async def test_its_tokens_are_not_streamed_as_the_answer():
    class State(TypedDict):
        found: int

    extractor = LLMExtractor(ScriptedModel([json.dumps(PEANUT)] * 2))

    def step(state: State):
        return {"found": len(extractor.extract(ZH).proposals)}

    async def astep(state: State):
        return {"found": len((await extractor.aextract(ZH)).proposals)}

    builder = StateGraph(State)
    builder.add_node("step", RunnableLambda(step, astep, name="step"))
    builder.add_edge(START, "step")
    builder.add_edge("step", END)
    graph = builder.compile()
    assert list(graph.stream({"found": 0}, stream_mode=["messages", "values"]))[1:] == [("values", {"found": 1})]
    parts = [part async for part in graph.astream({"found": 0}, stream_mode=["messages", "values"])]
    assert parts[1:] == [("values", {"found": 1})]
