"""Options that several commands have, and the agent or the ledger that a command works on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from graph.agent import open_book, settings_for
from graph.build import build_graph, delta_channels
from graph.replay import moment_of_memory
from graph.threads import Threads
from stores.book import MemoryBook
from stores.checkpointer import SqliteCheckpointer

LOCAL_USER = "local"
"""The user of the command line where none is named."""


def _named(user: str) -> str:
    if not user:
        raise typer.BadParameter("a user has a name; leave the option out for your own memory")
    return user


User = Annotated[str, typer.Option("--user", "-u", help="Whose memory.", show_default=True, callback=_named)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for a program to read.")]


def told_held(memory_id: str, user_id: str) -> str:
    """What a person may do about a memory that waits, in one sentence."""
    whose = "" if user_id == LOCAL_USER else f" -u {user_id}"
    return f"It counts after `palimpsest memory release {memory_id[:8]}{whose}`; `reject` ends it."


class Folder:
    """The data folder that the command line named, or None for the settings' own."""

    path: Path | None = None


def ledger() -> MemoryBook:
    """The folder's ledger alone, read-only: works while another process holds the index."""
    return open_book(Folder.path)


@contextmanager
def reading() -> Iterator[Threads]:
    """The folder's ledger and checkpoints, read-only: works while another process holds the index, and makes no file.

    `threads.graph` runs no turn: it has no memory.
    """
    settings = settings_for(Folder.path)
    book = ledger()
    path = (settings.data_dir / "checkpoints.sqlite").absolute()
    if not path.exists():
        yield Threads(book)
        return
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, check_same_thread=False)) as conn:
        saver = SqliteCheckpointer(conn)
        saver.path = str(path)
        graph = build_graph(settings=settings, checkpointer=saver)
        saver.delta_channels = delta_channels(graph)
        book.memory_time_of = lambda checkpoint: moment_of_memory(graph, checkpoint)
        yield Threads(book, graph, checkpointer=saver)
