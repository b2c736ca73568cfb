"""The public names of each package are the ones that the docs list, and the README's examples run."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LISTED = {
    heading: re.findall(r"^\| `(\w+)` \|", body, re.MULTILINE)
    for heading, body in re.findall(
        r"^## `(\w+)`\n(.*?)(?=^## |\Z)", (ROOT / "docs/api.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
}


@pytest.mark.parametrize("package", ["graph", "memory", "nodes", "stores"])
def test_a_package_s_surface_is_what_the_docs_list(package):
    module = importlib.import_module(package)
    assert sorted(module.__all__) == sorted(LISTED[package])
    assert all(getattr(module, name).__doc__ or isinstance(getattr(module, name), type) for name in module.__all__)


@pytest.mark.parametrize("readme", ["README.md", "README.zh.md"])
def test_the_readme_example_runs_and_remembers(readme, tmp_path, monkeypatch, capsys):
    text = (ROOT / readme).read_text(encoding="utf-8")
    (example,) = re.findall(r"<!-- test: readme_example -->\n```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(example, readme, "exec"), {})
    printed = capsys.readouterr().out
    assert "花生" in printed
    assert "because" in printed


@pytest.mark.parametrize("command", ["make chat", "make test", "pip install", "palimpsest doctor"])
def test_both_readmes_name_the_same_commands(command):
    for readme in ("README.md", "README.zh.md"):
        assert command in (ROOT / readme).read_text(encoding="utf-8")
