"""Probes of what could not be run in making this: a person's own model (`checks.model`) and Qdrant (`checks.qdrant`).

A probe asks one small thing, in Chinese or in English, and returns what it saw; it raises `Failed`, or whatever went
wrong, when that is not what Palimpsest needs. Probes do not depend on one another's results.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from memory.privacy import redact

Tongue = Literal["zh", "en", "zh+en"]

DETAIL_CHARS = 200


class Failed(Exception):
    """A probe saw something else than it wants; the message says what, and what it means for use."""


@dataclass(frozen=True)
class Probe:
    """One thing to try: a name, the language it is asked in, and the trying, which returns what was seen."""

    name: str
    tongue: Tongue
    run: Callable[[], str]


@dataclass(frozen=True)
class Outcome:
    """What came of a probe. `detail` is what it saw, or why it failed, in one redacted line; `seconds` it took."""

    name: str
    tongue: Tongue
    passed: bool
    detail: str
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON."""
        return asdict(self)


def run_probes(probes: Iterable[Probe]) -> Iterator[Outcome]:
    """Run them one after the other; a probe that raises has failed, and the next one runs."""
    for probe in probes:
        began = time.perf_counter()
        try:
            detail, passed = probe.run(), True
        except Failed as failure:
            detail, passed = str(failure), False
        except Exception as error:  # what is probed may fail in any way, and that is the outcome
            detail, passed = f"{type(error).__name__}: {error}", False
        yield Outcome(probe.name, probe.tongue, passed, one_line(detail), round(time.perf_counter() - began, 2))


def expect(seen: bool, otherwise: str) -> None:
    """Raise `Failed` with this sentence unless it was seen."""
    if not seen:
        raise Failed(otherwise)


def one_line(text: str) -> str:
    """Text as one redacted line of at most `DETAIL_CHARS`."""
    line = redact(" ".join(text.split())).text
    return line if len(line) <= DETAIL_CHARS else line[:DETAIL_CHARS] + "…"
