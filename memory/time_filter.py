"""The time that a question names for what was *said*: "what did I tell you last week", 我们昨天聊了什么.

Most dates in a question are about the world ("what did I do last week", 上周我去了哪里): they only speak for a memory
(`memory.signals.date`), since what happened then may have been told at any time. A date that belongs to the telling
is another matter: it bounds what can be meant, and becomes a range. The rules are narrow for that reason. The date must
stand beside a verb of saying whose speakers are the person and the agent ("I told my boss yesterday" is about the
world), in a clause that asks. Pure rules for Chinese and English; no clock.

What it does not do: no open ranges ("since March"), no two dates at once, no times of day, and no reading of vague
words (recently, 最近, the other day).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta

from memory.date_parts import MONTHS, WEEKDAYS, WEEKDAYS_ZH, Base, Unresolved, number, weekday_of
from memory.dates import DateSpan, dates_in
from memory.lexical import query_weights
from memory.question import MONTH_ALONE, asking, without_year
from memory.text import Language

_DAY = timedelta(hours=20)
"""Shorter than the shortest day: a time of day is no range that anybody remembers talking in."""


@dataclass(frozen=True)
class SaidRange:
    """A half-open range of moments in which something was said, in the zone of the asking, and the words that named it.

    `topic` is what the question asks about beside the saying and its time; an empty one asks for all that was said.
    `year_open` says that the words name no year ("on May 3rd", 5月): the range is the latest, and may be the wrong one.
    """

    since: datetime
    until: datetime
    words: str
    topic: str = ""
    year_open: bool = False

    def a_year_before(self) -> SaidRange:
        """The same days of the year before; of 29 February the last days of that month."""
        return replace(self, since=_year_before(self.since), until=_year_before(self.until))

    def sentence(self, language: Language) -> str:
        """The range in days, both included, and why it is that one."""
        first, last = self.since.date().isoformat(), (self.until - timedelta(microseconds=1)).date().isoformat()
        if language == "zh":
            return f"{first}{'' if first == last else f' 至 {last}'}（你说的是“{self.words}”）"
        span = f"on {first}" if first == last else f"from {first} to {last}"
        return f"{span}, as you said “{self.words}”"

    def to_dict(self) -> dict[str, str]:
        """The range as plain JSON: both ends as ISO 8601, and the words."""
        return {"since": self.since.isoformat(), "until": self.until.isoformat(), "words": self.words}

    @staticmethod
    def from_dict(kept: Mapping[str, str]) -> SaidRange:
        """The inverse of `to_dict`, but for the topic and whether the year was said."""
        since, until = (datetime.fromisoformat(kept[name]) for name in ("since", "until"))
        return SaidRange(since, until, kept["words"])


def _year_before(when: datetime) -> datetime:
    try:
        return when.replace(year=when.year - 1)
    except ValueError:  # 29 February
        return when.replace(year=when.year - 1, day=28)


def said_range(text: str, now: datetime) -> SaidRange | None:
    """The range in which a question, asked at `now` (aware), wants something to have been said; None for most."""
    asked = _MARK.sub(" ", asking(text))
    if not _SPEAKS.search(asked):
        return None
    spans = list(_past_dates(asked, now))
    if not spans:
        return None
    marked, end = "", 0
    for i, span in enumerate(spans[: ord(_LAST) - ord(_FIRST)]):
        marked += asked[end : span.start] + chr(ord(_FIRST) + i)
        end = span.end
    marked += asked[end:]
    for sentence in _SENTENCE.findall(marked):
        if (found := _frame(sentence)) and found.mark is not None:
            span = spans[ord(found.mark) - ord(_FIRST)]
            if span.since is None or span.until is None:
                return None
            year_open = without_year(span) or bool(MONTH_ALONE.fullmatch(span.words))
            return SaidRange(span.since, span.until, _bare(span.words), _topic(found.rest), year_open)
    return None


# --- which dates: those that lie behind, the latest reading of each ------------------------------------------------

_LAST_FEW = re.compile(
    r"\b(?:the )?(?:last|past) (?P<n>\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|couple of)"
    r" (?P<unit>day|week|month)s\b"
    r"|(?:最近|过去|過去|近)(?:的)?(?:这|這)?(?P<zn>\d{1,3}|[一二两兩三四五六七八九十]{1,3})(?:个|個)?"
    r"(?P<zu>天|日|周|週|星期|礼拜|禮拜|月)(?:里|裡|内|內|来|來)?",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(
    r"(?:on )?\b(?P<en>mon|tue|wed|thu|fri|sat|sun)\w*$|^(?:周|週|星期|礼拜|禮拜)(?P<zh>[一二三四五六日天])$",
    re.IGNORECASE,
)
_UNITS = {"天": "day", "日": "day", "月": "month"}
_DAYS_OF = {"day": 1, "week": 7, "month": 30}
_OPEN_MONTH = re.compile(r"^(?:since|until|early|late|mid)\b", re.IGNORECASE)
_PREPOSITION = re.compile(r"^(?:on|in|during|of|over|the)\s+", re.IGNORECASE)


def _past_dates(text: str, now: datetime) -> Iterator[DateSpan]:
    """The dates of a text that lie behind `now` or reach up to it, in order and without overlap."""
    found = [_few(m, now) for m in _LAST_FEW.finditer(text)]
    found += [_behind(span, now) for span in dates_in(text, now)]
    found += [_month(m, now) for m in MONTH_ALONE.finditer(text)]
    end = 0
    for span in sorted(found, key=lambda s: (s.start, -s.end)):
        if span.start >= end:
            end = span.end
            past = span.since is not None and span.until is not None and span.since <= now
            whole = span.since is not None and span.until is not None and span.until - span.since >= _DAY
            yield span if past and whole else DateSpan(span.start, span.end, span.words)


def _few(m: re.Match[str], now: datetime) -> DateSpan:
    unit = (m["unit"] or "").lower() or _UNITS.get(m["zu"] or "", "week")
    words = (m["n"] or m["zn"]).lower()
    days = _DAYS_OF[unit] * (2 if words == "couple of" else number(words))
    since = datetime.combine(now.date() - timedelta(days=days), time(), now.tzinfo)
    return DateSpan(m.start(), m.end(), m.group(), None, since, now)


def _behind(span: DateSpan, now: datetime) -> DateSpan:
    """A bare weekday is the latest one, and a day without its year that of the year in which it was last."""
    if span.iso is None and (m := _WEEKDAY.search(span.words)):
        day = WEEKDAYS[m["en"].lower()] if m["en"] else WEEKDAYS_ZH[m["zh"]]
        try:
            first = weekday_of(Base(now, "past"), day, "last")
        except Unresolved:  # never: "last" has one reading
            return span
        since = datetime.combine(first, time(), now.tzinfo)
        return DateSpan(span.start, span.end, span.words, None, since, since + timedelta(days=1))
    if span.since and span.until and span.since > now and without_year(span):
        try:
            since = span.since.replace(year=span.since.year - 1)
        except ValueError:  # 29 February
            return span
        return DateSpan(span.start, span.end, span.words, span.iso, since, since + (span.until - span.since))
    return span


def _month(m: re.Match[str], now: datetime) -> DateSpan:
    bare = DateSpan(m.start(), m.end(), m.group())
    if _OPEN_MONTH.search(m.group()):
        return bare
    month = MONTHS[m["en"].lower()] if m["en"] else number(m["zh"])
    year = now.year if month <= now.month else now.year - 1
    since = datetime(year, month, 1, tzinfo=now.tzinfo)
    until = datetime(year + month // 12, month % 12 + 1, 1, tzinfo=now.tzinfo)
    return DateSpan(bare.start, bare.end, bare.words, None, since, until)


def _bare(words: str) -> str:
    return _PREPOSITION.sub("", words.strip())


# --- which sentences: a date beside the saying, in a clause that asks -----------------------------------------------

_FIRST, _LAST = "\ue000", "\ue0ff"
"""Characters of private use that stand for the dates while the sentence around them is read."""
_MARK = re.compile(f"[{_FIRST}-{_LAST}]")
_P = f"(?P<mark>[{_FIRST}-{_LAST}])"
_SENTENCE = re.compile(r"(?:[^。！？!?；;\n.]|\.(?!\s|$))+[。！？!?；;\n.]*")
_COMMA = re.compile("[，,]")
_FRONT = re.compile(
    rf"(^\W*(?:(?:and|so|back|on|in|during|over|the)\s+|在)*[{_FIRST}-{_LAST}])\s*[，,]\s*", re.IGNORECASE
)
"""The comma in "last week, what did I say" belongs to the date."""

_ASKS = re.compile(
    r"什么|甚么|什麼|哪|谁|誰|啥|怎么|怎麼|多少|几[个点号条次]|吗|嗎|呢|有没有|有沒有|是不是|没有$"
    r"|^\W*(?:请|請|帮|幫|告诉我|提醒我|总结|總結|回顾|回顧|回忆|列出|复述|重复|查|找|看看|说说|讲讲|还?记得|還?記得)"
    r"|\b(?:what|which|who|whom|whose|where|why)\b|\b(?:when|how)\s+(?:did|much|many|long|often)\b"
    r"|^\W*(?:(?:please|can you|could you|will you)\s+)*(?:did|have|had|do you|remind|tell|show|list|repeat|recall"
    r"|recap|remember|summari[sz]e|give|find|search|look|go)\b|[?？]",
    re.IGNORECASE,
)

_OBJECT = r"(?:you|me|us)\b"
_OTHERS = r"(?!\s+(?:to|with)\s+(?!you\b|me\b|us\b|each\b))"
_TALK = r"(?:talk|talked|chat|chatted|speak|spoke|spoken)"
_SAID = (
    rf"(?:say|said|mention(?:ed)?|discuss(?:ed)?|recommend(?:ed)?|suggest(?:ed)?|bring up|brought up|{_TALK})"
    rf"\b{_OTHERS}"
)
_TOLD = (
    rf"(?:tell|told|ask|asked|promise|promised|remind|reminded)\s+{_OBJECT}(?:\s+to\s+(?:remember|note|keep|save)\b)?"
)
_WHO = r"\b(?:i|we|you)(?:\s+(?:just|already|ever|both|all))?\s+"
_TOGETHER = rf"(?:\s+(?:to|with)\s+(?:{_OBJECT}|each other))?"
_WHEN = r"\s*,?\s*(?:(?:back|earlier|just|on|in|from|during|over|the)\s+)*"
_EN = (
    # "what did I tell you last week", "what we discussed yesterday"
    re.compile(rf"{_WHO}(?:{_TOLD}|{_SAID}){_TOGETHER}{_WHEN}{_P}", re.IGNORECASE),
    # "what did we talk about yesterday"; "did we talk about last week" is about the week
    re.compile(
        rf"\b(?:what|which|who|whom|everything|anything|things?|topics?|the \w+(?: that)?)\b(?:\s+\w+){{0,3}}?\s*{_WHO}"
        rf"{_TALK}{_TOGETHER}\s+about{_TOGETHER}{_WHEN}{_P}",
        re.IGNORECASE,
    ),
    # "last week, what did I say", "yesterday I told you which..."
    re.compile(
        rf"^\W*(?:and\s+|so\s+)?(?:back\s+)?(?:(?:on|in|during|over)\s+)?(?:the\s+)?{_P}\s*,?\s*"
        rf"(?:(?:what|which|who|whom|where)\b(?:\s+\w+){{0,3}}?\s+)?(?:did\s+|have\s+|had\s+)?{_WHO}(?:{_TOLD}|{_SAID})\b",
        re.IGNORECASE,
    ),
    # "our conversation last week", "yesterday's chat"
    re.compile(
        rf"\bour\s+(?:\w+\s+)?(?:chat|conversation|talk|discussion|session)s?(?:\s+we had)?{_WHEN}(?:of\s+)?{_P}",
        re.IGNORECASE,
    ),
    re.compile(rf"{_P}['’]s?\s+(?:chat|conversation)s?\b", re.IGNORECASE),
)  # fmt: skip
_EN_THAT = re.compile(
    rf"\b(?:the|that|those)\s+(?:\w+\s+){{1,4}}?(?:that\s+|which\s+)?{_WHO}(?:{_TOLD}\s+about|{_TALK}\s+about|{_SAID}){_WHEN}{_P}",
    re.IGNORECASE,
)
_SPEAKS = re.compile(
    r"\b(?:t[eo]l[dl]|ask|promise|remind|say|said|mention|discuss|recommend|suggest|br(?:ing|ought) up|talk|chat"
    r"|sp[eo]ke?|spoken|speak|conversation|session)|[说說讲講聊谈談提论論告问問答荐薦议議代咐让讓叫要话話]",
    re.IGNORECASE,
)
"""What every form below has a word of: most questions have none, and their dates need not be read for it."""
_LATIN = re.compile("[A-Za-z]")
_SAYING = re.compile(rf"{_WHO}(?:{_TOLD}|{_SAID}){_TOGETHER}", re.IGNORECASE)

_US = r"(?:我们|我們|咱们|咱們|咱俩|我俩|我|你|您|咱)"
_FILL = (
    r"(?:都|还|還|又|也|曾经|曾經|曾|有|到底|究竟|一起|是|就|刚|主要|具体"
    r"|(?:跟|和|对|對|给|給|向|同|与|與)(?:你|我|您|咱)(?:们|們)?)*"
)
_TO_US = r"(?=[过過了]{0,2}(?:你|我|您))"
_SAY = (
    rf"(?:说(?!服|明书|不定)|說(?!服|明書|不定)|讲(?![课座台师解])|講(?![課座台師解])|聊|谈(?![判恋成])|談(?![判戀成])"
    rf"|提(?=[到过過起及的])|讨论|討論|告诉{_TO_US}|告訴{_TO_US}|问{_TO_US}|問{_TO_US}|答应{_TO_US}|推荐|推薦|建议|建議|交代|嘱咐"
    r"|(?:让|讓|叫|要)(?:你|您)(?:记|記|别忘))"
)
_PLEASE = (
    r"(?:请问?|請問?|帮我|幫我|帮忙|告诉我|提醒我|总结|總結|回顾|回顧|回忆|列出|复述|重复|查|找|看看|说说|讲讲"
    r"|还?记得|還?記得|知道|一下|那么?|对了|把|在|你)*"
)
_SOMETIME = r"(?:的时候|的時候|那天|那周|里|裡|期间|早上|上午|中午|下午|晚上)?"
_ZH = (
    # 我们昨天聊了什么, 上周我跟你说过什么; not 老板昨天说了什么
    re.compile(rf"(?:^\W*{_PLEASE}{_US}?|{_US})[在是]?{_P}{_SOMETIME}\s*{_US}?{_FILL}{_SAY}"),
    # 上周的对话, 昨天我们的聊天
    re.compile(rf"{_P}的?(?:{_US}的?)?(?:对话|對話|聊天|会话|會話)"),
)
_ZH_THAT = re.compile(
    rf"(?:^\W*{_PLEASE}{_US}?|{_US})[在是]?{_P}{_SOMETIME}\s*{_US}?{_FILL}{_SAY}[到过過起及]?(?:你|我|您)?的(?=那|这|這|事|东西|話|话|内容)"
)
_NAMED = re.compile(
    r"\b(?:what|which|who|things?|anything|everything|something|stuff|topics?|remember|recall|remind|recap|list|show|tell"
    r"|repeat|summari[sz]e|say|said|talk|talked|discuss|discussed|please|conversations?|chats?|discussions?|sessions?|give|go|know|else|exactly)\b"
    r"|什么|甚么|什麼|哪些|哪个|哪|些|啥|谁|来着|過|过|了|的|吗|嗎|呢|啊|呀|么|吧|我们|我們|咱们|咱|我|你|您|都|还|還|有|没"
    r"|记得|記得|总结|總結|回顾|回顧|回忆|告诉|列出|复述|重复|一下|请|請|帮|幫|给|給|内容|话题|話題|事情|东西|话|話|事|主要|具体"
    r"|大概|说|說|聊|讲|谈|天|是|不|对话|聊天|里|查|找|看",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Found:
    """The mark of the date that the saying has, if one date alone stands there, and the rest of the sentence."""

    mark: str | None
    rest: str


def _frame(sentence: str) -> _Found | None:
    for that in (_EN_THAT, _ZH_THAT):
        if (m := that.search(sentence)) and _ASKS.search(sentence):
            return _in(sentence, m)
    joined = _FRONT.sub(r"\1 ", sentence)
    for clause in _COMMA.split(joined):
        for form in (*_EN, *_ZH):
            if (m := form.search(clause.strip())) and _ASKS.search(clause):
                return _in(clause.strip(), m, joined)
    return None


def _in(clause: str, m: re.Match[str], whole: str | None = None) -> _Found:
    # Chinese words of saying stand together; English ones may hold others ("yesterday which film did I mention").
    said = m.group() if not _LATIN.search(m.group()) else "".join(_SAYING.findall(m.group()))
    rest = whole or clause
    rest = rest.replace(said, " ") if said else rest
    return _Found(m["mark"] if len(_MARK.findall(clause)) == 1 else None, _MARK.sub(" ", rest))


def _topic(rest: str) -> str:
    """What is left of a question, if any whole word of it names something."""
    named = any(weight >= 1 for weight in query_weights(_NAMED.sub(" ", rest)).values())
    return " ".join(rest.split()).lstrip("，,。.？? 过過了到的") if named else ""
