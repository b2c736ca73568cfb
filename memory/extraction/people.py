"""Whom a clause speaks about: the person who says "I", one of theirs ("my sister", 我爸爸), or somebody by name.

A subject's key is stable over languages: 我爸爸 and "my father" are both `user's father`. "He", "they" and 人家 are
nobody: what they refer to is not in the clause.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.attributes import ATTRIBUTES, Attributes, Language
from memory.extraction.pattern import Who
from memory.extraction.values import certain_name
from memory.extraction.vocabulary import NAME_ZH
from memory.record import USER


def relations(language: Language, attributes: Attributes = ATTRIBUTES) -> dict[str, str]:
    """Noun to attribute, for the attributes whose values are other people or animals."""
    nouns = attributes.nouns(language)
    return {
        n: a for n, a in nouns.items() if attributes.get(a).kind == "name" and a not in ("name", "nickname", "surname")
    }


def alternatives(words: dict[str, str]) -> str:
    """Pattern text for any of `words`, the longest first."""
    return "|".join(re.escape(w) for w in sorted(words, key=len, reverse=True))


RELATIONS_ZH = relations("zh")
RELATIONS_EN = relations("en")

_LEAD_ZH = re.compile(
    r"(?:(?:嗯+|哦|啊|哎呀?|唉|诶|嗨|你好|您好|好的|对了|是的|不对|错了|不过|但是?(?=[，, 我不也对喜讨从])|而且|并且|另外|还有|其实|实际上|事实上|顺便(?:说一?下|提一?下|一提)?|因为|由于|所以|总之|反正|虽然|然后|更正(?:一下)?|补充(?:一下)?|备注|说明(?:一下)?"
    r"|忘了说|忘了告诉你|跟你说(?:一下)?|告诉你(?:一下)?|(?:我)?(?:跟你)?说过|提醒(?:一下)?|注意|好(?=[，, ])|对(?=[，, 我])|不是(?=[，, 我])|那(?=我)|说实话|老实说|坦白说|众所周知|用户[：:])[，,：: ]*){0,3}"
)
_ADVERB_ZH = re.compile(
    r"(?:现在|目前|如今|其实|一直(?=都|很|住|在|喜|用|吃)|真的|真|确实|的确|特别|非常|十分|很|最(?!近|后|终|喜欢(?:吃|喝|看|听|玩|读)?的|爱(?:吃|喝|看|听|玩|读)?的)|超级?(?=喜|爱|讨|恨)|挺|比较|蛮|也|还|都|只|就|平时|一般|通常|从小就?|已经|仍然|依然|依旧|今年|最近|近来|这几年|主要|可(?=喜|不|讨)|太(?=喜|讨|爱)|尤其|格外|相当|个人|自己|又|终于|刚刚|刚"
    r"|现(?=住)|始终|永远|向来|历来|大多(?=喜)|毕竟|实在|简直|打心底|确定|严重(?=对)| )*"
)
_OWN_ZH = re.compile(rf"我(?:们)?(?:家)?(?:的)?(?P<noun>{alternatives(RELATIONS_ZH)})(?!友|们)(?=(?P<rest>.))")
_SELF_ZH = re.compile(r"(?:我自己|我本人|我个人|本人|我|咱|俺)(?!们|国|校)")
_NAME_AT_ZH = re.compile(NAME_ZH)
_NAMED_VERB_ZH = re.compile(
    r"(?:很|最|也|还|特别|非常|现在|目前|今年|从小|一直|都|比较|挺)*(?:不?喜欢|讨厌|热爱|不吃|不喝|从不|对.{1,12}过敏|住在?|来自|老家|在.{1,16}(?:工作|上班|任|上学|读书|当|做)|是.{1,12}人$|就职|任职|毕业|身高|体重|\d{1,3}岁|养了|会说|的生日|生日|每天|搬到|入职|担任|任)"
)

_LEAD_EN = re.compile(
    r"(?:(?:and|but|so|also|oh|ah|hey|hi|hello|well|ok|okay|yes|yeah|yep|no|nope|actually|sorry|wait|correction|fyi|btw|by the way|anyway|because|since|as I said|I mean|honestly|currently|now|nowadays|these days|right now|unfortunately|sadly|luckily|fortunately|in fact"
    r"|just so you know|just to let you know|for the record|for context|thanks|thank you|besides|plus|though|although|while|I told you|update|like I said|personally|to be clear|the thing is|in general|as you know)\b[,:]? *){0,4}",
    re.IGNORECASE,
)
_OWN_EN = re.compile(
    rf"my (?:dear |late |lovely |new )?(?P<noun>{alternatives(RELATIONS_EN)})(?:,? (?P<name>(?-i:[A-Z])[a-z]+))?,?(?= |'s )",
    re.IGNORECASE,
)
_SELF_EN = re.compile(r"(?:I|i)(?=['\s])")
# A name is a subject only before a verb in the third person: "Sounds like a plan" and "Coffee machines are" are none.
_NAME_AT_EN = re.compile(
    r"(?P<name>[A-Z][a-z]+(?: [A-Z][a-z]+)?)(?= (?:(?:really|also|still|just|always|now|currently|absolutely|only) )?(?:is|was|has|does|doesn't|isn't|never|no longer|can't|moved|joined|quit|got|graduated|grew|turned|left"
    r"|lives|works|likes|loves|hates|enjoys|prefers|speaks|studies|attends|goes|comes|weighs|uses|drinks|eats|smokes|owns|plays|runs|dislikes|adores)\b)"
)


@dataclass(frozen=True)
class Subject:
    """Whom a clause speaks about, and where what it says of them begins. `plain`: not introduced by "I" or "my"."""

    who: Who
    rest: int
    plain: bool = False


def speaker(subject: str, language: str) -> Who:
    """The person who says "I" in this utterance."""
    if subject != USER:
        return Who(subject, subject)
    return Who(USER, "用户" if language == "zh" else "The user")


def theirs(owner: Who, noun: str, attribute: str, language: str) -> Who:
    """Somebody of `owner`'s: the key by the relation, shown by the noun that was said."""
    shown = f"{owner.shown}的{noun}" if language == "zh" else f"{owner.shown}'s {noun}"
    return Who(f"{owner.key}'s {attribute.replace('_', ' ')}", shown)


def lead(view: str, start: int, end: int, language: str) -> int:
    """Where the clause begins behind its opening words."""
    m = (_LEAD_ZH if language == "zh" else _LEAD_EN).match(view, start, end)
    at = m.end() if m else start
    while at < end and view[at] in " ,:，：":
        at += 1
    return at


def subject_zh(view: str, start: int, end: int, me: Who) -> Subject | None:
    """The subject at `start`, with the adverbs around it read."""
    at = _adverbs(view, start, end)
    if m := _OWN_ZH.match(view, at, end):
        noun = m["noun"]
        who = theirs(me, noun, RELATIONS_ZH[noun.casefold()], "zh")
        return Subject(who, _adverbs(view, m.end(), end))
    if m := _SELF_ZH.match(view, at, end):
        return Subject(me, _adverbs(view, m.end(), end))
    for stop in range(min(end, start + 4), start + 1, -1) if "一" <= view[start : start + 1] <= "龥" else ():
        name = certain_name(view[start:stop], "zh")
        if name and _NAMED_VERB_ZH.match(view, stop, end):
            return Subject(Who(name, name), _adverbs(view, stop, end), plain=True)
    m = _NAME_AT_ZH.match(view, start, end)
    if (
        m
        and m[0].isascii()
        and certain_name(m[0], "en")
        and _NAMED_VERB_ZH.match(view, _adverbs(view, m.end(), end), end)
    ):
        return Subject(Who(m[0], m[0]), _adverbs(view, m.end(), end), plain=True)
    return None


def _adverbs(view: str, at: int, end: int) -> int:
    m = _ADVERB_ZH.match(view, at, end)
    return m.end() if m else at


def subject_en(view: str, start: int, end: int, me: Who) -> Subject | None:
    """The subject at `start`."""
    if m := _SELF_EN.match(view, start, end):
        return Subject(me, m.end())
    if m := _OWN_EN.match(view, start, end):
        noun = m["noun"].lower()
        return Subject(theirs(me, noun, RELATIONS_EN[noun], "en"), m.end())
    m = _NAME_AT_EN.match(view, start, end)
    if m and certain_name(m["name"], "en"):
        return Subject(Who(m["name"], m["name"]), m.end(), plain=True)
    return None
