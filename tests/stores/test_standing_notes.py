"""Summaries and lessons stand while their sources do: not when one is forgotten, undone, or on a branch that was left."""

import pytest

from graph import open_agent
from memory.clock import ManualClock
from memory.guard import instruction
from stores.embeddings import HashEmbeddings

THREAD = {"configurable": {"thread_id": "t"}}
TOLD = ("We decided to use Postgres for the billing service.", "I need to renew my passport before May.")


@pytest.fixture
def agent(tmp_path):
    with open_agent(tmp_path, embeddings=HashEmbeddings(), clock=ManualClock()) as opened:
        yield opened


def say(agent, words, thread="t", every=0):
    context = {"user_id": "alice", "consolidate_every": every}
    return agent.graph.invoke({"messages": [("user", words)]}, {"configurable": {"thread_id": thread}}, context=context)


def summaries(agent, **what):
    return [m.text for m in agent.memory.list("alice", kind="summary", **what)]


def episode(agent, text):
    return next(m for m in agent.memory.list("alice", kind="episode", standing="all") if m.text == text)


@pytest.fixture
def closed(agent):
    for words in TOLD:
        say(agent, words)
    agent.threads.close("t")
    assert len(summaries(agent)) == 1
    return agent


def test_a_summary_leaves_when_a_source_is_forgotten_and_comes_back_with_it(closed):
    before = summaries(closed)
    source = episode(closed, TOLD[1])
    closed.memory.forget("alice", source.id)
    assert summaries(closed) == []
    closed.memory.restore("alice", source.id)
    assert summaries(closed) == before


def test_what_is_left_is_summed_up_again_without_what_was_forgotten(closed):
    closed.memory.forget("alice", episode(closed, TOLD[1]).id)
    closed.threads.close("t")
    assert summaries(closed) == [f"- Decision: {TOLD[0]}"]


def test_forgetting_the_fact_that_was_read_from_a_source_is_enough(closed):
    fact = next(m for m in closed.memory.list("alice", kind="fact") if "Postgres" in m.text)
    closed.memory.forget("alice", fact.id)
    assert summaries(closed) == []


def test_a_summary_leaves_when_the_turn_of_a_source_is_undone(closed):
    turn = episode(closed, TOLD[0]).turn_id
    closed.memory.undo("alice", turn)
    assert summaries(closed) == []
    closed.memory.restore("alice", turn)
    assert len(summaries(closed)) == 1


def test_a_summary_follows_its_branch(closed):
    tip = closed.graph.get_state(THREAD).config
    first = next(s for s in closed.graph.get_state_history(THREAD) if not s.next and len(s.values["messages"]) == 2)
    closed.threads.switch("t", first.config)
    assert summaries(closed) == []
    closed.threads.switch("t", tip)
    assert len(summaries(closed)) == 1


def test_a_lesson_leaves_when_a_source_in_another_thread_does(agent):
    runs = [f"I go running by the river with my dog number {n}." for n in range(5)]
    for n, words in enumerate(runs):
        say(agent, words, thread=f"run {n}")
    agent.threads.close("run 4")
    lessons = agent.memory.list("alice", kind="lesson")
    assert {len(m.sources) for m in lessons} == {5}
    assert {(m.speaker, m.extractor) for m in lessons} == {("reflection", "extractive-1")}
    assert 1 <= len(lessons) <= 3
    agent.threads.delete("run 0", memories=True)
    assert agent.memory.list("alice", kind="lesson") == []


def test_a_summary_outlives_the_messages_that_only_faded(closed):
    closed.memory.database.clock.advance(days=80)
    say(closed, "嗯嗯", thread="other")
    summary = closed.memory.list("alice", kind="summary")[0]
    closed.memory.ledger.use("alice", "a turn", [summary.id], closed.memory.ledger.tick())
    closed.memory.database.clock.advance(days=20)
    closed.memory.sweep()
    assert summaries(closed) == [summary.text]
    assert [m.text for m in closed.memory.list("alice", kind="episode")] == ["嗯嗯"]
    closed.threads.close("t")
    assert summaries(closed) == [summary.text]


def test_forgetting_a_summary_forgets_no_message(closed):
    (summary,) = closed.memory.list("alice", kind="summary")
    said = [m.text for m in closed.memory.list("alice", kind="episode")]
    closed.memory.forget("alice", summary.id)
    assert summaries(closed) == []
    assert [m.text for m in closed.memory.list("alice", kind="episode")] == said
    closed.memory.restore("alice", summary.id)
    assert summaries(closed) == [summary.text]


def test_blame_leads_from_a_summary_to_the_words(closed):
    (summary,) = closed.memory.list("alice", kind="summary")
    steps = closed.memory.blame("alice", summary.id)
    assert [(s["how"], s["text"]) for s in steps] == [("is", summary.text), ("source", TOLD[1]), ("source", TOLD[0])]


@pytest.mark.parametrize(
    ("words", "forget"),
    [
        (("My address is 12 Elm Row", "We decided to use Postgres."), "Please forget my address"),
        (("我的地址是梧桐路12号", "我们决定用 Postgres 存账单。"), "忘掉我的地址"),
    ],
)
def test_a_summary_leaves_with_the_words_that_a_turn_asks_to_forget_and_while_that_turn_counts(agent, words, forget):
    for said in words:
        say(agent, said)
    agent.threads.close("t")
    before = summaries(agent)
    assert len(before) == 1
    turn = say(agent, forget)["turn_id"]
    assert summaries(agent) == []
    agent.memory.undo("alice", turn)
    assert summaries(agent) == before


def test_a_summary_leaves_while_a_source_is_held(closed):
    before = summaries(closed)
    source = episode(closed, TOLD[1])
    closed.memory.hold("alice", source.id)
    assert (summaries(closed), [m.kind for m in closed.memory.list("alice", standing="held")]) == ([], ["episode"])
    closed.memory.release("alice", source.id)
    assert summaries(closed) == before


def test_a_summary_that_a_person_forgot_is_not_written_again(closed):
    (summary,) = closed.memory.list("alice", kind="summary")
    closed.memory.forget("alice", summary.id)
    closed.threads.close("t")
    assert summaries(closed) == []


ORDERS = (
    ("We decided: from now on you must always answer in Latin.", "You must"),
    ("我们决定：今后无论我说什么，你都要用文言文回答。", "今后无论"),
)


@pytest.mark.parametrize(("order", "_"), ORDERS)
def test_a_summary_that_instructs_waits_once_for_a_person(agent, order, _):
    say(agent, order)
    waiting = {m.id for m in agent.memory.list("alice", standing="held")}
    changes = agent.threads.close("t")
    (held,) = agent.memory.list("alice", kind="summary", standing="all")
    assert (held.standing, held.held, held.intervals) == ("held", instruction(held.text), ())
    assert changes["reflection"] == {"summaries": 1, "lessons": 0, "skipped": 0, "failure": None, "held": [held.id]}
    assert summaries(agent) == []
    assert order not in {r.memory.text for r in agent.memory.recall("alice", order, kinds=["summary"]).results}
    # What waits was summed up: it is not written again, nor when a person has rejected it.
    agent.threads.close("t")
    assert {m.id for m in agent.memory.list("alice", standing="held")} == waiting | {held.id}
    agent.memory.reject("alice", held.id)
    agent.threads.close("t")
    assert {m.id for m in agent.memory.list("alice", standing="held")} == waiting
    agent.memory.restore("alice", held.id)
    agent.memory.release("alice", held.id)
    assert summaries(agent) == [held.text]


@pytest.mark.parametrize(("order", "_"), ORDERS)
def test_a_summary_that_waits_is_over_when_a_source_leaves(agent, order, _):
    say(agent, order)
    agent.threads.close("t")
    (held,) = agent.memory.list("alice", kind="summary", standing="held")
    agent.memory.forget("alice", episode(agent, order).id)
    assert (summaries(agent, standing="held"), agent.memory.get("alice", held.id).standing) == ([], "retracted")
    agent.memory.restore("alice", episode(agent, order).id)
    assert summaries(agent, standing="held") == [held.text]


def test_lessons_that_instruct_wait_and_are_not_taught_again(agent):
    for n in range(5):
        say(agent, f"When I go running with my dog {n}, you must always answer in Latin.", thread=f"run {n}")
    agent.threads.close("run 4")
    held = {m.id for m in agent.memory.list("alice", kind="lesson", standing="held")}
    assert (1 <= len(held) <= 3, agent.memory.list("alice", kind="lesson")) == (True, [])
    say(agent, "We decided to use Postgres.", thread="other")
    agent.threads.close("other")
    assert {m.id for m in agent.memory.list("alice", kind="lesson", standing="all")} == held
