"""English statements that begin with what they are about: "jazz leaves me cold", "Welsh is what we speak at home".

And verdicts in two breaths ("Olives? Hard pass."), the state of a part of the body, what is asked to be forgotten, and
lists of things to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.attributes import ATTRIBUTES
from memory.extraction.en_frame import trimmed
from memory.extraction.en_kin import KIN, is_name, whose
from memory.extraction.en_words import CONDITION_WORDS, CONDITIONS, DIETS, JOBS, LANGUAGES
from memory.extraction.pattern import Found, Lazy, Who
from memory.extraction.people import alternatives

_X = r"(?P<v>(?!(?:i|it|that|this|he|she|they|we|you|what|which|who|there|here|one|these|those|but|and|so|nothing|everything|something)\b)[\w'&-]+(?: (?!(?:is|are|was|were|i|he|she|they|we|you)\b)[\w'&-]+){0,4})"
_GOOD = Lazy(
    rf"{_X} (?:is|are|'s|will always be|remains?) (?:absolutely |totally |just |still |kind of |basically |honestly |my absolute |very much )*(?:my (?:thing|jam|life|favou?rites?|fave|passion|happy place|weakness|kryptonite|comfort food|comfort watch|go-to|guilty pleasure|one true love|obsession|safe place|love language|drug of choice)|heaven|the dream|life|where it's at|elite|right up my (?:street|alley))(?= *$|[,.!]| (?:and|but|because|since)\b)"
)
_BAD = Lazy(
    rf"{_X} (?:(?:is|are|'s)(?:n't| not)? (?:really |just |absolutely )*(?:my thing|my bag|my scene|my cup of tea|for me|my jam|vile|disgusting|the worst|gross|the devil|evil|not for me|not my thing|not my bag|not my scene|my idea of hell|hell on earth|my nemesis|a hard no|a no from me)|leaves? me cold|does nothing for me|do nothing for me|makes? me (?:gag|ill|sick|cringe|heave|want to scream|retch)|turns? my stomach|gives? me the (?:creeps|ick|heebie-jeebies|shivers)|can (?:do one|get in the bin|get in the sea|go to hell)|drives? me (?:mad|nuts|crazy|up the wall|insane|round the bend)|isn't for me|aren't for me|bores? me (?:rigid|stiff|to tears|senseless)|sets? my teeth on edge|does my head in|do my head in)(?= *$|[,.!]| (?:and|but|because|since|so)\b)"
)
_LANG = rf"(?P<v>(?:{LANGUAGES})(?:(?:,| and|, and) (?:{LANGUAGES}))*)"
_SPOKEN = Lazy(
    rf"{_LANG} (?:is (?:what|the language) (?:we|I) (?:speak|talk|use)|(?:is|was) (?:my|our) (?:first|second|third|fourth|native|mother|main|home|other|strongest|weakest|best)(?: language| tongue)?|I (?:can )?(?:understand|speak|read|know|get by)|(?:at|with) (?:home|work|my (?:family|mum|mom|dad|parents|kids|wife|husband|grandparents|gran|nan|in-laws))(?= *$|[,.;]| and\b)|is for (?:work|home|family|swearing|the office))"
)
_AFTER = re.compile(
    rf" (?:after|then|and|plus|followed by) (?P<v>(?:{LANGUAGES})(?: and (?:{LANGUAGES}))?)", re.IGNORECASE
)
_WORK_LANG = Lazy(
    rf"(?:at (?:work|home)|with (?:my|the) [a-z-]+),? (?:we|I) (?:use|speak|switch to|talk) (?P<v>{LANGUAGES})(?![\w-])"
)
_BODY = r"(?:back|knees?|hips?|shoulders?|necks?|ankles?|wrists?|elbows?|ears?|eyes?|heart|lungs?|kidneys?|liver|thyroid|spine|achilles|hearing|eyesight|foot|feet|hands?|gallbladder|appendix|tonsils|ticker)"
_STATE = r"(?:shot|knackered|gone|wrecked|dodgy|ruined|bust(?:ed)?|arthritic|fused|weak|playing up|acting up|torn|broken|fractured|sprained|titanium|ceramic|useless|deaf|blind|decorative|giving out|failing|worn out|going|bone on bone|bad|terrible|in bits|damaged|artificial|prosthetic|no good|made of metal|officially [a-z]+)"
_BODY_IS = Lazy(
    rf"(?:(?:my|the|both my) )?(?P<v>(?:left |right |bad |both |lower |upper )?{_BODY}(?:'s| is| are|'re| has| have)(?: (?:been|basically|officially|completely|totally|pretty much|been|a bit|so|now|still|always|never been))* {_STATE}(?: since [\w' ]{{2,24}})?)(?= *$|[,.;!]| (?:so|and|but|now|from|after|these)\b)"
)
_BODY_ILL = Lazy(
    rf"(?:my |the )(?:left |right |bad )?{_BODY}(?:'s| is| turned out to be)(?: (?:now|officially|actually))* (?P<v>arthritis|osteoarthritis|tendonitis|a torn [a-z]+|a slipped disc|sciatica|bursitis|gout|a hernia)\b"
)
_HOME_IS = Lazy(
    r"(?:home|base|home base|hq|my home|our home)(?: for (?:me|us))?(?:'s| is)(?: now| currently| still| actually)* (?P<v>(?:an? |the )?[\w'-]+(?: [\w'-]+){0,6}?)(?= *$|[,.;!]| (?:these|now|for|and|but|since|until|till)\b)"
)
_FAVORITE = Lazy(
    r"my (?:all-time |current |absolute )?(?:favou?rite|fave|go-to|comfort|desert island) (?P<noun>[a-z]+(?: [a-z]+)?)(?: of all time| ever| to [a-z]+| growing up)?(?:'s| is| are| has to be| would be| has always been|: )(?: definitely| probably| still| hands down| easily)* ?(?P<v>[^,;.!?]{2,50}?)(?= *$|[,;.!]| (?:because|but|and|hands down|since)\b)"
)
_BOTH = Lazy(
    rf"(?:both )?(?:of )?(?P<whose>my|our) (?P<noun>parents|folks|brothers|sisters|sons|daughters|grandparents|kids) (?:are|were) (?:both )?(?P<v>(?:[a-z]+ )?(?:{JOBS}))s?\b"
)
_AS_ONE = Lazy(
    rf"(?:as|being|speaking as|because I'm|since I'm) (?:an? |the |someone who's |someone with )?(?:(?P<health>{CONDITIONS})|(?P<ill>{CONDITION_WORDS})|(?P<diet>{DIETS})|(?:[a-z]+ )?(?P<job>{JOBS})|(?P<age>\d\d)[- ]year[- ]old)(?= *$|,| (?:I|I'm|I'd|I've|we|myself|of|who|with)\b)"
)
_SPELT = Lazy(
    r"(?:it's|its|that's|spelled|spelt) (?P<v>(?-i:[A-Z][a-z]+)),? (?:with|without) (?:an?|one|two|no|the) (?:[a-z]|accent|hyphen|[a-z]s)\b"
)
_BIRTHDAY = Lazy(r"(?:that's |thats |it's |the )?(?:(?P<kin>my|our) )?(?P<who>[A-Za-z-]+)'s (?:bday|birthday|b-day)\b")
_VERDICT = re.compile(
    r"(?:^|[.!?\n] ?)(?P<v>[A-Za-z][\w'-]*(?: [a-z][\w'-]*){0,2})(?:\?|:) ?(?:also )?(?:(?P<no>no thanks?|no thank you|absolutely not|hard pass|never|hard no|yuck|nope|not for me|hate (?:it|them|that)|can't stand (?:it|them)|no way|over my dead body|get it away from me|gross|no)|(?P<yes>love (?:it|them|that)|yes please|every time|yes|always yes|adore (?:it|them)|obsessed|yes, always|big yes|absolutely))(?=[.,!;\n]|$)",
    re.IGNORECASE,
)
_RATHER = re.compile(
    r"(?:(?:I'd|I would) (?:always |rather |sooner |still )?(?:take|pick|choose|have)|give me) (?P<v>(?!one|it|that|this|a (?:hand|moment|minute|second|break|ring|call|shout)|the (?:details|list))[\w' -]{2,40}?) over (?P<w>[\w' -]{2,40}?)(?: (?:any day|every time|anytime|all day|in a heartbeat)| *$|[,.!:])",
    re.IGNORECASE,
)
_NOT_TOPICS = re.compile(
    r"^(?:question|quick question|update|edit|note|ps|btw|anyone|really|seriously|ready|right|sorry|deal|thoughts|ideas|help|coffee|verdict|result|so|tea)$",
    re.IGNORECASE,
)
_FORGET = re.compile(
    r"\b(?:scrap|drop|delete|remove|erase|wipe|strike|scrub|purge|clear|disregard(?:ed)?|forget|discard|bin|lose|take (?:out|off)|not keep|don't (?:keep|store|save|hold on to|hold onto|hang on to|remember|log)|do not (?:keep|store|save|hold|retain)|no longer (?:keep|store)|stop (?:storing|keeping)|removed|deleted|erased|forgotten)\b",
    re.IGNORECASE,
)
_FILE = re.compile(
    r"\b(?:your|the) (?:notes|records?|memory|files?|system|database|profile|data|history|list)\b|\bhold on to it\b|\bon file\b|\bstored\b|\bremember(?:ed|ing)? it\b",
    re.IGNORECASE,
)
_OWN_NOUN = re.compile(
    rf"\b(?:my|our|the) (?:(?:old|home|second|first|other|previous|saved|work) )?(?:(?P<kin>{alternatives(KIN)})(?:'s)? )?(?P<noun>{alternatives({n: a for n, a in ATTRIBUTES.nouns('en').items() if len(n) > 2})}|dob|number|salary|diagnosis|medication|postcode|health stuff)\b(?: (?:I|that I|which I) (?:gave|provided|told|sent|shared|mentioned)[\w ]*?)?",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"(?:jot (?:this|these|it) down|note (?:this|these) down|to-?do(?: list)?|todos?|write (?:this|these) down|for my list|on my list|add to (?:my|the) list|things to do|remind me|reminders?|don't let me forget|note to self|shopping list|tasks?)(?: today| tomorrow| this week)?(?: ?:| -|,) (?P<v>[^?]{4,200})",
    re.IGNORECASE,
)
_NOT_DOING = re.compile(r"(?:i|it|that|never|always|this|we|he|she|my|the|a)\b", re.IGNORECASE)


def topics(said: str, me: Who) -> list[Found]:
    """The facts of one segment that begins with its topic."""
    return list(_topics(said, me))


def _topics(said: str, me: Who) -> Iterator[Found]:
    if m := _SPOKEN.match(said) or _WORK_LANG.match(said):
        more = _AFTER.match(said, m.end())
        for part in re.split(r",? and |, ", m["v"] + (f" and {more['v']}" if more else "")):
            yield Found(me, "language", part, f"{me.shown} speaks {part}", 1, False, 0.85)
        return
    if m := _AS_ONE.match(said):
        for group, attribute in (
            ("health", "health"),
            ("ill", "health"),
            ("diet", "diet"),
            ("job", "occupation"),
            ("age", "age"),
        ):
            if m[group]:
                yield Found(me, attribute, m[group], f"{me.shown}: {m[group]}", 1, False, 0.85)
        return
    if m := _FAVORITE.match(said):
        noun, value = m["noun"].lower(), trimmed(m["v"])
        if value and not re.match(r"(?:part|thing|bit|time|day|way|one|memory|moment|word)\b", noun):
            yield Found(me, f"favorite_{noun.replace(' ', '_')}", value, f"{me.shown}'s favorite {noun} is {value}")
        return
    for taste, liked in ((_GOOD, True), (_BAD, False)):
        if (
            (told := taste.match(said))
            and (value := trimmed(told["v"]))
            and not re.match(r"(?:my|the|your|his|her) ", value)
        ):
            shown = f"{me.shown} {'likes' if liked else 'does not like'} {value}"
            yield Found(me, "likes", value, shown, 1 if liked else -1, False, 0.85)
            return
    if m := _BODY_ILL.match(said):
        yield Found(me, "health", m["v"], f"{me.shown} has {m['v']}")
    elif m := _BODY_IS.match(said):
        yield Found(me, "health", m["v"], f"{me.shown}: {m['v']}", 1, False, 0.85)
    elif (
        (m := _HOME_IS.match(said))
        and re.search(r"[A-Z]|^an? ", m["v"])
        and not re.match(r"(?:an? (?:mess|tip|long|bit)|where)\b", m["v"])
    ):
        yield Found(me, "home", m["v"], f"{me.shown} lives in {m['v']}")
    elif m := _BOTH.match(said):
        who = whose(me, m["noun"])
        yield Found(who, "occupation", m["v"], f"{who.shown} are {m['v']}s")
    elif (m := _SPELT.match(said)) and (name := is_name(m["v"])):
        yield Found(me, "name", name, f"{me.shown}'s name is {name}")


def verdicts(view: str, me: Who) -> list[Found]:
    """What a whole message says of its topics in two breaths, or by preference: "Marzipan? No thanks." """
    out = []
    for m in _VERDICT.finditer(view):
        value = m["v"].strip()
        if not _NOT_TOPICS.match(value) and not re.match(
            r"(?:do|does|is|are|can|should|would|what|who|how|why|when|where|any|my|the answer|i)\b",
            value,
            re.IGNORECASE,
        ):
            liked = m["yes"] is not None
            out.append(
                Found(
                    me,
                    "likes",
                    value,
                    f"{me.shown} {'likes' if liked else 'does not like'} {value}",
                    1 if liked else -1,
                    False,
                    0.85,
                )
            )
    if rather := _RATHER.search(view):
        value = f"{rather['v']} over {rather['w']}"
        out.append(Found(me, "prefers", value, f"{me.shown} prefers {value}", 1, False, 0.85))
    return out


def to_forget(sentence: str, me: Who) -> list[Found]:
    """The slot that a sentence asks to be forgotten: "The second address should be disregarded and removed"."""
    if not _FORGET.search(sentence) or not (
        _FILE.search(sentence) or re.search(r"\bdisregard", sentence, re.IGNORECASE)
    ):
        return []
    m = _OWN_NOUN.search(sentence)
    if m is None:
        return []
    noun = m["noun"].lower()
    also = {
        "dob": "birthday",
        "number": "phone",
        "diagnosis": "health",
        "medication": "medication",
        "postcode": "postcode",
        "health stuff": "health",
    }
    slot = ATTRIBUTES.nouns("en").get(noun) or also.get(noun, noun)
    who = whose(me, m["kin"]) if m["kin"] else me
    return [Found(who, slot, None, f"{who.shown}'s {noun} is to be forgotten", 1, True)]


def to_do(sentence: str, me: Who) -> list[Found]:
    """The members of a list of things to do: "jot this down: ring the vet, post the form"."""
    m = _LISTED.match(sentence)
    if m is None or "\ufffc" in m["v"]:
        return []
    parts = [p.strip(" .!") for p in re.split(r",? and (?=[a-z]+ )|, |; ", m["v"])]
    good = [p for p in parts if 2 <= len(p.split()) <= 12 and not _NOT_DOING.match(p)]
    return [Found(me, "todo", p, f"To do: {p}") for p in good]
