"""What an English clause with a date in it says is planned, due, to be done or past; every date of it, words and all.

`schedule` reads clauses that are nothing but a statement with its date; this one reads the loose ones: "My MOT is booked
for the 21st at Harrow Road", "got my interview!! april 30", "Yesterday we scattered the ashes".
"""

from __future__ import annotations

import re
from datetime import datetime

from memory.dates import DateSpan, dates_in
from memory.extraction.en_kin import KIN, whose
from memory.extraction.en_verb import NOBODY, parse
from memory.extraction.pattern import Found, Who
from memory.extraction.people import alternatives

_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_WEEKDAY = r"(?:mon|tue?s?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
_WHEN = re.compile(
    rf"(?:,? ?\b(?:on|by|before|in|at|for|to|from|until|till|due|due back|back|of|this|next|coming|the|a week on|first thing|early|late|mid|end of|beginning of|around|now))* ?\b(?:(?:the )?(?:first|second|third|last|fourth) (?:{_WEEKDAY}|week(?:end)?) (?:in|of) {_MONTH}|(?:the )?\d{{1,2}}(?:st|nd|rd|th)(?: (?:of )?{_MONTH})?(?:,? (?:19|20)\d\d)?|{_MONTH} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?!\d|[:.]\d)(?:,? (?:19|20)\d\d)?|\d{{1,2}} {_MONTH}(?: (?:19|20)?\d\d)?|(?:next |this |last )?{_WEEKDAY}(?: (?:week|night|morning|afternoon|evening|lunchtime|the \d{{1,2}}(?:st|nd|rd|th)))?|tomorrow(?: (?:morning|night|afternoon|evening))?|tonight|yesterday|last night|the day (?:after tomorrow|before yesterday)|(?:next|last|this) (?:week(?:end)?(?! of\b)|month|year|spring|summer|autumn|fall|winter|term|{_MONTH})|in (?:a|an|\d+|two|three|four|five|six|ten) (?:days?|weeks?|months?|years?|fortnight)(?: time|'s time)?|(?:\d+|a|two|three|four|five|six) (?:days?|weeks?|months?|years?) ago|{_MONTH}(?= *$|[,.!)]| \d{{4}})|(?:the )?(?:end|start|beginning|middle) of (?:the |this |next )?(?:month|week|year|term|{_MONTH})|christmas|easter|new year's|half[- ]term|the weekend|the first)\b(?:,? ?(?:at )?(?:\d{{1,2}}(?:[:.]\d\d)? ?(?:am|pm)?|noon|midnight)\b(?! (?:minutes|people|hours|of)))?",
    re.IGNORECASE,
)
_RECURRING = re.compile(
    r"\b(?:every|each|most|always|usually|normally|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b|\bsince\b|\b(?:it's|its|it was|it is|there's|there is|there was|weather|rained|snowed|raining|sunny|hot|cold)\b(?! (?:my|our|booked|moved))",
    re.IGNORECASE,
)
_TODO = re.compile(
    r"(?:(?:I|we)(?:'ve| have)? )?(?:(?:really|just|also|still) )*(?:need to|needs to|have to|has to|must|gotta|got to|have got to|remember to|mustn't forget to|must not forget to|don't let me forget to|todo:?|to do:?|note to self:?|reminder(?: to)?:?|supposed to|meant to) (?P<v>(?!be\b|say\b|admit\b|see\b|know\b|tell you|laugh\b|wait\b|ask you)[a-z][\w' -]{2,70}?)(?= *$|[,.;:!]| (?:or|and then|because|so|but|before i forget)\b)",
    re.IGNORECASE,
)
_DUE = r"(?:due|goes in|go in|closes?|shuts?|deadline|expires?|ends?|is up|are up|runs out|hand(?:ed)? in|to be submitted|submission|renewal|renews|up for renewal|has to be in|have to be in|needs to be in|cut-?off)"
_THING = r"(?P<v>(?!(?:i|we|he|she|they|it|that|this|what|who|there|you|next|last)\b)[a-z0-9][\w'’&/ -]{1,44}?)"
_IS_DATED = re.compile(
    rf"(?:(?:they've|they have|they|the (?:clinic|hospital|dentist|office|garage)(?: has|'s|'ve)?) (?:brought|moved|pushed|put|changed|rescheduled|booked) )?(?P<whose>my |our |the |a |an )?{_THING}(?P<link>(?:'s| is| are|'re| has been| have been| got| been| was| will be| has| gets| get)(?: (?:now|been|finally|just|getting|being|officially))*(?: (?:booked(?: in)?|scheduled|due(?: back)?|set|moved|moving|confirmed|rescheduled|postponed|pushed(?: back)?|put back|brought forward|arranged|signed|fixed|planned|happening|coming up|up|down|on|in|at|for|to|from))*|(?: forward| back)?,? now| goes in| go in| closes?| shuts?| starts?| begins?| opens?| kicks off| ends?| expires?| runs out| lands?| falls(?: on)?| takes place| moved| changed| slipped| renews?)(?: (?:on|in|at|for|to|by|from|until|till|back|forward|due))*$",
    re.IGNORECASE,
)
_HAVE_DATED = re.compile(
    r"(?:(?:I|we)(?:'ve| have)? )?(?:just |finally |also )*(?:got|have|booked|scheduled|'ve got|have got|made|arranged|reserved|bagged|landed|managed to get|was given|been given|were given|scored)(?: (?:us|me|ourselves|in for))? (?:(?:an?|my|our|the|another|two|some|tickets for|tickets to|a table at|a slot (?:at|for)|an appointment (?:with|at|for)|flights to|a flight to) ?)?(?P<v>(?!to\b|it\b|that\b|no\b|married\b|up\b|home\b|back\b|here\b|there\b)[a-z0-9][\w' -]{2,50}?)$",
    re.IGNORECASE,
)
_BARE_DATED = re.compile(
    r"(?:my |our |the )?(?P<v>(?:[\w'-]+ ){0,3}(?:interview|appointment|appt|exam|test|meeting|wedding|funeral|birthday party|party|flight|surgery|op|operation|scan|check-?up|smear|mot|viva|recital|concert|gig|match|game|marathon|race|deadline|hearing|graduation|ceremony|trip|holiday|vacation|move|viewing|inspection|visit|dentist|physio|haircut|vet|class|course|lesson|audition|rehearsal|presentation|pitch|launch|release|release date|conference|retreat|shift|reunion|anniversary|baby shower|hen do|stag do|christening|parents' evening|open day|orientation|induction|handover|closing|completion|due date)s?)$",
    re.IGNORECASE,
)
_VERB_PAST = r"(?:(?!book|schedul|reserv|arrang|plann|need|want|like|lov|hat|seem|wish|hop|wonder|tir|bor|worri|excit|interest|concern|confus|us(?:ed)?\b|suppos|decid|intend|feel|believ|expect|assum|mention|ask|talk)[a-z]{2,12}ed|went|bought|saw|met|got|made|took|had|ran|flew|wrote|left|began|started|came|gave|found|lost|sold|won|built|broke|sent|ate|drove|swam|taught|caught|rode|sang|held|did|became|spent|paid|said goodbye|buried|laid|put|quit|fell|hit|cut|let)"
_PAST_TOLD = re.compile(
    rf"(?:(?:I|we)(?:'ve| have)? )?(?:just |finally |also )*{_VERB_PAST}\b (?!an? (?:appointment|interview|meeting|ticket|flight|table|slot)|my (?:[a-z]+ )?(?:interview|appointment|exam|scan))",
    re.IGNORECASE,
)
_TRAVEL = re.compile(
    r"(?P<v>(?:fly|leave|travel|go|move|head|sail|drive|set off|get back|fly out|start|begin|land|arrive|depart|graduate|finish|retire|launch|present|defend)(?:es|s)?\b[\w' -]{0,50})"
)
_VAGUE = re.compile(
    r"\b(?:you|your)\b|^\w+ (?:it|that|this|them|him|her|something|so)\b|^had an? (?:great|good|bad|nice|blast|rough|hard|long|tough|fun|wonderful|amazing)|^(?:got|was|felt|slept|ate|woke|had (?:coffee|lunch|dinner|breakfast))\b",
    re.IGNORECASE,
)
_YEARLY = re.compile(r"(?:wedding )?anniversary|birthday|bday|b-day|\d{2}(?:th|st|nd|rd)", re.IGNORECASE)
_SOMEONE = re.compile(rf"(?:my |our )?(?:{alternatives(KIN)})\b(?!'s)", re.IGNORECASE)
_KIN_THING = re.compile(rf"(?:my |our )?(?P<kin>{alternatives(KIN)})'s ", re.IGNORECASE)


def dated(said: str, me: Who, third: Who | None, at: datetime | None) -> list[Found]:
    """The plan, event, deadline or to-do that a clause with a date states; at most one."""
    if m := _TODO.match(_clean(said)):
        when = _first(said, at, "future")
        value = _WHEN.sub(" ", m["v"]).strip(" ,.") if when else m["v"]
        value = re.sub(r" +", " ", value).strip()
        if (when or re.search(r"forget|remind|todo|to do|note to self|must|gotta", said, re.IGNORECASE)) and len(
            value.split()
        ) > 1:
            return [Found(me, "todo", value, f"To do: {value}", occurred_at=when.value if when else None)]
        return []
    if _RECURRING.search(said):
        return []
    w = _WHEN.search(said)
    if w is None or re.fullmatch(r" ?may", w[0].lower()) or (w.start() and re.fullmatch(rf" ?{_MONTH}", w[0].lower())):
        return []  # "doing dry January"
    span = _first(said, at, "future")
    iso = span.value if span and span.iso else None
    before, after = said[: w.start()].strip(" ,-!"), said[w.end() :].strip(" ,.-!")
    past = _past(w[0], span, at) or _PAST_TOLD.match(_clean(said)) is not None
    if not past:
        out = _ahead(before, after, me, third, iso, w[0])
        if out:
            return [out]
    return _happened(before, after, me, at, said) if past else []


def _first(said: str, at: datetime | None, tense: str) -> DateSpan | None:
    spans = dates_in(said, at, tense="past" if tense == "past" else "future")
    return next((s for s in spans if s.iso), spans[0] if spans else None)


def _past(words: str, span: DateSpan | None, at: datetime | None) -> bool:
    if re.search(r"\b(?:yesterday|last|ago)\b", words, re.IGNORECASE):
        return True
    return bool(at and span and span.until and span.until <= at)


def _clean(before: str) -> str:
    return re.sub(
        r"^(?:(?:so|and|but|ok|okay|also|yes|no|hey|hi|well|right|anyway|fyi|btw|just|oh|good news|update|quick update|little update|heads up|reminder|sadly|finally)[,:!]* )+",
        "",
        before,
        flags=re.IGNORECASE,
    )


def _ahead(before: str, after: str, me: Who, third: Who | None, iso: str | None, words: str) -> Found | None:
    head = _clean(before)
    due = re.search(rf"\b{_DUE}\b", f"{head} {words}", re.IGNORECASE)
    if m := _IS_DATED.fullmatch(head):
        value = re.sub(r" (?:is|are|has|was)$", "", m["v"]).strip()
        kin = _KIN_THING.match(value)
        who = whose(me, kin["kin"]) if kin else me
        value = value[kin.end() :] if kin else value
        if day := _YEARLY.fullmatch(value):
            on = re.sub(r"^(?:,? ?(?:on|is|by|at|for))+ ", "", words.strip(), flags=re.IGNORECASE)
            kind = "anniversary" if "anniv" in day[0].lower() else "birthday"
            return Found(who, kind, on, f"{who.shown}'s {kind} is {on}", 1, False, 0.85, iso)
        if _noun(value) and not _SOMEONE.match(value) and (m["whose"] or kin or due or _BARE_DATED.fullmatch(value)):
            attribute = "deadline" if due else "plan"
            return Found(who, attribute, value, f"{who.shown}: {value} {words.strip()}", 1, False, 0.85, iso)
    if (
        (m := _HAVE_DATED.fullmatch(head))
        and _noun(m["v"])
        and not re.match(r"(?:an? )?(?:feeling|cold|lot|idea|question)", m["v"])
    ):
        return Found(
            me, "plan", m["v"].strip(), f"{me.shown} has a plan: {m['v']} {words.strip()}", 1, False, 0.85, iso
        )
    if (m := _BARE_DATED.fullmatch(head)) or (not head and (m := _BARE_DATED.fullmatch(after.split(",")[0]))):
        return Found(
            me, "plan", m["v"].strip(), f"{me.shown} has a plan: {m['v']} {words.strip()}", 1, False, 0.85, iso
        )
    rest = f"{head} {after}".strip() if not head or len(after.split()) < 9 else head
    said = parse(rest, 0, len(rest), me, third)
    if said.who is NOBODY:
        return None
    doing = re.match(
        r"(?P<v>(?!thinking|feeling|going to|looking forward|hoping|wondering|considering|being|trying|sitting|waiting|getting (?:worse|better|old))[a-z]+ing\b[\w' -]{1,60})",
        rest[said.head :],
    )
    if (doing and said.aux == "be") or (doing and said.who is None and said.head == 0 and said.aux == "plain"):
        value = doing["v"].strip()
        return Found(
            said.who or me,
            "plan",
            value,
            f"{(said.who or me).shown} plans: {value} {words.strip()}",
            1,
            False,
            0.85,
            iso,
        )
    going = _TRAVEL.match(rest[said.head :])
    if going and said.aux == "plain" and said.who is not None and len(going["v"].split()) > 1:
        return Found(
            said.who,
            "plan",
            going["v"].strip(),
            f"{said.who.shown} plans: {going['v']} {words.strip()}",
            1,
            False,
            0.85,
            iso,
        )
    will = re.match(r"(?P<v>(?!be\b|see\b|know\b|have to|probably|never)[a-z]{2,}\b[\w' -]{3,60})", rest[said.head :])
    if will and said.aux == "will" and not said.negated and said.who is not None:
        return Found(
            said.who,
            "plan",
            will["v"].strip(),
            f"{said.who.shown} plans: {will['v']} {words.strip()}",
            1,
            False,
            0.85,
            iso,
        )
    return None


def _noun(value: str) -> bool:
    return 0 < len(value.split()) <= 6 and not re.search(
        r"\b(?:you|your|I|we|it|weather|that|this|which|who|thing)\b|^(?:one|day|week|only|same|what)\b",
        value,
        re.IGNORECASE,
    )


def _happened(before: str, after: str, me: Who, at: datetime | None, said: str) -> list[Found]:
    span = _first(said, at, "past")
    head = _clean(before)
    rest = head or after
    m = re.match(
        rf"(?:(?P<who>I|we|my [a-z-]+(?: [A-Z][a-z]+)?|our [a-z-]+)(?:'ve| have|'d| had)? )?(?:just |finally |also |already |only )*(?P<v>{_VERB_PAST}\b[\w' &-]{{2,80}})",
        rest,
        re.IGNORECASE,
    )
    iso = span.value if span and span.iso else None
    if m and not _VAGUE.search(m["v"]):
        who = me
        noun = re.sub(r"^(?:my|our) ", "", (m["who"] or "").strip().lower())
        if noun.split(" ")[0] in KIN:
            who = whose(me, noun.split(" ")[0])
        elif m["who"] and m["who"].lower() not in ("i", "we"):
            return []
        value = m["v"].strip()
        return [Found(who, "event", value, f"{who.shown} {value} ({iso or 'earlier'})", 1, False, 0.85, iso)]
    if kin := _KIN_THING.match(head):
        who = whose(me, kin["kin"])
        thing = re.match(r"(?P<v>[a-z]+(?: [a-z]+)?) (?:went|was|got|is)\b", head[kin.end() :])
        if thing:
            return [
                Found(who, "event", thing["v"], f"{who.shown}: {thing['v']} ({iso or 'earlier'})", 1, False, 0.85, iso)
            ]
    return []
