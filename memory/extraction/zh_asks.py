"""What Chinese speakers ask of the one they talk with, for good: how to answer them, what not to forget, what to drop."""

from __future__ import annotations

import re
from datetime import datetime

from memory.dates import dates_in
from memory.extraction.pattern import Found, Lazy, Who

_ALWAYS = Lazy(
    r"(?:请|麻烦|希望你|拜托)?(?:以后|今后|往后|从现在起|从今往后|从今天起|之后|下次起|日后)(?:你|您|请|都|再|我们)*(?=.{0,12}(?:回|答|说|讲|写|解释|列|用|发|称呼|举例|总结|输出|翻译|讨论|聊|给我|建议|推荐))(?!.{0,6}(?:叫|喊|称呼)我)(?P<v>.{3,40})"
    r"|(?:请)?(?:给我的?|你的?)?(?:回答|回复|答复|跟我说话|和我说话|解释|总结|写代码|给我推荐)(?:我)?(?:的?时候|问题时|东西时|时)?(?:请|尽量|都|就|一律|记得)+(?P<w>(?:用|别|不要|简|短|直|详|少|多|先|带|分|控制|不超|口语|中文|英文).{1,40})"
)
_UNWANTED = re.compile(r"(?:你|请|再|跟我说话|和我说话|回答我?|回复我?|说话)*(?:别|不要|不用|少|不许|不必)")
_SENTENCE = re.compile(r"[。！？!?；;\n]")
_LISTED = Lazy(r"(?:待办|备忘录|日程|TODO|todo|To-do)(?:事项)?[:：] ?(?P<v>[^，,？?]{2,40}?)[。.!]*")
_TODO = Lazy(
    r"(?P<d>[^，,]{1,12}?)(?:你|您)?(?:可)?(?:千万|一定|要|得|务必|帮我)*(?:别忘了?|不要忘了?|记得|记着|别落下)(?:要|得|去)?(?P<v>[^，,？?]{2,40}?)[。.!~咯哦啊哈了]*"
)
DROP = Lazy(
    r"(?:请|麻烦|那|能不能|可以|帮我|请你|就|你|顺便|还是)*(?:把|将)(?:我)?(?:之前|刚才|上次|昨天)?(?:说的?|讲的?|提的?|关于)?(?:我)?(?P<v>[^，,]{1,16}?)(?:那条|这条|那句|这句|那个|这个|的事儿?|的信息|的记录|的记忆|那事儿?|这件事|那段|那部分)(?:记忆|信息|记录)?(?:给)?(?:删|忘|抹|撤|去|清|划|移除|删除)(?:了|掉|回|去|除)*(?:吧|啊|哈)?[。! ]*"
)
"""把我属兔那条删了吧: a statement to be taken back."""


def preference(view: str, text: str, start: int, end: int, me: Who) -> list[Found]:
    """How to answer from now on, to the end of the sentence."""
    stop = _SENTENCE.search(view, start)
    last = min(stop.start() if stop else len(view), start + 80)
    m = _ALWAYS.fullmatch(view, start, max(end, last))
    if m is None:
        return []
    group = "v" if m["v"] else "w"
    value = text[m.start(group) : m.end(group)].strip(" ，,。.!！了")
    if "\ufffc" in m[group] or len(value) > 60:
        return []
    parts = [part.strip(" 了") for part in re.split(r"[，,]", value)]
    wanted = [part for part in parts if not _UNWANTED.match(part)] or parts
    value = "，".join(wanted)
    return [Found(me, "prefers", value, f"{me.shown}希望：{value}", confidence=0.85)]


def todo(view: str, text: str, start: int, end: int, me: Who, at: datetime | None) -> list[Found]:
    """后天别忘了交停车费: a to-do whose day stands first."""
    if listed := _LISTED.fullmatch(view, start, end):
        value = text[listed.start("v") : listed.end("v")]
        days = dates_in(value, at, tense="future")
        return [Found(me, "todo", value, f"待办：{value}", occurred_at=days[0].value if len(days) == 1 else None)]
    m = _TODO.fullmatch(view, start, end)
    if m is None or "\ufffc" in m["v"] or re.search(r"[你吗]|什么|怎么", m["v"]):
        return []
    dates = dates_in(m["d"], at, tense="future")
    if len(dates) != 1:
        return []
    value = text[m.start("v") : m.end("v")].strip()
    when = dates[0].value
    return [Found(me, "todo", value, f"待办：{value}（{when}）", occurred_at=when)]
