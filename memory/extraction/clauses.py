"""A message cut into clauses, each marked with what keeps it from being a statement of fact.

Everything that changes the text keeps its length, so a position in the working text is a position in the message.
Quotations, code and quoted lines become placeholders; a question, a hypothesis, a request, reported speech or role play
casts its shadow over the clauses that it covers.

The work grows with the length of the text and no faster: each step is one pass, and only clauses of at most
`MAX_CLAUSE` characters are ever matched against patterns.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from memory.extraction.pattern import Either

Mood = Literal["statement", "question", "hypothetical", "request", "reported", "uncertain", "past", "note"]
"""A note is an explicit request to remember something that is not a plain statement."""

MAX_CLAUSE = 240
"""Longer clauses are prose, not statements of fact; they are skipped."""

HIDDEN = "\ufffc"
"""Stands for each character of a quotation."""

_FULL_WIDTH = {0xFF01 + i: 0x21 + i for i in range(94) if chr(0xFF01 + i) not in "，；：！？（）"}
_TRADITIONAL = (
    "歡欢愛爱說说話话對对過过從从來来後后這这個个們们實实際际現现車车號号運运單单會会員员護护時时間间點点歲岁歷历職职業业師师學学習习讀读書书寫写門门開开關关買买賣卖給给讓让請请幫帮記记憶忆錯错養养貓猫隻只"
    "條条兒儿孫孙媽妈爺爷廠厂國国語语練练種种聽听見见覺觉認认為为該该嗎吗誰谁麼么樣样幾几還还沒没無无絕绝討讨厭厌惡恶煩烦慣惯總总產产經经辦办長长預预約约調调週周禮礼選选擇择決决換换體体處处電电腦脑軟软網网"
    "購购飲饮藥药劑剂結结離离婚婚戶户機机陽阳陰阴兩两億亿萬万東东區区縣县鄉乡齡龄貴贵費费銀银醫医劃划"
)
"""Pairs: a traditional character that the patterns may meet, and its simplified form."""
_PLAIN = _FULL_WIDTH | dict(zip(map(ord, _TRADITIONAL[::2]), _TRADITIONAL[1::2], strict=True))
_PLAIN |= {0x2019: "'", 0x00A0: " ", 0x3000: " ", 0x09: " ", ord("俺"): "我", ord("咱"): "我"}


@dataclass(frozen=True)
class Clause:
    """`view[start:end]` of the working text, and so `text[start:end]` of the message, without outer spaces.

    `sentence` counts the sentences of the message; clauses of one number belong together.
    """

    start: int
    end: int
    sentence: int
    mood: Mood = "statement"


def working_text(text: str) -> str:
    """The text that patterns read: half-width, simplified, quotations hidden; of the same length as `text`."""
    view = text.translate(_PLAIN)
    return _hide(view) if any(c in view for c in '"“”「」『』‘`>') else view


# --- quotations ----------------------------------------------------------------------------------------------------

_OPENING = {"“": "”", "「": "」", "『": "』", "‘": "'", "`": "`", '"': '"', "```": "```"}
_QUOTE = re.compile(r"```|[\"“”「」『』‘'`\n]")
_QUOTED_LINE = re.compile(r"^[ ]*>.*$", re.MULTILINE)


def _hide(view: str) -> str:
    """Quotations and code as placeholders. An unclosed mark hides to the end of its line: rather a fact less."""
    out: list[str] = []
    done, opened, closing = 0, -1, ""
    for m in _QUOTE.finditer(view):
        mark = m[0]
        if opened < 0:
            # A straight " straight after a digit is inches; ' opens nothing, it is mostly an apostrophe.
            if mark in _OPENING and not (mark == '"' and view[max(0, m.start() - 1) : m.start()].isdigit()):
                opened, closing = m.start(), _OPENING[mark]
        elif (mark == closing and not _is_apostrophe(view, m)) or (mark == "\n" and closing != "```"):
            end = m.start() if mark == "\n" else m.end()
            out += [view[done:opened], HIDDEN * (end - opened)]
            done, opened = end, -1
    if opened >= 0:
        out += [view[done:opened], HIDDEN * (len(view) - opened)]
        done = len(view)
    out.append(view[done:])
    return _QUOTED_LINE.sub(lambda m: HIDDEN * len(m[0]), "".join(out))


def _is_apostrophe(view: str, m: re.Match[str]) -> bool:
    return m[0] == "'" and view[m.end() : m.end() + 1].isalnum()


# --- cutting -------------------------------------------------------------------------------------------------------

_VERBS = (
    r"(?:(?:also|still|really|just|currently|now|never|always|usually) )?(?:live|work|like|love|hate|enjoy|prefer|use|speak|weigh|"
    r"drink|eat|smoke|study|own|am|don't|do not|can't stand|dislike|moved|majored|studied|graduated|runs|works|lives|teaches|drives|has a|owns|speaks|plays|just)\b"
)
# A space between Chinese words cuts like a comma, but not behind the label of a form: 籍贯 河北承德.
_LABEL_END = "名别族号码址机话龄业日箱系历贯地高重型"
_CUT = re.compile(
    r"(?P<stop>[。！？!?；;\n]+|\.+(?=[\s\ufffc]|$)|…+|\.{3,})"
    r"|(?P<pause>，|,(?!\d{3}(?!\d)| ?(?:19|20)\d{2}(?!\d))|(?<=[\u4e00-\u9fff]) +(?=我|我们)|（|）|\((?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])\)"
    rf"|(?<=[\u4e00-\u9fff]{{3}})(?<![{_LABEL_END}]) +(?=[\u4e00-\u9fff]{{3}})|(?<=\d) +(?=[\u4e00-\u9fff]{{3}})"
    rf"| (?=(?:and|but|so|because|while|although|though|which means) (?:I\b|I'm|we\b|my |our |he\b|she\b|it's |his |her |mine's |everyone |everybody |now |these days |at work |at home |before that |{_VERBS}))| [-–—]+ |——)",
    re.IGNORECASE,
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|vs|e\.g|i\.e|etc|approx)|\b[A-Za-z]\.[A-Za-z])$", re.IGNORECASE
)
# "My mom and I live in Rome": two people, one clause.
_COUPLE = re.compile(r" *(?:my |our )?(?!I\b|we\b)[A-Za-z]+(?: [A-Za-z]+)?", re.IGNORECASE)
# "tea, coffee and milk": the commas of a list do not cut.
_LIST_GOES_ON = re.compile(
    r",(?: (?!I\b|we\b|he\b|she\b|they\b|it's\b|my\b|you\b|but\b|so\b|please\b|can\b|could\b|what\b|how\b)[\w'-]{1,20}){1,3}"
    r"(?:,(?: (?!and\b)[\w'-]{1,20}){1,3}){0,8}(?:,? (?:and|or|&)(?! (?:I|I'm|we|my|you|please|can|what|how)\b)(?: [\w'-]{1,20}){1,4})(?=[.!?;,\n]|$)",
    re.IGNORECASE,
)


def clauses(view: str) -> list[Clause]:
    """The clauses of a working text, in order, disjoint, each with its mood."""
    return _shadows(view, list(_cut(view)))


def _cut(view: str) -> Iterator[Clause]:
    start, sentence, list_end = 0, 0, 0
    for m in _CUT.finditer(view):
        stop = m["stop"] is not None
        if stop and m[0] == "." and _ABBREVIATION.search(view, max(start, m.start() - 8), m.start()):
            continue
        if not stop and m[0] == ",":
            if m.start() < list_end:
                continue
            goes_on = _LIST_GOES_ON.match(view, m.start())
            if goes_on and "," in view[m.start() : goes_on.end()]:
                list_end = goes_on.end()
                continue
        if m[0] == " " and _COUPLE.fullmatch(view, start, m.start()):
            continue
        yield from _clause(view, start, m.start(), sentence)
        start = m.end()
        if stop:
            sentence += 1
    yield from _clause(view, start, len(view), sentence)


def _clause(view: str, start: int, end: int, sentence: int) -> Iterator[Clause]:
    while start < end and view[start].isspace():
        start += 1
    while end > start and view[end - 1].isspace():
        end -= 1
    if start < end:
        yield Clause(start, end, sentence)


# --- moods ---------------------------------------------------------------------------------------------------------

_QUESTION = Either(
    r"[吗嘛]$|么$|(?<!着)(?<!上班)(?<!工作)(?<!任职)(?<!打工)(?<!实习)(?<!上学)(?<!读书)(?<!念书)(?<!\d岁)(?<!厘米)(?<!公分)(?<!公斤)(?<!\dcm)(?<!\dkg)呢$|^(?!(?:以后|就|你|您|可以|平时)*(?:叫|喊|称呼)我|把|忘|删|撤).*吧$|谁|什么|啥|哪(?!吒)|怎么|怎样|为何|如何|多少|多[大高重久远长]|几[个号点岁时年月天口次分块]|是不是|要不要|能不能|可不可以|会不会|有没有|该不该|好不好|对不对|是否|能否|可否|行不行|需不需要|(?:不知道|想知道|请问).*还是"
    r"|^(?!.*(?:最后|最终|但|我还是|也还是|都还是|就还是|一直|果然|最近|现在|到底还是|过敏)).{2,}还是(?!没|不|很|挺|会|要|那|老|个|有|得|觉得|用|喜欢|爱|买了|选了|蛮|比较|想|在|可以).|岂不|难道|难不成|莫非|何必|何苦",
    r"^(?:(?:and|but|so|ok|hey|well|wait|also|please) )?(?:who|what|when(?= (?:do|does|did|is|are|was|will|should|can)\b)|where|why|how|which|whose|whom|what's|who's|how's|where's|isn't|aren't|don't (?:I|you|we)|doesn't|didn't|can't (?:I|you|we)|won't (?:I|you|we)|(?:do|does|did|is|are|am|was|were|can|could|should|would|will|shall|may|might|have|has|had) (?:I|we|my|you|it|he|she|they|there|this|that|the|our|your|any\w*|some\w*)\b)"
    r"|\b(?:whether|wonder|wondering|should I|do I|am I|can I|could I|may I|would I|did I)\b",
)
_TAG = re.compile(
    r"^(?:对吧|对吗|是吗|是吧|对不对|是不是|没错吧|对么|你知道吗|你还?记得吗|right|correct|yes|no|isn't it|don't I|doesn't it|aren't I|am I|do I|is that right|you know|remember|huh|eh)$",
    re.IGNORECASE,
)
_IRONY = Either(
    r"我(?:可|还)?真是个?(?:天才|人才|大聪明|小机灵|机灵鬼|平平无奇|了不起|厉害)|^是是是|我最有钱|我可太|我可真|我就(?:喜欢|爱|乐意)[^，,]*(?:停电|停水|堵|被|加班|骂|挨|没|坏|挤|熬夜|迟到|扣钱|下雨|丢)|呵呵|财富自由|人生巅峰|我可谢谢|真有你的|^可不是嘛?|我就是个(?:天才|传奇)",
    r"^(?:oh,? |well,? |yeah,? )*(?:sure|clearly|obviously|right|yeah right|of course|great job|nice one|congrats to me|bravo),? (?:because )?(?:I|my)\b|^(?:clearly|obviously)\b|world[- ]class|of the year\b"
    r"|\b(?:genius|mastermind|brains of)\b",
)
_OH_SURE = re.compile(
    r"(?:oh|yeah|ah|well),? (?:sure|right|yeah|great|wonderful|fantastic)$|(?:clearly|obviously)$|哦?对对对$|可不$",
    re.IGNORECASE,
)
_JOKE = Either(
    r"开(?:个)?玩笑|骗你的|逗你|瞎说的",
    r"\b(?:just kidding|joking|jk|not really)\b",
)
_HYPOTHESIS = Either(
    r"设想|举个?例|题目[:：]|例句[:：]|比方说?|打个?比方|早知道|要不是|就好了|哪天|巴不得|真希望|等我(?:有钱|发财|中)|要真|如果|(?<!主)要是|假如|假设|假使|倘若|若是|(?<![一])万一|的话|就算|即使|哪怕|除非|比如|例如|譬如|打个比方|换作是?我|我是你",
    r"picture this|say I'd|\b(?:if|suppose|supposing|imagine|hypothetically|unless|as though|let's say|for example|e\.g|what if)\b",
)
_UNCERTAIN = Either(
    r"可能|也许|大概(?![一二三四五六七八九十两几百千万半0-9¥$是在有])|好像|似乎|或许|说不定|听说|据说|传说|应该会?(?!是)|(?:我|俺)?(?:在想|想想|在考虑|考虑|纠结|犹豫|不知道|不确定|不清楚|怀疑|猜|以为|感觉|梦见|梦到|梦里|希望|但愿|恨不得)|我想(?!念|起)|想要|做梦都?想|都想|多想|^不是(?:我|说|因为)|千万|务必|最好(?!的|吃|看|玩|听|喝|是)|尽量|建议"
    r"|(?:^|人)(?:应当|应该)|我(?:觉得|认为)|要不(?!然)|差点|假装",
    r"\b(?:maybe|perhaps|probably|possibly|might|would|could|'d|wish|hope|guess|suppose|wonder|(?:I|we) (?:think|believe|feel|assume|suspect|reckon)|thinking (?:about|of)|considering|not sure|don't know|dreamed|dreamt|pretend\w*|almost|supposedly|apparently|rumou?r|heard that|it seems|seem to|should)\b",
)
_PAST = Either(
    r"(?:大学|高中|初中|小学|上学|读书|年轻)(?:那会儿|时候?|的时候).{0,8}过|那会儿|那阵[儿子]|那几年|以前|曾经|曾|过去(?!了)|小时候|从前|当年|那时候?|本来|原本|原来|(?<![0-9日号天周月点前一二三四五六七八九十])之前(?!是)|年轻的?时候?",
    r"\b(?:used to|previously|formerly|when I was|back then|as a (?:kid|child)|once (?:lived|worked)|had been)\b",
)
_REPORTED = Either(
    r"(?:(?<![我小会能敢好再瞎难来])(?:说|问道?|写道|表示|告诉我|回答|喊|提到|问我|宣称|声称|引用)(?:了|过|道|的是)?[：:]?$)|(?<!我)[说问答道曰写][：:]"
    r"|^(?!.{0,12}[说讲].{0,4}[话语])(?:我(?:们)?(?:家)?(?:妈|爸|哥|姐|弟|妹|老[公婆板师]|媳妇|同[事学]|朋友|邻居|领导|室友|闺蜜|导师|孩子|儿子|女儿|爷爷|奶奶)|(?!说|讲|跟你|和你|给你|老实|不瞒)[^，,：:我说讲觉跟和会能]{1,12}?)(?:老|总|经常|还|都|也|刚|又|非)*(?:说|讲|觉得|认为|吐槽|抱怨|嚷嚷|念叨|劝|问|传)(?:了|过|道|着|是)?(?!话|法|明|不|得|服|起|到|的是|来|好|定|题|究|学|笑|谎)"
    r"|^(?:他|她|它|他们|她们|人家|有人|别人|医生|老师|朋友|据[^说]{1,8})(?:们)?(?:说|问|告诉|表示|觉得|认为)",
    r"\b(?<!\bI )(?<!\bI've )(?:said|says|told(?! me my)|asked|asks|wrote|writes|replied|tells|quoting|quote|claims|claimed|according to|title[ds]?|lyrics)\b",
)
_REMEMBER = r"(?:(?:请|麻烦)?(?:你|您)?(?:一定要?)?(?:帮我|给我)?(?:记住|记下来|记个事儿?|记件事儿?|记个待办|记下|记一下|记着|牢记|别忘了?|不要忘记?|记得)|(?:please |pls |and |also |just )*(?:remember|note|keep in mind|don't forget|do not forget|make a note|take note)\b)"
_LEAD = re.compile(
    r"(?:(?:另外|对了|还有|好的?|那|嗯|顺便|also|and|ok|okay|oh|hey|btw|by the way)[,，: ]*){0,2}", re.IGNORECASE
)
REMEMBER = re.compile(
    _REMEMBER
    + r"(?!了?[吗么没]|了$|me\b| me\b| when\b| how\b| what\b| to ask\b)(?:了|一下|一点|下来)?(?: that\b| this\b| of\b)*[：:,\s]*",
    re.IGNORECASE,
)
"""An explicit request to keep what follows, at the head of a clause."""
_REQUEST = re.compile(
    r"^(?:请|麻烦|帮忙?|替我|给我|让我|告诉我|推荐|翻译|解释|总结|润色|续写|改写|写|查|看看|说说|讲|教我|能帮|可以帮|我想问|我要问|别|不要|不用"
    r"|please|pls|help|tell|show|give|let|let's|translate|explain|summari[sz]e|write|rewrite|fix|find|search|check|make|create|draft|recommend|suggest|can you|could you|would you)(?![a-z])",
    re.IGNORECASE,
)
_MATERIAL = Either(
    r"(?:翻译|翻成|译成|翻一下|转成|改成英文|改写|润色|续写|造句|写|(?:帮我|修)改|解释|总结|分析|校对|朗读|念|句子|原文|例句|台词|歌词)[^：:]{0,40}[：:]",
    r"(?:translate|rewrite|proofread|fix|correct|paraphrase|summari[sz]e|write|explain|analy[sz]e|edit|sentence|text|dialogue|lyrics)[^：:]{0,40}[：:]",
)
_ROLE = Either(
    r"角色卡|人物卡|设定(?:一个|个)?(?:角色|人物|主角)|(?:小说|故事|剧本|漫画|游戏)?角色[:：]|人设|(?:剧|梦|歌|片|番|书|漫画|游戏|段子|电视|弹幕)里(?:面)?(?:唱|说|有个|那个|给我|我|的?主角|写)|主人公|(?:小说|故事|剧本|台词)(?:的)?(?:开头|里|第一章|第一句|主角|设定)|你来?(?:当|演|扮|做)(?:一个|个)?[^，,]{1,8}$"
    r"|(?:咱们?|我们)(?:来)?(?:演|玩个?角色)|从前(?:有|，)|人设|接着(?:往下)?(?:写|编)|扮演|角色扮演|^假装|你现在是|想象(?:一下)?|编个?故事|写(?:一?[个篇段首])?(?:故事|小说|剧本|诗|独白|台词)|以.{1,12}的口吻",
    r"once upon a time|(?:opening|first) line|my (?:character|protagonist|narrator)|chapter (?:one|1)|play the (?:role|part)|you're (?:the|a) (?:innkeeper|dragon|wizard|king|queen|detective|captain|guard)|role[- ]?play"
    r"|^(?:let's )?pretend|^imagine|act as|in the voice of|from the perspective of|write (?:me )?an? (?:short )?(?:story|poem|song|monologue|scene|play|letter from)",
)
# "Bob: I live in Paris" is somebody's line in a transcript; "note: ..." and "my order number: ..." are not.
_LINE_HEAD = re.compile(
    r"(?:^|(?<=\n))[ ]*(?P<who>[A-Z][a-z]{1,15}(?: [A-Z][a-z]{1,15})?|[\u4e00-\u9fff]{1,4})[：:](?=\s*\S)"
)
_NOT_SPEAKERS = re.compile(
    r"^(?:待办|备忘录|日程|我|用户|User|Me|Note|Notes|Fact|Correction|Update|Remember|Reminder|Actually|Info|Hi|Hello|Hey|记住|记一下|记下|更正|补充|备注|提醒|注意|说明|顺便|另外|纠正|备忘|纠正)(?:一下|一点)?$"
    r"|[号码编期日龄高重算址名字业校位乡家语食好敏源型历族别贯史貌婚院部务称级话机箱信地长况座相肖]$|^(?:Name|Age|Birthday|Home|Address|Job|Employer|Budget|Deadline|Height|Weight|Allergies|Allergy|Order|Tracking|Email|Phone)\b"
)  # fmt: skip


def _shadows(view: str, cut: list[Clause]) -> list[Clause]:
    """Give each clause its mood: its own, or that of what covers it."""
    if not cut:
        return []
    out: list[Clause] = []
    first = 0
    covered = len(view)  # from here to the end everything belongs to a role or to material of a request
    for i, clause in enumerate(cut):
        if i + 1 < len(cut) and cut[i + 1].sentence == clause.sentence:
            continue
        sentence = cut[first : i + 1]
        first = i + 1
        asked = "?" in (ends := view[clause.end : clause.end + 3].strip()[:1]) or ends == "？"
        out += _sentence(view, sentence, asked)
        covered = min([covered, *(_cover(view, c) for c in sentence)])
    lines = _transcript(view)
    return [
        replace(c, mood="reported") if c.start >= covered or (lines and _inside(lines, c.start)) else c for c in out
    ]


def _cover(view: str, clause: Clause) -> int:
    """Where material or a role begins in this clause: what follows is not the person's own statement."""
    text = view[clause.start : min(clause.end, clause.start + MAX_CLAUSE)]
    if role := _ROLE.search(text):
        return clause.start + role.start()
    if (material := _MATERIAL.search(text)) and not REMEMBER.match(text):
        return clause.start + material.start()
    return len(view)


def _transcript(view: str) -> list[tuple[int, int]]:
    lines = []
    for m in _LINE_HEAD.finditer(view):
        if not _NOT_SPEAKERS.search(m["who"]):
            end = view.find("\n", m.end())
            lines.append((m.start(), len(view) if end < 0 else end))
    return lines


def _inside(lines: list[tuple[int, int]], at: int) -> bool:
    i = bisect_right(lines, (at, 1 << 62)) - 1
    return i >= 0 and at < lines[i][1]


def _sentence(view: str, cut: list[Clause], asked: bool) -> list[Clause]:
    moods: list[Mood] = []
    shadow: Mood | None = None
    for clause in cut:
        text = view[clause.start : min(clause.end, clause.start + MAX_CLAUSE)]
        if _JOKE.search(text) or _IRONY.search(text) or (clause is cut[0] and _OH_SURE.match(text)):
            return [replace(c, mood="uncertain") for c in cut]
        if _TAG.match(text) and (asked or text[0] >= "\u4e00"):
            return [replace(c, mood="question") for c in cut]
        mood = _mood(text)
        if shadow is None and mood in ("hypothetical", "reported"):
            shadow = mood
        moods.append(shadow or mood)
    if asked:
        # The question begins where its first word is; without such a word the whole sentence asks.
        begin = next(
            (i for i, c in enumerate(cut) if moods[i] == "question" or _QUESTION.search(view, c.start, c.end)), 0
        )
        moods[begin:] = ["question"] * (len(moods) - begin)
    return [replace(c, mood=m) for c, m in zip(cut, moods, strict=True)]


def _mood(text: str) -> Mood:
    kept = REMEMBER.match(text, _LEAD.match(text).end())  # type: ignore[union-attr]  # it matches nothing too
    if kept:
        mood = _plain_mood(text[kept.end() :])
        if re.search(r"[吗嘛]$", text):
            return "question"
        return mood if mood in ("statement", "request") else "note"
    return _plain_mood(text)


def _plain_mood(text: str) -> Mood:
    if _HYPOTHESIS.search(text):
        return "hypothetical"
    if _REPORTED.search(text):
        return "reported"
    if _QUESTION.search(text):
        return "question"
    if _REQUEST.match(text):
        return "request"
    if _UNCERTAIN.search(text):
        return "uncertain"
    if _PAST.search(text):
        return "past"
    return "statement"
