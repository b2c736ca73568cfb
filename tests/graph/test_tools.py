"""Tools in a turn: rounds and their end, parallel calls, errors told to the model, approval by a person."""

import asyncio
import threading
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.prebuilt import InjectedState, InjectedStore
from langgraph.types import Command, interrupt

from graph import open_agent
from graph.model_errors import ToolsNeverEnd
from graph.models import ScriptedModel, resolve_model
from graph.scripted_server import Answer, OpenAIServer, ToolCall
from graph.settings import Settings

MONDAY = {"configurable": {"thread_id": "monday"}}
ALICE = {"user_id": "alice"}


@pytest.fixture(autouse=True)
def _no_settings_of_the_machine(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PALIMPSEST_MAX_TOOL_ROUNDS", "3")


@tool
def weather(city: str) -> str:
    """The weather in a city."""
    if city == "Atlantis":
        raise LookupError("there is no such city")
    return f"{city}：晴，二十度"


@tool
async def price(item: str) -> str:
    """What something costs."""
    await asyncio.sleep(0)
    return f"{item} costs 3 yuan"


booked = []


@tool
def book(table: str) -> str:
    """Book a table, once a person has approved."""
    verdict = interrupt({"book": table})
    if verdict != "yes":
        return f"{table} was not approved"
    booked.append(table)
    return f"{table} is booked"


def calls(*given, text=""):
    made = [{"name": name, "args": args, "id": f"c{i}-{name}"} for i, (name, args) in enumerate(given)]
    return AIMessage(text, tool_calls=made)


@pytest.fixture
def opened(tmp_path):
    agents = []

    def make(script, *tools):
        model = script if isinstance(script, ScriptedModel) else ScriptedModel(script)
        agents.append(open_agent(tmp_path / "data", extraction_model="rules", model=model, tools=tools))
        return agents[-1], model

    booked.clear()
    yield make
    for agent in agents:
        agent.close()


def give(words):
    return {"messages": [("user", words)]}


def messages(state):
    return [(m.type, m.text) for m in state["messages"]]


def episodes(agent):
    return sorted((m.speaker, m.text) for m in agent.memory.list("alice", kind="episode", standing="all"))


def test_a_result_goes_back_to_the_model_and_becomes_an_episode_of_the_tool(opened):
    agent, model = opened([calls(("weather", {"city": "杭州"})), "今天晴。"], weather)
    state = agent.graph.invoke(give("杭州天气怎么样？"), MONDAY, context=ALICE)
    assert messages(state) == [
        ("human", "杭州天气怎么样？"),
        ("ai", ""),
        ("tool", "杭州：晴，二十度"),
        ("ai", "今天晴。"),
    ]
    assert [m.type for m in model.calls[1].messages] == ["system", "human", "ai", "tool"]
    assert all(call.options["tools"][0]["function"]["name"] == "weather" for call in model.calls)
    assert episodes(agent) == sorted(
        [("user", "杭州天气怎么样？"), ("tool", "杭州：晴，二十度"), ("assistant", "今天晴。")]
    )
    assert agent.memory.list("alice", kind="fact") == []


async def test_the_same_asynchronously_with_an_async_tool_and_its_tokens(opened):
    agent, _ = opened([calls(("price", {"item": "tea"}), text="Let me look."), "It costs 3 yuan."], price)
    heard = []
    stream = agent.graph.astream(give("How much is tea?"), MONDAY, context=ALICE, stream_mode="messages")
    async for chunk, about in stream:
        if isinstance(chunk, AIMessageChunk | ToolMessage) and chunk.text:
            heard.append((about["langgraph_node"], chunk.text))
    assert heard == [
        *[("call_llm", word) for word in ("Let", " me", " look.")],
        ("tools", "tea costs 3 yuan"),
        *[("call_llm", word) for word in ("It", " costs", " 3", " yuan.")],
    ]
    assert ("tool", "tea costs 3 yuan") in episodes(agent)


def test_a_stream_over_a_real_connection_calls_tools_too(tmp_path):
    script = [Answer("One moment.", (ToolCall("weather", {"city": "杭州"}),)), "It is sunny."]
    with OpenAIServer(script) as server:
        model = resolve_model("openai:any", settings=Settings(openai_base_url=server.base_url))
        with open_agent(tmp_path / "data", extraction_model="rules", model=model, tools=[weather]) as agent:
            stream = agent.graph.stream(give("Weather?"), MONDAY, context=ALICE, stream_mode="messages")
            heard = [chunk.text for chunk, _ in stream if isinstance(chunk, AIMessageChunk) and chunk.text]
    assert "".join(heard) == "One moment.It is sunny."
    assert [m["role"] for m in server.requests[1].body["messages"]] == ["system", "user", "assistant", "tool"]


def test_parallel_calls_run_at_the_same_time_and_keep_their_order(opened):
    both = threading.Barrier(2, timeout=20)

    @tool
    def meet(who: str) -> str:
        """Wait for the other."""
        both.wait()
        return f"{who} came"

    agent, _ = opened([calls(("meet", {"who": "Ann"}), ("meet", {"who": "Bo"})), "Both came."], meet)
    state = agent.graph.invoke(give("Meet!"), MONDAY, context=ALICE)
    assert messages(state)[2:] == [("tool", "Ann came"), ("tool", "Bo came"), ("ai", "Both came.")]


async def test_an_error_of_one_tool_goes_back_to_the_model_beside_the_other_s_result(opened):
    script = [calls(("weather", {"city": "Atlantis"}), ("price", {"item": "tea"})), "No such city."]
    agent, model = opened(script, weather, price)
    await agent.graph.ainvoke(give("Atlantis? Tea?"), MONDAY, context=ALICE)
    results = [(m.text, m.status) for m in model.calls[1].messages if isinstance(m, ToolMessage)]
    assert results == [
        ("Error: LookupError: there is no such city", "error"),
        ("tea costs 3 yuan", "success"),
    ]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (("weather", {"town": "杭州"}), "city"),
        (("wether", {"city": "杭州"}), "not a valid tool"),
    ],
)
def test_a_call_that_cannot_be_made_is_told_to_the_model(opened, call, told):
    agent, model = opened([calls(call), calls(("weather", {"city": "杭州"})), "晴。"], weather)
    state = agent.graph.invoke(give("天气？"), MONDAY, context=ALICE)
    (result,) = [m for m in model.calls[1].messages if isinstance(m, ToolMessage)]
    assert told in result.text
    assert result.status == "error"
    assert messages(state)[-2:] == [("tool", "杭州：晴，二十度"), ("ai", "晴。")]


def test_arguments_that_are_no_json_are_told_to_the_model_and_the_good_call_still_runs(tmp_path):
    broken, good = ToolCall("weather", '{"city": ', id="c1"), ToolCall("weather", {"city": "杭州"}, id="c2")
    with OpenAIServer([broken, Answer("", (broken, good)), "晴。", "不客气。"]) as server:
        model = resolve_model("openai:any", settings=Settings(openai_base_url=server.base_url))
        with open_agent(tmp_path / "data", extraction_model="rules", model=model, tools=[weather]) as agent:
            state = agent.graph.invoke(give("天气？"), MONDAY, context=ALICE)
            thanks = agent.graph.invoke(give("谢谢"), MONDAY, context=ALICE)
    told = 'Error: the arguments are not valid JSON: {"city": '
    assert [text for kind, text in messages(state) if kind == "tool"] == [told, told, "杭州：晴，二十度"]
    assert messages(state)[-1] == ("ai", "晴。")
    assert messages(thanks)[-1] == ("ai", "不客气。")


def test_after_the_last_round_the_model_is_asked_once_more_without_tools(opened):
    look = calls(("weather", {"city": "杭州"}))
    agent, model = opened([look, look, look, "够了：晴。", look, "还是晴。"], weather)
    state = agent.graph.invoke(give("天气怎么样？"), MONDAY, context=ALICE)
    assert messages(state)[-1] == ("ai", "够了：晴。")
    assert ["tools" in call.options for call in model.calls] == [True, True, True, False]
    assert ["这一轮不能再调用工具了" in call.messages[0].text for call in model.calls] == [False] * 3 + [True]
    assert messages(agent.graph.invoke(give("现在呢？"), MONDAY, context=ALICE))[-1] == ("ai", "还是晴。")


async def test_a_model_that_calls_on_even_then_ends_the_turn_and_can_be_resumed(opened):
    look = calls(("weather", {"city": "Paris"}))
    agent, _ = opened([*[look] * 4, "Sunny."], weather)
    with pytest.raises(ToolsNeverEnd, match="PALIMPSEST_MAX_TOOL_ROUNDS"):
        await agent.graph.ainvoke(give("Weather?"), MONDAY, context=ALICE)
    snapshot = await agent.graph.aget_state(MONDAY)
    assert snapshot.next == ("call_llm",)
    assert [m.type for m in snapshot.values["messages"]] == ["human", *["ai", "tool"] * 3]
    assert episodes(agent) == []
    state = await agent.graph.ainvoke(None, MONDAY)
    assert messages(state)[-1] == ("ai", "Sunny.")
    assert [speaker for speaker, _ in episodes(agent)].count("user") == 1


def test_a_person_approves_and_memory_is_written_once(opened):
    agent, model = opened([calls(("book", {"table": "window"})), "Booked."], book)
    paused = agent.graph.invoke(give("My name is Alice. Book the window table."), MONDAY, context=ALICE)
    assert [i.value for i in paused["__interrupt__"]] == [{"book": "window"}]
    assert (booked, episodes(agent), agent.graph.get_state(MONDAY).next) == ([], [], ("tools",))
    state = agent.graph.invoke(Command(resume="yes"), MONDAY)
    assert messages(state)[-2:] == [("tool", "window is booked"), ("ai", "Booked.")]
    assert booked == ["window"]
    assert len(model.calls) == 2
    assert [speaker for speaker, _ in episodes(agent)] == ["assistant", "tool", "user"]
    assert [f.value for f in agent.memory.list("alice", kind="fact")] == ["Alice"]


async def test_a_person_refuses_asynchronously(opened):
    agent, _ = opened([calls(("book", {"table": "窗边"})), "没有订。"], book)
    async for _ in agent.graph.astream(give("订窗边的桌子"), MONDAY, context=ALICE):
        pass
    tokens = [
        chunk.text
        async for chunk, _ in agent.graph.astream(Command(resume="no"), MONDAY, stream_mode="messages")
        if isinstance(chunk, AIMessageChunk) and chunk.text
    ]
    assert "".join(tokens) == "没有订。"
    assert ("tool", "窗边 was not approved") in episodes(agent)
    assert booked == []


def test_while_one_call_waits_for_a_person_the_others_keep_their_results(opened):
    ran = []

    @tool
    def note(text: str) -> str:
        """Write something down."""
        ran.append(text)
        return f"noted {text}"

    script = [calls(("note", {"text": "a"}), ("book", {"table": "1"}), ("book", {"table": "2"})), "done"]
    agent, _ = opened(script, note, book)
    paused = agent.graph.invoke(give("go"), MONDAY, context=ALICE)
    ids = {i.value["book"]: i.id for i in paused["__interrupt__"]}
    half = agent.graph.invoke(Command(resume={ids["1"]: "yes"}), MONDAY)
    assert [i.value for i in half["__interrupt__"]] == [{"book": "2"}]
    state = agent.graph.invoke(Command(resume={ids["2"]: "no"}), MONDAY)
    results = ["noted a", "1 is booked", "2 was not approved"]
    assert [text for kind, text in messages(state) if kind == "tool"] == results
    assert (ran, booked) == (["a"], ["1"])


def test_a_result_may_be_kept_out_of_memory(opened):
    @tool
    def secret_list(tool_call_id: Annotated[str, InjectedToolCallId]) -> ToolMessage:
        """A list that nobody needs to remember."""
        return ToolMessage("a, b, c", tool_call_id=tool_call_id, additional_kwargs={"remember": False})

    agent, _ = opened([calls(("secret_list", {})), "Three."], secret_list)
    state = agent.graph.invoke(give("How many?"), MONDAY, context=ALICE)
    assert messages(state)[2] == ("tool", "a, b, c")
    assert episodes(agent) == [("assistant", "Three."), ("user", "How many?")]


def test_a_tool_may_read_the_state_and_the_store(opened):
    @tool
    def look(state: Annotated[dict, InjectedState], store: Annotated[Any, InjectedStore]) -> str:
        """What is there."""
        return f"{state['user_id']}, {len(state['messages'])} messages, {type(store).__name__}"

    agent, _ = opened([calls(("look", {})), "ok"], look)
    state = agent.graph.invoke(give("look"), MONDAY, context=ALICE)
    assert messages(state)[2] == ("tool", "alice, 2 messages, PalimpsestStore")


def test_without_tools_none_is_offered(opened):
    agent, model = opened(["hello"])
    agent.graph.invoke(give("hi"), MONDAY, context=ALICE)
    assert model.calls[0].options == {}
