"""The form of an English construction: a head word with what follows it, and the facts that it states of its subject.

A frame is matched where the verb of a segment begins and need not reach the segment's end: its value stops by itself, at
a word that begins something else. What the auxiliaries said (`en_verb.Said`) decides: denied is a fact of polarity -1,
"no longer" takes it back, and a frame names the auxiliaries that it may follow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from memory.extraction.clauses import HIDDEN
from memory.extraction.en_verb import Said
from memory.extraction.pattern import Found, Lazy, Who

_WORD = r"[\w'&+#@/%£$€°.-]+"
_TIGHT = r"(?:and|but|or|so|because|cos|coz|cause|bc|since|which|who|that|when|while|whenever|where|if|as|for|in|on|at|with|w|without|from|to|until|till|through|after|before|by|every|each|now|today|tomorrow|yesterday|tonight|these|this|last|next|though|tho|although|is|are|was|were|has|have|had|will|again|anymore|any|too|also|already|instead|either|twice|once|most|btw|lol|haha|rn|atm|anyway|basically|honestly|apparently|mostly|mainly|usually|currently|recently|finally|actually|really|please|pls|ok|okay|per|than|then|my|your|he|she|they|it|we|I|I'm|im|I've|not|never|just|about|over|out|up|down|back|off|into|around|under|between|n|ago|yet|not)"
_LOOSE = r"(?:but|so|because|cos|coz|cause|bc|since|which|who|when|whenever|while|where|if|though|tho|although|now|these|btw|lol|haha|rn|atm|anyway|basically|honestly|apparently|please|pls|I|I'm|im|I've|we|he|she|they|it's|its|until|till|unless|instead|anymore|again)"
_START = r"(?!(?:I|I'm|we|he|she|they|it|this|that|these|those|them|you|your|what|how|when|where|why|who|which|some|any|all|both|each|so|too|very|not|no|nothing|something|everything|anything|someone|everyone|one|here|there|as|if|of|and|or|but|than|just|like|is|are|was|more|most|much|many|to|me|him|her|us|up|down|out|over)\b)"


def _phrase(stop: str, more: int) -> str:
    return rf"{_START}{_WORD}(?: (?!{stop}\b){_WORD}){{0,{more}}}"


_NP = _phrase(_TIGHT, 5)
_MEMBER = _phrase(_TIGHT, 3)
_NEXT = rf"(?!(?:my|our|then|now|just|can't|cannot|don't|also)\b){_MEMBER}"
_LIST = rf"{_MEMBER}(?:, {_NEXT}(?! (?:is|are|was|has|took|can|does)\b))*(?:,? (?:and|&|n|or|plus|\+) {_NEXT}(?! (?:is|are|was|has|took|can|does)\b))?"
_CAP = r"(?-i:[A-Z0-9][\w'&.+-]*)"
MACROS = {
    "np": rf"(?P<v>{_NP})",
    "np2": rf"(?P<w>{_NP})",
    "phrase": rf"(?P<v>{_phrase(_LOOSE, 9)})",
    "list": rf"(?P<v>{_LIST})",
    "Cap": rf"(?P<v>{_CAP}(?: {_CAP}){{0,4}})",
    "The": rf"(?P<v>(?:the )?{_CAP}(?: (?:of (?:the )?|and |& )?{_CAP}){{0,4}})",
    "adj": r"(?:[a-z-]+ ){0,2}?",
    "art": r"(?:(?:an?|the|my|our|his|her|their|some|this|that|another|one of those) )?",
    "adv": r"(?:(?:back|over|up|down|out|here|there|just|mostly|mainly|now|still|also|basically|currently|recently|finally|again|full[- ]time|part[- ]time|since \d{4}|since [a-z]+ \d{4}|for (?:the (?:last|past) )?(?:\w+ )?(?:years|months)|with my [a-z]+|together|alone) )*",
}


@dataclass(frozen=True)
class State:
    """One fact of a frame: `text` is the sentence, with `{s}` for the subject and `{v}` for the value.

    `check` cleans a value or refuses it; `each` makes one fact of every member of a list; `denies` says the opposite.
    """

    attribute: str
    text: str
    group: str = "v"
    value: str | None = None
    check: Callable[[str], str | None] | None = None
    each: bool = False
    denies: bool = False
    ends: bool = False


Of = Literal[
    "any", "other", "bare", "negative", "been", "cannot", "job", "school", "habit", "age", "weekly", "weekday", "perfect", "taste", "we", "tool",
    "decided", "skill", "clock", "status", "fear",
]  # fmt: skip
"""In what a subject or a form a frame may stand; `en_plain` says what each asks for."""


@dataclass(frozen=True)
class Frame:
    """A construction; see the module. `bare`: its subject may be left out; `of`: whom it can speak of.

    `denied`: what a negation does: "opposite", "nothing" (the frame is refused) or "end".
    """

    lazy: Lazy
    states: tuple[State, ...]
    aux: frozenset[str]
    bare: bool
    of: Of
    denied: str


def frame(
    aux: str,
    pattern: str,
    *states: State,
    bare: bool = False,
    of: Of = "any",
    denied: Literal["opposite", "nothing", "end"] = "opposite",
) -> Frame:
    """A frame over the auxiliaries `aux` (names with spaces between); macros in the pattern stand in double angles."""
    for name, text in MACROS.items():
        pattern = pattern.replace(f"<{name}>", text)
    return Frame(Lazy(pattern), states, frozenset(aux.split()), bare, of, denied)


_TRIM = re.compile(
    r"(?:,? (?:a lot|in the end|very much|so much|too|as well|also|though|tho|now|right now|these days|nowadays|at the moment|currently|lately|recently|anymore|any more|any longer|instead|again|please|lol|haha|actually|really|either|at all|btw|anyway|already|thanks|and|or|for|at|to|of|with|the|a|an|my|is|was))+$",
    re.IGNORECASE,
)
_AND = re.compile(r",? (?:and|&|n|or|plus|\+) |, ", re.IGNORECASE)
_NO_VALUE = re.compile(
    r"^(?:it|being|that|this|them|things?|stuff|one|ones|time|way|bit|lot|lots|while|few|fun|fine|ok|okay|idea|point|fact|same|other|others|rest|most|least|best|worst|day|days|week|weeks|year|years|anything|something|nothing|everything|here|there|you|your.*|you .*)$",
    re.IGNORECASE,
)


_CLAUSE_LIKE = re.compile(r"\b(?:is|are|was|can't|can|took|does|doesn't|will)$|^(?:my|our) \w+ \w+", re.IGNORECASE)


def trimmed(value: str) -> str | None:
    """A value without what hangs on at its end; None for a word that stands for something unsaid."""
    value = _TRIM.sub("", value.strip(" .,!~-'\"")).strip(" .,!~-")
    bare = re.sub(r"^(?:an?|the|my|our|some) ", "", value, flags=re.IGNORECASE)
    if not bare or _NO_VALUE.match(bare) or HIDDEN in value or re.search(r"\byou(?:r|'re)?\b", value, re.IGNORECASE):
        return None
    return value


def read(item: Frame, view: str, text: str, said: Said, who: Who, end: int) -> tuple[list[Found], int]:
    """The facts of a frame at a segment's head, and where its match ends; nothing where it does not fit."""
    if said.aux not in item.aux or (said.negated and item.denied == "nothing"):
        return [], 0
    m = item.lazy.match(view, said.head, end)
    if m is None or (m.end() < end and view[m.end()].isalnum() and view[m.end() - 1].isalnum()):
        return [], 0
    found = list(_found(item, m, text, said, who))
    return found, m.end()


def _found(item: Frame, m: re.Match[str], text: str, said: Said, who: Who) -> Iterator[Found]:
    for state in item.states:
        group = next(
            (g for g in ((state.group, "w") if state.group == "v" else (state.group,)) if m.groupdict().get(g)), ""
        )
        if state.value is None and not group:
            continue
        raw = state.value if state.value is not None else text[m.start(group) : m.end(group)]
        for part in _AND.split(raw) if state.each else [raw]:
            value = part if state.value is not None else trimmed(part)
            if value and state.check and state.value is None:
                value = state.check(value)
            if not value or (state.each and _CLAUSE_LIKE.search(value)):
                continue
            ends = state.ends or (said.negated and (said.ended or item.denied == "end"))
            denies = state.denies != (said.negated and not ends)
            shown = state.text.format(s=who.shown, v=value)
            if said.negated or state.ends:
                shown = f"{'No longer' if ends else 'Not so'}: {shown}"
            yield Found(who, state.attribute, value, shown, -1 if denies and not ends else 1, ends, 0.85)
