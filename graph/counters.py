"""How a model's tokens are counted: by its own tokenizer where that is installed, and by an estimate elsewhere.

The tokenizer is `quicktok-v1` (the extra `tokenizer`), whose vocabularies are in its wheel. Nothing is downloaded.
"""

from __future__ import annotations

import functools
import importlib.util
import re

from langchain_core.language_models import BaseChatModel

from memory.record import TokenCounter
from memory.tokens import estimate_tokens
from nodes.model_name import model_name

# Longest first: the beginning of a model's name, without its provider and vendor, and whose vocabulary it has.
_VOCABULARIES = (
    (r"gpt-oss", "o200k_harmony"),
    (r"gpt-(?:4o|4\.1|4\.5|5)|chatgpt-|o[134](?:-|$)", "o200k_base"),
    (r"gpt-(?:4|3\.5)", "cl100k_base"),
    (r"qwen-?(?:2\.5|2|3)(?![\d.])", "qwen3"),
    (r"(?:meta-)?llama-?3", "llama3"),
)
_VENDOR = re.compile(r"^.*[:/]")


def counter_for(model: str | BaseChatModel | None) -> TokenCounter:
    """The counter for a model or its name ("openai:gpt-4.1-mini"): exact, or `estimate_tokens` when it is not known."""
    name = model if isinstance(model, str) else model_name(model) or ""
    # A tag such as ":7b" or ":latest" is not a vendor.
    for candidate in (name, name.partition(":")[2], _VENDOR.sub("", name), name.rpartition("/")[2]):
        for pattern, vocabulary in _VOCABULARIES:
            if re.match(pattern, candidate.lower()):
                return _exact(vocabulary)
    return estimate_tokens


@functools.cache
def _exact(vocabulary: str) -> TokenCounter:
    if importlib.util.find_spec("quicktok") is None:
        return estimate_tokens
    import quicktok

    tokenizer = quicktok.get_encoding(vocabulary)

    @functools.lru_cache(maxsize=4096)
    def count(text: str) -> int:
        # What looks like a special token in a message is sent as words; half a surrogate pair is no text.
        return len(tokenizer.encode_ordinary(text.encode("utf-8", "replace").decode()))

    return count
