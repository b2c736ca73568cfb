"""Forgetting: strengths come from base values and times, and however often one sweeps, the same is left."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.forgetting import DAY, Forgetting, Trace, due, fades, matters, needs_confirming, plan, strength
from memory.record import OPEN

RULES = Forgetting()


def trace(name="a", **changes):
    return replace(Trace(name, "fact", 0.5, said=0), **changes)


def ended(traces, day, rules=RULES):
    return [(e.trace.id, e.why, e.standing) for e in plan(traces, round(day * DAY), rules)]


@pytest.mark.parametrize(("days", "left"), [(0, 0.8), (30, 0.4), (60, 0.2), (90, 0.1)])
def test_strength_halves_with_every_half_life_since_the_last_use(days, left):
    assert strength(trace(importance=0.8), days * DAY, RULES) == pytest.approx(left)
    assert strength(trace(importance=0.8, used=7 * DAY), (7 + days) * DAY, RULES) == pytest.approx(left)


def test_what_was_never_used_leaves_at_its_age():
    (ending,) = plan([trace()], 90 * DAY, RULES)
    assert (ending.why, ending.reason) == ("unused", "never used in the 90 days since 1970-01-01")
    assert ended([trace()], 89.9) == []


def test_what_was_used_leaves_when_it_falls_below_the_floor():
    used = trace(importance=0.6, used=100 * DAY)
    assert strength(used, fades(used, RULES), RULES) == pytest.approx(0.1)
    assert ended([used], 177) == []
    assert ended([used], 178) == [("a", "faded", "expired")]


@given(st.floats(0, 1), st.integers(0, 400))
def test_a_use_never_shortens_a_life(importance, day):
    assert fades(trace(importance=importance, used=day * DAY), RULES) >= fades(trace(importance=importance), RULES)


def test_a_fact_that_matters_stays_and_is_to_be_confirmed_instead():
    allergy = trace(importance=0.9, attribute="allergy")
    assert matters(allergy, RULES)
    assert ended([allergy], 5000) == []
    assert [needs_confirming(allergy, d * DAY, RULES) for d in (89, 90)] == [False, True]
    assert not needs_confirming(replace(allergy, used=80 * DAY), 90 * DAY, RULES)
    assert not needs_confirming(trace(attribute="likes"), 5000 * DAY, RULES)


def test_what_does_not_change_is_never_doubted():
    assert not needs_confirming(trace(importance=0.95, attribute="name"), 5000 * DAY, RULES)


def test_a_message_never_matters_so_much_that_it_stays_for_ever():
    assert ended([trace(kind="episode", importance=1.0)], 90) == [("a", "unused", "expired")]


def test_what_ran_out_ends_however_important_it_is():
    plan_tomorrow = trace(importance=0.9, expires=2 * DAY)
    assert due(plan_tomorrow, RULES) == 2 * DAY
    assert ended([plan_tomorrow], 1.9) == []
    assert ended([plan_tomorrow], 2) == [("a", "expired", "expired")]


def test_of_what_says_the_same_the_one_that_lasts_longest_stays():
    same = [trace("a", says="x"), trace("b", says="x", said=DAY), trace("c", says="y"), trace("d"), trace("e")]
    assert ended(same, 2) == [("a", "merged", "superseded")]
    assert [e.kept for e in plan(same, 2 * DAY, RULES)] == ["b"]
    # What is due itself does not come back with what becomes of the other.
    late = plan(same, round(RULES.age_days * DAY), RULES)
    assert [(e.why, e.kept) for e in late if e.trace.id == "a"] == [("merged", None)]


def test_beyond_the_capacity_the_weakest_leave_and_those_that_matter_last():
    few = replace(RULES, capacity=2)
    four = [
        trace("matters", importance=0.7),
        trace("used", used=9 * DAY),
        trace("weak"),
        trace("strong", importance=0.6),
    ]
    assert ended(four, 9, few) == [("strong", "capacity", "expired"), ("weak", "capacity", "expired")]


def test_the_capacity_is_judged_as_of_when_memory_last_grew():
    few = replace(RULES, capacity=1)
    two = [trace("a", importance=0.4, said=60 * DAY), trace("b", expires=61 * DAY, said=60 * DAY)]
    assert ended(two, 60, few) == [("a", "capacity", "expired")]
    assert ended(two, 61, few) == [("a", "capacity", "expired"), ("b", "expired", "expired")]


traces = st.builds(
    Trace,
    id=st.uuids().map(str),
    kind=st.sampled_from(("fact", "episode", "summary", "lesson")),
    importance=st.sampled_from((0.0, 0.05, 0.3, 0.5, 0.7, 0.95)),
    said=st.integers(0, 120 * DAY),
    used=st.none() | st.integers(0, 120 * DAY),
    expires=st.none() | st.integers(0, 400 * DAY),
    says=st.none() | st.sampled_from("xyz"),
)


def swept(traces, moments, rules):
    """What is left after sweeps at these moments, and how the rest ended.

    Whom a duplicate hangs on is left out: swept late enough it is due itself, swept earlier it would be at the next.
    """
    how = {}
    for now in moments:
        found = {e.trace.id: e for e in plan(traces, now, rules)}
        how |= {i: (e.why, e.reason) for i, e in found.items()}
        traces = [t for t in traces if t.id not in found]
    return sorted(t.id for t in traces), how


@settings(max_examples=300)
@given(
    st.lists(traces, max_size=12, unique_by=lambda t: t.id),
    st.lists(st.integers(120 * DAY, 500 * DAY), min_size=1, max_size=6),
    st.integers(1, 12),
)
def test_sweeping_at_any_times_leaves_the_same_as_sweeping_once_at_the_end(some, moments, capacity):
    rules = replace(RULES, capacity=capacity)
    assert swept(some, sorted(moments), rules) == swept(some, [max(moments)], rules)


@given(st.lists(traces, max_size=12, unique_by=lambda t: t.id), st.integers(0, 500 * DAY))
def test_sweeping_twice_ends_nothing_more(some, now):
    left, _ = swept(some, [now], RULES)
    assert plan([t for t in some if t.id in left], now, RULES) == []


@given(st.lists(traces, max_size=12, unique_by=lambda t: t.id))
def test_nothing_leaves_before_it_is_due_but_duplicates_and_the_weakest(some):
    for ending in plan(some, 300 * DAY, RULES):
        assert ending.why == "merged" or due(ending.trace, RULES) <= 300 * DAY < OPEN
