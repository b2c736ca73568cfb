"""Where things are kept: checkpoints, ledger, memory index, embeddings; MemoryBook joins them with the rules."""

from stores.book import MemoryBook
from stores.checkpointer import SqliteCheckpointer
from stores.edge import EdgeClient
from stores.edge_folder import FolderBusy
from stores.embeddings import Embedder, HashEmbeddings, resolve_embeddings
from stores.errors import BadInput, MissingUser, NotFound, PalimpsestError
from stores.imports import ImportedMessage, ImportReport
from stores.indexer import namespace_of
from stores.leases import ThreadBusy
from stores.plain import PlainMemory, TurnMemory
from stores.qdrant_store import EmbedderMismatch, PalimpsestStore
from stores.recall import Recall, Recalled
from stores.skill_folder import SkillFolder

__all__ = [
    "BadInput",
    "EdgeClient",
    "Embedder",
    "EmbedderMismatch",
    "FolderBusy",
    "HashEmbeddings",
    "ImportReport",
    "ImportedMessage",
    "MemoryBook",
    "MissingUser",
    "NotFound",
    "PalimpsestError",
    "PalimpsestStore",
    "PlainMemory",
    "Recall",
    "Recalled",
    "SkillFolder",
    "SqliteCheckpointer",
    "ThreadBusy",
    "TurnMemory",
    "namespace_of",
    "resolve_embeddings",
]
