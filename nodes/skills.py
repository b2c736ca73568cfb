"""The skills of a turn: matched once, kept in the state by their ids, and read anew whenever they are shown.

So a resume shows the procedure as its file is then; one that is gone since is passed over, and counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.store.base import BaseStore

from nodes.context import Context
from nodes.turn import State
from nodes.view import NO_SKILLS, TurnSkills
from stores.plain import TurnMemory
from stores.skill_folder import SkillFolder

SKILLS_AS_OF = "skills_as_of"
"""Where a replay's `configurable` has what the original turn's state said of skills."""


def skills_for(
    memory: TurnMemory, context: Context, config: RunnableConfig, question: str, *, by_meaning: bool
) -> dict[str, Any]:
    """What `recalled` in the state says of skills: `skills`, the ids of those that the question calls for, best first,
    and `skills_notice`, one sentence, where some file has a problem.

    A replay has what the original turn had. Memory without a folder of skills has none.
    """
    folder: SkillFolder | None = getattr(memory, "skills", None)
    if folder is None or not context.use_skills:
        return {"skills": []}
    original = (config.get("configurable") or {}).get(SKILLS_AS_OF)
    if original is not None:
        return dict(original)
    found: dict[str, Any] = {"skills": [m.skill.id for m in folder.match(question.strip(), by_meaning=by_meaning)]}
    notice = folder.read().notice()
    return {**found, "skills_notice": notice} if notice else found


def kept_of_skills(state: State) -> dict[str, Any]:
    """What a state says of its turn's skills, as `skills_for` left it."""
    recalled = state.get("recalled") or {}
    return {"skills": [], **{name: recalled[name] for name in ("skills", "skills_notice") if name in recalled}}


def skills_of_turn(state: State, store: BaseStore | None, tools: Sequence[Any]) -> TurnSkills:
    """The skills that this turn matched, as their files are now, for a model that is offered these tools.

    Looks at the disk, so an event loop must not wait for it.
    """
    ids = (state.get("recalled") or {}).get("skills") or ()
    if not ids:
        return NO_SKILLS
    folder: SkillFolder | None = getattr(getattr(store, "book", None), "skills", None)
    there = folder.read().skills if folder else {}
    return TurnSkills(
        skills=[there[i] for i in ids if i in there],
        gone=[i for i in ids if i not in there],
        tools=[_name(tool) for tool in tools],
    )


def _name(tool: Any) -> str:
    """A tool's name; one that the model's own service brings has a type alone."""
    described = convert_to_openai_tool(tool)
    return str(described.get("function", described).get("name") or described.get("type"))
