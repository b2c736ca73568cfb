"""A folder that cannot be used, and a command that is interrupted: one sentence, and nothing half written."""

import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest

from graph import open_agent
from stores.embeddings import HashEmbeddings
from stores.errors import PalimpsestError
from tests.processes import PROCESSES, Python, started

PALIMPSEST = "from cli.main import run; run()"
NOBODY = 65534


@pytest.fixture
def read_only():
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def open_as_nobody(folder, answer):
    if os.geteuid() == 0:  # a folder is never read-only for root
        os.setuid(NOBODY)
    try:
        open_agent(folder, embeddings=HashEmbeddings())
    except PalimpsestError as error:
        answer.send(str(error))
    else:
        answer.send("it opened")


@pytest.mark.parametrize("inner", [".", "data"])
def test_a_read_only_folder_is_one_sentence(read_only, inner):
    mine, theirs = PROCESSES.Pipe()
    process = started(open_as_nobody, read_only / inner, theirs)
    assert mine.poll(60)
    said = mine.recv()
    process.join()
    assert "Nothing was changed" in said
    assert "PALIMPSEST_DATA_DIR" in said
    assert list(read_only.iterdir()) == []


def test_a_qdrant_server_that_does_not_answer_is_one_sentence(tmp_path):
    with pytest.raises(PalimpsestError, match=r"127\.0\.0\.1:1 does not answer .* The ledger is unharmed"):
        open_agent(tmp_path / "data", embeddings=HashEmbeddings(), qdrant_url="http://127.0.0.1:1")


@pytest.mark.parametrize("command", [["threads", "tree", "t"], ["doctor"]])
def test_a_foreign_checkpoints_file_is_no_traceback(tmp_path, command):
    with open_agent(tmp_path / "data", embeddings=HashEmbeddings()) as agent:
        agent.graph.invoke(
            {"messages": [("user", "hi")]}, {"configurable": {"thread_id": "t"}}, context={"user_id": "local"}
        )
    (tmp_path / "data" / "checkpoints.sqlite").write_bytes(b"not a database at all, but long enough for one" * 200)
    env = {"PATH": os.environ["PATH"], "PALIMPSEST_DATA_DIR": str(tmp_path / "data"), "PYTHONUTF8": "1"}
    assert "Traceback" not in Python(PALIMPSEST, *command, env=env).communicate()[1]


def test_ctrl_c_during_an_import_leaves_whole_commits_and_the_same_command_goes_on(tmp_path):
    file = tmp_path / "many.jsonl"
    line = '{{"id": "{i}", "group": "ann", "session": {s}, "text": "message number {i} about boats"}}\n'
    file.write_text("".join(line.format(i=i, s=i // 100) for i in range(1200)), encoding="utf-8")
    env = {"PATH": os.environ["PATH"], "PALIMPSEST_DATA_DIR": str(tmp_path / "data"), "PYTHONUTF8": "1"}
    env["PALIMPSEST_EMBEDDINGS"] = "hash"
    command = [PALIMPSEST, "memory", "import", file, "--timezone", "UTC"]
    importing = Python(*command, env=env)
    ledger = tmp_path / "data" / "ledger.sqlite"
    while importing.returncode is None and not (ledger.exists() and _messages(ledger)):
        importing.join(0.02)
    os.kill(importing.pid, signal.SIGINT)
    out, err = importing.communicate()
    assert (importing.returncode, "Traceback" in err) == (1, False), out + err
    assert "the same command goes on from there" in err
    before = _messages(ledger)
    assert 0 < before < 1200
    again = Python(*command, env=env)
    out, err = again.communicate()
    assert (again.returncode, _messages(ledger)) == (0, 1200), err
    assert str(1200 - before) in out


def _messages(ledger):
    import sqlite3

    try:
        conn = sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)
        try:
            return conn.execute("select count(*) from messages").fetchone()[0]
        finally:
            conn.close()
    except sqlite3.OperationalError:
        return 0
