"""Titles of conversations by a language model: one short call, made when a thread is closed or when one asks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage, SystemMessage

from graph.offline import OfflineModel
from memory.privacy import redact
from memory.record import TokenCounter
from memory.text import content_text, language
from memory.titles import ask_for_title, read_title
from memory.tokens import estimate_tokens

_MAX_ERROR = 200

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Title:
    """A title and what its call cost; None when the model wrote none, with why in `failure`."""

    text: str | None
    usage: Mapping[str, int]
    failure: str | None = None


Titler = Callable[[str | None, Sequence[tuple[str, str]]], Title | None]
"""From a model's name (None is the agent's own) and the first messages by speaker and text to their title.

None where no language model is configured: the first words are the title.
"""


def titles_by(resolve: Callable[[str | None], BaseChatModel], count: TokenCounter = estimate_tokens) -> Titler:
    """Titles by the models that `resolve` gives. What a model raises becomes `Title.failure`, redacted."""

    def title(name: str | None, said: Sequence[tuple[str, str]]) -> Title | None:
        if not said:
            return None
        system, prompt = ask_for_title(said, language(said[0][1]))
        calls = 0
        try:
            model = resolve(name)
            if isinstance(model, OfflineModel):
                return None
            calls = 1
            reply = model.invoke([SystemMessage(system), HumanMessage(prompt)], {"run_name": "title"})
        except Exception as error:  # whatever a model raises, or that there is none, is an outcome here
            words = redact(" ".join(str(error).split())).text[:_MAX_ERROR]
            failure = f"No title was written: {type(error).__name__}{': ' + words if words else ''}"
            _log.warning(failure)
            return Title(None, {"calls": calls, "input_tokens": 0, "output_tokens": 0}, failure)
        answer = content_text(reply.content)
        usage = _usage(reply.usage_metadata, count(system) + count(prompt), count(answer))
        text = read_title(redact(answer).text)
        return Title(text, usage, None if text else "The model wrote no title.")

    return title


def _usage(told: Any, given: int, made: int) -> dict[str, int]:
    """What the service says that it cost; what was counted here when it says nothing."""
    given, made = (told["input_tokens"], told["output_tokens"]) if told else (given, made)
    return {"calls": 1, "input_tokens": given, "output_tokens": made}
