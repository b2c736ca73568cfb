"""`palimpsest skills ...`: the procedures in the folder of skills; only a person writes them, with an editor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from cli.common import AsJson, Folder
from cli.output import err, fail, out, show_json, show_table
from graph.agent import embedder_of, settings_for
from memory.skill_matching import Match
from memory.skills import Problem, Skill
from stores.skill_folder import Shelf, SkillFolder

app = typer.Typer(help="Procedures for requests of a kind: YAML files that you write.", no_args_is_help=True)

_Where = Annotated[
    Path | None, typer.Option("--skills", metavar="FOLDER", help="The folder; else PALIMPSEST_SKILLS, else ./skills.")
]


@app.command("list")
def list_(skills: _Where = None, as_json: AsJson = False) -> None:
    """List the skills, and what is wrong with their files."""
    folder, shelf = _read(skills)
    rows = [_row(skill) for skill in shelf.skills.values()]
    if as_json:
        show_json({"folder": str(folder.folder), "skills": rows, "problems": _rows(shelf.problems)})
        return
    shown = [{**row, "words": ", ".join(row["words"])} for row in rows]
    columns = {"id": "id", "description": "for", "words": "when one says", "file": "file"}
    show_table(shown, columns, f"There is no skill in {folder.folder}.")
    _tell(shelf.problems)


@app.command()
def check(skills: _Where = None, as_json: AsJson = False) -> None:
    """Say what is wrong with the files, by file and line; ends with 1 when anything is."""
    folder, shelf = _read(skills)
    if as_json:
        show_json({"folder": str(folder.folder), "skills": len(shelf.skills), "problems": _rows(shelf.problems)})
    else:
        for problem in shelf.problems:
            out.print(Text(str(problem)))
        count, wrong = len(shelf.skills), len(shelf.problems)
        said = f"{wrong} problem{'s' * (wrong != 1)}" if wrong else "no problem"
        out.print(Text(f"{count} skill{'s' * (count != 1)} can be used; {said}."))
    if shelf.problems:
        raise typer.Exit(1)


@app.command()
def match(
    text: Annotated[str, typer.Argument(help="What a person might say.")],
    skills: _Where = None,
    as_json: AsJson = False,
) -> None:
    """Show which skills a request calls for, and why: by words that it says, or by what it means."""
    if not text.strip():
        raise typer.BadParameter("say a request; `palimpsest skills list` shows every skill")
    embedder = embedder_of(settings_for(Folder.path))
    folder = SkillFolder(_folder(skills), embedder.embeddings, embedder.scale.threshold, warn=_nothing)
    found = [_why(m) for m in folder.match(text)]
    if as_json:
        show_json({"folder": str(folder.folder), "matches": found, "problems": _rows(folder.read().problems)})
        return
    show_table(found, {"id": "id", "reason": "why"}, "No skill is called for.")
    _tell(folder.read().problems)


def _folder(given: Path | None) -> Path:
    folder = given or settings_for(Folder.path).skills or Path("skills")
    if not folder.is_dir():
        fail(f"The folder of skills {folder} is not there. Nothing was changed; make it, or name another: --skills.")
    return folder


def _read(given: Path | None) -> tuple[SkillFolder, Shelf]:
    folder = SkillFolder(_folder(given), warn=_nothing)
    return folder, folder.read()


def _nothing(warning: str) -> None:
    """What a command prints by itself is not logged as well."""
    del warning


def _row(skill: Skill) -> dict[str, Any]:
    return {name: [*value] if isinstance(value, tuple) else value for name, value in skill.__dict__.items()}


def _rows(problems: tuple[Problem, ...]) -> list[dict[str, Any]]:
    return [problem.__dict__ for problem in problems]


def _why(found: Match) -> dict[str, Any]:
    said = {"words": [*found.words], "like": found.like, "cosine": found.cosine}
    return {"id": found.skill.id, "reason": found.reason, **said}


def _tell(problems: tuple[Problem, ...]) -> None:
    for problem in problems:
        err.print(Text(str(problem), style="yellow"))
