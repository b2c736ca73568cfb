"""What the date words of both languages are read into: days, numbers, and how wide an expression is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal

Tense = Literal["past", "future"]
Grain = Literal["day", "around", "week", "weekend", "month", "year"]


@dataclass(frozen=True)
class When:
    """What a form read: a first day and how wide the expression is, with a clock time on a day if one was said."""

    day: date
    grain: Grain = "day"
    clock: time | None = None


@dataclass(frozen=True)
class Base:
    """What relative words count from; `day` is None when the moment is unknown."""

    at: datetime | None
    tense: Tense | None

    @property
    def day(self) -> date:
        """The day it is. Raises `Unresolved` when the moment is unknown."""
        if self.at is None:
            raise Unresolved
        return self.at.date()


class Unresolved(Exception):
    """The words name a date that cannot be told from what is known."""


Read = Callable[["re.Match[str]", Base], "When | datetime"]

# --- numbers and small helpers -------------------------------------------------------------------------------------

_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_NUMBER_EN = {w: i for i, w in enumerate(_WORDS)} | {"a": 1, "an": 1}
MONTHS = {
    m: i for i, m in enumerate(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1)
}
WEEKDAYS = {d: i for i, d in enumerate(["mon", "tue", "wed", "thu", "fri", "sat", "sun"])}
WEEKDAYS_ZH = {c: i for i, c in enumerate("一二三四五六日")} | {"天": 6}


def number(words: str) -> int:
    """A small number in digits, Chinese or English words (0 to 9999)."""
    words = words.lower()
    if words in _NUMBER_EN:
        return _NUMBER_EN[words]
    if words.isdecimal():
        return int(words)
    if not set(words) & set("十百"):
        return int("".join(str(_DIGITS[c]) for c in words))
    total, digit = 0, 0
    for c in words:
        if c in "十百":
            total += (digit or 1) * (10 if c == "十" else 100)
            digit = 0
        else:
            digit = _DIGITS[c]
    return total + digit


def monday_of(day: date) -> date:
    """The Monday of the day's week."""
    return day - timedelta(days=day.weekday())


def add_months(day: date, months: int) -> date:
    """The first day of the month that is so many months on."""
    index = day.year * 12 + day.month - 1 + months
    return date(index // 12, index % 12 + 1, 1)


def yearless(base: Base, month: int, day: int) -> date:
    """The occurrence nearest to the moment; none when it lies on the other side than the sentence speaks of."""
    today = base.day
    near: list[date] = []
    for year in (today.year - 1, today.year, today.year + 1):
        try:
            near.append(date(year, month, day))
        except ValueError:
            continue
    if not near:
        raise Unresolved
    found = min(near, key=lambda d: abs((d - today).days))
    if (base.tense == "future" and found < today) or (base.tense == "past" and found > today):
        raise Unresolved
    return found


def weekday_of(base: Base, weekday: int, which: str) -> date:
    """ "last" is the latest before today, "this" is in this week, "next" only when both its readings agree."""
    today = base.day
    if which in ("last", "past"):
        return today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1)
    if which == "this":
        return monday_of(today) + timedelta(days=weekday)
    coming = today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)
    if which == "next" and coming < monday_of(today) + timedelta(days=7):
        raise Unresolved
    if which == "" and base.tense != "future":
        raise Unresolved
    return coming


_UNITS_ZH = {"天": "day", "日": "day", "周": "week", "週": "week", "星期": "week", "礼拜": "week", "禮拜": "week"}
_UNITS_ZH |= {"月": "month", "年": "year", "小时": "hour", "小時": "hour", "分钟": "minute", "分鐘": "minute"}


def counted(m: re.Match[str], base: Base) -> When | datetime:
    """So many units before or after the moment: exact for hours and days, as wide as its unit for the others."""
    unit = _UNITS_ZH.get(m["unit"], m["unit"].lower())
    count = number(m["n"]) * (-1 if m.groupdict().get("way", "").lower() in ("前", "ago") else 1)
    if unit in ("minute", "hour"):
        if base.at is None:
            raise Unresolved
        step = timedelta(minutes=count * (60 if unit == "hour" else 1))
        return (base.at.astimezone(UTC) + step).astimezone(base.at.tzinfo)
    if unit == "day":
        return When(base.day + timedelta(days=count))
    if unit == "week":
        return When(base.day + timedelta(weeks=count), "around")
    if unit == "month":
        return When(add_months(base.day, count), "month")
    return When(date(base.day.year + count, 1, 1), "year")
