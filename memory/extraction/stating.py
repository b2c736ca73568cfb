"""What one clause states, read by nouns, by rules and by the schedule; whole, or in its parts.

Which clauses state anything at all, and for whom, is `memory.extraction.rules`' to say.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memory.attributes import ATTRIBUTES, Language
from memory.extraction import en_life, en_self, patterns_en, patterns_zh, zh_life, zh_reading
from memory.extraction.applying import Reading, apply, introduced
from memory.extraction.nouns import nouns
from memory.extraction.pattern import Found, Gated, Rule, Who, gated
from memory.extraction.people import lead, skip_time, subject_en, subject_zh
from memory.extraction.schedule import schedule
from memory.extraction.values import CHECKS
from memory.extraction.zh_words import starts

_BUT = re.compile(r"(?:而|应该)?(?:是|叫) ?|(?:it's|it is|but|rather) ", re.IGNORECASE)
_JOINT = re.compile(r" (?:and|but|so|because|since|when|while|although|though|which|after|before|until|except) ")
_NOW = re.compile(r" now(?=[ .!]*$)")
_IS_NUMBER = re.compile(r"(?:(?:就|应该|好像)?是|it's|it is|that's|：|: ?) ?(?P<v>[^，,]{1,40})", re.IGNORECASE)
_RULES_ZH = gated(zh_reading.RULES)
_RULES_EN = (*patterns_en.PREDICATES, *en_self.RULES, *en_life.RULES)
_RULES: dict[Language, Gated[Rule]] = {"zh": _RULES_ZH, "en": ((None, _RULES_EN),)}
_BARE: dict[Language, Gated[Rule]] = {"zh": _RULES_ZH, "en": gated([rule for rule in _RULES_EN if rule.bare])}
"""The rules for clauses that say nobody. Few English clauses say somebody, too few to earn the making of gates."""
_TOPICS: dict[Language, tuple[Rule, ...]] = {"zh": zh_life.TOPIC_LIKES, "en": ()}
"""Rules for clauses that begin with what is liked, not with who likes it."""


def numbered(reading: Reading, start: int, end: int, me: Who, language: Language) -> list[Found]:
    """ "They want the ticket number, it's 8842": the number that the clause before asked for."""
    noun, reading.asked_for = reading.asked_for, None
    m = _IS_NUMBER.fullmatch(reading.view, start, end) if noun else None
    attribute = ATTRIBUTES.nouns(language).get(noun or "")
    if m is None or attribute is None:
        return []
    value = CHECKS[ATTRIBUTES.get(attribute).kind](reading.text[m.start("v") : m.end("v")], language)
    of, verb = ("的", "是") if language == "zh" else ("'s ", " is ")
    return [Found(me, attribute, value, f"{me.shown}{of}{noun}{verb}{value}")] if value else []


def whole_or_parts(reading: Reading, start: int, end: int, me: Who, language: Language) -> list[Found]:
    """What the clause states; read as a whole by nothing, what it states without "now", or around "and", or before 我."""
    before = (reading.passed_on, reading.denied, reading.third, reading.closed)
    if found := stated(reading, start, end, me, language):
        return found
    after = (reading.passed_on, reading.denied, reading.third, reading.closed)
    if language == "zh":

        def fresh() -> None:
            reading.passed_on, reading.denied, reading.third, reading.closed = before

        return zh_reading.parts(
            reading,
            start,
            end,
            fresh,
            lambda a, b: stated(reading, a, b, me, language),
            lambda a, b: whole_or_parts(reading, a, b, me, language),
        )
    for m in (*_NOW.finditer(reading.view, start, end), *_JOINT.finditer(reading.view, start, end)):
        reading.passed_on, reading.denied, reading.third, reading.closed = before
        if found := stated(reading, start, m.start(), me, language):
            second = lead(reading.view, m.end() if m[0] == " now" else m.start() + 1, end, language)
            return found + (stated(reading, second, end, me, language) if second < end else [])
    reading.passed_on, reading.denied, reading.third, reading.closed = after
    return []


def stated(reading: Reading, start: int, end: int, me: Who, language: Language) -> list[Found]:
    """What a stretch of text states, by whichever way of reading comes first."""
    view, text = reading.view, reading.text
    if language == "zh":
        formed = zh_reading.first(reading, start, end, me, lambda a, b: stated(reading, a, b, me, language))
        if formed is not None:
            return formed
    inherited, reading.passed_on = reading.passed_on, None
    denied, reading.denied = reading.denied, None
    if denied and (found := _affirmed(denied, reading, start, end, language)):
        return found
    if found := nouns(view, text, start, end, me, language, reading.at):
        brought = introduced(found, me, language)
        reading.third = brought or (found[0].who if found[0].who != me else reading.third)
        reading.passed_on = brought or (found[0].who if found[0].who == me else None)
        reading.denied = found[0] if found[0].retract else None
        return found
    zh = language == "zh"
    subject = (subject_zh if zh else subject_en)(view, start, end, me, reading.third)
    if not zh and subject and subject.plain and " " in subject.who.key and subject.who != reading.third:
        return []  # a full name that nobody has introduced: somebody known to all
    nickname = (patterns_zh if zh else patterns_en).NICKNAME
    if found := apply(nickname, reading, start, end, me, me, language):
        return found
    who = subject.who if subject else inherited or me
    named = [subject.names] if subject and subject.names else []
    if subject and subject.who != me:
        reading.third = subject.who
    at = subject.rest if subject else start
    places = [at if zh or subject else start - 1]
    if zh and (later := skip_time(view, at, end)) > at:
        places.append(later)
    if zh:
        begin = subject.after if subject and start < subject.after < at else at
        places = list(dict.fromkeys((*places, begin, *starts(view, begin, end))))
    places = [max(place, 0) for place in places]
    tried = places if zh else [*places, start]
    nobody = subject is None and inherited is None
    for gate, run in () if nobody and reading.closed else (_BARE if nobody else _RULES)[language]:
        fits = [place for place in tried if gate is None or gate.fullmatch(view, place, end)]
        for rule in run if fits else ():
            if (nobody and not rule.bare) or (rule.others and who == me):
                continue
            for place in fits:
                if not (rule.bare or place in places):
                    continue
                if found := apply(rule, reading, place, end, me if subject and place == start else who, me, language):
                    brought = introduced(found, me, language)
                    reading.third = brought or reading.third
                    reading.passed_on = brought or (who if rule.passes_on else None)
                    reading.closed = reading.passed_on is None
                    return named + found
    for rule in _TOPICS[language] if subject is None else ():
        if found := apply(rule, reading, start, end, me, me, language):
            return found
    if zh and zh_reading.of_others(view, start, end):
        reading.closed = True
    elif subject:
        reading.passed_on = subject.who
    elif inherited:
        reading.passed_on = inherited
    return named + schedule(
        view,
        text,
        start,
        end,
        inherited if inherited and not subject else me,
        language,
        reading.at,
    )


def _affirmed(denied: Found, reading: Reading, start: int, end: int, language: Language) -> list[Found]:
    """The second half of "not 8842, it's 8843", of the same noun."""
    m = _BUT.match(reading.view, start, end)
    kind = ATTRIBUTES.get(denied.attribute).kind
    value = CHECKS[kind](reading.text[m.end() : end], language) if m and kind in CHECKS else None
    if value is None or denied.value is None:
        return []
    text = (
        denied.text.removesuffix(denied.value).replace("不是", "是").replace("不叫", "叫").replace(" not ", " ") + value
    )
    return [replace(denied, value=value, text=text, retract=False)]
