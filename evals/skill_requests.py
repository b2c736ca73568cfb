"""Requests that call for a skill, and whether a turn chooses it: the bundled ones, with skills of their own.

Both were written by hand before they were measured, in both languages: at most a third of the requests say a trigger
word, none repeats an example. What a skill does once it is chosen is not measured, nor requests that call for none.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from evals.datasets import OWN
from evals.metrics import Hit, score
from nodes.context import Context
from nodes.skills import skills_for
from nodes.turn import memory_of
from stores.book import MemoryBook

FOLDER = OWN / "skills"
"""The skills that are chosen among; the agent that is measured must be opened with this folder."""


@dataclass(frozen=True)
class Request:
    """What a person says, and the id of the skill that it calls for."""

    id: str
    text: str
    skill: str


def load() -> list[Request]:
    """The bundled requests."""
    lines = (OWN / "skill_requests.jsonl").read_text("utf-8").splitlines()
    return [Request(**json.loads(line)) for line in lines]


def scores(book: MemoryBook, *, use_skills: bool = True) -> list[dict[str, float]]:
    """All measures of each request, whose gold is its skill, over those that the first message of a thread brings up.

    A turn has a few skills at most, so that R@5 and R@10 are the same: whether the skill is among them.
    """
    memory, context = memory_of(book.index), Context(use_skills=use_skills)
    found = []
    for one in load():
        chosen = skills_for({}, memory, context, {}, one.text, by_meaning=True)["skills"]
        found.append(score([Hit((skill,)) for skill in chosen], [one.skill]))
    return found
