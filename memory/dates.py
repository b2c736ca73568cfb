"""Date words of Chinese and English, read against the moment they were said.

`dates_in` finds them, `resolve` turns one into ISO 8601. Nothing here reads a clock: without a moment, relative words
stay words. Words with two readings stay words too ("next Friday" on a Monday, a bare weekday, "three o'clock", 03/04/2026,
a month and day whose nearest year contradicts the tense of the sentence): a missing date is better than a wrong one.

Why not `dateparser` 1.5 (measured): it takes 145 ms to import and 158 ms for its first date, answers None for
上周三, 三天前, 两周后, 10月15日 and 明天下午三点, and in running text reads 上周三 as a week and "may" as a month.

What it does not do: lunar dates, festivals, durations ("for two weeks"), recurring dates ("every Friday").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal

Tense = Literal["past", "future"]
Grain = Literal["day", "around", "week", "weekend", "month", "year"]


@dataclass(frozen=True)
class DateSpan:
    """One date expression: `text[start:end]` is `words`.

    `iso` is an ISO 8601 date, month, year, time with offset (to the minute) or interval `first/last` of days; None when
    the words could not be resolved. `since` and `until` are the half-open range of moments that the words cover, in the
    zone of the moment they were read against; both None without one.
    """

    start: int
    end: int
    words: str
    iso: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def value(self) -> str:
        """The ISO form, or the words as they are."""
        return self.iso or self.words


@dataclass(frozen=True)
class _When:
    """What a form read: a first day and how wide the expression is, with a clock time on a day if one was said."""

    day: date
    grain: Grain = "day"
    clock: time | None = None


@dataclass(frozen=True)
class _Base:
    """What relative words count from; `day` is None when the moment is unknown."""

    at: datetime | None
    tense: Tense | None

    @property
    def day(self) -> date:
        if self.at is None:
            raise _Unresolved
        return self.at.date()


class _Unresolved(Exception):
    """The words name a date that cannot be told from what is known."""


_Read = Callable[["re.Match[str]", _Base], "_When | datetime"]

# --- numbers and small helpers -------------------------------------------------------------------------------------

_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_NUMBER_EN = {w: i for i, w in enumerate(_WORDS)} | {"a": 1, "an": 1}
_MONTHS = {
    m: i for i, m in enumerate(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1)
}
_WEEKDAYS = {d: i for i, d in enumerate(["mon", "tue", "wed", "thu", "fri", "sat", "sun"])}
_WEEKDAYS_ZH = {c: i for i, c in enumerate("一二三四五六日")} | {"天": 6}


def _number(words: str) -> int:
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


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _add_months(day: date, months: int) -> date:
    index = day.year * 12 + day.month - 1 + months
    return date(index // 12, index % 12 + 1, 1)


def _yearless(base: _Base, month: int, day: int) -> date:
    """The occurrence nearest to the moment; none when it lies on the other side than the sentence speaks of."""
    today = base.day
    near: list[date] = []
    for year in (today.year - 1, today.year, today.year + 1):
        try:
            near.append(date(year, month, day))
        except ValueError:
            continue
    if not near:
        raise _Unresolved
    found = min(near, key=lambda d: abs((d - today).days))
    if (base.tense == "future" and found < today) or (base.tense == "past" and found > today):
        raise _Unresolved
    return found


def _weekday(base: _Base, weekday: int, which: str) -> date:
    """ "last" is the latest before today, "this" is in this week, "next" only when both its readings agree."""
    today = base.day
    if which in ("last", "past"):
        return today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1)
    if which == "this":
        return _monday(today) + timedelta(days=weekday)
    coming = today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)
    if which == "next" and coming < _monday(today) + timedelta(days=7):
        raise _Unresolved
    if which == "" and base.tense != "future":
        raise _Unresolved
    return coming


_UNITS_ZH = {"天": "day", "日": "day", "周": "week", "週": "week", "星期": "week", "礼拜": "week", "禮拜": "week"}
_UNITS_ZH |= {"月": "month", "年": "year", "小时": "hour", "小時": "hour", "分钟": "minute", "分鐘": "minute"}


def _counted(m: re.Match[str], base: _Base) -> _When | datetime:
    """So many units before or after the moment: exact for hours and days, as wide as its unit for the others."""
    unit = _UNITS_ZH.get(m["unit"], m["unit"].lower())
    count = _number(m["n"]) * (-1 if m.groupdict().get("way", "").lower() in ("前", "ago") else 1)
    if unit in ("minute", "hour"):
        if base.at is None:
            raise _Unresolved
        step = timedelta(minutes=count * (60 if unit == "hour" else 1))
        return (base.at.astimezone(UTC) + step).astimezone(base.at.tzinfo)
    if unit == "day":
        return _When(base.day + timedelta(days=count))
    if unit == "week":
        return _When(base.day + timedelta(weeks=count), "around")
    if unit == "month":
        return _When(_add_months(base.day, count), "month")
    return _When(date(base.day.year + count, 1, 1), "year")


# --- Chinese -------------------------------------------------------------------------------------------------------

_N = r"(?:\d{1,4}|[零〇一二两兩三四五六七八九十百]{1,5})"
_CLOCK_ZH = (
    r"(?:的)?(?P<part>凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|晚|早)?(?:的)?"
    r"(?:(?P<hour>\d{1,2}|[一二两兩三四五六七八九十]{1,3})(?:点|點|时|時)(?!钟前|鐘前)(?:钟|鐘|整)?"
    r"(?P<minute>半|一刻|三刻|\d{1,2}分?|[一二三四五六七八九十]{1,3}分)?|(?P<hhmm>\d{1,2}[:：]\d{2}))?"
)
_DAYS_ZH = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "後": 2, "大后": 3, "大後": 3}
_YEARS_ZH = {"大前": -3, "前": -2, "去": -1, "今": 0, "明": 1, "后": 2, "後": 2, "大后": 3, "大後": 3}
_STEPS_ZH = {"上上": -2, "上": -1, "这": 0, "這": 0, "本": 0, "下": 1, "下下": 2}


def _clock_zh(m: re.Match[str]) -> time | None:
    """The time of day, or None when the words leave morning or evening open."""
    part, hour_words, hhmm = m["part"] or "", m["hour"], m["hhmm"]
    if hhmm:
        hour_words, minute_words = re.split("[:：]", hhmm)
        minute, certain = int(minute_words), len(hour_words) == 2
    elif hour_words:
        words = (m["minute"] or "0").rstrip("分")
        minute = {"半": 30, "一刻": 15, "三刻": 45}.get(words) or _number(words)
        certain = False
    else:
        return None
    hour = _number(hour_words)
    if (part in ("下午", "傍晚", "晚上", "晚", "夜里") and 1 <= hour < 12) or (part == "中午" and hour in (1, 2)):
        hour += 12
    elif (part in ("晚上", "晚", "夜里") and hour == 12) or (not part and not certain and hour <= 12):
        return None
    return time(hour, minute) if hour < 24 and minute < 60 else None


def _day_zh(m: re.Match[str], base: _Base) -> _When:
    return _When(base.day + timedelta(days=_DAYS_ZH[m["d"] or m["short"]]), clock=_clock_zh(m))


def _week_zh(m: re.Match[str], base: _Base) -> _When:
    if "step" not in m.groupdict():
        return _When(_weekday(base, _WEEKDAYS_ZH[m["wd"]], ""), clock=_clock_zh(m))
    monday = _monday(base.day) + timedelta(weeks=_STEPS_ZH[m["step"]])
    if m["wd"] is None:
        return _When(monday, "week")
    if m["wd"] == "末":
        return _When(monday + timedelta(days=5), "weekend")
    return _When(monday + timedelta(days=_WEEKDAYS_ZH[m["wd"]]), clock=_clock_zh(m))


def _month_zh(m: re.Match[str], base: _Base) -> _When:
    first = _add_months(base.day, _STEPS_ZH[m["step"]])
    if m["day"]:
        return _When(first.replace(day=_number(m["day"])), clock=_clock_zh(m))
    return _When(first, "month")


def _absolute_zh(m: re.Match[str], base: _Base) -> _When:
    """A year (in figures or relative), a month, a day: whatever of them was said."""
    month = _number(m["month"]) if m["month"] else None
    day = _number(m["day"]) if m["day"] else None
    if m["rel"]:
        year = base.day.year + _YEARS_ZH[m["rel"]]
    elif m["year"]:
        year = _number(m["year"])
    elif month and day:
        return _When(_yearless(base, month, day), clock=_clock_zh(m))
    else:
        raise _Unresolved
    if month is None:
        return _When(date(year, 1, 1), "year")
    if day is None:
        return _When(date(year, month, 1), "month")
    return _When(date(year, month, day), clock=_clock_zh(m))


_FORMS_ZH: tuple[tuple[re.Pattern[str], _Read], ...] = (
    (re.compile(rf"(?:(?<![0-9一二两三四五六七八九十几数多半])(?P<d>大前|大[后後]|(?<![之以目日])前|(?<![之以今然最])[后後]|昨|今|明)[天日](?!气|氣|本)"
                rf"|(?P<short>[昨今明])(?=[晚早](?![已就]))){_CLOCK_ZH}"), _day_zh),
    (re.compile(rf"(?P<step>上上|上|这|這|本|下下|下)(?:个|個)?(?:周|週|星期|礼拜|禮拜)(?:(?P<wd>[一二三四五六日天末])(?!期|个|個){_CLOCK_ZH})?"), _week_zh),
    (re.compile(rf"(?<![上这這本下个個每])(?:周|週|星期|礼拜|禮拜)(?P<wd>[一二三四五六日])(?!期|个|個){_CLOCK_ZH}"), _week_zh),
    (re.compile(rf"(?P<step>上上|上|这|這|本|下下|下)(?:个|個)?月(?:份)?(?:(?P<day>\d{{1,2}}|[一二三四五六七八九十]{{1,3}})[号號日]{_CLOCK_ZH})?"), _month_zh),
    (re.compile(r"(?:(?P<rel>大前|大[后後]|(?<![之以目日])前|(?<![之以今然最])[后後]|去|今|明)年"
                r"|(?P<year>(?<!\d)(?:19|20)\d{2}|[一二][零〇一二三四五六七八九]{3})年)"
                rf"(?:的)?(?:(?P<month>\d{{1,2}}|[一二三四五六七八九十]{{1,2}})月(?:份)?(?:(?P<day>\d{{1,2}}|[一二三四五六七八九十]{{1,3}})[日号號]{_CLOCK_ZH})?)?"), _absolute_zh),
    (re.compile(r"(?P<rel>(?!))?(?P<year>(?!))?(?<![\d年])(?P<month>\d{1,2}|(?<![一二三四五六七八九十])[一二三四五六七八九十]{1,2})月"
                rf"(?P<day>\d{{1,2}}|[一二三四五六七八九十]{{1,3}})[日号號]{_CLOCK_ZH}"), _absolute_zh),
    (re.compile(rf"(?<![\d第零〇一二两三四五六七八九十百])(?P<n>{_N})(?:个|個)?(?P<unit>天|日|周|週|星期|礼拜|禮拜|月|年|小时|小時|分钟|分鐘)(?:之|以)?(?P<way>前|[后後])(?![天台])"), _counted),
)  # fmt: skip

# --- English -------------------------------------------------------------------------------------------------------

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


def _day_en(m: re.Match[str], base: _Base) -> _When:
    return _When(base.day + timedelta(days=_NEAR_EN[m["d"].lower()]), clock=_clock_en(m))


def _weekday_en(m: re.Match[str], base: _Base) -> _When:
    which = (m["which"] or "").lower().replace("coming", "")
    return _When(_weekday(base, _WEEKDAYS[m["wd"].lower()], which), clock=_clock_en(m))


def _period_en(m: re.Match[str], base: _Base) -> _When:
    step = {"last": -1, "past": -1, "this": 0, "next": 1}[m["which"].lower()]
    unit = m["unit"].lower()
    if unit == "week":
        return _When(_monday(base.day) + timedelta(weeks=step), "week")
    if unit == "weekend":
        return _When(_monday(base.day) + timedelta(weeks=step, days=5), "weekend")
    if unit == "month":
        return _When(_add_months(base.day, step), "month")
    return _When(date(base.day.year + step, 1, 1), "year")


def _absolute_en(m: re.Match[str], base: _Base) -> _When:
    groups = m.groupdict()
    month = _MONTHS[m["mon"][:3].lower()]
    if not groups.get("day"):
        return _When(date(int(m["year"]), month, 1), "month")
    day = int(m["day"])
    found = date(int(m["year"]), month, day) if groups.get("year") else _yearless(base, month, day)
    return _When(found, clock=_clock_en(m))


def _figures(m: re.Match[str], base: _Base) -> _When:  # noqa: ARG001 - one signature for all forms
    """A date in figures; with the year last, only when day and month cannot be taken for each other."""
    groups = m.groupdict()
    if "m" not in groups and "a" not in groups:
        return _When(date(int(m["y"]), 1, 1), "year")
    if "a" not in groups:
        return _When(date(int(m["y"]), int(m["m"]), int(m["dd"])), clock=_clock_en(m))
    a, b = int(m["a"]), int(m["b"])
    if a <= 12 and b <= 12 and a != b:
        raise _Unresolved
    month, day = (b, a) if a > 12 else (a, b)
    return _When(date(int(m["y"]), month, day), clock=_clock_en(m))


def _en(pattern: str) -> re.Pattern[str]:
    return re.compile(r"(?<![\w/.-])" + pattern, re.IGNORECASE)


_FORMS_EN: tuple[tuple[re.Pattern[str], _Read], ...] = (
    (
        _en(
            rf"{_BEFORE_EN}(?P<d>the day before yesterday|the day after tomorrow|yesterday|today|tomorrow|last night|tonight"
            rf"|this(?= (?:morning|afternoon|evening)\b)){_CLOCK_EN}"
        ),
        _day_en,
    ),
    (_en(rf"{_BEFORE_EN}(?:on )?(?:(?P<which>last|past|this coming|this|next|coming) )?{_WDAY}{_CLOCK_EN}"), _weekday_en),
    (_en(r"(?P<which>last|past|this|next) (?P<unit>weekend|week|month|year)\b"), _period_en),
    (_en(rf"{_BEFORE_EN}{_MONTH} (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d%])(?:,? (?P<year>(?:19|20)\d{{2}}))?{_CLOCK_EN}"), _absolute_en),
    (_en(rf"{_BEFORE_EN}(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH}(?:,? (?P<year>(?:19|20)\d{{2}}))?{_CLOCK_EN}"), _absolute_en),
    (_en(rf"{_MONTH},? (?P<year>(?:19|20)\d{{2}})\b"), _absolute_en),
    (_en(rf"{_COUNT} {_UNIT} (?P<way>ago|from now)\b"), _counted),
    (_en(rf"in {_COUNT} {_UNIT}(?!\w)(?! time)"), _counted),
    (_en(r"in (?P<y>(?:19|20)\d{2})(?![\w-])"), _figures),
    (re.compile(rf"(?<![\w./-])(?P<y>(?:19|20)\d{{2}})(?P<sep>[-/.])(?P<m>\d{{1,2}})(?P=sep)(?P<dd>\d{{1,2}})(?![\d./-]\d|\d){_CLOCK_EN}"), _figures),
    (re.compile(rf"(?<![\w./-])(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}})/(?P<y>(?:19|20)\d{{2}})(?!\d|/){_CLOCK_EN}"), _figures),
)  # fmt: skip

_MAYBE_ZH = re.compile("[天日年月周週期拜前后後号號]|[昨今明][晚早]")
_MAYBE_EN = re.compile(r"\d|day|tomorrow|night|week|month|year|ago|hour|minute|this ", re.IGNORECASE)


# --- the surface ---------------------------------------------------------------------------------------------------


def _span(text: str, m: re.Match[str], read: _Read, base: _Base) -> DateSpan:
    end = m.end()
    while end > m.start() and text[end - 1] in " ,的":
        end -= 1
    bare = DateSpan(m.start(), end, text[m.start() : end])
    try:
        when = read(m, base)
        iso, since, until = _bounds(when, base.at)
    except (_Unresolved, ValueError, OverflowError):  # 30 February, the year 12026, no moment to count from
        return bare
    return DateSpan(bare.start, bare.end, bare.words, iso, since, until)


def _bounds(when: _When | datetime, at: datetime | None) -> tuple[str, datetime | None, datetime | None]:
    if isinstance(when, datetime):
        minute = when.replace(second=0, microsecond=0)
        return minute.isoformat(timespec="minutes"), minute, minute + timedelta(minutes=1)
    first, last, iso = _days(when)
    if at is None:
        return iso, None, None
    zone = at.tzinfo
    if when.clock is not None:
        moment = datetime.combine(when.day, when.clock, zone)
        return moment.isoformat(timespec="minutes"), moment, moment + timedelta(minutes=1)
    return iso, datetime.combine(first, time(), zone), datetime.combine(last + timedelta(days=1), time(), zone)


def _days(when: _When) -> tuple[date, date, str]:
    """First day, last day and ISO form."""
    day = when.day
    if when.grain == "year":
        return day, date(day.year, 12, 31), f"{day.year:04}"
    if when.grain == "month":
        return day, _add_months(day, 1) - timedelta(days=1), f"{day.year:04}-{day.month:02}"
    if when.grain == "around":  # "two weeks ago": that day, give or take half a week
        return day - timedelta(days=3), day + timedelta(days=3), day.isoformat()
    if when.grain in ("week", "weekend"):
        last = day + timedelta(days=6 if when.grain == "week" else 1)
        return day, last, f"{day.isoformat()}/{last.isoformat()}"
    return day, day, day.isoformat() + (f"T{when.clock:%H:%M}" if when.clock else "")


def _found(text: str, base: _Base) -> Iterator[DateSpan]:
    forms: list[tuple[re.Pattern[str], _Read]] = []
    if _MAYBE_ZH.search(text):
        forms += _FORMS_ZH
    if _MAYBE_EN.search(text):
        forms += _FORMS_EN
    for pattern, read in forms:
        for m in pattern.finditer(text):
            yield _span(text, m, read, base)


def dates_in(text: str, at: datetime | None = None, *, tense: Tense | None = None) -> list[DateSpan]:
    """The date expressions of `text`, in order and without overlap, read against the aware moment `at`.

    Weeks begin on Monday. `tense` is what the sentence speaks of, if known: it settles a bare weekday ("on Friday", with
    "future") and a month and day without a year. Expressions that stay open are listed with `iso` None.
    Raises ValueError for a naive `at`.
    """
    if at is not None and at.utcoffset() is None:
        raise ValueError("dates are read against an aware moment; this one has no zone")
    spans = sorted(_found(text, _Base(at, tense)), key=lambda s: (s.start, -s.end))
    out: list[DateSpan] = []
    for span in spans:
        if not out or span.start >= out[-1].end:
            out.append(span)
    return out


def resolve(words: str, at: datetime | None = None, *, tense: Tense | None = None) -> str:
    """ISO 8601 for `words` when they are one date expression and nothing else; otherwise `words` unchanged."""
    spans = dates_in(words, at, tense=tense)
    if len(spans) == 1 and spans[0].words.strip() == words.strip() and spans[0].iso:
        return spans[0].iso
    return words
