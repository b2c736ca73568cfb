"""What a chat model is called, wherever a provider's class keeps it."""

from __future__ import annotations

from langchain_core.language_models import BaseChatModel


def model_name(model: BaseChatModel | None) -> str | None:
    """The model's own name, such as "gpt-4.1-mini"; None where its class tells none."""
    names = (getattr(model, field, None) for field in ("model_name", "model", "model_id"))
    return next((name for name in names if isinstance(name, str) and name), None)
