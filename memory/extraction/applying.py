"""A rule laid over the rest of a clause: the facts that it states of whom the clause speaks about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from memory.attributes import ATTRIBUTES, Language
from memory.extraction import patterns_zh, zh_guard
from memory.extraction.clauses import HIDDEN
from memory.extraction.pattern import Fact, Found, Rule, Who
from memory.extraction.people import RELATIONS_EN, RELATIONS_ZH, theirs
from memory.extraction.values import CHECKS, listed
from memory.extraction.vocabulary import BREEDS_EN, BREEDS_ZH, CAT_BREEDS_EN, CAT_BREEDS_ZH
from memory.extraction.zh_values import CHECKS_ZH

_CHECKS = {**CHECKS, **CHECKS_ZH}
_VALUE_GROUPS = ("v", "w", "x", "y")
_FAVORITES_ZH = patterns_zh.FAVORITES
_ANIMALS = {"pet", "dog", "cat", "rabbit", "bird", "hamster", "turtle", "horse"}
_DOG = re.compile(rf"{BREEDS_ZH}|流浪狗|{BREEDS_EN}", re.IGNORECASE)
_CAT = re.compile(rf"{CAT_BREEDS_ZH}|流浪猫|{CAT_BREEDS_EN}", re.IGNORECASE)


@dataclass
class Reading:
    """One message while its clauses are read; `passed_on` is the subject that a clause without one speaks of."""

    text: str
    view: str
    subject: str
    at: datetime | None
    passed_on: Who | None = None
    third: Who | None = None
    """The one other person or animal that the message has brought in, for "he", "she" and "it"."""
    denied: Found | None = None
    """ "My order number is not 8842", for the clause that may say what it is."""
    closed: bool = False
    """Somebody without a name was brought in: a clause without subject may be about them, and states nothing."""
    asked_for: str | None = None
    """The attribute of a noun that ended the clause before: "they want the ticket number, it's ..."."""
    changed: tuple[Who, str] | None = None
    """Whose noun the clause before said to have changed, without saying to what."""
    keep: bool = False
    """Set by a bare "remember this:" for the clause after it."""
    read_to: int = 0
    """Up to where constructions have read beyond their own clause."""
    foreign: bool = False
    """The sentence has begun to speak of something else than a person: what follows without subject is not the writer's."""
    spoke: Who | None = None
    """Of whom, other than the one who writes, the constructions spoke last in this sentence."""
    topic: str = ""
    """What the message has spoken of so far: "work" lets a clause be a job title alone."""
    decided: bool = False
    """Set by a bare "made up my mind" for the clause after it."""


def apply(rule: Rule, reading: Reading, at: int, end: int, who: Who, me: Who, language: Language) -> list[Found]:
    """The facts of `rule` when it fits `reading.view[at:end]` to its end; nothing when it does not."""
    m = rule.pattern.fullmatch(reading.view, max(at, 0), end)
    if m is None:
        return []
    found: list[Found] = []
    for fact in rule.facts:
        read = list(_facts(fact, m, reading, who, language))
        if not read and fact.check in ("known", "no_place", "work"):
            return []  # it was no place: the rule does not fit
        found += read
    return [_of_the_owner(f, me, language) for f in found]


def _of_the_owner(found: Found, me: Who, language: Language) -> Found:
    """The name of one of theirs is a fact about the owner: (user, dog, Rex). A breed is one about the animal."""
    attribute = found.who.key.removeprefix(f"{me.key}'s ").replace(" ", "_")
    relations = RELATIONS_ZH if language == "zh" else RELATIONS_EN
    if found.attribute == "name" and found.who != me and attribute in relations.values():
        return replace(found, who=me, attribute=attribute)
    if found.attribute in _ANIMALS and found.who != me and found.who.key.startswith(f"{me.key}'s "):
        owner = found.who.key.removeprefix(f"{me.key}'s ").replace(" ", "_")
        return replace(found, who=me) if owner in _ANIMALS else found
    if found.attribute == "breed" and found.who == me and found.value:
        kind = _kind_of(found.value)
        noun = {"dog": "狗", "cat": "猫"}.get(kind, "宠物") if language == "zh" else kind
        return replace(found, who=theirs(me, noun, kind, language))
    return found


def _kind_of(animal: str) -> str:
    for language in ("zh", "en"):
        if found := ATTRIBUTES.nouns(language).get(animal.casefold()):
            return found if found in _ANIMALS else "pet"
    return "dog" if _DOG.fullmatch(animal) else "cat" if _CAT.fullmatch(animal) else "pet"


def introduced(found: list[Found], me: Who, language: Language) -> Who | None:
    """Whom these facts bring into the message: somebody by name, or an animal."""
    relations = RELATIONS_ZH if language == "zh" else RELATIONS_EN
    for fact in found:
        if fact.retract or not fact.value:
            continue
        if fact.attribute in _ANIMALS:
            kind = fact.attribute if fact.attribute != "pet" else _kind_of(fact.value)
            return theirs(
                me, {"dog": "狗", "cat": "猫"}.get(kind, "宠物") if language == "zh" else kind, kind, language
            )
        if fact.attribute in relations.values() and not re.search(
            r"\d|[一两二三四五六]个|^(?:an?|one|two|three|four|five) ", fact.value
        ):
            kin = fact.attribute in _FAMILY
            return (
                theirs(fact.who, _noun_of(fact.attribute, language), fact.attribute, language)
                if kin
                else Who(fact.value, fact.value)
            )
    return None


_THINGS = {"home", "hometown", "birthplace", "work_place", "employer", "school", "major", "skill", "allergy", "eats", "drinks", "smokes", "uses", "owns", "language", "occupation", "diet", "likes", "pet", "nickname", "name", "learning", "medication", "religion"}  # fmt: skip
_CLUTTER = re.compile(
    r"(?<![成首])都(?![江市匀])|就(?!业)|也(?!门)|才(?!艺)|又|还(?![珠款贷])|再|(?<![特类级性])别(?![克墅针人])|把(?!手)|被(?!子)|让|给(?!力)|没|(?<!意)不(?![锈倒])|了(?!不起)|[吗呢啊]|吧(?!台)|自己|千万|所以|但是?|因为|如果|怎么|什么|这(?!种|类)|那(?!不勒|种|类|个?味)|[我你她们]|(?<![其吉维])他|(?<![自存现实内外潜待])在|刚(?!果|性)|[去今明前]年|长大|^从|压根|一查|岂|以后|越来越|一下|太(?![极阳原湖])|^[常了着得的地]|[挂坏丢崩]$|^一[门种]新|^新的"
)
"""Words that no name of a thing holds: what holds one was cut out of its sentence badly."""
_NO_LOVE = re.compile(r"奇艺|优腾|尔兰|琴海|马仕|丁堡|迪生|因斯坦|沙尼亚|答不理|莫能助|怎怎")
_NO_HABIT = re.compile(
    r"像|一样|似的|那类|这类|[^为除]了[^解不]|免$|抢票|让人|真的?是|好烦|觉得|已经|加起来|房租|工资|块钱|不下雨"
)
_FAMILY = {"father", "mother", "wife", "husband", "girlfriend", "boyfriend", "partner", "son", "daughter", "child", "brother", "older_brother", "younger_brother", "sister", "older_sister", "younger_sister"}  # fmt: skip


def _noun_of(attribute: str, language: Language) -> str:
    return ATTRIBUTES.label(attribute, language)


def _facts(fact: Fact, m: re.Match[str], reading: Reading, who: Who, language: Language) -> Iterator[Found]:
    groups = m.groupdict()
    names = _VALUE_GROUPS if fact.group == "v" else (fact.group,)
    group = next((g for g in names if groups.get(g)), None)
    if fact.value is None and group is None:
        return
    if fact.value is not None:
        values: list[str] = [fact.value]
    else:
        start, end = m.span(group or "v")
        shown = reading.view[start:end]
        raw = reading.text[start:end] if HIDDEN in shown else shown
        values = []
        for part in listed(raw, language) if fact.many else [raw]:
            value = _CHECKS[fact.check](part, language)
            if value is None:
                return  # one member that is none: the list was not a list
            at = raw.find(value)
            values.append(reading.text[start + at : start + at + len(value)] if at >= 0 else value)
    if fact.attribute == "habit" and any(_NO_HABIT.search(value) for value in values):
        return
    if (
        language == "zh"
        and fact.attribute in _THINGS
        and any(_CLUTTER.search(value.removeprefix("开了")) for value in values)
    ):
        return
    if language == "zh" and any(zh_guard.refused(fact.attribute, v, who.key, retract=fact.retract) for v in values):
        return
    if fact.attribute == "likes" and any(_NO_LOVE.match(value) for value in values):
        return
    for value in values:
        text = fact.text.format(s=who.shown, v=value, **{k: v or "" for k, v in groups.items() if k not in ("s", "v")})
        attribute = _attribute(fact.attribute, groups, language)
        yield Found(who, attribute, value, text, fact.polarity, fact.retract, fact.confidence)


def _attribute(name: str, groups: dict[str, str | None], language: Language) -> str:
    """The attribute of a fact whose name has a part of the clause in it: a pet's kind, a favourite's noun."""
    if name == "favorite_{noun}":
        noun = groups["noun"] or ""
        return f"favorite_{_FAVORITES_ZH.get(noun, noun)}"
    if name == "{rel}":
        said = (groups["rel"] or "").casefold().removeprefix("亲")
        nouns_of = ATTRIBUTES.nouns(language)
        return nouns_of.get(said) or nouns_of.get(said.removesuffix("s")) or "child"
    if name == "{pet}":
        return _kind_of(groups["pet"] or "")
    return name
