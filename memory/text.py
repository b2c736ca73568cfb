"""What a text is when it enters: cleaned once, read out of content lists, told apart by language, cut into passages.

Nothing here folds, translates or shortens what was said; that is for those who compare texts.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Literal

Language = Literal["zh", "en"]

PASSAGE_CHARS = 1400
"""The default bound of a passage: about 350 tokens, as 1,400 narrow characters or 350 wide ones."""

_LINE_ENDS = re.compile("\r\n?")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_REASONING = re.compile(
    r"\A\s*<(think|thinking|thought|reasoning|reflection)\b[^>]*>.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE
)


def clean(text: str) -> str:
    r"""The one normalising function at the entry: `text` as said, without what no store can keep.

    A surrogate pair that came as two code units becomes its character and a lone surrogate U+FFFD. `\r\n` and `\r`
    become `\n`; every other C0 control but `\t` is removed (DEL too), with nothing after it lost. Idempotent.
    Deliberately no NFKC and no trimming.
    """
    if text.isprintable():  # then there is nothing of the kind in it, and most lines are so
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _CONTROLS.sub("", _LINE_ENDS.sub("\n", joined))


def without_reasoning(reply: str) -> str:
    """A model's answer without the reasoning that some put before it; left open, the whole reply is reasoning."""
    return _REASONING.sub("", reply, count=1)


def content_text(content: str | Sequence[object]) -> str:
    """The words of a message's content, which LangChain gives as a string or as a list of strings and typed parts.

    Text parts are joined by line ends. Images, files, reasoning, tool calls and whatever is unknown become nothing,
    so that no Python representation ever reaches a prompt or a memory.
    """
    if isinstance(content, str):
        return content
    return "\n".join(text for text in map(_part_text, content) if text)


def _part_text(part: object) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping) and part.get("type") in {"text", "input_text", "output_text"}:
        text = part.get("text")
        return text if isinstance(text, str) else ""
    return ""


_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HAN_OR_WORD = re.compile(f"[{_HAN}]|[A-Za-z]+(?:['’][A-Za-z]+)?")
_HAN_CHAR, _LATIN = re.compile(f"[{_HAN}]"), re.compile("[A-Za-z]")
_WIDE_MARKS = re.compile("[\u3000-\u303f\uff01-\uff5e]")
# The words that hold a sentence together tell whose language it is in; names and terms cross over freely.
_ZH_FUNCTION = frozenset("的了是我你您他她它在有不没这那哪吗呢吧啊么把被给帮和跟与就都也还要会能想用怎什请为对让从到")
_ENGLISH = """
a an the i i'm i've i'd i'll me my mine we our us you your he she it's his her they them their this that these those
is are was were be been am do does did don't doesn't didn't have has had can could will would should may might
what when where which who whose why how and or but if because to of in on at for from with about into than not there
please tell let help show find give make write translate explain recommend
"""
_EN_FUNCTION = frozenset(_ENGLISH.split())


def language(text: str) -> Language:
    """The language of the user's words: "zh" or "en".

    One script decides alone. In mixed text the language is that of the function words (帮我改这份 résumé is
    Chinese, "I live in 北京" English); when both have some, that of the first, since what is quoted or translated
    comes later; when neither has, Chinese. Without letters, full-width punctuation means Chinese. Deliberately knows
    no third language.
    """
    if not _HAN_CHAR.search(text):
        return "zh" if _WIDE_MARKS.search(text) and not _LATIN.search(text) else "en"
    for match in _HAN_OR_WORD.finditer(text):
        word = match.group().lower().replace("’", "'")
        if word in _ZH_FUNCTION:
            return "zh"
        if word in _EN_FUNCTION:
            return "en"
    return "zh"


# Where a passage may end, best first: after a blank line, a line, a sentence, a clause, a word.
_BOUNDARIES = (
    (4, re.compile(r"\n[ \t\u3000]*\n\s*")),
    (3, re.compile(r"\n\s*")),
    (2, re.compile(r"[。！？!?…]+[”’」』》）)\"']*\s*|\.+[”’)\"']*\s+")),
    (1, re.compile(r"[；，、：]+[”’」』》）]*\s*|[;,:][”’)\"']*\s+")),
    (0, re.compile(r"\s+")),
)
_ZWJ = "\u200d"


def passages(text: str, *, max_chars: int = PASSAGE_CHARS) -> list[tuple[int, int]]:
    """Cut `text` into `[start, end)` ranges that cover it exactly, in order, each of bounded size.

    `max_chars` bounds a passage in narrow characters, about four to a token; a wide one (Chinese, Japanese, Korean,
    emoji) counts as four. A text within the bound is one passage and an empty one none. Longer ones end where
    paragraphs, lines, sentences, clauses or words end, the strongest boundary first and then the most even; a text
    without any is cut hard, outside of words and combined characters where that can be. None of several passages is
    under a quarter of the bound.

    Raises:
        ValueError: `max_chars` is under 32, too little for the rules above.
    """
    if max_chars < 32:
        raise ValueError(f"max_chars is {max_chars}; a passage needs at least 32")
    size = [0, *accumulate(4 if char > "\u2e7f" else 1 for char in text)]
    if not text:
        return []
    if size[-1] <= max_chars:
        return [(0, len(text))]
    strength = _strengths(text)
    cuts = [0]
    while size[-1] - size[cuts[-1]] > max_chars:
        cuts.append(_next_cut(text, size, strength, cuts[-1], max_chars))
    return list(zip(cuts, [*cuts[1:], len(text)], strict=True))


def _strengths(text: str) -> dict[int, int]:
    found: dict[int, int] = {}
    for strength, pattern in _BOUNDARIES:
        for match in pattern.finditer(text):
            found.setdefault(match.end(), strength)
    return found


def _next_cut(text: str, size: list[int], strength: Mapping[int, int], start: int, bound: int) -> int:
    """The best end of a passage that begins at `start`, when what is left of the text is over the bound."""
    left = size[-1] - size[start]
    least, tail = bound // 4 + 4, bound // 4 + 4
    ideal = size[start] + left / -(-left // bound)
    first = bisect_left(size, size[start] + least)
    last = bisect_right(size, min(size[start] + bound, size[-1] - tail)) - 1
    window = range(first, last + 1)
    soft = [cut for cut in window if cut in strength]
    if soft:
        return max(soft, key=lambda cut: (strength[cut], -abs(size[cut] - ideal)))
    whole = (cut for cut in _outward(window, bisect_left(size, ideal)) if not _joins(text, cut))
    return next(whole, min(window, key=lambda cut: abs(size[cut] - ideal)))


def _outward(window: range, centre: int) -> Iterator[int]:
    """The positions of the window, nearest to the centre first."""
    return iter(sorted(window, key=lambda cut: abs(cut - centre)))


def _joins(text: str, cut: int) -> bool:
    """Whether a cut here would part a character from its marks, joiner or skin tone, or a word or number in two."""
    before, after = text[cut - 1], text[cut]
    if _ZWJ in (before, after) or unicodedata.combining(after) or "\ufe00" <= after <= "\ufe0f":
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    return before.isascii() and after.isascii() and before.isalnum() and after.isalnum()
