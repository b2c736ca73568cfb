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
    """`bm25s` with an index a user, made anew by the first question after something was added."""

    def __init__(self, folder: Path, embeddings: SharedEmbeddings) -> None:  # noqa: ARG002 - neither is used
        self._bm25s, name = package("bm25s", "bm25s")
        self._said: dict[str, list[ImportedMessage]] = {}
        self._made: dict[str, Any] = {}
        self.settings = (
            f"{name}: k1 {_K1}, b {_B}, this package's own terms (English without stop words and stemmed; Chinese words "
            "and pairs of characters)"
        )

    def add(self, user_id: str, messages: Sequence[ImportedMessage]) -> None:
        """Keep them; nothing is indexed yet."""
        self._said.setdefault(user_id, []).extend(messages)
        self._made.pop(user_id, None)

    def search(self, user_id: str, question: str, k: int, now: datetime | None) -> Hits:  # noqa: ARG002 - knows no time
        """By the question's words; a message that shares none is not found."""
        said = self._said.get(user_id, [])
        asked = query_terms(question)
        if not said or not asked:
            return []
        index = self._index(user_id)
        found, scores = index.retrieve([asked], k=min(k, len(said)), show_progress=False, backend_selection="numpy")
        return [[said[i].message_id] for i, score in zip(found[0], scores[0], strict=True) if score > 0]

    def close(self) -> None:
        """Nothing is open."""

    def _index(self, user_id: str) -> Any:
        if user_id not in self._made:
            index = self._bm25s.BM25(k1=_K1, b=_B)
            index.index([terms(message.text) for message in self._said[user_id]], show_progress=False)
            self._made[user_id] = index
        return self._made[user_id]
