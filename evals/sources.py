"""Where question sets come from: a folder of our own form, or one file as LoCoMo or LongMemEval publish it."""

from __future__ import annotations

import json
from pathlib import Path

from evals import datasets, locomo, longmemeval
from stores.errors import BadInput

_FORMS = (locomo, longmemeval)


def load(path: Path) -> list[datasets.Dataset]:
    """The sets of a folder, or the one of a file, named after it. Raises `BadInput` for anything else."""
    if not path.is_file():
        return datasets.load(path)
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read ({error}).") from error
    except json.JSONDecodeError as error:
        raise BadInput(f"{path}, line {error.lineno}: not JSON ({error.msg}).") from error
    for form in _FORMS:
        if isinstance(rows, list) and rows and form.reads(rows):
            return [form.read(path.stem, rows, str(path))]
    raise BadInput(
        f"{path} is neither LoCoMo's file (a list of objects with a conversation) nor LongMemEval's (with "
        "haystack_sessions)."
    )
