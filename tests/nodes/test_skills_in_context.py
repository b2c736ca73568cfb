"""What room skills get beside everything else, with a folder behind the run's store."""

from types import SimpleNamespace

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.runtime import Runtime

from memory.tokens import estimate_tokens
from nodes.context import Context
from nodes.manage_context import manage_context
from nodes.skills import skills_of_turn
from nodes.view import render
from stores.skill_folder import SkillFolder

SHORT = "id: short\ndescription: d\ntrigger: {words: [x]}\nsteps: [Do it.]\n"
LONG = SHORT.replace("short", "long").replace("Do it.", "Do it with the greatest care there is. " * 10)


@pytest.fixture
def store(tmp_path):
    (tmp_path / "a.yaml").write_text(SHORT)
    (tmp_path / "b.yaml").write_text(LONG)
    return SimpleNamespace(book=SimpleNamespace(skills=SkillFolder(tmp_path)))


def planned(store, *, budget=2000, skills=("long", "short"), recalled=0, summary="", history=4, question="And now?"):
    said = [HumanMessage("Tell me more about the weather over there, please. " * 8, id=f"h{i}") for i in range(history)]
    results = [{"id": f"r{i}", "text": "went to the sea with Tom " * 10, "score": 1.0} for i in range(recalled)]
    state = {
        "messages": [*said, AIMessage("Yes.", id="a"), HumanMessage(question, id="q")],
        "user_id": "ann",
        "settings": Context(max_context_tokens=budget, reserve_output_tokens=0, context_strategy="window").settings(),
        "turn_id": "t",
        "recalled": {"results": results, "skills": list(skills)},
        "summary": {"text": summary, "to": None},
    }
    runtime = Runtime(stream_writer=lambda _: None, store=store)
    state |= manage_context().invoke(state, runtime=runtime)
    system = render(state, estimate_tokens, skills=skills_of_turn(state, store, ()))[0].text
    return state["usage"], [name for name in ("long", "short") if f'<skill id="{name}">' in system]


def test_both_fit_in_their_share_of_a_large_budget(store):
    usage, shown = planned(store)
    assert (shown, usage["dropped"]) == (["long", "short"], {})
    assert usage["tokens"]["skills"] <= 2000 // 8


def test_of_a_smaller_share_the_one_that_fits_is_shown_and_the_other_counted(store):
    usage, shown = planned(store, budget=1000, history=1)
    assert (shown, usage["dropped"]) == (["short"], {"skills": {"no room": 1}})


def test_what_memory_leaves_of_its_half_is_for_skills_and_half_a_skill_takes_no_room(store):
    full = {"summary": "- It rained. \n" * 60, "history": 9}
    found = [planned(store, recalled=n, **full) for n in range(13)]
    assert (found[0][1], found[-1][1]) == (["long", "short"], [])
    for usage, shown in found:
        assert (usage["tokens"]["skills"] > 0) == bool(shown)
        assert usage["dropped"].get("skills", {}).get("no room", 0) == 2 - len(shown)
        assert usage["tokens"]["free"] <= 0 or "messages" not in usage["dropped"]


def test_a_long_question_reaches_the_model_before_a_skill_does(store):
    usage, shown = planned(store, question="and then it rained again and again " * 250)
    assert (shown, usage["dropped"]["skills"], usage["shortened"]) == ([], {"no room": 2}, 0)


def test_without_a_folder_every_skill_is_gone(store):
    for nothing in (None, SimpleNamespace(), SimpleNamespace(book=SimpleNamespace(skills=None))):
        usage, shown = planned(nothing)
        assert (shown, usage["dropped"], usage["tokens"]["skills"]) == ([], {"skills": {"gone since": 2}}, 0)
