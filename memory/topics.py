"""What people ask of one another's people, and how the answer to it is told. Patterns for Chinese and English, data only.

Each topic has the attributes that answer it, whose nouns ask for it and tell it; and the words that do so besides. What
this does not do: it reads no value; `memory.extraction` does.
"""

from __future__ import annotations

from dataclasses import dataclass

from memory.attributes import ATTRIBUTES
from memory.extraction.pattern import Lazy
from memory.extraction.people import alternatives
from memory.extraction.vocabulary import OCCUPATIONS_EN, OCCUPATIONS_ZH, TRADES_ZH


@dataclass(frozen=True, eq=False)
class Topic:
    """What can be asked of somebody: the attributes that tell it, what asks for it, and what the telling looks like."""

    attributes: frozenset[str]
    asks: Lazy
    tells: Lazy


def _topic(attributes: str, asks: str = "(?!)", tells: str = "(?!)") -> Topic:
    """The nouns of the attributes ask for it and tell it as well."""
    names = frozenset(attributes.split())
    zh = alternatives({n: a for n, a in ATTRIBUTES.nouns("zh").items() if a in names})
    told = alternatives({n: a for n, a in ATTRIBUTES.nouns("zh").items() if a in names and n != "工作"})
    en = alternatives({n: a for n, a in ATTRIBUTES.nouns("en").items() if a in names})
    en = rf"\b(?:{en})\b" if en else ""
    return Topic(names, Lazy("|".join(filter(None, (asks, zh, en)))), Lazy("|".join(filter(None, (tells, told, en)))))


_WHERE = r"(?:在|是|到)?(?:哪里|哪儿|哪个?|什么地方|啥地方)"
TOPICS = (
    _topic("height", r"多高|个子|\bhow tall\b", r"个子|个头|\d ?(?:cm|厘米|公分)|[一1]米|\btall\b"),
    _topic("weight", r"多重|\bhow (?:heavy|much does .* weigh)\b", r"公斤|千克|\d斤|\bweighs?\b|\d ?kg\b"),
    _topic(
        "age birth_year",
        r"多大(?!的|码|号|尺)|几岁|年纪|岁数|\bhow old\b",
        r"岁|年纪|\byears? old\b|\bturn(?:s|ed|ing)? \d",
    ),
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
    _topic(
        "car owns",
        r"(?:什么|啥|哪)(?:牌子的?)?车|\bdriv(?:e|es|ing)\b|\bcar\b",
        r"开的?是|换车|车(?:是|换|改)|辆|\bdriv(?:e|es|ing)\b|\bcar\b",
    ),
    _topic("phone", r"\bnumber\b", r"\[PHONE\]|号码"),
    _topic("email", r"邮件地址", r"\[EMAIL\]"),
    _topic(
        "marital_status",
        r"结婚|单身|\b(?:married|single)\b",
        r"结婚|离婚|单身|已婚|未婚|\b(?:married|divorced|single)\b",
    ),
    _topic("shoe_size clothing_size", r"多大(?:的|码|号|尺)|几码|什么码|\bwhat size\b", r"(?<!号)码|\bsize\b"),
    _topic("allergy", r"过敏|\ballergic\b", r"过敏|\ballergic\b"),
    _topic("personality", r"性格|脾气|\bpersonality\b|\bwhat is .* like\?", r"性格|脾气|\bpersonality\b"),
    *map(
        _topic,
        (
            "nationality",
            "zodiac",
            "department",
            "salary",
            "blood_type",
            "diet",
            "wechat",
            "qq",
        ),
    ),
)
"""In no order: what is asked for decides by the longest words."""
