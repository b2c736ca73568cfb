"""Skills are found by words and by meaning, in Chinese and in English, and each match says why."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.skill_matching import MEANT, MOST, Match, asks_back, match_skills
from memory.skills import Skill


def skill(name, *words, examples=()):
    return Skill(name, f"about {name}", words, tuple(examples), ("do it",))


def says(said, word):
    return match_skills([skill("s", word)], said) != ()


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("I want a refund", "refund"),
        ("Refunds, please", "refund"),
        ("ＲＥＦＵＮＤ！", "refund"),
        ("我要refund一下", "refund"),
        ("planning a trip to Oslo", "plan a trip"),
        ("I need a follow-up", "follow up"),
        ("the   money\nback", "money back"),
        ("the user’s guide", "user's guide"),
        ("some C++ code", "C++"),
        ("我想退款", "退款"),
        ("怎么填报销单", "报销"),
        ("帮我订ＭＵ5101的票", "mu5101"),
        ("PR评审怎么做", "PR评审"),
        ("写周报告诉老板", "周报"),
        ("中华人民共和国的首都", "人民"),
        ("ticket 42 please", "42"),
    ],
)
def test_a_trigger_word_is_found(said, word):
    assert says(said, word)


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("prefund the account", "refund"),
        ("a carpet", "car"),
        ("社会议题有哪些", "会议"),
        ("我想做一个旅行程序", "行程"),
        ("ticket 421 please", "42"),
        ("the money is back", "money back"),
        ("C code", "C++"),
        ("", "refund"),
    ],
)
def test_a_part_of_a_word_or_two_words_are_no_trigger(said, word):
    assert not says(said, word)


def test_words_come_first_the_more_the_better_and_then_the_nearest():
    skills = [
        skill("near", examples=["x"]),
        skill("nearer", examples=["y"]),
        skill("one", "refund"),
        skill("two", "refund", "退款"),
        skill("none", "invoice", examples=["z"]),
    ]
    found = match_skills(skills, "refund 退款", cosines={"x": 0.6, "y": 0.9, "z": 0.1}, threshold=0.25, most=9)
    assert found == (
        Match(skills[3], ("refund", "退款")),
        Match(skills[2], ("refund",)),
        Match(skills[1], (), "y", 0.9),
        Match(skills[0], (), "x", 0.6),
    )
    assert [m.reason for m in found] == [
        "says refund, 退款",
        "says refund",
        "cosine 0.90 in meaning with 'y'",
        "cosine 0.60 in meaning with 'x'",
    ]
    assert match_skills(skills, "refund 退款", cosines={"x": 0.6, "y": 0.9}, threshold=0.25) == found[:MOST]


def test_a_cosine_has_to_be_well_above_the_embedder_s_threshold_and_the_description_counts():
    one = skill("trip", examples=["x"])
    enough = 0.25 + 0.75 * MEANT
    assert match_skills([one], "?", cosines={"x": enough - 0.01, "about trip": enough}, threshold=0.25) == (
        Match(one, (), "about trip", round(enough, 4)),
    )
    assert match_skills([one], "?", cosines={"x": enough - 0.01}, threshold=0.25) == ()
    assert match_skills([one], "?", cosines={"x": 0.84}, threshold=0.83) == ()


@pytest.mark.parametrize(
    ("answer", "asks"),
    [
        ("Which order is it?", True),
        ("退哪个订单？", True),
        ("请告诉我订单号。", True),
        ("Please give me the number.", True),
        ("Done.", False),
        ("已经办好了。", False),
        ("Is it this one? " + "No. " * 60, False),
        ("", False),
    ],
)
def test_an_answer_asks_back_where_it_ends_by_asking(answer, asks):
    assert asks_back(answer) is asks


def test_without_cosines_words_alone_decide():
    assert match_skills([skill("trip", examples=["x"])], "x") == ()


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40), st.text(min_size=1, max_size=10))
def test_any_words_can_be_asked_and_the_word_alone_always_says_itself(said, word):
    assert isinstance(says(said, word), bool)
    if word.isascii() and word.isalnum():
        assert says(word, word)
        assert says(f"我要{word}。", word)
