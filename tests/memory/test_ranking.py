from datetime import UTC, datetime, timedelta

from memory.ranking import Candidate, Weights, rank, recency
from memory.record import Memory

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def candidate(name, dense, bm25, near=(), days=0.0, importance=0.5):
    said_at = NOW - timedelta(days=days)
    memory = Memory(
        id=name, user_id="u", kind="episode", text=name, near=tuple(near), said_at=said_at, importance=importance
    )
    return Candidate(memory, dense, bm25)


def order(candidates, **options):
    return [s.memory.id for s in rank(candidates, threshold=0.2, now=NOW, **options)]


def test_both_legs_count():
    found = [candidate("words", 0.1, 9.0), candidate("both", 0.8, 6.0), candidate("meaning", 0.7, 0.0)]
    assert order(found) == ["both", "words", "meaning"]


def test_what_neither_leg_scores_is_left_out():
    assert order([candidate("yes", 0.5, 1.0), candidate("no", 0.1, 0.0), candidate("none", None, None)]) == ["yes"]


def test_when_nothing_reaches_the_threshold_and_no_word_is_shared_nothing_is_relevant():
    assert order([candidate("near miss", 0.19, 0.0)]) == []
    assert order([candidate("at it", 0.2, 0.0), candidate("near miss", 0.19, 0.0)]) == ["at it", "near miss"]


def test_a_neighbour_lends_to_what_stands_beside_it():
    apart = [candidate("alone", 0.3, 1.0), candidate("best", 0.9, 9.0)]
    assert order([candidate("beside", 0.3, 1.0, near=["best"]), *apart]) == ["best", "beside", "alone"]


def test_the_strategies_order_by_their_one_signal():
    old_words, new_meaning = candidate("words", 0.3, 9.0, days=300, importance=0.9), candidate("meaning", 0.9, 1.0)
    found = [old_words, new_meaning]
    assert order(found, strategy="lexical") == ["words", "meaning"]
    assert order(found, strategy="semantic") == ["meaning", "words"]
    assert order(found, strategy="recency") == ["meaning", "words"]
    assert order(found, strategy="importance") == ["words", "meaning"]


def test_every_result_says_why():
    (best, other) = rank(
        [candidate("a", 0.9, 3.0), candidate("b", 0.1, 1.0, near=["a"])], threshold=0.2, now=NOW, weights=Weights()
    )
    around = "its neighbours in the conversation match"
    assert best.reason == f"shares words (BM25 3.00); cosine 0.90 in meaning; {around}"
    assert other.reason == f"shares words (BM25 1.00); {around}"
    assert set(best.signals) == {"lexical", "semantic", "neighbours", "recency", "importance"}


def test_recency_halves_with_each_half_life_and_is_even_for_unknown_times():
    memory = candidate("m", 0, 0, days=30).memory
    assert round(recency(memory, NOW, 30.0), 6) == 0.5
    assert recency(Memory(id="x", user_id="u", kind="fact", text=""), NOW, 30.0) == 0.5
