"""One spelling for what is written in several ways, so that looking for words needs no index and no query syntax.

A text is spelled in compatibility form (NFKC), without case, without accents on plain letters, invisible characters or
runs of white space, and with a space before every word of a script that has spaces. A word is then found where its
spelling is a part of the text's: Chinese, Japanese, Korean and Thai anywhere (猫 in 养了一只猫咪), other words and
numbers from their beginning (`car` in `cars`, not in `scar`), signs as they are (`#8842`, `A-12/b`, `C++`).

What this does not do: no stemming, no synonyms, no spelling correction, no cutting of Chinese into words, no
conversion between traditional and simplified characters. `memory.lexical` makes the terms that recall is ranked by.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from memory.text import clean

MARKS = ("⟦", "⟧")
"""What stands around a hit in an excerpt."""

_BEFORE, _LENGTH, _WORD = 30, 120, 16

# Characters that compose with the one before them; NFKC must see them together.
_CLUSTER = re.compile(".[\u0300-\u036f\u1160-\u11ff\u3099\u309a\uff9e\uff9f]*", re.DOTALL)
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]"
)
_ACCENTED = re.compile("(?<=[a-z])[\u0300-\u036f]+")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs"})
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

# A space for many, and one before every word; `_pieces` does the same character by character.
_SPACES = re.compile(" +")
_LETTER = rf"(?!{_UNSPACED.pattern})[^\W_]"
_STARTS = re.compile(rf"(?<! )(?<!{_LETTER})(?={_LETTER})")

# The same for plain ASCII, many times faster.
_BLANKS = re.compile(r"\s+")
_BEGINS = re.compile("(?<![a-z0-9 ])(?=[a-z0-9])")


def spelled(text: str) -> str:
    """The spelling of a text. Never raises; the same for every way to write the same words."""
    if text.isascii():
        return _BEGINS.sub(" ", _BLANKS.sub(" ", _CONTROLS.sub("", text.lower())))
    seen = text if text.isprintable() else "".join(filter(_is_seen, text))
    return _STARTS.sub(" ", _SPACES.sub(" ", "".join(map(_piece, _CLUSTER.findall(seen)))))


def query_words(query: str) -> list[str]:
    """The distinct spellings of a query's words, in its order; none when nothing of it can be seen. Never raises."""
    found = (spelled(word) for word in clean(query).split())
    return list(dict.fromkeys(word for word in found if word.strip()))


def hits(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Where the words of `query_words` stand in a text: ranges of characters, in order, overlapping ones as one."""
    pieces = list(_pieces(text))
    spelling = "".join(char for char, _, _ in pieces)
    found = []
    for word in words:
        # A word's own space says that it begins here; it is no part of what was found.
        blank = len(word) - len(word.lstrip())
        at = spelling.find(word)
        while at >= 0:
            found.append((pieces[at + blank][1], pieces[at + len(word) - 1][2]))
            at = spelling.find(word, at + 1)
    return _merged(found)


def excerpt(text: str, words: Sequence[str]) -> str:
    """The part of a text around the first hit on one line, with every hit in it between `MARKS`."""
    found = hits(text, words)
    start = max(0, (found[0][0] if found else 0) - _BEFORE)
    end = min(len(text), max(start + _LENGTH, found[0][1] if found else 0))
    start, end = _whole(text, start, -1), _whole(text, end, 1)
    parts, at = [], start
    for first, last in found:
        if last <= end:
            parts += [text[at:first], MARKS[0], text[first:last], MARKS[1]]
            at = last
    line = " ".join("".join([*parts, text[at:end]]).split())
    return f"{'…' * (start > 0)}{line}{'…' * (end < len(text))}"


def _whole(text: str, cut: int, step: int) -> int:
    """A cut moved outwards until it parts no word, unless that is a very long one."""
    at = cut
    while 0 < at < len(text) and abs(at - cut) < _WORD and _is_letter(text[at - 1]) and _is_letter(text[at]):
        at += step
    return cut if abs(at - cut) == _WORD else at


def _merged(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """The spelling character by character, each with the range of the text that it spells."""
    before = ""
    for cluster, start, end in _clusters(text):
        for char in _piece(cluster):
            if char == " " == before:
                continue
            if _is_letter(char) and before != " " and not (before and _is_letter(before)):
                yield " ", start, start
            yield char, start, end
            before = char


def _clusters(text: str) -> Iterator[tuple[str, int, int]]:
    """The characters of a text with what composes with each. What cannot be seen stands between none of them."""
    if text.isprintable():
        yield from ((found.group(), found.start(), found.end()) for found in _CLUSTER.finditer(text))
        return
    seen = [i for i, char in enumerate(text) if _is_seen(char)]
    for found in _CLUSTER.finditer("".join(text[i] for i in seen)):
        yield found.group(), seen[found.start()], seen[found.end() - 1] + 1


@lru_cache(maxsize=50_000)
def _piece(cluster: str) -> str:
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", cluster).casefold())
    bare = _ACCENTED.sub("", unicodedata.normalize("NFD", plain))
    kept = bare if bare.isascii() else plain
    return "".join(" " if c.isspace() else c for c in kept if _is_seen(c))


def _is_seen(char: str) -> bool:
    return (char.isspace() and not _CONTROLS.match(char)) or not _is_invisible(char)


def _is_invisible(char: str) -> bool:
    return unicodedata.category(char) in _INVISIBLE or "\ufe00" <= char <= "\ufe0f"


@lru_cache(maxsize=50_000)
def _is_letter(char: str) -> bool:
    """Whether this is a letter or digit of a script that parts words by spaces."""
    return char.isalnum() and not _UNSPACED.match(char)
