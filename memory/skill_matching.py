"""Which skills a request calls for: by words that it says, and by what it means.

A trigger word is found in any case and width. An English one is a whole word in any of its forms ("refund" is in
"refunds", not in "prefund"), a Chinese one stands anywhere but across two words (会议 is not in 社会议题). By meaning,
a request is compared with a skill's examples and with its description.

It does not know whether a skill's tools are there, and it reads no negation: "no refund" is about a refund.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from memory.lexical import cut_words, stem
from memory.skills import Skill

MOST = 3
"""Skills of a turn: a model that is given many procedures follows none."""

MOST_CHARS = 20_000
"""What of a request is looked through for words; an embedder reads less."""

MEANT = 0.1
"""How far above the embedder's threshold, on the way to 1, a cosine means that a skill is called for.

A skill has several texts, of which the nearest counts, and unrelated requests come nearer to one of many. With the
default embedder, whose threshold is .33, it is .40: 14 of 14 paraphrased requests for the skills in `skills/` reach it,
and 1 of 24 unrelated ones (written by hand, in both languages, beside the choice of that bar).
"""

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7a3\U00020000-\U0003ffff"
_WORD = rf"[^\W{_UNSPACED}]"
_ENGLISH = re.compile("[a-z]{3,}")
_ASKS_BACK = re.compile(r"[?？]|请|告诉我|\b(?:please|let me know|tell me)\b", re.IGNORECASE)
_GAPS = re.compile(r"[\s_-]+")


@dataclass(frozen=True)
class Match:
    """A skill that a request calls for: the trigger words that it says, and the text that it comes nearest to.

    `like` and `cosine` are None where nothing was compared, or nothing came near enough.
    """

    skill: Skill
    words: tuple[str, ...] = ()
    like: str | None = None
    cosine: float | None = None

    @property
    def reason(self) -> str:
        """Why it is here, in one sentence."""
        parts = [f"says {', '.join(self.words)}"] if self.words else []
        if self.cosine is not None:
            parts.append(f"cosine {self.cosine:.2f} in meaning with {self.like!r}")
        return "; ".join(parts)


def match_skills(
    skills: Sequence[Skill],
    said: str,
    *,
    cosines: Mapping[str, float] | None = None,
    threshold: float = 0.0,
    most: int = MOST,
) -> tuple[Match, ...]:
    """The skills that `said` calls for, best first: those whose words it says (the more, the better), then the nearest.

    `cosines` are those of `said` with the skills' `meanings`, by text; without them words alone decide. `threshold` is
    the embedder's own: below it, two texts have nothing to do with each other.
    """
    enough = threshold + (1 - threshold) * MEANT
    request = _Request(said[:MOST_CHARS])
    found = []
    for skill in skills:
        words = tuple(word for word in skill.words if request.says(_trigger(word)))
        near = max(((cosines or {}).get(text, -1.0), text) for text in skill.meanings)
        if near[0] >= enough:
            found.append(Match(skill, words, near[1], round(near[0], 4)))
        elif words:
            found.append(Match(skill, words))
    found.sort(key=lambda m: (-len(m.words), -(m.cosine or 0.0), m.skill.id))
    return tuple(found[:most])


def asks_back(answer: str) -> bool:
    """Whether an answer ends by asking for something, in either language: what is said next goes on with its procedure.

    It looks at the last 200 characters for a question mark or a plea, and understands neither.
    """
    return _ASKS_BACK.search(answer[-200:]) is not None


def _plain(text: str) -> str:
    """A text as triggers are compared: one width, one case, English words by their stems, hyphens as single spaces."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return " ".join(_GAPS.split(_ENGLISH.sub(lambda m: stem(m[0]), folded))).strip()


_trigger = lru_cache(maxsize=4096)(_plain)


class _Request:
    """What was said, made ready for looking for triggers in it."""

    def __init__(self, said: str) -> None:
        self.plain = _plain(said)

    @cached_property
    def starts(self) -> list[int]:
        """Where its words begin; needed only when a Chinese trigger is found."""
        return [start for start, _ in cut_words(self.plain)]

    def says(self, trigger: str) -> bool:
        if not trigger:
            return False
        before = f"(?<!{_WORD})" if re.match(_WORD, trigger) else ""
        after = f"(?!{_WORD})" if re.match(_WORD, trigger[-1]) else ""
        hits = re.finditer(f"{before}(?={re.escape(trigger)}{after})", self.plain)
        return any(not self._cuts(hit.start(), hit.start() + len(trigger)) for hit in hits)

    def _cuts(self, start: int, end: int) -> bool:
        """Whether a hit is the end of one word and the beginning of another; one of the two alone may be a slip of the
        cutter (报销 in 填报销单)."""
        if not (re.match(f"[{_UNSPACED}]", self.plain[start]) and re.match(f"[{_UNSPACED}]", self.plain[end - 1])):
            return False
        first, last = (bisect_right(self.starts, at) - 1 for at in (start, end))
        return first != last and self.starts[first] < start and self.starts[last] < end
