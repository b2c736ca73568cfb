"""mem0 without a language model: messages are kept as they are (`infer=False`), found by meaning and by words.

Its parts that are downloads are not fetched. fastembed's BM25 gets this package's English stop words in place of its
own list; without spaCy's English model, texts are matched without lemmas and no entities are known. Its telemetry is
switched off before it is imported.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from evals.embedded import SharedEmbeddings
from evals.peers.protocol import INSTALL, Hits, named, package
from memory.stopwords import ENGLISH
from stores.imports import ImportedMessage

_ID: Final = "said"
_MODEL: Final = "en_core_web_sm"


class Mem0:
    """mem0's `Memory` on its default store, qdrant-client's local mode in a folder."""

    def __init__(self, folder: Path, embeddings: SharedEmbeddings) -> None:
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ.setdefault("MEM0_DIR", str(folder / "mem0"))
        mem0, name = package("mem0", "mem0ai")
        lemmas = _without_downloads()
        path = str(folder / "qdrant")
        store = {"path": path, "embedding_model_dims": embeddings.embedder.dims, "on_disk": True}
        unused = {"provider": "openai", "config": {"api_key": "none"}}
        self._memory = mem0.Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "llm": unused,
                "embedder": unused,
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = _Embedder(embeddings)
        words = self._words()
        self.settings = (
            f"{name}, local mode of {named('qdrant-client')} in a folder: infer=False, dense, {words}, {lemmas}, "
            "threshold 0.1"
        )

    def add(self, user_id: str, messages: Sequence[ImportedMessage]) -> None:
        """One call a message, as its own id can only be kept beside it."""
        for m in messages:
            said = [{"role": "assistant" if m.speaker == "assistant" else "user", "content": m.text}]
            self._memory.add(said, user_id=user_id, metadata={_ID: m.message_id}, infer=False)

    def ready(self) -> None:
        """Nothing: adding leaves nothing to do."""

    def search(self, user_id: str, question: str, k: int, now: datetime | None) -> Hits:  # noqa: ARG002 - knows no time
        """With its defaults but for the number of results."""
        found = self._memory.search(question, top_k=k, filters={"user_id": user_id})
        return [[str(one["metadata"][_ID])] for one in found["results"]]

    def close(self) -> None:
        """Close its files."""
        self._memory.vector_store.client.close()
        self._memory.close()

    def _words(self) -> str:
        """Give the store the encoder that it would load itself, with what needs no download; says what it got."""
        try:
            bm25 = importlib.import_module("fastembed.sparse.bm25")
        except ImportError:
            self._memory.vector_store._bm25_encoder = False
            return f"no BM25 (fastembed is not installed: {INSTALL})"
        self._memory.vector_store._bm25_encoder = bm25.Bm25(
            "Qdrant/bm25", specific_model_path=os.curdir, stopwords=set(ENGLISH)
        )
        return f"BM25 by {named('fastembed')} (English; words between spaces)"


def _without_downloads() -> str:
    """Keep mem0 from fetching spaCy's model where it is not installed; says whether there are lemmas."""
    if all(importlib.util.find_spec(name) for name in ("spacy", _MODEL)):
        return f"lemmas and entities by {_MODEL}"
    spacy_models = importlib.import_module("mem0.utils.spacy_models")
    for flag in ("_load_failed_full", "_load_failed_lemma"):
        setattr(spacy_models, flag, True)
    return f"no lemmas and entities (spaCy's {_MODEL} is a download)"


class _Embedder:
    """The embedder in mem0's form."""

    def __init__(self, embeddings: SharedEmbeddings) -> None:
        self._embeddings = embeddings

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        if memory_action == "search":
            return self._embeddings.embed_query(text)
        return self._embeddings.embed_documents([text])[0]

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        return [self.embed(text, memory_action) for text in texts]
