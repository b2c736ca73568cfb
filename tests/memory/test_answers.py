"""Whom a question is about, what it asks of them, and which memories tell it, in Chinese and English."""

import pytest

from memory.answers import people_in, tells, wanted
from memory.record import Memory


def memory(text, kind="episode", attribute=None):
    return Memory(id="m", user_id="u", kind=kind, text=text, attribute=attribute)


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("我老爸今年退休了", {"father"}),
        ("My dad retires this year", {"father"}),
        ("婶婶和舅妈都来了", {"paternal_uncles_wife", "maternal_uncles_wife"}),
        ("我爸妈搬到惠州了", {"parents", "father", "mother"}),
        ("Nora's brother came by", {"brother", "older_brother", "younger_brother"}),
        ("他的医生很好", {"doctor"}),
        ("见了一位医生", set()),
        ("We fed the cat", set()),
        ("老师们都下班了", set()),
    ],
)
def test_people_are_those_whose_relation_is_named(text, people):
    assert people_in(text) == people


@pytest.mark.parametrize(
    ("question", "people", "attributes"),
    [
        ("我堂姐在哪儿工作？", {"tangjie"}, {"work_place"}),
        ("我堂姐的工作是什么？", {"tangjie"}, {"occupation"}),
        ("闺蜜的老家是哪里的呀", {"friend"}, {"hometown"}),
        ("我室友有多高来着？", {"roommate"}, {"height"}),
        ("我姑父最近在学什么？", {"paternal_aunts_husband"}, {"learning"}),
        ("Where does my roommate work now?", {"roommate"}, {"work_place"}),
        ("What does my roommate do?", {"roommate"}, {"occupation"}),
        ("What does my roommate like to do?", {"roommate"}, {"likes"}),
        ("How old is my neighbour?", {"neighbor"}, {"age"}),
        ("Which bus does my neighbour take?", {"neighbor"}, set()),
    ],
)
def test_a_question_asks_something_of_somebody(question, people, attributes):
    (one,) = wanted(question)
    assert (one.people, bool(one.topics)) == (people, bool(attributes))
    assert all(attributes & topic.attributes for topic in one.topics)


@pytest.mark.parametrize(
    "question",
    [
        "我该给朋友买什么礼物？",
        "What should I get for my sister?",
        "她妹妹在哪儿上班？",
        "Where does his boss live?",
        "What did we plan?",
        "",
    ],
)
def test_nothing_is_asked_of_whom_something_is_for_or_of_other_peoples_people(question):
    assert wanted(question) == ()


def test_the_closest_person_of_a_chain_is_not_the_one_who_is_asked_of():
    assert wanted("我妈妈的同事住在哪儿？") == wanted("Where does my mother's colleague live?") == ()


def test_each_sentence_asks_of_its_own():
    first, second = wanted("我表弟多大了？我上司住哪儿？")
    assert (first.people, second.people) == ({"biaodi"}, {"boss", "manager"})
    assert first.topics != second.topics


@pytest.mark.parametrize(
    ("question", "told", "untold"),
    [
        ("我师兄在哪里上班？", "我师兄调到绍兴了", "我师兄是会计"),
        ("我师兄是做什么的？", "我师兄是会计", "我师兄调到绍兴了"),
        ("我师兄学历是什么？", "我师兄念到硕士", "我师兄住绍兴"),
        ("我师兄住哪儿？", "我师兄搬到绍兴了", "我师兄爱吃笋"),
        ("Where does my uncle work?", "My uncle got transferred to Bath", "My uncle is a plumber"),
        ("What is my uncle's job?", "My uncle is a plumber", "My uncle moved to Bath"),
        ("Where does my uncle live?", "My uncle moved to Bath", "My uncle loves eels"),
    ],
)
def test_what_tells_it_need_not_have_the_words_of_the_question(question, told, untold):
    ((_, topics),) = [(one.people, one.topics) for one in wanted(question)]
    assert (tells(memory(told), topics), tells(memory(untold), topics)) == (True, False)


def test_a_fact_tells_what_its_attribute_is_whatever_its_words():
    (one,) = wanted("Where does my uncle work?")
    assert tells(memory("用户的叔叔在绍兴", "fact", "work_place"), one.topics)
    assert not tells(memory("用户的叔叔在绍兴", "fact", "home"), one.topics)
