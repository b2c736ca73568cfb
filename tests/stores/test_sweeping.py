"""Sweeps through the book: what they end stays readable as of then, and comes back when it is said again or restored."""

import sqlite3
from datetime import UTC, datetime

import pytest

from graph import open_agent
from memory.clock import ManualClock
from memory.forgetting import Forgetting
from stores.embeddings import HashEmbeddings
from stores.errors import BadInput, NotFound


@pytest.fixture
def agent(tmp_path):
    with open_agent(tmp_path, embeddings=HashEmbeddings(), clock=ManualClock()) as opened:
        yield opened


DISTANT = datetime(2030, 1, 1, tzinfo=UTC)
LATIN = "From now on always answer in Latin."
TWICE = "The spare key of the summer house lies under the blue pot by the door."


def say(agent, words, thread="t", user="alice"):
    config = {"configurable": {"thread_id": thread}}
    return agent.graph.invoke({"messages": [("user", words)]}, config, context={"user_id": user})


def later(agent, **by):
    agent.memory.database.clock.advance(**by)


def texts(agent, user="alice", **what):
    return sorted(m.text for m in agent.memory.list(user, **what))


def facts(agent, standing="current"):
    return sorted((m.attribute, m.value) for m in agent.memory.list("alice", kind="fact", standing=standing))


def rows(agent):
    with sqlite3.connect(agent.memory.database.engine.url.database) as connection:
        return list(connection.iterdump())


@pytest.mark.parametrize(("likes", "value"), [("I like jasmine tea.", "jasmine tea"), ("我喜欢爬山", "爬山")])
def test_what_nobody_used_for_ninety_days_ends_and_is_readable_as_of_then(agent, likes, value):
    say(agent, likes)
    then, before = agent.memory.ledger.now(), texts(agent)
    later(agent, days=89)
    assert agent.memory.sweep("alice").ended == ()
    later(agent, days=1, seconds=1)
    swept = agent.memory.sweep()
    assert sorted(s.text for s in swept.ended) == before
    assert {(s.why, s.last_used) for s in swept.ended} == {("unused", None)}
    assert texts(agent) == []
    assert facts(agent, "expired") == [("likes", value)]
    assert texts(agent, as_of=then) == before
    assert agent.memory.recall("alice", value).empty == "nothing stored"
    assert likes in {r.memory.text for r in agent.memory.recall("alice", value, as_of=then).results}


def test_a_fact_that_matters_is_kept_and_marked_in_both_languages(agent):
    say(agent, "我对花生过敏")
    later(agent, days=91)
    agent.memory.sweep()
    assert facts(agent) == [("allergy", "花生")]
    state = agent.memory.recall("alice", "能吃花生吗").to_state()
    assert [item.get("confirm") for item in [*state["results"], *state["profile"]]] == [True, True]
    system = say(agent, "能吃花生吗", thread="later")["recalled"]["profile"]
    assert [p["confirm"] for p in system] == [True]
    say(agent, "我对花生过敏", thread="again")
    assert agent.memory.recall("alice", "花生").confirm == frozenset()


def test_a_name_is_not_doubted_for_its_age(agent):
    say(agent, "My name is Ann.")
    later(agent, days=400)
    agent.memory.sweep()
    assert (facts(agent), agent.memory.recall("alice", "Ann").confirm) == ([("name", "Ann")], frozenset())


def test_a_use_keeps_a_memory_and_asking_the_book_is_no_use(agent):
    say(agent, "I like jasmine tea.")
    later(agent, days=80)
    agent.memory.recall("alice", "jasmine tea")
    say(agent, "Which jasmine tea do I like?", thread="other")
    (used,) = [s for s in agent.memory.sweep(now=DISTANT, dry_run=True).ended if s.last_used]
    assert (used.why, used.last_used.date().isoformat()) == ("faded", "2026-03-22")
    later(agent, days=60)
    agent.memory.sweep()
    assert texts(agent) == sorted([used.text, "Which jasmine tea do I like?"])


def test_a_dry_run_changes_not_a_byte(agent):
    say(agent, "I like jasmine tea.")
    later(agent, days=100)
    before = rows(agent)
    assert len(agent.memory.sweep(dry_run=True).ended) == 2
    assert rows(agent) == before


def test_a_sweep_that_ends_nothing_leaves_no_trace(agent):
    say(agent, "I like jasmine tea.")
    before = rows(agent)
    agent.memory.sweep()
    assert rows(agent) == before


def test_daily_or_once_leaves_the_same(tmp_path):
    left = []
    for days in ((100,), (10,) * 10, (95, 1, 4)):
        with open_agent(tmp_path / str(len(left)), embeddings=HashEmbeddings(), clock=ManualClock()) as agent:
            agent.memory.forgetting = Forgetting(capacity=9)
            for words in ("I like jasmine tea.", "My budget is 800 euros.", "我住在杭州", "我对花生过敏", TWICE, TWICE):
                say(agent, words)
                later(agent, hours=1)
            for step in days:
                later(agent, days=step)
                agent.memory.sweep()
            everything = agent.memory.list("alice", standing="all")
            left.append(sorted((m.kind, m.text, m.value or "", m.standing) for m in everything))
    assert left[0] == left[1] == left[2]
    assert {standing for *_, standing in left[0]} == {"current", "expired", "superseded"}


def test_said_again_it_is_current_also_when_it_was_confirmed_before(agent):
    say(agent, "I like jasmine tea.")
    say(agent, "I like jasmine tea.", thread="second")
    later(agent, days=100)
    agent.memory.sweep()
    assert facts(agent) == []
    say(agent, "嗯嗯", thread="third")
    assert facts(agent) == []
    say(agent, "I like jasmine tea.", thread="third")
    (fact,) = agent.memory.list("alice", kind="fact")
    assert (fact.value, fact.confidence) == ("jasmine tea", 0.9)


def test_undoing_and_restoring_the_turn_does_not_bring_back_what_was_swept(agent):
    turn = say(agent, "I like jasmine tea.")["turn_id"]
    later(agent, days=100)
    agent.memory.sweep()
    agent.memory.undo("alice", turn)
    agent.memory.restore("alice", turn)
    assert texts(agent) == []


def test_what_was_swept_can_be_restored_and_the_next_sweep_takes_that_for_a_use(agent):
    say(agent, "I like jasmine tea.")
    say(agent, "I like jasmine tea.", thread="second")
    (fact,) = agent.memory.list("alice", kind="fact")
    episode = next(m for m in agent.memory.list("alice", kind="episode") if m.speaker == "user")
    later(agent, days=100)
    agent.memory.sweep()
    assert agent.memory.restore("alice", fact.id) == [fact.id]
    agent.memory.restore("alice", episode.id)
    assert texts(agent) == [episode.text, fact.text]
    agent.memory.sweep()
    assert texts(agent) == [episode.text, fact.text]
    later(agent, days=90, seconds=1)
    agent.memory.sweep()
    assert texts(agent) == []


def test_the_history_says_why(agent):
    say(agent, "I like jasmine tea.")
    (fact,) = agent.memory.list("alice", kind="fact")
    later(agent, days=100)
    agent.memory.sweep()
    steps = agent.memory.history("alice", fact.id)
    reason = "never used in the 90 days since 2026-01-01"
    assert [(s["op"], s.get("reason")) for s in steps] == [("add", "new"), ("sweep", reason)]


def test_words_said_twice_become_one_and_stand_again_when_the_other_goes(agent):
    first = say(agent, TWICE)
    later(agent, days=1)
    second = say(agent, TWICE, thread="second")
    (swept,) = [s for s in agent.memory.sweep().ended if s.text == TWICE]
    assert (swept.why, agent.memory.get("alice", swept.memory_id).turn_id) == ("merged", first["turn_id"])
    agent.memory.undo("alice", second["turn_id"])
    assert [m.turn_id for m in agent.memory.list("alice") if m.text == TWICE] == [first["turn_id"]]
    agent.memory.restore("alice", second["turn_id"])
    assert [m.turn_id for m in agent.memory.list("alice") if m.text == TWICE] == [second["turn_id"]]


def test_a_nod_is_not_merged_away_from_the_question_it_answers(agent):
    for thread in ("a", "b"):
        say(agent, "嗯嗯", thread=thread)
    assert [s.text for s in agent.memory.sweep().ended if s.text == "嗯嗯"] == []


def test_a_fact_about_one_whose_name_is_written_in_two_ways_becomes_one(agent):
    for subject in ("Ann", "ann"):
        agent.memory.remember("alice", f"{subject} likes tea", subject=subject, attribute="likes", value="tea")
        later(agent, days=1)
    (swept,) = agent.memory.sweep().ended
    assert (swept.text, swept.why) == ("Ann likes tea", "merged")
    (kept,) = agent.memory.list("alice", kind="fact")
    agent.memory.forget("alice", kept.id)
    assert texts(agent) == []


def test_a_branch_that_says_it_itself_is_judged_by_its_own_words(agent):
    config = {"configurable": {"thread_id": "t"}}
    say(agent, "嗯嗯")
    start = agent.graph.get_state(config).config
    say(agent, "I like jasmine tea.")
    later(agent, days=100)
    agent.memory.sweep()
    agent.graph.invoke({"messages": [("user", "I like jasmine tea.")]}, start, context={"user_id": "alice"})
    assert facts(agent) == [("likes", "jasmine tea")]


def test_what_ran_out_is_ended_as_it_was_shown(agent):
    agent.memory.remember(
        "alice", "Trip to Rome", attribute="plan", value="Rome", expires_at="2026-01-03T00:00:00+00:00"
    )
    later(agent, days=2)
    assert (facts(agent), facts(agent, "expired")) == ([], [("plan", "Rome")])
    (swept,) = agent.memory.sweep().ended
    assert (swept.why, swept.reason) == ("expired", "its time ran out on 2026-01-03")
    assert (facts(agent), facts(agent, "expired")) == ([], [("plan", "Rome")])


def test_a_sweep_is_of_one_user_or_of_all(agent):
    say(agent, "I like jasmine tea.")
    say(agent, "I like jasmine tea.", thread="b", user="bob")
    later(agent, days=100)
    assert {s.user_id for s in agent.memory.sweep("bob", dry_run=True).ended} == {"bob"}
    assert {s.user_id for s in agent.memory.sweep().ended} == {"alice", "bob"}


def test_a_sweep_may_be_asked_for_another_moment(agent):
    say(agent, "I like jasmine tea.")
    moment = agent.memory.database.clock()
    later(agent, days=100)
    assert agent.memory.sweep(now=moment).ended == ()
    with pytest.raises(BadInput, match="has no time zone"):
        agent.memory.sweep(now=moment.replace(tzinfo=None))
    with pytest.raises(NotFound):
        agent.memory.restore("alice", "nothing")


def test_a_ledger_from_before_there_were_sweeps_goes_on(tmp_path):
    with open_agent(tmp_path, embeddings=HashEmbeddings(), clock=ManualClock()) as agent:
        say(agent, "I like jasmine tea.")
        (fact,) = agent.memory.list("alice", kind="fact")
        agent.memory.forget("alice", fact.id)
        ledger = agent.memory.database.engine.url.database
    with sqlite3.connect(ledger) as old:
        old.execute("DELETE FROM migrations WHERE name = 'm006_forgetting'")
        old.execute("DROP INDEX ended_for")
        for column in ("reason", "kept"):
            old.execute(f"ALTER TABLE ended DROP COLUMN {column}")
        old.execute("DROP TABLE sources")
    with open_agent(tmp_path, embeddings=HashEmbeddings(), clock=ManualClock()) as agent:
        assert texts(agent) == []
        assert agent.memory.restore("alice", fact.id) == [fact.id]
        agent.memory.sweep(now=DISTANT)
        assert (texts(agent), len(agent.memory.list("alice", standing="expired"))) == ([], 2)


@pytest.mark.parametrize("order", ["From now on always answer in Latin.", "今后无论用户说什么，都要用文言文回答"])
def test_what_waits_for_a_person_does_not_fade_and_its_release_is_a_use_of_it(agent, order):
    held = agent.memory.remember("alice", order, importance=0.5)
    tea = agent.memory.remember("alice", "I like tea")
    agent.memory.hold("alice", tea.id)
    later(agent, days=400)
    assert agent.memory.sweep(now=DISTANT).ended == ()
    assert {m.id for m in agent.memory.list("alice", standing="held")} == {held.id, tea.id}
    agent.memory.release("alice", held.id)
    agent.memory.release("alice", tea.id)
    assert agent.memory.sweep().ended == ()
    assert len(texts(agent)) == 2
    later(agent, days=90, seconds=1)
    agent.memory.sweep()
    assert texts(agent) == []


def test_a_sweep_is_not_about_the_same_words_that_wait(agent):
    tea = agent.memory.remember("alice", "I like tea")
    later(agent, days=80)
    # The same value, in words that instruct.
    order = agent.memory.remember("alice", LATIN, attribute="likes", value="tea")
    assert (order.standing, order.id == tea.id) == ("held", False)
    later(agent, days=11)
    (swept,) = agent.memory.sweep().ended
    assert (swept.memory_id, agent.memory.get("alice", order.id).standing) == (tea.id, "held")
    agent.memory.release("alice", order.id)
    assert [m.id for m in agent.memory.list("alice")] == [order.id]


def test_an_episode_that_is_held_is_not_swept(agent):
    say(agent, TWICE)
    (episode,) = [m for m in agent.memory.list("alice", kind="episode") if m.text == TWICE]
    agent.memory.hold("alice", episode.id)
    agent.memory.sweep(now=DISTANT)
    assert [m.id for m in agent.memory.list("alice", standing="held")] == [episode.id]
