"""Options that several commands have, and the agent or the ledger that a command works on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graph.agent import open_book
from stores.book import MemoryBook

LOCAL_USER = "local"
"""The user of the command line where none is named."""

User = Annotated[str, typer.Option("--user", "-u", help="Whose memory.", show_default=True)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for a program to read.")]


class Folder:
    """The data folder that the command line named, or None for the settings' own."""

    path: Path | None = None


def ledger() -> MemoryBook:
    """The folder's ledger alone, read-only: works while another process holds the index."""
    return open_book(Folder.path)
