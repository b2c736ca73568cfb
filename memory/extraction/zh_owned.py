"""<Person>'s <attribute> is, or has become, <value>: 我朋友老王的公司换成华为了, 她的生日是3月5日, 我舅舅性格很开朗.

The nouns are those of the attribute table and of the forms; a noun that only "has changed" waits for the next clause.
"""

from __future__ import annotations

import re

from memory.attributes import ATTRIBUTES
from memory.extraction.pattern import Found, Lazy, Who
from memory.extraction.people import RELATIONS_ZH, alternatives, theirs
from memory.extraction.values import CHECKS, certain_name, person
from memory.extraction.zh_fields import CODES, TEXTS
from memory.extraction.zh_measures import NOUNS

_LABELS: dict[str, str] = {
    **{n: a for n, a in ATTRIBUTES.nouns("zh").items() if a not in RELATIONS_ZH.values() and a not in ("plan", "event", "decision", "note", "date", "place", "duration", "owner", "habit", "eats", "drinks", "smokes", "uses", "owns", "name", "nickname")},
    **TEXTS, **CODES, **NOUNS,
    "性格": "personality", "脾气": "personality", "口头禅": "catchphrase", "座右铭": "motto", "偶像": "idol", "幸运数字": "lucky_number", "梦想": "goal", "目标": "goal", "工作": "occupation", "工作地点": "work_place", "办公室": "office", "收入": "salary", "年级": "education", "成绩": "grades", "血压": "blood_pressure", "发型": "hairstyle", "头发": "hair", "口味": "taste", "新工作": "occupation", "新公司": "employer", "新家": "home", "新电话": "phone", "新号码": "phone", "新邮箱": "email", "新地址": "address",
}  # fmt: skip
_LABELS = {noun: attribute for noun, attribute in _LABELS.items() if attribute not in ("name", "nickname")}
_BY_FOLD = {noun.casefold(): attribute for noun, attribute in _LABELS.items()}
_PEOPLE = {noun: relation for noun, relation in RELATIONS_ZH.items() if relation not in ("pet", "dog", "cat")}
_OWNER = re.compile(
    rf"(?:我(?:们)?(?:家)?的?(?:一个|那个|最好的|大学|高中|前)?)?(?P<rel>{alternatives(_PEOPLE)})(?P<name>(?!的)[一-龥]{{2,3}}?|[A-Z][a-z]+)?的(?!是|时候)"
)
_PRONOUN = re.compile(r"(?:他|她|TA|ta)的?")
_TO = r"(?:已经|现在|目前|刚刚?|最近|又|就|从[^，,]{1,12}?|由[^，,]{1,12}?)*(?:是|叫做?|为|：|:|改成|改为|换成|变成|变为|变更为|更新为|调到|调整到|涨到|升到|加到|降到|减到|跌到|搬到|挪到|提到|增加到|减少到|转到|换到|改到|推到|定在|定为|成)了?"
_SAYS = Lazy(
    rf"(?:新|旧)?(?P<noun>{alternatives(_LABELS)})(?:号码)?(?:{_TO} ?|(?=\d)|(?<=性格)|(?<=脾气))(?P<v>[^，,]{{1,40}}?)(?:了|啦|[。!~ ])*"
)
_CHANGED = Lazy(
    rf"(?:新|旧)?(?P<noun>{alternatives(_LABELS)})(?:号码)?(?:也|又|刚|已经|最近|早就|都)*(?:换|改|变|更新|调整|涨|降|变更|升)(?:过|动)?了[。!~ ]*"
)
_NOW = Lazy(
    r"(?:现在|目前|如今|新的|新号|最新的|以后)*(?:是|为|叫|改成|换成|变成|涨到|降到|到|用)?了? ?(?P<v>[^，,]{1,40}?)(?:了|啦|[。!~ ])*"
)
_BAD = re.compile(r"^(?:什么|多少|谁|哪|怎么|很|不|没|真|太|你|我|他|她|了)|[吗呢?？]")


def owner(view: str, start: int, end: int, me: Who, third: Who | None) -> tuple[Who, int, Found | None] | None:
    """Whose attribute the clause names, where the attribute begins, and the name that it tells by the way."""
    if m := _OWNER.match(view, start, end):
        relation = RELATIONS_ZH[m["rel"].casefold()]
        who = theirs(me, m["rel"], relation, "zh")
        named = m["name"] and (
            certain_name(m["name"], "zh") or (m["name"][0] in "小老阿大" and person(m["name"], "zh"))
        )
        if m["name"] and not named:
            return None
        return who, m.end(), Found(me, relation, m["name"], f"{me.shown}的{m['rel']}叫{m['name']}") if named else None
    if third and (m := _PRONOUN.match(view, start, end)):
        return third, m.end(), None
    return None


def possessed(view: str, text: str, start: int, end: int, who: Who) -> list[Found]:
    """The attribute and its value, as `view[start:end]` says behind its owner."""
    m = _SAYS.fullmatch(view, start, end)
    return _found(m["noun"], text[m.start("v") : m.end("v")], who) if m else []


def changed(view: str, start: int, end: int) -> str | None:
    """The noun of which the clause only says that it has changed."""
    m = _CHANGED.fullmatch(view, start, end)
    return m["noun"] if m else None


def now(view: str, text: str, start: int, end: int, who: Who, noun: str) -> list[Found]:
    """The new value of a noun that the clause before said to have changed."""
    m = _NOW.fullmatch(view, start, end)
    return _found(noun, text[m.start("v") : m.end("v")], who) if m else []


def _found(noun: str, said: str, who: Who) -> list[Found]:
    attribute = _BY_FOLD[noun.casefold()]
    said = said.strip(" 。.!！")
    if _BAD.search(said) and attribute != "personality":
        return []
    kind = ATTRIBUTES.get(attribute).kind
    if kind in ("place", "date"):
        said = said.removeprefix("在")
    value = CHECKS["text" if kind == "date" else kind](said, "zh")
    if value is None or (kind == "date" and not re.search(r"[\d一二三四五六七八九十]", value)):
        return []
    return [Found(who, attribute, value, f"{who.shown}的{noun}是{value}")]
