import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.tokens import estimate_tokens
from memory.window import Line, Window, choose_window, fit_chars, plan_context, shorten


def line(name, role, tokens=10, calls=(), answers=None, text=""):
    return Line(name, role, text, tokens, tuple(calls), answers)


def kept(lines, budget):
    return "".join(choose_window(lines, budget).kept)


TALK = [line("a", "human"), line("b", "ai"), line("c", "human"), line("d", "ai"), line("e", "human")]


@pytest.mark.parametrize(
    ("budget", "expected"),
    [(50, "abcde"), (49, "cde"), (30, "cde"), (29, "e"), (20, "e"), (10, "e"), (0, "e"), (-5, "e")],
)
def test_newest_first_from_a_human_line(budget, expected):
    assert kept(TALK, budget) == expected


def test_an_empty_conversation_is_an_empty_window():
    assert choose_window([], 100) == Window()


def test_kept_and_dropped_are_in_order():
    assert choose_window(TALK, 30) == Window(kept=("c", "d", "e"), dropped=("a", "b"), shortened={})


PARALLEL = [
    line("a", "human"),
    line("b", "ai", calls=["x", "y"]),
    line("c", "tool", answers="x"),
    line("d", "tool", answers="y"),
    line("e", "ai"),
]


@pytest.mark.parametrize(("budget", "expected"), [(50, "abcde"), (40, "ae"), (20, "ae"), (10, "a")])
def test_parallel_calls_stand_and_fall_with_their_results(budget, expected):
    assert kept(PARALLEL, budget) == expected


INTERLEAVED = [
    line("a", "human"),
    line("b", "ai", calls=["x"]),
    line("c", "human"),
    line("d", "ai", calls=["y"]),
    line("e", "tool", answers="x"),
    line("f", "tool", answers="y"),
]


@pytest.mark.parametrize(("budget", "expected"), [(60, "abcdef"), (50, "cdf"), (30, "cdf"), (20, "cdf")])
def test_interleaved_calls_stand_and_fall_with_their_results(budget, expected):
    assert kept(INTERLEAVED, budget) == expected


def test_the_exchange_of_the_running_turn_is_kept_whole():
    lines = [
        line("a", "human"),
        line("b", "ai"),
        line("c", "human"),
        line("d", "ai", calls=["x", "y"]),
        line("e", "tool", answers="x"),
    ]
    assert kept(lines, 30) == "cde"
    assert kept(lines[:4], 0) == "cd"


def test_older_exchanges_of_a_long_turn_go_first():
    lines = [line("q", "human")]
    for i in range(5):
        lines += [line(f"c{i}", "ai", calls=[f"x{i}"]), line(f"r{i}", "tool", answers=f"x{i}")]
    assert choose_window(lines, 55).kept == ("q", "c3", "r3", "c4", "r4")


def test_what_fits_no_exchange_is_dropped():
    lines = [
        line("a", "tool", answers="gone"),
        line("b", "human"),
        line("c", "ai", calls=["x"]),
        line("d", "human"),
        line("e", "ai"),
    ]
    assert choose_window(lines, 1000) == Window(kept=("b", "d", "e"), dropped=("a", "c"), broken=("a", "c"))


def test_a_call_id_used_again_belongs_to_its_latest_call():
    turn = [("human", (), None), ("ai", ("call_0",), None), ("tool", (), "call_0"), ("ai", (), None)]
    lines = [line(f"{n}{i}", role, 10, calls, answers) for n in "ab" for i, (role, calls, answers) in enumerate(turn)]
    assert choose_window(lines, 40).kept == ("b0", "b1", "b2", "b3")
    assert len(choose_window(lines, 80).kept) == 8


def test_system_lines_are_always_kept_and_charged():
    lines = [line("s", "system", 30), *TALK]
    assert [kept(lines, budget) for budget in (80, 79, 60, 40, 0)] == ["sabcde", "scde", "scde", "se", "se"]


def test_without_a_human_line_the_newest_are_kept():
    assert kept([line("a", "ai"), line("b", "ai"), line("c", "ai")], 20) == "bc"


@pytest.mark.parametrize(
    ("text", "mark"), [("why is the sky blue " * 500, "[shortened]"), ("天空为什么是蓝色的？" * 500, "〔已截短〕")]
)
def test_a_question_too_large_is_shortened_with_a_mark(text, mark):
    question = Line("q", "human", text, estimate_tokens(text) + 4)
    window = choose_window([line("a", "human"), line("b", "ai"), question], 200)
    assert (window.kept, window.dropped, set(window.shortened)) == (("q",), ("a", "b"), {"q"})
    short = shorten(text, window.shortened["q"])
    assert mark in short
    assert short.startswith(text[:50])
    assert short.endswith(text[-30:])
    assert 120 <= estimate_tokens(short) + 4 <= 200


def test_a_large_result_is_shortened_before_a_short_question():
    result = "status ok, 3 items left; " * 400
    lines = [
        Line("q", "human", "how many are left?", 9),
        line("c", "ai", 20, calls=["x"]),
        Line("r", "tool", result, 4000, (), "x"),
    ]
    window = choose_window(lines, 300)
    assert (window.kept, set(window.shortened)) == (("q", "c", "r"), {"r"})
    assert window.shortened["r"] < len(result)


def test_two_large_results_share_the_room():
    calls = Line("c", "ai", "", 20, ("x", "y"))
    texts = {name: f"result {name} " * 900 for name in "xy"}
    results = [Line(name, "tool", text, estimate_tokens(text) + 4, (), name) for name, text in texts.items()]
    window = choose_window([Line("q", "human", "compare them", 6), calls, *results], 300)
    sizes = [estimate_tokens(shorten(result.text, window.shortened[result.id])) for result in results]
    assert window.kept == ("q", "c", "x", "y")
    assert 200 <= sum(sizes) <= 300 - 26
    assert max(sizes) - min(sizes) < 30


@pytest.mark.parametrize(
    ("text", "chars", "expected"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdefghi", 6, "abcd … [shortened] … hi"),
        ("一二三四五六七八九", 6, "一二三四…〔已截短〕…八九"),
        ("abcdefghi", 2, "ab … [shortened] … "),
        ("abcdefghi", 0, " … [shortened] … "),
        ("", 0, ""),
    ],
)
def test_shorten(text, chars, expected):
    assert shorten(text, chars) == expected


def test_fit_chars_uses_the_counter_it_is_given():
    assert fit_chars("x" * 1000, 1000, len) == 1000
    assert 400 <= fit_chars("x" * 1000, 500, len) <= 500 - len(" … [shortened] … ")
    assert fit_chars("x" * 1000, -3, len) == 40


def plan(limit, reserve=0, system=0, tools=0, profile=0, recalled=0, summary=0, history=0, skills=0, turn=0):
    return plan_context(
        max_context_tokens=limit,
        reserve_output_tokens=reserve,
        system=system,
        tools=tools,
        profile=profile,
        recalled=recalled,
        summary=summary,
        history=history,
        skills=skills,
        turn=turn,
    )


def test_plan_gives_each_part_what_it_asks_when_there_is_room():
    assert list(plan(8000, 1000, 200, 300, 124, 900, 500, 2000, 300, 50).items()) == [
        ("reserved", 1000),
        ("system", 200),
        ("tools", 300),
        ("profile", 124),
        ("recalled", 900),
        ("summary", 500),
        ("skills", 300),
        ("history", 2000),
        ("free", 2676),
    ]


@pytest.mark.parametrize(
    ("profile", "recalled", "summary", "given"),
    [(400, 400, 400, (400, 100, 0)), (100, 300, 400, (100, 300, 100)), (900, 1, 1, (500, 0, 0))],
)
def test_plan_leaves_half_of_a_small_context_to_the_conversation_and_serves_the_others_in_order(
    profile, recalled, summary, given
):
    parts = plan(2000, 500, 300, 200, profile, recalled, summary, 9000)
    assert (parts["profile"], parts["recalled"], parts["summary"]) == given
    assert (parts["history"], parts["free"]) == (500, 0)


def test_skills_are_the_first_to_go_and_the_profile_is_the_last():
    wanted = {"profile": 100, "recalled": 200, "summary": 300, "skills": 250}
    whole = {
        part: min(limit for limit in range(3000) if plan(limit, **wanted, history=9000, turn=80)[part] == wanted[part])
        for part in wanted
    }
    assert whole == {"profile": 200, "recalled": 600, "summary": 1200, "skills": 1700}


def test_skills_leave_the_turn_itself_its_room_and_take_it_from_older_messages():
    assert [plan(1000, skills=400, history=5000, turn=turn)["skills"] for turn in (0, 700, 1000, 2000)] == [
        400,
        300,
        0,
        0,
    ]


def test_plan_says_by_how_much_the_fixed_parts_are_too_large():
    parts = plan(1000, 500, 600, 0, 10, 10, 10, 10)
    assert parts == {**dict.fromkeys(parts, 0), "reserved": 500, "system": 600, "free": -100}


def test_plan_refuses_negative_numbers():
    with pytest.raises(ValueError, match="negative"):
        plan(10, -1)


NUMBERS = st.integers(0, 5000)


@settings(max_examples=100)
@given(st.tuples(*[NUMBERS] * 10))
def test_a_plan_adds_up_and_gives_no_part_more_than_it_asks(numbers):
    limit, reserve, system, tools, *asked, turn = numbers
    parts = plan(*numbers)
    assert sum(parts.values()) == limit
    assert parts["free"] >= min(0, limit - reserve - system - tools)
    for part, most in zip(("profile", "recalled", "summary", "history", "skills"), asked, strict=True):
        assert 0 <= parts[part] <= most
    assert parts["skills"] == 0 or parts["history"] >= min(asked[3], turn)


# By priority


def by_priority(lines, budget):
    return "".join(choose_window(lines, budget, order="priority").kept)


def test_by_priority_a_person_s_words_outlast_answers_of_the_same_age_and_newer_ones():
    assert [by_priority(TALK, budget) for budget in (50, 40, 30, 20, 10)] == ["abcde", "acde", "ace", "ce", "e"]


def test_by_priority_failures_go_first_then_old_answers_then_old_results():
    lines = [
        line("a", "human"),
        line("b", "ai", calls=["x"]),
        Line("c", "tool", "", 10, (), "x", failed=True),
        line("d", "ai", calls=["y"]),
        line("e", "tool", answers="y"),
        line("f", "ai"),
        line("g", "human"),
    ]
    assert [by_priority(lines, budget) for budget in (70, 69, 49, 39, 19)] == ["abcdefg", "adefg", "adeg", "afg", "g"]


def test_by_priority_age_wins_in_the_end():
    lines = [
        line("old", "human"),
        *(line(f"h{i}", "human", 1) for i in range(20)),
        line("new", "ai"),
        line("q", "human", 1),
    ]
    assert "old" not in choose_window(lines, 31, order="priority").kept
    assert {"new", "q", "h0"} <= set(choose_window(lines, 31, order="priority").kept)


def test_by_priority_the_running_turn_comes_before_all_others():
    lines = [line("a", "human"), line("b", "human")]
    for i in range(3):
        lines += [line(f"c{i}", "ai", calls=[f"x{i}"]), Line(f"r{i}", "tool", "", 10, (), f"x{i}", failed=True)]
    assert choose_window(lines, 59, order="priority").kept == ("b", "c1", "r1", "c2", "r2")


@st.composite
def conversations(draw):
    """Messages in any order: exchanges whole, parallel, interleaved, cut off, orphaned, with ids used again."""
    lines = []
    for i in range(draw(st.integers(0, 14))):
        role = draw(st.sampled_from(["human", "ai", "ai", "tool", "tool", "system"]))
        calls = draw(st.lists(st.sampled_from("xyz"), max_size=2)) if role == "ai" else []
        answers = draw(st.sampled_from("xyzw")) if role == "tool" else None
        text = draw(st.sampled_from(["", "ok", "好的", "a long answer. " * 30, "很长的回答。" * 60]))
        lines.append(Line(f"m{i}", role, text, estimate_tokens(text) + 4 + 5 * len(calls), tuple(calls), answers))
    return lines


def calls_and_answers(lines):
    """For each calling line's name: its calls and the results that answer them, by the latest call before each."""
    latest: dict[str, str] = {}
    answered: dict[str, dict[str, list[str]]] = {}
    orphans = []
    for item in lines:
        for call in item.calls:
            latest[call] = item.id
            answered.setdefault(item.id, {})[call] = []
        if item.role == "tool":
            if item.answers in latest:
                answered[latest[item.answers]].setdefault(item.answers, []).append(item.id)
            else:
                orphans.append(item.id)
    return answered, orphans


@settings(max_examples=400)
@given(conversations(), st.integers(-10, 400), st.sampled_from(["newest", "priority"]))
def test_the_rules_of_the_window(lines, budget, order):
    window = choose_window(lines, budget, order=order)
    ids = [item.id for item in lines]
    by_id = {item.id: item for item in lines}
    position = {name: i for i, name in enumerate(ids)}
    keep = set(window.kept)

    # Every line is kept or dropped, in order.
    assert sorted(window.kept + window.dropped, key=ids.index) == ids
    assert list(window.kept) == [name for name in ids if name in keep]
    assert set(window.broken) <= set(window.dropped)

    # Whole exchanges only; unanswered calls only at the very end.
    answered, orphans = calls_and_answers(lines)
    assert not keep & set(orphans)
    for caller, results in answered.items():
        members = [caller, *(name for answers in results.values() for name in answers)]
        assert len(keep & set(members)) in (0, len(members))
        if caller in keep and not all(results.values()):
            assert {item.role for item in lines[position[caller] + 1 :]} <= {"tool"}

    # The last human line and every system line reach the model.
    humans = [item.id for item in lines if item.role == "human"]
    assert keep >= {item.id for item in lines if item.role == "system"} | set(humans[-1:])

    # The conversation starts at a human line where there is one.
    spoken = [name for name in window.kept if by_id[name].role != "system"]
    if humans:
        assert by_id[spoken[0]].role == "human"

    # Only the last human line and what came after it is shortened, by the characters said, and only for want of room.
    for name, chars in window.shortened.items():
        assert 0 < chars < len(by_id[name].text)
        assert not humans or position[name] >= position[humans[-1]]
    assert not window.shortened or sum(by_id[name].tokens for name in keep) > budget

    # Inside the budget, but for what cannot be cut.
    size = sum(
        by_id[name].tokens
        - (estimate_tokens(by_id[name].text) - estimate_tokens(shorten(by_id[name].text, window.shortened[name])))
        if name in window.shortened
        else by_id[name].tokens
        for name in keep
    )
    if size > budget:
        last = position[humans[-1]] if humans else 0
        assert all(by_id[name].role == "system" or position[name] >= last for name in keep)
        assert all(chars == 40 or estimate_tokens(by_id[name].text) > 0 for name, chars in window.shortened.items())


@settings(max_examples=150)
@given(conversations(), st.integers(0, 300), st.integers(0, 200))
def test_more_room_never_keeps_less(lines, budget, more):
    assert set(choose_window(lines, budget).kept) <= set(choose_window(lines, budget + more).kept)


@settings(max_examples=100)
@given(st.text(max_size=300), st.integers(0, 60))
def test_fit_chars_fits_or_is_at_its_least(text, tokens):
    chars = fit_chars(text, tokens)
    assert estimate_tokens(shorten(text, chars)) <= tokens or chars == min(40, len(text))
