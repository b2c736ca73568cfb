"""What a stated value must look like before it may become a fact: cleaned, or refused.

A refusal costs a fact that was said oddly; accepting "it", "a lot" or `[EMAIL]` would cost trust. Values are slices of the
message as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memory.extraction.vocabulary import COUNTRIES, NAME_ZH, NUMBER_EN, OCCUPATIONS_EN, OCCUPATIONS_ZH, PLACES

_REDACTED = re.compile(r"\[[A-Z_ ]{2,16}(?:[ _]?\d+)?\]|<[A-Z_]{2,16}>|\*{3,}|x{4,}", re.IGNORECASE)
_QUOTES = "“”「」『』\"'`‘’《》 "
_NUMERAL = "零〇一二两兩三四五六七八九十百千万萬亿億半"

_TAIL_ZH = re.compile(r"[了啊呀哦呢吧啦哈哟喔呐的~～!！。.\s]+$")
_BAD_ZH = re.compile(
    r"^(?:[的了着这那此哪某您你他她它们]|过(?!桥|山|年|期|敏|家家|油)|得(?!物)|地(?![铁板图瓜方下球毯暖道三中])|什么|一下|一点|一些|自己|别人|大家|人家|不[了下到]|上班族?$|在[一-龥]|是|和[一-龥]$|所有|任何|有人)"
    r"|[我你您妳?？，,；;：:]|就是|但是|因为|所以|(?<!小)说$|的(?:时候|话)|不是|(?:喜欢|都行|都可以|无所谓|这样|那样|东西|感觉|一切|为止|而已)$"
)
_TAIL_EN = re.compile(
    r"(?:,? (?:a lot|very much|so much|too|as well|also|though|now|right now|these days|nowadays|at the moment|currently|lately|recently|now and then|coming up|anymore|any more|any longer|instead"
    r"|again|please|lol|haha|actually|really|either|at all|to be honest|by the way|btw|in general|every time|at least|this year|myself|already|thanks|thank you|for (?:about |over |almost |nearly )?(?:an? |the (?:last|past) |\w+ )?(?:years?|months?|weeks?|ages|while|decades?)(?: now)?))+$",
    re.IGNORECASE,
)
_CUT_EN = re.compile(
    r" (?:because|since|'cause|cause|cuz|when|whenever|where|which|who|so that|but|although|though|while|even|after|before|until|if|as (?:it|they|I|he|she|we)|- |– )\b.*$|[;(].*$",
    re.IGNORECASE,
)
_BAD_EN = re.compile(
    r"^(?:it|this|that|these|those|them|him|her|he|she|they|you|your|yours|u|me|my|mine|us|our|his|its|their|what|how|when|where|why|who|which|one|ones|some|any|all|both|each|more|most|much|many"
    r"|the way|the idea|the fact|the same|the (?:one|ones)|a lot|lots|everything|nothing|anything|something|someone|everyone|people|not|so|too|very|here|there|out|up|as|if|of|and|or|than|no|yes|like|just|even|being|is|are|was|were|am|do|does|did)\b|^to$"
    r"|\b(?:you|your|I|I'm|me|it|this|that|these|those|them|we|he|she|they)\b|[?:,]",
    re.IGNORECASE,
)


def whole(value: str) -> str | None:
    """`value` without quotation marks and spaces around it; None when nothing, or a redaction mark, is left."""
    value = value.strip().strip(_QUOTES).strip()
    return value if value and not _REDACTED.search(value) else None


def phrase_zh(value: str) -> str | None:
    """A short Chinese phrase."""
    value = _TAIL_ZH.sub("", value)
    clean = whole(value)
    return clean if clean and len(clean) <= 24 and not _BAD_ZH.search(clean) else None


def phrase_en(value: str) -> str | None:
    """An English phrase of at most seven words."""
    value = _TAIL_EN.sub("", _CUT_EN.sub("", value).strip(" .!,~"))
    clean = whole(value)
    return clean if clean and len(clean.split()) <= 7 and not _BAD_EN.search(clean) else None


_SPLIT_ZH = re.compile(r"、|以及|(?:和|跟|及)(?!平|谐|声|尚|服|牛|面|解|睦|气|暖|时|格)")
_SPLIT_EN = re.compile(r", and |, or |, | and | or | & ", re.IGNORECASE)


# Words that tie the members of a list to what stands before it: "music in films and books" is not a list of two likes.
_TIED_EN = re.compile(
    r" (?:of|in|for|to|on|with|like|such|as|about|near|from|between|at|by|into|is|are|that)\b", re.IGNORECASE
)
_TIED_ZH = re.compile(r"^[和跟与同]|[中里]|的.*(?:和|跟|及)|之间")
_LEAD_IN = re.compile(r"^(?:(?:especially|particularly|mainly|mostly|even|both) |尤其是?|特别是|比如)", re.IGNORECASE)


def listed(value: str, language: str) -> list[str]:
    """The members of a list ("看书和跑步", "tea, coffee and milk"); one member, the whole, when it is none."""
    if language == "zh":
        value = re.sub(r"等等?[^、]{0,8}$", "", value) if "、" in value else value
        parts = [value] if _TIED_ZH.search(value) and "、" not in value else _SPLIT_ZH.split(value)
    else:
        parts = _SPLIT_EN.split(_CUT_EN.sub("", value))
        doing = re.match(r"\w+ing \w", parts[0]) and not all("ing" in part for part in parts[1:])
        if doing or any(_TIED_EN.search(part) for part in parts):
            parts = [value]
    return [p for p in (_LEAD_IN.sub("", part.strip()).strip() for part in parts) if p]


# --- names, places, numbers, ids -----------------------------------------------------------------------------------

_NOT_NAMES_ZH = re.compile(
    r"^(?:老红军|小朋友|老朋友|周[一二三四五六日末]|周围|周边|黄色|黄金|何时|何况|何必|钱包|程序|余下|余额|万一|万能|马上|高兴|方便|叶子|雷雨|龙虾|牛奶|牛肉|毛病|顾客|严重|武器|康复|田径|林业|唐朝|宋朝|秦朝|明[天年]|许多|曾经|曹操?$|段落|洪水|钟头|范围|汪汪|陆续|任何|任务|胡说|胡萝|罗马|苏州|杜绝|沈阳|贺卡|龙井|石家"
    r"|小学|小说|小时|小区|小孩|小猫|小狗|小明星|老师|老板|老人|老家|老公|老婆|阿姨|施工|徐州|郑州|张家|韩国|韩语|梁山|孟加|程度)|[的是在了有不很都也]"
)
_NAME_ZH = re.compile(
    r"(?!了|着|过|他|她|你|您|它|人|车|什么|不|醒|外卖|滴滴|住|做|苦|停|板|座|床|上|下|出|这|那|一|来|去|我)[一-龥]{1,4}(?:·[一-龥]{1,6})?|[A-Za-z][A-Za-z.'-]{0,20}(?: [A-Z][A-Za-z.'-]{0,20}){0,2}"
)
_NAME_EN = re.compile(
    r"[A-Z\u00c0-\u024f][\w.'’-]{0,20}(?: (?:van|de|von|der|da|di|al|bin|[A-Z\u00c0-\u024f][\w.'’-]{0,20})){0,3}|[一-龥]{2,4}"
)
_NOT_NAMES_EN = re.compile(
    r"^(?:The|This|That|It|My|Your|Our|His|Her|Their|We|You|He|She|They|I|There|Here|What|Who|When|Where|Why|How|Everyone|Everybody|Nobody|Someone|Somebody|Anyone|People|Some|Most|Many|All|Both|Each|No|Not|Yes|Ok|Okay|And|But|So|If|As"
    r"|Please|Thanks|Hi|Hello|Hey|Sure|Well|Wow|Great|Good|Today|Tomorrow|Yesterday|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December"
    r"|One|Two|Another|Other|God|Life|Love|Work|School|Home|Sorry|Just|Also|Then|Now|Maybe|Remember|Note|Muslim|Christian|Jewish|Catholic|Buddhist|Hindu|German|French|Dutch|Greek|Thai|Swiss|Iraqi|Korean|Chilean|Singaporean|Pakistani|Israeli|Bangladeshi|Nepali|Filipino|Filipina|Argentine|Kurdish|Somali|Kenyan|Nigerian|Ghanaian|Welsh|Zoom|Monday|Korea|Czech|Asian|Black|White)\b|(?:ese|ish|ian|ican)$"
)


def person(value: str, language: str) -> str | None:
    """A person's or an animal's name."""
    clean = whole(_TAIL_ZH.sub("", value) if language == "zh" else _TAIL_EN.sub("", value.strip(" .!,")))
    if clean is None:
        return None
    if language == "zh":
        return clean if _NAME_ZH.fullmatch(clean) and "的" not in clean else None
    return clean if _NAME_EN.fullmatch(clean) and not _NOT_NAMES_EN.search(clean) else None


_ADVERB_EN = re.compile(
    r"(?!(?:Emi|Li|Lil|Hol|Mol|Pol|Kel|Sal|Car|Kimber|Bever|Shel|Bil|Wil|Al|El|Til|Mil|Dol|Nel|Wal|Reil|Ever|Ri|Kar|Me|Ju|Ita|Ta)ly\b)[A-Z][a-z]+ly\b"
)
"""How a sentence begins ("Finally got rid of it"), rather than a name."""


def certain_name(value: str, language: str) -> str | None:
    """A name that is one without being introduced as one: "李四", "Ann", but not "医生" or "American"."""
    clean = person(value, language)
    if clean is None or language == "en":
        return None if clean and _ADVERB_EN.match(clean) else clean
    return clean if re.fullmatch(NAME_ZH, clean) and not _NOT_NAMES_ZH.search(clean) else None


_BAD_PLACE_ZH = re.compile(
    r"^(?:住|在|租|公司|单位|学校|这边|那边|自己|父母|爸妈|老家$|国外$|新房|新家|宿舍|个|出租屋|朋友|客栈|一|这|那|哪|[一二三四五六七八九十\d]+楼)|(?:附近|旁边|对面|楼上|楼下|隔壁|一起|里|里面|上|外面|家|酒店|宾馆|旅馆|民宿|医院|室|地方|哪儿|上班|工作|打工|出差|开会|旅游|旅行|玩|读书|上学|读研|长大|发展|过年|当兵|留学|实习)$|的"
)
_BAD_PLACE_EN = re.compile(
    r"^(?:an?|my|your|his|her|our|their|constant|fear|peace|hope|denial|pain|harmony|poverty|town|bed|person|general|particular)\b",
    re.IGNORECASE,
)


def place(value: str, language: str) -> str | None:
    """A city, region, country or address; not "a small flat", not 酒店."""
    if language == "zh":
        clean = phrase_zh(value)
        return clean if clean and len(clean) <= 16 and not _BAD_PLACE_ZH.search(clean) else None
    cut = re.sub(
        r" (?:with|for|right|near|together|alone|by|about|around|from|on|during|at|full|last|this|next|yesterday|today|in \d+)\b.*$",
        "",
        value,
    )
    clean = phrase_en(cut)
    if not clean or len(clean.split()) > 5 or _BAD_PLACE_EN.search(clean):
        return None
    return None if re.match(r"the (?![A-Z])", clean) else clean


_NUMBER = re.compile(
    rf"(?:[¥￥$€£]|US\$|RMB ?|USD ?|EUR ?)?(?:\d[\d,.]*|[{_NUMERAL}]+)[\w一-龥.,/%'\"¥$€£ -]{{0,14}}", re.IGNORECASE
)
_NUMBER_WORDS = re.compile(
    rf"{NUMBER_EN}(?: (?:hundred|thousand|million|grand|k))?(?: (?:and (?:a half|{NUMBER_EN})|dollars|bucks|euros?|pounds|quid|kilos?|kg|stone|lbs?))?",
    re.IGNORECASE,
)
_NUMBER_LEAD = re.compile(r"^(?:大约|大概|约|差不多|about|around|roughly|approximately|up|only)\s*", re.IGNORECASE)


def number(value: str, language: str) -> str | None:
    """A quantity with its unit, as written: 8000元, 一米七五, "180 cm", "$1,200"."""
    value = _TAIL_ZH.sub("", value) if language == "zh" else _TAIL_EN.sub("", _CUT_EN.sub("", value).strip(" .!,"))
    clean = whole(_NUMBER_LEAD.sub("", value.strip()))
    if clean and language == "en" and _NUMBER_WORDS.fullmatch(clean):
        return clean
    if clean is None or not _NUMBER.fullmatch(clean) or len(clean.split()) > 4:
        return None
    return clean


ID = r"[#№]? ?(?:[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼](?=[A-Z]))?[A-Za-z0-9][A-Za-z0-9_/.-]{0,39}(?: \d{2,6}\b){0,4}"
"""An identifier as people write it. Whether it is one, `identifier` says."""


def identifier(value: str, language: str) -> str | None:  # noqa: ARG001 - one signature for all kinds
    """An identifier as written: at least one digit, or five capitals; never a word."""
    clean = whole(value.strip().rstrip(".,!。"))
    if clean is None or not re.fullmatch(ID, clean):
        return None
    return clean if re.search(r"\d", clean) or re.fullmatch(r"[A-Z]{5,}", clean) else None


_TOOL_ZH = re.compile(
    r"[一-龥A-Za-z0-9+ ]{1,12}(?:手机|电脑|系统|输入法|浏览器|编辑器|软件|相机|平板|耳机|笔记本|键盘)"
)


def tool(value: str, language: str) -> str | None:
    """Something one uses and names: "Vim", "VS Code", 小米手机."""
    if language == "zh":
        clean = phrase_zh(value)
        return clean if clean and (re.match(r"[A-Za-z]", clean) or _TOOL_ZH.fullmatch(clean)) else None
    clean = phrase_en(re.sub(r" (?:for|to|on|at|in|with|as|every|over|all)\b.*$", "", value))
    if clean and re.match(r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?$", clean, re.IGNORECASE):
        return None
    if not clean or len(clean.split()) > 4:
        return None
    return clean if re.search(r"[A-Z0-9]", clean) or re.fullmatch(r"[a-z][\w+#.-]*", clean) else None


_PLACE_ZH = re.compile(rf"{PLACES}|{COUNTRIES}")


def organisation(value: str, language: str) -> str | None:
    """A company, school or office, by its name or as "a bank"."""
    if language == "zh":
        clean = phrase_zh(value)
        if clean and _PLACE_ZH.fullmatch(clean):
            return None
        if not clean or re.search(
            r"^(?:找|做|努力|认真|忙|家|外面|这|加班|一个|一家)$|^[找做]|从事|担任|负责|[读念]|上的|总部$|分部$|(?:里|室|路上|家|期间|时候|方面)$",
            clean,
        ):
            return None
        return clean
    clean = phrase_en(re.sub(r" (?:as|in|on|with|for|since|full|part|last|this|next|yesterday|today)\b.*$", "", value))
    if not clean or re.match(r"(?:the moment|home|night|least)\b", clean, re.IGNORECASE):
        return None
    return clean if re.match(r"(?:[A-Z0-9]|an? |the [A-Z])", clean) else None


_SCHOOL_ZH = re.compile(r"大学|学院|中学|高中|小学|学校|[一二三四五六附]中|[清北]华?大?|[A-Z]{2,}|[一-龥]大$")


def school(value: str, language: str) -> str | None:
    """A school by its name."""
    clean = organisation(value, language)
    if language == "zh":
        return clean if clean and _SCHOOL_ZH.search(clean) else None
    return clean if clean and re.search(r"[A-Z]", clean) else None


_OCCUPATION = re.compile(
    rf"(?:[\w -]{{0,30}} )?{OCCUPATIONS_EN}s?|[一-龥A-Za-z+#]{{0,10}}{OCCUPATIONS_ZH}", re.IGNORECASE
)


def occupation(value: str, language: str) -> str | None:
    """Something that people are by trade."""
    clean = phrase(value, language)
    return clean if clean and _OCCUPATION.fullmatch(clean) else None


def phrase(value: str, language: str) -> str | None:
    """A short phrase in either language."""
    return phrase_zh(value) if language == "zh" else phrase_en(value)


_NOT_THINGS_ZH = re.compile(
    r"^(?:[左右]手|不|没|很|太|真|就|都|也|在|去|来|想|要|会|能|可以|怎么|多少|新的?$|个|好$|好的|两|起来|下来|出来|脑子|心|时间|力|钱|手$|眼|嘴|这|那|他|她)|(?:以后|之后|之前|以前|了|过|着|吗|呢|吧|好|完|起来|下去|一下|时间|办法|功夫|到|得|问题|价格?|[^车门邮彩支股]票|酒店|[^角特]色的?|号码?|工作|房子?|班)$|的时候"
)


def thing_zh(value: str) -> str | None:
    """A short noun phrase in Chinese: what one has or uses."""
    clean = phrase_zh(re.sub(r"^(?:一[台个款部辆只把套]|个)", "", value.strip()))
    return clean if clean and not _NOT_THINGS_ZH.search(clean) else None


def thing(value: str, language: str) -> str | None:
    """What somebody has or uses, by a short noun phrase."""
    if language == "zh":
        return thing_zh(value)
    clean = phrase_en(re.sub(r"^(?:an?|the|some|our|my) ", "", value.strip(), flags=re.IGNORECASE))
    return clean if clean and len(clean.split()) <= 6 else None


_DOING_END = re.compile(
    r"(?:,? (?:now|these days|lately|already|though|anyway|too|as well|please|again|honestly|actually|haha|lol))+$"
)


def doing(value: str, language: str) -> str | None:
    """What somebody does, in at most twelve words; "it" and "you" stand for something that was not said."""
    clean = whole(_TAIL_ZH.sub("", value) if language == "zh" else _DOING_END.sub("", value.strip(" .!,~")))
    if clean is None or len(clean) > (30 if language == "zh" else 90):
        return None
    if language == "zh":
        return None if re.search(r"[你您他她]|什么|怎么", clean) else clean
    if len(clean.split()) > 12 or re.search(
        r"\b(?:you|your|something|stuff)\b|^(?:it|that|this|so)\b", clean, re.IGNORECASE
    ):
        return None
    return clean


def origin(value: str, language: str) -> str | None:
    """Where somebody is from or lives, with its region: "a tiny village outside Cork"."""
    if language == "zh":
        return place(value, language)
    clean = whole(
        re.sub(
            r",? (?:now|though|these days|actually|originally|right now|at the moment|currently|for now)$",
            "",
            value.strip(" .!,~"),
        )
    )
    if (
        clean is None
        or len(clean.split()) > 8
        or not re.search(r"[A-Z]", clean)
        or re.search(r"\b(?:you|your|I)\b", clean)
    ):
        return None
    return clean


def _job(value: str, language: str) -> str | None:
    clean = phrase(re.sub(r"^(?:an?|the) ", "", value), language)
    return clean if clean and not re.search(r"很|太|不|忙|累|难|稳定|轻松|busy|hard|tough|great|fine", clean) else None


def _major(value: str, language: str) -> str | None:
    clean = phrase(value, language)
    return (
        clean
        if clean
        and re.search(
            r"学|工程|科学|专业|技术|管理|新闻|法|金融|会计|设计|英语|数学|物理|计算机|文|艺术|教育|医|经济|贸易", clean
        )
        else None
    )


_COMMON_PETS = {
    "猫",
    "狗",
    "小猫",
    "小狗",
    "猫咪",
    "狗狗",
    "小狗狗",
    "小猫咪",
    "兔子",
    "鹦鹉",
    "仓鼠",
    "乌龟",
    "dog",
    "cat",
    "puppy",
    "pup",
    "kitten",
    "kitty",
    "rabbit",
    "bunny",
    "hamster",
    "parrot",
    "horse",
}


CHECKS: dict[str, Callable[[str, str], str | None]] = {
    "text": phrase,
    "plain": lambda value, _: whole(value),
    "name": person,
    "place": place,
    "number": number,
    "id": identifier,
    "tool": tool,
    "organisation": organisation,
    "school": school,
    "occupation": occupation,
    "thing": thing,
    "doing": doing,
    "origin": origin,
    "job": _job,
    "major": _major,
    "breed": lambda value, _: None if value.casefold() in _COMMON_PETS else whole(value),
    "allergen": lambda value, language: (
        None
        if re.search(
            r"^(?:皮肤|鼻子|眼睛|又|会|容易|有点|严重|没|不|春天|换季|季节|药物?史|最近|过敏|什么|食物)|[我你会就都]",
            value,
        )
        else phrase(value, language)
    ),
    "age": lambda value, language: number(value, language) if not value.isdecimal() or 0 < int(value) < 120 else None,
    "food": lambda value, language: (
        None
        if re.search(
            r"^(?:after|before|at|on|in|during|past|when|until|with)\b|\b(?:it|that|much|well|lunch|breakfast|dinner|anything|out|enough|alone|there|well|drugs)\b",
            value,
        )
        else phrase(value, language)
    ),
    "place_or_firm": lambda value, language: (
        clean
        if re.search(r"[A-Z]", value)
        and (clean := place(re.sub(r"^(?:the|an?) ", "", value), language))
        and re.search(r"[A-Z]", clean)
        else None
    ),
    "id5": lambda value, _: value if len(value.strip()) >= 5 else None,
}
"""Kind of value to its check: the value to store, or None."""
