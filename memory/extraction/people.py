"""Whom a clause speaks about: the person who says "I", one of theirs ("my sister", 我爸爸), or somebody by name.

A subject's key is stable over languages: 我爸爸 and "my father" are both `user's father`. "He", "they" and 人家 are
nobody: what they refer to is not in the clause.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.attributes import ATTRIBUTES, Attributes, Language
from memory.extraction.pattern import Found, Lazy, Who, by_initial
from memory.extraction.values import certain_name, person
from memory.extraction.vocabulary import NAME_ZH
from memory.extraction.zh_kin import NAMED_WITHOUT_MY, SPOKEN, WITHOUT_MY
from memory.record import USER


def relations(language: Language, attributes: Attributes = ATTRIBUTES) -> dict[str, str]:
    """Noun to attribute, for the attributes whose values are other people or animals."""
    nouns = attributes.nouns(language)
    return {
        n: a for n, a in nouns.items() if attributes.get(a).kind == "name" and a not in ("name", "nickname", "surname")
    }


def alternatives(words: dict[str, str]) -> str:
    """Pattern text for any of `words`, the longest first."""
    return by_initial("|".join(re.escape(w) for w in sorted(words, key=len, reverse=True)))


RELATIONS_ZH = {**SPOKEN, **relations("zh")}
RELATIONS_EN = relations("en")
_THINGS_ZH = frozenset(ATTRIBUTES.nouns("zh")) - frozenset(RELATIONS_ZH)
"""What somebody has, and no name: 我婶婶生日是..."""

_LEAD_ZH = re.compile(
    r"(?:(?:嗯+|哦|啊|哎呀?|唉|诶|嗨|你好|您好|好的|对了|是的|不对|错了|不过|但是?(?=[，, 我不也对喜讨从很特超最])|而且|并且|另外|还有|其实|实际上|事实上|顺便(?:说一?下|提一?下|一提)?|因为|由于|所以|总之|反正|虽然|然后|更正(?:一下)?|补充(?:一下)?|备注|说明(?:一下)?"
    r"|等下|等一下|哦豁|哎哟|哎呦|害(?=[，, ])|对咯|欸|哈喽|讲真|说真的|实不相瞒|不瞒你说|话说(?:回来)?|说起来|怎么说呢|咋说呢|(?:我)?(?:跟|和|给)你(?:们)?(?:说|讲)(?:哦|哈|啊|个事儿?|下)?|那个啥|晓得不嘛|不知道(?:咋|怎么)回事|后来(?:才)?(?:晓得|知道|发现|查出来?)|才(?:晓得|知道|发现)|顺嘴(?:一提|提一句)|顺带(?:一提|说一句)|刚才(?=[我，,])|没错|嗐|嘿嘿|哈哈+|唉+|大家好|各位[一-龥]{0,3}好|老师好|您好|悄悄说|偷偷说|坦白讲|老实讲|说来惭愧|说出来不怕你笑话|不好意思|抱歉|惭愧|总的来说|说白了|众所周知|敢情|得亏|幸亏|幸好|多亏|可惜|好在|结果|没想到|居然|竟然|果然|反倒是?|(?:上回|上次|后来|结果)?去医院一?(?:查|看|检查)(?:了一?下|才知道|说是?)?|一查(?:才知道)?|说句实话|声明一下|通知[:：]|告知[:：]|特此说明|如题|谁懂啊"
    r"|忘了说|忘了告诉你|跟你说(?:一下)?|告诉你(?:一下)?|(?:我)?(?:跟你)?说过|提醒(?:一下)?|注意|好(?=[，, ])|对(?=[，, 我])|不是(?=[，, 我])|那(?=我)|说实话|老实说|坦白说|众所周知|用户[：:])[，,：: ]*){0,3}"
)
_ADVERB_ZH = re.compile(
    r"(?:现在|目前|如今|其实|一直(?=都|很|住|在|喜|用|吃)|真的|真|确实|的确|特别|非常|十分|很|最(?!近|后|终|喜欢(?:吃|喝|看|听|玩|读)?的|爱(?:吃|喝|看|听|玩|读)?的)|超级?(?=喜|爱|讨|恨)|挺|比较|蛮|也|还|都|只|就|平时|一般|通常|从小就?|已经|仍然|依然|依旧|今年|最近|近来|这几年|主要|可(?=喜|不|讨)|太(?=喜|讨|爱)|尤其|格外|相当|个人|自己|又|终于|刚刚|刚"
    r"|现(?=住)|始终|永远|向来|历来|大多(?=喜)|毕竟|实在|简直|打心底|确定|严重(?=对)| )*"
)
_OWN_ZH = re.compile(
    rf"(?:我|咱|俺)(?:们)?(?:家)?(?:的)?(?:那(?:只|条|个)?|亲|最好的|最铁的|一个|有个|大学|高中|隔壁)?(?P<noun>{alternatives(RELATIONS_ZH)})(?!友|们|(?P=noun))(?=(?P<rest>.))"
)
# Kin that a person may name without "my": 老公在银行上班. Not 孩子们 or 老师, which people in general have.
_BARE_KIN_ZH = re.compile(
    rf"(?P<noun>{WITHOUT_MY})(?=今年|现在|目前|最近|去年|昨天|前天|明天|上周|下周|上个月|下个?月|是|系|在|也|叫|对[^面方]|的[生电手血身体星学专职公单名家老微邮爱口工母]|刚|从|每|身高|退休|属|喜欢|爱|不[吃喝爱喜会在]|有|开|做|当|住|搬|嫁|考|读|念|上[高初大小]|养|患|过敏|怀孕|[A-Z\d]|[一二三四五六]年级|[大中小]班|[高初研博][一二三]|[今生]日|就是|还在|已经|一直|才|马上|快|来自|比我|跟我|人在|姓|信|学|教|种|卖|跑|干|搞|换|升|辞|入职|跳槽|去了|回|得了|查出)"
)
# 我同事小王, 我一个朋友阿哲: the relation and then the name.
_NAMED_KIN_ZH = re.compile(
    rf"我(?:们)?(?:家|有)?(?:的)?(?:一?个|那个|最好的|大学|高中|初中|小学|公司)?(?:的)?(?P<noun>{alternatives({n: a for n, a in RELATIONS_ZH.items() if len(n) > 1 or n in '哥姐弟妹'})})(?!(?P=noun))(?P<name>[一-龥]{{2,3}}?|[A-Z][a-z]+)(?=(?:也|都|现在|今年|最近|去年|从小|一直|刚|特别|很|明天|下周|上周|昨天|下个?月|每)*(?:在(?!的)|是|住|对|喜欢|爱|讨厌|不吃|不喝|最|会|有|养|开|做|当|从|搬|考|属|身高|怀孕|结婚|要(?!求)|生|去|回|升|跳槽|离职|入职|开了?|[一-龥]{{2,3}}人$|\d))"
)
# 发小大鹏最近升职了
_NAMED_BARE_ZH = re.compile(
    rf"(?P<noun>{NAMED_WITHOUT_MY})(?P<name>[一-龥]{{2,3}}?|[A-Z][a-z]+)(?=(?:也|都|现在|今年|最近|去年|从小|一直|刚|特别|很|明天|下周|上周|昨天|下个?月|每|上个?月|前阵子|这两年)*(?:在(?!的)|是(?!不)|住|对|喜欢|讨厌|不吃|不喝|有(?!没)|养|开[了始]|做|当|搬|考|属|身高|怀孕|结婚|离婚|生|升|换|跳槽|辞|入职|调|\d))"
)
_PRONOUN_ZH = re.compile(r"(?:他|她|它|TA|ta|人家|小家伙)(?!们|妈|爸|说|问|的|自己)")
_AGAIN_ZH = re.compile(rf"(?:他|她|TA|ta)(?!们|家|说|问|的|自己|俩|前?(?:{alternatives(RELATIONS_ZH)}))")
"""我同事他在杭州上班: the person again."""
_PRONOUN_EN = re.compile(r"(?:he|she|it)(?=['\s])", re.IGNORECASE)
_SELF_ZH = re.compile(
    r"(?:我自己|我本人|我个人|我这个?人|我们[家俩]|我家(?=[在住是的])|我们(?=都?(?:离婚|结婚|领证|订婚|分手|住|搬|定居|养|有[一两个]|家))|本人|阿拉|在下|鄙人|敝人|洒家|小女子|小弟(?=[是在我叫做就从])|我|咱|俺)(?!们|国|校)"
)
_NAME_AT_ZH = re.compile(NAME_ZH)
_NAMED_VERB_ZH = re.compile(
    r"(?:很|最|也|还|特别|非常|现在|目前|今年|从小|一直|都|比较|挺)*(?:不?喜欢|讨厌|热爱|不吃|不喝|从不|对.{1,12}过敏|住在?|来自|老家|在.{1,16}(?:工作|上班|任|上学|读书|当|做)|是.{1,12}人$|就职|任职|毕业|身高|体重|\d{1,3}岁|养了|会说|的生日|生日|每天|搬到|入职|担任|任)"
)

_LEAD_EN = re.compile(
    r"(?:(?:and|but|so|also|oh|ah|hey|hi|hello|well|ok|okay|yes|yeah|yep|no|nope|actually|sorry|wait|correction|fyi|btw|by the way|anyway|because|since|as I said|I mean|honestly|currently|now|nowadays|these days|right now|unfortunately|sadly|luckily|fortunately|in fact|(?:support|they|customer service|the (?:clinic|shop|store|courier|airline|hotel|office|doctor|bank|school|agent|seller|guy)|hr|my (?:manager|boss)) (?:just )?(?:told|gave|sent|texted|emailed) me(?: that)?(?= my )"
    r"|just so you know|just to let you know|for the record|for context|thanks|thank you|besides|plus|though|although|while|I told you|update|like I said|personally|to be clear|heads up|fun fact|full disclosure|for the form|sorry|quick update|good news|big news|turns out|the thing is|these days,|as of [a-z]+ [a-z]+,?|as of the first,?|in general|as you know)\b[,:]? *){0,4}",
    re.IGNORECASE,
)
_OWN_EN = re.compile(
    rf"(?:my|our) (?:dear |late |lovely |new |other |only |eldest |oldest |youngest |middle )?(?P<noun>{alternatives(RELATIONS_EN)})(?:,? (?P<name>(?-i:[A-Z])[a-z]+)(?!(?-i: [A-Z]))|, (?P<name2>(?-i:[A-Z])[a-z]+))?,?(?= |'s |'ll |'d )",
    re.IGNORECASE,
)
AND_THEIRS = re.compile(rf"'s (?:{alternatives(RELATIONS_EN)})\b", re.IGNORECASE)
""" "my landlord's son": not the landlord."""
_SELF_EN = re.compile(r"(?:I|i|[Ww]e)(?=['\s])")
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
    after: int = -1
    """Where the subject ends, before the adverbs; -1 where that is `rest`."""
    names: Found | None = None
    """The fact that a name with a relation states: "my sister Anna"."""


def speaker(subject: str, language: str) -> Who:
    """The person who says "I" in this utterance."""
    if subject != USER:
        return Who(subject, subject)
    return Who(USER, "用户" if language == "zh" else "The user")


def theirs(owner: Who, noun: str, attribute: str, language: str) -> Who:
    """Somebody of `owner`'s: the key by the relation, shown by the noun that was said."""
    shown = f"{owner.shown}的{noun}" if language == "zh" else f"{owner.shown}'s {noun}"
    return Who(f"{owner.key}'s {attribute.replace('_', ' ')}", shown)


def somebody(me: Who, name: str) -> Who:
    """Whom a word in capitals names in English: one of `me`'s for "Mum" and "Grandad", else somebody of that name."""
    relation = RELATIONS_EN.get(name.casefold())
    return theirs(me, name.casefold(), relation, "en") if relation else Who(name, name)


def lead(view: str, start: int, end: int, language: str) -> int:
    """Where the clause begins behind its opening words."""
    m = (_LEAD_ZH if language == "zh" else _LEAD_EN).match(view, start, end)
    at = m.end() if m else start
    while at < end and view[at] in " ,:，：":
        at += 1
    return at


def subject_zh(view: str, start: int, end: int, me: Who, third: Who | None = None) -> Subject | None:
    """The subject at `start`, with the adverbs around it read; 他 and 她 are `third`, who was spoken of before."""
    at = _adverbs(view, start, end)
    if (
        (m := _NAMED_KIN_ZH.match(view, at, end) or _NAMED_BARE_ZH.match(view, at, end))
        and person(m["name"], "zh")
        and not _NO_NAME_ZH.search(m["name"])
        and m["name"] not in _THINGS_ZH
    ):
        relation = _relation_zh(m["noun"])
        who = theirs(me, m["noun"], relation, "zh")
        names = Found(me, relation, m["name"], f"{me.shown}的{m['noun']}叫{m['name']}")
        return Subject(who, _adverbs(view, m.end(), end), names=names)
    if m := _OWN_ZH.match(view, at, end):
        noun = m["noun"]
        who = theirs(me, noun, RELATIONS_ZH[noun.casefold()], "zh")
        again = _AGAIN_ZH.match(view, m.end(), end)
        after = again.end() if again else m.end()
        return Subject(who, _adverbs(view, after, end), after=after)
    if m := _SELF_ZH.match(view, at, end):
        return Subject(me, _adverbs(view, m.end(), end), after=m.end())
    if m := _BARE_KIN_ZH.match(view, at, end):
        noun = m["noun"]
        return Subject(theirs(me, noun, _relation_zh(noun), "zh"), _adverbs(view, m.end("noun"), end))
    if third and (m := _PRONOUN_ZH.match(view, at, end)):
        return Subject(third, _adverbs(view, m.end(), end))
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


def _relation_zh(noun: str) -> str:
    """The relation of a noun, of its last part where it is told more closely: 大学同学, 闺女儿."""
    noun = noun.casefold()
    while noun and noun not in RELATIONS_ZH:
        noun = noun.removesuffix("儿") if noun.endswith("儿") else noun[1:]
    return RELATIONS_ZH.get(noun, "relative")


_NO_NAME_ZH = re.compile(
    r"^(?:[一二三四五六七八九十]{1,2}[月年天周岁]|班[上里]|学校|单位|公司|手[上里]|身上|嘴里|家里|都|也|跳|去|回|升|换|入|离|考|做|嫁|娶|搬|调|转|辞|怀|来|到|要|会|爱|现|今|最|去|从|一|刚|特|很|明|下|上|昨|每|是|在|对|两|三|们|家|那|这|跟|和|的|们|自|以|当|其|说|还|已|就|才|结|早|毕|经|真|岂|圈|单|比|因|总|又|身|喜|有|没|不|开)|(?:也|都|在|是|们|说|家|俩|的|人|圈|间|群|店|聚|婚|里|时|今年|现在|一直)$"
)
_TIME_ZH = Lazy(
    r"(?:(?:19|20)?\d{2}年(?:的时候|那年|初|底|夏天|春天|秋天|冬天)?|\d{1,2}月(?:份)?|大前年|前年|去年|今年|明年|上上?个?(?:周|月|星期|礼拜)[一二三四五六日天末]?|这个?(?:周|月|星期)|前(?:几|两|些)(?:天|年|个月)|前段时间|前阵子|小时候|从小|年初|年底|暑假|寒假|春节|过年|国庆|五一|一直|早就|早|后来|当年|刚刚|刚|已经|总算|终于|就|在那边|[一二两三四五六七八九十\d]+(?:多)?(?:年|个月|周|天)(?:之?前)|现在|目前|最近|大学|高中|自从|里|的时候|[ ,，]){1,4}"
)


def skip_time(view: str, at: int, end: int) -> int:
    """Where the clause goes on behind words of time: 去年刚|结婚."""
    m = _TIME_ZH.match(view, at, end)
    return _adverbs(view, m.end(), end) if m else at


_WOMAN = re.compile(
    r"\b(?:wife|mother|sister|daughter|girlfriend|aunt|niece|grandmother|granddaughter|goddaughter|godmother|stepmother|stepdaughter)\b"
)
_MAN = re.compile(
    r"\b(?:husband|father|brother|son|boyfriend|uncle|nephew|grandfather|grandson|godson|godfather|stepfather|stepson)\b"
)


def agrees(pronoun: str, who: Who) -> bool:
    """Whether an English pronoun can stand for somebody: not "he" for a sister, nor "they" for a brother."""
    said, key = pronoun.casefold(), who.key.rsplit("'s ", 1)[-1]
    woman, man = _WOMAN.search(key) is not None, _MAN.search(key) is not None
    return not ((woman and said != "she") or (man and said != "he"))


def _adverbs(view: str, at: int, end: int) -> int:
    m = _ADVERB_ZH.match(view, at, end)
    return m.end() if m else at


def subject_en(view: str, start: int, end: int, me: Who, third: Who | None = None) -> Subject | None:
    """The subject at `start`; "he", "she" and "it" are `third`, who was spoken of before."""
    if m := _SELF_EN.match(view, start, end):
        return Subject(me, m.end())
    if (m := _OWN_EN.match(view, start, end)) and not AND_THEIRS.match(view, m.end()):
        noun = m["noun"].lower()
        attribute = RELATIONS_EN[noun]
        name = m["name"] or m["name2"]
        names = (
            Found(me, attribute, name, f"{me.shown}'s {noun} is called {name}") if name and person(name, "en") else None
        )
        return Subject(theirs(me, noun, attribute, "en"), m.end(), names=names)
    if third and (m := _PRONOUN_EN.match(view, start, end)) and agrees(m[0], third):
        return Subject(third, m.end())
    m = _NAME_AT_EN.match(view, start, end)
    if m and certain_name(m["name"], "en"):
        return Subject(somebody(me, m["name"]), m.end(), plain=True)
    return None
