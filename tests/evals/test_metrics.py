import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.metrics import Hit, interval, places, score, summarise


def hits(*items: str, tokens: int = 10) -> list[Hit]:
    return [Hit((item,), tokens) for item in items]


def test_an_item_stands_at_the_best_place_of_the_memories_that_stand_for_it() -> None:
    assert places([Hit(("a", "b")), Hit(("b",)), Hit(()), Hit(("c", "a"))]) == {"a": 1, "b": 1, "c": 4}


def test_scores_of_two_gold_items_at_places_two_and_seven() -> None:
    assert score(hits("x", "a", "y", "z", "u", "v", "b"), ["a", "b"]) == pytest.approx(
        {
            "R@5": 0.5,
            "R@10": 1.0,
            "H@5": 1.0,
            "H@10": 1.0,
            "A@10": 1.0,
            "MRR": 0.5,
            # (1/log2(3) + 1/log2(8)) / (1/log2(2) + 1/log2(3))
            "nDCG@10": (0.6309298 + 0.3333333) / 1.6309298,
            "gold_in_1024": 1.0,
        }
    )


def test_scores_when_a_gold_item_is_not_recalled_and_when_none_is() -> None:
    half = score(hits("a"), ["a", "b"])
    assert (half["R@10"], half["A@10"], half["MRR"]) == (0.5, 0.0, 1.0)
    assert half["nDCG@10"] == pytest.approx(1 / 1.6309298)
    assert set(score(hits("x", "y"), ["a"]).values()) == {0.0}
    assert set(score([], ["a"]).values()) == {0.0}


def test_places_beyond_ten_count_for_mrr_alone() -> None:
    late = score(hits(*"0123456789", "a"), ["a"])
    assert late.pop("MRR") == pytest.approx(1 / 11)
    assert late.pop("gold_in_1024") == 1.0
    assert set(late.values()) == {0.0}


def test_several_memories_of_one_item_count_once() -> None:
    assert score(hits("a", "a", "a", "x", "x", "b"), ["a", "b"])["R@5"] == 0.5


def test_one_memory_of_several_gold_items_is_no_better_than_ideal() -> None:
    assert score([Hit(("a", "b", "c"))], ["a", "b", "c"])["nDCG@10"] == 1.0


def test_gold_counts_inside_the_first_1024_tokens_only_when_its_text_ends_there() -> None:
    recalled = [Hit(("a",), 1000), Hit(("b",), 24), Hit(("c",), 1), Hit(("d",), 0)]
    assert score(recalled, ["a", "b", "c", "d"])["gold_in_1024"] == 0.5
    assert score([Hit(("a",), 1025), Hit(("b",), 1)], ["b"])["gold_in_1024"] == 0.0


@pytest.mark.parametrize(
    ("recalled", "before", "first"),
    [
        ("ns", 1.0, 1.0),
        ("sn", 0.0, 0.0),
        ("xns", 1.0, 0.0),
        ("xn", 1.0, 0.0),
        ("s", 0.0, 0.0),
        ("x", 0.0, 0.0),
        ("ons", 0.0, 0.0),
    ],
)
def test_the_current_item_stands_before_every_stale_one(recalled: str, before: float, first: float) -> None:
    got = score(hits(*recalled), ["n"], ["s", "o"])
    assert (got["current_before_stale"], got["current_first"]) == (before, first)


def test_one_memory_of_the_current_and_the_stale_item_does_not_put_one_before_the_other() -> None:
    got = score([Hit(("n", "s"))], ["n"], ["s"])
    assert (got["current_before_stale"], got["current_first"]) == (0.0, 1.0)


def test_a_question_without_gold_is_refused() -> None:
    with pytest.raises(ValueError, match="without gold"):
        score([], [])


def test_the_interval_of_equal_values_is_a_point_and_of_none_an_error() -> None:
    assert interval([0.25] * 7) == {"value": 0.25, "low": 0.25, "high": 0.25}
    with pytest.raises(ValueError, match="no values"):
        interval([])


def test_the_interval_is_the_same_each_time_and_near_the_normal_one() -> None:
    values = [1.0] * 300 + [0.0] * 100
    got = interval(values)
    assert got == interval(values)
    half = 1.96 * math.sqrt(0.75 * 0.25 / 400)
    assert (got["value"], got["low"], got["high"]) == pytest.approx((0.75, 0.75 - half, 0.75 + half), abs=0.006)


def test_a_summary_averages_each_measure_over_the_questions_that_have_it() -> None:
    got = summarise([{"R@5": 1.0}, {"R@5": 0.0, "current_first": 1.0}])
    assert {name: one["value"] for name, one in got.items()} == {"R@5": 0.5, "current_first": 1.0}
    assert summarise([]) == {}


RECALLED = st.lists(st.lists(st.sampled_from("abcdef"), max_size=3), max_size=14)


@settings(max_examples=100)
@given(RECALLED, st.sets(st.sampled_from("abc"), min_size=1))
def test_every_score_lies_between_none_and_all_and_grows_with_k(recalled: list[list[str]], gold: set[str]) -> None:
    got = score([Hit(tuple(items), 100) for items in recalled], gold, ["f"])
    assert all(0 <= value <= 1 for value in got.values())
    assert got["R@5"] <= got["R@10"] <= got["H@10"]
    assert got["A@10"] <= got["R@10"]
