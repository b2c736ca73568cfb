"""Terms of a text and their BM25 weights, made alike for writing and for asking, in Chinese and in English.

A text becomes a bag of terms: words (English ones stemmed, stop words left out), identifiers whole and by their parts,
Chinese words as `rjieba` cuts them for searching, and under those every pair of neighbouring characters and every
single character, so that a query of one or two characters finds what the cutter joined. Other scripts written without
spaces (kana, hangul, Thai...) get pairs and characters alone; emoji are terms.

What this does not do: no synonyms, no spelling correction, no conversion between traditional and simplified
characters. A query has no syntax: `AND`, `*` or a quote mark is text like any other.
"""

from __future__ import annotations

import re
import threading
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar

import rjieba
from snowballstemmer import EnglishStemmer

from memory.stopwords import ENGLISH

# What a term is worth in a query. A pair of characters or a part of an identifier is weaker evidence than the word;
# a character inside a longer run is nearly none, but it must be there for the query that has nothing else.
_WHOLE, _PART, _CHARACTER = 1.0, 0.5, 0.1

_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED = _HAN + "\u3040-\u30ff\u31f0-\u31ff\uac00-\ud7a3\u1100-\u11ff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
# Combining marks are no word characters to `re`, but they belong to the word (Arabic, Hebrew, the scripts of India).
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
_LETTERS = rf"(?:[^\W{_UNSPACED}]|[{_MARKS}])++"

_TOKEN = re.compile(
    rf"(?P<run>[{_UNSPACED}]+)"
    rf"|(?P<word>{_LETTERS}(?:(?:://|[-.@/:\\+&']){_LETTERS})*+(?:\+\+|\#(?!\w))?)"
    r"|(?P<symbol>[^\w\s])"
)
_PIECE = re.compile(rf"\d+|(?:[^\W\d_]|[{_MARKS}])++")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CONTRACTION = re.compile(r"(?:n't|'(?:s|m|re|ve|ll|d|t))$", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_GAP = re.compile(rf"[\W_{_UNSPACED}]+")
_UNENCODABLE = re.compile("[\x00\ud800-\udfff]")


_REMEMBERED = 2_000
"""Characters up to which a text's terms are remembered, of the last few hundred texts: a passage has 1,400."""


def terms(text: str) -> list[str]:
    """The terms of a document, in no particular order, each as often as it occurs. Never raises."""
    return [term for term, _ in _weighted(text)]


def query_terms(text: str) -> list[str]:
    """The distinct terms of a query, in order of first appearance; empty when it has only stop words or signs."""
    return list(dict.fromkeys(terms(text)))


def query_weights(text: str) -> dict[str, float]:
    """The distinct terms of a query with what each is worth (0 to 1), in order of first appearance."""
    weights: dict[str, float] = {}
    for term, weight in _weighted(text):
        weights[term] = max(weight, weights.get(term, 0.0))
    return weights


@dataclass(frozen=True)
class Bm25Encoder:
    """Sparse vectors whose dot product, with the IDF that Qdrant multiplies in at search, is a BM25 score.

    The document side carries the saturated term frequency `f (k1 + 1) / (f + k1 (1 - b + b n / average_length))`
    (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009), `n` the number of its terms. The average
    length is a constant, not the corpus': a statistic over all documents would let one user's writing reorder
    another's results. The query side carries what each term is worth, once, however often it is said.

    Indices are unsigned 32-bit CRCs of the owner and the term: the same in every process; terms that collide count as
    one. With an owner's name among them a term's list in the index holds that owner's records alone, and a search costs
    no more for what others have said.
    """

    version: ClassVar[str] = "owned-1"

    k1: float = 0.9
    b: float = 0.4
    average_length: float = 30.0

    def document(self, text: str, owner: str = "") -> tuple[list[int], list[float]]:
        """Indices (unique, ascending) and term-frequency weights of a document; both empty without terms."""
        own = zlib.crc32(owner.encode())
        counts = Counter(zlib.crc32(term.encode(), own) for term in terms(text))
        norm = self.k1 * (1 - self.b + self.b * counts.total() / self.average_length)
        indices = sorted(counts)
        return indices, [counts[i] * (self.k1 + 1) / (counts[i] + norm) for i in indices]

    def query(self, text: str, owner: str = "") -> tuple[list[int], list[float]]:
        """Indices (unique, ascending) and weights (0 to 1) of a query; both empty without terms."""
        own = zlib.crc32(owner.encode())
        weights: dict[int, float] = {}
        for term, weight in query_weights(text).items():
            index = zlib.crc32(term.encode(), own)
            weights[index] = max(weight, weights.get(index, 0.0))
        indices = sorted(weights)
        return indices, [weights[i] for i in indices]


def comparable(text: str) -> tuple[str, str]:
    """A text for `needle`: as it is compared, and with its spaced words one blank apart."""
    plain = unicodedata.normalize("NFKC", text).lower()
    return plain, " " + _GAP.sub(" ", plain)


def needle(term: str) -> tuple[int, str]:
    """Which of a `comparable` text's two forms holds this term, and as what: an English one as a word's beginning.

    A quick stand-in for cutting the text into terms; it also takes "party" for a form of "part".
    """
    if not term.isascii() or not term.isalnum():
        return 0, term
    return 1, f" {term[:-1] if len(term) > 3 and term.endswith('i') else term}"


def _weighted(text: str) -> tuple[tuple[str, float], ...]:
    """Each occurrence of a term, with what it is worth in a query."""
    return _remembered(text) if len(text) <= _REMEMBERED else tuple(_cut(text))


@lru_cache(maxsize=512)
def _remembered(text: str) -> tuple[tuple[str, float], ...]:
    # A turn cuts what was said when it asks, when it writes, and when a later one finds it among its best.
    return tuple(_cut(text))


def _cut(text: str) -> Iterator[tuple[str, float]]:
    text = unicodedata.normalize("NFKC", _UNENCODABLE.sub(" ", text)).replace("’", "'")
    for match in _TOKEN.finditer(_THOUSANDS.sub("", text)):
        token = match.group()
        if match.lastgroup == "run":
            yield from _run(token)
        elif match.lastgroup == "word":
            yield from _word(token)
        elif unicodedata.category(token) == "So":
            yield token, _WHOLE


def _run(run: str) -> Iterator[tuple[str, float]]:
    """A run of characters of an unspaced script: its words, pairs and characters."""
    if len(run) == 1:
        yield run, _WHOLE
        return
    words = {(start, end) for _, start, end in _jieba().tokenize(run, "search") if end - start > 1}
    for start, end in sorted(words):
        yield run[start:end], _WHOLE
    for i in range(len(run) - 1):
        if (i, i + 2) not in words:
            yield run[i : i + 2], _PART
    for character in run:
        yield character, _CHARACTER


def _word(token: str) -> Iterator[tuple[str, float]]:
    """A word, or an identifier whole, by its parts, and without its hyphens (so that wi-fi finds wifi)."""
    token = _CONTRACTION.sub("", token).strip("_")
    whole = _plain(token)
    if not whole or _is_stop(token):
        return
    parts = [part for piece in _PIECE.findall(token) for part in _CAMEL.split(piece)]
    if [_plain(part) for part in parts] == [whole]:
        yield stem(whole), _WHOLE
        return
    yield whole, _WHOLE
    joined = whole.replace("-", "").replace("_", "")
    if joined != whole:
        yield joined, _PART
    for part in parts:
        if not _is_stop(part):
            yield stem(_plain(part)), _PART


def _is_stop(word: str) -> bool:
    """Whether a word says nothing; written in capitals ("IT", "US", "WHO") it is taken for a name."""
    return word.lower() in ENGLISH and not (word.isupper() and len(word) > 1)


def _plain(word: str) -> str:
    """Lower case, and without accents where plain letters are left: résumé is resume, but й is not и."""
    word = word.lower()
    if word.isascii():
        return word
    bare = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    return bare if bare.isascii() else word


def cut_words(text: str) -> list[tuple[int, int]]:
    """Where each word of a text begins and ends; no two overlap. What no dictionary has is cut to characters."""
    return [(start, end) for _, start, end in _jieba().tokenize(text, "default", False)]


@cache
def _jieba() -> rjieba.Jieba:
    """Our own cutter: words that someone adds to the package's shared one would make old entries unfindable."""
    return rjieba.Jieba()


_stemmers = threading.local()


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The English stem; words with other letters come back as they are.

    A stemmer keeps its state in itself, so each thread has one. It is the package's own Python code, never PyStemmer,
    which the package's factory prefers when installed and which may be of another version of the algorithm.
    """
    if not word.isascii():
        return word
    if not hasattr(_stemmers, "english"):
        _stemmers.english = EnglishStemmer()
    return str(_stemmers.english.stemWord(word))
