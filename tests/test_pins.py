"""No lock file, no download address: pins are names and versions."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
ADDRESS = re.compile("|".join(["index" + "-url", r"files\.python" + "hosted", r"https?://[^ ]*\.whl"]))


def test_no_file_of_the_project_records_where_packages_come_from():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    names = [n for n in listed if n and n != "tests/test_pins.py"]
    assert not [n for n in names if re.search(r"(uv|poetry|pdm|package-lock)\.(lock|json)$", n)]
    texts = {n: (ROOT / n).read_text(encoding="utf-8", errors="ignore") for n in names if (ROOT / n).is_file()}
    assert [n for n, text in texts.items() if ADDRESS.search(text)] == []
