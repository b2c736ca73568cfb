"""Date words against a Sunday morning, 29 November 2026, 10:00 in Shanghai."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.dates import dates_in, resolve

AT = datetime.fromisoformat("2026-11-29T10:00+08:00")
MONDAY = datetime.fromisoformat("2026-11-30T09:00+00:00")


@pytest.mark.parametrize(
    ("words", "iso"),
    [
        ("今天", "2026-11-29"),
        ("昨天", "2026-11-28"),
        ("昨日", "2026-11-28"),
        ("昨晚", "2026-11-28"),
        ("前天", "2026-11-27"),
        ("大前天", "2026-11-26"),
        ("明天", "2026-11-30"),
        ("后天", "2026-12-01"),
        ("後天", "2026-12-01"),
        ("大后天", "2026-12-02"),
        ("上周三", "2026-11-18"),
        ("上上周一", "2026-11-09"),
        ("下周五", "2026-12-04"),
        ("下个星期天", "2026-12-06"),
        ("这周末", "2026-11-28/2026-11-29"),
        ("上周", "2026-11-16/2026-11-22"),
        ("上个月", "2026-10"),
        ("下个月15号", "2026-12-15"),
        ("去年", "2025"),
        ("大前年", "2023"),
        ("明年", "2027"),
        ("去年3月5日", "2025-03-05"),
        ("三天前", "2026-11-26"),
        ("十五天后", "2026-12-14"),
        ("两周后", "2026-12-13"),
        ("3个月前", "2026-08"),
        ("两年前", "2024"),
        ("2小时后", "2026-11-29T12:00+08:00"),
        ("10月15日", "2026-10-15"),
        ("十月十五日", "2026-10-15"),
        ("1月2日", "2027-01-02"),
        ("2026年3月", "2026-03"),
        ("2026年3月5日", "2026-03-05"),
        ("二〇二六年三月", "2026-03"),
        ("明天下午三点", "2026-11-30T15:00+08:00"),
        ("明天下午3点半", "2026-11-30T15:30+08:00"),
        ("明晚8点", "2026-11-30T20:00+08:00"),
        ("后天15:30", "2026-12-01T15:30+08:00"),
        ("下周五上午十点", "2026-12-04T10:00+08:00"),
        ("today", "2026-11-29"),
        ("Yesterday", "2026-11-28"),
        ("the day before yesterday", "2026-11-27"),
        ("tomorrow", "2026-11-30"),
        ("the day after tomorrow", "2026-12-01"),
        ("last night", "2026-11-28"),
        ("tomorrow at 5pm", "2026-11-30T17:00+08:00"),
        ("tomorrow at 12:30 am", "2026-11-30T00:30+08:00"),
        ("5:15 pm tomorrow", "2026-11-30T17:15+08:00"),
        ("next Friday", "2026-12-04"),
        ("last Tuesday", "2026-11-24"),
        ("last week", "2026-11-16/2026-11-22"),
        ("this weekend", "2026-11-28/2026-11-29"),
        ("next month", "2026-12"),
        ("last year", "2025"),
        ("3 days ago", "2026-11-26"),
        ("a week ago", "2026-11-22"),
        ("in two weeks", "2026-12-13"),
        ("two months ago", "2026-09"),
        ("an hour ago", "2026-11-29T09:00+08:00"),
        ("October 15", "2026-10-15"),
        ("15 October 2025", "2025-10-15"),
        ("Oct 15th, 2025", "2025-10-15"),
        ("March 2024", "2024-03"),
        ("in 2019", "2019"),
        ("2026-12-24", "2026-12-24"),
        ("2026/1/5", "2026-01-05"),
        ("25/04/2026", "2026-04-25"),
    ],
)
def test_date_words_resolve_against_the_moment(words, iso):
    assert resolve(words, AT) == iso


@pytest.mark.parametrize(
    "words",
    [
        "周五",
        "on Friday",
        "03/04/2026",
        "2月30日",
        "February 30",
        "3月",
        "15号",
        "几天前",
        "a few days ago",
        "下午三点",
        "at 5pm",
        "最近",
        "soon",
        "中秋节",
        "",
        "明天见",
        "9999年后",
    ],
)
def test_ambiguous_and_impossible_words_stay_words(words):
    assert resolve(words, AT) == words


@pytest.mark.parametrize(
    ("words", "iso"), [("2026年3月5日", "2026-03-05"), ("March 2024", "2024-03"), ("2026-12-24", "2026-12-24")]
)
def test_a_full_date_needs_no_moment(words, iso):
    assert resolve(words) == iso


@pytest.mark.parametrize(
    "words", ["昨天", "下周五", "10月15日", "三天前", "yesterday", "next Friday", "October 15", "2 days ago"]
)
def test_without_a_moment_relative_words_are_never_guessed(words):
    found = dates_in(f"{words}。")
    assert [(d.words, d.iso, d.since, d.until) for d in found] == [(words, None, None, None)]


def test_next_weekday_resolves_only_when_both_readings_agree():
    assert resolve("next Friday", MONDAY) == "next Friday"  # this week's or the one after?
    assert resolve("next Monday", MONDAY) == "2026-12-07"
    assert resolve("last Monday", MONDAY) == "2026-11-23"


def test_an_hour_without_morning_or_evening_leaves_the_day():
    assert resolve("明天三点", AT) == "2026-11-30"


def test_the_tense_settles_weekdays_and_yearless_dates():
    assert resolve("周五", AT, tense="future") == "2026-12-04"
    assert resolve("on Friday", AT, tense="future") == "2026-12-04"
    assert resolve("10月15日", AT, tense="past") == "2026-10-15"
    assert resolve("10月15日", AT, tense="future") == "10月15日"  # 45 days gone, or ten months ahead?
    assert resolve("December 3", AT, tense="future") == "2026-12-03"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("明天下午三点开会", ["明天下午三点"]),
        ("上周三去了南京，昨天才回来", ["上周三", "昨天"]),
        ("以后天天跑步", []),
        ("目前天气很好", []),
        ("前天气温很低", []),
        ("今天气温很低", []),
        ("第三天后面是休息日", []),
        ("三天前天气转凉", []),
        ("I went there last week and again yesterday.", ["last week", "yesterday"]),
        ("You may march on May 3", ["May 3"]),
        ("I may have 3 cats", []),
        ("the weekend was nice", []),
        ("version 1.2.2026", []),
        ("order 2026-11-30-77", []),
        ("我 last week 去的", ["last week"]),
    ],
)
def test_dates_are_found_in_running_text(text, words):
    assert [d.words for d in dates_in(text, AT)] == words


def test_ranges_are_half_open_days_of_the_moments_zone():
    [week] = dates_in("上周你去哪了", AT)
    assert (week.start, week.end, week.since, week.until) == (
        0,
        2,
        datetime.fromisoformat("2026-11-16T00:00+08:00"),
        datetime.fromisoformat("2026-11-23T00:00+08:00"),
    )
    [about] = dates_in("two weeks ago", AT)
    assert about.since is not None
    assert about.until is not None
    assert about.until - about.since == timedelta(days=7)


def test_hours_are_counted_on_the_clock_of_the_world():
    before = datetime(2026, 10, 24, 23, 0, tzinfo=ZoneInfo("Europe/Berlin"))  # the night that has 25 hours
    assert resolve("in 5 hours", before) == "2026-10-25T03:00+01:00"


def test_a_naive_moment_is_refused():
    with pytest.raises(ValueError, match="aware"):
        dates_in("昨天", datetime(2026, 1, 1))  # noqa: DTZ001


_PIECES = st.sampled_from(
    [
        "昨天",
        "上周三",
        "的",
        "10月31日",
        "9999年",
        "三",
        "十",
        "百",
        "天前",
        "2月30日",
        "下午",
        "next ",
        "Friday",
        "May ",
        "3",
        " in 5 days",
        "23:59",
        "/",
        "-",
        "2026",
    ]
)
_MOMENTS = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001


@settings(max_examples=200, deadline=None)
@given(st.lists(_PIECES | st.text(max_size=4), max_size=12).map("".join), st.none() | _MOMENTS)
def test_any_text_gives_ordered_spans_inside_it(text, at):
    found = dates_in(text, at)
    assert all(text[d.start : d.end] == d.words and d.words for d in found)
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert all(d.since is None or (d.until is not None and d.since < d.until) for d in found)
