"""Plans and events of Chinese clauses with one date, by what is left of the clause: any verb will do, feelings, weather and
passing states will not."""

from __future__ import annotations

import re

from memory.date_parts import Tense
from memory.dates import DateSpan
from memory.extraction.pattern import Who
from memory.extraction.people import subject_zh
from memory.extraction.values import certain_name

_NO = re.compile(
    r"天气|下雨|下雪|降温|台风|高温|多云|晴|阴天|停电|停水|堵车|涨价|没|失眠|难受|疼|痛|困|累|好烦|忙|睡|很|太|真的|真是|好像|好[热冷累困饿难]|觉得|知道|想|吗|呢|谁|什么|怎么|哪|你|他们|她们|据|估计|可能|也许|应该|会不会|大家|人们|新闻|股|油价|房价|再说|看情况|不[^锈]|别|是[^我]|有点|差点|饿|渴|疯|爽|笑死|哭|梦|迟到|加班到|熬|通宵|开心|难过|生气|吵架"
)
_VERB = re.compile(
    r"[去来回到飞赴往见看考交做办搬买卖参签约聚请陪接送拿取修打跑游爬滑拍学教讲写报试检诊术差婚证辩演赛餐牙针展课出启登续缴还领换装寄退订抢练开拆验提缴旅行宴体面复聚进升种植养生满收发带用吃喝唱露团钓租骑住入离毕退拔动播录投评汇培过户产假婚祭扫贺祝庆]"
)
_WILL = re.compile(
    r"^(?:我们班|我们公司|我们组|这时候|就该|该|才|我们部门|我们学校|我们全家|我们一家|我们|全家|一家人|我|就|要|得|会|准备|打算|计划|将|将要|需要|必须|还要|还得|也要|应该|约了?|约好了?|和[^，,]{1,6}?约好?了?|跟[^，,]{1,6}?约好?了?|约着|说好了?|定好了?|都|正好|刚好|我得|我要|我就|之前|前|的|有(?:个|一个|一场|场|节|次))+"
)
_DID = re.compile(
    r"^(?:我们班|我们公司|我们|全家|一家人|我|刚刚?|才|就|终于|总算|已经|还|也|正式|第一次|又|都|竟然|居然)+"
)
_SET = re.compile(
    r"(?P<x>[^，,的我你他]{2,8}?)(?:时间)?(?:就|已经|又|给|被)?(?:约|定|安排|排|改|挪|推迟|提前|延|放|订|改期|调整?|拖|顺延|敲定|预约|报|选|挂)(?:好|了|期)*(?:在|到|至|成|的|的是|于)+(?:了)?"
)


def general(said: str, span: DateSpan, me: Who, side: Tense | None) -> tuple[str, Who, str] | None:
    """Attribute, subject and value of what the clause says of its one date; None when it is nothing to keep.

    `side` is the side of now on which the date lies, None for today and for a date that may be either.
    """
    before, after = said[: span.start].strip(" ，,"), said[span.end :].strip(" ，,")
    if side != "past" and not before and re.fullmatch(r"(?:就|才|要)*(?:到期|过期|失效|截止)(?:了)?", after):
        return "deadline", me, span.value
    if (
        side != "past"
        and not after.strip("。.!了")
        and re.fullmatch(r"[^，,你]{1,8}?(?:截止|截至|最晚|最迟)(?:日期|时间)?(?:到|是|在|于)*", before)
    ):
        return "deadline", me, span.value
    if before and (m := _SET.fullmatch(before)) and side != "past" and not _NO.search(before):
        return ("plan", me, m["x"]) if len(after) <= 12 and not re.search(r"[吗呢?？]", after) else None
    who, rest = me, after
    if before:
        subject = subject_zh(said, 0, span.start, me)
        lead = said[subject.rest : span.start].strip(" ，,") if subject else before
        if subject:
            who = subject.who
        if lead and not re.fullmatch(
            r"(?:在|就|要|会|将|得|打算|准备|计划|还|也|都|和[^，,]{1,6}|跟[^，,]{1,6}|(?:订|买|抢|定|约|预约|预订|挂|排)(?:了|好了?|到了?|的)*)+",
            lead,
        ):
            topic = re.fullmatch(r"(?:我们?的?)?(?P<x>[一-龥A-Za-z]{2,8}?)(?:要|得|会|将|在|就|于)*", lead)
            if topic is None or _NO.search(lead) or len(after) > 8 or not after or side == "past":
                return None
            if re.search(r"了|过", after) or certain_name(topic["x"], "zh"):
                return None  # what somebody else did
            rest = topic["x"] + after
    elif subject := subject_zh(said, span.end, len(said), me):
        who, rest = subject.who, said[subject.rest :].strip(" ，,")
    rest = rest.strip(" 。.!~啊哦哈咯啦")
    if side != "past":
        value = _WILL.sub("", rest)
        will = value != rest or side == "future"
        value = re.sub(r"(?:了|的)$", "", value)
        if will and 2 <= len(value) <= 24 and _VERB.search(value) and not _NO.search(value) and "了" not in value[:-1]:
            return "plan", who, value
        if side == "future":
            return None
    if side == "past" or re.search(r"了|过", rest):
        value = _DID.sub("", rest)
        done = re.search(r"了|过|的.|完|成|到|上", value)
        if done and 3 <= len(value) <= 28 and _VERB.search(value) and not _NO.search(value):
            return "event", who, value
    return None
