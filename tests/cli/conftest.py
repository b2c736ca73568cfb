import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


class Palimpsest:
    """The `palimpsest` command as a real process on a folder of its own."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, *args, given=None, code=0):
        done = subprocess.run(
            self.command(*args), input=given, env=self.env(), cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done

    def command(self, *args):
        return [sys.executable, "-c", "from cli.main import run; run()", *args]

    def env(self):
        return {"PATH": os.environ["PATH"], "PALIMPSEST_DATA_DIR": str(self.folder), "PYTHONUTF8": "1", "COLUMNS": "200"}

    def json(self, *args, **options):
        return json.loads(self(*args, "--json", **options).stdout)


@pytest.fixture
def palimpsest(tmp_path):
    return Palimpsest(tmp_path / "data")
