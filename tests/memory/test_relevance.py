"""The threshold from both sides, in both languages: what speaks for a question, and what speaks against it."""

from datetime import UTC, datetime

import pytest

from memory.question import read
from memory.record import Memory
from memory.relevance import Scale, evidence, is_relevant, unknown_names
from memory.signals import Candidate, Found

NOW = datetime(2026, 6, 1, tzinfo=UTC)
SCALE = Scale(threshold=0.3, floor=0.1)


def found(question, *texts, dense=0.2, many=150):
    """These texts among so many that no word of the question is in."""
    said = [*texts, *(f"zzz {i}" for i in range(many - len(texts)))]
    candidates = [
        Candidate(Memory(id=str(i), user_id="u", kind="episode", text=text), dense, 0.0) for i, text in enumerate(said)
    ]
    return Found(candidates, read(question, NOW), now=NOW, floor=SCALE.floor)


@pytest.mark.parametrize(
    ("question", "memory"),
    [
        ("What is the door code?", "The door code is 4471."),
        ("门禁密码是多少？", "门禁密码是4471。"),
        ("G1884", "车次 G1884"),
    ],
)
def test_shared_words_make_up_for_a_low_cosine(question, memory):
    assert is_relevant(found(question, memory), SCALE)
    assert not is_relevant(found(question, "something else", dense=0.2), SCALE)


def test_a_name_that_nobody_said_speaks_against_what_looks_alike():
    assert is_relevant(found("What does Anna paint?", "Anna: I paint lakes", dense=0.35), SCALE)
    assert not is_relevant(found("What does Priya paint?", "Anna: I paint lakes", dense=0.35), SCALE)


def test_names_say_nothing_where_memory_is_in_another_script():
    texts = [f"我画了一幅画{i}" for i in range(3)]
    assert unknown_names(found("What does Priya paint?", *texts, many=3)) == 0.0
    assert is_relevant(found("What does Priya paint?", *texts, dense=0.35, many=3), SCALE)


def test_a_small_memory_needs_a_little_less():
    large, small = (found("Which paint?", dense=0.25, many=many) for many in (150, 30))
    assert (is_relevant(large, SCALE), is_relevant(small, SCALE)) == (False, True)
    assert evidence(large, SCALE) == 0.25


def test_without_cosines_a_shared_word_is_enough():
    memory = Memory(id="a", user_id="u", kind="episode", text="tea")
    by_words = [Found([Candidate(memory, None, bm25)], read("tea", NOW), now=NOW, floor=0.1) for bm25 in (2.0, 0.0)]
    assert [is_relevant(one, SCALE) for one in by_words] == [True, False]


def test_nothing_found_is_not_relevant():
    assert not is_relevant(Found([], read("tea", NOW), now=NOW, floor=0.1), SCALE)
