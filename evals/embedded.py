"""One embedder for several memories: what is written is embedded once for all, what is asked each time, and timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from stores.embeddings import Embedder

_BATCH = 256

Vectors = dict[str, NDArray[np.float32]]
"""The vectors of texts as documents; in single precision, which is what the stores keep."""


class SharedEmbeddings(Embeddings):
    """An embedder whose documents come from a table that others fill and read too; questions never do.

    `embedder` is the one inside; `seconds` adds up the time spent on questions.
    """

    def __init__(self, embedder: Embedder, known: Vectors) -> None:
        self.embedder = embedder
        self._known = known
        self.seconds = 0.0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """As the embedder inside, each text once."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing:
            for text, vector in zip(missing, self.embedder.embeddings.embed_documents(missing), strict=True):
                self._known[text] = np.asarray(vector, dtype=np.float32)
        return [self._known[text].tolist() for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """As the embedder inside, timed."""
        began = time.perf_counter()
        try:
            return self.embedder.embeddings.embed_query(text)
        finally:
            self.seconds += time.perf_counter() - began


@dataclass(frozen=True)
class SharedEmbedder:
    """The embedder of the settings, made anew for each memory by `make`, so that none remembers another's questions."""

    make: Callable[[], Embedder]
    known: Vectors = field(default_factory=dict)

    def open(self) -> SharedEmbeddings:
        """The embedder for one memory."""
        return SharedEmbeddings(self.make(), self.known)

    def embed(self, texts: Iterable[str], progress: Callable[[int], None] | None = None) -> None:
        """Embed texts ahead, so that no memory is the one that waits for them."""
        shared = self.open()
        missing = [text for text in dict.fromkeys(texts) if text not in self.known]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            shared.embed_documents(batch)
            if progress:
                progress(len(batch))
