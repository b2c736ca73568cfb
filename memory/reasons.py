"""The sentence that says why a memory was recalled, in the language of the question."""

from __future__ import annotations

from collections.abc import Mapping

from memory.signals import Candidate
from memory.text import Language

_PAST: Mapping[Language, str] = {
    "en": "said before; something newer took its place",
    "zh": "以前说的，已有更新的取代",
}
_WORDS: Mapping[Language, str] = {"en": "shares words (BM25 {:.2f})", "zh": "有相同的词（BM25 {:.2f}）"}
_MEANING: Mapping[Language, str] = {"en": "cosine {:.2f} in meaning", "zh": "意思的余弦为 {:.2f}"}
_SIGNALS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "around": "its neighbours in the conversation match",
        "speaker": "said by whom the question names",
        "date": "said at the time the question names",
        "about": "tells of whom the question asks",
        "latest": "the last that tells what the question asks for",
        "hop": "shares words with a better match",
        "replaced": "a newer fact took the place of what it says",
    },
    "zh": {
        "around": "前后的话与问题相近",
        "speaker": "是问题里提到的人说的",
        "date": "是在问题提到的时间说的",
        "about": "说的是问题问到的人",
        "latest": "是最后一次说到所问的事",
        "hop": "与更相近的一条有相同的词",
        "replaced": "它说的已被更新的事实取代",
    },
}
_JOIN: Mapping[Language, str] = {"en": "; ", "zh": "；"}


def reason_of(candidate: Candidate, signals: Mapping[str, float], language: Language) -> str:
    """Why this one came back: what each signal above 0 found, those with numbers first."""
    parts = []
    if candidate.memory.standing == "superseded":
        parts.append(_PAST[language])
    if candidate.bm25:
        parts.append(_WORDS[language].format(candidate.bm25))
    if signals.get("meaning", 0.0) > 0:
        parts.append(_MEANING[language].format(candidate.dense))
    parts += [said for name, said in _SIGNALS[language].items() if signals.get(name, 0.0) > 0]
    return _JOIN[language].join(parts)
