"""How a Chinese clause may be taken apart: what is in front of 的是 ("who is allergic is my nephew"), two verbs in a row,
what was once and still counts, and whom 老周跟我认识十年了 brings in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.extraction.pattern import Found, Lazy, Who
from memory.extraction.people import RELATIONS_ZH, alternatives, theirs
from memory.extraction.values import certain_name, person, place
from memory.extraction.zh_words import N

_CLEFT = Lazy(
    rf"(?P<p>[^，,是]{{2,20}}?)的(?:人|那个)?(?:就|才|应该)?是(?P<s>我(?:们)?|(?:我|我家|我们)?的?(?P<noun>{alternatives(RELATIONS_ZH)}))[。!~ 啊哦了]*"
)
_SERIAL = re.compile(
    r"(?<=[一-龥A-Za-z\d])(?<![不没])(?:(?=从事|担任|负责|养了|住在|并且|而且|但是?(?!愿|凡)|还会|还有|也会|也是|也在|就是|不喝|不抽|顺便|目前|现在在|主要)|(?<=[一-龥]{2}[年月])(?=做|当|在|住|学|干|教|开))"
)
UNDECIDED = re.compile(r"(?:也|都)?(?:还)?没(?:想好|想清楚|定|决定|谱|准)|犹豫|再说|拿不定")
_LINK = re.compile(r"(?:并且|而且|但是?|就是|顺便)+")
_HOLDS = re.compile(r"(?:学|练|考|教|拿)过|考了|考过|考到|做过.{0,8}手术|动过.{0,8}手术|得过|患过")
_ONCE = Lazy(
    rf"(?:我)?(?:[^，,你他她我]{{0,10}}?(?:以前|曾经|曾|当年|早年|年轻时候?|年轻那会儿|那会儿|那阵儿?|那阵子|那几年|的时候|时候|那时候?|从前|(?:大学|高中|初中|小学|上学|读书|年轻)(?:时期?|时候)?|之前|刚毕业))+(?:我|也|还|就|是|曾|曾经|都)*(?P<v>(?!我|没|不|觉得|想|知道|听|认为|以为)[^，,你他她]{{0,16}}?(?:过(?!年|来|去|日子|节|生日|得|敏|程|夜)|了(?:快|整整|将近|大概|差不多)?{N}(?:多|来)?(?:年|个月|届|学期))[^，,你他她]{{0,12}}?)[。!~ 了啊哦的呢吧]*"
)
_KNOWS = Lazy(
    r"(?P<n>[一-龥]{2,3}|[A-Z][a-z]+)(?:这(?:个)?人)?(?:跟|和|与)我(?:是|也是|都是|属于)?(?:老?(?:认识|相识|相交|做了|当了|处了|打小|从小|同窗|同寝|同班|同校|一起长大|一块儿?长大|铁哥们|发小|好朋友|好哥们|老?朋友|老?相识|拜把子|大学室友|穿一条裤子)).*"
)


_MENTION = re.compile(
    rf"我(?:们)?(?:家)?的?(?P<noun>{alternatives({n: a for n, a in RELATIONS_ZH.items() if len(n) > 1 or a not in ('pet', 'dog', 'cat')})})(?!们|友)"
)
_DENIED_TAIL = Lazy(r"(?P<a>[^，,]*?(?:是|在|叫|住|属|用)[^，,]{1,16}?)[，, ]?(?:而|并|可)?不是[^，,是]{1,12}")
_DAY_ALONE = Lazy(
    r"(?:就是|就在|是|在)?(?P<v>(?:农历|阴历|阳历)?(?:\d{1,2}|[一二三四五六七八九十]{1,2}|正|冬|腊)月(?:初|廿)?(?:\d{1,2}|[一二三四五六七八九十廿]{1,3})[日号]?)[。!~ 啊哦]*"
)
_MY_BIRTHDAY = re.compile(
    r"(?:是|到|过|为)我(?:的)?[^，,你他她]{0,6}生日(?:了|啦)?$|^我(?:的)?(?:下个?月|下周|这个?月|快)?(?:就)?(?:要|快)?(?:过)?生日(?:快到|要到|到)?(?:了|啦)?$"
)


def mentioned(view: str, start: int, end: int, me: Who) -> Who | None:
    """The last of one's people that the clause names: 刚才跟我哥视频."""
    last = None
    for m in _MENTION.finditer(view, start, end):
        last = theirs(me, m["noun"], RELATIONS_ZH[m["noun"].casefold()], "zh")
    return last


def affirmed_end(view: str, start: int, end: int) -> int | None:
    """Where the affirmed part of "I am at A, not at B" ends."""
    m = _DENIED_TAIL.fullmatch(view, start, end)
    return m.end("a") if m else None


def birthday(view: str, before: str, start: int, end: int, me: Who) -> list[Found]:
    """A day alone behind a clause that ended with one's birthday."""
    m = _DAY_ALONE.fullmatch(view, start, end) if _MY_BIRTHDAY.search(before) else None
    return [Found(me, "birthday", m["v"], f"{me.shown}的生日是{m['v']}")] if m else []


_PERSON_ALONE = Lazy(
    rf"(?:我)?(?:们)?(?:家)?(?:有)?(?:的)?(?:一?个|那个|最好的)?(?P<noun>{alternatives({n: a for n, a in RELATIONS_ZH.items() if len(n) > 1})})(?P<name>[一-龥]{{2,3}}|[A-Z][a-z]+)"
)
_NOT_A_NAME = re.compile(
    r"^(?:叫|姓|都|也|们|是|在|的|今|现|去|最|来|说|要|不|没|很|真|又|刚|已|一|这|那|人)|[们的了是在]$"
)
_SETTLED = re.compile(
    r"租了|合租|住一块|住一起|一起住|一块儿?住|租的|买了.{0,6}房|搬家|搬了|新家|搬出来|租房|落户|安家"
)
_AT_PLACE = Lazy(r"(?:就)?(?:在|位于)(?P<v>[^，,了着的我你]{2,8}?)(?:那边|这边|附近|那块儿?)?[。!~ 啊哦]*")


def person_alone(view: str, start: int, end: int, me: Who) -> tuple[Who, Found] | None:
    """我室友小阮，: somebody by relation and name, about whom the next clauses speak."""
    m = _PERSON_ALONE.fullmatch(view, start, end)
    if (
        m is None
        or not re.match(r"[小老阿大A-Z]", (certain_name(m["name"], "zh") and "A") or m["name"])
        or _NOT_A_NAME.search(m["name"])
    ):
        return None
    relation = RELATIONS_ZH[m["noun"].casefold()]
    return theirs(me, m["noun"], relation, "zh"), Found(
        me, relation, m["name"], f"{me.shown}的{m['noun']}叫{m['name']}"
    )


def settled(view: str, before: str, start: int, end: int, me: Who) -> list[Found]:
    """A place alone behind a clause that told of a new flat: 自己租了个一居，在北苑."""
    m = _AT_PLACE.fullmatch(view, start, end) if _SETTLED.search(before) else None
    value = place(m["v"], "zh") if m else None
    return [Found(me, "home", value, f"{me.shown}住在{value}")] if value else []


_BROUGHT = Lazy(
    rf"(?:我)?(?:们)?(?:还|也|现在|已经|家里?|刚)*(?:有|交了?|谈了?|找了?|认识了?|带了?)(?:了)?(?:个|位)?(?:[一-龥]{{0,4}}的)?(?P<noun>{alternatives({n: a for n, a in RELATIONS_ZH.items() if len(n) > 1})})[了啦。!~ ]*|我(?:们)?(?:家)?的?(?P<alone>{alternatives(RELATIONS_ZH)})(?:呢|嘛|啊)?"
)


def newcomer(view: str, start: int, end: int, me: Who) -> Who | None:
    """Whom a clause brings in without a name: 我有男朋友了，叫阿泽."""
    m = _BROUGHT.fullmatch(view, start, end)
    noun = (m["noun"] or m["alone"]) if m else None
    return theirs(me, noun, RELATIONS_ZH[noun.casefold()], "zh") if noun else None


def cleft(view: str, start: int, end: int, me: Who) -> tuple[Who, int, int] | None:
    """Who is meant, and the bounds of what is said of them: 对花生过敏|的是我侄子."""
    m = _CLEFT.fullmatch(view, start, end)
    if m is None:
        return None
    return (theirs(me, m["noun"], RELATIONS_ZH[m["noun"].casefold()], "zh") if m["noun"] else me), m.start(), m.end("p")


def serial(view: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where a clause may be two: the end of the first, and the start of the second."""
    for m in _SERIAL.finditer(view, start, end):
        if start + 2 < m.start() < end - 2:
            link = _LINK.match(view, m.end(), end)
            yield m.start(), link.end() if link else m.end()


def still_holds(said: str) -> bool:
    """Whether something of the past still tells what somebody can or has: 以前学过手语."""
    return _HOLDS.search(said) is not None


def once(view: str, text: str, start: int, end: int, me: Who) -> list[Found]:
    """What somebody did or was at a time: 当年我在横店跑过两年龙套."""
    m = _ONCE.fullmatch(view, start, end)
    if m is None or len(m["v"]) < 4:
        return []
    value = text[m.start("v") : m.end("v")]
    return [Found(me, "event", value, f"{me.shown}以前{value}", confidence=0.8)]


def friend(view: str, start: int, end: int, me: Who) -> list[Found]:
    """老周跟我认识二十年了: a friend by name."""
    m = _KNOWS.fullmatch(view, start, end)
    name = person(m["n"], "zh") if m else None
    if not name or re.search(r"^(?:他|她|你|我|这|那|谁|都|其|大家|老师|老板|人家)|[们的]", name):
        return []
    return [Found(me, "friend", name, f"{me.shown}的朋友{name}")]
