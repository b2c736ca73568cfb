from collections import Counter

import pytest

from evals.token_counts import read_counts, recount
from memory.tokens import estimate_tokens

COUNTS = read_counts()
KINDS = ["zh", "en", "mixed", "code", "emoji"]


def test_there_are_enough_messages_and_half_were_not_used_in_fitting():
    assert len({row["text"] for row in COUNTS}) == len(COUNTS) >= 200
    assert sum(not row["tuning"] for row in COUNTS) * 2 >= len(COUNTS)
    assert min(row["tokens"] for row in COUNTS) >= 20
    assert min(Counter((row["kind"], row["tuning"]) for row in COUNTS).values()) >= 12


def test_the_committed_counts_are_those_of_the_tokenizer():
    assert recount() == COUNTS


@pytest.mark.parametrize("tuning", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_never_under_by_more_than_5_percent_nor_over_by_more_than_25(kind, tuning):
    off = {
        row["text"]: (row["tokens"], estimate_tokens(row["text"]))
        for row in COUNTS
        if (row["kind"], row["tuning"]) == (kind, tuning)
        and not 0.95 * row["tokens"] <= estimate_tokens(row["text"]) <= 1.25 * row["tokens"]
    }
    assert off == {}
