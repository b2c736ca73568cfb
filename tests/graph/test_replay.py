"""A replay of any checkpoint recalls what its turn recalled, however much came after, and changes not a byte."""

import hashlib

from graph import open_agent
from memory.clock import ManualClock
from stores.embeddings import HashEmbeddings

SAID = ["我住在北京", "I like oolong tea", "我住在哪里？", "我的会员号是 M-2208", "What tea do I like?"]
LATER = ["我住在上海", "I don't like oolong tea", "我的会员号是 M-9999", "今天天气不错", "I like jazz"]


def config(thread):
    return {"configurable": {"thread_id": thread}}


def say(agent, words, thread, user):
    agent.memory.database.clock.advance(minutes=7)
    return agent.graph.invoke({"messages": [("user", words)]}, config(thread), context={"user_id": user})


def contents(folder):
    """Every file's bytes; SQLite's shared memory is an index into the log that readers write to as well."""
    files = (p for p in sorted(folder.rglob("*")) if p.is_file() and not p.name.endswith("-shm"))
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def test_any_checkpoint_replays_as_it_was_after_a_hundred_later_turns(tmp_path):
    with open_agent(tmp_path, embeddings=HashEmbeddings(), clock=ManualClock()) as agent:
        original = {}
        for words in SAID:
            state = say(agent, words, "t", "alice")
            original[state["turn_id"]] = state["recalled"]
        for i in range(100):
            say(agent, LATER[i % len(LATER)], f"later {i // 10}", "alice" if i % 2 else "bob")
        history = [s for s in agent.graph.get_state_history(config("t")) if s.next]
        head = agent.graph.get_state(config("t")).config
        before = contents(tmp_path)
        starts = [s for s in history if s.next == ("retrieve_memory",)]
        assert len(starts) == len(SAID)
        for snapshot in history:
            replayed = agent.threads.replay(snapshot.config)
            assert replayed["recalled"] == original[replayed["turn_id"]]
        for _ in range(10):
            replayed = agent.threads.replay(starts[0].config)
            assert replayed["recalled"] == original[replayed["turn_id"]]
        assert contents(tmp_path) == before
        assert agent.graph.get_state(config("t")).config == head
