"""kill -9 at any moment of a turn: what was said is completed for the right user, and each memory is there once."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from graph import open_agent
from tests.faults.crashing_turn import MOMENTS

CONFIG = {"configurable": {"thread_id": "t"}}
SCRIPT = Path(__file__).with_name("crashing_turn.py")
ROOT = SCRIPT.parents[2]


def crash(folder, moment):
    with open_agent(folder) as agent:
        agent.graph.invoke({"messages": [("user", "I live in Berlin")]}, CONFIG, context={"user_id": "alice"})
    command = [sys.executable, str(SCRIPT), str(folder), moment, "我对花生过敏"]
    done = subprocess.run(command, cwd=ROOT, env={"PYTHONPATH": str(ROOT), "PATH": ""}, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


def kept(agent):
    return {
        kind: sorted((m.text, m.user_id) for m in agent.memory.list("alice", kind=kind) if m.speaker == "user")
        for kind in ("episode", "fact")
    }


def found(agent):
    return [r.memory.text for r in agent.memory.recall("alice", "花生过敏", strategy="lexical", kinds=["episode"]).results]


@pytest.mark.parametrize("go_on", ["resume", "new message"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_the_turn_is_completed_once(tmp_path, moment, go_on):
    crash(tmp_path, moment)
    with open_agent(tmp_path) as agent:
        began = any(m.text == "我对花生过敏" for m in agent.graph.get_state(CONFIG).values["messages"])
        if go_on == "resume" and began:
            state = agent.graph.invoke(None, CONFIG)
        else:
            # Killed before the input was on disk, the turn had not begun: it is said again.
            words = "嗯嗯" if began else "我对花生过敏"
            state = agent.graph.invoke({"messages": [("user", words)]}, CONFIG, context={"user_id": "alice"})
        assert state["user_id"] == "alice"
        memories = kept(agent)
        assert memories["episode"].count(("我对花生过敏", "alice")) == 1
        assert [text for text, _ in memories["fact"] if "花生" in text] == [
            m.text for m in agent.memory.list("alice", kind="fact") if "花生" in m.text
        ]
        assert sum("花生" in text for text, _ in memories["fact"]) == 1
        assert sum("Berlin" in text for text, _ in memories["fact"]) == 1
        assert found(agent).count("我对花生过敏") == 1
        assert agent.memory.stats("alice")["waiting_for_index"] == 0
