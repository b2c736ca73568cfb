"""What the model will see of a state: system text with the memory block in it, and a window of whole exchanges.

`manage_context` plans it and `call_llm` renders it, from the same state by the same functions. The memory block exists
only in what is rendered here; it never becomes a message of the state.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from memory.record import TokenCounter
from memory.rendering import Block, render_block, render_summary, render_system, system_prompt
from memory.skill_rendering import SkillBlock, render_skills
from memory.skills import Skill
from memory.summary import fold_summary
from memory.text import Language, clean, content_text, language
from memory.window import Line, Role, Window, choose_window, shorten
from memory.window_strategy import order_of
from nodes.turn import State, last_human, settled

MESSAGE_TOKENS = 4
"""What the chat format itself costs a message, in tokens; source: OpenAI's cookbook on counting tokens."""

ATTACHMENT_TOKENS = 1000
"""What an image, sound or file in a message is taken to cost, in tokens: about a picture of 1,024 pixels square."""

_WORDS: Final = frozenset({"text", "input_text", "output_text", "reasoning", "thinking", "tool_use", "tool_call"})
"""Types of content that are words, or are counted as a message's calls."""

_LAST_ROUND: Final[dict[Language, str]] = {
    "zh": "这一轮不能再调用工具了，请用已有的结果回答。",
    "en": "No more tools can be called in this turn: answer with the results there are.",
}


@dataclass(frozen=True)
class View:
    """The parts of a state that a model call is made of, before the budget cuts them."""

    prompt: str
    tongue: Language
    messages: Sequence[AnyMessage]
    lines: list[Line]


def view_of(state: State, count: TokenCounter) -> View:
    """The system prompt, and the messages that no summary covers yet, described for the window."""
    context = settled(state)
    messages = state["messages"]
    human = last_human(messages)
    said = content_text(human.content) if human else ""
    tongue: Language = language(said) if context.language == "auto" else context.language
    own = [content_text(m.content) for m in messages if isinstance(m, SystemMessage)]
    prompt = "\n\n".join([context.system_prompt or system_prompt(tongue), *own])
    rest = [m for m in uncovered(messages, (state.get("summary") or {}).get("to")) if not isinstance(m, SystemMessage)]
    return View(prompt, tongue, rest, [line_of(m, count) for m in rest])


def uncovered(messages: Sequence[AnyMessage], covered_to: str | None) -> list[AnyMessage]:
    """The messages after the last that the summary covers, looked for from the end: the cost is the window's."""
    if covered_to is None:
        return list(messages)
    tail: list[AnyMessage] = []
    for message in reversed(messages):
        if message.id == covered_to:
            return tail[::-1]
        tail.append(message)
    return tail[::-1]


def line_of(message: AnyMessage, count: TokenCounter) -> Line:
    """A message as the window sees it."""
    text = clean(content_text(message.content))
    # A call that could not be read is sent again like the others, and needs its result like them.
    calls = [*message.tool_calls, *message.invalid_tool_calls] if isinstance(message, AIMessage) else []
    cost = sum(count(f"{c['name']} {c['args']}") + MESSAGE_TOKENS for c in calls)
    role: Role = "human" if isinstance(message, HumanMessage) else "tool" if isinstance(message, ToolMessage) else "ai"
    return Line(
        str(message.id),
        role,
        text,
        count(text) + MESSAGE_TOKENS + cost + ATTACHMENT_TOKENS * len(_attachments(message)),
        tuple(str(c["id"]) for c in calls),
        message.tool_call_id if isinstance(message, ToolMessage) else None,
        isinstance(message, ToolMessage) and message.status == "error",
    )


def _attachments(message: AnyMessage) -> list[Any]:
    """What a message has beside its words: images, sound, files."""
    content = message.content if isinstance(message.content, list) else []
    return [part for part in content if isinstance(part, dict) and part.get("type") not in _WORDS]


def block_of(state: State, tongue: Language, max_tokens: int, count: TokenCounter) -> Block:
    """The memory block of what this turn recalled."""
    return render_block(state.get("recalled") or {}, language=tongue, max_tokens=max_tokens, count=count)


@dataclass(frozen=True)
class TurnSkills:
    """The skills that a turn matched and that are still there, best first, the ids of those that are gone since, and
    the names of the tools that the model is offered."""

    skills: Sequence[Skill] = ()
    gone: Sequence[str] = ()
    tools: Collection[str] = ()

    def block(self, tongue: Language, max_tokens: int, count: TokenCounter) -> SkillBlock:
        """As much of them as fits."""
        return render_skills(self.skills, language=tongue, max_tokens=max_tokens, count=count, tools=self.tools)


NO_SKILLS: Final = TurnSkills()


def memory_tokens(parts: Mapping[str, int]) -> int:
    """What a plan gives the memory block; a turn that an older version planned has one part for it."""
    return parts.get("profile", 0) + parts.get("recalled", 0) + parts.get("memory", 0)


def render(
    state: State,
    count: TokenCounter,
    *,
    skills: TurnSkills = NO_SKILLS,
    history_share: int = 1,
    last_round: bool = False,
) -> list[BaseMessage]:
    """The messages to send: one system message, then the window, its tool exchanges whole.

    The window has one part in `history_share` of the history's plan. In the `last_round` the model is told that it
    has to answer without tools.
    """
    view = view_of(state, count)
    parts = state["usage"]["tokens"]
    block = block_of(state, view.tongue, memory_tokens(parts), count)
    ways = skills.block(view.tongue, parts.get("skills", 0), count)
    summary = _fitting((state.get("summary") or {}).get("text") or "", parts["summary"], view.tongue, count)
    order = order_of(settled(state).context_strategy)
    window = choose_window(view.lines, parts["history"] // history_share, count, order=order)
    prompt = f"{view.prompt}\n\n{_LAST_ROUND[view.tongue]}" if last_round else view.prompt
    system = render_system(prompt, block, summary, language=view.tongue, skills=ways.text)
    return [SystemMessage(system), *_kept(view.messages, window)]


def _fitting(summary: str, tokens: int, tongue: Language, count: TokenCounter) -> str:
    """The summary within its part: one that was made under a larger budget is cut to it."""
    framed = count(render_summary(summary, language=tongue))
    if framed <= tokens:
        return summary
    room = tokens - count(render_summary("x", language=tongue))
    return fold_summary(summary, (), max_tokens=max(0, room), language=tongue, count=count)


def _kept(messages: Sequence[AnyMessage], window: Window) -> list[AnyMessage]:
    kept = set(window.kept)
    out: list[AnyMessage] = []
    for message in messages:
        if str(message.id) not in kept:
            continue
        chars = window.shortened.get(str(message.id))
        if chars is not None:
            words = shorten(clean(content_text(message.content)), chars)
            beside = _attachments(message)
            changed: dict[str, Any] = {"content": [{"type": "text", "text": words}, *beside] if beside else words}
            message = message.model_copy(update=changed)
        out.append(message)
    return out
