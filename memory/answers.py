"""Whom a question is about and what it asks of them, and which texts tell just that. Rules for Chinese and English.

"Where does my cousin work?" asks the work place of a cousin: what tells where somebody works, and what tells of a
cousin, bears on it, though it may have no word of the question but one. What this does not do: it reads no value, and
nothing that is about somebody called by name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memory.attributes import ATTRIBUTES
from memory.extraction.pattern import Lazy
from memory.extraction.people import RELATIONS_EN, RELATIONS_ZH, alternatives
from memory.extraction.vocabulary import OCCUPATIONS_EN, OCCUPATIONS_ZH, TRADES_ZH
from memory.record import Memory

_CALLINGS = frozenset({"doctor", "teacher", "assistant", "owner", "manager", "landlord"})
"""Relations whose nouns are also what somebody is: his only where the text says whose."""

_FREE = {n: r for n, r in RELATIONS_ZH.items() if len(n) > 1 and r not in _CALLINGS and n not in ("先生", "对象")}
_PERSON_ZH = Lazy(
    rf"(?:(?:我|咱|俺|他|她)(?:们)?(?:家)?的?(?P<own>{alternatives(RELATIONS_ZH)})|(?P<free>{alternatives(_FREE)}))(?!们)"
)
_PERSON_EN = Lazy(
    rf"(?:\b(?:my|our|his|her|their|your)|'s) (?:[a-z-]+ ){{0,1}}?(?P<own>{alternatives(RELATIONS_EN)})(?![a-z-])"
)


@lru_cache(maxsize=16_384)
def people_in(text: str) -> frozenset[str]:
    """The relations of those whom a text tells of: `father` for 我爸爸 and for "my dad"."""
    found = {RELATIONS_ZH[(m["own"] or m["free"]).casefold()] for m in _PERSON_ZH.pattern.finditer(text)}
    return frozenset(found | {RELATIONS_EN[m["own"].casefold()] for m in _PERSON_EN.pattern.finditer(text)})


_OWN_ZH = Lazy(
    rf"(?<![给跟和与为替送陪对带帮向])(?:我(?:们)?(?:家)?的?(?P<own>{alternatives(RELATIONS_ZH)})|(?<![的他她你])(?P<free>{alternatives(_FREE)}))(?!们)"
)
_OWN_EN = Lazy(
    rf"(?<!for )(?<!to )(?<!with )(?<!about )(?<!from )(?<!by )\b(?:my|our) (?:[a-z-]+ )??(?P<own>{alternatives(RELATIONS_EN)})(?![a-z-])"
)


def _asked_of(sentence: str) -> frozenset[str]:
    """The relations of those of the speaker's own of whom a sentence asks: not whom something is for or about."""
    found = {RELATIONS_ZH[(m["own"] or m["free"]).casefold()] for m in _OWN_ZH.pattern.finditer(sentence)}
    return frozenset(found | {RELATIONS_EN[m["own"].casefold()] for m in _OWN_EN.pattern.finditer(sentence)})


@dataclass(frozen=True, eq=False)
class _Topic:
    """What can be asked of somebody: the attributes that tell it, what asks for it, and what the telling looks like."""

    attributes: frozenset[str]
    asks: Lazy
    tells: Lazy


def _topic(attributes: str, asks: str = "(?!)", tells: str = "(?!)") -> _Topic:
    """The nouns of the attributes ask for it and tell it as well."""
    names = frozenset(attributes.split())
    zh = alternatives({n: a for n, a in ATTRIBUTES.nouns("zh").items() if a in names})
    told = alternatives({n: a for n, a in ATTRIBUTES.nouns("zh").items() if a in names and n != "工作"})
    en = alternatives({n: a for n, a in ATTRIBUTES.nouns("en").items() if a in names})
    en = rf"\b(?:{en})\b" if en else ""
    return _Topic(names, Lazy("|".join(filter(None, (asks, zh, en)))), Lazy("|".join(filter(None, (tells, told, en)))))


_SENTENCE = re.compile(r"[^。！？!?；;\n]+[！？!?]?")
_WHERE = r"(?:在|是|到)?(?:哪里|哪儿|哪个?|什么地方|啥地方)"
_TOPICS = (
    _topic("height", r"多高|个子|\bhow tall\b", r"个子|个头|\d ?(?:cm|厘米|公分)|[一1]米|\btall\b"),
    _topic("weight", r"多重|\bhow (?:heavy|much does .* weigh)\b", r"公斤|千克|\d斤|\bweighs?\b|\d ?kg\b"),
    _topic("age birth_year", r"多大|几岁|年纪|岁数|\bhow old\b", r"岁|年纪|\byears? old\b|\bturn(?:s|ed|ing)? \d"),
    _topic("birthday", r"哪天(?:出?生)|何时出生|\bwhen (?:was|were|is) .* born\b", r"出生|\bborn\b"),
    _topic(
        "hometown birthplace",
        rf"(?:哪里|哪儿|哪|什么地方)的?人|{_WHERE}(?:出生|长大)|从哪里?来|\bwhere (?:is|are|was|were|'s|does|do|did) .*(?:from|born|grow up)\b",
        r"[一-龥]{2}人(?![一-龥])|长大|出生|来自|\b(?:from|born|grew up|raised) (?:in )?(?-i:[A-Z])",
    ),
    _topic(
        "home address",
        r"住(?:在)?(?:哪|什么|啥)|\bwhere (?:is|are|does|do|did) .*(?:live|living|based)\b",
        r"住|搬|定居|\bliv(?:e|es|ing) (?:in|at|near)\b|\bmoved? (?:to|into|back)\b",
    ),
    _topic(
        "work_place",
        rf"{_WHERE}(?:上班|工作|就职|任职)|(?:上班|工作|任职)的?地|\bwhere (?:does|do|did|is|are) .*work|\boffice\b",
        r"调到|派到|办公室|\boffice\b|\b(?:transferred|posted|relocated) to\b|上班|工作的地方|在[^，,。]{2,12}(?:工作|任职|就职)|\bwork(?:s|ing)? (?:in|at|for|out of)\b|\bjoin(?:ed|ing)\b",
    ),
    _topic(
        "employer",
        r"(?:上班|工作|任职)的?(?:公司|单位)|哪[个家](?:公司|单位)(?:上班|工作|任职)?|\bwho (?:does|do|did) .* work for\b",
        r"入职|跳槽|任职|就职|\bwork(?:s|ing)? (?:at|for)\b|\bjoin(?:ed|ing)\b",
    ),
    _topic(
        "occupation",
        r"(?:做|干)(?:些|点)?(?:什么|啥|嘛|哪行)(?:工作|的|职业)|(?:什么|啥)(?:工作|职业|职位)|\bdo(?:es)? for (?:a living|work)\b|\bwhat (?:is|'s|are) .* job\b|\bwhat do(?:es)? (?:(?!like|love|enjoy|want|plan|need|usually)[\w']+ ){1,5}do\?",
        rf"工作(?:就)?(?:是|为|换|变|改|[:：])|的工作|(?:做|当|是|任|干)[^，,。]{{0,8}}{OCCUPATIONS_ZH}|{TRADES_ZH}|\b(?:an?|as) (?:[a-z-]+ )?{OCCUPATIONS_EN}\b",
    ),
    _topic(
        "education school major",
        r"毕业|文凭|读的?(?:什么|啥|哪)|\b(?:studied|study|graduate)\b",
        r"毕业|本科|硕士|博士|研究生|大专|专科|中专|高中|初中|小学|文凭|念|读到|\bgraduat|\bbachelor|\bmaster'?s\b|\bph\.?d\b|\bdiploma\b|\bstud(?:y|ies|ied|ying)\b",
    ),
    _topic(
        "likes",
        r"喜欢|爱(?:做|干|吃|看|玩|好)|\b(?:like|likes|enjoy|into)\b",
        r"喜欢|爱(?:做|干|吃|喝|看|听|玩|好|上)|热爱|迷上|\b(?:likes?|loves?|enjoys?|into|fond of|keen on)\b",
    ),
    _topic(
        "language native_language learning",
        r"学(?:什么|啥|哪)|哪[种国门]?语言?|\bwhat language|\bwhich language|\blearning\b",
        r"在学|学习|会说|[一-龥]语|\b(?:learn(?:s|ing)?|speaks?)\b",
    ),
    _topic("car owns", r"(?:什么|啥|哪)(?:牌子的?)?车|\bdriv(?:e|es|ing)\b|\bcar\b", r"开的?是|换车|车(?:是|换|改)|辆|\bdriv(?:e|es|ing)\b|\bcar\b"),
    _topic("phone", r"\bnumber\b", r"\[PHONE\]|号码"),
    _topic("email", r"邮件地址", r"\[EMAIL\]"),
    _topic("marital_status", r"结婚|单身|\b(?:married|single)\b", r"结婚|离婚|单身|已婚|未婚|\b(?:married|divorced|single)\b"),
    _topic("allergy", r"过敏|\ballergic\b", r"过敏|\ballergic\b"),
    _topic("personality", r"性格|脾气|\bpersonality\b|\bwhat is .* like\?", r"性格|脾气|\bpersonality\b"),
    *map(_topic, ("nationality", "zodiac", "department", "salary", "blood_type", "shoe_size", "clothing_size", "diet", "wechat", "qq")),
)


@dataclass(frozen=True)
class Wanted:
    """What one sentence asks: which topics, and of whom (relations, as in `people_in`)."""

    people: frozenset[str]
    topics: tuple[_Topic, ...]


@lru_cache(maxsize=512)
def wanted(question: str) -> tuple[Wanted, ...]:
    """What each sentence of a question asks of somebody; no topics where it is none of what people are often asked."""
    read = (Wanted(_asked_of(one), _asked(one)) for one in _SENTENCE.findall(question))
    return tuple(one for one in read if one.people)


def _asked(sentence: str) -> tuple[_Topic, ...]:
    """The topics asked for. The longer words count: 工作 asks for an occupation, but not inside 在哪儿工作."""
    spans = [(topic, *m.span()) for topic in _TOPICS for m in topic.asks.pattern.finditer(sentence)]
    longest = (
        topic for topic, start, end in spans if not any(a <= start and end <= b and b - a > end - start for _, a, b in spans)
    )
    return tuple(dict.fromkeys(longest))


def tells(memory: Memory, topics: tuple[_Topic, ...]) -> bool:
    """Whether a memory tells anything of these topics."""
    if memory.kind == "fact" and any(memory.attribute in topic.attributes for topic in topics):
        return True
    return any(topic.tells.pattern.search(memory.text) for topic in topics)
