"""Redaction: what must not be kept is replaced by a mark before anything is embedded, stored, extracted or logged.

E-mails, phones, Chinese resident ids, bank cards, IBANs and secrets. The rules read a folded view of the text
(full-width forms as ASCII, zero-width characters gone) with a map back, so that all else stays as said. They look
around in ASCII only, which makes them work beside Chinese; numbers must pass their checksum; where two rules claim
the same characters, the longer match wins. Names, addresses, licence plates and numbers spelled out in words are
deliberately left alone, and so is a number that is said to be an order's, a parcel's or a book's.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from typing import Literal, NamedTuple

import phonenumbers
from stdnum import luhn, numdb
from stdnum.cn import ric
from stdnum.iso7064 import mod_97_10

from memory.credentials import Span, keys, passwords, secrets

PrivateKind = Literal["SECRET", "EMAIL", "ID", "IBAN", "CARD", "PHONE"]


@dataclass(frozen=True)
class Finding:
    """One mark: its kind and its `[start, end)` range in the redacted text. What stood there is kept nowhere."""

    kind: PrivateKind
    start: int
    end: int


@dataclass(frozen=True)
class Redacted:
    """A text safe to keep, and the marks that were put into it, in order."""

    text: str
    found: tuple[Finding, ...] = ()


def redact(text: str) -> Redacted:
    """Replace what is private in `text` by `[EMAIL]`, `[PHONE]`, `[ID]`, `[CARD]`, `[IBAN]` or `[SECRET]`.

    Runs until nothing more is found, since a mark may set free what stood beside it; so it is idempotent. Marks that
    were in the text before are left alone and not reported.
    """
    return _redacted_before(text) if len(text) <= _SHORT else _redacted(text)


_SHORT = 4000
"""Characters up to which a result is kept."""


def _redacted(text: str) -> Redacted:
    done = Redacted(text)
    while True:
        matches = _matches(done.text)
        if not matches:
            return done
        done = _replace(done, matches)


# The steps of a turn read the same few messages; no more than those of some turns are kept.
_redacted_before = lru_cache(maxsize=64)(_redacted)


class _Match(NamedTuple):
    start: int
    end: int
    kind: PrivateKind


def _matches(text: str) -> list[_Match]:
    """The non-overlapping matches of all rules as ranges of `text`, longest first where they overlap, in order."""
    view, at = _view(text)
    claims = [(start - end, rank, start, kind) for rank, (kind, rule) in enumerate(_RULES) for start, end in rule(view)]
    taken = bytearray(len(view))
    chosen = []
    for shortness, _, start, kind in sorted(claims):
        length = -shortness
        if not any(taken[start : start + length]):
            taken[start : start + length] = b"\1" * length
            chosen.append(_Match(at[start], at[start + length - 1] + 1, kind))
    return sorted(chosen)


def _replace(done: Redacted, matches: Sequence[_Match]) -> Redacted:
    parts: list[str] = []
    marks: list[Finding] = []
    cursor = length = 0
    for match in matches:
        mark = f"[{match.kind}]"
        length += match.start - cursor
        parts += (done.text[cursor : match.start], mark)
        marks.append(Finding(match.kind, length, length + len(mark)))
        length += len(mark)
        cursor = match.end
    parts.append(done.text[cursor:])
    for old in done.found:
        shift = sum(len(m.kind) + 2 - (m.end - m.start) for m in matches if m.end <= old.start)
        marks.append(Finding(old.kind, old.start + shift, old.end + shift))
    return Redacted("".join(parts), tuple(sorted(marks, key=lambda finding: finding.start)))


_UNSEEN, _KEPT = "\u00ad\u200b\u200c\u200d\u2060\ufeff", "，！？；"


def _view(text: str) -> tuple[str, Sequence[int]]:
    """`text` folded character by character with NFKC, without zero-width characters, and each one's place in `text`.

    Full-width stops stay: they end a password, which their ASCII forms may be part of.
    """
    if text.isascii():
        return text, range(len(text))
    folded: list[str] = []
    at: list[int] = []
    for place, char in enumerate(text):
        if char.isascii() or char in _KEPT:
            seen = char
        else:
            seen = "" if char in _UNSEEN else unicodedata.normalize("NFKC", char)
        folded.append(seen)
        at += [place] * len(seen)
    return "".join(folded), at


# What a number may not touch: a letter or digit of ASCII, or a point or hyphen with a digit beyond it.
_BEFORE = r"(?<![0-9A-Za-z_#])(?<![0-9][-.])"
_AFTER = r"(?![0-9A-Za-z_]|[-.][0-9])"
# A number said to be an order's, a parcel's or a book's is taken at its word.
_NAMED = re.compile(
    r"(?:(?:订|运|快递|物流|流水|序列|案|工|学)单?(?:编?号|号码)|单号|编号"
    r"|\b(?:order|tracking|invoice|parcel|shipment|ticket|serial)[ ]?(?:number|no\.?|id|code|#)|\bisbn(?:-1[03])?)"
    r"(?:[ ]?(?:是|为|is|was))?[ ]?:?[ ]?$",
    re.IGNORECASE,
)


def _is_named(view: str, start: int) -> bool:
    return _NAMED.search(view, max(0, start - 32), start) is not None


_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])(?!git@)[A-Za-z0-9_][A-Za-z0-9._%+-]{0,63}"
    r"@[A-Za-z0-9\u4e00-\u9fff-]{1,63}\.(?:[A-Za-z0-9-]{1,63}\.){0,7}[A-Za-z]{2,24}(?![A-Za-z0-9_-])"
)


def _emails(view: str) -> Iterator[Span]:
    return (match.span() for match in _EMAIL.finditer(view))


_RESIDENT_ID = re.compile(
    r"(?<![0-9A-Za-z_])(?:1[1-5]|2[1-3]|3[1-7]|4[1-6]|5[0-4]|6[1-5]|71|8[1-3])[0-9]{4}"
    r"[ -]?[0-9]{4}[ -]?[0-9]{2}[ -]?[0-9]{2}[ -]?[0-9]{3}[0-9Xx](?![0-9A-Za-z_])"
)


def _resident_ids(view: str) -> Iterator[Span]:
    """GB 11643 numbers: province, birth date and check digit hold. Counties are not looked up: no list has them all."""
    for match in _RESIDENT_ID.finditer(view):
        number = re.sub("[ -]", "", match.group()).upper()
        if ric.calc_check_digit(number) == number[-1] and _is_date(number[6:14]):
            yield match.span()


def _is_date(digits: str) -> bool:
    try:
        return 1850 <= date(int(digits[:4]), int(digits[4:6]), int(digits[6:])).year <= 2100
    except ValueError:
        return False


_CARD = re.compile(rf"{_BEFORE}(?=[34568]|2[2-7]|9558)(?=(?P<digits>[0-9](?:[ -]?[0-9]){{12,18}}))")
# Issuers by first digits, with their lengths: Visa, Mastercard, Amex, Diners, JCB, Discover, UnionPay, Maestro, ICBC.
_ISSUERS = re.compile(
    r"4(?:.{12}|.{15}|.{18})|5[1-5].{14}|2(?:22[1-9]|2[3-9].|[3-6]..|7[01].|720).{12}|3[47].{13}|3(?:0[0-5]|[689].).{11,16}"
    r"|35.{14,17}|6(?:011|4[4-9].|5..).{12,15}|(?:6[0-9]|81).{14,17}|(?:50|5[6-8]).{11,17}|9558.{12,15}"
)
_GROUP = re.compile("[0-9]+")
_ENDS = re.compile(_AFTER)


def _cards(view: str) -> Iterator[Span]:
    """Numbers of a known issuer that pass Luhn, in one piece or in groups of three and more."""
    for match in _CARD.finditer(view):
        start, groups = match.start(), list(_GROUP.finditer(match["digits"]))
        # The last groups may be another number.
        for count in range(len(groups), 0, -1):
            number = "".join(group.group() for group in groups[:count])
            end = start + groups[count - 1].end()
            if len(number) < 13 or any(len(group.group()) < 3 for group in groups[: count - 1]):
                break
            if _ISSUERS.fullmatch(number) and luhn.is_valid(number) and _ENDS.match(view, end):
                if not _is_named(view, start):
                    yield start, end
                break


_IBAN = re.compile(r"(?<![0-9A-Za-z_])[A-Za-z]{2}[0-9]{2}(?=(?: ?[0-9A-Za-z]){11})")


@cache
def _iban_length(country: str) -> int:
    """The length of a country's IBANs by the SWIFT registry that python-stdnum brings; 0 for no such country."""
    parts = numdb.get("iban").info(country)
    return 4 + sum(map(int, re.findall(r"(\d+)!", parts[0][1].get("bban", "")))) if parts[0][1] else 0


def _ibans(view: str) -> Iterator[Span]:
    for match in _IBAN.finditer(view):
        length = _iban_length(match.group()[:2].upper())
        if not length:
            continue
        whole = re.compile(rf"[0-9A-Za-z](?: ?[0-9A-Za-z]){{{length - 1}}}(?![0-9A-Za-z_])").match(view, match.start())
        number = whole.group().replace(" ", "").upper() if whole else ""
        if whole and mod_97_10.is_valid(number[4:] + number[:4]):
            yield whole.span()


_GAP = r"[ .\-\u2010-\u2015]{0,3}"
_MOBILE = re.compile(
    rf"{_BEFORE}\(?(?:(?:\+|00)?\(?86\)?{_GAP})?"
    rf"(?:1[3-9][0-9]{_GAP}[0-9]{{4}}{_GAP}[0-9]{{4}}|1[3-9][0-9]{_GAP}[0-9]{{3}}{_GAP}[0-9]{{5}}"
    rf"|1[3-9][0-9]{{3}}{_GAP}[0-9]{{3}}{_GAP}[0-9]{{3}}){_AFTER}"
)
_LANDLINE = re.compile(
    rf"{_BEFORE}(?P<number>\(?0(?:10|2[0-9]|[3-9][0-9]{{2}})\)?{_GAP}[0-9]{{3,4}}{_GAP}[0-9]{{4}})"
    rf"(?:-[0-9]{{1,6}})?{_AFTER}"
)
_AMERICAN = re.compile(
    rf"{_BEFORE}(?P<number>(?:1[-. ])?(?:\([2-9][0-9]{{2}}\) ?|[2-9][0-9]{{2}}[-. ])"
    rf"[2-9][0-9]{{2}}[-. ][0-9]{{4}}){_AFTER}"
)
_INTERNATIONAL = re.compile(
    r"(?<![0-9A-Za-z_+])\(?(?:\+|00(?=[1-9]))\(?[1-9](?:[ ().\-\u2010-\u2015]{0,3}[0-9]){6,14}(?![0-9A-Za-z_])"
)
_TOLD = re.compile(
    r"(?:(?<![A-Za-z])(?:(?:tele)?phone|mobile|cell|tel|whatsapp|(?:call|text)(?: me| him| her| us)?(?: at| on)?)"
    r"|手机|电话|座机|微信)(?:[ ]?(?:number|no\.?|号码?))?(?:[ ]?(?:是|为|is|at))?[ ]?:?[ ]?"
    r"(?P<number>[0-9](?:[ -]?[0-9]){8,12})(?![0-9A-Za-z_]|[-.][0-9])",
    re.IGNORECASE,
)


_LOOKUPS = 100


def _phones(view: str) -> Iterator[Span]:
    """Chinese mobiles by form; landlines, American and international numbers where phonenumbers holds them valid.

    Bare digits in no such form count only when the words before them say that they are a phone's. Past `_LOOKUPS`
    look-ups (0.05 ms each) a text is a list of phones, and the form is enough.
    """
    asked = itertools.count()

    def is_phone(number: str, *regions: str) -> bool:
        return next(asked) >= _LOOKUPS or any(_is_valid(number, region) for region in regions)

    for match in _MOBILE.finditer(view):
        if not _is_named(view, match.start()):
            yield match.span()
    for pattern, region in ((_LANDLINE, "CN"), (_AMERICAN, "US")):
        for match in pattern.finditer(view):
            if not _is_named(view, match.start()) and is_phone(match["number"], region):
                yield match.span()
    for match in _INTERNATIONAL.finditer(view):
        # The last groups may be another number: "+44 20 7946 0958 2026".
        ends = [match.start() + group.end() for group in _GROUP.finditer(match.group())]
        for end in reversed(ends[-3:]):
            if is_phone(view[match.start() : end], "CN"):
                yield match.start(), end
                break
    for match in _TOLD.finditer(view):
        if is_phone(match["number"], "CN", "US", "GB", "HK"):
            yield match.span("number")


def _is_valid(number: str, region: str) -> bool:
    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(number, region))
    except phonenumbers.NumberParseException:
        return False


_RULES: tuple[tuple[PrivateKind, Callable[[str], Iterator[Span]]], ...] = (
    ("SECRET", keys),
    ("SECRET", passwords),
    ("SECRET", secrets),
    ("EMAIL", _emails),
    ("ID", _resident_ids),
    ("IBAN", _ibans),
    ("CARD", _cards),
    ("PHONE", _phones),
)
