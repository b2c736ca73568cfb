"""`palimpsest doctor`: what is configured, what answers, which versions, where the data lies and who holds it."""

from __future__ import annotations

import platform
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import typer
from qdrant_client import QdrantClient

from cli.common import AsJson, Folder, reading
from cli.output import show_fields, show_json
from graph import open_book
from graph.agent import embedder_of, settings_for, skills_folder
from graph.models import resolve_model
from graph.settings import Settings
from graph.threads import Threads
from stores.edge_folder import holder
from stores.skill_folder import SkillFolder

_FAILS = "FAILS"
_PACKAGES = (
    "palimpsest",
    "langgraph",
    "langgraph-checkpoint-sqlite",
    "langgraph-store-qdrant",
    "qdrant-client",
    "qdrant-edge-py",
    "langchain-openai",
)


def doctor(as_json: AsJson = False) -> None:
    """Check the set-up; ends with 1 when something fails. Reads only; asks no model and costs nothing."""
    settings = settings_for(Folder.path)
    found = {
        "python": platform.python_version(),
        **{name: _version(name) for name in _PACKAGES},
        "data folder": str(settings.data_dir.resolve()) + ("" if settings.data_dir.exists() else " (not made yet)"),
        "files": _files(settings.data_dir),
        "held by": holder(settings.data_dir / "qdrant") or "nobody",
        "ledger": _ledger(settings),
        "checkpoints": _checkpoints(settings),
        "index": _index(settings),
        "model": _model(settings),
        "embeddings": _embeddings(settings),
        "skills": _skills(settings),
    }
    if as_json:
        show_json(found)
    else:
        show_fields(found.items())
    if any(value.startswith(_FAILS) for value in found.values()):
        raise typer.Exit(1)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _files(folder: Path) -> str:
    if not folder.is_dir():
        return "none"
    sizes = {p.name: _size(p) for p in sorted(folder.iterdir())}
    return ", ".join(f"{name} {size / 1e6:.1f} MB" for name, size in sizes.items()) or "none"


def _size(path: Path) -> int:
    """Bytes on the disk: Edge sets aside far more than it fills."""
    files = [p for p in path.rglob("*") if p.is_file()] if path.is_dir() else [path]
    stats = [p.stat() for p in files]
    return sum(getattr(s, "st_blocks", s.st_size // 512) * 512 for s in stats)


def _ledger(settings: Settings) -> str:
    if settings.ledger_url is None and not (settings.data_dir / "ledger.sqlite").exists():
        return "not made yet"
    return _try(lambda: f"answers; {len(_threads())} threads")


def _checkpoints(settings: Settings) -> str:
    if not (settings.data_dir / "checkpoints.sqlite").exists():
        return "not made yet"

    def ask() -> str:
        with reading() as threads:
            return f"answers; {threads.checkpointer.count() if threads.checkpointer else 0} checkpoints"

    return _try(ask)


def _threads() -> list[dict[str, Any]]:
    return Threads(open_book(Folder.path)).list()


def _index(settings: Settings) -> str:
    if settings.qdrant_url is None:
        return "Qdrant Edge, in this process, in the data folder"

    def ask() -> str:
        client = QdrantClient(settings.qdrant_url, api_key=settings.qdrant_api_key, check_compatibility=False)
        return f"Qdrant {client.info().version} at {settings.qdrant_url} answers"

    return _try(ask)


def _model(settings: Settings) -> str:
    if settings.model in (None, "offline"):
        return "none: the offline model lists what is recalled (set PALIMPSEST_MODEL=openai:<name> for a real one)"
    return _try(
        lambda: f"{settings.model} ({type(resolve_model(settings.model, settings=settings)).__name__}; not asked)"
    )


def _embeddings(settings: Settings) -> str:
    def ask() -> str:
        embedder = embedder_of(settings)
        embedder.embeddings.embed_query("ok")
        return f"{embedder.name}, {embedder.dims} dimensions, answers"

    return _try(ask)


def _skills(settings: Settings) -> str:
    def ask() -> str:
        folder = skills_folder(settings)
        shelf = SkillFolder(folder).read()
        if shelf.problems:
            return f"{_FAILS}: " + "; ".join(map(str, shelf.problems))
        return f"{len(shelf.skills)} in {folder}" if folder.is_dir() else f"none: there is no folder {folder}"

    return _try(ask)


def _try(ask: Callable[[], str]) -> str:
    """The answer, or what went wrong: a check-up reports faults, it does not end by them."""
    try:
        return ask()
    except Exception as error:
        return f"{_FAILS}: {error}"
