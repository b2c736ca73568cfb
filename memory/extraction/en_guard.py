"""The last look at what English patterns read: a value that is no name of a thing is refused, whatever read it.

A pattern takes what follows its verb; where people go on differently than it thinks, the value holds the rest of a
sentence, a word of time, or half a phrase. Rather a fact less. What is said in jest of one's allergies, and an age that
nobody has, are refused too. Whether the clause is a plain statement at all, `en_blocks` says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from memory.extraction.en_words import LANGUAGES
from memory.extraction.pattern import Found

_DOINGS = frozenset({"plan", "event", "todo", "decision", "habit", "note", "reminder", "health", "address"})  # fmt: skip
"""Attributes whose values are what somebody does, plans or has; those of the others are names and short phrases."""
_CLAUSE = re.compile(
    r"\b(?:I|I'm|I've|we|you|he|she|they|is|are|was|were|am|isn't|aren't|wasn't|don't|doesn't|didn't|can't|won't|hasn't"
    r"|haven't|will|would|could|should|might|because|if|whatever|whenever|wherever|however|what|why|how|who|whose|which)\b"
    r"|\b(?:whatever|what|who|that|it|there|here)'s\b|'(?:ll|d|re)\b|'s (?:an?|the|allergic|not|just|been|got|on|in|at|really|so|too|from|my)\b|^(?:his|her|their|its) ",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"(?:^|[ ,])(?:and|but|or|so|the|an?|my|our|his|her|their|til|until|till|of|than|because|while|from|for|with|to|finally|as|by|(?:I|we|he|she|they)(?:'[a-z]+)?)$",
    re.IGNORECASE,
)
_LATER = re.compile(
    r" (?:(?:last|this|next) (?:week|weekend|month|year|summer|winter|spring|autumn|fall|night|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|yesterday|(?:a|two|three|four|five|six|\d+) (?:days?|weeks?|months?|years?) ago|ages ago|years ago|these days)$",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"(?:(?:an?|the|my|some|any|no|its?|all|such|that|this|these|those|so|too|very|really|just|more|less|much) )*(?:it|him|her|them|us|me|that|this|these|those|thing|things|stuff|one|ones|part|parts|bit|way|lot|lots|fact|idea|sound|look|looks|feeling|reason|time|times|live|lives|go|goes|do|does|be|get|gets|see|say|mess|joke|nightmare|disaster|mystery|secret|problem|question|change|weekend|weekends|point|case|kind|sort|well|better|best|worse|here|there|now|then|again|yes|yeah|no|nope|ok|okay|well|right|sure|please|thanks|sorry|obviously|honestly|myself|yourself|everything|nothing|something|anything|whatever|everyone|nobody|none|both|neither|either|plenty|few|first|last|next|second|half|most|least|other|others|another|rest)",
    re.IGNORECASE,
)
_NOT_EATEN = re.compile(
    r"\b(?:mondays?|mornings?|work|working|effort|exercise|exercising|spreadsheets?|meetings?|small talk|commitment|people|stupid\w*|drama|nonsense|bullshit|responsibilit\w+|housework|chores|budgets?|deadlines?|powerpoints?|excel|fun|paperwork|e-?mails?|conflict|criticism|fools?|idiots?|adulting|humans?|social media|slack|zoom|jargon|admin|maths?|homework|studying|school|being|having|waking|getting|losing|failure|happiness|boredom|silence|politics|corporate|capitalism|children|relationships?|dating|love|money|wi-?fi|bad|early|the gym|cardio|running|ironing|cleaning|cooking|mediocrity|optimism|change|authority|queues?|traffic|adverbs|buzzwords)\b",
    re.IGNORECASE,
)
_HANGING = re.compile(r"(?: (?:an?|the|I|we|my|our|and|but|so|or))+$")
_PASSING = re.compile(
    r"\b(?:tonight|today|tomorrow|right now|this (?:morning|afternoon|evening|week))\b", re.IGNORECASE
)
_BROKEN = re.compile(
    r"\b(?:till|until|for|the|an?|of|on|at|in|to|from|by|with) (?:so|and|but|because|of|for|which|who|then)\b|^(?:another|much|enough|any more)\b",
    re.IGNORECASE,
)
_NO_DECISION = re.compile(
    r"'s\b|\b(?:date|it|flow|that|this|today|tonight|now|window|door|see|short|seat|bus|train)\b", re.IGNORECASE
)
_NO_HABIT = re.compile(
    r"^(?:have|has|had) (?:been|to)\b|^be\b|^(?:get|gets|forget|forgets|end up|lose|loses) (?:an?|the)\b|'s (?:the|my) (?:last|first|day|deadline|big|final)|\b(?:him|her|them|it|me|us|you|about|at|into|than|per)$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|several|many|a few|a lot of|both|all|every|different) ",
    re.IGNORECASE,
)
_SITES = re.compile(
    r"(?:twitter|x|facebook|instagram|tiktok|netflix|spotify|reddit|linkedin|youtube|tinder|duolingo|whatsapp|snapchat|slack|discord|bumble|hinge|hulu|amazon prime|prime|disney\+?)",
    re.IGNORECASE,
)
"""What people quit as its users far more often than as its employees."""
_ADVERB = re.compile(
    r"(?:mostly|mainly|always|still|just|all|currently|really|usually|often|probably|not)\b", re.IGNORECASE
)
_ALLERGY = re.compile(r"(?:an? )?(?:(?:bad|severe|serious|mild|nasty) )?(?P<v>[\w -]+?) allergy", re.IGNORECASE)
_AFTER_NUMBER = re.compile(r" (?:on|at|for|from|in|and|with|this|next|tomorrow|today)\b.*")
_FIRM = re.compile(
    r"\b(?:start-?up|company|firm|agency|bank|nonprofit|charity|consultancy|studio|co-op|brewery|retailer|supplier|manufacturer)\b",
    re.IGNORECASE,
)
_AT_PLACE = re.compile(r" (?:in|near|outside) (?-i:[A-Z]).*")
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|june|july|august|september|october|november|december"
_NO_VALUES = {
    "uses": re.compile(rf"\b(?:marathon|half|parkrun|triathlon|{_DAY})\b", re.IGNORECASE),
    "owns": re.compile(
        rf"^(?:zoom|teams|twix|snickers|mars|kitkat|coke|pepsi|guinness|greggs|nando's|mcdonald's|big mac|starbucks|costa|netflix|spotify|{LANGUAGES}|indian|mexican|thai|{_DAY})$",
        re.IGNORECASE,
    ),
    "username": re.compile(
        r"^(?:fine|wrong|correct|right|ok|okay|good|taken|broken|missing|blocked|locked|not|too|still|the)\b",
        re.IGNORECASE,
    ),
    "likes": re.compile(
        r"^(?:loves?|hates?|likes?|lives?|has|wants?|needs?|enjoys?|plays|works|eats|drinks|goes|thinks|says) ",
        re.IGNORECASE,
    ),
    "learning": re.compile(
        r"^(?:let|live|love|accept|say|be|cope|trust|relax|deal|adapt|not|appreciate|enjoy|embrace)\b", re.IGNORECASE
    ),
}
"""What the words before a value of these attributes often bring that is none."""
_LONGEST = 7
_OLDEST = 115


def kept(found: Iterable[Found]) -> list[Found]:
    """The facts whose values can stand, words of time at their end cut off; in their order."""
    return [good for fact in found if (good := _checked(fact))]


def _checked(fact: Found) -> Found | None:
    value = fact.value
    if value is None:
        return fact
    if fact.attribute == "age" and value.isdecimal() and not 0 < int(value) <= _OLDEST:
        return None
    if fact.attribute in ("allergy", "intolerance") and _NOT_EATEN.search(value):
        return None
    thing = fact.attribute not in _DOINGS
    short = _HANGING.sub("", _LATER.sub("", value)) if thing else value.split(" (")[0]
    if not short or _DANGLING.search(short) or (fact.attribute in ("plan", "event") and short.endswith(" a week")):
        return None
    if _BROKEN.search(short) or (fact.attribute == "decision" and _NO_DECISION.search(short)):
        return None
    if fact.attribute == "habit" and _NO_HABIT.search(short):
        return None
    if fact.attribute in ("home", "hometown") and _NUMBERED.match(short):
        return None
    if fact.attribute == "employer" and fact.retract and _SITES.fullmatch(short):
        return None
    if fact.attribute in ("eats", "drinks"):
        short = re.sub(r" (?:for|because|due to|since) .*", "", short)
    if fact.attribute.endswith("_number"):
        short = _AFTER_NUMBER.sub("", short)
    if fact.attribute == "work_place" and _FIRM.search(short):
        return replace(fact, attribute="employer", value=_AT_PLACE.sub("", short))
    if (nothing := _NO_VALUES.get(fact.attribute)) and nothing.search(short):
        return None
    if fact.attribute == "todo" and short.startswith("not "):
        return None
    if fact.attribute.startswith("favorite_") and (_ADVERB.match(short) or re.search(r" [A-Z]$", short)):
        return None
    if fact.attribute == "health" and (m := _ALLERGY.fullmatch(short)):
        return replace(fact, attribute="allergy", value=m["v"])
    if fact.attribute == "health" and re.fullmatch(r"(?:left|right)[- ]handed", short, re.IGNORECASE):
        return replace(fact, attribute="handedness")
    if fact.attribute == "skill" and re.search(r"\b(?:that|this|these|those|my|our|his|her|their)\b", short):
        return None
    if thing and (
        _PASSING.search(short) or _CLAUSE.search(short) or _EMPTY.fullmatch(short) or len(short.split()) > _LONGEST
    ):
        return None
    return fact if short == value else replace(fact, value=short, text=fact.text.replace(value, short))
