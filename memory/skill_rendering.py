"""How skills are shown to a model: as instructions of their owner, in a block of their own, apart from what is data.

A skill is in the block whole or not at all: half a procedure would be one without its safety checks. Every line of it
begins with a mark, a number or a label, so that no text of it can stand as a tag.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from memory.record import TokenCounter
from memory.skills import Skill
from memory.text import Language


@dataclass(frozen=True)
class SkillBlock:
    """A rendered block (empty without skills), its tokens, and the ids of the skills in it and of those left out."""

    text: str = ""
    tokens: int = 0
    shown: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


_PREAMBLE: Mapping[Language, str] = {
    "zh": "以下是这个助手的主人为此类请求写的办法。合适就按步骤做，安全检查一律遵守；不合适就不用，也不要提起。",
    "en": (
        "These are procedures that the owner of this assistant wrote for requests like this one. Follow the steps of "
        "one that fits, and always its safety checks; pass over one that does not fit, without a word about it."
    ),
}
_LABELS: Mapping[Language, tuple[str, str, str, str]] = {
    "zh": ("用途：", "步骤：", "工具：", "安全检查："),
    "en": ("For: ", "Steps:", "Tools: ", "Safety checks:"),
}
_ABSENT: Mapping[Language, str] = {"zh": "（这里没有）", "en": " (not available here)"}
_COMMA: Mapping[Language, str] = {"zh": "、", "en": ", "}


def render_skills(
    skills: Sequence[Skill],
    *,
    language: Language,
    max_tokens: int,
    count: TokenCounter,
    tools: Collection[str] | None = None,
) -> SkillBlock:
    """Render the skills, the best first, in at most `max_tokens` by `count`; one that does not fit leaves its room.

    `tools` are the names of those that the model is offered: others that a skill names are marked as not available.
    None marks nothing.
    """
    shown: list[Skill] = []
    block = ""
    for skill in skills:
        longer = _block([*shown, skill], language, tools)
        if count(longer) <= max_tokens:
            shown.append(skill)
            block = longer
    ids = tuple(skill.id for skill in shown)
    return SkillBlock(block, count(block) if block else 0, ids, tuple(s.id for s in skills if s.id not in ids))


def _block(skills: Sequence[Skill], language: Language, tools: Collection[str] | None) -> str:
    parts = (line for skill in skills for line in skill_lines(skill, language, tools))
    return "\n".join(["<skills>", _PREAMBLE[language], *parts, "</skills>"])


def skill_lines(skill: Skill, language: Language, tools: Collection[str] | None = None) -> list[str]:
    """One skill as the lines that a model reads."""
    purpose, steps, with_tools, checks = _LABELS[language]
    lines = [f'<skill id="{skill.id}">', purpose + skill.description, steps]
    lines += [f"{i}. {step}" for i, step in enumerate(skill.steps, 1)]
    if skill.tools:
        absent = _ABSENT[language]
        named = (name if tools is None or name in tools else name + absent for name in skill.tools)
        lines.append(with_tools + _COMMA[language].join(named))
    if skill.safety_checks:
        lines += [checks, *(f"- {check}" for check in skill.safety_checks)]
    return [*lines, "</skill>"]
