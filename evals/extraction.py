"""How well an extractor reads facts out of single messages, judged by hand-written sentences. Pure but for `load`.

A set is JSON lines: `id`, `kind` of sentence, `text`, `at` (aware: when it was said) and `facts`. A fact has `subject`,
`attribute` and `value` (each one form or a list of accepted ones; a `value` of null is the whole slot), `polarity`, and
where it is so `retract`, `optional` and `date`. Half of the bundled sentences (`open`) may be looked at while rules are
written; the other half (`aside`) and the set of somebody who has not seen the rules (`second`) are only counted. A
further set of such a hand (`third`) was counted first, then read by halves while the rules were made more general.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, TypedDict

import numpy as np

from evals.metrics import Estimate
from memory.record import Extractor, Proposal, Utterance

OWN = Path(__file__).parent / "data"
Part = Literal["open", "aside", "second", "third"]
PARTS: tuple[Part, ...] = ("open", "aside", "second", "third")
LANGUAGES = ("zh", "en")

SAME_ATTRIBUTE = (
    ("favorite_*", "likes"),
    ("prefers", "likes"),
    ("*_budget", "budget"),
    ("*_deadline", "deadline"),
    ("*_date", "date"),
    ("*_date", "plan"),
    ("*_date", "event"),
    ("deadline", "plan"),
    ("*_deadline", "plan"),
    ("note", "todo"),
)
"""What may be proposed (a pattern) for what the gold calls it."""


@dataclass(frozen=True)
class Gold:
    """One fact that a careful person would keep, with every form of it that counts; no values: the whole slot."""

    subjects: tuple[str, ...]
    attributes: tuple[str, ...]
    values: tuple[str, ...] | None
    polarity: int = 1
    retract: bool = False
    optional: bool = False
    date: str | None = None


@dataclass(frozen=True)
class Sentence:
    """One message alone, said at an aware moment, and its facts."""

    id: str
    kind: str
    text: str
    at: datetime
    facts: tuple[Gold, ...] = ()


@dataclass(frozen=True)
class Judged:
    """What was found in a sentence: `right` of the facts that had to be found, `missed`, and what is `false`."""

    sentence: Sentence
    right: int
    missed: tuple[Gold, ...]
    false: tuple[Proposal, ...]


class PartReport(TypedDict):
    """The measures of one set of sentences; `kinds` is the share of facts found for each kind that has any."""

    sentences: int
    facts: int
    precision: Estimate
    recall: Estimate
    kinds: dict[str, float]
    false: dict[str, int]


def load(part: Part, language: str, folder: Path = OWN) -> list[Sentence]:
    """The sentences of one part in one language. Raises ValueError, with the line, for one that is not of the form."""
    halved = part in ("open", "aside")
    name = f"extract_{language}.jsonl" if halved else f"extract_{part}_{language}.jsonl"
    lines = (folder / name).read_text(encoding="utf-8").splitlines()
    chosen = range(part == "aside", len(lines), 2) if halved else range(len(lines))
    out = []
    for number in chosen:
        try:
            out.append(_sentence(json.loads(lines[number])))
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{name}, line {number + 1}: {error!r}") from error
    return out


def _sentence(row: Mapping[str, Any]) -> Sentence:
    at = datetime.fromisoformat(row["at"])
    if at.utcoffset() is None:
        raise ValueError(f"{row['id']}: the moment has no zone")
    return Sentence(row["id"], row["kind"], row["text"], at, tuple(_gold(fact) for fact in row["facts"]))


def _gold(row: Mapping[str, Any]) -> Gold:
    values = None if row["value"] is None else _forms(row["value"])
    flags = (bool(row.get("retract")), bool(row.get("optional")))
    return Gold(
        _forms(row["subject"]), _forms(row["attribute"]), values, row.get("polarity", 1), *flags, row.get("date")
    )


def _forms(value: str | Sequence[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


# --- whether a proposal says what the gold says --------------------------------------------------------------------

_MARKS = re.compile(r"[^\w.@+#%$€£¥-]+|(?<!\d)[.-](?!\w)|_")
_HEAD = re.compile(r"^(?:(?:an?|the|my|our|some|to) |一[个只台辆名位份款]|我的?|了|去)+(?=.)")
_TAIL = re.compile(r"(?:[了的啊呀呢吧] ?)+$|[.,!?-]+$")
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\s\u3400-\u9fff]+")


def core(value: str) -> str:
    """The form in which values are compared: NFKC, case-folded, without punctuation, leading articles and particles."""
    text = _MARKS.sub(" ", unicodedata.normalize("NFKC", value).casefold()).strip()
    text = _HEAD.sub("", text)
    return _TAIL.sub("", text).strip() or text


def same_core(a: str, b: str) -> bool:
    """Whether two values say the same: their cores are equal; or they hold the same figures, and the shorter stands
    whole in the longer, which has at most twice its tokens, or they share two thirds of their tokens (F1).

    Tokens are Chinese characters and words.
    """
    x, y = sorted((_TOKEN.findall(core(a)), _TOKEN.findall(core(b))), key=len)
    if x == y:
        return True
    if not x or re.findall(r"\d+", core(a)) != re.findall(r"\d+", core(b)):
        return False
    if len(y) <= 2 * len(x) and any(y[i : i + len(x)] == x for i in range(len(y) - len(x) + 1)):
        return True
    return 2 * sum((Counter(x) & Counter(y)).values()) / (len(x) + len(y)) >= 2 / 3


def accepts(gold: Gold, proposal: Proposal, *, exactly: bool = False) -> bool:
    """Whether a proposal states this fact; `exactly`: in one of the gold's own attributes and values.

    A gold date stands for the value where the proposal occurs on that day.
    """
    if proposal.get("polarity", 1) != gold.polarity or proposal.get("retract", False) != gold.retract:
        return False
    if proposal["subject"].casefold() not in {s.casefold() for s in gold.subjects}:
        return False
    name, value = proposal["attribute"].casefold(), proposal["value"]
    named = name in gold.attributes
    if not named and not any(t in gold.attributes and fnmatchcase(name, pattern) for pattern, t in SAME_ATTRIBUTE):
        return False
    if value is None or gold.values is None:
        return value is None and gold.values is None
    if exactly:
        return named and core(value) in {core(v) for v in gold.values}
    occurred = (proposal.get("occurred_at") or "")[:10]
    return (gold.date is not None and occurred == gold.date) or any(same_core(value, v) for v in gold.values)


def judge(sentence: Sentence, proposals: Iterable[Proposal]) -> Judged:
    """Pair proposals with facts, one to one, exact pairs first. What pairs with an optional fact, or says a found one
    again, counts neither for nor against."""
    left, open_facts = list(proposals), list(range(len(sentence.facts)))
    found: list[Gold] = []
    for exactly, optional in ((True, False), (False, False), (True, True), (False, True)):
        for i in list(open_facts):
            gold = sentence.facts[i]
            hit = (
                next((p for p in left if accepts(gold, p, exactly=exactly)), None)
                if gold.optional == optional
                else None
            )
            if hit is not None:
                left.remove(hit)
                open_facts.remove(i)
                found.append(gold)
    false = tuple(p for p in left if not any(accepts(gold, p) for gold in found))
    missed = tuple(g for i in open_facts if not (g := sentence.facts[i]).optional)
    return Judged(sentence, sum(not gold.optional for gold in found), missed, false)


def run(extractor: Extractor, sentences: Iterable[Sentence]) -> list[Judged]:
    """Each sentence as a message of its own, said by the user at its moment."""
    return [judge(s, extractor.extract([Utterance(s.id, s.text, said_at=s.at)]).proposals) for s in sentences]


def report(judged: Sequence[Judged]) -> PartReport:
    """Precision and recall over all facts, with 95 % intervals over sentences. Raises ValueError without any."""
    if not judged:
        raise ValueError("no sentences to judge")
    right = [j.right for j in judged]
    wanted = [j.right + len(j.missed) for j in judged]
    by_kind: dict[str, list[int]] = {}
    for j, want in zip(judged, wanted, strict=True):
        counts = by_kind.setdefault(j.sentence.kind, [0, 0, 0])
        counts[0], counts[1], counts[2] = counts[0] + j.right, counts[1] + want, counts[2] + len(j.false)
    return {
        "sentences": len(judged),
        "facts": sum(wanted),
        "precision": ratio(right, [j.right + len(j.false) for j in judged]),
        "recall": ratio(right, wanted),
        "kinds": {kind: found / want for kind, (found, want, _) in by_kind.items() if want},
        "false": {kind: false for kind, (_, _, false) in by_kind.items() if false},
    }


def ratio(parts: Sequence[int], wholes: Sequence[int], *, resamples: int = 2000, seed: int = 0) -> Estimate:
    """Sum over sum with its percentile bootstrap interval (Efron 1979) over the pairs; 1 where there is nothing."""
    part, whole = np.asarray(parts, dtype=np.float64), np.asarray(wholes, dtype=np.float64)
    chosen = np.random.default_rng(seed).integers(len(part), size=(resamples, len(part)))
    sums = whole[chosen].sum(axis=1)
    low, high = np.percentile(np.where(sums > 0, part[chosen].sum(axis=1) / np.maximum(sums, 1), 1.0), [2.5, 97.5])
    value = float(part.sum() / whole.sum()) if whole.sum() else 1.0
    return {"value": value, "low": float(low), "high": float(high)}
