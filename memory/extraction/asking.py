"""What people ask of the memory itself: to be reminded of something, or that something be forgotten. Both languages.

"Remind me to pay rent on Friday" is a to-do; "forget my address", 别记我的电话 end all that is known under that noun.
"""

from __future__ import annotations

import re
from datetime import datetime

from memory.attributes import ATTRIBUTES, Language
from memory.dates import dates_in
from memory.extraction.pattern import Found, Lazy, Who
from memory.extraction.people import alternatives

_REMIND_ZH = Lazy(
    r"(?:请|麻烦|记得|到时候?|回头|拜托|能不能|可以|你|您|帮我|务必|千万|一定|要|再|也|顺便|[ ,，])*(?:提醒(?:我一下|我下(?![午周个月班次半])|一下我|下我|我)|(?:叫|喊)我(?=起床|吃药|出门|去|交|开会)|别让我忘了?|(?:帮我)?记(?:一?下|个事儿?|着|个待办|一笔)(?=.{0,12}(?:周|明|后天|号|月|点))|(?:加|记)(?:个|一个|到|进)?(?:待办|日程|提醒)|设(?:个|一个)?(?:提醒|闹钟))[：:，, ]*(?:一下|下)?(?P<v>[^？?]{2,50}?)[。.!~]*(?:吗|好吗|可以吗|哈|啊|哦|吧)?"
)
_REMIND_EN = Lazy(
    r"(?:(?:please|pls|can you|could you|would you|hey|also|and|oh|just|don't forget to|be sure to|make sure to|I need you to) )*(?:remind me|ping me|nudge me|poke me|give me a (?:nudge|shout|reminder|heads[- ]up)|set (?:me )?a reminder|don't let me forget|make sure I(?: don't forget)?|put (?:it )?(?:on|in) my (?:to-?do list|list|calendar)|add (?:it )?to my (?:to-?do list|list|calendar))(?P<when>(?: (?:on|at|by|next|this|tomorrow|tonight|later|in|before|every|for|first)[^,]{0,30}?)?)(?: to| that I (?:need|have) to| I (?:need|have) to| about|:|,)? (?P<v>[^?]{3,80}?)[.!?]*(?: please)?"
)
_NEED = Lazy(
    r"(?:note to self[:,] )?(?:I|we)(?:'ve)? (?:have|got|need|must) ?(?:to|gotta)? (?P<v>[a-z][^?]{3,70}? by [^?]{3,24}?)[ .!]*"
)
_LAST = re.compile(r"(?:,? (?:on|by|at|before|for|this|next|until|around|to))+$", re.IGNORECASE)

_STOP_ZH = r"(?:请|麻烦|帮我|你|您|能不能|可以|那个|就|以后|也|都|先|还是|再|把|将|千万|快|那|给我|请你|[ ,，])*"
_FORGET_ZH = Lazy(
    rf"{_STOP_ZH}(?:别|不要|不用|别再|不许|停止|取消|无需|甭)(?:再)?(?:记|存|保存|记录|保留|留|记住|留着|储存|存着)(?:着|下|了)?(?:我|我们)的?(?P<v>[^，,的了]{{1,8}}?)(?:的?(?:信息|记录))?[了吧啊。! ]*"
    rf"|{_STOP_ZH}(?:忘掉|忘记|忘了|删掉|删除|删了|清除|清空|清掉|抹掉|抹去|移除|去掉|划掉|销毁)(?:你?(?:存|记)的)?(?:关于)?(?:我|我们)的?(?P<w>[^，,的了]{{1,8}}?)(?:的?(?:信息|记录))?[了吧啊。! ]*"
    rf"|(?:请|麻烦|那|能不能|可以|帮我|请你|就)*(?:把|将)(?:你|之前|上次|刚才|以前)*(?:(?:存|记|记住|保存|说|提|讲)(?:过|下)?的)?(?:关于)?(?:我|我们)(?:家|之前(?:说|给)的?|告诉你|给你|那个)?的?(?P<x>[^，,的了我]{{1,8}}?)(?:的?(?:信息|记录))?(?:从[^，,]{{1,8}}里?)?(?:给)?(?:忘掉|忘记|忘了|删掉|删除|删了|删|清除|清掉|抹掉|去掉|划掉|移除|别记|不用记|别存|不要存|别保存|不要保存|不用保存|不要留|别留)(?:着|了|吧|掉|一下|住)*[。! ]*"
)
_FORGET_EN = Lazy(
    r"(?:(?:please|pls|can you|could you|would you|actually|and|also|hey|just|you can|I'd like you to|I want you to|I need you to|go ahead and) )*(?:forget(?: about)?|delete|erase|remove|scrub|wipe|strike|drop|clear|purge|discard|unlearn|get rid of)(?: (?:out|from memory|from my file))?(?: (?:everything|anything|what|whatever|all))?(?: (?:that )?(?:I (?:said|told you|mentioned|shared|gave you)|you (?:know|have|saved|stored|remember|kept))(?: about)?| about| on)? (?:my|our)(?: (?:old|home|saved|stored|current))? (?P<v>[a-z][a-z -]{1,30}?)(?: (?:from|off|out|that|which|please|for|I|you|on|now|altogether|entirely|completely|again)\b.*)?[ .!]*"
    r"|(?:(?:please|actually|and|also|hey|just) )*(?:don't|do not|stop|quit|no need to|never)(?: (?:ever|need to))? (?:keep|keeping|store|storing|save|saving|remember|remembering|hold|holding|record|recording|hang|hanging)(?: on to| onto)? (?:my|our)(?: (?:old|home|current))? (?P<w>[a-z][a-z -]{1,30}?)(?: (?:on|in|from|any|please|for|anymore|around|at)\b.*)?[ .!]*"
)
_OTHER_NOUNS: dict[Language, dict[str, str]] = {
    "zh": {"收入": "salary", "薪资": "salary", "住址": "address", "家": "home", "住的地方": "home", "城市": "home", "体重": "weight", "生日": "birthday", "过敏": "allergy", "病": "health", "病情": "health", "健康": "health", "宠物": "pet", "手机": "phone", "联系方式": "phone", "真名": "name", "感情状况": "marital_status", "密码": "password", "门牌号": "house_number", "门牌": "house_number", "身份证": "id_number", "住处": "home", "工作单位": "employer", "属相": "zodiac", "忌口": "eats", "孩子": "child", "感情": "marital_status", "前任": "ex", "存款": "savings", "护照": "passport_number", "车牌": "plate_number", "饮食偏好": "diet", "口味": "likes"},
    "en": {"pay": "salary", "income": "salary", "location": "home", "house": "home", "where i live": "home", "health": "health", "health stuff": "health", "diagnosis": "health", "real name": "name", "bank details": "bank_account_number", "password": "password", "pets": "pet", "kids": "child", "relationship status": "marital_status", "mobile": "phone", "contact details": "contact", "religion": "religion"},
}  # fmt: skip


def asked(view: str, text: str, start: int, end: int, me: Who, language: Language, at: datetime | None) -> list[Found]:
    """The to-do or the retraction that `view[start:end]` asks for; nothing when it asks for neither."""
    if slot := _forgotten(view, start, end, language):
        said = f"不再记{me.shown}的{{}}" if language == "zh" else f"{me.shown}'s {{}} is to be forgotten"
        return [Found(me, slot, None, said.format(ATTRIBUTES.label(slot, language)), retract=True)]
    m = (_REMIND_ZH if language == "zh" else _REMIND_EN).fullmatch(view, start, end)
    if m is None and language == "en":
        m = _NEED.fullmatch(view, start, end)
    if m is None or "\ufffc" in m["v"]:
        return []
    value, when = _without_dates(text[m.start("v") : m.end("v")], language), None
    dates = dates_in(view[start:end], at, tense="future")
    if len(dates) == 1:
        when = dates[0].value
    if len(value) < 2 or (language == "en" and re.match(r"(?:it|that|this|me|when|how|what|why|of)\b", value)):
        return []
    shown = f"（{when}）" if when and language == "zh" else f" ({when})" if when else ""
    lead = "待办：" if language == "zh" else "To do: "
    return [Found(me, "todo", value, f"{lead}{value}{shown}", occurred_at=when)]


def _without_dates(value: str, language: str) -> str:
    """What is to be done, without the words that say when."""
    spans = dates_in(value, None, tense="future")
    for span in reversed(spans):
        value = value[: span.start] + value[span.end :]
    if language == "zh":
        value = re.sub(r"^(?:之前|以前|前|的时候|[，,：: ]|要|得|记得|去|该)+(?!后)", "", value)
        return value.strip(" ，,。.!！")
    value = re.sub(r"^(?:on|at|by|to|that|about|I (?:need|have) to)\b ?", "", value.strip(" ,.!"), flags=re.IGNORECASE)
    return _LAST.sub("", re.sub(r"\s+", " ", value)).strip(" ,.!")


def _forgotten(view: str, start: int, end: int, language: Language) -> str | None:
    m = (_FORGET_ZH if language == "zh" else _FORGET_EN).fullmatch(view, start, end)
    if m is None:
        return None
    noun = next(v for v in m.groupdict().values() if v).casefold().strip()
    table = {**ATTRIBUTES.nouns(language), **_OTHER_NOUNS[language]}
    return table.get(noun) or table.get(noun.removesuffix("号") if language == "zh" else noun.removesuffix("s"))


NOUN_AT_END = Lazy(
    rf".*?(?P<noun>{alternatives({n: a for n, a in ATTRIBUTES.nouns('zh').items() if ATTRIBUTES.get(a).kind in ('id', 'number') and a != 'age'})})(?:是|：|发你了?|给你)?$"
    rf"|.*?\b(?:my|our|the|his|her) (?:new |old )?(?P<en>{alternatives({n: a for n, a in ATTRIBUTES.nouns('en').items() if ATTRIBUTES.get(a).kind in ('id', 'number') and a != 'age'})})(?: number)?$"
)
"""A clause that ends with the noun of a number, which the next clause may give."""
