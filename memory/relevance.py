"""Whether anything that was found says anything about the question: the threshold, and the evidence it is held against.

No word in common is rare where single Chinese characters are terms, and a cosine alone tells little: of a small memory
the best unrelated text is less like the question than of a large one, and a name that nobody ever said speaks against
all that looks alike. `palimpsest bench calibrate` measures both numbers of a `Scale` for an embedder.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from memory.signals import WHOLE, Found

_MANY = 95
"""Candidates that a memory of some size brings; fewer are all that there is."""
_FEWER, _FEWEST = 0.5, 0.45
"""What e times fewer memories are worth, in spans, and at most: the best of few reaches less by chance."""
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


@dataclass(frozen=True)
class Scale:
    """Where an embedder's cosines (-1 to 1) begin to mean something.

    `floor` is that of texts that have nothing to do with each other, on average; `threshold` the evidence that must be
    reached for anything to be relevant.
    """

    threshold: float
    floor: float = 0.0

    @property
    def span(self) -> float:
        """From the floor to the threshold: the unit in which other evidence counts."""
        return self.threshold - self.floor


def is_relevant(found: Found, scale: Scale) -> bool:
    """Whether the evidence reaches the threshold; without any cosine, whether a word is shared."""
    if not any(c.dense is not None for c in found.candidates):
        return any(found.words)
    return evidence(found, scale) >= scale.threshold


def evidence(found: Found, scale: Scale) -> float:
    """The best cosine, and what else speaks for or against it in spans of the scale."""
    best, others = signs(found)
    return best + scale.span * others


def each(found: Found, scale: Scale) -> list[float]:
    """The evidence of each candidate as if it were all that speaks for the question."""
    besides = _small(found) - unknown_names(found)
    return [
        (c.dense or 0.0) + scale.span * (whole + besides)
        for c, whole in zip(found.candidates, _whole_shares(found), strict=True)
    ]


def signs(found: Found) -> tuple[float, float]:
    """The best cosine, and what else speaks for the question (in spans): how much of its whole words one memory holds,
    less the share of its names that nobody said. A small memory gets a little for being small."""
    best = max(c.dense or 0.0 for c in found.candidates)
    return best, whole_words(found) - unknown_names(found) + _small(found)


def _small(found: Found) -> float:
    return min(max(0.0, _FEWER * math.log(_MANY / len(found.candidates))), _FEWEST)


def whole_words(found: Found) -> float:
    """The largest share of the question's whole words that one candidate holds, the rare ones counting most."""
    return max(_whole_shares(found))


def _whole_shares(found: Found) -> list[float]:
    share = found.question.share
    words = sum(1 << bit for bit, weight in enumerate(found.asked.terms.values()) if weight >= WHOLE)
    whole = share(words)
    return [share(held & words) / whole if whole else 0.0 for held in found.question.held]


def unknown_names(found: Found) -> float:
    """The share of the question's names that no candidate holds; 0 when most of them are in another script."""
    names, plain = found.asked.names, found.texts.plain
    if not names or 2 * sum(bool(_UNSPACED.search(text)) for text in plain) > len(plain):
        return 0.0
    return sum(not found.texts.holding(name.lower()) for name in names) / len(names)
