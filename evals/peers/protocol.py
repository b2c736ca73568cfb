"""What a memory has to do to be measured beside ours."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Protocol

from evals.embedded import SharedEmbeddings
from stores.errors import PalimpsestError
from stores.imports import ImportedMessage

INSTALL: Final = "pip install 'palimpsest[peers]'"

Hits = Sequence[Sequence[str]]
"""What was found, best first: for each hit the ids of the messages that it stands for."""


class Unavailable(PalimpsestError):
    """A peer cannot be measured here; the sentence says why, and what to do about it."""


class Peer(Protocol):
    """A memory of messages. `settings` is one line: package and version, and everything that was chosen."""

    settings: str

    def add(self, user_id: str, messages: Sequence[ImportedMessage]) -> None:
        """Keep messages of a user, after those that are there."""
        ...

    def ready(self) -> None:
        """Do what can be done before the first question, now that everything is written."""
        ...

    def search(self, user_id: str, question: str, k: int, now: datetime | None) -> Hits:
        """The best `k` at most of this user's, for a question asked at `now` (aware; None for the present)."""
        ...

    def close(self) -> None:
        """Give up files and connections."""
        ...


OpenPeer = Callable[[Path, SharedEmbeddings], Peer]
"""Opens an empty memory in an empty folder. Raises `Unavailable`."""


def package(name: str, distribution: str) -> tuple[Any, str]:
    """A module of the extra `peers`, and what to call it in the settings. Raises `Unavailable`."""
    try:
        return importlib.import_module(name), named(distribution)
    except ImportError as error:
        raise Unavailable(f"{distribution} is not installed ({error}): {INSTALL}") from error


def named(distribution: str) -> str:
    """A distribution and its version."""
    return f"{distribution} {version(distribution)}"
