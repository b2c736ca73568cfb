"""The skills of a turn: matched once, kept in the state by their ids, and read anew whenever they are shown.

So a resume shows the procedure as its file is then; one that is gone since is passed over, and counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.store.base import BaseStore

from memory.skill_matching import asks_back
from memory.text import content_text
from nodes.context import Context
from nodes.turn import State
from nodes.view import NO_SKILLS, TurnSkills
from stores.plain import TurnMemory
from stores.skill_folder import SkillFolder

SKILLS_AS_OF = "skills_as_of"
"""Where a replay's `configurable` has what the original turn's state said of skills."""


def skills_for(
    state: State, memory: TurnMemory, context: Context, config: RunnableConfig, question: str, *, by_meaning: bool
) -> dict[str, Any]:
    """What `recalled` in the state says of skills: `skills`, the ids of those that the question calls for, best first,
    and `skills_notice`, one sentence, where some file has a problem.

    Where a message calls for none and answers what the assistant asked, the skills of the turn before stay: a procedure
    that asks for an order's number has to be there, with its safety checks, when the number comes.

    A replay has what the original turn had. Memory without a folder of skills has none.
    """
    folder: SkillFolder | None = getattr(memory, "skills", None)
    if folder is None or not context.use_skills:
        return {"skills": []}
    original = (config.get("configurable") or {}).get(SKILLS_AS_OF)
    if original is not None:
        return dict(original)
    ids = [m.skill.id for m in folder.match(question.strip(), by_meaning=by_meaning)]
    shelf = folder.read()
    if not ids and asks_back(_answered(state)):
        ids = [i for i in kept_of_skills(state)["skills"] if i in shelf.skills]
    notice = shelf.notice()
    return {"skills": ids, "skills_notice": notice} if notice else {"skills": ids}


def _answered(state: State) -> str:
    """What the assistant said just before the last message; empty where it said nothing."""
    before = state.get("messages", [])[-2:-1]
    return content_text(before[0].content) if before and isinstance(before[0], AIMessage) else ""


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
