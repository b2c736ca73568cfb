"""Date words of Chinese: the forms, in the order they are tried."""

from __future__ import annotations

import re
from datetime import date, time, timedelta

from memory.date_parts import (
    WEEKDAYS_ZH,
    Base,
    Read,
    Unresolved,
    When,
    add_months,
    counted,
    monday_of,
    number,
    weekday_of,
    yearless,
)

NUMBER = r"(?:\d{1,4}|[零〇一二两兩三四五六七八九十百]{1,5})"
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
        minute = {"半": 30, "一刻": 15, "三刻": 45}.get(words) or number(words)
        certain = False
    else:
        return None
    hour = number(hour_words)
    if (part in ("下午", "傍晚", "晚上", "晚", "夜里") and 1 <= hour < 12) or (part == "中午" and hour in (1, 2)):
        hour += 12
    elif (part in ("晚上", "晚", "夜里") and hour == 12) or (not part and not certain and hour <= 12):
        return None
    return time(hour, minute) if hour < 24 and minute < 60 else None


def _day_zh(m: re.Match[str], base: Base) -> When:
    return When(base.day + timedelta(days=_DAYS_ZH[m["d"] or m["short"]]), clock=_clock_zh(m))


def _week_zh(m: re.Match[str], base: Base) -> When:
    if "step" not in m.groupdict():
        return When(weekday_of(base, WEEKDAYS_ZH[m["wd"]], ""), clock=_clock_zh(m))
    monday = monday_of(base.day) + timedelta(weeks=_STEPS_ZH[m["step"]])
    if m["wd"] is None:
        return When(monday, "week")
    if m["wd"] == "末":
        return When(monday + timedelta(days=5), "weekend")
    return When(monday + timedelta(days=WEEKDAYS_ZH[m["wd"]]), clock=_clock_zh(m))


def _month_zh(m: re.Match[str], base: Base) -> When:
    first = add_months(base.day, _STEPS_ZH[m["step"]])
    if m["day"]:
        return When(first.replace(day=number(m["day"])), clock=_clock_zh(m))
    return When(first, "month")


def _absolute_zh(m: re.Match[str], base: Base) -> When:
    """A year (in figures or relative), a month, a day: whatever of them was said."""
    month = number(m["month"]) if m["month"] else None
    day = number(m["day"]) if m["day"] else None
    if m["rel"]:
        year = base.day.year + _YEARS_ZH[m["rel"]]
    elif m["year"]:
        year = number(m["year"])
    elif month and day:
        return When(yearless(base, month, day), clock=_clock_zh(m))
    else:
        raise Unresolved
    if month is None:
        return When(date(year, 1, 1), "year")
    if day is None:
        return When(date(year, month, 1), "month")
    return When(date(year, month, day), clock=_clock_zh(m))


def _ordinal_zh(m: re.Match[str], base: Base) -> When:
    """二十四号: the next such day, where the sentence looks ahead."""
    if base.tense != "future":
        raise Unresolved
    day = number(m["day"])
    first = base.day.replace(day=1) if day >= base.day.day else add_months(base.day, 1)
    return When(first.replace(day=day), clock=_clock_zh(m))


FORMS_ZH: tuple[tuple[re.Pattern[str], Read], ...] = (
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
    (re.compile(rf"(?<![\d一二三四五六七八九十月第A-Za-z.])(?P<day>[12]?\d|3[01]|[一二三]?十[一二三四五六七八九]?|二十|三十)[号號](?!线|楼|院|门|位|码|店|球){_CLOCK_ZH}"), _ordinal_zh),
    (re.compile(rf"(?<![\d第零〇一二两三四五六七八九十百])(?P<n>{NUMBER})(?:个|個)?(?P<unit>天|日|周|週|星期|礼拜|禮拜|月|年|小时|小時|分钟|分鐘)(?:之|以)?(?P<way>前|[后後])(?![天台])"), counted),
)  # fmt: skip
