"""People of one's own in English: how they are called, and how a clause brings one in by name.

"my mate Kasimir", "Priya, my sister-in-law,", "our Ben (my eldest)": the noun is the attribute, the name its value.
"""

from __future__ import annotations

import re

from memory.extraction.pattern import Found, Who
from memory.extraction.people import RELATIONS_EN, alternatives, theirs
from memory.extraction.values import certain_name
from memory.extraction.vocabulary import BREEDS_EN, CAT_BREEDS_EN

_ALSO = {
    "mam": "mother", "ma": "mother", "mama": "mother", "mommy": "mother", "mummy": "mother", "old lady": "mother",
    "pops": "father", "pop": "father", "papa": "father", "daddy": "father", "old man": "father", "da": "father",
    "hubby": "husband", "other half": "partner", "better half": "partner", "significant other": "partner", "missus": "wife",
    "gf": "girlfriend", "bf": "boyfriend", "plus-one": "partner", "ex": "ex", "ex-wife": "ex_wife", "ex-husband": "ex_husband",
    "bro": "brother", "twin": "brother", "lad": "son", "eldest": "child", "oldest": "child", "youngest": "child", "middle one": "child",
    "little one": "child", "toddler": "child", "little girl": "daughter", "little boy": "son", "teenager": "child", "teen": "child", "kiddo": "child",
    "nan": "grandmother", "nanna": "grandmother", "nanny": "grandmother", "nonna": "grandmother", "abuela": "grandmother", "oma": "grandmother",
    "grandmum": "grandmother", "grandmom": "grandmother", "por por": "grandmother", "grandpop": "grandfather", "gramps": "grandfather",
    "opa": "grandfather", "abuelo": "grandfather", "grandson": "grandson", "granddaughter": "granddaughter",
    "auntie": "aunt", "aunty": "aunt", "great-aunt": "aunt", "great aunt": "aunt", "great-uncle": "uncle", "great uncle": "uncle",
    "bestie": "friend", "bff": "friend", "bestest": "friend", "schoolfriend": "friend", "school friend": "friend", "gym buddy": "friend", "running buddy": "friend",
    "line manager": "manager", "boss's boss": "manager", "team lead": "manager", "landlord": "landlord", "landlady": "landlord",
    "therapist": "therapist", "physio": "physiotherapist", "dentist": "dentist", "gp": "doctor", "hairdresser": "hairdresser", "barber": "barber",
    "accountant": "accountant", "solicitor": "lawyer", "lawyer": "lawyer", "tutor": "tutor", "coach": "coach", "trainer": "trainer", "vet": "vet",
    "supervisor": "supervisor", "advisor": "advisor", "adviser": "advisor", "professor": "teacher", "prof": "teacher", "piano teacher": "teacher",
    "childminder": "childminder", "babysitter": "babysitter", "cleaner": "cleaner", "mechanic": "mechanic", "business partner": "business_partner",
    "co-founder": "co_founder", "cofounder": "co_founder", "goddaughter": "goddaughter", "godson": "godson", "godmother": "godmother", "godfather": "godfather",
    "son-in-law": "son_in_law", "son in law": "son_in_law", "daughter-in-law": "daughter_in_law", "daughter in law": "daughter_in_law",
    "half-sister": "sister", "half-brother": "brother", "half sister": "sister", "half brother": "brother", "stepbrother": "brother", "stepsister": "sister",
    "in-laws": "in_laws", "parents": "parents", "folks": "parents", "grandparents": "grandparents", "kids": "child", "children": "child",
    "sons": "son", "daughters": "daughter", "brothers": "brother", "sisters": "sister", "boys": "son", "girls": "daughter", "twins": "child", "cats": "cat", "dogs": "dog",
    "lodger": "roommate", "desk mate": "colleague", "deskmate": "colleague", "carer": "carer", "fam": "family", "family": "family", "penpal": "friend", "pen pal": "friend",
}  # fmt: skip
KIN: dict[str, str] = {**RELATIONS_EN, **_ALSO}
"""Noun to attribute."""
_KIN = alternatives(KIN)
_AGE = r"(?:older|elder|younger|little|big|eldest|oldest|youngest|baby|kid)"
_PLAIN = r"(?:(?:wee|kid|dear|late|lovely|new|other|only|middle|twin|best|good|close|old|closest|childhood|college|uni|school|high school|work|former|current|poor|own|great|beloved|wonderful|grumpy|long-suffering|ten|two|three|four|darling) ){0,2}"
NAME = r"(?-i:[A-Z][a-zà-ÿ]+(?:[-'][A-Z][a-z]+)?)"
OWN = re.compile(
    rf"(?:(?:my|our) |the (?=(?:eldest|oldest|youngest|baby|middle one|little one|missus|wife|hubby|husband|other half|mother-in-law|in-laws|girlfriend|boyfriend|fiancée?)\b)){_PLAIN}(?P<noun>(?:{_AGE} )?(?:{_KIN}))(?![\w-])(?! (?:and|&|n|or) )(?:,? ?(?:from|since|at) [a-z]+(?: school| days| work)?)?(?:,? (?P<name>{NAME}(?: {NAME})?)(?!\w)(?:,(?= (?:is|was|has|who|just|works|lives)\b))?)?",
    re.IGNORECASE,
)
""" "my older brother", "my best friend since kindergarten, Marisol"."""
BARE = re.compile(
    r"(?P<noun>mum|mam|mom|mama|dad|daddy|nan|gran|grandad|granddad|grandma|grandpa|granny|nana|hubby)(?:'s|s)?(?= (?!is the word|jokes?|bod|life|blog)[a-z])(?!s)",
    re.IGNORECASE,
)
"""Kin whom people name without "my"."""
_GLOSS = re.compile(
    rf"(?P<name>{NAME}(?: {NAME})?)(?:, | \(| - | – | is |'s )(?:my|our) {_PLAIN}(?P<noun>(?:{_AGE} )?(?:{_KIN}))(?![\w'-])(?: (?:from|of|since|at)\b[^,.()]{{0,24}})?(?=\)|[,.;:!]|$|(?<=\))| (?:and|who|is|was|but)\b)",
    re.IGNORECASE,
)
_PASSED = {
    "boss",
    "manager",
    "roommate",
    "landlord",
    "landlady",
    "teacher",
    "colleague",
    "coach",
    "supervisor",
    "doctor",
    "therapist",
}
_FORMER = re.compile(r"\b(?:old|former|ex|previous|last)\b", re.IGNORECASE)
""" "my old boss Linda" is nobody's boss any more, where "my old friend" still is a friend."""
_SOMEWHERE = re.compile(r"\b(?:at|in|near|outside|into) (?:(?-i:[A-Z])\w* )*\Z", re.IGNORECASE)
"""What makes the capitals after it a place: "at Leeds Beckett, my niece"."""
_CALLED = re.compile(
    rf"(?:my|our) {_PLAIN}(?P<noun>(?:{_AGE} )?(?:{_KIN}))(?:'s| is|s are)? (?:called|named) (?P<name>{NAME})",
    re.IGNORECASE,
)
_FAMILY = {"father", "mother", "wife", "husband", "girlfriend", "boyfriend", "partner", "son", "daughter", "child", "brother", "older_brother", "younger_brother", "sister", "older_sister", "younger_sister", "grandmother", "grandfather"}  # fmt: skip


def attribute_of(noun: str) -> str:
    """The attribute of a noun for somebody of one's own."""
    noun = noun.casefold()
    if noun in KIN:
        return KIN[noun]
    age, _, kin = noun.partition(" ")
    side = "older" if age in ("older", "elder", "big", "eldest", "oldest") else "younger"
    base = KIN.get(kin, kin)
    return f"{side}_{base}" if base in ("brother", "sister") else base


def whose(me: Who, noun: str) -> Who:
    """Somebody of `me`'s by the noun that was said."""
    return theirs(me, noun.lower(), attribute_of(noun), "en")


def is_name(said: str | None) -> str | None:
    """A name, in capitals and no common word."""
    return certain_name(said, "en") if said else None


def naming(me: Who, noun: str, name: str) -> Found:
    """The fact that one of theirs is called so."""
    return Found(me, attribute_of(noun), name, f"{me.shown}'s {noun.lower()} is called {name}")


_HAVE = re.compile(
    rf"(?:have|has|had|got|'ve) (?:an?|one|another) (?:[a-z]+ )?(?P<noun>(?:{_AGE} )?(?:{_KIN}))(?:,| -)? ?(?:called|named|who's called|whose name is)? ?(?P<name>{NAME})(?= *$|[,.;!)]| (?:who|and|in|at|from|lives|works|is)\b)",
    re.IGNORECASE,
)
_ELDER = re.compile(
    rf"(?P<noun>uncle|aunt|auntie|aunty|grandpa|grandma|nana|granny|cousin) (?P<name>{NAME})(?!\w)", re.IGNORECASE
)
_TOGETHER = re.compile(
    rf"(?P<name>{NAME}) and (?:I|me) (?:go (?:way )?back|have been (?:friends|mates)|are (?:best )?(?:friends|mates)|have known each other|met (?:at|in|when|on)|grew up together|became friends|were at school|used to share)",
    re.IGNORECASE,
)
_ANIMAL = rf"(?:{BREEDS_EN}|{CAT_BREEDS_EN}|dog|puppy|pup|cat|kitten|rabbit|bunny|parrot|budgie|hamster|turtle|tortoise|horse|pony|mare|gelding|guinea pig|goldfish|snake|gecko|lizard|ferret|parakeet|cockatiel|cockatoo|african grey|macaw|chinchilla|hen|goat|donkey|hedgehog|rat|gerbil|iguana|bearded dragon|axolotl)"
_PET_NAMED = re.compile(
    rf"(?:my|our|an?|the|two|three|four|one|this) (?:[\w-]+ ){{0,3}}?(?P<pet>{_ANIMAL})s?(?:(?:'s| is| are)? (?:called|named)|,| \(| -|:|,? whose name is|'s name is|'s names are)? (?P<names>{NAME}(?:(?:, \d+)?(?:,|;| and|,? and| &) {NAME})*)(?!\w)",
    re.IGNORECASE,
)
_NAMED_PET = re.compile(
    rf"(?P<names>{NAME})(?:,| is|'s| \() ?(?:my|our|the) (?:[\w-]+ ){{0,2}}?(?P<pet>{_ANIMAL})(?![\w-])", re.IGNORECASE
)


_CAPITAL = re.compile(r"[A-Z][a-zà-ÿ]")
"""Without one there is no name."""


def named_in(said: str, me: Who) -> list[tuple[int, Found, Who]]:
    """Everybody of `me`'s whom a stretch brings in by name, in order: where, the fact, and who that is."""
    out: list[tuple[int, Found, Who]] = []
    if not _CAPITAL.search(said):
        return out
    for pattern in (OWN, _GLOSS, _CALLED, _HAVE, _ELDER):
        for m in pattern.finditer(said):
            name = is_name(m["name"])
            if re.search(r"\bcall(?:s|ed|ing)? \Z", said[: m.start()]):
                continue  # "I call my boss Sauron"
            if attribute_of(m["noun"]) in _PASSED and _FORMER.search(m[0], 0, m.start("noun") - m.start()):
                continue
            if pattern is _GLOSS and _SOMEWHERE.search(said, 0, m.start()):
                continue
            if name and attribute_of(m["noun"]) != "parents":
                fact = naming(me, m["noun"], name)
                kin = fact.attribute in _FAMILY
                out.append((m.start("name"), fact, whose(me, m["noun"]) if kin else Who(name, name)))
    out += [
        (m.start(), naming(me, "friend", name), Who(name, name))
        for m in _TOGETHER.finditer(said)
        if (name := is_name(m["name"]))
    ]
    for pattern in (_PET_NAMED, _NAMED_PET):
        for m in pattern.finditer(said):
            kind = kind_of(m["pet"])
            who = theirs(me, kind, kind, "en")
            for name in re.findall(NAME, m["names"]):
                if is_name(name):
                    out.append(
                        (
                            m.start(),
                            Found(me, kind, name, f"{me.shown}'s {m['pet'].lower()} is called {name}"),
                            Who(name, name),
                        )
                    )
            if re.fullmatch(rf"{BREEDS_EN}|{CAT_BREEDS_EN}|african grey|cockatiel|macaw", m["pet"], re.IGNORECASE):
                out.append((m.start(), Found(who, "breed", m["pet"], f"{who.shown} is a {m['pet']}"), who))
    return sorted(out, key=lambda one: one[0])


def kind_of(animal: str) -> str:
    """The attribute under which an animal is kept: dog, cat, and so on, or pet."""
    kind = RELATIONS_EN.get(animal.casefold())
    if kind in _ANIMALS:
        return kind
    if re.fullmatch(BREEDS_EN, animal, re.IGNORECASE):
        return "dog"
    if re.fullmatch(CAT_BREEDS_EN, animal, re.IGNORECASE):
        return "cat"
    return "bird" if re.search(r"budgie|parakeet|cockat|african grey|macaw", animal, re.IGNORECASE) else "pet"


_ANIMALS = {"pet", "dog", "cat", "rabbit", "bird", "hamster", "turtle", "horse"}
