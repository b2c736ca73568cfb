"""What a Chinese place or trade must look like, seen by long lists that no rule holds: rules compile fast, values are few."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from memory.extraction.values import phrase, place, thing
from memory.extraction.zh_words import SOME_JOB, SOME_PLACE, WORK


@cache
def _long(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE)


def known_place(value: str, language: str) -> str | None:
    """A place by a known name or by what its name ends in."""
    return place(value, language) if _long(SOME_PLACE).fullmatch(value) else None


CHECKS_ZH: dict[str, Callable[[str, str], str | None]] = {
    "known": known_place,
    "no_place": lambda value, language: None if known_place(value, language) else thing(value, language),
    "trade": lambda value, language: phrase(value, language) if _long(SOME_JOB).fullmatch(value) else None,
    "work": lambda value, language: phrase(value, language) if _long(f"{SOME_JOB}|{WORK}").fullmatch(value) else None,
}
"""Kind of value to its check: the value to store, or None."""
