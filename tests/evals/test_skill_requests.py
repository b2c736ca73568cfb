"""The bundled requests that call for a skill, and that what the bench chooses for them is what a turn chooses."""

from collections import Counter
from functools import partial

import pytest

from evals import ablation, skill_requests
from evals.datasets import Dataset, Query
from graph import open_agent
from memory.skill_matching import match_skills
from memory.text import language
from stores.embeddings import HashEmbeddings
from stores.errors import BadInput
from stores.skill_folder import SkillFolder

SKILLS = SkillFolder(skill_requests.FOLDER).read().skills


def test_the_requests_are_half_chinese_half_english_and_ask_for_every_skill_in_both():
    requests = skill_requests.load()
    asked = Counter((one.skill, language(one.text)) for one in requests)
    assert len(requests) >= 30
    assert len(requests) == len({one.id for one in requests}) == len({one.text for one in requests})
    assert Counter(language(one.text) for one in requests) == {"zh": len(requests) / 2, "en": len(requests) / 2}
    assert {*asked} == {(skill, spoken) for skill in SKILLS for spoken in ("zh", "en")}


def test_the_skills_of_the_bench_can_all_be_read_and_have_examples_in_both_languages():
    shelf = SkillFolder(skill_requests.FOLDER).read()
    assert shelf.problems == ()
    assert len(shelf.skills) >= 6
    assert all({language(text) for text in skill.examples} == {"zh", "en"} for skill in shelf.skills.values())


def test_at_most_a_third_of_the_requests_say_a_trigger_word_and_none_an_example():
    requests = skill_requests.load()
    said = [one.text for one in requests if match_skills([SKILLS[one.skill]], one.text)]
    assert 0 < len(said) <= len(requests) / 3
    texts = [text.casefold() for skill in SKILLS.values() for text in skill.meanings]
    assert [one.text for one in requests if any(text in one.text.casefold() for text in texts)] == []


def test_what_is_chosen_for_a_request_is_what_a_turn_chooses(tmp_path):
    requests = skill_requests.load()
    with open_agent(tmp_path, model="offline", skills=skill_requests.FOLDER) as agent:
        measured = skill_requests.scores(agent.memory)
        for n in range(0, len(requests), 6):
            state = agent.graph.invoke(
                {"messages": [("user", requests[n].text)]},
                {"configurable": {"thread_id": requests[n].id}},
                context={"user_id": "u"},
            )
            chosen = state["recalled"]["skills"]
            assert measured[n]["R@5"] == float(requests[n].skill in chosen), requests[n].text
            assert measured[n]["MRR"] == sum(1 / i for i, skill in enumerate(chosen, 1) if skill == requests[n].skill)
        assert {value for one in skill_requests.scores(agent.memory, use_skills=False) for value in one.values()} == {0}
    assert 0 < sum(one["R@5"] for one in measured) < len(measured)


def test_a_set_whose_name_is_a_column_is_refused_before_anything_is_written():
    taken = Dataset("skills", (), (Query("q", "g", "?", "one", ("i",)),))
    with pytest.raises(BadInput, match="called 'skills'"):
        ablation.run([taken], partial(open_agent, embeddings=HashEmbeddings()))
