"""The notebooks run from top to bottom, ask nothing outside this machine, and say what their committed outputs say.

Run as a script (`make notebook`), this file executes them and writes the outputs that are committed.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_notebook

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
OURS = ("PALIMPSEST_", "OPENAI_", "LANGSMITH_", "LANGCHAIN_")

# IPython passes over what a picture of an object raises, so a refusal alone would not be seen.
GUARD = """
import sys

refused = []


def refuse(event, args):
    if event == "socket.getaddrinfo":
        host = args[0]
    elif event == "socket.connect" and isinstance(args[1], tuple):
        host = args[1][0]
    else:
        return
    if host not in (None, "", "localhost", "127.0.0.1", "::1"):
        refused.append(host)
        raise OSError(f"a notebook asked for {host}")


sys.addaudithook(refuse)
"""
VERDICT = "assert not refused, refused"


def executed(notebook, folder):
    """A copy of a notebook, run in a kernel of its own that knows no configuration and reaches no other machine."""
    copy = nbformat.from_dict({**notebook, "cells": [dict(cell) for cell in notebook.cells]})
    copy.cells = [new_code_cell(GUARD), *copy.cells, new_code_cell(VERDICT)]
    env = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    env |= {"PYTHONPATH": str(ROOT), "IPYTHONDIR": str(folder)}
    quiet = ["--IPKernelApp.log_level=ERROR"]  # that it listens on this machine is meant
    client = NotebookClient(copy, kernel_name="python3", timeout=120, record_timing=False, extra_arguments=quiet)
    client.execute(cwd=str(folder), env=env)
    copy.cells = copy.cells[1:-1]
    for count, cell in enumerate(code_of(copy), 1):
        cell.execution_count = count
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count
    return copy


def code_of(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def said(notebook):
    """What each cell printed: its lines in any order (what is equally important has none), days as one."""
    printed = ["".join(o.text for o in cell.outputs if o.output_type == "stream") for cell in code_of(notebook)]
    return [sorted(re.sub(r"\d{4}-\d\d-\d\d", "<day>", text).splitlines()) for text in printed]


def shapes(notebook):
    """In what forms each cell's result is shown."""
    return [[sorted(o.get("data", ())) for o in cell.outputs] for cell in code_of(notebook)]


def test_there_are_notebooks():
    assert [path.name for path in NOTEBOOKS][:1] == ["01_quickstart.ipynb"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_its_committed_outputs_are_what_it_says(path, tmp_path):
    committed = nbformat.read(path, as_version=4)
    ran = executed(committed, tmp_path)
    hint = "the committed outputs are old: run `make notebook`"
    assert said(ran) == said(committed), hint
    assert shapes(ran) == shapes(committed), hint


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_committed_notebook_is_whole_and_names_no_machine(path):
    committed = nbformat.read(path, as_version=4)
    nbformat.validate(committed)
    code = code_of(committed)
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell.outputs]
    assert {output.output_type for output in outputs} <= {"stream", "execute_result", "display_data"}
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []
    places = re.compile(rf"/tmp/|/home/|/root/|/Users/|site-packages|\\\\Users|{re.escape(str(ROOT))}")
    assert places.findall(path.read_text(encoding="utf-8")) == []
    assert any("assert " in cell.source for cell in code)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (
            "import socket\ntry:\n    socket.create_connection(('192.0.2.1', 80))\nexcept OSError:\n    pass",
            "192.0.2.1",
        ),
        ("from graph import build_graph\nbuild_graph()", "mermaid"),
        ("raise ValueError('told')", "told"),
    ],
    ids=["asks", "shows-a-bare-graph", "raises"],
)
def test_a_notebook_that_asks_another_machine_or_raises_does_not_pass(source, why, tmp_path):
    with pytest.raises(CellExecutionError, match=why):
        executed(new_notebook(cells=[new_code_cell(source)]), tmp_path)


def main():
    for path in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            ran = executed(nbformat.read(path, as_version=4), folder)
        # A kernel's own version changes from machine to machine, and says nothing about the notebook.
        ran.metadata.language_info = {"name": "python"}
        nbformat.write(ran, path)
        print(f"{path.relative_to(ROOT)}: {len(code_of(ran))} cells run")


if __name__ == "__main__":
    sys.exit(main())
