import io
import json
import os
import sys
from types import SimpleNamespace

import pytest

from cli.common import Folder
from cli.main import run
from cli.output import out


class Palimpsest:
    """The `palimpsest` command on a folder of its own: in this process by a call, or by `CODE` in one of its own."""

    def __init__(self, folder, monkeypatch, capsys):
        self.folder = folder
        self.monkeypatch = monkeypatch
        self.capsys = capsys

    def __call__(self, *args, given="", code=0):
        for name, value in self.env().items():
            self.monkeypatch.setenv(name, value)
        self.monkeypatch.setattr(sys, "argv", ["palimpsest", *args])
        self.monkeypatch.setattr(sys, "stdin", io.StringIO(given))
        self.monkeypatch.setattr(Folder, "path", None)
        # A console takes its width from the environment when it is made, long before a test sets it.
        self.monkeypatch.setattr(out, "width", 200)
        self.capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            run()
        done = self.capsys.readouterr()
        assert (ended.value.code or 0) == code, done.out + done.err
        return SimpleNamespace(stdout=done.out, stderr=done.err)

    CODE = "from cli.main import run; run()"

    def env(self):
        return {
            "PATH": os.environ["PATH"],
            "PALIMPSEST_DATA_DIR": str(self.folder),
            "PYTHONUTF8": "1",
            "COLUMNS": "200",
        }

    def json(self, *args, **options):
        return json.loads(self(*args, "--json", **options).stdout)


@pytest.fixture
def palimpsest(tmp_path, monkeypatch, capsys):
    return Palimpsest(tmp_path / "data", monkeypatch, capsys)
