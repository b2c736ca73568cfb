"""What is consolidated without a model, and what of a model's reply is believed."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.consolidation import ExtractiveConsolidator, Material, Note, topics, worth_consolidating
from memory.consolidation_request import ask, read_reply
from memory.record import Memory


def said(*texts, first=0):
    at = datetime(2026, 1, 1, 9, tzinfo=UTC)
    return tuple(Memory(f"id{n}", "alice", "episode", text, said_at=at) for n, text in enumerate(texts, first))


def notes(material):
    return ExtractiveConsolidator().consolidate(material).notes


RUNS = (
    "I go running by the river every single morning.",
    "My running shoes are from that old shop in the harbour.",
    "I never go running after a heavy dinner with friends.",
    "My knee hurts when I keep running on hard asphalt.",
    "I want to win the running race of my home town.",
)


@pytest.mark.parametrize(
    "texts",
    [
        (
            "Hi there!",
            "haha nice",
            "ok",
            "How are you?",
            "Thanks, that's great!",
            "Can you tell me what I like to drink?",
        ),
        ("你好", "嗯嗯", "哈哈哈真有意思", "谢谢你", "今天天气怎么样？", "你还记得我对什么过敏吗？", "好的没问题"),
    ],
)
def test_small_talk_and_questions_come_to_nothing(texts):
    material = Material(said(*texts))
    assert not worth_consolidating(material)
    assert notes(material) == ()


def test_what_facts_were_read_from_is_summed_up_however_short_it_is():
    (summary,) = notes(Material(said("嗯嗯", "我吃素。", "哈哈"), telling=frozenset({"id1"})))
    assert summary == Note("summary", "- 用户：我吃素。", ("id1",))


def test_one_sentence_said_twice_stands_once_with_both_sources():
    twice = ("We decided to use Postgres for billing.", "ok", "we decided to use Postgres for billing!")
    (summary,) = notes(Material(said(*twice)))
    assert summary == Note("summary", "- Decision: We decided to use Postgres for billing.", ("id0", "id2"))


def test_sentences_that_differ_in_a_digit_are_two():
    (summary,) = notes(Material(said("We decided on the 15th of October.", "We decided on the 16th of October.")))
    assert summary.text.count("\n") == 1


def test_a_summary_has_an_end():
    many = said(*(f"We decided to put the number {n:05d} on the door of the {n:05d}th locker." for n in range(200)))
    summary = notes(Material(many))[0]
    assert summary.text.count("\n") + 1 == len(summary.sources) < 40


def test_five_messages_on_a_topic_give_at_most_three_lessons_and_four_give_none():
    lessons = [n for n in notes(Material(said(*RUNS))) if n.kind == "lesson"]
    assert len(lessons) == 3
    assert {n.sources for n in lessons} == {("id0", "id1", "id2", "id3", "id4")}
    assert [n for n in notes(Material(said(*RUNS[:4]))) if n.kind == "lesson"] == []
    assert topics(Material(said(*RUNS[:4]), said(RUNS[4], first=9))) != []


def test_a_lesson_that_stands_is_not_written_again_and_what_no_longer_holds_teaches_nothing():
    lessons = {n.text for n in notes(Material(said(*RUNS))) if n.kind == "lesson"}
    again = notes(Material(said(*RUNS), lessons=tuple(lessons)))
    assert lessons.isdisjoint(n.text for n in again if n.kind == "lesson")
    assert topics(Material(said(*RUNS), stale=frozenset({"id0"}))) == []


WORDS = st.sampled_from((*RUNS, "ok", "我决定下周搬家去杭州。", "Hi!", "我每天跑步，不喝咖啡。", "What now?", ""))


@settings(max_examples=60)
@given(st.lists(WORDS, max_size=20), st.integers(2, 6))
def test_every_note_rests_on_messages_that_were_given_and_says_what_they_say(texts, least):
    material = Material(said(*texts), least=least)
    found = notes(material)
    by_id = {m.id: m.text for m in material.said}
    for note in found:
        assert set(note.sources) <= by_id.keys()
        words = "\n".join(by_id[i] for i in note.sources)
        for line in note.text.splitlines():
            assert line.split(": ", 1)[-1].split("：", 1)[-1] in words
    assert sum(n.kind == "summary" for n in found) <= 1


# What a model is asked, and what of its reply is believed.


def reply(summary=(), lessons=()):
    return json.dumps({"summary": list(summary), "lessons": list(lessons)}, ensure_ascii=False)


def test_the_prompt_is_in_the_language_of_the_words_and_escapes_them():
    zh = ask(Material(said("我们决定用 Postgres 存账单。")))
    en = ask(Material(said('We decided "m9 {}"\nm2 to use Postgres.')))
    assert (zh.tongue, zh.prompt.splitlines()[0]) == ("zh", "这次对话：")
    assert en.prompt.splitlines() == [
        "This conversation:",
        'm1 {"time": "2026-01-01T09:00+00:00", "text": "We decided \\"m9 {}\\"\\nm2 to use Postgres."}',
    ]
    assert ask(Material(said("Hi!", "嗯嗯"))) is None


def test_topics_are_shown_with_the_messages_of_other_conversations():
    asked = ask(Material(said(*RUNS[:2]), said(*RUNS[2:], first=5)))
    assert asked.prompt.splitlines()[0] == "Earlier messages:"
    assert asked.prompt.splitlines()[-1] == "m1, m2, m3, m4, m5"


def test_lessons_are_believed_up_to_three_of_a_topic_and_with_two_sources():
    asked = ask(Material(said(*RUNS), lessons=("Known already.",)))
    items = [
        {"text": "The user runs.", "sources": ["m1", "m2"]},
        {"text": "the user runs", "sources": ["m3", "m4"]},
        {"text": "One source.", "sources": ["m1"]},
        {"text": "known already", "sources": ["m1", "m2"]},
        *({"text": f"Lesson {word}.", "sources": ["m1", "m2"]} for word in ("b", "c", "d")),
    ]
    reading = read_reply(reply(lessons=items), asked)
    assert [(n.text, len(n.sources)) for n in reading.notes] == [
        ("The user runs.", 4),
        ("Lesson b.", 2),
        ("Lesson c.", 2),
    ]
    assert reading.skipped == {
        "a lesson of one message": 1,
        "a lesson that stands already": 1,
        "more lessons than asked for": 1,
    }


def test_a_summary_rests_on_this_conversation_alone():
    asked = ask(Material(said("We decided to use Postgres for billing."), said(*RUNS, first=5)))
    other = next(i for i, m in asked.messages.items() if m.id == "id5")
    reading = read_reply(reply([{"kind": "todo", "text": "Run.", "sources": [other]}]), asked)
    assert (reading.notes, reading.skipped) == ((), {"a summary of another conversation": 1})


def test_what_a_model_writes_is_redacted_and_one_line():
    asked = ask(Material(said("We decided to write to ann@example.com about billing.")))
    reading = read_reply(reply([{"kind": "?", "text": "Write to\nann@example.com", "sources": ["m1"]}]), asked)
    assert [n.text for n in reading.notes] == ["- User: Write to [EMAIL]"]


ASKED = ask(Material(said("We decided to use Postgres for billing.", *RUNS)))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(("m1", "m2", "todo")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(("summary", "lessons", "text", "sources", "kind")), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=100)
@given(JSON, st.text(max_size=20), st.integers(0, 200))
def test_no_reply_whatever_raises_or_names_a_message_that_was_not_shown(value, around, cut):
    reading = read_reply((around + json.dumps(value, ensure_ascii=False))[:cut], ASKED)
    shown = {m.id for m in ASKED.messages.values()}
    assert all(n.text and n.sources and set(n.sources) <= shown for n in reading.notes)


def test_five_megabytes_of_anything_are_read_in_time():
    for text in ("{" * 5_000_000, '{"summary": [' + '{"text": "x"},' * 300_000, "prose " * 900_000):
        assert read_reply(text, ASKED).failure
