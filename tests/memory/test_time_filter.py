"""Which questions bound when something was said, and to which range; in both languages, by tables and by properties."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.time_filter import SaidRange, said_range

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)  # a Wednesday
FIRST, LAST = datetime(2001, 1, 1), datetime(2099, 1, 1)  # noqa: DTZ001 - hypothesis adds the zone

RANGES = {
    "last week": ("2026-11-16", "2026-11-23"),
    "yesterday": ("2026-11-24", "2026-11-25"),
    "last month": ("2026-10-01", "2026-11-01"),
    "three days ago": ("2026-11-22", "2026-11-23"),
    "on Monday": ("2026-11-23", "2026-11-24"),
    "in March": ("2026-03-01", "2026-04-01"),
    "in December": ("2025-12-01", "2026-01-01"),
    "on May 2nd": ("2026-05-02", "2026-05-03"),
    "on December 3rd": ("2025-12-03", "2025-12-04"),
    "上周": ("2026-11-16", "2026-11-23"),
    "昨天": ("2026-11-24", "2026-11-25"),
    "上个月": ("2026-10-01", "2026-11-01"),
    "上週三": ("2026-11-18", "2026-11-19"),
    "三天前": ("2026-11-22", "2026-11-23"),
    "周一": ("2026-11-23", "2026-11-24"),
    "三月": ("2026-03-01", "2026-04-01"),
    "12月": ("2025-12-01", "2026-01-01"),
    "5月2号": ("2026-05-02", "2026-05-03"),
}
ENGLISH = [words for words in RANGES if words.isascii()]
CHINESE = [words for words in RANGES if not words.isascii()]

SAYING_EN = [
    "What did I tell you {}?",
    "What did I say {}?",
    "what did we talk about {}",
    "{}, what did I tell you?",
    "Do you remember what we discussed {}?",
    "Which film did I mention {}?",
    "What did you recommend {}?",
    "What have I told you {} about the trip?",
    "What was the book I told you about {}?",
    "Summarize our conversation {}",
    "What did I ask you to remember {}?",
]
SAYING_ZH = [
    "{}我说过什么",
    "我们{}聊了什么？",
    "我{}跟你说过什么",
    "{}，你给我推荐了哪些书？",
    "还记得我{}跟你提到的书吗",
    "{}聊了什么",
    "我{}说的那家店，叫什么名字？",
    "总结一下我们{}的对话",
    "{}我告诉你的密码是多少",
    "我們{}討論了什麼",
    "我{}让你记了什么",
]
WORLD_EN = [
    "What did I do {}?",
    "What did my boss tell me {}?",
    "What did I tell my boss {}?",
    "What did I say to my boss {}?",
    "Did we talk about {}?",
    "What did I tell you I did {}?",
    "What did I tell you about my trip {}?",
    "What did Caroline say {}?",
    "As I told you {}, I like tea. What can I drink?",
    "{} I told you I cannot eat nuts, what can I order?",
    "I told you {} that I like tea.",
]
WORLD_ZH = [
    "{}我做了什么",
    "老板{}说了什么",
    "我老板{}说了什么",
    "{}我跟老板说了什么",
    "{}的会上我说了什么",
    "我说过{}要做什么吗",
    "{}我说我喜欢茶，你觉得怎么样？",
    "我{}说服了谁",
    "{}我问了医生什么",
    "{}我去了哪里",
    "我{}跟你说过我喜欢茶。",
]


def days(found):
    return found and (found.since.date().isoformat(), found.until.date().isoformat())


@pytest.mark.parametrize("words", ENGLISH)
@pytest.mark.parametrize("frame", SAYING_EN)
def test_a_date_of_the_saying_is_a_range(frame, words):
    assert days(said_range(frame.format(words), NOW)) == RANGES[words]


@pytest.mark.parametrize("words", CHINESE)
@pytest.mark.parametrize("frame", SAYING_ZH)
def test_a_chinese_date_of_the_saying_is_a_range(frame, words):
    assert days(said_range(frame.format(words), NOW)) == RANGES[words]


@pytest.mark.parametrize("frame", WORLD_EN)
@pytest.mark.parametrize("words", ENGLISH)
def test_a_date_of_the_world_is_none(frame, words):
    assert said_range(frame.format(words), NOW) is None


@pytest.mark.parametrize("frame", WORLD_ZH)
@pytest.mark.parametrize("words", CHINESE)
def test_a_chinese_date_of_the_world_is_none(frame, words):
    assert said_range(frame.format(words), NOW) is None


@pytest.mark.parametrize(
    "text",
    [
        "What did I tell you next week?",
        "What did I tell you at 3pm yesterday?",
        "What did I tell you since March?",
        "What did I tell you yesterday and last month?",
        "What did I tell you?",
        "我下周说什么",
        "昨天下午三点我说了什么",
        "我昨天和上个月说了什么",
        "我说过什么",
        "",
    ],
)
def test_what_lies_ahead_is_too_short_or_is_two_is_no_range(text):
    assert said_range(text, NOW) is None


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("What have I told you in the last three days?", "2026-11-22"),
        ("What did we discuss over the past 2 weeks?", "2026-11-11"),
        ("最近三天我说了什么", "2026-11-22"),
        ("过去两周我们聊了什么", "2026-11-11"),
    ],
)
def test_the_last_few_days_reach_up_to_now(text, since):
    found = said_range(text, NOW)
    assert (found.since.date().isoformat(), found.until) == (since, NOW)


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("What did I tell you last week?", ""),
        ("Summarize our conversation from yesterday", ""),
        ("What did I tell you last week about the trip?", "about the trip?"),
        ("Last week, what did I say about my sister?", "about my sister?"),
        ("Which restaurant did I mention last week?", "restaurant"),
        ("Yesterday which restaurant did you recommend?", "restaurant"),
        ("What was the book I told you about last week?", "book"),
        ("上周我说过什么", ""),
        ("总结一下我们上周的对话", ""),
        ("上周我说过什么关于旅行的事", "旅行"),
        ("你昨天推荐了哪家餐厅", "餐厅"),
        ("我昨天说的那家店，叫什么名字？", "那家店"),
    ],
)
def test_what_is_asked_about_beside_the_saying(text, topic):
    found = said_range(text, NOW).topic
    assert bool(found) is bool(topic)
    assert topic in found


def test_the_sentence_has_both_days_and_the_words():
    week, day = (said_range(text, NOW) for text in ("What did I say last week?", "昨天我说了什么"))
    assert week.sentence("en") == "from 2026-11-16 to 2026-11-22, as you said “last week”"
    assert week.sentence("zh") == "2026-11-16 至 2026-11-22（你说的是“last week”）"
    assert day.sentence("en") == "on 2026-11-24, as you said “昨天”"
    assert day.sentence("zh") == "2026-11-24（你说的是“昨天”）"
    assert SaidRange.from_dict(day.to_dict()).sentence("zh") == day.sentence("zh")


def test_days_are_those_of_the_one_who_asks():
    east = NOW.replace(hour=20).astimezone(timezone(timedelta(hours=8)))  # already the 26th there
    assert days(said_range("昨天我说了什么", east)) == ("2026-11-25", "2026-11-26")


@given(
    st.one_of(
        st.text(max_size=60),
        st.lists(
            st.sampled_from(["what", "did", "I", "tell you", "last week", "about", ",", "?", "on May 2nd", "昨天", "我", "说", "什么", "，", "三月", "的"]),
            max_size=12,
        ).map(" ".join),
    ),
    st.datetimes(FIRST, LAST, timezones=st.just(UTC)),
)  # fmt: skip
@settings(max_examples=150)
def test_any_text_gives_a_past_range_of_a_day_or_more_or_none(text, now):
    found = said_range(text, now)
    if found is not None:
        assert found.since <= now
        assert found.until - found.since >= timedelta(hours=20)
        assert found.words in text


@given(st.integers(1, 60), st.datetimes(FIRST, LAST, timezones=st.just(UTC)))
@settings(max_examples=60)
def test_both_languages_mean_the_same_days(n, now):
    english, chinese = (said_range(text, now) for text in (f"What did I say {n} days ago?", f"{n}天前我说了什么"))
    assert (english.since, english.until) == (chinese.since, chinese.until)
    assert english.since.date() == now.date() - timedelta(days=n)


@pytest.mark.parametrize(
    ("words", "year_open"),
    [
        ("What did I tell you on May 3rd?", True),
        ("What did I tell you in May?", True),
        ("What did I tell you on May 3rd, 2026?", False),
        ("What did I tell you last week?", False),
        ("我5月3日跟你说过什么？", True),
        ("我5月跟你说过什么？", True),
        ("我2026年5月3日跟你说过什么？", False),
        ("我上周跟你说过什么？", False),
    ],
)
def test_a_day_or_month_leaves_its_year_open(words, year_open):
    assert said_range(words, NOW).year_open is year_open


def test_a_year_before_is_the_same_days_also_of_a_leap_year():
    may = said_range("What did I tell you on May 3rd?", NOW)
    assert days(may.a_year_before()) == (f"{may.since.year - 1}-05-03", f"{may.since.year - 1}-05-04")
    leap = SaidRange(datetime(2024, 2, 29, tzinfo=UTC), datetime(2024, 3, 1, tzinfo=UTC), "29 February", "", True)
    assert days(leap.a_year_before()) == ("2023-02-28", "2023-03-01")
