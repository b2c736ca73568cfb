import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.window import Line
from memory.window_strategy import FAR, leaving, order_of


def talk(turns, tokens=10):
    return [Line(f"{role[0]}{i}", role, "", tokens) for i in range(turns) for role in ("human", "ai")]


@pytest.mark.parametrize(
    ("strategy", "order"),
    [("window", "newest"), ("priority", "priority"), ("summary", "newest"), ("hybrid", "priority")],
)
def test_what_comes_first_while_not_all_fits(strategy, order):
    assert order_of(strategy) == order


@pytest.mark.parametrize(
    ("strategy", "sizes"),
    [
        ("window", [0, 0, 0, 0]),
        ("priority", [0, 0, 0, 0]),
        ("summary", [0, 10, 14, 28]),
        ("hybrid", [0, 0, 14, 28]),
    ],
)
def test_when_a_summary_is_made_and_how_much_leaves(strategy, sizes):
    # 200 fits, 220 is a little too much, 260 is far too much; 120 of 200 tokens stay.
    assert [len(leaving(talk(turns), 200, 200, strategy)) for turns in (10, 11, 13, 20)] == sizes


def test_what_leaves_is_oldest_and_ends_before_a_human_message():
    assert [line.id for line in leaving(talk(13), 200, 200, "hybrid")][-2:] == ["h6", "a6"]


def test_the_last_question_never_leaves_however_small_the_room():
    lines = [*talk(3), Line("q", "human", "x" * 900, 900)]
    assert leaving(lines, 10, 200, "summary") == lines[:-1]
    assert leaving(lines[-1:], 10, 200, "summary") == []


def test_without_a_human_message_the_last_one_stays():
    lines = [Line(name, "ai", "", 100) for name in "abc"]
    assert leaving(lines, 50, 200, "summary") == lines[:-1]


@settings(max_examples=100)
@given(
    st.lists(st.tuples(st.sampled_from(["human", "ai"]), st.integers(1, 60)), min_size=1, max_size=20),
    st.integers(0, 400),
    st.sampled_from(["window", "priority", "summary", "hybrid"]),
)
def test_what_leaves_is_a_beginning_and_makes_room(spoken, room, strategy):
    lines = [Line(str(i), role, "", tokens) for i, (role, tokens) in enumerate(spoken)]
    gone = leaving(lines, room, 200, strategy)
    assert gone == lines[: len(gone)]
    assert len(gone) < len(lines)
    if gone:
        assert sum(line.tokens for line in lines) > room * (FAR if strategy == "hybrid" else 1)
