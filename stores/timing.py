"""Telling the time inside the embedder from the rest of a recall."""

from __future__ import annotations

import threading

from langchain_core.embeddings import Embeddings

from stores.book import MemoryBook


class TimedEmbeddings(Embeddings):
    """An embedder that tells its book how long it worked, so that a recall can say it apart.

    It remembers each thread's last question: a turn asks it of memories and of skills, and a service is asked once.
    """

    def __init__(self, inner: Embeddings) -> None:
        self.inner = inner
        self.book: MemoryBook | None = None
        self._last = threading.local()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """As the embedder inside."""
        return self.inner.embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        """As the embedder inside, timed."""
        if getattr(self._last, "text", None) != text:
            self._last.vector = self._embed(text)
            self._last.text = text
        vector: list[float] = self._last.vector
        return vector

    def _embed(self, text: str) -> list[float]:
        if self.book is None:
            return self.inner.embed_query(text)
        with self.book.embedding():
            return self.inner.embed_query(text)
