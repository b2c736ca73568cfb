"""kill -9 at any moment of a turn: what was said is completed for the right user, and each memory is there once."""

import signal

import pytest

from graph import open_agent
from stores.embeddings import HashEmbeddings
from tests.faults.crashing_turn import MOMENTS, crash
from tests.folders import copy_folder
from tests.processes import started

CONFIG = {"configurable": {"thread_id": "t"}}


def opened(folder):
    return open_agent(folder, embeddings=HashEmbeddings())


def crashed(folder, moment):
    with opened(folder) as agent:
        agent.graph.invoke({"messages": [("user", "I live in Berlin")]}, CONFIG, context={"user_id": "alice"})
    process = started(crash, folder, moment, "我对花生过敏")
    process.join(60)
    assert process.exitcode == -signal.SIGKILL


def kept(agent):
    return {
        kind: sorted((m.text, m.user_id) for m in agent.memory.list("alice", kind=kind) if m.speaker == "user")
        for kind in ("episode", "fact")
    }


def found(agent):
    return [
        r.memory.text for r in agent.memory.recall("alice", "花生过敏", strategy="lexical", kinds=["episode"]).results
    ]


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_turn_is_completed_once(tmp_path, moment):
    crashed(tmp_path / "resume", moment)
    copy_folder(tmp_path / "resume", tmp_path / "new message")
    for go_on in ("resume", "new message"):
        with opened(tmp_path / go_on) as agent:
            left = agent.graph.get_state(CONFIG)
            # An input on disk has begun its turn, also before a step has taken it in.
            began = bool(left.next) or any(m.text == "我对花生过敏" for m in left.values["messages"])
            if go_on == "resume" and began:
                state = agent.graph.invoke(None, CONFIG)
            else:
                # Killed before the input was on disk, the turn had not begun: it is said again.
                words = "嗯嗯" if began else "我对花生过敏"
                state = agent.graph.invoke({"messages": [("user", words)]}, CONFIG, context={"user_id": "alice"})
            assert state["user_id"] == "alice"
            memories = kept(agent)
            assert memories["episode"].count(("我对花生过敏", "alice")) == 1
            assert sum("花生" in text for text, _ in memories["fact"]) == 1
            assert sum("Berlin" in text for text, _ in memories["fact"]) == 1
            assert found(agent).count("我对花生过敏") == 1
            assert agent.memory.stats("alice")["waiting_for_index"] == 0
