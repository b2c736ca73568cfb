"""How summaries and lessons share a recall's room with the messages they were made of."""

from memory.ranking import Scored
from memory.record import Memory
from memory.signals import Candidate
from stores.recall import choose


def scored(name, score, kind="episode", sources=(), text=None):
    ids = () if sources else (name,)
    memory = Memory(name, "alice", kind, text or f"text of {name}", sources=sources, message_ids=ids)
    return Scored(Candidate(memory, None, None), score, {}, "en")


def chosen(ranked, limit, max_tokens=1000):
    return [r.memory.id for r in choose(ranked, limit=limit, max_tokens=max_tokens, count=len)]


EPISODES = [scored(f"m{n}", 0.5 - n / 10) for n in range(4)]


def test_a_summary_comes_after_the_best_of_its_sources():
    ranked = [scored("s", 0.9, "summary", ("m2", "m3")), *EPISODES]
    assert chosen(ranked, 10) == ["m2", "s", "m0", "m1", "m3"]
    assert chosen(ranked, 1) == ["m2"]


def test_a_summary_whose_sources_are_not_found_stands_for_them():
    assert chosen([scored("s", 0.9, "summary", ("gone",)), *EPISODES], 2) == ["s", "m0"]


def test_notes_have_a_third_of_the_places_and_of_the_tokens():
    notes = [scored(f"n{n}", 0.9, "lesson", ("gone",)) for n in range(4)]
    assert chosen([*notes, *EPISODES], 6) == ["n0", "n1", "m0", "m1", "m2", "m3"]
    long = scored("long", 0.9, "summary", ("gone",), text="x" * 40)
    assert chosen([long, *EPISODES], 10, max_tokens=100) == ["m0", "m1", "m2", "m3"]


def test_a_lesson_in_the_very_words_of_a_message_is_not_shown_twice():
    lesson = scored("n", 0.9, "lesson", ("m0",), text="Text of m0!")
    assert chosen([lesson, *EPISODES], 10) == ["m0", "m1", "m2", "m3"]
