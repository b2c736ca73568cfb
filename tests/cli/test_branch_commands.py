"""Branches on the command line: trees, replays, forks, switches, pruning, and memory as it stood at other moments."""

import json
from datetime import datetime, timedelta

import pytest

from graph import open_agent
from tests.folders import copy_folder
from tests.processes import Python


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setenv("PALIMPSEST_EMBEDDINGS", "hash")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with a thread that says 上海 where its first branch said 北京."""
    folder = tmp_path_factory.mktemp("home")
    config = {"configurable": {"thread_id": "home"}}
    with open_agent(folder, model="offline", embeddings="hash") as agent:

        def say(words, where):
            agent.graph.invoke({"messages": [("user", words)]}, where, context={"user_id": "local"})
            return agent.graph.get_state(config).config

        start = say("嗯嗯", config)
        say("我住在北京", config)
        say("我住在上海", start)
    return folder


@pytest.fixture
def forked(palimpsest, home):
    """The command's folder is a copy of that one; the checkpoints of the thread's ends by their words."""
    copy_folder(home, palimpsest.folder)
    return ends(palimpsest)


def ends(palimpsest, thread="home"):
    nodes = palimpsest.json("threads", "tree", thread)
    return {n["said"]: n["checkpoint_id"] for n in nodes if not n["next"]}


def facts(palimpsest, *args):
    return sorted(m["value"] for m in palimpsest.json("memory", "list", "--kind", "fact", *args))


def test_the_tree_marks_the_current_branch_and_names_checkpoints_and_commits(palimpsest, forked):
    lines = palimpsest("threads", "tree", "home").stdout.splitlines()
    assert [line.split("@")[0].rstrip() for line in lines] == ["● 嗯嗯", "├─○ 我住在北京", "● 我住在上海"]
    assert lines[2].endswith("← here")
    nodes = {n["checkpoint_id"]: n for n in palimpsest.json("threads", "tree", "home")}
    for line, said in zip(lines, ("嗯嗯", "我住在北京", "我住在上海"), strict=True):
        name = line.split("@")[1].split()[0]
        assert forked[said].startswith(name)
        assert f"commit {nodes[forked[said]]['commit']}" in line
    assert palimpsest("threads", "tree", "nope", code=1).stderr.count("\n") == 1


def test_branch_with_a_message_runs_it_or_leaves_it_to_the_next_chat(palimpsest, forked):
    assert facts(palimpsest) == ["上海"]
    made = palimpsest.json("threads", "branch", f"home@{forked['嗯嗯']}", "-m", "I live in Rome")
    assert facts(palimpsest) == ["上海"]
    assert palimpsest.json("threads", "tree", "home")[-1]["checkpoint_id"] == made["checkpoint"].split("@")[1]
    done = palimpsest("chat", "-t", "home", "-m", "Where do I live?")
    assert "Finishing" in done.stderr
    assert facts(palimpsest) == ["Rome"]
    again = palimpsest.json("threads", "branch", f"home@{forked['嗯嗯']}", "-m", "我住在广州", "--run")
    assert {(c["change"], c["text"]) for c in again["changes"]} >= {
        ("+", "用户住在广州"),
        ("-", "The user lives in Rome"),
    }
    assert palimpsest("threads", "branch", "home", "-m", " ", code=1).stderr.endswith("Nothing was changed.\n")


def test_switch_brings_memory_with_it_and_says_what_changed(palimpsest, forked):
    done = palimpsest.json("threads", "switch", f"home@{forked['我住在北京']}")
    assert {(c["change"], c["text"]) for c in done["changes"] if c["kind"] == "fact"} == {
        ("+", "用户住在北京"),
        ("-", "用户住在上海"),
    }
    assert facts(palimpsest) == ["北京"]
    shown = palimpsest("threads", "switch", f"home@{forked['我住在上海']}").stdout
    assert "+ fact: 用户住在上海" in shown
    assert "- fact: 用户住在北京" in shown


def test_replay_recalls_what_was_recalled_and_changes_nothing(palimpsest):
    palimpsest("chat", "-t", "home", "-m", "我住在北京")
    asked = palimpsest.json("chat", "-t", "asking", "-m", "我住在哪里？")
    start = next(n for n in palimpsest.json("threads", "tree", "asking") if n["next"] == ["retrieve_memory"])
    palimpsest("chat", "-t", "home", "-m", "我住在上海")
    before = palimpsest.json("memory", "stats")
    replayed = palimpsest.json("threads", "replay", f"asking@{start['checkpoint_id']}")
    assert (replayed["recalled"], replayed["answer"]) == (asked["recalled"], asked["answer"])
    assert "用户住在北京" in palimpsest("threads", "replay", f"asking@{start['checkpoint_id']}").stdout
    assert palimpsest.json("memory", "stats") == before


def test_memory_at_other_moments_by_checkpoint_time_and_ledger_time(palimpsest, forked):
    left, here = f"home@{forked['我住在北京']}", "home"
    assert facts(palimpsest, "--as-of", left) == ["北京"]
    assert facts(palimpsest, "--as-of", here) == ["上海"]
    assert facts(palimpsest, "--as-of", f"home@{forked['嗯嗯']}") == []
    (old,) = (m for m in palimpsest.json("memory", "list", "--standing", "all") if m["value"] == "北京")
    ((start, end),) = old["intervals"]
    assert facts(palimpsest, "--as-of", str(start)) == facts(palimpsest, "--as-of", str(end - 1)) == ["北京"]
    assert facts(palimpsest, "--as-of", str(end)) == []
    when = datetime.fromisoformat("1970-01-01T08:00:00+08:00") + timedelta(milliseconds=start)
    assert facts(palimpsest, "--as-of", when.isoformat()) == ["北京"]
    found = palimpsest.json("memory", "search", "我住在哪个城市？北京", "--as-of", left)
    assert [line["text"] for line in found["profile"]] == ["用户住在北京"]
    assert palimpsest("memory", "list", "--as-of", "1").stdout == "Nothing was stored for local then.\n"


def test_diff_between_branches(palimpsest, forked):
    a, b = f"home@{forked['我住在北京']}", f"home@{forked['我住在上海']}"
    found = palimpsest.json("memory", "diff", a, b, "--kind", "fact")
    assert [(c["change"], c["text"]) for c in found["changes"]] == [("+", "用户住在上海"), ("-", "用户住在北京")]
    assert found["a"] < found["b"]
    assert palimpsest("memory", "diff", a, b, "--kind", "fact").stdout == "+ fact: 用户住在上海\n- fact: 用户住在北京\n"
    assert palimpsest("memory", "diff", "home").stdout == "Memory is the same.\n"


def test_blame_leads_to_words_speaker_checkpoint_and_commit(palimpsest, forked):
    palimpsest("chat", "-t", "home", "-m", "我住在广州")
    (fact,) = palimpsest.json("memory", "list", "--kind", "fact")
    steps = palimpsest.json("memory", "blame", fact["id"])
    assert [(s["how"], s["text"]) for s in steps][:2] == [("is", "用户住在广州"), ("superseded", "用户住在上海")]
    shown = palimpsest("memory", "blame", fact["id"]).stdout
    assert f"{fact['message_ids'][0]} [0:5]" in shown
    assert f"home@{fact['checkpoint_id']}" in shown
    assert f"commit     {fact['commit_id']}" in shown
    assert "said       user" in shown


def test_undo_a_turn_or_a_commit_and_restore_it(palimpsest, forked):
    (here,) = (n for n in palimpsest.json("threads", "tree", "home") if n["checkpoint_id"] == forked["我住在上海"])
    undone = palimpsest.json("memory", "undo", here["turn_id"])
    assert undone["undone"] == [here["commit"]]
    assert ("-", "用户住在上海") in [(c["change"], c["text"]) for c in undone["changes"]]
    assert facts(palimpsest) == []
    assert palimpsest.json("memory", "restore", here["commit"])["restored"] == [here["commit"]]
    assert facts(palimpsest) == ["上海"]
    assert "- fact: 用户住在上海" in palimpsest("memory", "undo", here["commit"]).stdout
    assert "+ fact: 用户住在上海" in palimpsest("memory", "restore", here["turn_id"]).stdout
    assert palimpsest.json("memory", "undo", here["turn_id"][:8])["undone"] == [here["commit"]]
    assert palimpsest.json("memory", "restore", here["commit"][:8])["restored"] == [here["commit"]]
    (fact,) = palimpsest.json("memory", "list", "--kind", "fact")
    palimpsest("memory", "forget", fact["id"][:8])
    assert palimpsest.json("memory", "restore", fact["id"][:8])["restored"] == [fact["id"]]
    assert palimpsest("memory", "undo", "", code=1).stderr.startswith(
        "Several turns, commits or memories begin with ''"
    )
    assert palimpsest("memory", "undo", "nope", code=1).stderr.count("\n") == 1
    assert palimpsest("memory", "restore", "nope", code=1).stderr.count("\n") == 1


def test_prune_says_what_it_did(palimpsest):
    for i in range(4):
        palimpsest("chat", "-t", "home", "-m", f"我住在{'北上广深'[i]}海")
    report = palimpsest.json("threads", "prune", "home", "--keep", "1", "--vacuum")
    assert len(report["deleted"]) > len(report["kept"])
    assert {n["checkpoint_id"] for n in palimpsest.json("threads", "tree", "home")} == {*report["kept"]}
    assert palimpsest("threads", "prune", "home", "--keep", "1").stdout.startswith(
        "Pruned: home: 0 checkpoints deleted"
    )
    palimpsest("threads", "prune", "home", "--keep", "0", code=2)
    palimpsest("threads", "prune", "nope", "--keep", "1", code=1)
    assert "深海" in palimpsest.json("chat", "-t", "home", "-m", "我住在哪里？")["answer"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nope", "There is no thread 'nope'"),
        ("home@ffff", "No checkpoint begins with 'ffff'"),
        ("home@1", "checkpoints begin with '1'"),
        ("2026-01-05", "has no time zone"),
        ("2026-01-05T09:00", "has no time zone"),
        ("@", "There is no thread"),
        ("", "There is no thread"),
    ],
)
def test_what_names_no_moment_is_one_sentence(palimpsest, forked, name, why):
    for command in (["memory", "diff", name], ["memory", "search", "x", "--as-of", name or "@"]):
        done = palimpsest(*command, code=1)
        assert why in done.stderr
        assert (done.stderr.count("\n"), done.stdout) == (1, "")


def test_threads_with_any_name_have_checkpoints_with_names(palimpsest):
    for thread in ("2026-01-05", "7", "a@b", "a"):
        palimpsest("chat", "-t", thread, "-m", f"My name is {thread.replace('@', ' ')}")
        here = ends(palimpsest, thread)
        (one,) = here.values()
        moments = [f"{thread}@", f"{thread}@{one}", f"{thread}@{one[:-1]}"]
        found = [palimpsest.json("memory", "diff", "0", name)["b"] for name in moments]
        assert len(set(found)) == 1
        assert found[0] == palimpsest.json("threads", "tree", thread)[-1]["memory_time"]


def test_reading_works_while_another_process_holds_the_index_and_writing_says_who(palimpsest, forked):
    (fact,) = palimpsest.json("memory", "list", "--kind", "fact")
    left = f"home@{forked['我住在北京']}"
    reads = [
        ["threads", "tree", "home"],
        ["memory", "list", "--kind", "fact", "--as-of", left],
        ["memory", "diff", left, "home"],
        ["memory", "blame", fact["id"]],
    ]
    before = [palimpsest.json(*args) for args in reads]
    with open_agent(palimpsest.folder, embeddings="hash"):
        said, complained = Python(_READ, json.dumps(reads), env=palimpsest.env()).communicate()
    *answers, refused = said.split("\0")
    assert [json.loads(answer) for answer in answers] == before, complained
    assert refused.strip() == "1"
    assert str(palimpsest.folder) in complained
    assert "Traceback" not in complained


def test_bench_measures_branches_alone_and_among_others(palimpsest, tmp_path, monkeypatch):
    monkeypatch.setattr("evals.branching.FORKS", (2, 20))
    report = tmp_path / "report.json"
    done = palimpsest("bench", "branching", "--records", "1000", "--questions", "2", "--json", str(report))
    alone, among = json.loads(report.read_text(encoding="utf-8")).values()
    assert [m["what"] for m in alone] == [
        "aligning, nothing changed",
        "fork 2 commits back",
        "fork 20 commits back",
        "recall now",
        "recall as of the middle",
    ]
    # What is asked of the ledger does not grow with other threads and users; nothing changed is one look-up.
    assert [m["statements"] for m in alone] == [m["statements"] for m in among]
    assert alone[0]["statements"] == 1
    assert done.stdout.count(" ms (") == 10


def test_looking_makes_no_file(palimpsest):
    assert palimpsest("memory", "list", "--as-of", "2026-01-05T09:00Z").stdout == "Nothing was stored for local then.\n"
    assert palimpsest("memory", "diff", "1").stdout == "Memory is the same.\n"
    palimpsest("threads", "tree", "home", code=1)
    assert not palimpsest.folder.exists()


_READ = """
import json, sys
from cli.main import run

def ran(*args):
    sys.argv = ["palimpsest", *args]
    try:
        run()
    except SystemExit as ended:
        return ended.code or 0

for args in json.loads(sys.argv[1]):
    ran(*args, "--json")
    sys.stdout.write("\\0")
print(ran("threads", "prune", "home", "--keep", "1"))
"""
