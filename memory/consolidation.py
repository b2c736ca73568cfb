"""Consolidation: what a conversation comes to (a summary), and what many messages on one topic teach (lessons).

Only people's own words are consolidated: never an answer, which may repeat what was recalled, and never small talk.
Each note names the messages that it was made of, and stands while these do. This module's own notes are extractive:
whole sentences as they were said, marked as decisions and to-dos where they are such. It rephrases, concludes and
reconciles nothing; a model does (`memory.consolidation_request` asks it).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from memory.lexical import Bm25Encoder
from memory.record import Memory
from memory.summary import DECISION, TASK, fold_summary, same_words, telling
from memory.text import Language, language
from memory.tokens import estimate_tokens
from memory.window import Line

VERSION = "extractive-1"
"""The `extractor` of notes that no model wrote."""

MOST_LESSONS = 3
"""Lessons that one topic gives."""
SUMMARY_TOKENS = 240
"""The size of a summary."""

_LEAST_SENTENCE = 7
"""Tokens from which a sentence about oneself says something, when no fact was read from it."""

_WORDS: Mapping[Language, Mapping[str, str]] = {
    "zh": {"decision": "决定：", "todo": "待办：", "point": "用户："},
    "en": {"decision": "Decision: ", "todo": "To do: ", "point": "User: "},
}

_NO_TOPIC = (
    "like love want need think know go get make take day time thing today tomorrow yesterday now week year good new "
    "tonight always never lot really also people 我们 你们 他们 今天 明天 昨天 现在 一个 这个 那个 什么 怎么 可以 喜欢 "
    "觉得 知道 因为 所以 但是 还是 就是 没有 不是 时候 自己 已经 如果 一下 有点 可能 应该 需要 每天 真的 比较 非常 "
    "一些 事情"
)

NoteKind = Literal["summary", "lesson"]


@dataclass(frozen=True)
class Note:
    """A summary or a lesson before it is kept, with the ids of the messages that it was made of."""

    kind: NoteKind
    text: str
    sources: tuple[str, ...]


@dataclass(frozen=True)
class Material:
    """What may be consolidated: people's own messages as memory keeps them, oldest first.

    `said` are those of a conversation that no summary covers yet, `earlier` the user's others that no lesson was made
    of yet. `telling` are the ids of messages that facts were read from, `stale` of those whose facts no longer hold,
    and `lessons` the texts of the lessons that stand. `least` is how many messages make a topic.
    """

    said: tuple[Memory, ...]
    earlier: tuple[Memory, ...] = ()
    telling: frozenset[str] = frozenset()
    stale: frozenset[str] = frozenset()
    lessons: tuple[str, ...] = ()
    least: int = 5


@dataclass(frozen=True)
class Consolidation:
    """The notes that were made of a material, and by whom. With a `failure` (a sentence) nothing was made of it.

    `usage` counts `calls`, `input_tokens`, `output_tokens` and what was `skipped`.
    """

    notes: tuple[Note, ...] = ()
    extractor: str = VERSION
    failure: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)


class Consolidator(Protocol):
    """Writes summaries and lessons. One that asks a model has an `aconsolidate` beside it."""

    def consolidate(self, material: Material) -> Consolidation:
        """The notes that a material gives; never raises for what a model does."""
        ...


def worth_consolidating(material: Material) -> bool:
    """Whether anything may come of it: a summary, or lessons."""
    return worth_a_summary(material) or bool(topics(material))


def worth_a_summary(material: Material) -> bool:
    """Whether anything was said that one would come back to: a fact, a decision, a number. Small talk is not."""
    return any(m.id in material.telling or _lasting(m) for m in material.said)


def _lasting(message: Memory) -> bool:
    return any(rank == 4 and estimate_tokens(s) >= _LEAST_SENTENCE for rank, s in telling(message.text))


def topics(material: Material) -> list[list[Memory]]:
    """The messages that share a word that is a topic, enough of them each, the largest topic first.

    Only statements about oneself or limits count, whose facts still hold; a message is of one topic alone.
    """
    encoder = Bm25Encoder()
    no_topic = set(encoder.query(_NO_TOPIC)[0])
    by_term: dict[int, list[Memory]] = {}
    for message in (*material.earlier, *material.said):
        if message.id in material.stale or not _statements(message, material):
            continue
        for term, weight in zip(*encoder.query(message.text), strict=True):
            if weight == 1.0 and term not in no_topic:
                by_term.setdefault(term, []).append(message)
    found: list[list[Memory]] = []
    taken: set[str] = set()
    for term in sorted(by_term, key=lambda t: (-len(by_term[t]), t)):
        members = [m for m in by_term[term] if m.id not in taken]
        if len(members) >= material.least:
            taken |= {m.id for m in members}
            found.append(members)
    return found


def _statements(message: Memory, material: Material) -> list[tuple[int, str]]:
    """What a message says that may be kept: what facts were read from, or is more than a few words about oneself."""
    told = telling(message.text)
    if message.id in material.telling:
        return [(rank, s) for rank, s in told if rank]
    return [(rank, s) for rank, s in told if rank >= 2 and estimate_tokens(s) >= _LEAST_SENTENCE]


@dataclass(frozen=True)
class ExtractiveConsolidator:
    """Implements `Consolidator` without a model."""

    def consolidate(self, material: Material) -> Consolidation:
        """At most one summary, and at most three lessons for each topic."""
        notes = [*_summary(material), *_lessons(material)]
        return Consolidation(tuple(notes))


def _summary(material: Material) -> list[Note]:
    if not worth_a_summary(material):
        return []
    kept = {m.id: [s for _, s in _statements(m, material)] for m in material.said}
    lines = [Line(i, "human", "\n".join(said), 0) for i, said in kept.items() if said]
    tongue = language("\n".join(line.text for line in lines))
    folded = fold_summary("", lines, max_tokens=SUMMARY_TOKENS, language=tongue)
    plain = [line.removeprefix("- ").removeprefix(_WORDS[tongue]["point"]) for line in folded.splitlines()]
    text = note_text([(_kind_of(s), s) for s in plain], tongue)
    keys = {same_words(s) for s in plain}
    sources = tuple(i for i, said in kept.items() if any(same_words(s) in keys for s in said))
    return [Note("summary", text, sources)] if sources else []


def _kind_of(sentence: str) -> str:
    return "decision" if DECISION.search(sentence) else "todo" if TASK.search(sentence) else "point"


def note_text(items: Sequence[tuple[str, str]], tongue: Language) -> str:
    """A summary's lines: decisions first, then to-dos, then the rest; `items` are kinds and texts."""
    ordered = sorted(items, key=lambda item: ("decision", "todo", "point").index(item[0]))
    return "\n".join(f"- {_WORDS[tongue][kind]}{text}" for kind, text in ordered)


def _lessons(material: Material) -> list[Note]:
    known = {same_words(text) for text in material.lessons}
    notes = []
    for members in topics(material):
        sources = tuple(m.id for m in members)
        ranked: dict[str, tuple[int, int, str]] = {}
        for age, message in enumerate(reversed(members)):
            for rank, sentence in _statements(message, material):
                ranked.setdefault(same_words(sentence), (-rank, age, sentence))
        best = sorted((v, k) for k, v in ranked.items() if k not in known)[:MOST_LESSONS]
        notes += [Note("lesson", sentence, sources) for (_, _, sentence), _ in best]
    return notes
