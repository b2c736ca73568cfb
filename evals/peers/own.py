"""Palimpsest as it ships: the agent's own import and recall, with their defaults."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from evals.embedded import SharedEmbeddings
from evals.peers.protocol import Hits, named
from evals.retrieval import messages_of
from graph import open_agent
from stores.imports import ImportedMessage


class Palimpsest:
    """Messages become episodes, and facts are read from them by rules."""

    def __init__(self, folder: Path, embeddings: SharedEmbeddings) -> None:
        self._agent = open_agent(folder, embeddings=embeddings, extraction_model="rules")
        # The threshold of a named embedder is the measured one; an object's would be estimated.
        self._agent.memory.scale = embeddings.embedder.scale
        self.settings = (
            f"as shipped, {named('qdrant-edge-py')}: dense and words, exact; at most 1,024 tokens; facts by rules"
        )

    def add(self, user_id: str, messages: Sequence[ImportedMessage]) -> None:
        """Through the product's import."""
        self._agent.memory.import_messages(user_id, messages)

    def ready(self) -> None:
        """Nothing: import leaves nothing to do."""

    def search(self, user_id: str, question: str, k: int, now: datetime | None) -> Hits:
        """Through `recall`; a memory stands for the messages that it was made of."""
        book = self._agent.memory
        found = book.recall(user_id, question, limit=k, now=now)
        return [messages_of(book, user_id, result.memory) for result in found.results]

    def close(self) -> None:
        """Close the folder."""
        self._agent.close()
