"""The true token counts that the estimate is held to: `python -m evals.token_counts` makes them anew.

`evals/data/token_counts.jsonl` has messages of twenty tokens and more, each with its kind (zh, en, mixed, code, emoji),
its count by OpenAI's `o200k_base`, and whether the estimate was fitted on it. The tokenizer is `quicktok-v1`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "data" / "token_counts.jsonl"


def read_counts() -> list[dict[str, Any]]:
    """The messages with their counts as committed: `kind`, `tokens`, `tuning`, `text`."""
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def recount() -> list[dict[str, Any]]:
    """The same messages, counted now. Needs the extra `tokenizer`."""
    import quicktok

    tokenizer = quicktok.get_encoding("o200k_base")
    return [{**row, "tokens": len(tokenizer.encode_ordinary(row["text"]))} for row in read_counts()]


if __name__ == "__main__":
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in recount()]
    FILE.write_text("".join(lines), encoding="utf-8")
