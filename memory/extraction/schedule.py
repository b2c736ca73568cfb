"""Clauses with a date: what happened, what is planned, when something is due. Without a date they state no fact.

The date word is resolved against the message's own time into `occurred_at`, or stays as it was said.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from memory.attributes import Language
from memory.date_parts import Tense
from memory.dates import DateSpan, dates_in
from memory.extraction import zh_guard
from memory.extraction.pattern import Found, Who
from memory.extraction.people import subject_zh
from memory.extraction.zh_dated import general

_NOUNS_ZH = {
    "考试": "exam", "面试": "interview", "会议": "meeting", "例会": "meeting", "婚礼": "wedding", "体检": "checkup", "手术": "surgery", "航班": "flight",
    "答辩": "defense", "约会": "date", "聚会": "party", "复诊": "appointment", "预约": "appointment", "演出": "show", "比赛": "match", "开学": "term_start",
    "毕业典礼": "graduation", "发布会": "launch", "培训": "training", "讲座": "lecture", "评审": "review", "火车": "train", "旅行": "trip",
}  # fmt: skip
_DO_ZH = (
    r"(?:开会|开庭|出差|去|飞|考试|考|面试|体检|看病|看牙|看医生|复查|复诊|搬家|搬到|搬|见|拜访|交|提交|上线|发布|部署|旅行|旅游|度假|结婚|回|参加|答辩|出发|做手术|手术|约会|聚餐|聚会|值班|上课|入职|离职|辞职|领证|接|送|演出|比赛"
    r"|讲座|培训|汇报|评审|签|办|打疫苗|跑|买|卖|完成|开始|结束|换|毕业|收到|订|预订|预约|拿到|通过|修|写完|读完|爬|退|丢|学会|认识|安装|升级|迁移|修复|合并|领养|加入|提车|看房|看展|看演唱会|看比赛|看电影|听音乐会|吃饭|打针|取|拿|拆线|验收|面谈|试驾|露营|滑雪|爬山|团建|聚|约|做|请假|休假|出国|开幕|装修|过生日|出院|住院|动手术|拔牙|开学|报名)"
)
_IN_ZH = r"(?:在[^，,了过]{1,8}?)?"
_WILL_ZH = r"(?:要|得|会|准备|打算|计划|将|需要|必须|约了|约好|有(?:一?[个场次门节]))"
_PLAN_ZH = re.compile(
    rf"(?:之前|以前|前)?[,，]?(?:我们?)?(?:还|也|就|都)?(?P<will>{_WILL_ZH})?(?:和|跟)?(?P<v>(?:[和跟给与带陪请把][^，,]{{1,8}}?)?{_IN_ZH}{_DO_ZH}[^，,了]{{0,24}}|(?<=[个场次门节])[^，,了]{{2,16}})[。!]*"
)
_EVENT_ZH = re.compile(
    rf"[,，]?(?:我们?)?(?:刚刚?|还|又|就|才|已经|终于|也|都|和[^，,]{{1,6}}?一起|跟[^，,]{{1,6}}?一起)*(?P<v>(?:[和跟给带陪请把][^，,]{{1,8}}?)?{_IN_ZH}(?:{_DO_ZH}|打过|当过|待过|住过|呆过|留过|干过|支过|做过|出过|拍过|走过|去过)(?:了|到了?|完了?|过)?[^，,]{{0,30}}?)[。!]*"
)
_DUE_ZH = re.compile(r"(?P<my>我的)?(?:这个|本)?(?P<x>[\u4e00-\u9fffA-Za-z]{1,8}?)(?:在|于|的)?")
_IS_ZH = re.compile(
    rf"(?:我(?:们)?的?|(?:这|那)(?:个|场|次))?(?P<x>{'|'.join(_NOUNS_ZH)})(?:时间|日期)?(?:是|在|定在|定于|安排在|改到|改在|推迟到|提前到|改成|延期到)?(?:在)?"
)
_UP_TO_ME = re.compile(r"^[^我了]{0,6}我(?:们)?(?![妈爸爷奶哥姐弟妹家儿女老同朋男媳对闺室的])")
_VAGUE_ZH = re.compile(
    r"[遇碰]到了?(?:一个|一些|个|点)|吃了?[它这]|^[了的是]|吃坏|拉肚子|感冒|发烧|做了个?(?:梦|噩梦)|这个|那个$"
)
_BOOKED = re.compile(r"(?:订|约|买|定|挂|抢|排|预约|预订|说好|报名?)(?:好)?了|[要快].{1,8}了$")
_FILLER_ZH = re.compile(r"(?:在|于|就|要|将|会|得|打算|准备|计划|还|也)*")

_PAST_VERB = (
    r"(?:(?!need|want|like|lov|hat|seem|wish|hop|wonder|tir|bor|worri|excit|interest|concern|confus|us|suppos|plann?|decid|intend|feel|believ|expect|assum|mention|ask|talk)[a-z]{2,12}ed|went|bought|saw|met|got|made|took|had|ran|flew|wrote|left|began|started|came|gave|found|lost|sold|won|built|broke|sent"
    r"|ate|drove|swam|taught|caught|rode|sang|held|did|became|spent|paid)"
)
_PLAN_EN = re.compile(
    r"(?:I|we)(?:(?: also| just)?(?: have|'ve got| have got| got) (?:an? |my |the |another )?(?P<noun>(?!to\b)[\w' -]{3,60}?)"
    r"|(?:'ll| will|'m going to|'re going to| am going to| are going to| have to| need to| must| plan to|'m planning to| am planning to| intend to) (?:be )?(?P<verb>(?!be\b|see\b$|have to)[a-z][\w' -]{2,70}?)"
    r"|(?:'m|'re| am| are) (?P<ing>(?!thinking|feeling|going to\b|looking forward|hoping|wondering|considering|being|trying)[a-z]+ing [\w' -]{2,60}?))",
    re.IGNORECASE,
)
_COMING_EN = re.compile(
    r"(?P<v>(?:the|my|our) [a-z]+(?: [a-z]+)?(?:'s|'re| is| are) (?:coming|arriving|visiting|starting|getting|flying|having|staying|picking|delivering|turning up)\b[\w' -]{0,40}?)|(?:I'm|I am|we're|we are) (?P<w>(?:in|at|off to|away in|out of|back in|on) [\w' -]{3,50}?)",
    re.IGNORECASE,
)
_EVENT_EN = re.compile(
    rf"(?:(?:I|we)(?:'ve| have)? )?(?:just |finally |also |already |recently )?(?P<v>{_PAST_VERB}\b[^?]{{2,90}}?)",
    re.IGNORECASE,
)
_VAGUE_EN = re.compile(
    r"\b(?:you|your|not)\b|^\w+ (?:it|that|this|them|him|her|something|so)\b|^had an? (?:great|good|bad|nice|blast|rough|hard|long|tough|fun|wonderful|amazing)",
    re.IGNORECASE,
)
_IS_EN = re.compile(
    r"(?:my|our|the) (?P<x>[a-z][\w-]*(?: [\w-]+){0,2}?)(?:'s| is| are| was| has been|'s been| will be| got| starts| begins| takes place)(?: now)?(?: (?P<due>due)| scheduled| set| moved| rescheduled| postponed| pushed back)?(?: on| at| by| for| to| in)?",
    re.IGNORECASE,
)
_NOT_THINGS_EN = re.compile(
    r"\b(?:birthday|day|week|mood|name|favou?rite|only|same|last|first|best|thing|problem|plan|goal|idea|point|weather|diet|life|luck|holiday|break)\b",
    re.IGNORECASE,
)


def schedule(
    view: str,
    text: str,
    start: int,
    end: int,
    me: Who,
    language: Language,
    at: datetime | None,
) -> list[Found]:
    """What the clause `view[start:end]` says of the one date in it; nothing when it has none or several."""
    said = view[start:end]
    spans = dates_in(said, at, tense="past" if "了" in said and not _BOOKED.search(said) else "future")
    if len(spans) == 2 and re.fullmatch(r" ?(?:到|至|-|~|—|–|～) ?", said[spans[0].end : spans[1].start]):
        spans = [
            replace(spans[0], end=spans[1].end, words=said[spans[0].start : spans[1].end])
        ]  # "the 8th to the 12th"
    if len(spans) != 1:
        return []
    span = spans[0]
    found = _zh(said, span, text[start:end], me, at) if language == "zh" else _en(said, span, me, at)
    if not found and language == "zh" and (kept := general(said, span, me, _side(span, at))):
        found = _dated(kept[0], kept[1], kept[2], span, "zh")
    return [found] if found else []


def _side(span: DateSpan, at: datetime | None) -> Tense | None:
    """On which side of the moment the date lies; by its words when the moment is unknown; None for today and the open."""
    if at is not None and span.since and span.until:
        today = at.date()
        if span.since.date() == today:
            return "future" if span.since > at else None
        return "future" if span.since > at else ("past" if span.until <= at else None)
    if re.search(
        r"[明后後]|下[周週个個星礼月]|tomorrow|next|from now|\bin \w+ (?:day|week|month|year)|coming",
        span.words,
        re.IGNORECASE,
    ):
        return "future"
    if re.search(r"[昨去前]|上[周週个個星礼月]|yesterday|last|ago", span.words, re.IGNORECASE):
        return "past"
    return None


def _when(span: DateSpan, language: str) -> str:
    """The date as said, with what it resolved to."""
    words = span.words
    if language == "en" and re.match(r"Yesterday|Tomorrow|Today|Tonight|Last|Next|This|In|The|On", words):
        words = words[0].lower() + words[1:]
    if not span.iso or span.iso == words:
        return words
    return f"{words}（{span.iso}）" if language == "zh" else f"{words} ({span.iso})"


def _zh(said: str, span: DateSpan, written: str, me: Who, at: datetime | None) -> Found | None:
    before, after, shift = said[: span.start], said[span.end :], 0
    if (
        re.fullmatch(r"(?:之前|前)?(?:截止|到期|要交|交)[了。!]*", after)
        and (m := _DUE_ZH.fullmatch(before))
        and m["x"] not in ("我", "他", "她")
    ):
        thing = written[m.start("x") : m.end("x")]
        who, attribute = (me, f"{thing}_deadline") if m["my"] else (Who(thing, thing), "deadline")
        return Found(
            who,
            attribute,
            span.value,
            f"{(m['my'] and me.shown + '的') or ''}{thing}的截止日期是{_when(span, 'zh')}",
            occurred_at=span.value,
        )
    if re.fullmatch(r"[了。! ]*", after) and (m := _IS_ZH.fullmatch(before)):
        return Found(
            me,
            f"{_NOUNS_ZH[m['x']]}_date",
            span.value,
            f"{me.shown}的{m['x']}时间是{_when(span, 'zh')}",
            occurred_at=span.value,
        )
    who = me
    if before:
        subject = subject_zh(said, 0, span.start, me)
        if subject is None or not _FILLER_ZH.fullmatch(said, subject.rest, span.start):
            return None
        who = subject.who
    elif m := re.match(r"我们?(?=[^的们家妈爸哥姐弟妹爷奶])", after):
        after, shift = after[m.end() :], m.end()
    will = re.search(r"要|得|将|会|打算|准备|计划", before) is not None
    side = _side(span, at)
    if side != "past" and "了" not in after and (m := _PLAN_ZH.fullmatch(after)) and (side or will or m["will"]):
        return _dated("plan", who, written[span.end + shift + m.start("v") : span.end + shift + m.end("v")], span, "zh")
    if side != "future" and (m := _EVENT_ZH.fullmatch(after)) and (side == "past" or re.search(r"了.", m["v"])):
        return _dated(
            "event", who, written[span.end + shift + m.start("v") : span.end + shift + m.end("v")], span, "zh"
        )
    return None


def _dated(attribute: str, who: Who, value: str, span: DateSpan, language: str) -> Found | None:
    value = value.strip(" ,.!。，了" if attribute == "plan" else " ,.!。，")
    if language == "zh":
        value = _UP_TO_ME.sub("", value)
    if language == "zh" and (_VAGUE_ZH.search(value) or zh_guard.refused(attribute, value)):
        return None
    if not value or "\ufffc" in value or len(value) > 100:
        return None
    if language == "zh":
        text = f"{who.shown}{_when(span, 'zh')}{value}"
    elif attribute == "plan":
        text = f"{who.shown} has a plan for {_when(span, 'en').removeprefix('on ').removeprefix('in ')}: {value}"
    else:
        text = f"{who.shown} {value} {_when(span, 'en')}"
    return Found(who, attribute, value, text, confidence=0.85, occurred_at=span.value)


def _en(said: str, span: DateSpan, me: Who, at: datetime | None) -> Found | None:
    before, after = said[: span.start].rstrip(" ,"), said[span.end :].strip(" ,.!")
    if not after and (m := _IS_EN.fullmatch(before)) and not _NOT_THINGS_EN.search(m["x"]):
        thing = m["x"].lower()
        kind = "deadline" if m["due"] else "date"
        mine = not said.lower().startswith("the ")
        attribute = f"{thing.replace(' ', '_')}_{kind}" if mine or kind == "date" else kind
        who = me if mine or kind == "date" else Who(thing, f"The {thing}")
        owner = f"{me.shown}'s {thing}" if mine else f"The {thing}"
        return Found(
            who,
            attribute,
            span.value,
            f"{owner} is {'due ' if m['due'] else ''}{_when(span, 'en')}",
            occurred_at=span.value,
        )
    # The clause without its date: "I have a meeting (tomorrow)", "(tomorrow) I have a meeting".
    cut = re.sub(r" (?:on|at|by|this|for)$", "", before, flags=re.IGNORECASE)
    if cut and said[span.end :].lstrip().startswith((",", ";", "-", "–", "—", ":")):
        after = ""  # "Started there last month, education officer": what is added is no part of it
    rest = f"{cut} {after}".strip() if cut else after
    side = _side(span, at)
    if side == "future" and (m := _PLAN_EN.fullmatch(rest)):
        value = m["noun"] or m["verb"] or m["ing"]
        return _dated("plan", me, value, span, "en") if not re.search(r"\b(?:you|not)\b", value) else None
    if side == "future" and (m := _COMING_EN.fullmatch(rest)):
        return _dated("plan", me, m["v"] or m["w"], span, "en")
    if side == "past" and (m := _EVENT_EN.fullmatch(rest)):
        return _dated("event", me, m["v"], span, "en") if not _VAGUE_EN.search(m["v"]) else None
    return None
