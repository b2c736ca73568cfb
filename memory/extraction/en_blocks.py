"""What keeps an English message, or one clause of it, from being the person's own plain statement.

Fiction and role play, pasted text, lyrics, wishes, conditions, advice to "you", irony. Rather a fact less.
"""

from __future__ import annotations

import re

from memory.extraction.pattern import by_initial

_WHOLE = re.compile(
    r"^(?:you're|you are|ur|youre) (?:an?|the|my) (?!star|legend|genius|lifesaver|saint|best|angel|wizard|champ|gem|hero)[a-z]|\b(?:mock interview|practice interview|chapter (?:one|two|three|four|five|six|seven|eight|nine|ten|\d+)|once upon a time|role[- ]?play|RP time|RP(?=:)|story (?:prompt|idea|opening)|writing prompt|new novel|first line|opening line|opening scene|plot idea|short story|flash fiction|in character|stay in character|pretend (?:you|to be|that|I)|act as|you are (?:the|an?) (?:[a-z]+ )?(?:vicar|innkeeper|dragon|wizard|king|queen|detective|captain|guard|pirate|knight|butler|teacher|interviewer|narrator|bartender|doctor|midwife|ghost)|play (?:an?|the) (?!piano|guitar|bit|game|round|lot|violin|gig|match|set|part in|little)[a-z]+ (?:in|from|who|called|named)\b|the narrator|my character|the protagonist|fanfic|screenplay|dialogue|monologue|limerick|haiku|lyric|lyrics|stuck in my head|on repeat|title of|from the film|in the film|that play|as .{2,20} (?:put|says|said) it|translate|proofread|rewrite|rephrase|fix (?:the|my) grammar|fix grammar|subject:|cv snippet|auto[- ]?reply|placeholder|test data|dummy|lorem|for example|e\.g\.|def |print\(|const |#include|select \*)",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"^\[?\d{1,2}:\d\d\]? \w+:|^\w{2,12}: .*\n\w{2,12}: |[{};]\s*$|^[^\S\n]*(?:#|//|--)\s|</?\w+>|= [\"']|\w\(\w*\):",
    re.MULTILINE,
)
_WISHES = r"provided|assuming|supposing|suppose|in case|as long as|let's (?:imagine|pretend|say)|imagine|part of me|tempted|half thinking|torn between|toying with|tossing up|toss a coin|can't decide|cannot decide|on the fence|someday|some day|one day|i wish|wish i|if only|ideally|in an ideal world|dream(?:ing)? of|would love|would like|'d love|'d like|'d rather|hoping to|hope to|thinking (?:of|about|maybe)|thinking maybe|not sure (?:whether|if)|idk|dunno|in my next life|in another life|in a past life|there was a time|back when|in my twenties|in those days|as a (?:kid|child|teenager|student|boy|girl)|growing up|when i (?:was|lived|worked|had|used)|used to|it's like|as if|as though|like i'm|feel like|feels like|unless|otherwise|it's not that|its not that|no yeah|oh absolutely|great, another|oh great|just great|just thrilled|in my dreams|in (?:the|a|that|this|my) (?:movie|film|book|show|game|novel|story|series|episode|dream|sims)|absolutely adore|world is|my main hobby|put it on my cv"
_NO = re.compile(rf"\b(?:{by_initial(_WISHES)})\b", re.IGNORECASE)
_GENERAL = re.compile(
    r"\b(?:everyone|everybody|nobody|people who|anyone|somebody|someone|your(?: own)?|you(?:'re|'ll|'ve)?)\b",
    re.IGNORECASE,
)
_IMPERATIVE = re.compile(
    r"(?:please |pls |just |so |now |also |ok |then |and )*(?:write|draft|make|give|tell|show|explain|translate|summari[sz]e|suggest|recommend|find|create|list|help|fix|check|compare|calculate|convert|play|book|turn|generate|describe|imagine|pretend|think of|name|plan|design|act|rate|review|rewrite|rank|don't|do not|never|always|increase|raise|lower|reduce|set|change|cut|add|remove|start|stop|buy|bin|save|stick|try|get|use|take|put|keep|go|be|let)\b(?! (?:it's|up at|to bed|love|you)\b)",
    re.IGNORECASE,
)


def blocked_message(view: str) -> bool:
    """Whether the message as a whole is fiction, pasted text, code or lyrics."""
    return _WHOLE.search(view) is not None or _CODE.search(view) is not None


_AS = re.compile(r"(?:(?:and|even|just|more|kind of|sort of) )*like (?:an?|the|my|some|when|two)\b", re.IGNORECASE)
"""What something is like, not what somebody likes: "like a robot"."""


def blocked_clause(said: str) -> bool:
    """Whether a clause is a wish, a condition, a memory of long ago, or speaks of "you" and people in general."""
    return _NO.search(said) is not None or _AS.match(said) is not None


_STORY = re.compile(
    r"\bin (?:the|my|this|our|that|a|his|her) (?:(?:new|old|other|last|first) )?(?:story|book|novel|film|movie|game|dream|show|series|script|campaign|sims|episode|sketch|musical|comic|poem|song|fantasy|rpg)\b|\b(?:dreamt|dreamed|back and forth (?:on|about)|in another life|parallel universe)\b|\bmy (?:character|dwarf|paladin|wizard|cleric|rogue|druid|bard)\b",
    re.IGNORECASE,
)
"""Words after which nothing in the sentence need be so."""
_CONDITION = re.compile(
    r"(?:(?:so|and|but|well|ok|then),? )*(?:assuming|provided|providing|supposing|as long as|so long as|on condition|should (?:the|my|our|it|we|this))\b",
    re.IGNORECASE,
)


def conditional(sentence: str) -> bool:
    """Whether a sentence begins with a condition, or as a story, which all of it hangs on."""
    return _CONDITION.match(sentence) is not None or _STORY.search(sentence) is not None


def blocked_segment(said: str) -> bool:
    """Whether a stretch of a clause speaks of "you" and people in general."""
    return _GENERAL.search(said) is not None


def is_request(said: str) -> bool:
    """Whether a clause without a subject is an order to the listener rather than what the speaker does."""
    return _IMPERATIVE.match(said) is not None
