"""Closing a thread, or every so many turns, sums up what was said, once; small talk and what was recalled come to nothing."""

import json

import pytest

from graph import open_agent
from graph.scripted_model import ScriptedModel
from memory.clock import ManualClock
from stores.embeddings import HashEmbeddings

SMALL_TALK = (
    "Hi there!", "嗯嗯", "haha nice", "Thanks so much!", "今天天气真好", "Good morning", "What do you know about me?",
    "你还记得我喜欢什么吗？", "ok", "That's funny", "好的", "How are you?", "Sounds good.", "没事", "你真厉害", "Tell me a joke.",
    "哈哈哈", "No problem", "I see.", "Am I allergic to anything?",
)  # fmt: skip


@pytest.fixture
def agent(tmp_path):
    with open_agent(tmp_path, embeddings=HashEmbeddings(), clock=ManualClock()) as opened:
        yield opened


def say(agent, words, thread="t", every=0):
    context = {"user_id": "alice", "consolidate_every": every}
    return agent.graph.invoke({"messages": [("user", words)]}, {"configurable": {"thread_id": thread}}, context=context)


def notes(agent, kind="summary"):
    return sorted((m.text, len(m.sources), m.extractor) for m in agent.memory.list("alice", kind=kind))


@pytest.mark.parametrize(
    ("said", "summary"),
    [
        (
            (
                "Hi!",
                "I like jasmine tea.",
                "We decided to use Postgres.",
                "I need to renew my passport before May.",
                "What now?",
            ),
            "- Decision: We decided to use Postgres.\n- To do: I need to renew my passport before May.\n- User: I like jasmine tea.",
        ),
        (
            ("你好", "我对花生过敏。", "我们决定用 Postgres 存账单。", "我还需要在五月前换护照。", "谢谢"),
            "- 决定：我们决定用 Postgres 存账单。\n- 待办：我还需要在五月前换护照。\n- 用户：我对花生过敏。",
        ),
    ],
)
def test_closing_a_thread_sums_it_up_once_with_its_sources(agent, said, summary):
    for words in said:
        say(agent, words)
    changes = agent.threads.close("t")
    assert changes["reflection"] == {"summaries": 1, "lessons": 0, "skipped": 0, "failure": None}
    assert notes(agent) == [(summary, 3, "extractive-1")]
    (kept,) = agent.memory.list("alice", kind="summary")
    assert [agent.memory.get("alice", i).text for i in kept.sources] == list(said[1:4])
    assert (kept.thread_id, kept.speaker, kept.commit_id) == ("t", "reflection", changes["commit_id"])
    before = agent.memory.ledger.now()
    assert agent.threads.close("t") is None
    assert agent.memory.ledger.now() == before


def test_a_thread_that_goes_on_is_summed_up_from_there(agent):
    say(agent, "I like jasmine tea.")
    agent.threads.close("t")
    state = say(agent, "My order number is A-2231.")
    assert [m.content for m in state["messages"]][::2] == ["I like jasmine tea.", "My order number is A-2231."]
    agent.threads.close("t")
    assert [text for text, *_ in notes(agent)] == ["- User: I like jasmine tea.", "- User: My order number is A-2231."]


def test_every_so_many_turns_the_ones_before_are_summed_up(agent):
    for n in range(7):
        say(agent, f"My locker number is {4000 + n}.", every=3)
    assert [(sources, text.count("\n") + 1) for text, sources, _ in notes(agent)] == [(3, 3), (3, 3)]


def test_a_hundred_turns_of_small_talk_and_recall_leave_everything_where_it_was(agent):
    for words in ("I like jasmine tea.", "我对花生过敏。"):
        say(agent, words, thread="first")
    agent.threads.close("first")

    def kept():
        return [
            (m.id, m.text, m.confidence)
            for kind in ("fact", "summary", "lesson")
            for m in agent.memory.list("alice", kind=kind)
        ]

    before = kept()
    recalled = 0
    for n in range(100):
        state = say(agent, SMALL_TALK[n % len(SMALL_TALK)], thread="small talk", every=10)
        recalled += len(state["recalled"]["results"])
    agent.threads.close("small talk")
    assert recalled > 20
    assert kept() == before


def test_many_messages_on_a_topic_become_at_most_three_lessons_and_no_more_of_the_same(agent):
    for words in (
        "我每天早上都去河边跑步，跑五公里。",
        "跑步之后我一般只喝黑咖啡。",
        "我跑步的时候膝盖会疼，不能跑太快。",
        "我打算十月参加跑步比赛。",
        "我和同事小王一起跑步。",
    ):
        say(agent, words)
    agent.threads.close("t")
    lessons = notes(agent, "lesson")
    assert [sources for _, sources, _ in lessons] == [5, 5, 5]
    assert "我跑步的时候膝盖会疼，不能跑太快。" in [text for text, *_ in lessons]
    say(agent, "我跑步用的是红色的旧跑鞋。")
    agent.threads.close("t")
    assert notes(agent, "lesson") == lessons


def test_recall_shows_a_summary_after_the_words_that_it_was_made_of(agent):
    for words in (
        "I like jasmine tea.",
        "We decided to use Postgres for the billing service.",
        "My order number is A-2231.",
    ):
        say(agent, words)
    agent.threads.close("t")
    found = agent.memory.recall("alice", "What did we decide about the billing service?").results
    kinds = [r.memory.kind for r in found]
    assert "summary" in kinds
    assert kinds.index("summary") > 0
    assert "summary" not in [
        r.memory.kind for r in agent.memory.recall("alice", "the billing service", limit=1).results
    ]


# With a model.


class Scribe:
    """Answers questions with "ok", and consolidations by the function it is given."""

    def __init__(self, write):
        self.write = write
        self.asked = []

    def __call__(self, messages):
        if '"facts"' in str(messages[0].content):
            return '{"facts": []}'
        if '"lessons"' not in str(messages[0].content):
            return "ok"
        self.asked.append(messages[1].content)
        return self.write(messages[1].content)


@pytest.fixture
def open_with(tmp_path):
    def opened(write):
        scribe = Scribe(write)
        return open_agent(
            tmp_path,
            embeddings=HashEmbeddings(),
            clock=ManualClock(),
            model=ScriptedModel(scribe),
            extraction_model=ScriptedModel(scribe),
        ), scribe

    return opened


def test_a_model_sums_up_in_one_call_and_what_it_makes_up_is_skipped_and_counted(open_with, caplog):
    def write(prompt):
        items = [
            {"kind": "decision", "text": "The billing service uses Postgres.", "sources": ["m1", "m9"]},
            {"kind": "point", "text": "The user was born in 1970.", "sources": ["m1"]},
            {"kind": "point", "text": "Nobody said this.", "sources": ["m7"]},
        ]
        return f"<think>hm</think>\n```json\n{json.dumps({'summary': items, 'lessons': []})}\n```"

    agent, scribe = open_with(write)
    with agent:
        say(agent, "We decided to use Postgres for the billing service.")
        changes = agent.threads.close("t")
        assert changes["reflection"] == {"summaries": 1, "lessons": 0, "skipped": 4, "failure": None}
        assert notes(agent) == [
            ("- Decision: The billing service uses Postgres.", 1, "reflection-1:palimpsest-scripted")
        ]
        assert len(scribe.asked) == 1
        assert agent.threads.usage("t")["thread"]["reflection"]["calls"] == 1
        cost = agent.memory.cost("alice")
        assert cost["memory"]["calls"] == cost["calls"]["extraction"]["calls"] + 1
        agent.threads.close("t")
        assert len(scribe.asked) == 1


@pytest.mark.parametrize(
    "reply", [ConnectionError("down"), "Sure, here is a summary: they talked.", '{"summary": [{"te']
)
def test_a_model_that_fails_leaves_everything_and_is_tried_again(open_with, reply, caplog):
    replies = iter(
        [reply, json.dumps({"summary": [{"kind": "todo", "text": "Renew the passport.", "sources": ["m1"]}]})]
    )
    agent, _ = open_with(lambda prompt: next(replies))
    with agent:
        say(agent, "We decided that I need to renew my passport before May.")
        before = [m.id for m in agent.memory.list("alice")]
        assert agent.threads.close("t")["reflection"]["failure"]
        assert [m.id for m in agent.memory.list("alice")] == before
        agent.threads.close("t")
        assert notes(agent) == [("- To do: Renew the passport.", 1, "reflection-1:palimpsest-scripted")]


def test_small_talk_costs_no_call(open_with):
    agent, scribe = open_with(lambda prompt: "{}")
    with agent:
        for words in ("Hi there!", "嗯嗯", "haha nice"):
            say(agent, words, every=1)
        agent.threads.close("t")
        assert scribe.asked == []


async def test_turns_that_are_awaited_are_summed_up_too(agent):
    for n in range(4):
        await agent.graph.ainvoke(
            {"messages": [("user", f"My locker number is {4000 + n}.")]},
            {"configurable": {"thread_id": "t"}},
            context={"user_id": "alice", "consolidate_every": 3},
        )
    assert [sources for _, sources, _ in notes(agent)] == [3]
