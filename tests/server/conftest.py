"""A real LangGraph server, started by the command that people start it with, and stopped as they stop it."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from langgraph_sdk import get_client

from graph import open_agent
from graph.scripted_server import OpenAIServer, Stall
from tests.folders import copy_folder

ROOT = Path(__file__).parents[2]
PATIENCE = 40
"""Seconds that anything may take on a busy machine."""

BLOCKING = """
import time

from langgraph.graph import MessagesState, StateGraph


async def block(state):
    time.sleep(0)


graph = StateGraph(MessagesState).add_node(block).set_entry_point("block").compile()
"""


SKILL = """
id: knock
description: The knock of the lodge.
trigger: {words: [flurble, 暗号]}
steps: [Knock twice.]
"""


class Server:
    """`palimpsest dev` on a folder, on a free port."""

    def __init__(self, folder, **env):
        self.folder = folder
        self.log = folder.with_name(f"{folder.name}.log")
        self.env = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "PYTHONUTF8": "1",
            "PALIMPSEST_DATA_DIR": str(folder),
            "OMP_NUM_THREADS": "1",
            **env,
        }
        self.process = None
        self.url = None

    def command(self, *args):
        return [sys.executable, "-c", "from cli.main import run; run()", *args]

    def start(self, *args):
        with self.log.open("w") as log:
            # In a session of its own, so that nothing but `stop` sends it a signal.
            self.process = subprocess.Popen(
                self.command("dev", *args),
                env=self.env,
                cwd=self.folder.parent,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.wait_for("Ctrl-C stops it.")
        self.url = self.log.read_text("utf-8").split("Palimpsest at ")[1].split()[0]
        return self

    def wait_for(self, words):
        deadline = time.monotonic() + PATIENCE
        while words not in self.log.read_text("utf-8"):
            assert time.monotonic() < deadline, self.log.read_text("utf-8")
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(0.05)
                raise AssertionError(self.log.read_text("utf-8"))

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


@pytest.fixture(scope="session")
def new_server(tmp_path_factory):
    """Makes servers on folders of their own; those that a test leaves running are stopped at the end."""
    made = []

    def make(name, **env):
        made.append(Server(tmp_path_factory.mktemp(name) / "data", **env))
        return made[-1]

    yield make
    for server in made:
        if server.process and server.process.poll() is None:
            server.process.kill()
            server.process.wait()


@pytest.fixture(scope="session")
def made_in_python(tmp_path_factory):
    """A data folder with some threads of Alice, that a Python program left behind; to be copied."""
    folder = tmp_path_factory.mktemp("python") / "data"
    with open_agent(folder) as agent:
        for name in ("monday", "tuesday", "friday"):
            config = {"configurable": {"thread_id": name}}
            agent.graph.invoke({"messages": [("user", "我对花生过敏")]}, config, context={"user_id": "alice"})
    return folder


class Stalling:
    """A model that says "Yes.", and to whoever says "wait" nothing at all; `asked` tells that one did."""

    def __init__(self):
        self.asked = threading.Event()

    def __call__(self, request):
        if "wait" not in str(request.body["messages"][-1]["content"]):
            return "Yes."
        self.asked.set()
        return Stall()


@pytest.fixture(scope="session")
def stalling():
    script = Stalling()
    with OpenAIServer(script) as serving:
        script.base_url = serving.base_url
        yield script


@pytest.fixture(scope="session")
def server(new_server, made_in_python, stalling):
    started = new_server("server", PALIMPSEST_OPENAI_BASE_URL=stalling.base_url, PALIMPSEST_OPENAI_API_KEY="any")
    copy_folder(made_in_python, started.folder)
    # The project's own configuration, and beside its graph one that blocks the event loop.
    config = json.loads((ROOT / "langgraph.json").read_text("utf-8"))
    config["dependencies"] = [str(ROOT)]
    config["graphs"]["blocking"] = "./blocking.py:graph"
    place = started.folder.parent
    (place / "blocking.py").write_text(BLOCKING, "utf-8")
    (place / "skills").mkdir()
    (place / "skills" / "knock.yaml").write_text(SKILL, "utf-8")
    (place / "langgraph.json").write_text(json.dumps(config), "utf-8")
    started.start()
    yield started
    assert started.stop() == 0, started.log.read_text("utf-8")


@pytest.fixture
async def client(server):
    async with get_client(url=server.url) as opened:
        yield opened


@pytest.fixture
def http(server):
    with httpx.Client(base_url=server.url, trust_env=False, timeout=PATIENCE) as opened:
        yield opened
