"""The examples run as they stand, and what they show is true of the nodes and the store alike."""

import re
import xml.etree.ElementTree as ET

import pytest
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import StateGraph

from examples import own_graph, with_create_agent
from graph import Context, build_graph, open_agent
from graph.drawing import draw
from graph.models import ScriptedModel

ANA = {"user_id": "ana"}


@pytest.fixture
def agent(tmp_path):
    with open_agent(tmp_path / "data", model="offline") as opened:
        yield opened


@pytest.fixture
def checkpointer(tmp_path):
    with SqliteSaver.from_conn_string(str(tmp_path / "own.sqlite")) as saver:
        yield saver


def thread(name):
    return {"configurable": {"thread_id": name}}


def facts(agent, user="ana"):
    return sorted(m.text for m in agent.memory.list(user, kind="fact"))


def test_the_own_graph_s_script_tells_what_memory_did(capsys):
    own_graph.main()
    printed = capsys.readouterr().out
    ticket = re.search(r"^Ticket: (.*) \| known: (.*)$", printed, re.MULTILINE)
    assert ticket[1] == "我要退款：the kettle I bought is broken"
    assert sorted(ticket[2].split("; ")) == ["The user lives in Lyon", "The user's name is Ana"]
    assert sorted(printed.partition("Remembered:\n")[2].splitlines()) == [
        "- episode: My name is Ana. I live in Lyon.",
        "- episode: Where do I live?",
        "- episode: 我要退款：the kettle I bought is broken",
        "- fact: The user lives in Lyon",
        "- fact: The user's name is Ana",
    ]


def test_the_own_step_spares_the_model_and_memory_is_written_either_way(agent, checkpointer):
    model = ScriptedModel(["Which kettle?"])
    desk = own_graph.build(model, checkpointer, agent.memory.index)
    asked = desk.invoke({"messages": [("user", "I am allergic to peanuts")]}, thread("a"), context=ANA)
    handed = desk.invoke({"messages": [("user", "我叫安娜，我要退款")]}, thread("a"), context=ANA)
    assert len(model.calls) == 1
    assert "ticket" not in asked
    assert handed["ticket"] == "我叫安娜，我要退款 | known: The user is allergic to peanuts"
    assert facts(agent) == ["The user is allergic to peanuts", "用户叫安娜"]
    assert [m.text for m in agent.memory.list("ana", kind="episode") if m.speaker == "assistant"] == ["Which kettle?"]


async def test_the_own_graph_runs_asynchronously_and_both_graphs_share_one_memory(agent, tmp_path):
    await agent.graph.ainvoke({"messages": [("user", "I live in Lyon")]}, thread("ours"), context=ANA)
    model = ScriptedModel(["In Lyon."])
    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "own.sqlite")) as checkpointer:
        desk = own_graph.build(model, checkpointer, agent.memory.index)
        state = await desk.ainvoke({"messages": [("user", "Where do I live?")]}, thread("theirs"), context=ANA)
    assert state["messages"][-1].text == "In Lyon."
    assert "The user lives in Lyon" in model.calls[0].messages[0].text
    assert {row["thread_id"] for row in agent.threads.list("ana")} == {"ours", "theirs"}


def test_memory_follows_the_own_checkpointer_s_branch_too(agent, checkpointer):
    desk = own_graph.build(ScriptedModel(lambda messages: "ok"), checkpointer, agent.memory.index)
    desk.invoke({"messages": [("user", "My name is Ana")]}, thread("a"), context=ANA)
    before = desk.get_state(thread("a")).config
    desk.invoke({"messages": [("user", "I like tea")]}, thread("a"), context=ANA)
    assert facts(agent) == ["The user likes tea", "The user's name is Ana"]
    desk.invoke({"messages": [("user", "我喜欢咖啡")]}, before, context=ANA)
    assert facts(agent) == ["The user's name is Ana", "用户喜欢咖啡"]


def test_the_create_agent_script_finds_notes_and_memories(capsys):
    with_create_agent.main()
    answers = [block.splitlines() for block in capsys.readouterr().out.strip().split("\n\n")]
    assert [(said, found[:1]) for said, *found in answers] == [
        ("ana@example.com: Note: the market in Lyon opens at seven", ["Saved."]),
        (
            "ana@example.com: Which city do I live in, and when does the market open?",
            ["- note: the market in Lyon opens at seven"],
        ),
        ("ana@example.com: 我能吃花生吗？", ["- note: the market in Lyon opens at seven"]),
        ("bob@example.com: When does the market open?", ["- no note found"]),
    ]
    assert answers[1][2] == "- fact: The user lives in Lyon"
    assert answers[2][2] == "- fact: 用户对花生过敏"
    assert answers[3][2:] == ["- no fact found"]
    assert not any("Paris" in line for block in answers for line in block)


async def test_the_tools_work_asynchronously_and_leave_palimpsest_s_own_memory_alone(agent):
    agent.memory.remember("ana", "I am allergic to peanuts")
    assistant = with_create_agent.build(ScriptedModel(with_create_agent.script), agent.memory.index)
    for words in ("Note: buy tea", "花生 peanuts?"):
        state = await assistant.ainvoke({"messages": [("user", words)]}, context=Context(user_id="ana"))
    assert state["messages"][-1].text.splitlines() == ["- note: buy tea", "- fact: The user is allergic to peanuts"]
    assert facts(agent) == ["The user is allergic to peanuts"]
    assert agent.memory.recall("ana", "buy tea").results == ()
    assert [m.type for m in state["messages"]] == ["human", "ai", "tool", "tool", "ai"]


@tool
def weather(city: str) -> str:
    """The weather."""
    return city


def picture(drawing):
    """The texts and the numbers of dashed and of plain arrows of a drawing, which must be well-formed."""
    root = ET.fromstring(drawing.svg)
    svg = "{http://www.w3.org/2000/svg}"
    arrows = [p for p in root.iter(f"{svg}path") if p.get("marker-end")]
    dashed = sum(p.get("stroke-dasharray") is not None for p in arrows)
    return {t.text for t in root.iter(f"{svg}text")}, dashed, len(arrows) - dashed


def test_a_graph_is_drawn_as_svg_and_as_mermaid_text():
    steps = {"start", "retrieve_memory", "manage_context", "call_llm", "extract_facts", "write_memory", "end"}
    plain, with_tools = draw(build_graph()), draw(build_graph(tools=[weather]))
    assert picture(plain) == (steps, 0, 6)
    assert picture(with_tools) == (steps | {"tools"}, 3, 6)
    assert "retrieve_memory --> manage_context;" in plain.mermaid
    assert (str(plain), repr(plain), plain._repr_svg_()) == (plain.mermaid, plain.mermaid, plain.svg)


def test_steps_go_from_left_to_right_and_what_turns_off_lies_below():
    drawing = draw(own_graph.build(ScriptedModel([]), None, None))
    svg = "{http://www.w3.org/2000/svg}"
    at = {t.text: (float(t.get("x")), float(t.get("y"))) for t in ET.fromstring(drawing.svg).iter(f"{svg}text")}
    row = ["start", "retrieve_memory", "manage_context", "call_llm", "extract_facts", "write_memory", "end"]
    assert sorted(row, key=lambda name: at[name][0]) == row
    assert len({at[name][1] for name in row}) == 1
    assert at["hand_over"][0] == at["manage_context"][0]
    assert at["hand_over"][1] > at["manage_context"][1]


def test_a_step_s_name_cannot_leave_its_box():
    builder = StateGraph(dict)
    builder.add_node("<b>&", lambda state: state)
    builder.add_node("步骤", lambda state: state)
    builder.set_entry_point("<b>&")
    builder.add_edge("<b>&", "步骤")
    builder.add_edge("步骤", "<b>&")
    assert picture(draw(builder.compile())) == ({"start", "<b>&", "步骤", "end"}, 1, 3)
