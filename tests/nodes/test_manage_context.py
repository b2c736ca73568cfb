import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.runtime import Runtime

from graph.scripted_model import ScriptedModel
from memory.summary_request import Summary
from memory.tokens import estimate_tokens
from nodes.context import Context
from nodes.llm_summarizer import LLMSummarizer
from nodes.manage_context import manage_context
from nodes.view import ATTACHMENT_TOKENS, line_of, render


def conversation(turns, words="the weather over there was rather pleasant and mild ", question="And now?"):
    said = []
    for i in range(turns):
        said += [HumanMessage(f"Thing {i}: {words * 3}", id=f"h{i}"), AIMessage(f"Answer {i}. {words * 3}", id=f"a{i}")]
    return [*said, HumanMessage(question, id="q")]


def state_of(messages, *, turn_id="t", recalled=None, **settings):
    kept = Context(**{"max_context_tokens": 1500, "reserve_output_tokens": 200, **settings}).settings()
    return {"messages": messages, "user_id": "ann", "settings": kept, "turn_id": turn_id, "recalled": recalled or {}}


def run(state, summarizer=None, tools=()):
    told = []
    runtime = Runtime(stream_writer=told.append)
    update = manage_context(tools, summarizer=summarizer).invoke(state, runtime=runtime)
    assert told == [{"node": "manage_context", **update["usage"]}]
    return {**state, **update}


def seen(state):
    system, *window = render(state, estimate_tokens)
    return system.text, [m.id for m in window]


class Spy:
    """Summarises as it is told, and keeps what it was asked."""

    def __init__(self, *failures):
        self.failures = list(failures)
        self.asked = []

    def summarize(self, request):
        self.asked.append(request)
        if self.failures and (failure := self.failures.pop(0)):
            return Summary(failure=failure, usage={"calls": 1, "input_tokens": 5, "output_tokens": 0})
        text = f"{request.previous}[{request.lines[0].id}-{request.lines[-1].id}]"
        return Summary(text, request.lines[-1].id, usage={"calls": 1, "input_tokens": 9, "output_tokens": 3})


def test_what_fits_is_sent_whole_and_the_report_says_so():
    state = run(state_of(conversation(2)))
    usage = state["usage"]
    assert seen(state)[1] == ["h0", "a0", "h1", "a1", "q"]
    assert list(usage["tokens"]) == [
        "reserved",
        "system",
        "tools",
        "profile",
        "recalled",
        "summary",
        "skills",
        "history",
        "free",
    ]
    assert sum(usage["tokens"].values()) == 1500
    assert usage == {
        "turn_id": "t",
        "tokens": usage["tokens"],
        "share": round(1 - usage["tokens"]["free"] / 1500, 3),
        "dropped": {},
        "shortened": 0,
        "calls": {},
    }


def test_profile_and_recalled_memory_are_parts_of_their_own():
    recalled = {
        "profile": [{"id": "p", "text": "is allergic to peanuts"}],
        "results": [{"id": f"r{i}", "text": "went to the sea with Tom " * 30, "score": 1.0} for i in range(9)],
    }
    state = run(state_of(conversation(1), recalled=recalled))
    usage = state["usage"]
    assert 0 < usage["tokens"]["profile"] < usage["tokens"]["recalled"] <= 1300 // 3
    assert usage["dropped"] == {"memories": {"no room": 7}}
    assert "allergic to peanuts" in seen(state)[0]


@pytest.mark.parametrize(
    ("strategy", "turns", "asked", "reason"),
    [
        ("window", 30, 0, "too old"),
        ("priority", 30, 0, "worth least"),
        ("summary", 30, 1, "summarised"),
        ("hybrid", 18, 0, "worth least"),
        ("hybrid", 30, 1, "summarised"),
    ],
)
def test_the_strategies(strategy, turns, asked, reason):
    spy = Spy()
    state = run(state_of(conversation(turns), context_strategy=strategy), spy)
    usage = state["usage"]
    assert len(spy.asked) == asked
    assert list(usage["dropped"]) == ["messages"]
    assert list(usage["dropped"]["messages"]) == [reason]
    system, window = seen(state)
    assert window[-1] == "q"
    assert window[0].startswith("h")
    assert ("[h0-" in system) is bool(asked)
    assert usage["share"] <= 1


def test_a_little_over_the_budget_a_hybrid_keeps_what_the_user_said():
    window = seen(run(state_of(conversation(18))))[1]
    assert [name for name in window if name[0] == "h"] == [f"h{i}" for i in range(18)]
    assert len(window) < 37


def test_summaries_cover_one_after_the_other_and_no_message_twice():
    spy = Spy()
    state = {}
    for i in range(60):
        kept = {name: state[name] for name in ("summary", "usage") if name in state}
        state = run(state_of(conversation(i), turn_id=str(i)) | kept, spy)
    covered = [line.id for request in spy.asked for line in request.lines]
    assert len(spy.asked) > 2
    assert covered == [f"{role}{i}" for i in range(len(covered) // 2) for role in "ha"]
    assert [request.previous for request in spy.asked[1:]] == [
        "".join(f"[{r.lines[0].id}-{r.lines[-1].id}]" for r in spy.asked[: n + 1]) for n in range(len(spy.asked) - 1)
    ]
    # A summary makes room for several turns.
    assert len(spy.asked) <= 60 / 3


def test_a_failed_summary_leaves_the_history_and_is_tried_again_next_turn_but_not_in_this_one():
    spy = Spy("The summary failed: Timeout", None)
    state = run(state_of(conversation(40), turn_id="1"), spy)
    assert "summary" not in state
    assert state["usage"]["failure"] == "The summary failed: Timeout"
    assert state["usage"]["calls"] == {"summary": {"calls": 1, "input_tokens": 5, "output_tokens": 0}}
    system, window = seen(state)
    assert "Timeout" not in system
    assert window[-1] == "q"
    called = AIMessage("", id="c", tool_calls=[{"name": "look", "args": {}, "id": "x"}])
    again = run({**state, "messages": [*state["messages"], called, ToolMessage("7", tool_call_id="x", id="r")]}, spy)
    assert len(spy.asked) == 1
    assert again["usage"]["failure"] == "The summary failed: Timeout"
    assert again["usage"]["calls"] == state["usage"]["calls"]
    assert seen(again)[1][-3:] == ["q", "c", "r"]
    later = run({**again, "turn_id": "2"}, spy)
    assert later["summary"]["text"].startswith("[h0-")
    assert "failure" not in later["usage"]
    assert later["usage"]["calls"] == {"summary": {"calls": 1, "input_tokens": 9, "output_tokens": 3}}


@pytest.mark.parametrize(
    "reply", [RuntimeError("503 Service Unavailable, key sk-abcdefghijklmnopqrstuvwx12"), "", "<think>hm"]
)
async def test_a_model_that_fails_or_says_nothing_ends_no_turn(reply):
    step, runtime = manage_context(summarizer=LLMSummarizer(ScriptedModel([reply, reply]))), Runtime()
    state = state_of(conversation(40))
    for update in (step.invoke(state, runtime=runtime), await step.ainvoke(state, runtime=runtime)):
        assert "summary" not in update
        assert update["usage"]["failure"].startswith("The ")
        assert "sk-abc" not in update["usage"]["failure"]


async def test_asynchronously_it_does_the_same():
    model = ScriptedModel(["- User: likes mild weather", "- User: likes mild weather"])
    step, told = manage_context(summarizer=LLMSummarizer(model)), []
    runtime = Runtime(stream_writer=told.append)
    state = state_of(conversation(40))
    assert await step.ainvoke(state, runtime=runtime) == step.invoke(state, runtime=runtime)
    assert told[0] == told[1]
    assert told[0]["calls"]["summary"]["calls"] == 1
    spy = await manage_context(summarizer=Spy()).ainvoke(state, runtime=runtime)
    assert spy["summary"]["text"].startswith("[h0-")


@pytest.mark.parametrize(
    ("words", "mark"), [("why is the sky blue ", "[shortened]"), ("天空为什么是蓝的？", "〔已截短〕")]
)
@pytest.mark.parametrize("strategy", ["window", "priority", "summary", "hybrid"])
def test_a_question_larger_than_the_whole_budget_reaches_the_model_with_a_mark(words, mark, strategy):
    state = run(state_of(conversation(3, question=words * 2000), context_strategy=strategy))
    *_, question = render(state, estimate_tokens)
    assert question.id == "q"
    assert question.text.startswith(words[:10])
    assert mark in question.text
    assert estimate_tokens(question.text) < 1300
    assert state["usage"]["shortened"] == 1


def test_an_image_is_counted_and_stays_when_the_words_beside_it_are_shortened():
    image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    message = HumanMessage([{"type": "text", "text": "look at this " * 3000}, image], id="q")
    assert line_of(message, estimate_tokens).tokens > ATTACHMENT_TOKENS + 3000
    state = run(state_of([message], max_context_tokens=3000))
    words, kept = render(state, estimate_tokens)[-1].content
    assert kept == image
    assert "[shortened]" in words["text"]


def test_parallel_and_interleaved_tool_exchanges_reach_the_model_whole():
    def calling(name, *ids):
        return AIMessage("", id=name, tool_calls=[{"name": "look", "args": {}, "id": i} for i in ids])

    def result(call, name):
        return ToolMessage("found " * 40, tool_call_id=call, id=name)

    parallel = [
        HumanMessage("one", id="1"),
        calling("2", "x", "y"),
        result("x", "3"),
        result("y", "4"),
        AIMessage("ok", id="5"),
    ]
    mixed = [
        HumanMessage("a", id="6"),
        calling("7", "z"),
        HumanMessage("b", id="8"),
        calling("9", "w"),
        result("z", "10"),
        result("w", "11"),
    ]
    for strategy in ("window", "priority", "summary", "hybrid"):
        for budget in range(250, 700, 30):
            for messages in (parallel, [*parallel, *mixed]):
                state = state_of(
                    messages, max_context_tokens=budget, reserve_output_tokens=20, context_strategy=strategy
                )
                sent = render(run(state), estimate_tokens)
                calls = {c["id"] for m in sent if isinstance(m, AIMessage) for c in m.tool_calls}
                assert calls == {m.tool_call_id for m in sent if isinstance(m, ToolMessage)}


def test_a_summary_made_under_a_larger_budget_is_cut_to_a_smaller_one():
    text = "\n".join(f"- User: ticket AB-{i} is open." for i in range(60))
    state = {**state_of(conversation(1), max_context_tokens=600), "summary": {"text": text, "to": None}}
    state = run(state)
    system, window = seen(state)
    assert estimate_tokens(system) <= sum(state["usage"]["tokens"][p] for p in ("system", "summary")) + 5
    assert "AB-59" in system
    assert window[-1] == "q"
    assert state["summary"]["text"] == text


def test_system_messages_of_the_conversation_are_part_of_the_prompt():
    state = run(state_of([SystemMessage("Answer in rhyme.", id="s"), *conversation(1)]))
    assert "Answer in rhyme." in seen(state)[0]


def test_a_turn_that_an_older_version_planned_can_go_on():
    state = run(state_of(conversation(1)))
    tokens = dict(state["usage"]["tokens"])
    tokens["memory"] = tokens.pop("profile") + tokens.pop("recalled")
    state["usage"] = {"tokens": tokens, "dropped": 0, "shortened": 0}
    assert seen(state)[1] == ["h0", "a0", "q"]
