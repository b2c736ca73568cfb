"""Plain BM25 over a user's messages: no vectors, no neighbours, nothing but words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from evals.embedded import SharedEmbeddings
from evals.peers.protocol import Hits, package
from memory.lexical import query_terms, terms
from stores.imports import ImportedMessage

_K1: Final = 0.9
_B: Final = 0.4


class PlainBm25:
    """`bm25s` with an index a user, made when everything is written."""

    def __init__(self, folder: Path, embeddings: SharedEmbeddings) -> None:  # noqa: ARG002 - neither is used
        self._bm25s, name = package("bm25s", "bm25s")
        self._said: dict[str, list[ImportedMessage]] = {}
        self._made: dict[str, Any] = {}
        self.settings = (
            f"{name}: k1 {_K1}, b {_B}, this package's own terms (English stemmed and without stop words; Chinese "
            "words and pairs of characters)"
        )

    def add(self, user_id: str, messages: Sequence[ImportedMessage]) -> None:
        """Keep them; nothing is indexed yet."""
        self._said.setdefault(user_id, []).extend(messages)

    def ready(self) -> None:
        """Index what every user said."""
        for user_id, said in self._said.items():
            index = self._made[user_id] = self._bm25s.BM25(k1=_K1, b=_B)
            index.index([terms(message.text) for message in said], show_progress=False)

    def search(self, user_id: str, question: str, k: int, now: datetime | None) -> Hits:  # noqa: ARG002 - knows no time
        """By the question's words; a message that shares none is not found."""
        index, said, asked = self._made.get(user_id), self._said.get(user_id, []), query_terms(question)
        if index is None or not asked:
            return []
        found, scores = index.retrieve([asked], k=min(k, len(said)), show_progress=False, backend_selection="numpy")
        return [[said[i].message_id] for i, score in zip(found[0], scores[0], strict=True) if score > 0]

    def close(self) -> None:
        """Nothing is open."""
