"""The `palimpsest` command. Exit codes: 0 done, 1 could not, 2 wrong usage."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.text import Text

from cli import bench, check, memory, skills, threads
from cli.chat import chat
from cli.common import Folder
from cli.dev import dev
from cli.doctor import doctor
from cli.output import err
from graph.models import ModelNotConfigured
from stores.errors import PalimpsestError

app = typer.Typer(
    help="A LangGraph agent whose long-term memory is never overwritten, only written over.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command()(chat)
app.add_typer(memory.app, name="memory")
app.add_typer(threads.app, name="threads")
app.add_typer(skills.app, name="skills")
app.add_typer(bench.app, name="bench")
app.add_typer(check.app, name="check")
app.command()(dev)
app.command()(doctor)


@app.callback()
def options(
    data_dir: Annotated[
        Path | None, typer.Option("--data-dir", help="The data folder; else PALIMPSEST_DATA_DIR, else ./data.")
    ] = None,
) -> None:
    """Options of every command."""
    Folder.path = data_dir


def run() -> None:
    """Run the command line; what our own errors say is printed as it is, without a traceback."""
    try:
        app()
    except (PalimpsestError, ModelNotConfigured) as error:
        _end(str(error))
    except ValidationError as error:
        first = error.errors()[0]
        name = "PALIMPSEST_" + "_".join(str(p) for p in first["loc"]).upper()
        _end(f"The setting {name} cannot be used: {first['msg']}. Nothing was changed.")
    except PermissionError as error:
        what = error.filename or "A file of the data folder"
        _end(f"{what} may not be opened ({error.strerror}). Nothing was changed.")
    except BrokenPipeError:
        # The reader of a pipe went away; say nothing more, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _end(sentence: str) -> None:
    err.print(Text(sentence))
    sys.exit(1)
