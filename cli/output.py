"""What the commands share: consoles, tables, JSON, and one sentence for everything that can go wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Never

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def fail(sentence: str) -> Never:
    """Say what went wrong on standard error and end with exit code 1."""
    err.print(Text(sentence))
    raise typer.Exit(1)


def show_json(value: Any) -> None:
    """Print a value as JSON, one document, for a program to read."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def show_table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], empty: str) -> None:
    """Print rows as a table; `columns` maps a row's key to its heading. Without rows, say so."""
    if not rows:
        out.print(Text(empty, style="dim"))
        return
    table = Table(*columns.values(), header_style="bold", box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(Text(_cell(row.get(key))) for key in columns))
    out.print(table)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.2f}"
    return str(value)


def show_fields(fields: Iterable[tuple[str, Any]]) -> None:
    """Print names and values, one a line."""
    rows = [(name, value) for name, value in fields if value not in (None, "", [], ())]
    width = max((len(name) for name, _ in rows), default=0)
    for name, value in rows:
        out.print(Text(f"{name.ljust(width)}  ", style="dim") + Text(str(value)))


@contextmanager
def progress_bar(what: str, total: int) -> Iterator[Any]:
    """A progress bar on standard error, shown with the first step; yields a function that takes how many are done."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    progress = Progress(*columns, console=err)
    task = progress.add_task(what, total=total)

    def advance(n: int) -> None:
        progress.start()
        progress.advance(task, n)

    try:
        yield advance
    finally:
        if progress.live.is_started:
            progress.stop()


@contextmanager
def progress_bars() -> Iterator[Callable[[str, int, int], None]]:
    """A bar on standard error for each thing that is being done; yields a function: what, how much of it, of how much.

    Each bar is made by the first word of it.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err) as bars:
        tasks: dict[str, Any] = {}

        def progress(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done)

        yield progress


def show_json_line(value: Any) -> None:
    """Print a value as one line of JSON."""
    typer.echo(json.dumps(value, ensure_ascii=False))
