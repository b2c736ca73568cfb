"""The per-run context: who is speaking, and the settings that this run differs in. Studio shows it as a form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any, Literal

from pydantic import Field

from memory.window_strategy import Strategy


def _form(title: str, description: str, node: str | None = None, kind: str | None = None) -> Any:
    """What Studio's form shows of a field, and in which node's box; `kind` "prompt" gives it a prompt's editor."""
    extra: dict[str, Any] = {"langgraph_nodes": [node] if node else None, "langgraph_type": kind}
    return Field(title=title, description=description, json_schema_extra={k: v for k, v in extra.items() if v})


@dataclass(frozen=True, kw_only=True)
class Context:
    """What a caller gives as `context=` of one run. Only `user_id` is needed.

    `max_context_tokens`, `reserve_output_tokens` and `recall_tokens` are in tokens. `language` "auto" answers in the
    language of the question. None means the agent's own default.
    """

    user_id: Annotated[str | None, _form("User", "Whose memory this run reads and writes.")] = None
    model: Annotated[
        str | None,
        _form("Model", "Such as openai:gpt-4.1-mini, or offline; empty for the agent's own.", "call_llm"),
    ] = None
    system_prompt: Annotated[
        str | None,
        _form("System prompt", "What stands before the memory block; empty for the agent's own.", "call_llm", "prompt"),
    ] = None
    max_context_tokens: Annotated[
        int, _form("Context window", "Tokens that the model takes, its answer included.", "manage_context")
    ] = 8192
    reserve_output_tokens: Annotated[
        int, _form("Reserved for the answer", "Tokens of the window that the answer may use.", "manage_context")
    ] = 1024
    context_strategy: Annotated[
        Strategy,
        _form(
            "When the conversation is too long",
            "Keep the newest (window), keep what matters most (priority), sum up what leaves (summary), or priority "
            "while it is a little too long and a summary when it is far too long (hybrid).",
            "manage_context",
        ),
    ] = "hybrid"
    max_messages: Annotated[
        int,
        _form(
            "Messages to keep", "How many messages the thread's state keeps; all are in the transcript.", "write_memory"
        ),
    ] = 200
    recall_limit: Annotated[
        int, _form("Memories to recall", "How many memories a turn may recall.", "retrieve_memory")
    ] = 10
    recall_tokens: Annotated[
        int, _form("Tokens to recall", "How many tokens their texts may have together.", "retrieve_memory")
    ] = 1024
    use_episodes: Annotated[
        bool, _form("Recall what was said", "Whether messages of other threads are recalled.", "retrieve_memory")
    ] = True
    use_facts: Annotated[bool, _form("Recall facts", "Whether facts are recalled.", "retrieve_memory")] = True
    use_skills: Annotated[
        bool, _form("Use skills", "Whether the skills that fit the request are shown to the model.", "retrieve_memory")
    ] = True
    memory_view: Annotated[
        Literal["current", "checkpoint"],
        _form("Memory view", "On an older checkpoint: memory as it is now, or as it was then.", "retrieve_memory"),
    ] = "current"
    extraction: Annotated[
        Literal["inline", "deferred"],
        _form("Extraction", "Read facts in the turn itself, or with the next one.", "extract_facts"),
    ] = "inline"
    extraction_model: Annotated[
        str | None,
        _form("Extraction model", "A model's name, or rules; empty for the agent's own.", "extract_facts"),
    ] = None
    consolidate_every: Annotated[
        int,
        _form(
            "Turns to a summary",
            "After how many turns what was said is summed up; 0 never.",
            "extract_facts",
        ),
    ] = 20
    language: Annotated[
        Literal["auto", "zh", "en"],
        _form("Language", "The language of the answer; auto is that of the question.", "call_llm"),
    ] = "auto"

    def settings(self) -> dict[str, Any]:
        """All but the user, as plain JSON: what the state keeps, since a resume comes without context."""
        return {k: v for k, v in asdict(self).items() if k != "user_id"}

    @classmethod
    def of(cls, kept: Mapping[str, Any] | None, user_id: str | None) -> Context:
        """The context that a state kept; what a newer version does not know is passed over."""
        known = {f.name for f in fields(cls)}
        return cls(**{k: v for k, v in (kept or {}).items() if k in known}, user_id=user_id)
