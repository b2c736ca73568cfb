"""Ranking as a whole, and its rules over any candidates: the scores come from the candidates and the question alone."""

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.question import read
from memory.ranking import Weights, rank
from memory.record import Memory
from memory.relevance import Scale
from memory.signals import Candidate, Found, recency

NOW = datetime(2026, 6, 1, tzinfo=UTC)
SCALE = Scale(threshold=0.2, floor=0.1)
ASKED = read("yes", NOW)


def candidate(name, dense, bm25, near=(), days=0.0, importance=0.5, text=None, speaker="user", **more):
    memory = Memory(
        id=name,
        user_id="u",
        kind=more.pop("kind", "episode"),
        text=text or name,
        near=tuple(near),
        said_at=NOW - timedelta(days=days),
        importance=importance,
        speaker=speaker,
        message_ids=more.pop("message_ids", (name,)),
        **more,
    )
    return Candidate(memory, dense, bm25)


def order(candidates, asked=ASKED, **options):
    return [s.memory.id for s in rank(candidates, asked, scale=SCALE, now=NOW, **options)]


def test_both_legs_count():
    found = [candidate("words", 0.12, 9.0), candidate("both", 0.8, 6.0), candidate("meaning", 0.7, 0.0)]
    assert order(found) == ["both", "meaning", "words"]


def test_what_neither_leg_scores_is_left_out():
    assert order([candidate("yes", 0.5, 1.0), candidate("no", 0.1, 0.0), candidate("none", None, None)]) == ["yes"]


def test_nothing_found_is_nothing_ranked():
    assert order([]) == []


def test_a_message_is_found_by_the_one_that_it_answers():
    apart = [candidate("alone", 0.3, 1.0), candidate("best", 0.9, 9.0, speaker="assistant")]
    assert order([candidate("beside", 0.3, 1.0, near=["best"]), *apart]) == ["best", "beside", "alone"]


def test_a_run_of_one_voice_lends_itself_nothing_where_others_speak_elsewhere():
    run = [candidate("first", 0.9, 9.0), candidate("second", 0.3, 1.0, near=["first"])]
    asked = [candidate("asked", 0.3, 1.0), candidate("told", 0.3, 1.0, near=["asked"], speaker="assistant")]
    found = Found([*run, *asked], ASKED, now=NOW, floor=0.0)
    assert found.beside == [(-1, -1, -1, -1), (-1, -1, -1, -1), (-1, -1, 3, -1), (2, -1, -1, -1)]


def test_notes_of_one_voice_lend_each_other_nothing():
    apart = [candidate("alone", 0.31, 1.0), candidate("best", 0.9, 9.0)]
    assert order([candidate("beside", 0.3, 1.0, near=["best"]), *apart]) == ["best", "alone", "beside"]


def test_the_strategies_order_by_their_one_signal():
    old_words, new_meaning = candidate("words", 0.3, 9.0, days=300, importance=0.9), candidate("meaning", 0.9, 1.0)
    found = [old_words, new_meaning]
    assert order(found, strategy="lexical") == ["words", "meaning"]
    assert order(found, strategy="semantic") == ["meaning", "words"]
    assert order(found, strategy="recency") == ["meaning", "words"]
    assert order(found, strategy="importance") == ["words", "meaning"]


def test_the_second_hop_finds_what_the_question_did_not_name():
    asked = read("那个喜欢下棋的人，身高有多少？", NOW)
    found = [
        candidate("who", 0.6, 8.0, text="我的表弟喜欢下棋。"),
        candidate("him", 0.3, 3.0, text="我的表弟身高172厘米。"),
        candidate("other", 0.3, 3.0, text="我的同事身高180厘米。"),
    ]
    assert order(found, asked) == ["who", "him", "other"]
    assert order(found, asked, weights=replace(Weights(), hop=0.0))[0] == "who"


def test_of_two_that_say_alike_the_newer_stands_first():
    texts = {"old": "My number is 5501.", "new": "My number is 7702."}
    found = [candidate(n, 0.7, 5.0, days=d, text=texts[n]) for n, d in (("old", 90), ("new", 2))]
    assert order(found, read("What is my number?", NOW)) == ["new", "old"]


@pytest.mark.parametrize(
    ("asked", "reasons"),
    [
        (
            "Where do I live?",
            [
                "shares words (BM25 3.00); cosine 0.90 in meaning",
                "shares words (BM25 1.00); its neighbours in the conversation match",
                "said before; something newer took its place; cosine 0.50 in meaning",
            ],
        ),
        (
            "我住在哪里？",
            [
                "有相同的词（BM25 3.00）；意思的余弦为 0.90",
                "有相同的词（BM25 1.00）；前后的话与问题相近",
                "以前说的，已有更新的取代；意思的余弦为 0.50",
            ],
        ),
    ],
)
def test_every_result_says_why_in_the_language_of_the_question(asked, reasons):
    found = [
        candidate("a", 0.9, 3.0, speaker="assistant"),
        candidate("b", 0.1, 1.0, near=["a"]),
        candidate("c", 0.5, 0.0, standing="superseded"),
    ]
    ranked = sorted(rank(found, read(asked, NOW), scale=SCALE, now=NOW), key=lambda s: s.memory.id)
    assert [s.reason for s in ranked] == reasons
    assert {frozenset(s.signals) for s in ranked} == {frozenset(field.name for field in fields(Weights))}


def test_a_score_is_the_signals_by_their_weights():
    found = [candidate("a", 0.9, 3.0, text="Anna: at last I found it"), candidate("b", 0.4, 1.0, text="Anna?", days=40)]
    for scored in rank(found, read("What did Anna find?", NOW), scale=SCALE, now=NOW):
        assert (
            abs(scored.score - sum(getattr(Weights(), name) * value for name, value in scored.signals.items())) < 1e-3
        )


def test_recency_halves_with_each_half_life_and_is_even_for_unknown_times():
    memory = candidate("m", 0, 0, days=30).memory
    assert round(recency(memory, NOW, 30.0), 6) == 0.5
    assert recency(Memory(id="x", user_id="u", kind="fact", text=""), NOW, 30.0) == 0.5


NAMES = [f"m{i}" for i in range(8)]
TEXTS = ["我喜欢喝茶", "Where is the tea?", "Anna: the tea is in the tin", "今天下雨了", "tin tea", "Bob: we went home"]


@st.composite
def pools(draw):
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=8, unique=True))
    return [
        candidate(
            name,
            draw(st.one_of(st.none(), st.floats(-0.2, 1))),
            draw(st.one_of(st.none(), st.floats(0, 20))),
            near=draw(st.lists(st.sampled_from(NAMES), max_size=2, unique=True)),
            days=draw(st.integers(0, 400)),
            text=draw(st.sampled_from(TEXTS)),
            speaker=draw(st.sampled_from(["user", "assistant", "Anna", "Bob"])),
            kind=draw(st.sampled_from(["episode", "fact"])),
        )
        for name in names
    ]


QUESTIONS = st.sampled_from(["Where is Anna's tea?", "茶在哪里", "What did I say last week?", "tin", "", "以前呢？"])


@settings(max_examples=80, deadline=None)
@given(pools(), QUESTIONS, st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_is_no_matter(pool, question, random):
    asked, shuffled = read(question, NOW), random.sample(pool, len(pool))
    assert rank(pool, asked, scale=SCALE, now=NOW) == rank(shuffled, asked, scale=SCALE, now=NOW)


@settings(max_examples=80, deadline=None)
@given(pools(), QUESTIONS, st.integers(1, 5))
def test_most_is_a_beginning_of_all(pool, question, most):
    asked = read(question, NOW)
    assert rank(pool, asked, scale=SCALE, now=NOW, most=most) == rank(pool, asked, scale=SCALE, now=NOW)[:most]


@settings(max_examples=80, deadline=None)
@given(pools(), QUESTIONS, st.sampled_from([f.name for f in fields(Weights) if f.name != "hop"]))
def test_more_weight_raises_what_has_more_of_the_signal(pool, question, name):
    """Of two candidates, the one with more of a signal gains on the other when that signal counts for more."""
    asked, weights = read(question, NOW), replace(Weights(), hop=0.0)
    more = replace(weights, **{name: getattr(weights, name) + 0.5})
    before, after = (
        {s.memory.id: s for s in rank(pool, asked, scale=SCALE, now=NOW, weights=w)} for w in (weights, more)
    )
    for one in after.values():
        for other in after.values():
            if one.signals[name] > other.signals[name] + 1e-3:
                gained = after[one.memory.id].score - before[one.memory.id].score
                assert gained > after[other.memory.id].score - before[other.memory.id].score


@settings(max_examples=60, deadline=None)
@given(pools(), st.floats(0.01, 5))
def test_a_larger_share_of_words_never_ranks_a_memory_lower(pool, more):
    """With one more word of the question in it, everything else the same, a memory does not fall."""
    asked = read("tea", NOW)
    order_before = order(pool, asked)
    if not order_before:
        return
    name = order_before[-1]
    best = max((c.bm25 or 0.0) for c in pool)
    raised = [c._replace(bm25=min(best, (c.bm25 or 0.0) + more)) if c.memory.id == name and best else c for c in pool]
    plain = replace(Weights(), hop=0.0)
    places = [
        order(p, asked, weights=plain).index(name) for p in (pool, raised) if name in order(p, asked, weights=plain)
    ]
    assert len(places) < 2 or places[1] <= places[0]


def of_whom(question):
    return read(question, NOW)


def test_what_tells_of_another_person_comes_behind():
    asked = of_whom("我堂弟有多高？")
    mine = candidate("mine", 0.5, 5.0, text="我堂弟身高176厘米")
    assert order([mine, candidate("other", 0.55, 5.5, text="我房东身高181厘米")], asked) == ["mine", "other"]
    asked = of_whom("How tall is my cousin?")
    mine = candidate("mine", 0.5, 5.0, text="My cousin is 176 cm")
    assert order([mine, candidate("other", 0.55, 5.5, text="My landlady is tall")], asked)[0] == "mine"


def test_the_last_that_was_told_of_what_is_asked_comes_first():
    asked = of_whom("Where does my roommate work?")
    old = candidate("old", 0.5, 9.0, days=90, text="My roommate's office is in Ghent")
    new = candidate("new", 0.45, 4.0, days=30, text="My roommate got transferred to Bruges")
    later = candidate("later", 0.45, 4.0, days=1, text="My roommate bakes")
    assert order([old, later, new], asked)[0] == "new"
    asked = of_whom("我室友在哪儿上班？")
    old = candidate("old", 0.5, 9.0, days=90, text="我室友在温州上班")
    new = candidate("new", 0.45, 4.0, days=30, text="我室友调到嘉兴了")
    assert order([old, new], asked) == ["new", "old"]


@pytest.mark.parametrize(
    ("asked", "told", "later"),
    [
        # An earlier question tells nothing, and the words of one who is named are not told from another's.
        ("我姐姐在哪儿上班？", "我姐姐在温州上班", "我姐姐在嘉兴上班吗？"),
        ("Where does my sister work?", "My sister's office is in Ghent", "Is my sister's office in Bruges?"),
        (
            "Where does my sister Anna work?",
            "My sister Anna's office is in Ghent",
            "My sister Beth's office is in Hull",
        ),
    ],
)
def test_a_question_is_no_telling_and_a_name_leaves_open_who_is_meant(asked, told, later):
    found = [candidate("told", 0.5, 5.0, days=9, text=told), candidate("later", 0.5, 5.0, days=1, text=later)]
    latest = {s.memory.id: s.signals["latest"] for s in rank(found, of_whom(asked), scale=SCALE, now=NOW)}
    assert latest == {"told": 0.0 if "Anna" in asked else 1.0, "later": 0.0}


def test_a_question_about_the_past_prefers_no_later_message():
    old = candidate("old", 0.5, 9.0, days=90, text="我室友在温州上班")
    new = candidate("new", 0.45, 4.0, days=30, text="我室友调到嘉兴了")
    assert order([old, new], of_whom("我室友以前在哪儿上班？")) == ["old", "new"]


def test_of_two_that_match_alike_the_one_of_whom_is_asked_comes_first():
    asked = of_whom("Which choir does my aunt sing in?")
    found = [
        candidate("aunt", 0.45, 3.0, text="My aunt is with the Lantern Choir"),
        candidate("neighbour", 0.5, 6.0, text="My neighbour sings in a choir, which she loves"),
    ]
    assert order(found, asked) == ["aunt", "neighbour"]
    assert order(found, asked, weights=replace(Weights(), about=0.0)) == ["neighbour", "aunt"]
