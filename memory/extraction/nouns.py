"""Statements of the form "X's <noun> is <value>": the nouns are those of `attributes.yaml`, the value must be of its kind.

我的订单号是 #8842, "my order number is A-1029", 张三的经理是李四, 预算改成8000元, "My sister's name is Ann".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from memory.attributes import ATTRIBUTES, Language
from memory.date_parts import Tense
from memory.dates import dates_in
from memory.extraction.pattern import Found, Who
from memory.extraction.people import RELATIONS_EN, RELATIONS_ZH, alternatives, theirs
from memory.extraction.values import CHECKS, ID, certain_name, identifier, person
from memory.extraction.vocabulary import OCCUPATIONS_EN

# Nouns that are verbs, or too plain to be asked "what is X's ...".
_NOT_NOUNS = {"eats", "drinks", "smokes", "habit", "uses", "learning", "owns", "plan", "event", "decision", "note", "language", "intolerance", "skill", "diet", "prefers"}  # fmt: skip
_OF_THINGS = {"place", "date", "duration", "attendance", "deadline", "budget", "price", "owner", "manager", "address"}
"""What anything may have; the other attributes are of people, by their names."""
_BARE = {"budget", "deadline", "height", "weight", "salary", "address", "shoe_size", "blood_type", "email"}


def _nouns(language: Language) -> dict[str, str]:
    return {n: a for n, a in ATTRIBUTES.nouns(language).items() if a not in _NOT_NOUNS}


_NOUNS_ZH, _NOUNS_EN = _nouns("zh"), _nouns("en")
_CHANGE_ZH = r"(?:变更|更改|更新|改|换|变|调整|调|推迟|延期|延后|提前|顺延|增加|提高|加|降低|降|减少|减|涨|升|定)(?:成|为|到|至|在)了?"
_LINK_ZH = rf"(?P<link>(?:现在|目前|已经|应该|就|刚刚?|又|被|已)*(?:(?P<no>不|并不|不再)?(?:是|叫做?|为)|{_CHANGE_ZH}|有|在|[:=：])(?:了|[:：])? ?)"
_CLAUSE_ZH = re.compile(
    rf"(?:(?P<my>(?:我(?:们)?|咱们?)(?:现在|目前|家)?(?:的)?)(?:(?P<rel>{alternatives(RELATIONS_ZH)})(?!(?P=rel))(?:的)?)?"
    rf"|(?P<other>[A-Za-z0-9\u4e00-\u9fff]{{1,12}}?)的|(?P<direct>[A-Za-z0-9\u4e00-\u9fff]{{1,8}}?))?"
    rf"(?:新|旧)?(?P<noun>{alternatives(_NOUNS_ZH)})(?:号码)?(?:{_LINK_ZH}| ?(?=[#№¥$A-Za-z\d一二两三四五六七八九十]))(?P<v>[^，,]{{1,60}})",
    re.IGNORECASE,
)
_NOT_OWNERS_ZH = re.compile(
    r"^(?:他|她|它|你|您|谁|这(?!个)|那|此|我|今|昨|明|上[周个]|下[周个]|每|有|说|问|因为|如果|听)|的|说|问|知道|喜欢|讨厌|是"
)
_STRIP_ZH = re.compile(r"^(?:这个|本|该|咱们?)")
_STATUS_ZH = re.compile(rf"(?P<id>{ID}) ?(?:还|一直|已经|到|没|显示|的(?:快递|包裹|订单)|今天|昨天|卡).*")

_LINK_EN = (
    r"(?P<link>(?: currently| now)?(?:'s| is| are|:| =| will be|(?: has| was| is| have)?(?: been| just| now)? ?(?:changed|moved|increased|raised|reduced|cut|extended|postponed|pushed back|pushed|set|updated) to)"
    r"(?P<no> not|n't| no longer)?(?: now| currently| actually| called| named| only)?:?(?: (?:on|at|in|by))?(?= |#) ?|(?P<called> (?:is |are )?(?:called|named) ))"
)
_CLAUSE_EN = re.compile(
    rf"(?:(?:my|our) (?:(?P<rel>{alternatives(RELATIONS_EN)})'s )?(?P<my>)|(?P<other>(?:the |this )?(?:[\w-]+ ){{0,2}}?[\w-]+)'s |the (?:(?P<direct>[\w-]+(?: [\w-]+)?) )?)?"
    rf"(?:current |new |own |real |actual |full |total |favou?rite )?(?P<noun>{alternatives(_NOUNS_EN)})(?: numbers?| no\.?)?(?:{_LINK_EN}| ?(?=#)| (?=[A-Z]{{0,4}}-?\d))(?P<v>(?:[^,]|,(?=\d)){{1,80}})",
    re.IGNORECASE,
)
_NOT_OWNERS_EN = re.compile(
    r"\b(?:he|she|it|that|there|here|what|who|how|where|when|today|tomorrow|yesterday|this|let|everyone|someone|your|his|her|their)\b",
    re.IGNORECASE,
)
_STATUS_EN = re.compile(
    rf"(?P<id>{ID}) (?:hasn't|has|is|was|still|never|didn't|won't|arrived|shipped|got|isn't|wasn't|from|for)\b.*",
    re.IGNORECASE,
)
_FAVORITE_EN = re.compile(
    r"my (?:all-time )?favou?rite (?P<noun>[a-z]+(?: [a-z]+)?) (?:is|are|has always been|of all time is) (?P<v>[^,]{1,50}?)[ .!]*",
    re.IGNORECASE,
)
_KIN_ZH = re.compile(
    rf"(?P<name>[^，,的]{{2,6}}?)(?:就)?是(?P<owner>我|[^，,的]{{2,4}}的)(?:的)?(?:(?:们?公司|单位|部门|组里?|现在|以前|之前|最好|最要好|从小|小时候|大学|高中|初中|小学|研究生|多年|十几年|合租|隔壁|健身房|老家|那边|时候|认识|多年|一起长大|很好|特别好|最铁|一个|在?[一-龥]{{2,4}}认识)的?){{0,3}}(?:的)?(?P<rel>{alternatives(RELATIONS_ZH)})[。了~! ]*"
)
_KIN_EN = re.compile(
    rf"(?P<name>[A-Z][\w-]+(?: [A-Z][\w-]+)?)(?:'s| is) my (?:(?:new|old|dear|best|good|closest|close|oldest|childhood|college|uni|school|high school|work|former|current|favou?rite|longtime|little|big|older|younger) ){{0,2}}(?P<rel>{alternatives(RELATIONS_EN)})(?: (?:from|at|since|in|and|who|of)\b.*)?[ .!]*"
)
_BIRTHDAY = re.compile(
    r"(?:农历)?(?:(?:19|20)\d\d年)?(?:\d{1,2}|[一二三四五六七八九十]{1,2})月(?:\d{1,2}|[一二三四五六七八九十]{1,3})[日号]?"
)


def nouns(view: str, text: str, start: int, end: int, me: Who, language: Language, at: datetime | None) -> list[Found]:
    """The facts that the clause `view[start:end]` states by a noun of the table; values are as written in `text`."""
    return list(_kin(view, start, end, me, language) or _stated(view, text, start, end, me, language, at))


def _kin(view: str, start: int, end: int, me: Who, language: Language) -> list[Found]:
    """张文博是我的叔叔, "Ann is my sister"."""
    m = (_KIN_ZH if language == "zh" else _KIN_EN).fullmatch(view, start, end)
    name = m and (
        certain_name(m["name"], language) or (m["owner"] == "我" and _a_name(m["name"]))
        if language == "zh"
        else certain_name(m["name"], language)
    )
    if not m or not name:
        return []
    if language == "en":
        attribute = RELATIONS_EN[m["rel"].lower()]
        return [Found(me, attribute, name, f"{me.shown}'s {m['rel'].lower()} is called {name}")]
    owner = me
    if m["owner"] != "我":
        other = certain_name(m["owner"][:-1], "zh")
        if not other:
            return []
        owner = Who(other, other)
    return [Found(owner, RELATIONS_ZH[m["rel"].casefold()], name, f"{owner.shown}的{m['rel']}是{name}")]


def _a_name(said: str) -> str | None:
    """A name of two or three characters that no list knows: 阿哲是我的朋友. Not 他, 这个 or 今天."""
    clean = person(said, "zh")
    return (
        clean
        if clean
        and re.fullmatch(r"[一-龥]{2,3}|[A-Z][a-z]+", clean)
        and not re.search(
            r"^(?:今|昨|明|现|其|大|最|我|你|都|那|这|谁|朋|同|家|只|也|就|真|可|还|全|刚|原|以|狗|猫|老师|医生|对方|楼|隔|前|后|上|下)|[们个里人的]$",
            clean,
        )
        else None
    )


def _stated(
    view: str, text: str, start: int, end: int, me: Who, language: Language, at: datetime | None
) -> Iterator[Found]:
    if language == "en" and (m := _FAVORITE_EN.fullmatch(view, start, end)):
        value = CHECKS["text"](text[m.start("v") : m.end("v")], "en")
        if value:
            noun = m["noun"].lower()
            yield Found(me, f"favorite_{noun.replace(' ', '_')}", value, f"{me.shown}'s favorite {noun} is {value}")
        return
    m = (_CLAUSE_ZH if language == "zh" else _CLAUSE_EN).fullmatch(view, start, end)
    if m is None:
        return
    noun = m["noun"].casefold()
    attribute = (_NOUNS_ZH if language == "zh" else _NOUNS_EN)[noun]
    who = _owner(m, attribute, me, language)
    if who is None:
        return
    # The name of a relation is the value of that relation: (user, sister, Ann), and there may be several.
    named = attribute in ("name", "nickname") and m["rel"]
    if (
        not named
        and language == "en"
        and attribute in RELATIONS_EN.values()
        and re.search(r" (?:at|in|on|by|to|be|been) ?$", m["link"] or "")
    ):
        return  # "my son isn't at home", "my sister moved to Toronto": where, not who
    if named:
        noun = m["rel"].casefold()
        attribute = (RELATIONS_ZH if language == "zh" else RELATIONS_EN)[noun]
        who = me
    value = _value(m, text, attribute, language, at, introduced=bool(named) or _introduces(m, language))
    if value is None:
        return
    verb = _verb(language, negated=bool(m["no"]), called=bool(named) or _introduces(m, language))
    of = "的" if language == "zh" else "'s "
    yield Found(who, attribute, value, f"{who.shown}{of}{noun}{verb}{value}", retract=bool(m["no"]), confidence=0.9)


def _introduces(m: re.Match[str], language: Language) -> bool:
    """Whether the link says "is called" rather than "is"."""
    return (
        "叫" in (m["link"] or "")
        if language == "zh"
        else bool(m["called"]) or "called" in (m["link"] or "") or "named" in (m["link"] or "")
    )


def _verb(language: str, *, negated: bool, called: bool) -> str:
    if language == "zh":
        return ("不" if negated else "") + ("叫" if called else "是")
    return (" is not " if negated else " is ") + ("called " if called else "")


def _owner(m: re.Match[str], attribute: str, me: Who, language: Language) -> Who | None:
    if m["my"] is not None:
        if m["rel"]:
            noun = m["rel"].casefold()
            return theirs(me, noun, (RELATIONS_ZH if language == "zh" else RELATIONS_EN)[noun], language)
        return me
    other = m["other"] or m["direct"]
    if other is None:
        return me if ATTRIBUTES.get(attribute).kind == "id" or attribute in _BARE else None
    if (_NOT_OWNERS_ZH if language == "zh" else _NOT_OWNERS_EN).search(other):
        return None
    other = _STRIP_ZH.sub("", other) if language == "zh" else re.sub(r"^(?:the|this) ", "", other, flags=re.IGNORECASE)
    if attribute not in _OF_THINGS and not certain_name(other, language):
        return None
    if m["direct"] and attribute not in ("deadline", "budget", "date"):
        return None
    return Who(other, other if language == "zh" or other[:1].isupper() else f"The {other}") if other else None


def _value(
    m: re.Match[str], text: str, attribute: str, language: Language, at: datetime | None, *, introduced: bool
) -> str | None:
    """The value as written, when it is of the attribute's kind."""
    kind = ATTRIBUTES.get(attribute).kind
    said = text[m.start("v") : m.end("v")]
    linked = bool(m["link"])
    if kind == "id":
        status = (_STATUS_ZH if language == "zh" else _STATUS_EN).fullmatch(said)
        value = identifier(status["id"] if status else said.rstrip(" 了啊呀哦呢啦"), language)
        return value if value and (linked or m["my"] is not None or "#" in value or len(value) > 3) else None
    if kind == "date":
        return _date(said, attribute, at)
    if not linked and kind != "number":
        return None
    if kind == "name" and attribute not in ("name", "nickname", "surname") and not introduced:
        return certain_name(said, language)
    if kind not in ("place", "date") and (m["link"] or "").strip() == "在":
        return None
    value = CHECKS[kind](said, language)
    if value and language == "en" and kind in ("text", "place"):
        return _plain_en(value, attribute, kind)
    return value


def _plain_en(value: str, attribute: str, kind: str) -> str | None:
    """ "My job is stressful", "my school is far away": an English noun takes more than an adjective to be a fact."""
    if attribute == "occupation":
        value = re.sub(r"^(?:an?|the) ", "", value)
        return value if re.fullmatch(rf"(?:[\w-]+ ){{0,3}}{OCCUPATIONS_EN}", value, re.IGNORECASE) else None
    if attribute in (
        "likes",
        "allergy",
        "gender",
        "pronouns",
        "marital_status",
        "zodiac",
        "blood_type",
        "clothing_size",
    ):
        return value if len(value.split()) <= 5 else None
    return value if (kind == "text" and re.match(r"[A-Z0-9]|the [A-Z]", value)) or re.match(r"[A-Z]", value) else None


def _date(said: str, attribute: str, at: datetime | None) -> str | None:
    said = re.sub(r" (?:now|instead)$", "", said.strip(" .!。了"))
    if attribute == "birthday" and _BIRTHDAY.fullmatch(said):
        return said
    tense: Tense | None = None if attribute == "birthday" else "future"
    spans = dates_in(said, at, tense=tense)
    if len(spans) != 1 or spans[0].words.strip() != said:
        return None
    if attribute != "birthday":
        return spans[0].value
    # A birthday comes every year: of a relative day ("tomorrow") only month and day are kept.
    written = re.search(r"\d", said) is not None
    return said if written or not spans[0].iso else spans[0].iso[5:10]
