"""What a question asks: its asking sentences, its dates, its names, and whether it is about what was so before."""

from datetime import UTC, datetime

import pytest

from memory.question import asking, asks_about_the_past, read

NOW = datetime(2026, 6, 3, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("我的手机号是多少？", "我的手机号是多少？"),
        ("今天好累。会开了一整天。对了，我的会员号是多少？", "对了，我的会员号是多少？"),
        ("What a day. It rained for hours. Which bus do I take home?", None),
        ("What a day! It rained for hours! Which bus do I take home?", "Which bus do I take home?"),
        ("今天好累。会开了一整天。晚上早点睡。", "今天好累。会开了一整天。晚上早点睡。"),
        ("下班了！路上堵。内容是“看展。喝茶。吃饭。”的活动在哪里？", "内容是“看展。喝茶。吃饭。”的活动在哪里？"),
        ("", ""),
    ],
)
def test_a_long_message_is_searched_for_by_what_it_asks(text, asked):
    assert asking(text) == (text if asked is None else asked)


@pytest.mark.parametrize(
    "text",
    [
        "我以前住在哪里？",
        "之前用的是哪个手机",
        "我原来的公司叫什么",
        "Where did I live before?",
        "Which car did I use to have?",
        "What did I previously drink?",
        "我上一份工作是什么",
        "我上一个手机号是多少",
    ],
)
def test_questions_about_the_past(text):
    assert asks_about_the_past(text)


@pytest.mark.parametrize(
    "text",
    [
        "我住在哪里？",
        "三天前我说了什么",
        "两个月以前我去了哪里",
        "上个月我花了多少钱",
        "上周三开了什么会",
        "Where do I live?",
        "What should I do before the flight?",
        "What do I use to clean the lens?",
    ],
)
def test_questions_about_now_or_about_a_day(text):
    assert not asks_about_the_past(text)


@pytest.mark.parametrize(
    ("text", "ranges", "days"),
    [
        ("What did I do last week?", [("2026-05-25", "2026-06-01")], ()),
        ("上周我做了什么？", [("2026-05-25", "2026-06-01")], ()),
        ("昨天我说了什么", [("2026-06-02", "2026-06-03")], ()),
        ("5月2号我们聊了什么", [], ((5, 2),)),
        ("On May 2nd, what did we talk about?", [], ((5, 2),)),
        ("What did Ann do on January 20, 2023?", [("2023-01-20", "2023-01-21")], ()),
        ("去年5月2日我在哪里", [("2025-05-02", "2025-05-03")], ()),
        ("我喜欢什么", [], ()),
    ],
)
def test_dates_are_counted_from_the_moment_of_asking(text, ranges, days):
    asked = read(text, NOW)
    assert [(s.date().isoformat(), u.date().isoformat()) for s, u in asked.ranges] == ranges
    assert asked.days == days


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("What did I plan in March?", (3,)),
        ("What may I do of an evening?", ()),
        ("What happened in May 2023?", ()),
        ("五月底我在哪里登台？", (5,)),
        ("三个月后有什么事", ()),
        ("下个月我去哪里", ()),
        ("5月2号聊了什么", ()),
        ("十一月我去哪了", (11,)),
    ],
)
def test_a_month_alone_is_that_of_any_year(text, months):
    assert read(text, NOW).months == months


def test_names_are_words_in_capitals_that_do_not_begin_the_question():
    assert read("What does Priya think of NASA?", NOW).names == ("Priya", "NASA")
    assert read("Where do I live?", NOW).names == ()
    assert read("What did I do on Monday in March?", NOW).names == ()
    assert read("我住在哪里？", NOW).names == ()
