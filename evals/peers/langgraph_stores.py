"""LangGraph's own stores with a vector index over the text: in memory, in SQLite, and on Qdrant. Dense search alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from datetime import datetime
from pathlib import Path
from typing import Any

from langgraph.store.base import BaseStore, PutOp
from langgraph.store.memory import InMemoryStore
from langgraph.store.qdrant import QdrantStore
from langgraph.store.sqlite import SqliteStore
from qdrant_client import QdrantClient

from evals.embedded import SharedEmbeddings
from evals.peers.protocol import Hits, Unavailable, named
from stores.edge import EdgeClient
from stores.imports import ImportedMessage


class LangGraphStore:
    """A store with one record a message, in a namespace a user."""

    def __init__(self, store: BaseStore, settings: str, opened: ExitStack) -> None:
        self.settings = settings
        self._store = store
        self._opened = opened

    def add(self, user_id: str, messages: Sequence[ImportedMessage]) -> None:
        """Put them in batches."""
        for batch in _without_repeats(messages):
            self._store.batch([PutOp(_namespace(user_id), m.message_id, {"text": m.text}) for m in batch])

    def ready(self) -> None:
        """Nothing: a put leaves nothing to do."""

    def search(self, user_id: str, question: str, k: int, now: datetime | None) -> Hits:  # noqa: ARG002 - knows no time
        """By the question's vector."""
        return [[item.key] for item in self._store.search(_namespace(user_id), query=question, limit=k)]

    def close(self) -> None:
        """Close files and connections."""
        self._opened.close()


def in_memory(folder: Path, embeddings: SharedEmbeddings) -> LangGraphStore:  # noqa: ARG001 - keeps no files
    """`InMemoryStore`."""
    return LangGraphStore(
        InMemoryStore(index=_index(embeddings)), f"{named('langgraph-checkpoint')}: dense, exact, numpy", ExitStack()
    )


def sqlite(folder: Path, embeddings: SharedEmbeddings) -> LangGraphStore:
    """`SqliteStore`. Raises `Unavailable` where this Python's SQLite loads no extensions."""
    opened = ExitStack()
    store = opened.enter_context(SqliteStore.from_conn_string(str(folder / "store.sqlite"), index=_index(embeddings)))
    try:
        store.setup()
    except (AttributeError, sqlite3.Error) as error:
        opened.close()
        raise Unavailable(
            f"This Python's SQLite loads no extensions ({error}), and the store's vectors are one. "
            "A Python that was built with --enable-loadable-sqlite-extensions, such as Debian's, does."
        ) from error
    settings = f"{named('langgraph-checkpoint-sqlite')}, {named('sqlite-vec')}: dense, exact, cosine"
    return LangGraphStore(store, settings, opened)


def qdrant_local(folder: Path, embeddings: SharedEmbeddings) -> LangGraphStore:  # noqa: ARG001 - keeps no files
    """`QdrantStore` on qdrant-client's local mode."""
    return _qdrant(QdrantClient(":memory:"), f"local mode of {named('qdrant-client')}, in memory", embeddings)


def qdrant_edge(folder: Path, embeddings: SharedEmbeddings) -> LangGraphStore:
    """`QdrantStore` on the Edge client of this package, which it does not have itself."""
    return _qdrant(EdgeClient(folder / "edge"), f"on {named('qdrant-edge-py')} by this package's client", embeddings)


def _qdrant(client: Any, where: str, embeddings: SharedEmbeddings) -> LangGraphStore:
    opened = ExitStack()
    opened.enter_context(closing(client))
    store = QdrantStore(client, index=_index(embeddings))
    store.setup()
    return LangGraphStore(store, f"{named('langgraph-store-qdrant')}: dense, {where}", opened)


def _without_repeats(messages: Sequence[ImportedMessage]) -> Iterator[list[ImportedMessage]]:
    """Batches in which no text comes twice: `InMemoryStore` raises for one that has equal texts."""
    batch: dict[str, ImportedMessage] = {}
    for message in messages:
        if message.text in batch:
            yield [*batch.values()]
            batch = {}
        batch[message.text] = message
    yield [*batch.values()]


def _index(embeddings: SharedEmbeddings) -> Any:
    """The field that is embedded is named twice: `SqliteStore` reads another key, and else embeds the whole value."""
    return {"dims": embeddings.embedder.dims, "embed": embeddings, "fields": ["text"], "text_fields": ["text"]}


def _namespace(user_id: str) -> tuple[str, ...]:
    """LangGraph allows no full stop in a namespace."""
    return ("peers", user_id.replace(".", "_"))
