import pytest

from graph import open_agent
from graph.counters import counter_for
from graph.scripted_model import ScriptedModel
from memory.tokens import estimate_tokens

TEXT = "The tokenizer splits 词元化 rather unevenly, doesn't it? 😀 palimpsest"


@pytest.mark.parametrize(
    ("names", "tokens"),
    [
        (["gpt-4o", "openai:gpt-4.1-mini", "openai:gpt-5", "openai/gpt-5-mini", "o3", "openrouter:openai/o4-mini"], 19),
        (["openai:gpt-oss-20b", "gpt-oss:20b"], 19),
        (["gpt-4-turbo", "openai:gpt-3.5-turbo"], 20),
        (["Qwen/Qwen2.5-7B-Instruct", "ollama:qwen3:8b", "openai:qwen3-32b"], 19),
    ],
)
def test_a_known_model_is_counted_exactly(names, tokens):
    assert {name: counter_for(name)(TEXT) for name in names} == dict.fromkeys(names, tokens)


@pytest.mark.parametrize("name", [None, "", "offline", "openai:my-own", "anthropic:claude-sonnet-4", "o365-helper"])
def test_another_is_estimated(name):
    assert counter_for(name) is estimate_tokens


def test_any_text_can_be_counted():
    count = counter_for("gpt-4o")
    assert (count(""), count("<|endoftext|>") > 1, count("\ud83d") > 0) == (0, True, True)


def test_a_model_object_is_known_by_its_name(tmp_path):
    class Named(ScriptedModel):
        model_name: str = "gpt-4.1-mini"

    model = Named(["Fine."])
    assert counter_for(model) is counter_for("gpt-4o")
    with open_agent(tmp_path, model=model, extraction_model="rules") as agent:
        state = agent.graph.invoke(
            {"messages": [("user", TEXT)]}, {"configurable": {"thread_id": "t"}}, context={"user_id": "a"}
        )
    assert state["usage"]["tokens"]["history"] == counter_for("gpt-4o")(TEXT) + 4
