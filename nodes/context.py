"""The per-run context: who is speaking, and the settings that this run differs in. Studio shows it as a form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal


@dataclass(frozen=True, kw_only=True)
class Context:
    """What a caller gives as `context=` of one run. Only `user_id` is needed.

    `max_context_tokens`, `reserve_output_tokens` and `recall_tokens` are in tokens. `language` "auto" answers in the
    language of the question. None means the agent's own default.
    """

    user_id: str | None = None
    model: str | None = None
    system_prompt: str | None = None
    max_context_tokens: int = 8192
    reserve_output_tokens: int = 1024
    recall_limit: int = 10
    recall_tokens: int = 1024
    use_episodes: bool = True
    use_facts: bool = True
    language: Literal["auto", "zh", "en"] = "auto"

    def settings(self) -> dict[str, Any]:
        """All but the user, as plain JSON: what the state keeps, since a resume comes without context."""
        return {k: v for k, v in asdict(self).items() if k != "user_id"}

    @classmethod
    def of(cls, kept: Mapping[str, Any] | None, user_id: str | None) -> Context:
        """The context that a state kept; what a newer version does not know is passed over."""
        known = {f.name for f in fields(cls)}
        return cls(**{k: v for k, v in (kept or {}).items() if k in known}, user_id=user_id)
