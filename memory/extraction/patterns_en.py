"""What English clauses say of their subject, as rules. The subject is read elsewhere; a rule begins at its verb.

`A` stands for the adverbs before a plain verb, `B` for a form of "to be" (joined or not) with the adverbs after it.
"""

from __future__ import annotations

import re

from memory.extraction.pattern import Fact, rule
from memory.extraction.vocabulary import LANGUAGES_EN, OCCUPATIONS_EN

_ADVERB = (
    r"(?:really|also|still|absolutely|truly|just|always|usually|generally|personally|currently|now|mostly|mainly|especially|particularly|definitely|certainly|already|actually|recently|totally"
    r"|do|both|only|even|simply|very|quite|severely|highly|deathly|extremely|so|too|pretty|finally|originally)"
)
A = rf" (?:{_ADVERB} ){{0,3}}"
B = rf"(?:'m|'s|'re| am| is| are)(?: {_ADVERB}){{0,3}} "
_HAVE = r"(?:'ve|'s| have| has)?"
_NOT = r"(?:don't|doesn't|do not|does not|no longer|never|can't|cannot|can not)"
V = r"(?P<v>.{1,70}?)"
END = r"[ .!~]*"
_ANYMORE = r"(?: any ?more| any longer)"

OCCUPATION = rf"(?P<occupation>(?:[\w-]+ ){{0,3}}?{OCCUPATIONS_EN})"
_DIETS = r"(?:vegan|vegetarian|pescatarian|pescetarian|keto|paleo|halal|kosher|gluten[- ]free|dairy[- ]free|plant[- ]based|low[- ]carb)"
_PET = r"(?P<pet>dog|puppy|cat|kitten|rabbit|bunny|parrot|hamster|turtle|tortoise|horse|guinea pig|goldfish|snake)"
_SOME = r"(?:an?|one|two|three|four|five|\d)"

LIKES = (
    rule(rf"{A}{_NOT} (?:really |particularly |even )?(?:like|love|enjoy|care for)s?(?P<to> to)? {V}{END}", Fact("likes", "{s} does not like{to} {v}", polarity=-1, many=True)),
    rule(rf"(?:{B}not|{B}n't| isn't| ain't) (?:really |much of )?(?:an? (?:big |huge )?fan of|into|fond of|keen on) {V}{END}", Fact("likes", "{s} does not like {v}", polarity=-1, many=True)),
    rule(rf"{A}(?:hates?|dislikes?|despises?|detests?|loathes?|can't stand|cannot stand|can't bear)(?P<to> to)? {V}{END}", Fact("likes", "{s} hates{to} {v}", polarity=-1, many=True)),
    rule(rf"{A}prefers? (?P<v>[^,]{{1,40}}? (?:over|to|rather than) [^,]{{1,40}}?){END}", Fact("prefers", "{s} prefers {v}")),
    rule(rf"{A}(?:likes?|loves?|enjoys?|adores?|prefers?)(?P<to> to)? {V}{END}", Fact("likes", "{s} likes{to} {v}", many=True)),
    rule(rf"{B}(?:an? (?:big |huge |great )?fan of|into|fond of|keen on|crazy about|passionate about|obsessed with) {V}{END}", Fact("likes", "{s} likes {v}", many=True)),
)  # fmt: skip

FOOD = (
    rule(rf"(?:{B}not|'m not| isn't| ain't|{B}no longer) allergic to {V}{_ANYMORE}?{END}", Fact("allergy", "{s} is not allergic to {v}", polarity=-1, many=True)),
    rule(rf"{B}(?:a (?:bit|little) )?allergic to {V}{END}", Fact("allergy", "{s} is allergic to {v}", many=True)),
    rule(rf"{_HAVE}{A}?(?:have|has|'ve got) (?:an? )?(?:severe |bad |serious |mild |life-threatening )?(?P<v>[a-z-]+(?: [a-z-]+)?) allerg(?:y|ies){END}", Fact("allergy", "{s} is allergic to {v}")),
    rule(rf"{A}(?:have|has) an? (?:severe |bad |serious |mild )?allergy to {V}{END}", Fact("allergy", "{s} is allergic to {v}", many=True)),
    rule(rf"{B}(?P<v>lactose|gluten|fructose|histamine)[- ]intolerant{END}", Fact("intolerance", "{s} is {v} intolerant")),
    rule(rf"{B}(?:an? |on an? )?(?:strict |lifelong )?(?P<v>{_DIETS})(?: diet)?{END}", Fact("diet", "{s} is {v}")),
    rule(rf"{A}(?:only )?(?:eats?|follows?|keeps?)(?: an?)?(?: only)? (?P<v>{_DIETS})(?: diet| food)?{END}", Fact("diet", "{s} is {v}")),
    rule(rf"{A}{_NOT} eats? {V}{_ANYMORE}?{END}", Fact("eats", "{s} does not eat {v}", polarity=-1, many=True)),
    rule(rf"{A}{_NOT} drinks?(?: alcohol| at all)?{_ANYMORE}?{END}", Fact("drinks", "{s} does not drink alcohol", value="alcohol", polarity=-1)),
    rule(rf"{A}{_NOT} drinks? {V}{_ANYMORE}?{END}", Fact("drinks", "{s} does not drink {v}", polarity=-1, many=True, check="food")),
    rule(rf"{_HAVE}{A}(?:quit|stopped|gave up) drinking{END}", Fact("drinks", "{s} does not drink alcohol", value="alcohol", polarity=-1)),
    rule(rf"{A}{_NOT} smokes?(?: or drink)?{_ANYMORE}?{END}|{_HAVE}{A}(?:quit|stopped|gave up) smoking{END}", Fact("smokes", "{s} does not smoke", value="tobacco", polarity=-1)),
    rule(rf"{A}smokes?{END}", Fact("smokes", "{s} smokes", value="tobacco")),
)  # fmt: skip

_DO = r"(?:run|jog|swim|walk|cycle|bike|hike|exercise|work out|meditate|pray|read|write|journal|cook|bake|practice|practise|play|study|drink|eat|have|take|go|get up|wake up|go to bed|call|visit|commute|ride|do|train|stretch|skip|watch|wear|buy|drive|fly|sleep|stay up|travel|use|sing|dance|volunteer)s?"
HABITS = (
    rule(rf"{A}(?P<v>{_DO}\b[^,]{{0,40}}?(?:every|each) (?:single )?(?:day|morning|evening|night|afternoon|week|weekend|month|year|weekday|(?:mon|tues|wednes|thurs|fri|satur|sun)day|other day)|{_DO}\b[^,]{{0,40}}?(?:once|twice|three times|four times) a (?:day|week|month|year)){END}", Fact("habit", "{s} usually does this: {v}", confidence=0.85)),
    rule(rf" never (?!eat|drink|smoke)(?P<v>{_DO}\b[^,]{{0,40}}?){END}", Fact("habit", "{s} never does this: {v}", polarity=-1)),
    rule(rf" always (?P<v>{_DO}\b[^,]{{1,40}}?){END}", Fact("habit", "{s} always does this: {v}", confidence=0.85)),
)  # fmt: skip

PLACE = (
    rule(rf"{A}(?:no longer|don't|doesn't|do not|does not) lives? in {V}{_ANYMORE}?{END}", Fact("home", "{s} no longer lives in {v}", retract=True, check="place")),
    rule(rf"(?:{A}(?:live|reside)s? (?:in|at)|{B}(?:living|based|located|residing) in|{_HAVE}{A}(?:moved|relocated)(?: from [^,]{{1,30}}?)?(?: back)? to|(?:'ve|'s| have| has){A}(?:lived|been living) in) {V}{END}", Fact("home", "{s} lives in {v}", check="place")),
    rule(rf"(?:{B}(?:originally )?from|{A}(?:come|came)s? from|{A}grew up in|{B}a native of) (?P<v>(?-i:(?:the )?[A-Z])[^,]{{1,40}}?(?:, (?-i:[A-Z])[\w ]{{1,20}})?){END}", Fact("hometown", "{s} comes from {v}", check="place")),
    rule(rf" was born in (?P<v>(?:19|20)\d\d){END}", Fact("birth_year", "{s} was born in {v}", check="number")),
    rule(rf" was born (?:on|in) (?P<v>(?:(?:19|20)\d\d-\d\d-\d\d|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? (?:19|20)\d\d)?|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*(?:,? (?:19|20)\d\d)?)){END}", Fact("birthday", "{s}'s birthday is {v}", check="plain")),
    rule(rf" was born in (?P<v>(?-i:[A-Z])[^,]{{1,40}}?){END}", Fact("birthplace", "{s} was born in {v}", check="place")),
)  # fmt: skip

_AT = r"(?: (?:at|for|with) (?P<v>[^,]{1,40}?))?"
WORK = (
    rule(rf"{B}(?:(?:currently )?(?:looking|searching|hunting|applying) for) (?:an? |some )?(?:new )?(?:(?:job|position|role|work) as an? )?(?P<v>[^,]{{2,40}}?)(?: (?:job|position|role|work|roles|jobs|positions))?{END}", Fact("job_search", "{s} is looking for a job as {v}", check="occupation")),
    rule(rf"{A}(?:no longer|don't|doesn't|do not|does not) works? (?:at|for) {V}{_ANYMORE}?{END}|{_HAVE}{A}(?:quit|left|resigned from) my (?:job|position|role) (?:at|with) (?P<w>[^,]{{1,40}}?){END}", Fact("employer", "{s} no longer works at {v}", retract=True, check="organisation")),
    rule(rf"(?:{A}works? as|{B}working as|{B}employed as|{B}|{_HAVE}{A}(?:became|started as|got a job as|'ve become) )\s?(?:an? |the )?{OCCUPATION}{_AT}{END}",
         Fact("occupation", "{s}'s occupation is {v}", group="occupation"), Fact("employer", "{s} works at {v}", check="organisation")),
    rule(rf"(?:{A}works? (?:at|for)|{B}(?:working|employed) (?:at|for|by)|{_HAVE}{A}(?:joined(?= (?-i:[A-Z]))|started working (?:at|for)|got (?:a|my)(?: new)? job at)) (?P<v>[^,]{{1,40}}?)(?: as (?:an? |the )?{OCCUPATION})?{END}",
         Fact("employer", "{s} works at {v}", check="organisation"), Fact("occupation", "{s}'s occupation is {v}", group="occupation")),
)  # fmt: skip

SCHOOL = (
    rule(rf"(?:{A}(?:studies|study)|{B}studying) (?P<major>[^,]{{2,30}}?) at {V}{END}", Fact("school", "{s} studies at {v}", check="school"), Fact("major", "{s}'s major is {v}", group="major")),
    rule(rf"(?:{A}(?:studies|study|studied) at|{B}studying at|{A}attends?|{B}an? (?:\w+ )?student at|{A}goes? to|{_HAVE}{A}graduated from|{_HAVE}{A}got into) {V}{END}", Fact("school", "{s}'s school is {v}", check="school")),
    rule(rf"(?:{A}(?:major|majored|majors) in|{B}majoring in|{_HAVE}{A}have a degree in) {V}{END}", Fact("major", "{s}'s major is {v}")),
)  # fmt: skip

SELF = (
    rule(rf"{B}(?P<v>\d{{1,3}})(?: years? old|[- ]year[- ]old| yo|yo)?{END}|{_HAVE}{A}turned (?P<w>\d{{1,3}}){END}", Fact("age", "{s} is {v} years old", check="number")),
    rule(rf"{B}(?P<v>\d[\d.]* ?(?:cm|m|meters|metres|centimeters|feet|ft)?(?: ?\d{{1,2}} ?(?:inches|in)?)?|\d'\d{{1,2}}\"?) tall{END}", Fact("height", "{s} is {v} tall", check="number")),
    rule(rf"{A}weighs? (?:about |around )?(?P<v>\d[\d.]* ?(?:kg|kgs|kilos|kilograms|lbs?|pounds|stone)){END}", Fact("weight", "{s} weighs {v}", check="number")),
    rule(rf"(?:{B}|{_HAVE}{A}(?:got|gotten) )(?P<v>single|married|divorced|engaged|widowed)(?: now)?{END}", Fact("marital_status", "{s} is {v}")),
    rule(rf"{A}(?:don't|doesn't|do not|does not|can't|cannot) speak (?:any )?(?P<v>{LANGUAGES_EN}){END}", Fact("language", "{s} does not speak {v}", polarity=-1, many=True)),
    rule(rf"(?:{A}(?:can )?speaks?(?: fluent| some| native)?|{B}(?:fluent|native) in|{B}a native speaker of) (?P<v>{LANGUAGES_EN})(?: fluently| well)?{END}", Fact("language", "{s} speaks {v}", many=True)),
    rule(rf"(?:{B}learning|{B}teaching myself|{_HAVE}{A}(?:started|been) learning)(?: how to| to)? (?!(?:about|from|more|a lot|so|as)\b){V}{END}", Fact("learning", "{s} is learning {v}", many=True, confidence=0.85)),
    rule(rf"{B}(?:good|great|skilled) at {V}{END}", Fact("skill", "{s} is good at {v}", many=True, confidence=0.85)),
    rule(rf" goes? by (?P<v>[A-Z][\w'-]+){END}", Fact("nickname", "{s} goes by {v}", check="name")),
)  # fmt: skip

PETS = (
    rule(rf"{_HAVE}{A}(?:have|has|own|owns|got|adopted) {_SOME} (?:[a-z]+ ){{0,2}}?{_PET}s?(?:,? (?:named|called|whose name is) (?P<name>[^,]{{1,30}}?))?{END}",
         Fact("pet", "{s} has a {v}", group="pet"), Fact("{pet}", "{s}'s {pet} is called {v}", group="name", check="name"), passes_on=False),
)  # fmt: skip

_KIN = r"(?P<rel>sons?|daughters?|kids?|children|child|(?:older |younger |little |big )?(?:brothers?|sisters?)|cousins?|nephews?|nieces?)"
FAMILY = (
    rule(rf"{_HAVE}{A}(?:have|has|'ve got) {_SOME} {_KIN} (?:named|called) (?P<v>[^,]{{1,30}}?){END}", Fact("{rel}", "{s}'s {rel} is called {v}", check="name"), passes_on=False),
    rule(rf"{_HAVE}{A}(?:have|has|'ve got) (?P<v>{_SOME} {_KIN}){END}", Fact("{rel}", "{s} has {v}"), passes_on=False),
)  # fmt: skip

USES = (
    rule(rf"{_HAVE}{A}(?:switched|migrated|changed)(?: over)? from (?P<v>[^,]{{1,30}}?) to (?P<new>[^,]{{1,30}}?){END}", Fact("uses", "{s} no longer uses {v}", retract=True, check="tool"), Fact("uses", "{s} uses {v}", group="new", check="tool")),
    rule(rf"{A}(?:no longer|never) uses? {V}{_ANYMORE}?{END}|{A}(?:don't|doesn't|do not|does not) use (?P<w>[^,]{{1,40}}?){_ANYMORE}{END}|{_HAVE}{A}(?:stopped|quit) using (?P<x>[^,]{{1,40}}?){END}", Fact("uses", "{s} no longer uses {v}", retract=True, check="tool")),
    rule(rf"{A}(?:don't|doesn't|do not|does not) use {V}{END}", Fact("uses", "{s} does not use {v}", polarity=-1, check="tool")),
    rule(rf"(?:{A}uses?|{B}using|{_HAVE}{A}(?:switched|migrated|changed)(?: over)? to|{_HAVE}{A}started using) {V}{END}", Fact("uses", "{s} uses {v}", many=True, check="tool")),
)  # fmt: skip

NICKNAME = rule(rf"(?:please |you can |just |(?:my )?friends |people |everyone |everybody |they ){{0,2}}calls? me (?!Ishmael|Crazy|Maybe)(?P<v>(?-i:[A-Z])[\w'-]+){END}", Fact("nickname", "{s} goes by {v}", check="name"), bare=True)  # fmt: skip

DECISION = re.compile(
    r"(?:(?:after|in the end|at last|so|okay)[^,]{0,40}? )?(?:I|we)(?:'ve| have)?(?: (?:finally|all|both|just|already|eventually|ultimately)){0,2} (?P<d>(?:decided (?:to|on|that|against)|chose (?!it\b|this\b|that\b|them\b|not\b)|went with (?!(?:my|our|his|her|him|them|you|it|that|this|some|friends|a friend|the (?:kids|family|girls|guys|gang))\b)|settled on|opted for|agreed (?:to|on)|picked (?!up\b|out\b)|selected|are going with)\b[^?]{2,120})",
    re.IGNORECASE,
)

PREDICATES = (*LIKES, *FOOD, *HABITS, *PLACE, *SCHOOL, *WORK, *SELF, *PETS, *FAMILY, *USES)
"""In the order they are tried; the first whose values pass states the clause's facts."""
