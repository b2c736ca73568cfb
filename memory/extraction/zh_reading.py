"""What is read of a Chinese clause around the rules: before them (clefts, owners, forms, figures, friends), from the clause
ahead of it (a birthday, a new flat), in parts when it fits nothing as a whole, and in the past tense.

`Again` reads a stretch of the same clause by everything there is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from memory.extraction import patterns_zh, zh_life, zh_plans, zh_self, zh_taste, zh_things, zh_where
from memory.extraction.applying import Reading
from memory.extraction.pattern import Found, Rule, Who
from memory.extraction.people import lead
from memory.extraction.zh_asks import DROP, preference, todo
from memory.extraction.zh_fields import fields
from memory.extraction.zh_measures import measures
from memory.extraction.zh_owned import changed, now, owner, possessed
from memory.extraction.zh_parts import (
    UNDECIDED,
    affirmed_end,
    birthday,
    cleft,
    friend,
    mentioned,
    newcomer,
    once,
    person_alone,
    serial,
    settled,
    still_holds,
)

Again = Callable[[int, int], list[Found]]

RULES: tuple[Rule, ...] = (
    *patterns_zh.PREDICATES,
    *zh_self.RULES,
    *zh_life.RULES,
    *zh_taste.RULES,
    *zh_where.RULES,
    *zh_things.RULES,
    *zh_plans.RULES,
)
"""In the order they are tried: the plain ones first."""
_INNER_ME = re.compile(
    r"[^，,我你他她它说问觉知想告给帮让对跟比叫请陪教借骗骂夸送了吗谁写填演当像装扮念喊]{1,9}(?=(?:我(?!们|家|妈|爸|的))[^，,我]{2,})"
)
_SOMEBODY_ELSE = re.compile(r"(?<![其吉维])[他她您]|你(?!好)|大家|人家|别人")
_MINE = re.compile("我(?:的|家的?)?")


def first(reading: Reading, start: int, end: int, me: Who, again: Again) -> list[Found] | None:
    """What the clause states by its form, before any rule; None when the rules are to read it. May set whom the next
    clauses speak of."""
    view, text, inherited = reading.view, reading.text, reading.passed_on
    reading.passed_on = None
    if parted := cleft(view, start, end, me):
        reading.passed_on, begin, stop = parted
        return again(begin, stop)
    if found := _owned(reading, start, end, me):
        return found
    if came := newcomer(view, start, end, me):
        reading.third = reading.passed_on = came
        return []
    if alone := person_alone(view, start, end, me):
        reading.third = reading.passed_on = alone[0]
        return [alone[1]]
    if found := fields(view, text, start, end, me) or measures(view, text, start, end, inherited or me):
        return found
    if found := friend(view, start, end, me):
        reading.third = reading.passed_on = Who(found[0].value or "", found[0].value or "")
        return found
    reading.passed_on = inherited
    return None


def _owned(reading: Reading, start: int, end: int, me: Who) -> list[Found]:
    """What the clause says of an attribute of somebody, in one clause or two: 她的电话换了，现在是 ..."""
    view, text = reading.view, reading.text
    waiting, reading.changed = reading.changed, None
    if waiting and (found := now(view, text, start, end, *waiting)):
        return found
    if held := owner(view, start, end, me, reading.third):
        who, at, named = held
        reading.third = who
        if found := possessed(view, text, at, end, who):
            reading.passed_on = who
            return ([named] if named else []) + found
    else:
        mine = _MINE.match(view, start, end)
        who, at = me, mine.end() if mine else start
    if noun := changed(view, at, end):
        reading.changed = who, noun
    return []


def after(reading: Reading, before: str, start: int, end: int, me: Who) -> list[Found]:
    """What the clause states because of the one before it, whose words are `before`."""
    return birthday(reading.view, before, start, end, me) or settled(reading.view, before, start, end, me)


def note_people(reading: Reading, start: int, end: int, me: Who) -> None:
    """Remember whom the clause names, for the "he" and "she" of later ones."""
    reading.third = reading.third or mentioned(reading.view, start, end, me)


def of_others(view: str, start: int, end: int) -> bool:
    """Whether the clause goes on to speak of somebody who is not known."""
    return _SOMEBODY_ELSE.search(view, start + 1, end) is not None


def parts(
    reading: Reading, start: int, end: int, fresh: Callable[[], None], again: Again, deeper: Again
) -> list[Found]:
    """What the clause states in parts: two verbs in a row, "A, not B", or behind what stands before 我.

    `fresh` sets the reading back to where it was before the clause; `deeper` reads a part that may have parts itself.
    """
    view = reading.view
    for stop, second in serial(view, start, end):
        if UNDECIDED.search(view, second, end):
            return []
        fresh()
        if found := again(start, stop):
            return found + deeper(second, end)
    if stop := affirmed_end(view, start, end) or 0:
        fresh()
        if found := again(start, stop):
            return found
    m = _INNER_ME.match(view, start, end)
    return again(m.end(), end) if m else []


def past(reading: Reading, start: int, end: int, me: Who) -> list[Found] | None:
    """What a clause of the past tells; None when it is to be read like one of the present."""
    if still_holds(reading.view[start:end]):
        return None
    return once(reading.view, reading.text, lead(reading.view, start, end, "zh"), end, me)


def wanted(reading: Reading, start: int, end: int, me: Who) -> list[Found]:
    """What the clause asks for, for good or for a day."""
    start = lead(reading.view, start, end, "zh")
    return preference(reading.view, reading.text, start, end, me) or todo(
        reading.view, reading.text, start, end, me, reading.at
    )


def dropped(reading: Reading, start: int, end: int, me: Who, again: Again) -> list[Found]:
    """The statement that 把我属兔那条删了吧 takes back."""
    m = DROP.fullmatch(reading.view, start, end)
    if m is None:
        return []
    reading.passed_on = me
    return [
        replace(fact, polarity=1, retract=True, text=f"收回：{fact.text}") for fact in again(m.start("v"), m.end("v"))
    ]
