"""Whether a text instructs the agent rather than states something, and why.

A memory is read by a model again and again, so words that order it about ("from now on always answer...", 忽略之前的指示,
今后无论…都要…) would be obeyed for ever, whoever slipped them in. Such a text is held until a person releases or rejects
it.

By patterns of Chinese and English, on wording alone: whether an order is harmless is for a person to judge. What a
person says of himself, in whatever strong words ("from now on I live in Berlin", 从今以后我吃素, "I must never eat
nuts"), states something. So does a plain wish of the user about his answers (请用中文回答我) in the user's own words;
the same in a tool's result or a document is an order.

Deliberately no safeguard on its own: what gets past it is still rendered as data (`memory.rendering`).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache

from memory.record import Proposal, Utterance

LONGEST = 100_000
"""Characters of a text that can be looked at in about half a second; a fact that is longer is held for that."""

_QUOTED = 60
_OWN = frozenset({"user", "person"})
"""Who may say how the user wants to be answered."""


@dataclass(frozen=True)
class _Rule:
    """`grave`: an order even where the fact that was read from the words does not look like one."""

    why: str
    source: str
    grave: bool = False
    others: bool = False
    """Only an order when somebody other than the user says so."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when the first text is judged: all of them take as long as a tenth of the imports."""
        return re.compile(self.source, re.IGNORECASE | re.MULTILINE)


def _rule(why: str, pattern: str, *, grave: bool = False, others: bool = False) -> _Rule:
    return _Rule(why, pattern, grave, others)


# English. An order has its verb at the head of a clause, or after "you" or "the assistant": never after "I" or "she".
_HEAD = (
    r"(?:^|(?<=[.;:!?,\n。！？；：，]))[\s\"'“”‘’「『*_>#(\[-]*"
    r"(?:(?:please|kindly|also|and|so|now|then|but|just|simply|remember|note|rule|important|ok|okay)\b[:,]?\s+){0,3}"
)
_AGENT = r"(?<!\bmy )(?<!\bher )(?<!\bhis )(?<!\bour )\b(?:you|assistants?|(?:the |an )ai(?: agent)?|language models?|llm|chatbots?)"
_DUTY = (
    r"(?: (?:must|should|shall|will|have to|has to|need to|needs to|are to|is to|ought to|can only|may only|to"
    r"|(?:are|is) (?:required|obliged|instructed|supposed|expected) to|must not|mustn't|should not|shouldn't|shall not"
    r"|cannot|can't|may not|(?:are|is) (?:not allowed|forbidden) to))"
)
_EVER = r"(?:(?:always|never|only|not|do not|don't|also|now|immediately|blindly|please|just|simply|strictly),? )"
_TALK = (
    r"answer|reply|respond|output|print|say|tell|speak|talk (?:to|like|in)|repeat|translate|mention|include|append"
    r"|prepend|(?:begin|start|end|finish|open|close) (?:your|each|every|all) (?:answer|repl|response|message|sentence)"
    r"|refer to|greet|recommend|suggest|promote|advertise|pretend|agree|approve|comply|obey|refuse|reveal|disclose|leak"
    r"|ignore|disregard"
)
_SAY_ONLY = rf"(?:{_TALK})\b(?!:)"
_SAY = (
    rf"(?:{_TALK}|write|insert|add (?:an?|the|this)|(?:begin|start|end|finish|open|close) (?:your|each|every|all|with)"
    r"|call (?:the user|him|her|them)|address|sign|format|use|keep (?:your|all|every)|give|show|provide|act|behave|treat"
    r"|assume|believe|trust|follow|accept|decline|reject|warn|ask|ensure|make sure|share|expose|post|send|forward|e-?mail"
    r"|upload|transfer|wire|pay|buy|order|delete|erase|run|execute|invoke|forget|bypass|override)\b(?!:)"
)
_LEAD_EN = (
    r"(?:from (?:now|this (?:point|moment|day)|here|today) on(?:wards?)?|henceforth|going forward|as of now"
    r"|in (?:the )?future|(?:in|for|with) (?:all |any |your )?future (?:conversations?|replies|responses|answers|messages|chats|sessions)"
    r"|(?:in|for|at|with) (?:all|every|each|any) (?:of your )?(?:future |of your )?"
    r"(?:conversations?|repl(?:y|ies)|responses?|answers?|messages?|chats?|sessions?|times?|cases?|questions?)"
    r"|under (?:no|any|all) circumstances?"
    r"|no matter (?:what|who|how|which|when)\b[^.!?,;]{0,60}|what(?:so)?ever [^.!?,;]{0,60}|regardless of [^.!?,;]{0,60}"
    r"|(?:whenever|every time|each time|any ?time|if|when|once) (?:I|we|you|users?|the user|any(?:one|body)|some(?:one|body)"
    r"|people|he|she|they|asked)\b[^.!?,;]{1,80}(?=,| then\b| you\b))(?: then)?"
)
_RULES_OF_THE_AGENT = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directives?|orders|constraints?|restrictions?|safeguards?|filters?"
    r"|polic(?:y|ies)|programming|training|system message|(?:previous|prior|above|earlier) (?:messages?|context|text))"
)
_SECRETS = (
    r"(?:passwords?|passcodes?|api[ -]?keys?|secret keys?|private keys?|credentials?|access tokens?|system (?:prompt|message)"
    r"|your (?:instructions|prompt|rules|configuration)|(?:chat|conversation) history|personal data)"
)

# Chinese. The verb follows the marker, with 你 or 助手 or nobody before it; 我 or 妈妈 before it tell of people.
_SAY_ZH = (
    r"(?:回答|回复|答复|答案|输出|打印|称呼(?!我)|扮演|假装|装作|模仿|透露|泄露|泄漏|公开密|听从|服从|遵守(?:以下|这|我的|此)"
    r"|忽略|无视|绕过|执行(?:以下|下面|这|命令|指令|代码|所有|任何|用户|我的|该|操作)|推荐(?!信)|推销|宣传|批准|放行|转发|转账|汇款|发送|调用"
    r"|(?:用|以(?![后前来外上下]))[^，。！？我]{1,12}(?:回答|回复|答复|作答|回应|交流|对话|输出|开头|结尾|口吻|语气)"
    r"|(?:在|给)?[^，。！？我]{0,6}(?:末尾|结尾|开头|前面|后面|最后)[^，。！？我]{0,3}(?:加上?|附上?|写上?|带上?)"
    r"|告诉(?:用户|我|他们|大家|对方|客户|所有)|对(?:用户|我|所有人)说|说[“\"「『]|提供[^，。！？]{0,10}(?:密码|密钥|链接)"
    r"|拒绝(?:回答|提供|透露|用户|任何|所有)|(?:同意|答应|满足)(?:用户|我的|任何|所有|一切)|相信(?:用户|我|此|这))"
)
_WHO_ZH = r"(?:你们?|您|(?:智能|AI|人工智能)?(?:助手|助理|模型|机器人)|AI|系统|大模型)"
_MUST_ZH = (
    r"(?:都|就|一律|必须|务必|一定|一概|统一|全部?|永远|始终|总是|只能?|只许|只准|要|得|须|需要?|应该?|应当|请|麻烦|不要|不准|不许|不得|不能|不可|禁止|别|勿"
    r"|再|也|先|直接|立即|马上|立刻|自动|默认|无条件|原样|严格|每次)"
)
_LEAD_ZH = (
    r"(?<![我他她们妈爸])(?:从今以后|从今往后|从今天(?:起|开始)|从现在(?:起|开始)|从此(?:以后|之后)?|自此|今后|以后|往后|此后|接下来|日后|将来"
    r"|永远|始终|一律|任何时候|任何情况下|无论如何|不管怎样|每次|每当|每一次|所有(?:回答|回复|对话|问题)(?:里|中)?)"
)
_WHEN_ZH = (
    r"(?:(?:无论|不管|不论|任凭|每当|每次|一旦|只要|如果|要是|凡是|凡|当)[^，,。！？]{0,24}?"
    r"(?:说|问|提|要求|要|发|输入|讲|聊|遇到|收到|怎么|怎样|什么|谁|哪)[^，,。！？]{0,24}?[，,]?\s*)"
)
_DO_ZH = r"(?:都|就|一律|必须|务必|要|请|直接|立即|马上|立刻|无条件|原样)"
_NOBODY_ELSE = r"(?![^，。！？]{0,12}我(?:都|会|要|就|得|再|也|先|才|从|总|必|一定))"
_RULES_ZH = r"(?:指示|指令|提示词|提示|规则|设定|限制|约束|说明|命令|守则|准则|要求|安全策略|护栏|对话|上下文|内容)"
_WHOSE_ZH = r"(?:之前|以前|先前|此前|上面|以上|上述|前面|前述|所有|一切|全部|任何|你的|你被|系统|原有|原来|开发者|安全)"
_SECRETS_ZH = r"(?:密码|密钥|口令|凭证|凭据|令牌|系统提示|提示词|系统消息|api ?key|私钥|聊天记录|隐私)"

_RULES: tuple[_Rule, ...] = (
    _rule(
        "tells the agent to set its instructions aside",
        rf"(?:{_HEAD}|{_AGENT}{_DUTY}?{_EVER}* ?)(?:completely |fully )?(?:ignore|disregard|forget|override|bypass|discard|drop)\b"
        rf"[^.!?\n]{{0,30}}\b(?:previous|prior|above|earlier|preceding|all|any|your|these|those|system|safety|other)\b"
        rf"[^.!?\n]{{0,30}}\b{_RULES_OF_THE_AGENT}\b",
        grave=True,
    ),
    _rule(
        "tells the agent to set its instructions aside",
        rf"(?<![我他她们])(?:忽略|无视|忘记|忘掉|忘了|抛开|抛弃|绕过|违反|跳过|覆盖|推翻|不要(?:再)?(?:理会|遵守|管)|不用(?:再)?(?:理会|遵守|管)|别管)"
        rf"(?!了)[^。！？，,\n]{{0,8}}{_WHOSE_ZH}[^。！？，,\n]{{0,12}}{_RULES_ZH}",
        grave=True,
    ),
    _rule(
        "tells the agent to give away what is secret",
        rf"(?:{_HEAD}|{_AGENT}{_DUTY}?{_EVER}* ?|{_LEAD_EN},? {_EVER}*)"
        rf"(?:output|print|reveal|show|tell|send|give|disclose|leak|share|post|forward|e-?mail|repeat|display|write|say)\b"
        rf"[^.!?\n]{{0,40}}\b{_SECRETS}",
        grave=True,
    ),
    _rule(
        "tells the agent to give away what is secret",
        rf"(?:{_WHO_ZH}\s*{_DO_ZH}{{1,3}}\s*(?:发送|说出|给出|提供|告诉(?!了)|展示|显示)|(?:{_DO_ZH}|{_WHO_ZH}|[，,。：:\s]|^)(?:输出|打印|透露|泄露|泄漏|复述|交出))"
        rf"(?!过)[^，。！？\n]{{0,14}}{_SECRETS_ZH}(?![^，。！？]{{0,4}}(?:是|为|：|:))",
        grave=True,
    ),
    _rule(
        "reads like a system prompt",
        r"<\|?/?(?:system|im_start|im_end|endoftext|assistant|developer)\b|<<SYS>>|\[/?INST\]|"
        r"^\s*#{1,6} *(?:system|instructions?|new instructions?|系统|指令)\b|"
        r"\b(?:new|updated|additional|important|hidden|admin) (?:system )?(?:instructions?|directives?|prompt) ?[:：]|"
        r"(?:新的?|最新|重要|隐藏|管理员|系统)(?:系统)?(?:指令|指示|提示词|提示)[：:]|"
        r"^\s*[\[(【]?(?:system(?: prompt| message| override| note)?|developer(?: message)?|系统(?:提示词?|指令|消息)?|开发者)[\])】]?\s*[:：]"
        r"\s*(?:you\b|the (?:assistant|user)|ignore|from now|always|never|do not|don't|please|respond|answer|你|请|忽略|从现在|今后|以后|必须|无论)|"
        r"(?:enter|enable|activate|进入|开启|启用)[^.。！!\n]{0,12}(?:developer|debug|god|admin|jailbreak|DAN|开发者|越狱|管理员|上帝)\s?(?:mode|模式)|"
        r"\bdo anything now\b",
        grave=True,
    ),
    _rule(
        "gives the agent another role",
        rf"(?:{_HEAD})(?:you are now\b|you are (?:an?|the) (?:\w+[ -]){{0,4}}(?:assistant|ai|model|chatbot|bot|agent|hacker|expert)\b"
        rf"|you will (?:now )?(?:act|play|pretend|be)\b|(?:act as|pretend (?:to be|you|that you)|role-?play as|play the role of)\b)"
        rf"|{_HEAD}{_LEAD_EN},? you(?: are|'re|’re) (?!welcome|free|invited)",
        grave=True,
    ),
    _rule(
        "gives the agent another role",
        r"(?:^|[，,。！？；：:\s])(?:请)?(?:从现在(?:起|开始)|现在|今后|以后|从今以后)?[，,]?(?:你现在是|你(?:将|要|来)?(?:扮演|假装|充当|变成)|扮演|假装你|你(?:将|就)?(?:不再)?是一?[个名位]"
        r"[^，。！？]{0,16}(?:助手|助理|机器人|模型|AI|专家|黑客|客服))",
        grave=True,
    ),
    _rule(
        "orders the agent about for all time, whatever is asked",
        rf"(?:无论|不管|不论|任凭)[^，,。！？]{{0,6}}(?:用户|我|谁|别人|对方|任何人|人家|什么人|客户|问|说|什么问题)[^，,。！？]{{0,12}}[，,]?\s*"
        rf"{_WHO_ZH}?\s*{_MUST_ZH}{{1,4}}\s*(?:{_SAY_ZH}){_NOBODY_ELSE}",
        grave=True,
    ),
    _rule(
        "orders the agent about for all time, whatever is asked",
        rf"(?:{_HEAD}|\b)(?:no matter (?:what|who|how|which)|whatever|regardless of what) (?:I|you|the user|users|any(?:one|body)|people|they|he|she|the question)\b"
        rf"[^.!?,;]{{0,50}},? (?:{_AGENT}{_DUTY}? )?{_EVER}*{_SAY}",
        grave=True,
    ),
    _rule(
        "is a standing order to the agent",
        rf"{_HEAD}(?:{_LEAD_EN})(?:,? (?:that )?)(?:{_AGENT}{_DUTY}? )?{_EVER}*{_SAY}",
    ),
    _rule(
        "is a standing order to the agent",
        rf"(?:{_HEAD}|{_AGENT}{_DUTY} ?)(?:always|never)\b,? {_EVER}*{_SAY_ONLY}",
    ),
    _rule("is a standing order to the agent", rf"{_AGENT}{_DUTY} (?:always|never) {_SAY}"),
    _rule(
        "is a standing order to the agent",
        rf"\b(?:agents?|bots?|models?|system){_DUTY} (?:always|never|blindly) {_SAY}",
    ),
    _rule("says what the agent must do", rf"{_AGENT}{_DUTY} {_EVER}*(?!believe|trust|share){_SAY}"),
    _rule(
        "is a standing order to the agent",
        rf"{_LEAD_ZH}[，,：:]?\s*{_WHEN_ZH}?(?:{_WHO_ZH})?\s*(?:的)?{_MUST_ZH}{{0,4}}\s*{_SAY_ZH}{_NOBODY_ELSE}",
    ),
    _rule(
        "is a standing order to the agent",
        rf"{_WHEN_ZH}(?:{_WHO_ZH})?\s*{_MUST_ZH}{{1,4}}\s*{_SAY_ZH}{_NOBODY_ELSE}",
    ),
    _rule(
        "says what the agent must do",
        rf"(?<![我他她的们]){_WHO_ZH}\s*(?:的(?:回答|回复))?(?:必须|务必|一定要|应当|应该|只能|只许|不得|不准|不许|不可以|禁止|须|有义务)\s*{_MUST_ZH}{{0,3}}\s*{_SAY_ZH}",
    ),
    _rule(
        "tells the agent how to call somebody",
        rf"{_HEAD}(?:{_LEAD_EN},? )?{_EVER}*(?:call|address) me\b|{_LEAD_ZH}[，,]?\s*{_WHO_ZH}?\s*{_MUST_ZH}{{0,3}}(?:叫我|称呼我|管我叫)",
        others=True,
    ),
    _rule(
        "tells the agent what to do",
        rf"{_HEAD}(?:(?:tell|inform|remind|convince|persuade|urge|warn|advise|direct|ask) (?:the |your )?users?\b"
        rf"|(?:answer|reply|respond|speak|write)(?: only| always| back)?(?: to)?(?: me| us| them| the user)? (?:in|with|as|using)\b|(?:answer|reply|respond) to\b|(?:recommend|promote|mention) [^.!?\n]{{1,60}} to (?:the |all |every )?users?\b"
        rf"|(?:send|forward|e-?mail|post|upload|transfer|wire) [^.!?\n]{{1,60}} to (?:\S+@|\[EMAIL\]|https?:|this (?:address|account|url)))",
        others=True,
    ),
    _rule(
        "tells the agent what to do",
        r"(?:^|[，,。！？；：:\n])\s*(?:请|务必|必须|要)*\s*(?:(?:告诉|提醒|劝说?|引导|建议|说服|通知|催促)用户(?!名)|(?:用|以(?![后前来外上下]))[^，。！？我]{1,8}(?:回答|回复|作答)|向用户(?:推荐|推销|索要|询问))",
        others=True,
    ),
)


def instruction(text: str, *, own: bool = False) -> str | None:
    """Why a text reads as an instruction to the agent, as a sentence with the words that do; None when it does not.

    `own`: the text is the user's own. Never raises; linear in the text.
    """
    if len(text) > LONGEST:
        return f"It is too long to be looked at: {len(text)} characters."
    return _why(text, own=own, grave=False)


def hold(proposal: Proposal, source: Utterance | None) -> str | None:
    """Why a proposed fact is to be held; None when it may count at once.

    Looked at are its own text and value, and the words of `source` that it was read from, as a model may put an order
    in the words of a fact. The user's own words hold a fact that does not look like an order only when they are grave
    (set your instructions aside, give away secrets, obey whatever is asked): "from now on answer in Chinese" may well
    be read as a wish of the user. A retraction puts nothing in memory and is never held.
    """
    if proposal.get("retract"):
        return None
    own = source is None or source.speaker in _OWN
    for text in (proposal["text"], proposal.get("value") or ""):
        if why := instruction(text, own=own):
            return why
    if source is None:
        return None
    return _why(_read(source.text, proposal.get("span"))[:LONGEST], own=own, grave=own)


@lru_cache(maxsize=64)
def _why(text: str, *, own: bool, grave: bool) -> str | None:
    seen = _seen(text)
    for rule in _RULES:
        if (rule.others and own) or (grave and not rule.grave):
            continue
        if found := rule.pattern.search(seen):
            words = found[0].strip(" \n\"'“”‘’,.:;，。：；*_>#([-")
            return f"It {rule.why}: “{words[:_QUOTED]}{'…' if len(words) > _QUOTED else ''}”."
    return None


def _seen(text: str) -> str:
    """The text as a reader sees it: one width, without what is invisible, single blanks."""
    folded = unicodedata.normalize("NFKC", text)
    shown = "".join(c for c in folded if c in "\n\t" or unicodedata.category(c) not in ("Cf", "Cc"))
    return re.sub(r"[ \t\u3000]+", " ", shown).replace("’", "'")


_SENTENCE_END = re.compile(r"[.!?\n。！？]+")


def _read(text: str, span: list[int] | None) -> str:
    """The sentences of a message that a fact was read from; the whole message where that is not known."""
    if not span:
        return text
    start = max((m.end() for m in _SENTENCE_END.finditer(text, 0, span[0])), default=0)
    end = m.start() if (m := _SENTENCE_END.search(text, span[1])) else len(text)
    return text[start:end]
