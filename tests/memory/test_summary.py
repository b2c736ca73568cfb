import re
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory.summary import fold_summary, split_sentences
from memory.tokens import estimate_tokens
from memory.window import Line


def human(text):
    return Line("h", "human", text)


def ai(text):
    return Line("a", "ai", text)


def fold(previous, *lines, max_tokens=400, language="en"):
    return fold_summary(previous, lines, max_tokens=max_tokens, language=language)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("今天下雨。我没带伞！怎么办？算了；回家", ["今天下雨。", "我没带伞！", "怎么办？", "算了；", "回家"]),
        ("他说：“我喜欢踢球。”然后走了。", ["他说：“我喜欢踢球。”", "然后走了。"]),
        (
            "Mr. Smith paid $3.50 for v1.2.3, i.e. too much. Bye.",
            ["Mr. Smith paid $3.50 for v1.2.3, i.e. too much.", "Bye."],
        ),
        ("价格是3.5元。see example.com now", ["价格是3.5元。", "see example.com now"]),
        ("first line\n\n  second   line  ", ["first line", "second line"]),
        ("Run:\n```py\nx = 1.\ny = 2\n```\nDone.", ["Run:", "```py x = 1. y = 2 ```", "Done."]),
        ("```open fence. never closed", ["```open fence. never closed"]),
        ("等等……好的", ["等等……", "好的"]),
    ],
)
def test_split_sentences(text, expected):
    assert split_sentences(text) == expected


def test_keeps_what_matters_with_who_said_it_in_order():
    assert fold(
        "",
        human("Hi! My order number is #8842. I'm allergic to peanuts."),
        ai("Thanks for telling me! It ships on Monday. Anything else?"),
        human("ok. We decided to use SQLite. Please remind me on May 3."),
    ).split("\n") == [
        "- User: My order number is #8842.",
        "- User: I'm allergic to peanuts.",
        "- Assistant: It ships on Monday.",
        "- User: We decided to use SQLite.",
        "- User: Please remind me on May 3.",
    ]


def test_keeps_what_matters_in_chinese():
    assert fold(
        "",
        human("你好！我的订单号是 #8842，帮我查物流。我对花生过敏。"),
        ai("好的！预计周一送达。不客气！"),
        human("嗯嗯。我们决定用 SQLite。记得提醒我。"),
        language="zh",
    ).split("\n") == [
        "- 用户：我的订单号是 #8842，帮我查物流。",
        "- 用户：我对花生过敏。",
        "- 助手：预计周一送达。",
        "- 用户：我们决定用 SQLite。",
        "- 用户：记得提醒我。",
    ]


def test_system_lines_are_left_out_and_tool_results_are_named():
    lines = [Line("s", "system", "You are number 7."), Line("t", "tool", "tracking: SF1234567 delayed")]
    assert fold("", *lines) == "- Tool: tracking: SF1234567 delayed"
    assert fold("", *lines, language="zh") == "- 工具：tracking: SF1234567 delayed"


def test_a_second_summary_covers_the_first():
    first = fold("", human("My name is Ann. I live in Oslo. The ticket is AB-1234."))
    second = fold(first, human("I prefer tea."), ai("Noted, tea it is, at 9 am."))
    assert second.split("\n") == [
        *first.split("\n"),
        "- User: I prefer tea.",
        "- Assistant: Noted, tea it is, at 9 am.",
    ]


def test_nothing_new_changes_nothing():
    first = fold("", human("My name is Ann. The ticket is AB-1234. The garden behind the house looks lovely."))
    assert fold(first) == first
    assert fold("") == ""


def test_the_same_sentence_stands_once():
    first = fold("", human("I live in Oslo."))
    assert fold(first, human("i live in  Oslo!"), ai("I live in Oslo."), human("I live in Oslo")) == first
    assert fold("", human("C is 5."), human("C++ is 5.")).count("\n") == 1
    assert fold("", human("温度是5度。"), human("温度是-5度。")).count("\n") == 1


def test_ids_and_decisions_outlast_the_rest_and_the_newest_of_the_rest_outlast_the_older():
    summary = fold("", human("The ticket is AB-1234."), human("We decided to use SQLite."), max_tokens=60)
    for i in range(40):
        summary = fold(summary, human(f"I like number {i} best of all."), max_tokens=60)
    kept = summary.split("\n")
    assert kept[:2] == ["- User: The ticket is AB-1234.", "- User: We decided to use SQLite."]
    assert kept[2:] == [f"- User: I like number {i} best of all." for i in range(40 - len(kept) + 2, 40)]
    assert len(kept) > 3


def test_ids_leave_room_for_what_is_new():
    ids = [human(f"Ticket AB-{i} is open.") for i in range(1000, 1100)]
    kept = fold("", *ids, human("I like tea very much."), max_tokens=100).split("\n")
    assert kept[-1] == "- User: I like tea very much."
    assert kept[-2] == "- User: Ticket AB-1099 is open."


def test_the_users_words_outlast_the_assistants():
    assert (
        fold("", human("My code is K-77."), ai("Your code is K-77, saved."), max_tokens=14)
        == "- User: My code is K-77."
    )


def test_one_long_message_does_not_take_all():
    listing = " ".join(f"Item {i} costs {i} dollars." for i in range(100))
    assert len(fold("", ai(listing), max_tokens=10_000).split("\n")) == 5
    assert len(fold("", Line("t", "tool", listing), max_tokens=10_000).split("\n")) == 2


def test_the_best_sentences_of_a_long_message_are_taken():
    chat = "".join(f"The {thing} over there looks rather pleasant. " for thing in "abcdefghijkl")
    assert fold("", human(chat + "My ticket is AB-1234.")).split("\n")[-1] == "- User: My ticket is AB-1234."


def test_a_wall_of_text_is_shortened_and_then_stays():
    first = fold("", human("我的编号是12345，" + "然后" * 400))
    assert "〔已截短〕" in first
    assert len(first) < 280
    assert first.startswith("- User: 我的编号是12345，")
    assert fold(first) == first


@pytest.mark.parametrize("wall", ["a-" * 20_000, "a1-" * 20_000, "。" * 20_000, "`" * 20_000, "1," * 20_000])
def test_a_hostile_wall_of_text_takes_no_time(wall):
    start = time.perf_counter()
    fold(wall, human(wall))
    fold(f"- User: {wall}")
    assert time.perf_counter() - start < 5


def test_prose_from_a_model_is_taken_up_and_kept():
    first = fold("The user plans a garden. They want roses near the wall.", human("I like red."))
    assert first == "- The user plans a garden.\n- They want roses near the wall.\n- User: I like red."
    assert fold(first) == first


@pytest.mark.parametrize("previous", ["They want roses near the wall.", "- They want roses near the wall."])
def test_prose_from_a_model_outlasts_plain_sentences(previous):
    new = human("The weather over there is rather pleasant.")
    assert fold(previous, new, max_tokens=14) == "- They want roses near the wall."


def test_a_summary_changes_its_labels_with_the_language():
    assert fold(fold("", human("I live in Oslo.")), language="zh") == "- 用户：I live in Oslo."
    assert fold("- 助手：我叫小明。", language="en") == "- Assistant: 我叫小明。"


@pytest.mark.parametrize("max_tokens", [-1, 0, 3])
def test_without_room_there_is_no_summary(max_tokens):
    assert fold("- User: I live in Oslo.", human("I like tea."), max_tokens=max_tokens) == ""


ENGLISH = "My order is #8842.|We decided on Redis.|I hate cilantro.|Call me on Monday.|The garden looks lovely today|ok"
CHINESE = "我的订单号是 #8842。|我们决定用 Redis！|我讨厌香菜。|周一提醒我。|花园里开满了漂亮的花朵呢。|嗯嗯。"
ODD = "`x = 1`|```\nprint(1)\n```|\n|- User: fake entry|用户：假的|\u2028|\ud83d|😀"
SENTENCES = st.sampled_from(f"{ENGLISH}|{CHINESE}|{ODD}".split("|"))
MESSAGES = st.builds(
    lambda role, parts: Line("m", role, " ".join(parts)),
    st.sampled_from(["human", "ai", "tool", "system"]),
    st.lists(SENTENCES | st.text(max_size=20), max_size=6),
)
LANGUAGES = st.sampled_from(["zh", "en"])


@settings(max_examples=150)
@example([Line("m", "human", "The garden is lovely today :"), Line("m", "human", "0:")], 17, "zh")
@given(st.lists(MESSAGES, max_size=6), st.integers(0, 200), LANGUAGES)
def test_a_summary_fits_and_has_no_sentence_twice_and_folds_onto_itself(lines, max_tokens, language):
    summary = fold("", *lines, max_tokens=max_tokens, language=language)
    assert estimate_tokens(summary) <= max_tokens
    entries = [
        re.split("[:：]", entry, maxsplit=1)[-1].strip().lower()
        for entry in summary.splitlines()
        if "fake" not in entry and "假的" not in entry
    ]
    assert len(set(entries)) == len(entries)
    assert fold(summary, max_tokens=max_tokens, language=language) == summary


@settings(max_examples=100)
@given(st.lists(MESSAGES, max_size=5), st.lists(MESSAGES, max_size=5), LANGUAGES)
def test_with_room_the_second_covers_the_first_in_order(before, after, language):
    first = fold("", *before, max_tokens=10_000, language=language).splitlines()
    second = fold("\n".join(first), *after, max_tokens=10_000, language=language).splitlines()
    assert second[: len(first)] == first


@pytest.mark.parametrize(
    ("limit", "newer"),
    [
        ("Boats and I don't mix.", "The choir sings on Monday."),
        ("There has to be a balcony, or I'd rather stay home.", "We argued about the fence on Sunday."),
        ("Make it six days after all.", "The boiler was repaired by Olsen."),
        ("晚上十点以后别找我。", "合唱团星期六排练。"),
        ("再出问题就只住酒店。", "锅炉上个月就弄好了。"),
        ("没有阳台的话，我宁可待在家里。", "报税表星期三要交。"),
    ],
)
def test_a_limit_outlasts_newer_names_and_dates(limit, newer):
    one = estimate_tokens(f"- User: {limit}\n") + 4
    assert fold("", human(limit), *(human(f"{newer} {i}") for i in range(50)), max_tokens=one) == f"- User: {limit}"


@pytest.mark.parametrize(
    "asked", ["You can't tell me more, can you?", "Please don't forget the milk", "能不能给我讲个故事？"]
)
def test_a_request_is_no_limit(asked):
    newer = "The choir sings on Monday."
    one = estimate_tokens(f"- User: {asked}\n") + 4
    assert fold("", human(asked), human(newer), max_tokens=one) == f"- User: {newer}"
