"""Who does what in a stretch of English: its opening words, its subject and its verb with what the auxiliaries say.

A clause is split into segments ("I'm with Delta" | "been slinging bags since May"); of each, `parse` tells the subject,
whether it is denied, over, ahead or done, and where its head word stands. What the head says, the frames know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.extraction.en_kin import BARE, KIN, NAME, OWN, is_name, whose
from memory.extraction.pattern import Who
from memory.extraction.people import agrees, alternatives, somebody

OPENERS = re.compile(
    r"(?:(?:and|but|so|also|oh|ooh|ah|hey|hi|hiya|hello|well|ok|okay|kk|yes|yeah|yep|no|nope|nah|actually|sorry|wait|correction|fyi|btw|fwiw|tbh|ngl|tbf|lol|haha|lmao|omg|ugh|argh|right|right then|then|by the way|anyway|anyways|because|cos|coz|cause|bc|since|as|seeing as|seeing that|given that|given|considering|as someone who|as I said|I mean|honestly|frankly|basically|technically|officially|finally"
    r"|currently|now|nowadays|these days|right now|at the moment|atm|lately|recently|unfortunately|sadly|luckily|thankfully|fortunately|in fact|just so you know|so you know|just to let you know|for the record|for context|for background|for reference|thanks|thank you|cheers|besides|plus|though|tho|although|while|whereas|update|little update|small update|quick update|news|good news|bad news|big news|like I said|as I mentioned|as mentioned|personally|to be clear|to be fair|to be honest|if I'm honest|heads up(?: that)?|fun fact|full disclosure|confession|turns out|it turns out|the thing is|thing is|point is|fact is|truth is|long story short|not being funny but|not gonna lie|don't judge|in general|as you know|as of (?:today|this week|this month|last month|monday|yesterday|now)|from now on|going forward|team voted|shoutout to|shout out to|big up|meet|say hi to|it's official|guess what|you know what|after all that|in the end|after much thought|after [a-z]+ years(?: of [a-z]+)?|still|just|please note|note|note that|please be advised that|for the catering|at work|at home|over here|over there|which means|mind you|or rather|rather|instead|apparently|I confirm that|kindly note that|as a reminder|one more thing|another thing|first off|first of all|lastly|ps|p\.s\.|new phone|new account|and yes|and no|yes and|before I forget|before i forget|for what it's worth|on the plus side|on the bright side|on another note|on a side note|side note|in other news|in case it helps|in case it matters|if it helps|if it matters|if that helps|for planning|for the records?|for the file|for the form|happy to report|pleased to say|sad to say|regret to inform you(?: all)?(?: that)?|proud to say|glad to say|can confirm|just to say|to confirm|re your question|regarding your question)(?:\b|(?<=\.))[,:.!]? *){0,5}",
    re.IGNORECASE,
)
"""Words before what a segment says."""
_DAY_NAME = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_FRONTED = re.compile(
    rf"(?:(?:for|in|at|on|after|since|during|before|by|from|with|of|as|until|over|apart from|other than|besides|thanks to|due to|because of) (?:[\w'-]+ ){{1,6}}|(?:yesterday|tomorrow|today|tonight|this [a-z]+|last [a-z]+|next [a-z]+|{_DAY_NAME}|every [a-z]+|once a [a-z]+|most [a-z]+|these days|nowadays|lately|two [a-z]+ ago|a [a-z]+ ago|[a-z]+ years ago),? )(?=(?:I|I'm|I've|I'll|im|ive|we|we're|we've|my [a-z-]+|our [a-z-]+|he|she|he's|she's)(?: |'))",
    re.IGNORECASE,
)
_ADVERB = r"(?:really|also|still|absolutely|truly|just|always|usually|generally|personally|currently|now|mostly|mainly|especially|definitely|certainly|already|actually|recently|totally|literally|basically|officially|technically|both|only|even|simply|very|quite|severely|highly|deathly|extremely|so|too|pretty|finally|originally|apparently|presently|normally|typically|strictly|proudly|happily|temporarily|permanently|secretly|kind of|kinda|sort of|all|mainly|largely|newly|formally|at present|at the moment|atm|these days|nowadays|once again|again|ever|since|properly|massively|mildly|slightly|a bit|a little|in my (?:whole |entire )?life|at last|long since|once more|well and truly)"
_BE = r"'m\b|'re\b|'s\b| ?\bam\b| ?\bare\b| ?\bis\b|(?<=\b[Ii])m\b|(?<=\b[Hh]e)s\b|(?<=\bhey)re\b"
_PAST_PART = r"(?:been|had|gone|got|gotten|lived|worked|moved|[a-z]{3,}ed|started|taken|made|bought|sold|given|become|switched|quit|left|done|taught|known|grown|lost|won|found|kept|put|spent|met|built|run|come|begun|broken|cut|chosen|written|driven|ridden|swum|sung|sworn|learnt|owned|never|just|always|recently|finally|already|also|now|only|since)"
_HAVE = rf"(?:'ve|(?<=\b[Ii])ve| ?\bhave| ?\bhas|'d| ?\bhad|'s)(?=(?:n't|nt| not)? {_PAST_PART}\b)"
_AUX = re.compile(
    rf"(?P<have>{_HAVE})|(?P<be>{_BE})|(?P<was> ?\bwas| ?\bwere)|(?P<will>'ll\b| ?\bwill\b| ?\bshall\b| ?\bshan't\b| ?\bwon't\b| (?:going to|gonna)\b(?= [a-z]))|(?P<can> ?\bcan(?!'t)\b| ?\bcan't\b| ?\bcant\b| ?\bcannot\b)|(?P<got> ?\b(?:got|getting|gotten)(?= (?:made redundant|made (?:head|partner|manager)|laid|let go|fired|sacked|promoted|hired|diagnosed|married|engaged|divorced|poached|headhunted|accepted|offered)\b))|(?P<do> ?\bdo\b(?= (?:not|love|like|hate|enjoy|have|own|work|live|use|eat|drink|speak|play|need|know)\b)| ?\bdoes\b(?= not)| ?\bdid\b(?= ?(?:not|n't))| ?\bdon't\b| ?\bdont\b| ?\bdoesn't\b| ?\bdoesnt\b| ?\bdidn't\b| ?\bdidnt\b)|(?P<been> ?\bbeen\b|\bbeen\b)|(?P<adv> ?\b{_ADVERB}\b)",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"(?:n't|nt\b(?<!nt )| ?\bnot\b| ?\bNOT\b)(?! (?:only|just|sure|going to lie))| ?\b(?:never|neither|no longer|no more|hardly ever|barely)\b",
    re.IGNORECASE,
)
_ENDED = re.compile(r"\b(?:no longer|no more|any ?more|any longer)\b", re.IGNORECASE)
_I = re.compile(r"(?:I|we|me n [A-Z]\w+|me and [A-Z]\w+)(?=['\s]|m\b|ve\b|ll\b)", re.IGNORECASE)
_PRONOUN = re.compile(r"(?:he|she|they|it)(?=['\s]|s\b)", re.IGNORECASE)
_THIRD = r"(?:is|was|has|does|doesn't|isn't|never|no longer|can't|can|will|just|still|also|now|moved|joined|quit|got|graduated|grew|turned|left|lives|works|likes|loves|hates|enjoys|prefers|speaks|studie[sd]|attends|goes|comes|weighs|uses|drinks|eats|smokes|owns|plays|runs|dislikes?|adores?|teaches|drives|sells|keeps|bought|married|started|retired|passed|made|broke|had|lost|won|went|works|trains|coaches|manages)"
_SOMEBODY = re.compile(rf"(?P<name>{NAME}(?: {NAME})?)(?='s (?!\w+ (?:is|was|are|has)\b)| {_THIRD}\b)")


_KIN = alternatives(KIN)


@dataclass(frozen=True)
class Said:
    """One segment: `who` is None when no subject is said; `head` is where the head word begins, `end` the segment's end.

    `aux` is the strongest of: "be", "was", "perfect", "will", "can", "past", "plain".
    """

    start: int
    head: int
    end: int
    who: Who | None
    aux: str = "plain"
    been: bool = False
    negated: bool = False
    ended: bool = False
    plural: bool = False
    pronoun: bool = False


_SUBJECT_AHEAD = (
    rf"(?:I\b|i'?m\b|we\b|we're\b|my |our |he\b|she\b|they\b|he's|she's|they're|it's |its |{NAME} {_THIRD}\b)"
)
_VERB_AHEAD = r"(?:am|have|just|now|don't|can't|never|live|work|love|hate|study|moved|started|joined|became|bought|sold|currently|recently|also|then|drive|play|run|teach|speak|own|[a-z]{3,}ed|doing|going|working|living|learning|studying)"
_SPLIT = re.compile(
    rf"\s*[();]\s*|\s*:(?!\d)\s*|,\s+(?!(?:and|or|&) [\w' -]+$)|\s[-–—]+\s|—|\s?\.{{2,}}\s?| (?:and|but|so|because|cos|coz|cause|since|tho|though|although|while|whereas|as|then|when|bc|n|&|plus)(?= {_SUBJECT_AHEAD})| (?:and|but|then|n|&)(?= {_VERB_AHEAD} )|,? (?=who(?:'s|se)? )|,? (?:which|that) (?=(?:is|I|we)\b)",
    re.IGNORECASE,
)


def segments(view: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The stretches of a clause that each may say something of their own."""
    at = start
    for m in _SPLIT.finditer(view, start, end):
        if m.start() > at:
            yield at, m.start()
        at = max(at, m.end())
    if at < end:
        yield at, end


def parse(view: str, start: int, end: int, me: Who, third: Who | None) -> Said:
    """The subject and the verb of `view[start:end]`."""
    at = _skip(view, start, end)
    who, at, plural, pronoun = _subject(view, at, end, me, third)
    aux, been, negated, ended = "plain", False, False, False
    while at < end:
        if m := _NOT.match(view, at, end):
            negated = True
            ended = ended or _ENDED.search(m[0]) is not None
            at = m.end()
            continue
        m = _AUX.match(view, at, end)
        if m is None or m.end() == at:
            break
        kind = m.lastgroup or ""
        if kind == "do" and aux in ("can", "will"):
            break
        if re.search(r"n't|cant|cannot|dont|doesnt|didnt", m[0], re.IGNORECASE):
            negated = True
        if kind == "do" and "did" in m[0].casefold():
            aux = "past"
        elif kind == "got":
            aux = "past" if aux == "plain" else aux
        elif kind == "been":
            been = True
        elif kind == "have":
            aux = "perfect"
        elif kind in ("be", "was", "will", "can"):
            aux = kind
        at = m.end()
    while at < end and view[at] == " ":
        at += 1
    ended = ended or _ENDED.search(view, at, end) is not None
    return Said(start, at, end, who, aux, been, negated, ended, plural, pronoun)


def _skip(view: str, at: int, end: int) -> int:
    m = OPENERS.match(view, at, end)
    at = m.end() if m else at
    while at < end and view[at] in " ,:!":
        at += 1
    if m := _FRONTED.match(view, at, end):
        at = m.end()
    return at


def _subject(view: str, at: int, end: int, me: Who, third: Who | None) -> tuple[Who | None, int, bool, bool]:
    if m := _I.match(view, at, end):
        return me, m.end(), m[0].casefold() == "we", False
    if view.startswith(("who's ", "who "), at):
        return RELATIVE, at + 3, False, True
    if m := OWN.match(view, at, end):
        after = view[m.end() : m.end() + 1]
        if after in ("", " ", "'", ",") and not re.match(
            rf"'s (?:[a-z]+ )?(?:[a-z]+(?:'s| is| are)\b(?! [a-z]+ing)|(?:{_KIN})\b(?! of)|(?!just|always|still|also|only|never|now|already|finally|recently)[a-z]+ {_THIRD}\b)",
            view[m.end() : m.end() + 40],
        ):
            return whose(me, m["noun"]), m.end(), False, False
    if m := BARE.match(view, at, end):
        return whose(me, m["noun"]), m.start() + len(m["noun"]), False, False
    if m := _PRONOUN.match(view, at, end):
        return third if third and agrees(m[0], third) else NOBODY, m.end(), False, True
    m = _SOMEBODY.match(view, at, end)
    if m and is_name(m["name"]):
        return somebody(me, m["name"]), m.end(), False, False
    return None, at, False, False


NOBODY = Who("", "")
"""He, she or it of whom nothing is known."""
RELATIVE = Who("who", "who")
""" "who", for whom the segment before spoke of."""
