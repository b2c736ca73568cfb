"""Keys, tokens, passwords and secrets in a text: where they stand. What is done about them is `memory.privacy`'s.

A key is known by its form, a password or secret by the words that name it. Each rule reads the folded view of a text
and gives `[start, end)` ranges of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Span = tuple[int, int]

MARK = r"\[(?:SECRET|EMAIL|ID|IBAN|CARD|PHONE)\]"
"""What stands where something private stood: it is no secret itself."""

_KEYS = re.compile(
    r"(?<![0-9A-Za-z_])(?:"
    r"sk-(?:[A-Za-z0-9]{20,}|(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{10,})"  # OpenAI and many who followed it
    r"|(?:AKIA|ASIA)[0-9A-Z]{16}|gh[oprsu]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}"
    r"|xox[a-z]-[A-Za-z0-9-]{10,}|AIza[0-9A-Za-z_-]{30,}|[rs]k_(?:live|test)_[A-Za-z0-9]{10,}"
    r"|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}"
    r"|LTAI[A-Za-z0-9]{12,26}"  # Alibaba Cloud
    r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"  # a JSON Web Token
    r")(?![0-9A-Za-z_])"
)
_PEM_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s+[A-Za-z0-9+/=]{16,})*")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{1,50}-----")
_BEARER = re.compile(r"(?<![A-Za-z])Bearer +(?P<value>[A-Za-z0-9._~+/-]{20,}=*)", re.IGNORECASE)
_IN_URL = re.compile(r"(?<=://)[^\s/@:\[\]]{1,64}:[^\s/@\[\]]{1,128}@[A-Za-z0-9.-]{1,128}")


def keys(view: str) -> Iterator[Span]:
    """Keys and tokens that are known by their form, private key blocks, and a URL's host with user and password."""
    yield from (match.span() for match in _KEYS.finditer(view))
    yield from (match.span("value") for match in _BEARER.finditer(view))
    yield from (match.span() for match in _IN_URL.finditer(view))
    begins = list(_PEM_BEGIN.finditer(view))
    for begin, bound in zip(begins, [*(b.start() for b in begins[1:]), len(view)], strict=False):
        end = _PEM_END.search(view, begin.end(), bound)
        yield begin.start(), end.end() if end else begin.end()


_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "「": "」"}
_IS = (
    r"[\"'`]?[ ]*(?:(?:is now|is|was|to)(?![A-Za-z])|(?:就?是|为|(?:改|换|设)(?:成了?|为))[ ]*:?|->|=>|[:=])[ ]*"
    rf"(?P<quote>[{''.join(_QUOTES)}]?)"
)
_VALUE = rf"(?P<value>(?:(?!{MARK})[!-~]){{3,256}})"
_PASSWORD = re.compile(
    r"(?:(?P<zh>密码|口令|验证码)|(?<![A-Za-z0-9])(?:password|passwd|pwd|passcode|passphrase|pin(?: code)?|cvv2?|otp"
    rf"|(?:verification|security|one-time) code)(?: (?:for|of|at|on)(?: [A-Za-z-]{{1,20}}){{1,4}}?)?){_IS}{_VALUE}",
    re.IGNORECASE,
)
_PASSWORD_BESIDE = re.compile(
    rf"(?:密码|口令|验证码|(?<![A-Za-z0-9])cvv2?)[ ]?(?=[0-9A-Za-z])(?P<quote>){_VALUE}", re.IGNORECASE
)
_SECRET = re.compile(
    r"(?:(?<![A-Za-z0-9])(?:(?:api|access|secret|private|auth|client|app|refresh)[ _-]?(?:secret|access)?[ _-]?"
    rf"(?:key|token|secret)|secret|token)|密钥|秘钥|令牌){_IS}{_VALUE}",
    re.IGNORECASE,
)
# What is said *about* a password rather than the password itself.
_SAID_ABOUT = re.compile(
    r"(?:wrong|right|required|incorrect|correct|strong|weak|invalid|valid|missing|empty|optional|safe|secure|same"
    r"|unsafe|different|unknown|public|private|secret|string|null|none|true|false|here|there|what|this|that|mine|yours|known"
    r"|random|long|short|again|important|enough|easy|hard|simple|plain|plaintext|confidential|default|up-to-date"
    r"|[a-z]+(?:ed|ing|able|ible|ive|ly))",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    r"[ -]?(?:char(?:acter)?s?|digits?|letters?|symbols?|bytes?|bits?|days?|attempts?|times|or more|[位个天次年月日字])"
)
_HASHED = re.compile(r"[ ]?(?:加密|哈希|算法|格式|编码|存储|保存)")
_CLAUSE_END = re.compile(r"[ ]*(?:[.,;:!?，。！？；、)\n]|$)")
_DIGIT = re.compile("[0-9]")
_COMPOUND = re.compile(r"[A-Za-z]+[-'./_][A-Za-z]+")


def passwords(view: str) -> Iterator[Span]:
    """The value in "password is X", 密码是 X, 密码 X and their kin; in prose about passwords there is none."""
    for match in _PASSWORD.finditer(view):
        start, end = _value(view, match)
        if _is_password(view[start:end], view[end : end + 12], quoted=bool(match["quote"]), chinese=bool(match["zh"])):
            yield start, end
    for match in _PASSWORD_BESIDE.finditer(view):
        start, end = _value(view, match)
        enough = 3 if match.group().lower().startswith("cvv") else 6
        if end - start >= enough and _DIGIT.search(view, start, end) and not _MEASURED.match(view, end):
            yield start, end


def _is_password(value: str, after: str, *, quoted: bool, chinese: bool) -> bool:
    if len(value) < 3 or _SAID_ABOUT.fullmatch(value):
        return False
    if quoted:
        return True
    if _DIGIT.search(value):
        return not _MEASURED.match(after) and not _HASHED.match(after)
    if value.isalpha():
        # A bare word is the password where the clause ends with it, and Chinese goes on without a space.
        return len(value) >= 4 and bool(not _HASHED.match(after) if chinese else _CLAUSE_END.match(after))
    return len(value) >= 6 and not _COMPOUND.fullmatch(value)


def secrets(view: str) -> Iterator[Span]:
    """The value in "API key: X", token=X, 密钥是 X, when it looks like one: eight characters or more with a digit."""
    for match in _SECRET.finditer(view):
        start, end = _value(view, match)
        value = view[start:end]
        if len(value) >= 8 and _DIGIT.search(value) and re.search("[A-Za-z]", value):
            yield start, end


def _value(view: str, match: re.Match[str]) -> Span:
    """Where the value lies: up to its closing quote, or without the punctuation that ends its clause."""
    start, end = match.span("value")
    if match["quote"]:
        closing = view.find(_QUOTES[match["quote"]], start, start + 256)
        if closing >= 0 and view[start:closing].isascii() and not re.search(rf"{MARK}|\n", view[start:closing]):
            return start, closing
    return start, start + len(view[start:end].rstrip(".,;:?)]}>\"'`"))
