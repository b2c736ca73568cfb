"""A running summary of what left the window, made without a model, and what a model's own must not have lost.

It is extractive: it picks whole sentences as they were said and writes none of its own. It does not rephrase, join or
reconcile them, and where two contradict each other it keeps both, in order, with who said each. What it is good for is
that names, numbers, ids, dates, preferences, decisions, promises and code survive word for word. A summary written by
a language model reads better (`memory.summary_request` asks for it) and may be handed in as `previous` all the same.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memory.record import TokenCounter
from memory.summary_request import Summary, SummaryRequest
from memory.text import Language
from memory.tokens import estimate_tokens
from memory.window import Line, shorten

_SPEAKERS: dict[Language, dict[str, str]] = {
    "en": {"human": "User", "ai": "Assistant", "tool": "Tool"},
    "zh": {"human": "用户", "ai": "助手", "tool": "工具"},
}
_ROLES = {label: role for labels in _SPEAKERS.values() for role, label in labels.items()}
_ENTRY = re.compile(rf"- (?:({'|'.join(_ROLES)})[:：] ?)?(.+)")

_LONGEST = 240
"""Characters of one sentence; a wall of text without a full stop is shortened."""
_PER_MESSAGE = {"human": 8, "ai": 5, "tool": 2}
"""Sentences that one message may give, so that one long answer or result does not push everything else out."""
_SMALL_TALK = 6
"""Tokens up to which a sentence without names, numbers and the like says nothing."""
_LASTING_SHARE = 0.75
"""How much of the budget ids and decisions may take from what is newer."""

_FENCE = re.compile(r"(```.*?(?:```|\Z))", re.DOTALL)
# A full stop ends an English sentence only before white space, and not after a title or an initial.
_SENTENCE = re.compile(
    r"[^\n]+?(?:[。！？；!?…]+[”’」』）)\"']*|(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bMrs)(?<!\be\.g)(?<!\bi\.e)(?<!\b[A-Z])\.[”’\"')]*(?=\s|$)|$)",
    re.MULTILINE,
)


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


DECISION = _any(
    r"\b(?:decided?|chose|chosen|agreed|settled on|go(?:ing)? with|went with)\b",
    r"\b(?:we(?:'ll| will) use|finali[sz]ed)\b",
    r"决定|选定|敲定|确定|定下|定了|说好|改成|改为|改用|采用|就用|最终|同意",
)
"""What says that something was decided."""
TASK = _any(
    r"\b(?:need(?:s|ed)? to|ha(?:ve|s) to|must|todo|to-do|promised?|remind me|remember to|don't forget|i'll|i will)\b",
    r"需要|必须|得在|待办|记得|别忘|提醒我|答应|还没|尚未|我会|要在.{1,12}前",
)
"""What says that something is still to be done."""

# Ids and decisions: what a conversation comes back to long after.
_LASTING = (
    _any(
        r"[#＃]\s?\d",
        r"(?<![a-z0-9])(?!\d+(?:st|nd|rd|th|[ap]m|[kcm]?m|k?g|[kmg]b|[hsk])\b)(?=[a-z0-9_-]*\d)(?=[a-z0-9_-]*[a-z])[a-z0-9]+(?:[-_][a-z0-9]+)*(?![a-z0-9])",
        r"\d{5,}",
        r"[\w.+-]+@[\w-]+\.\w",
        r"https?://",
        r"(?:号码?|编号|单号|账号|\bid\b|\bnumber\b|\bcode\b)\s*(?:是|为|is|:|：)",
    ),
    DECISION,
)
_ID = _any(
    r"#\s?\d+",
    r"(?<![\w@.:/+-])(?=[a-z]+[-_]?\d)[a-z0-9]+(?:[-_][a-z0-9]+)*(?![\w@/+-]|[.:]\w)",
    r"[a-z0-9][\w.+-]*@[\w.-]+\.\w+",
    r"(?<=[号码])(?:是|为|:)?\s?\d{4,}",
)
# Names, numbers, dates, preferences, promises, open tasks, code.
_SOLID = (
    _any(r"\d", r"[一二三四五六七八九十百千万两]+(?:个|元|块|岁|年|月|天|点|次|人|公斤|小时|分钟)"),
    _any(
        r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
        r"\b(?:january|february|march|april|june|july|august|september|october|november|december)\b",
        r"\b(?:today|tomorrow|tonight|yesterday|deadline|birthday|next (?:week|month|year)|last (?:week|month|year))\b",
        r"今天|明天|后天|昨天|前天|周[一二三四五六日末]|星期|下周|上周|下个?月|上个?月|明年|去年|生日|截止",
    ),
    _any(
        r"\b(?:like|love|enjoy|hate|dislike|prefer|favou?rite|allergic|allergy|can't stand|never (?:eat|drink|use))\b",
        r"喜欢|喜爱|最爱|热爱|讨厌|不喜|偏好|偏爱|过敏|不吃|不喝|不能吃|忌口|从不",
    ),
    _any(
        r"\b(?:need(?:s|ed)? to|have to|must|should|todo|to-do|promised?|remind|remember|don't forget)\b",
        r"\b(?:i'll|we'll|i will|we will|please|could you|can you|help me)\b",
        r"需要|必须|应该|待办|记得|别忘|提醒|答应|保证|承诺|还没|尚未|会把|我会|帮我|请",
    ),
    _any(
        r"\b(?:my name is|i'm called|call me|i am|i'm|i live|i work|i moved)\b",
        r"我叫|我是|名字|叫做|我姓|住在|上班|工作|我的",
    ),
    _any(r"`", r"\w\(\w*\)", r"[{};]\s*$"),
)
# What must be or must not be: limits, exceptions and changes of mind, which hold until they are taken back.
_LIMIT = _any(
    r"\b(?:not|never|no|none|nothing|nobody|cannot|without|only|unless|except|instead|anyway|after all|would rather)\b",
    r"n't\b|'d rather|\b(?:must|has to|have to|at most|at least|no more|no longer|limit|ceiling|until|whatever)\b",
    r"\bout of the question\b",
    r"不(?!少|错|好意思|过[,，]|仅|但)|别(?!人|的|处)|没(?!关系|事)|只(?=[能要有住吃喝用是])|仅|必须|务必|一定要|宁可|宁愿",
    r"最多|最少|至少|上限|下限|除非|无论|还是[^?？]*吧|改(?:成|为|由|到|主意)|绝对|再也",
)
# What a person says of himself, not of what he and others did.
_OWN = _any(r"\b(?:i|i'[a-z]+|me|my|mine|myself)\b", r"我(?!们)|俺")
_ASKED = _any(
    r"[?？]\s*$", r"\b(?:please|can you|could you|would you|help me|tell me|show me)\b", r"帮我|请|告诉我|给我[讲说看]"
)
_MARK = re.compile(r"[a-z0-9](?:[\w@.:/+-]*[a-z0-9])?", re.ASCII)
"""What an id is compared by, folded."""
_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][a-z]+|《[^》]+》|「[^」]+」")


@dataclass(frozen=True)
class _Entry:
    """A sentence and who said it. Rank 4 is lasting, 3 a limit the user set, 2 of himself, 1 solid, 0 other."""

    role: str
    text: str
    rank: int

    def render(self, language: Language) -> str:
        label = _SPEAKERS[language].get(self.role)
        colon = "：" if language == "zh" else ": "
        return f"- {label}{colon}{self.text}" if label else f"- {self.text}"


def fold_summary(
    previous: str,
    lines: Sequence[Line],
    *,
    max_tokens: int,
    language: Language,
    count: TokenCounter = estimate_tokens,
) -> str:
    """A summary of at most `max_tokens` that covers the previous one and these lines: a sentence a line, oldest first.

    `lines` are what left the window, in order; system lines are not summarised. Each sentence stands once, whoever
    repeats it. When room is short, plain sentences go first, then those with names, numbers, dates, preferences, tasks
    or code, then what the user says of himself, then limits that the user set, then ids and decisions; within each the
    assistant's and tools' before the user's, and the oldest first.
    Small talk never enters. Without lines, and with room enough, a summary comes back as it is. `language` chooses the
    words for who speaks; sentences stay in their own.
    """
    seen: set[str] = set()
    entries: list[_Entry] = []
    for entry in (*_read(previous), *(entry for line in lines for entry in _extract(line))):
        key = same_words(entry.text)
        if key and key not in seen:
            seen.add(key)
            entries.append(entry)
    costs = [count(entry.render(language) + "\n") for entry in entries]
    order = sorted(range(len(entries)), key=lambda i: (entries[i].role in ("ai", "tool"), -i))
    plain, solid, own, limits, lasting = ([i for i in order if entries[i].rank == rank] for rank in range(5))

    room = max_tokens
    chosen: set[int] = set()
    for indices, floor in (
        (lasting, max_tokens - int(max_tokens * _LASTING_SHARE)),
        (limits, 0),
        (own, 0),
        (solid, 0),
        (lasting, 0),
        (plain, 0),
    ):
        for i in indices:
            if i not in chosen and room - costs[i] >= floor:
                chosen.add(i)
                room -= costs[i]
    return "\n".join(entries[i].render(language) for i in sorted(chosen))


@dataclass(frozen=True)
class ExtractiveSummarizer:
    """Implements `memory.summary_request.Summarizer` by `fold_summary`: no model, no cost, no failure."""

    count: TokenCounter = estimate_tokens

    def summarize(self, request: SummaryRequest) -> Summary:
        """A summary of all the lines."""
        text = fold_summary(
            request.previous,
            request.lines,
            max_tokens=request.max_tokens,
            language=request.language,
            count=self.count,
        )
        return Summary(text, request.lines[-1].id if request.lines else None)


def complete_summary(
    written: str,
    previous: str,
    lines: Sequence[Line],
    *,
    max_tokens: int,
    language: Language,
    count: TokenCounter = estimate_tokens,
) -> str:
    """What a model wrote about `previous` and these lines, within `max_tokens` and with the ids that it lost.

    An order number, an address or an account that is in a sentence which the extractive summary would hold, and
    nowhere in what was written, comes back as that sentence, before the model's own for it is older than what those
    may say of it. Amounts and dates do not: a model leaves them out where they were revised. Cut like any summary.
    """
    kept = _marks(written)
    sources = (*_read(previous), *(entry for line in lines for entry in _extract(line)))
    lost = [entry.render(language) for entry in sources if _ids(entry.text) - kept]
    return fold_summary("\n".join([*lost, written]), (), max_tokens=max_tokens, language=language, count=count)


def _marks(text: str) -> set[str]:
    return {mark.lower() for mark in _MARK.findall(unicodedata.normalize("NFKC", text).lower())}


def _ids(text: str) -> set[str]:
    """The ids in a text: what has letters and digits, an address, or five digits and more after #, 号 or the like."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return {m[0].strip("#是为: ") for m in _ID.finditer(folded)}


def split_sentences(text: str) -> list[str]:
    """The sentences of Chinese or English text, each on one line; a fenced block of code is one sentence."""
    sentences: list[str] = []
    for i, part in enumerate(_FENCE.split(text)):
        found: Iterable[str] = [part] if i % 2 else _SENTENCE.findall(part)
        sentences += filter(None, (" ".join(sentence.split()) for sentence in found))
    return sentences


def _read(summary: str) -> Iterator[_Entry]:
    """The entries of a summary; the sentences of one that is prose, which someone found worth writing, are solid."""
    for line in summary.splitlines():
        if match := _ENTRY.fullmatch(line.strip()):
            role, text = _ROLES.get(match[1], ""), _bounded(match[2])
            yield _Entry(role, text, _rank(text, role) if role else max(1, _rank(text, role)))
        else:
            for text in map(_bounded, split_sentences(line)):
                yield _Entry("", text, max(1, _rank(text, "")))


def _extract(line: Line) -> list[_Entry]:
    """The sentences of a message that say most, in their order."""
    limit = _PER_MESSAGE.get(line.role, 0)
    entries = [_Entry(line.role, text, _rank(text, line.role)) for text in map(_bounded, split_sentences(line.text))]
    entries = [entry for entry in entries if entry.rank or (line.role == "human" and _says_something(entry.text))]
    best = sorted(range(len(entries)), key=lambda i: (-entries[i].rank, i))[:limit]
    return [entries[i] for i in sorted(best)]


def _bounded(sentence: str) -> str:
    """A sentence of a length that a summary can hold; one cut before is not cut again, its mark included."""
    return shorten(sentence, _LONGEST) if len(sentence) > _LONGEST + 30 else sentence


def _rank(text: str, role: str) -> int:
    if any(pattern.search(text) for pattern in _LASTING):
        return 4
    if role == "human" and not _ASKED.search(text) and (limit := _LIMIT.search(text) or _OWN.search(text)):
        return 3 if limit.re is _LIMIT else 2
    return int(any(pattern.search(text) for pattern in (*_SOLID, _NAME)))


def _says_something(text: str) -> bool:
    """Whether a sentence without any mark of content is more than a greeting, a thank-you or a nod."""
    return estimate_tokens(text) > _SMALL_TALK


@functools.lru_cache(maxsize=1024)
def telling(text: str) -> tuple[tuple[int, str], ...]:
    """The sentences of a person's message that ask for nothing, each with what it is worth: 4 for ids and decisions, 3
    for limits, 2 for what is said of oneself, 1 for names, numbers and the like, 0 for the rest.

    Remembered: lessons are looked for in the same hundreds of messages again and again."""
    told = (_bounded(sentence) for sentence in split_sentences(text))
    return tuple((_rank(s, "human"), s) for s in told if not _ASKED.search(s))


def same_words(text: str) -> str:
    """What two sayings of one sentence share: all but case, width, spacing, and the signs around it."""
    return unicodedata.normalize("NFKC", text).lower().replace(" ", "").rstrip(".。!?,;…~").lstrip(":,;.。…~-")
