"""kill -9 on a branch, and the other rough ways to treat a thread: each memory once, on the branch that said it."""

import signal

import pytest

from graph import open_agent
from graph.scripted_model import ScriptedModel
from stores.embeddings import HashEmbeddings
from stores.errors import NotFound
from stores.leases import ThreadBusy
from tests.faults.crashing_turn import MOMENTS, arm
from tests.folders import copy_folder
from tests.processes import started

CONFIG = {"configurable": {"thread_id": "t"}}
ALICE = {"user_id": "alice"}
PEANUTS = "我对花生过敏"


@pytest.fixture(scope="module")
def two_turns(tmp_path_factory):
    """A folder in which small talk and a home were said; also the config after the small talk, and the tip's."""
    path = tmp_path_factory.mktemp("two turns") / "data"
    with opened(path) as agent:
        say(agent, "嗯嗯")
        start = tip(agent)
        say(agent, "I live in Berlin")
        return path, start, tip(agent)


def opened(folder, **options):
    return open_agent(folder, embeddings=HashEmbeddings(), **options)


def say(agent, words, config=CONFIG):
    return agent.graph.invoke({"messages": [("user", words)]}, config, context=ALICE)


def tip(agent):
    return agent.graph.get_state(CONFIG).config


def crash_on_a_branch(folder, moment, start):
    arm(moment)
    with opened(folder) as agent:
        say(agent, PEANUTS, start)


def kept(agent, standing="current"):
    memories = agent.memory.list("alice", standing=standing)
    return sorted(m.value if m.kind == "fact" else m.text for m in memories if m.speaker == "user")


def texts(agent):
    return [m.text for m in agent.graph.get_state(CONFIG).values["messages"]]


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_turn_on_a_branch_is_completed_once_and_there(two_turns, tmp_path, moment):
    folder, start, left = two_turns
    copy_folder(folder, tmp_path / "resume")
    process = started(crash_on_a_branch, tmp_path / "resume", moment, start)
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    copy_folder(tmp_path / "resume", tmp_path / "new message")
    for go_on in ("resume", "new message"):
        with opened(tmp_path / go_on) as agent:
            more = []
            if tip(agent) == left:
                # Killed before the input was on disk, the turn had not begun: it is said again.
                say(agent, PEANUTS, start)
            elif go_on == "resume":
                agent.graph.invoke(None, CONFIG)
            else:
                more = ["好的"]
                say(agent, *more)
            assert texts(agent).count(PEANUTS) == 1
            (allergy,) = (m.value for m in agent.memory.list("alice", kind="fact"))
            assert "花生" in allergy
            assert kept(agent) == sorted(["嗯嗯", PEANUTS, allergy, *more])
            found = agent.memory.recall("alice", "花生过敏 Berlin", strategy="lexical", kinds=["episode"]).results
            assert [r.memory.text for r in found if r.memory.speaker == "user"] == [PEANUTS]
            assert agent.memory.stats("alice")["waiting_for_index"] == 0
            agent.threads.switch("t", left)
            assert kept(agent) == sorted(["嗯嗯", "I live in Berlin", "Berlin"])


def test_a_checkpoint_that_is_run_again_twice_writes_nothing_a_second_time(two_turns, tmp_path):
    folder, *_ = two_turns
    copy_folder(folder, tmp_path / "data")
    with opened(tmp_path / "data") as agent:
        states = {s.next: s for s in reversed(list(agent.graph.get_state_history(CONFIG)))}
        once, ever = kept(agent), kept(agent, "all")
        for _ in range(2):
            agent.threads.replay(states["call_llm",].config)
            agent.graph.invoke(None, states["write_memory",].config)
            assert kept(agent, "all") == ever
        for _ in range(2):
            agent.graph.invoke(None, states["call_llm",].config)
            assert kept(agent) == once


@pytest.fixture
def meddled(tmp_path):
    """An agent whose model does something to the thread while it answers: what `meddle` holds."""
    meddle = []

    def answer(messages):
        if meddle:
            meddle.pop()()
        return "ok"

    with opened(tmp_path, model=ScriptedModel(answer), extraction_model="rules") as agent:
        say(agent, "I live in Berlin")
        yield agent, meddle


def test_a_thread_is_not_deleted_under_a_turn_that_runs(meddled):
    agent, meddle = meddled

    def delete():
        with pytest.raises(ThreadBusy):
            agent.threads.delete("t")

    meddle.append(delete)
    say(agent, "I like tea")
    assert texts(agent) == ["I live in Berlin", "ok", "I like tea", "ok"]
    assert kept(agent) == ["Berlin", "I like tea", "I live in Berlin", "tea"]


@pytest.mark.parametrize("memories", [False, True])
def test_a_deleted_thread_does_not_come_back_by_a_turn_that_ran_on(meddled, memories):
    agent, meddle = meddled

    def delete():
        # As another process does when this one's lease ran out, or a server that deletes by the checkpointer.
        agent.threads.checkpointer.delete_thread("t")
        agent.memory.delete_thread("t", memories=memories)

    meddle.append(delete)
    with pytest.raises(NotFound):
        say(agent, "I like tea")
    assert agent.graph.get_state(CONFIG).values == {}
    assert agent.threads.show("t")["deleted"]
    assert kept(agent) == ([] if memories else ["Berlin", "I live in Berlin"])
    assert say(agent, "I like jazz")["messages"][0].text == "I like jazz"
    assert "jazz" in kept(agent)
    assert ("Berlin" in kept(agent)) is not memories


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_a_thread_that_begins_again_leaves_what_the_deleted_one_said(meddled, durability):
    agent, _ = meddled
    agent.threads.delete("t")
    agent.graph.invoke({"messages": [("user", "I like tea")]}, CONFIG, context=ALICE, durability=durability)
    assert texts(agent) == ["I like tea", "ok"]
    assert agent.threads.show("t")["deleted"] is None
    assert kept(agent) == ["Berlin", "I like tea", "I live in Berlin", "tea"]


def test_what_is_written_to_a_checkpoint_of_a_deleted_thread_begins_another(meddled):
    agent, _ = meddled
    old = tip(agent)
    agent.threads.delete("t")
    agent.graph.update_state(old, {"messages": [("user", "I like tea")]}, as_node="__start__")
    agent.graph.invoke(None, CONFIG, context=ALICE)
    assert texts(agent) == ["I like tea", "ok"]
    assert kept(agent) == ["Berlin", "I like tea", "I live in Berlin", "tea"]
    agent.threads.delete("t")
    say(agent, "I like jazz", old)
    assert texts(agent) == ["I like jazz", "ok"]
    assert kept(agent) == ["Berlin", "I like jazz", "I like tea", "I live in Berlin", "jazz", "tea"]
