"""Date words of English: the forms, in the order they are tried."""

from __future__ import annotations

import re
from datetime import date, time, timedelta

from memory.date_parts import (
    MONTHS,
    WEEKDAYS,
    Base,
    Read,
    Unresolved,
    When,
    add_months,
    counted,
    monday_of,
    weekday_of,
    yearless,
)

_WDAY = r"(?P<wd>mon|tue|wed|thu|fri|sat|sun)(?:(?:s|nes|rs|r|ur)?day)"
_MONTH = (
    r"(?P<mon>jan(?:uary)?|feb(?:ruary)?|(?-i:Mar(?:ch)?)|apr(?:il)?|(?-i:May)|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_CLOCK_EN = (
    r"(?:,? (?:in the )?(?:morning|afternoon|evening|night))?"
    r"(?:,? (?:at |around )?(?:(?P<h>\d{1,2})(?::(?P<min>\d{2}))? ?(?P<ap>am|pm|a\.m\.|p\.m\.)|at (?P<hh>\d{2}):(?P<mm>\d{2})|at (?P<noon>noon)))?(?!\w)"
)
_BEFORE_EN = r"(?:(?:at )?(?P<h0>\d{1,2})(?::(?P<min0>\d{2}))? ?(?P<ap0>am|pm)(?: on)? )?"
_COUNT = r"(?P<n>\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_UNIT = r"(?P<unit>minute|hour|day|week|month|year)s?"


def _clock_en(m: re.Match[str]) -> time | None:
    groups = m.groupdict()
    if groups.get("noon"):
        return time(12)
    if groups.get("hh"):
        hour, minute = int(m["hh"]), int(m["mm"])
    else:
        tail = "" if groups.get("h") else "0"
        if not groups.get("h" + tail):
            return None
        hour, minute = int(m["h" + tail]), int(m["min" + tail] or 0)
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if m["ap" + tail].lower().startswith("p") else 0)
    return time(hour, minute) if hour < 24 and minute < 60 else None


_NEAR_EN = {"the day before yesterday": -2, "the day after tomorrow": 2, "yesterday": -1, "last night": -1}
_NEAR_EN |= {"today": 0, "tonight": 0, "this": 0, "tomorrow": 1}


def _day_en(m: re.Match[str], base: Base) -> When:
    return When(base.day + timedelta(days=_NEAR_EN[m["d"].lower()]), clock=_clock_en(m))


def _weekday_en(m: re.Match[str], base: Base) -> When:
    which = (m["which"] or "").lower().replace("coming", "")
    return When(weekday_of(base, WEEKDAYS[m["wd"].lower()], which), clock=_clock_en(m))


def _period_en(m: re.Match[str], base: Base) -> When:
    step = {"last": -1, "past": -1, "this": 0, "next": 1}[m["which"].lower()]
    unit = m["unit"].lower()
    if unit == "week":
        return When(monday_of(base.day) + timedelta(weeks=step), "week")
    if unit == "weekend":
        return When(monday_of(base.day) + timedelta(weeks=step, days=5), "weekend")
    if unit == "month":
        return When(add_months(base.day, step), "month")
    return When(date(base.day.year + step, 1, 1), "year")


def _absolute_en(m: re.Match[str], base: Base) -> When:
    groups = m.groupdict()
    month = MONTHS[m["mon"][:3].lower()]
    if not groups.get("day"):
        return When(date(int(m["year"]), month, 1), "month")
    day = int(m["day"])
    found = date(int(m["year"]), month, day) if groups.get("year") else yearless(base, month, day)
    return When(found, clock=_clock_en(m))


def _figures(m: re.Match[str], base: Base) -> When:  # noqa: ARG001 - one signature for all forms
    """A date in figures; with the year last, only when day and month cannot be taken for each other."""
    groups = m.groupdict()
    if "m" not in groups and "a" not in groups:
        return When(date(int(m["y"]), 1, 1), "year")
    if "a" not in groups:
        return When(date(int(m["y"]), int(m["m"]), int(m["dd"])), clock=_clock_en(m))
    a, b = int(m["a"]), int(m["b"])
    if a <= 12 and b <= 12 and a != b:
        raise Unresolved
    month, day = (b, a) if a > 12 else (a, b)
    return When(date(int(m["y"]), month, day), clock=_clock_en(m))


def _ordinal_en(m: re.Match[str], base: Base) -> When:
    """ "On the 25th": the next such day, where the sentence looks ahead."""
    if base.tense != "future":
        raise Unresolved
    day = int(m["day"])
    first = base.day.replace(day=1) if day >= base.day.day else add_months(base.day, 1)
    return When(first.replace(day=day), clock=_clock_en(m))


def _en(pattern: str) -> re.Pattern[str]:
    return re.compile(r"(?<![\w/.-])" + pattern, re.IGNORECASE)


FORMS_EN: tuple[tuple[re.Pattern[str], Read], ...] = (
    (
        _en(
            rf"{_BEFORE_EN}(?P<d>the day before yesterday|the day after tomorrow|yesterday|today|tomorrow|last night|tonight"
            rf"|this(?= (?:morning|afternoon|evening)\b)){_CLOCK_EN}"
        ),
        _day_en,
    ),
    (_en(rf"{_BEFORE_EN}(?:on )?(?:(?P<which>last|past|this coming|this|next|coming) )?{_WDAY}{_CLOCK_EN}"), _weekday_en),
    (_en(r"(?P<which>last|past|this|next) (?P<unit>weekend|week|month|year)\b(?! of\b)"), _period_en),
    (_en(rf"{_BEFORE_EN}{_MONTH} (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d%])(?:,? (?P<year>(?:19|20)\d{{2}}))?{_CLOCK_EN}"), _absolute_en),
    (_en(rf"{_BEFORE_EN}(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH}(?:,? (?P<year>(?:19|20)\d{{2}}))?{_CLOCK_EN}"), _absolute_en),
    (_en(rf"{_MONTH},? (?P<year>(?:19|20)\d{{2}})\b"), _absolute_en),
    (_en(rf"on the (?P<day>\d{{1,2}})(?:st|nd|rd|th)(?! (?:of|floor|street|anniversary|birthday|{_MONTH})){_CLOCK_EN}"), _ordinal_en),
    (_en(rf"{_COUNT} {_UNIT} (?P<way>ago|from now)\b"), counted),
    (_en(rf"in {_COUNT} {_UNIT}(?!\w)(?! time)"), counted),
    (_en(r"in (?P<y>(?:19|20)\d{2})(?![\w-])"), _figures),
    (re.compile(rf"(?<![\w./-])(?P<y>(?:19|20)\d{{2}})(?P<sep>[-/.])(?P<m>\d{{1,2}})(?P=sep)(?P<dd>\d{{1,2}})(?![\d./-]\d|\d){_CLOCK_EN}"), _figures),
    (re.compile(rf"(?<![\w./-])(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}})/(?P<y>(?:19|20)\d{{2}})(?!\d|/){_CLOCK_EN}"), _figures),
)  # fmt: skip
