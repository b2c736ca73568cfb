"""The folder of skills: read when it changed, at the cost of a look at its files' times where it did not.

A file that became broken keeps its last good version, and the problem is said: in the log once, and to whoever asks.
The folder is only read. What is not `*.yaml` or `*.yml`, hidden files and folders inside are passed over.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings

from memory.skill_matching import Match, match_skills
from memory.skills import Problem, Skill, SkillError, parse_skill, unique

_LOG = logging.getLogger(__name__)

_Signature = tuple[int, int, int]
"""Of a file: when it was written (ns), its size (bytes), and which file of the disk it is."""


@dataclass(frozen=True)
class _File:
    """A file as it was read last: the newest skill that could be read in it, and what is wrong with it now."""

    signature: _Signature
    skill: Skill | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class Shelf:
    """The skills of a folder at one moment, by id, and what is wrong with its files; `stale` are ids of skills whose
    file is broken now, and which are kept as they were."""

    skills: Mapping[str, Skill] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    stale: tuple[str, ...] = ()

    def notice(self) -> str | None:
        """One sentence about what is wrong, with files by their names alone; None when nothing is."""
        if not self.problems:
            return None
        places = dict.fromkeys(f"{Path(p.file).name}:{p.line}" for p in self.problems)
        kept = f"; kept as before: {', '.join(self.stale)}" if self.stale else ""
        return f"skills with problems: {', '.join(places)}{kept} (palimpsest skills check says what)"


class SkillFolder:
    """The skills of one folder, always as its files are now. Thread safe. A folder that is not there has none.

    `embeddings` compares requests by meaning, with its own `threshold`; without it, words alone decide. `warn` is told
    what is wrong with the files, once a change.
    """

    def __init__(
        self,
        folder: str | Path,
        embeddings: Embeddings | None = None,
        threshold: float = 0.0,
        *,
        warn: Callable[[str], None] = _LOG.warning,
    ) -> None:
        self.folder = Path(folder)
        self._embeddings, self._threshold, self._warn = embeddings, threshold, warn
        self._lock = threading.Lock()
        self._files: dict[str, _File] = {}
        self._shelf = Shelf()
        self._vectors: dict[str, Any] = {}

    def read(self) -> Shelf:
        """The skills as they are now; files that did not change since the last look are not opened."""
        with self._lock:
            return self._read()

    def match(self, said: str, *, by_meaning: bool = True) -> tuple[Match, ...]:
        """The skills that a request calls for, best first, each with the reason.

        Texts that are new since the last time are embedded first, once. With `by_meaning` False, or when the embedder
        fails (the log says so), words alone decide.
        """
        with self._lock:
            skills = [*self._read().skills.values()]
            cosines = self._cosines(skills, said) if by_meaning and skills and said.strip() else None
        return match_skills(skills, said, cosines=cosines, threshold=self._threshold)

    def _read(self) -> Shelf:
        found = self._signatures()
        if found == {name: file.signature for name, file in self._files.items()}:
            return self._shelf
        before = self._files
        self._files = {
            name: old if (old := before.get(name)) and old.signature == signature else self._open(name, signature, old)
            for name, signature in found.items()
        }
        self._shelf = self._put_up()
        texts = {text for skill in self._shelf.skills.values() for text in skill.meanings}
        self._vectors = {text: vector for text, vector in self._vectors.items() if text in texts}
        return self._shelf

    def _signatures(self) -> dict[str, _Signature]:
        """Each file's signature by its name, in the order of the names; what cannot be looked at has no time."""
        found: dict[str, _Signature] = {}
        try:
            with os.scandir(self.folder) as entries:
                for entry in entries:
                    if entry.name.endswith((".yaml", ".yml")) and not entry.name.startswith(".") and not entry.is_dir():
                        found[entry.name] = _signature(entry)
        except OSError:
            return {}
        return dict(sorted(found.items()))

    def _open(self, name: str, signature: _Signature, old: _File | None) -> _File:
        path = self.folder / name
        try:
            return _File(signature, parse_skill(_text(path), str(path)))
        except SkillError as error:
            problems = error.problems
        kept = old.skill if old else None
        what = "its last good version is used" if kept else "it is left out"
        for problem in problems:
            self._warn(f"{problem} ({what})")
        return _File(signature, kept, problems)

    def _put_up(self) -> Shelf:
        skills, twice = unique(file.skill for file in self._files.values() if file.skill)
        for problem in twice:
            self._warn(f"{problem} (it is left out)")
        broken = tuple(problem for file in self._files.values() for problem in file.problems)
        stale = tuple(file.skill.id for file in self._files.values() if file.skill and file.problems)
        return Shelf({skill.id: skill for skill in skills}, (*broken, *twice), stale)

    def _cosines(self, skills: Sequence[Skill], said: str) -> dict[str, float] | None:
        """How near a request is to each text of the skills; None when that cannot be told."""
        if self._embeddings is None:
            return None
        texts = list(dict.fromkeys(text for skill in skills for text in skill.meanings))
        try:
            if new := [text for text in texts if text not in self._vectors]:
                self._vectors |= zip(new, _unit(self._embeddings.embed_documents(new)), strict=True)
            asked = _unit([self._embeddings.embed_query(said)])[0]
        except Exception as error:  # an embedder is anybody's code
            self._warn(f"skills are found by their words alone: {type(error).__name__}: {error}")
            return None
        return {text: float(self._vectors[text] @ asked) for text in texts}


def _signature(entry: os.DirEntry[str]) -> _Signature:
    try:
        found = entry.stat()
    except OSError:  # a link to nothing; opening it says so
        return (0, 0, 0)
    return (found.st_mtime_ns, found.st_size, found.st_ino)


def _text(path: Path) -> str:
    """A file's text. Raises `SkillError`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SkillError([Problem(str(path), 1, f"the file cannot be read ({error.strerror})")]) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = 1 + data.count(b"\n", 0, error.start)
        raise SkillError([Problem(str(path), line, "the file is not in UTF-8; expected a text in UTF-8")]) from error


def _unit(vectors: Sequence[Sequence[float]]) -> Any:
    array = np.asarray(vectors, dtype=np.float64)
    return array / np.maximum(np.linalg.norm(array, axis=1, keepdims=True), 1e-12)
