"""Procedural memory: what a skill is, and how one is read from a file that a person wrote.

A skill is one YAML mapping: `id`, `description`, `trigger` (its `words` and `examples`), `steps`, and where there are
any `tools` and `safety_checks`. What is wrong with a file is said with its line, all of it at once, and nothing is
guessed: an unknown name, a number where words belong or a list that is a single text is a problem, not a skill.

Nothing here reads a file, and no conversation ever writes a skill.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

import yaml

from memory.text import clean

MOST_CHARS: Final = 50_000
"""The largest file: many times what a prompt has room for."""

_REQUIRED: Final = ("id", "description", "trigger", "steps")
_KEYS: Final = (*_REQUIRED, "tools", "safety_checks")
_TRIGGER_KEYS: Final = ("words", "examples")
_ID = re.compile(r"\w[\w.-]{0,63}")
_SAYS_SOMETHING = re.compile(r"[^\W_]")
_LONG_WORD: Final = 80
"""Characters of a trigger: a longer one is a sentence, and belongs to the examples."""

_STR: Final = "tag:yaml.org,2002:str"
_SCALARS: Final = {
    "tag:yaml.org,2002:null": "nothing",
    "tag:yaml.org,2002:bool": "the yes-or-no value {}",
    "tag:yaml.org,2002:int": "the number {}",
    "tag:yaml.org,2002:float": "the number {}",
    "tag:yaml.org,2002:timestamp": "the date {}",
    _STR: "the text {!r}",
}


@dataclass(frozen=True)
class Skill:
    """A procedure for requests of a kind, as its owner wrote it; texts are on one line each and never blank.

    `words` bring it up when they are said, `examples` are requests that it is for. `file` and `line` (from 1) say where
    its id stands.
    """

    id: str
    description: str
    words: tuple[str, ...]
    examples: tuple[str, ...]
    steps: tuple[str, ...]
    tools: tuple[str, ...] = ()
    safety_checks: tuple[str, ...] = ()
    file: str = ""
    line: int = 1

    @property
    def meanings(self) -> tuple[str, ...]:
        """The texts that a request is compared with by meaning."""
        return (*self.examples, self.description)


@dataclass(frozen=True)
class Problem:
    """What is wrong with a file of skills, and in which line (from 1)."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


class SkillError(ValueError):
    """A file is no skill; `problems` has all that is wrong with it, by line."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda p: p.line))
        super().__init__("\n".join(map(str, self.problems)))


def parse_skill(text: str, file: str) -> Skill:
    """Read one skill; `file` is its name for errors. Raises `SkillError`, whatever the text is, and nothing else."""
    reading = _Reading(file)
    skill = reading.skill(_compose(text, reading))
    if reading.problems or skill is None:
        raise SkillError(reading.problems)
    return skill


def unique(skills: Iterable[Skill]) -> tuple[tuple[Skill, ...], tuple[Problem, ...]]:
    """The first skill of each id, in the order given, and what is wrong with the others."""
    kept: dict[str, Skill] = {}
    problems = []
    for skill in skills:
        first = kept.setdefault(skill.id, skill)
        if first is not skill:
            used = f"the id {skill.id!r} is used in {first.file}:{first.line} already; expected one of its own"
            problems.append(Problem(skill.file, skill.line, used))
    return tuple(kept.values()), tuple(problems)


def _compose(text: str, reading: _Reading) -> yaml.Node | None:
    """The document's nodes, each with its place; None when it has none, with the problem noted."""
    if len(text) > MOST_CHARS:
        reading.note(1, f"the file has {len(text):,} characters; expected at most {MOST_CHARS:,}")
        return None
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = " ".join(filter(None, (error.context, error.problem)))
        reading.note(mark.line + 1 if mark else 1, f"this is not YAML: {said}")
    except yaml.reader.ReaderError as error:
        line = 1 + text.count("\n", 0, error.position)
        reading.note(line, f"a character that YAML does not take ({error.reason})")
    except RecursionError:
        reading.note(1, "the file is nested too deeply to be a skill")
    except (ValueError, OverflowError, LookupError) as error:
        # The scanner turns escapes and versions into numbers and characters without a look at their size.
        reading.note(1, f"this is not YAML: {error}")
    else:
        if node is None:
            reading.note(1, f"the file is empty; expected {', '.join(_REQUIRED)}")
        found: yaml.Node | None = node
        return found
    return None


class _Reading:
    """One file as it is read: each part returns what it could read, and notes what is wrong."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []

    def note(self, line: int, text: str) -> None:
        self.problems.append(Problem(self.file, line, text))

    def skill(self, root: yaml.Node | None) -> Skill | None:
        if root is None:
            return None
        if not isinstance(root, yaml.MappingNode):
            self.note(_line(root), f"expected a skill ({', '.join(_REQUIRED)}), found {_found(root)}")
            return None
        parts = self.mapping(root, _KEYS)
        for name in _REQUIRED:
            if name not in parts:
                self.note(_line(root), f"'{name}' is missing; expected {_EXPECTED[name]}")
        words, examples = self.trigger(parts.get("trigger"))
        skill = Skill(
            id=self.id(parts.get("id")),
            description=self.text("description", parts.get("description")),
            words=words,
            examples=examples,
            steps=self.texts("steps", parts.get("steps"), least=1),
            tools=self.texts("tools", parts.get("tools")),
            safety_checks=self.texts("safety_checks", parts.get("safety_checks")),
            file=self.file,
            line=_line(parts.get("id") or root),
        )
        return None if self.problems else skill

    def mapping(self, node: yaml.MappingNode, known: Sequence[str]) -> dict[str, yaml.Node]:
        """The values of a mapping by their names."""
        parts: dict[str, yaml.Node] = {}
        for key, value in node.value:
            name = str(key.value) if isinstance(key, yaml.ScalarNode) else ""
            if name not in known:
                shown = repr(name) if name else _found(key)
                near = get_close_matches(name, known, n=1)
                hint = f"did you mean '{near[0]}'?" if near else f"expected one of {', '.join(known)}"
                self.note(_line(key), f"{shown} is nothing that a skill has; {hint}")
            elif name in parts:
                self.note(_line(key), f"'{name}' is there twice, in line {_line(parts[name])} too; expected it once")
            else:
                parts[name] = value
        return parts

    def trigger(self, node: yaml.Node | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if node is None:
            return (), ()
        if not isinstance(node, yaml.MappingNode):
            self.note(_line(node), f"'trigger': expected {_EXPECTED['trigger']}, found {_found(node)}")
            return (), ()
        parts = self.mapping(node, _TRIGGER_KEYS)
        words, examples = (self.texts(name, parts.get(name)) for name in _TRIGGER_KEYS)
        if not any(isinstance(part, yaml.Node) and part.value for part in parts.values()):
            self.note(_line(node), "'trigger' has nothing to be found by; expected words, or examples, or both")
        items = parts["words"].value if "words" in parts and words else ()
        for item in items:
            if isinstance(item, yaml.ScalarNode) and item.value.strip():
                if not _SAYS_SOMETHING.search(item.value):
                    self.note(_line(item), f"the trigger word {item.value!r} has no letter and no digit to be found by")
                elif len(item.value) > _LONG_WORD:
                    self.note(_line(item), f"a trigger word has at most {_LONG_WORD} characters; put it in examples")
        return words, examples

    def id(self, node: yaml.Node | None) -> str:
        text = self.text("id", node)
        if text and node is not None and not _ID.fullmatch(text):
            self.note(_line(node), f"'id': expected {_EXPECTED['id']}, found {text!r}")
        return text

    def text(self, name: str, node: yaml.Node | None) -> str:
        """A text on one line; empty when there is none, with the problem noted."""
        if node is None:
            return ""
        if not isinstance(node, yaml.ScalarNode) or node.tag != _STR:
            self.note(_line(node), f"'{name}': expected a text, found {_found(node)}{_hint(node)}")
            return ""
        if not (text := " ".join(clean(node.value).split())):
            self.note(_line(node), f"'{name}': expected a text, found a blank one")
        return text

    def texts(self, name: str, node: yaml.Node | None, *, least: int = 0) -> tuple[str, ...]:
        """A list of texts, each once."""
        if node is None:
            return ()
        if not isinstance(node, yaml.SequenceNode):
            self.note(_line(node), f"'{name}': expected a list of texts ('- ...' lines), found {_found(node)}")
            return ()
        if len(node.value) < least:
            self.note(_line(node), f"'{name}' is empty; expected {_EXPECTED[name]}")
        return tuple(dict.fromkeys(filter(None, (self.text(name, item) for item in node.value))))


_EXPECTED: Final = {
    "id": "a name of up to 64 letters, digits, '-', '_' and '.'",
    "description": "a text: what the skill is for",
    "trigger": "a mapping with words, or examples, or both",
    "steps": "a list of texts, at least one: what to do, in order",
}


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _found(node: yaml.Node) -> str:
    if isinstance(node, yaml.ScalarNode):
        shown = node.value if len(node.value) <= 40 else node.value[:39] + "…"
        return _SCALARS.get(node.tag, "a {!r} with a tag").format(shown)
    return "a mapping" if isinstance(node, yaml.MappingNode) else "a list"


def _hint(node: yaml.Node) -> str:
    """What usually is behind a text that is none."""
    if isinstance(node, yaml.MappingNode):
        return "; a text with ': ' in it needs quotes"
    if isinstance(node, yaml.ScalarNode) and node.tag in _SCALARS and node.value:
        return "; put it in quotes"
    return ""
