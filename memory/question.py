"""What a message asks, read once for a recall: its asking sentences, its words, its names, its dates, and whether it
asks about what was so before. Pure rules for Chinese and English; no search, no clock.

What it does not do: no paraphrasing, no spelling, and no guess at what a question leaves out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memory.date_parts import MONTHS, number
from memory.dates import DateSpan, dates_in
from memory.lexical import query_weights

_LONG = 3
"""Sentences from which on a message is searched for by those that ask."""

_SENTENCE = re.compile(r"""(?:"[^"]*"|“[^”]*”|「[^」]*」|『[^』]*』|《[^》]*》|[^。！？!?；;\n])+[。！？!?；;\n]*""")
_ASKS = re.compile(r"[?？]|[吗呢]\s*$")
_NAME = re.compile(r"(?<=[\w,;'’\"] )[\"'“]?([A-Z][a-z]+|[A-Z]{2,})\b")
_PAST = re.compile(
    r"以前|之前|从前|過去|过去|原来|原來|原先|当初|當初|曾经|曾經|上一?[任份]|上一?[个個](?!月|星期|礼拜|禮拜|周|週)"
    r"|\b(?:used to|did (?:\w+ ){1,3}use to|previously|formerly|originally|in the past|back then)\b"
    r"|\b(?:did|was|were|had)\b.*\bbefore\b(?!\s+(?:\w+\s+){0,3}\w+(?:ed|ing)\b)",
    re.IGNORECASE,
)
_DURATION = re.compile(r"(?:\d|[一二两三四五六七八九十几]|[天日周月年]|小时|分钟)\s*(?:个\S{1,2})?(?:之前|以前)")

# "On May 2nd" of a question is the day of whichever year; "next month" and "last March" are not.
_MONTH = re.compile(
    r"^[^上下这這本去今明前后後]*月.*[日号號]|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\d{4}|年")
MONTH_ALONE = re.compile(
    r"\b(?i:in|during|since|until|of|early|late|mid|this|last)[ -]"
    r"(?P<en>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b(?!,? \d)"
    r"|(?<![\d年个個十一二两三四五六七八九第])(?P<zh>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月(?!\d|[一二三四五六七八九十]+[日号號])"
)
_CALENDAR = re.compile(
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:[a-z]*(?:ary|ch|il|ne|ly|st|ber|day))?"
)


@dataclass(frozen=True)
class Asked:
    """A question as ranking sees it.

    `terms` are those of the lexical index with what each is worth (0 to 1), `names` words in capitals inside it,
    `ranges` the half-open ranges of moments that it names, `days` the days it names without their year, as (month,
    day), `months` those it names alone, and `past` whether it asks about what was so before.
    """

    text: str
    terms: Mapping[str, float]
    names: tuple[str, ...] = ()
    ranges: tuple[tuple[datetime, datetime], ...] = ()
    days: tuple[tuple[int, int], ...] = ()
    months: tuple[int, ...] = ()
    past: bool = False


def asking(text: str) -> str:
    """The sentences of a long message that ask something; the whole of a short one, and of one that asks nothing.

    What is told on the way to a question is mostly about other things. Sentences inside quotation marks are one.
    """
    sentences = [one for one in _SENTENCE.findall(text) if one.strip()]
    if len(sentences) < _LONG:
        return text
    return "".join(one for one in sentences if _ASKS.search(one)).strip() or text


def asks_about_the_past(text: str) -> bool:
    """Whether a question is about what was so before (以前, used to) rather than about a length of time (三天以前)."""
    return bool(_PAST.search(_DURATION.sub("", text)))


def without_year(date: DateSpan) -> bool:
    """Whether these date words name a month, and the year is left to whoever reads them."""
    return bool(_MONTH.search(date.words)) and not _YEAR.search(date.words)


def read(text: str, now: datetime) -> Asked:
    """Read a question that is asked at `now` (aware): relative dates are counted from then."""
    asked = asking(text)
    dates = [d for d in dates_in(text, now) if d.since and d.until]
    yearless = [d for d in dates if without_year(d)]
    return Asked(
        text=asked,
        terms=query_weights(asked),
        names=tuple(dict.fromkeys(name for name in _NAME.findall(asked) if not _CALENDAR.fullmatch(name))),
        ranges=tuple((d.since, d.until) for d in dates if d.since and d.until and d not in yearless),
        days=tuple((d.since.month, d.since.day) for d in yearless if d.since),
        months=tuple(MONTHS[m["en"].lower()] if m["en"] else number(m["zh"]) for m in MONTH_ALONE.finditer(text)),
        past=asks_about_the_past(text),
    )
