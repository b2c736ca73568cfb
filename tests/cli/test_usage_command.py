import pytest

from graph import open_agent
from graph.scripted_model import ScriptedModel


@pytest.fixture
def talked(palimpsest):
    with open_agent(
        palimpsest.folder, model=ScriptedModel(lambda messages: "Noted. " * 60), extraction_model="rules"
    ) as agent:
        for i in range(12):
            agent.graph.invoke(
                {"messages": [("user", f"Number {i}. " + "The weather is mild. " * 20)]},
                {"configurable": {"thread_id": "monday"}},
                context={
                    "user_id": "ann",
                    "max_context_tokens": 1200,
                    "reserve_output_tokens": 100,
                    "context_strategy": "window",
                },
            )
    return palimpsest


def test_usage_is_printed_with_parts_shares_reasons_and_sums(talked):
    lines = talked("threads", "show", "monday", "--usage").stdout.splitlines()
    assert lines[0].split() == ["last", "turn's", "context", "tokens", "share"]
    assert [line.split("  ")[0].strip() for line in lines[1:10]] == [
        "reserved for the answer",
        "system prompt",
        "tools",
        "profile",
        "recalled memory",
        "summary",
        "skills",
        "history",
        "free",
    ]
    assert lines[1].split()[-2:] == ["100", "8.3%"]
    assert any(line.startswith("messages not shown to the model: ") and line.endswith(" too old") for line in lines)
    assert [line.split()[:5] for line in lines[-4:]] == [
        [whose, name, what, "12", line.split()[4]]
        for line, (whose, name, what) in zip(
            lines[-4:],
            [
                ("thread", "monday", "answer"),
                ("thread", "monday", "total"),
                ("user", "ann", "answer"),
                ("user", "ann", "total"),
            ],
            strict=True,
        )
    ]


def test_usage_as_json_while_another_holds_the_index(talked):
    with open_agent(talked.folder):
        usage = talked.json("threads", "show", "monday", "--usage")
    assert usage["thread"] == usage["user"]
    assert usage["thread"]["total"]["calls"] == 12
    assert sum(usage["last"]["tokens"].values()) == 1200


def test_usage_of_a_thread_that_is_not_there(talked):
    assert "No thread 'sunday'" in talked("threads", "show", "sunday", "--usage", code=1).stderr
