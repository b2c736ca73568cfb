"""Whom a question is about and what it asks of them, and which texts tell just that. Rules for Chinese and English.

"Where does my cousin work?" asks the work place of a cousin: what tells where somebody works, and what tells of a
cousin, bears on it, though it may have no word of the question but one. What this does not do: it reads no value, it
tells no sister from another, and it sees nobody who is called by name alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memory.extraction.pattern import Lazy
from memory.extraction.people import RELATIONS_EN, RELATIONS_ZH, alternatives
from memory.record import Memory
from memory.topics import TOPICS, Topic

_CALLINGS = frozenset({"doctor", "teacher", "assistant", "owner", "manager", "landlord"})
"""Relations whose nouns are also what somebody is: his only where the text says whose."""

_FREE = {n: r for n, r in RELATIONS_ZH.items() if len(n) > 1 and r not in _CALLINGS and n not in ("先生", "对象")}
_PERSON_ZH = Lazy(
    rf"(?:(?:我|咱|俺|他|她)(?:们)?(?:家)?的?(?P<own>{alternatives(RELATIONS_ZH)})|(?P<free>{alternatives(_FREE)}))(?!们)"
)
_PERSON_EN = Lazy(
    rf"(?:\b(?:my|our|his|her|their|your)|'s) (?:[a-z-]+ ){{0,1}}?(?P<own>{alternatives(RELATIONS_EN)})(?![a-z-])"
)


_ALSO = {
    "parents": ("father", "mother"),
    "parents_in_law": ("father_in_law", "mother_in_law"),
    "child": ("son", "daughter"),
    "partner": ("wife", "husband", "girlfriend", "boyfriend"),
    "pet": ("dog", "cat", "rabbit", "bird", "hamster", "turtle", "horse"),
    "boss": ("manager",),
}
"""Whom a wider word may stand for."""
_ALSO_EN = {
    "aunt": ("paternal_aunt", "maternal_aunt", "maternal_uncles_wife", "paternal_uncles_wife", "elder_uncles_wife"),
    "uncle": ("elder_uncle", "maternal_uncle", "paternal_aunts_husband", "maternal_aunts_husband"),
    "cousin": ("biaoge", "biaodi", "biaojie", "biaomei", "tangge", "tangdi", "tangjie", "tangmei"),
    "brother": ("older_brother", "younger_brother"),
    "sister": ("older_sister", "younger_sister"),
    "grandfather": ("maternal_grandfather",),
    "grandmother": ("maternal_grandmother",),
    "nephew": ("sisters_son",),
    "niece": ("sisters_daughter",),
}
"""The same for the words of English, where Chinese has several."""


@lru_cache(maxsize=16_384)
def people_in(text: str) -> frozenset[str]:
    """The relations of those whom a text tells of: `father` for 我爸爸 and for "my dad"."""
    return _people(text, _PERSON_ZH, _PERSON_EN)


def _people(text: str, zh: Lazy, en: Lazy) -> frozenset[str]:
    found = {RELATIONS_ZH[(m["own"] or m["free"]).casefold()] for m in zh.pattern.finditer(text)}
    english = {RELATIONS_EN[m["own"].casefold()] for m in en.pattern.finditer(text)}
    wide = {one for person in english for one in _ALSO_EN.get(person, ())}
    return frozenset(found | english | wide | {one for p in found | english for one in _ALSO.get(p, ())})


_OWN_ZH = Lazy(
    rf"(?<![给跟和与为替送陪对带帮向])(?>我(?:们)?(?:家)?的?(?P<own>{alternatives(RELATIONS_ZH)})"
    rf"|(?<![的他她你])(?P<free>{alternatives(_FREE)}))(?!们|的(?:{alternatives(RELATIONS_ZH)}))"
)
_OWN_EN = Lazy(
    r"(?<!for )(?<!to )(?<!with )(?<!about )(?<!from )(?<!by )\b(?:my|our) (?:[a-z-]+ )??"
    rf"(?P<own>{alternatives(RELATIONS_EN)})(?![a-z-]|'s (?:{alternatives(RELATIONS_EN)})\b)"
)


def _asked_of(sentence: str) -> frozenset[str]:
    """The relations of those of the speaker's own of whom a sentence asks: not whom something is for or about."""
    return _people(sentence, _OWN_ZH, _OWN_EN)


_SENTENCE = re.compile(r"[^。！？!?；;\n]+[！？!?]?")


@dataclass(frozen=True)
class Wanted:
    """What one sentence asks: which topics, and of whom (relations, as in `people_in`)."""

    people: frozenset[str]
    topics: tuple[Topic, ...]


@lru_cache(maxsize=512)
def wanted(question: str) -> tuple[Wanted, ...]:
    """What each sentence of a question asks of somebody; no topics where it is none of what people are often asked."""
    sentences = ((one, _asked_of(one)) for one in _SENTENCE.findall(question))
    return tuple(Wanted(people, _asked(one)) for one, people in sentences if people)


def _asked(sentence: str) -> tuple[Topic, ...]:
    """The topics asked for. The longer words count: 工作 asks for an occupation, but not inside 在哪儿工作."""
    spans = [(topic, *m.span()) for topic in TOPICS for m in topic.asks.pattern.finditer(sentence)]

    def inside(start: int, end: int) -> bool:
        return any(a <= start and end <= b and b - a > end - start for _, a, b in spans)

    return tuple(dict.fromkeys(topic for topic, start, end in spans if not inside(start, end)))


def tells(memory: Memory, topics: tuple[Topic, ...]) -> bool:
    """Whether a memory tells anything of these topics."""
    if memory.kind == "fact" and any(memory.attribute in topic.attributes for topic in topics):
        return True
    return any(topic.tells.pattern.search(memory.text) for topic in topics)
