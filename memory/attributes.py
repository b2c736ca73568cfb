"""What is known of each attribute: one value or many, how it is called, and when two values say the same.

The table is `attributes.yaml`, read once when this module is imported. Users add to it with a mapping of the same form.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

import yaml

ValueKind = Literal["text", "name", "id", "number", "date", "place"]
Language = Literal["zh", "en"]


@dataclass(frozen=True)
class Attribute:
    """One attribute. `zh` and `en` are its nouns, the one to show first; `importance` is 0 to 1."""

    name: str
    single: bool = False
    kind: ValueKind = "text"
    importance: float = 0.5
    zh: tuple[str, ...] = ()
    en: tuple[str, ...] = ()


def _attribute(name: str, row: object) -> Attribute:
    if not isinstance(row, Mapping):
        raise ValueError(f"attribute {name!r}: expected a mapping, got {row!r}")
    unknown = set(row) - {"single", "kind", "importance", "zh", "en"}
    if unknown:
        raise ValueError(f"attribute {name!r}: unknown keys {sorted(map(str, unknown))}")
    kind, importance = row.get("kind", "text"), row.get("importance", 0.5)
    if kind not in get_args(ValueKind):
        raise ValueError(f"attribute {name!r}: kind {kind!r} is none of {', '.join(get_args(ValueKind))}")
    if isinstance(importance, bool) or not isinstance(importance, int | float) or not 0 <= importance <= 1:
        raise ValueError(f"attribute {name!r}: importance {importance!r} is not a number from 0 to 1")
    if not isinstance(row.get("single", False), bool):
        raise ValueError(f"attribute {name!r}: single must be true or false")
    nouns = {language: _nouns(name, row.get(language, ())) for language in get_args(Language)}
    return Attribute(name, row.get("single", False), kind, float(importance), **nouns)


def _nouns(name: str, words: object) -> tuple[str, ...]:
    if not isinstance(words, list | tuple) or not all(isinstance(w, str) and w for w in words):
        raise ValueError(f"attribute {name!r}: nouns must be a list of words, got {words!r}")
    return tuple(words)


class Attributes:
    """An immutable table of attributes."""

    def __init__(self, table: Mapping[str, Attribute]) -> None:
        self._exact = {name: row for name, row in table.items() if "*" not in name}
        self._patterns = tuple(row for name, row in table.items() if "*" in name)
        self._by_noun = {
            language: {
                noun.casefold(): row.name for row in reversed(self._exact.values()) for noun in getattr(row, language)
            }
            for language in get_args(Language)
        }

    @classmethod
    def load(cls, extra: Mapping[str, Any] | None = None) -> Attributes:
        """The shipped table, with the rows of `extra` (the YAML's form) added or put in place of rows of that name.

        Raises ValueError with the attribute's name for a row that is not of that form.
        """
        table = dict(_shipped())
        for name, row in (extra or {}).items():
            table[name] = _attribute(name, row)
        return cls(table)

    def get(self, name: str) -> Attribute:
        """The row of `name`, of the first pattern that fits it, or a plain many-valued one."""
        if name in self._exact:
            return self._exact[name]
        for row in self._patterns:
            if fnmatchcase(name, row.name):
                return replace(row, name=name)
        return Attribute(name)

    def is_single(self, attribute: str) -> bool:
        """Whether a newer value of `attribute` takes the place of the older one."""
        return self.get(attribute).single

    def label(self, attribute: str, language: str) -> str:
        """How to call `attribute` in "zh" or "en"; the name in plain words where the table has none."""
        row = self.get(attribute)
        nouns = row.zh if language == "zh" else row.en
        return nouns[0] if nouns else attribute.replace("_", " ")

    def nouns(self, language: Language) -> Mapping[str, str]:
        """Noun, case-folded, to attribute name; where two rows claim a noun, the earlier row has it."""
        return self._by_noun[language]


@cache
def _shipped() -> Mapping[str, Attribute]:
    text = files("memory").joinpath("attributes.yaml").read_text(encoding="utf-8")
    # The C loader, where PyYAML was built with it, is eight times as fast and as safe.
    rows = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return {name: _attribute(name, row) for name, row in rows.items()}


ATTRIBUTES = Attributes.load()
"""The shipped table."""


def is_single(attribute: str) -> bool:
    """Whether the shipped table says that `attribute` holds one value at a time."""
    return ATTRIBUTES.is_single(attribute)


_TAIL = re.compile(r"[\s.,!?;:。，、！？；：…~～了啊呀吧呢哦啦嘛哈]+$")
_HEAD = re.compile(r"^(?:(?:#|no\.?|№)\s*(?=[\w-]*\d)|(?:吃|喝|(?:eating|drinking|to (?:eat|drink))\s)(?=\w))+")
_GAP = re.compile(r"(?<=[\u3400-\u9fff])\s+|\s+(?=[\u3400-\u9fff])")


def value_key(value: str) -> str:
    """The form in which values are compared: NFKC, case-folded, plain spaces, without a number sign before an id,
    without eating or drinking before what is eaten or drunk (to love 吃粤菜 and to hate 粤菜 is about one thing), and
    without closing punctuation and modal particles. Digits, negations and the order of words stay as they are.
    """
    # ² and ½ are left alone: NFKC would make "5²" the number 52.
    folded = re.sub(r"[^²³¹⁰⁴-⁹₀-₉¼-¾⅐-⅞]+", lambda m: unicodedata.normalize("NFKC", m[0]), value).casefold()
    text = _GAP.sub("", re.sub(r"\s+", " ", folded)).strip()
    text = _TAIL.sub("", text) or text
    return _HEAD.sub("", text)


def same_value(a: str, b: str) -> bool:
    """Whether two values of one attribute say the same: their keys are equal, nothing looser."""
    return value_key(a) == value_key(b)
