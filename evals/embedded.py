"""One embedder for several memories: what is written is embedded once for all, what is asked each time, and timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
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

    `embedder` is the one inside. Set `asking` when everything is written: from then on nothing comes from the table,
    as some memories embed a question as a document, and `seconds` adds up the time inside.
    """

    def __init__(self, embedder: Embedder, known: Vectors) -> None:
        self.embedder = embedder
        self.asking = False
        self.seconds = 0.0
        self._known = known

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """As the embedder inside; while writing, each text once."""
        if self.asking:
            with self._timed():
                return self.embedder.embeddings.embed_documents(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing:
            made = self.embedder.embeddings.embed_documents(missing)
            for text, vector in zip(missing, made, strict=True):
                self._known[text] = np.asarray(vector, dtype=np.float32)
        return [self._known[text].tolist() for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """As the embedder inside."""
        with self._timed():
            return self.embedder.embeddings.embed_query(text)

    @contextmanager
    def _timed(self) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
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

    def missing(self, texts: Iterable[str]) -> list[str]:
        """The texts that were not embedded yet, once each."""
        return [text for text in dict.fromkeys(texts) if text not in self.known]

    def embed(self, texts: Iterable[str], progress: Callable[[int], None] | None = None) -> None:
        """Embed texts ahead, so that no memory is the one that waits for them."""
        shared = self.open()
        missing = self.missing(texts)
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            shared.embed_documents(batch)
            if progress:
                progress(len(batch))
