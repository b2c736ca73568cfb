"""`palimpsest bench peers` and `bench scale`, with a double for the embedder and the peers that need no extra."""

import json
import re
import sys
from types import SimpleNamespace

import pytest

from evals.peers.measure import PEERS

ITEMS = [
    {"id": "a/0", "group": "a.1", "date": "2026-01-05T09:00:00", "text": "我家的狗叫豆豆，今年五岁。"},
    {"id": "a/1", "group": "a.1", "date": "2026-01-06T09:00:00", "text": "The boiler was repaired by Olsen & Sons."},
    {"id": "a/2", "group": "a.1", "date": "2026-01-06T10:00:00", "text": "The boiler was repaired by Olsen & Sons."},
    {"id": "b/0", "group": "b", "date": "2026-01-07", "user": "我下个月去成都出差", "assistant": "祝你一路顺风。"},
]
QUERIES = [
    {"id": "q0", "group": "a.1", "text": "狗叫什么名字？", "category": "single", "gold": ["a/0"]},
    {"id": "q1", "group": "a.1", "text": "Who repaired the boiler?", "category": "single", "gold": ["a/1"]},
    {
        "id": "q2",
        "group": "b",
        "text": "我下个月去哪里出差？",
        "category": "plan",
        "gold": ["b/0"],
        "date": "2026-01-08",
    },
]


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("PALIMPSEST_EMBEDDINGS", "hash")
    folder = tmp_path / "sets"
    folder.mkdir()
    for name, rows in (("items", ITEMS), ("queries", QUERIES)):
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"tiny_{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


def test_every_peer_is_told_and_asked_the_same(palimpsest, data, tmp_path):
    report = tmp_path / "peers.json"
    chosen = ("palimpsest", "InMemoryStore", "langgraph-store-qdrant", "langgraph-store-qdrant, Edge")
    flags = [flag for name in chosen for flag in ("--peer", name)]
    done = palimpsest("bench", "peers", "--data", str(data), "--records", "12", "--json", str(report), *flags)
    found = json.loads(report.read_text(encoding="utf-8"))
    assert found["embedder"] == "hash-256"
    assert [*found["peers"]] == [*chosen]
    for places in found["peers"].values():
        assert {place: one["questions"] for place, one in places.items()} == {
            "tiny": 3,
            "12 records": 3,
        }
        for one in places.values():
            assert one["note"] == ""
            assert one["metrics"]["R@5"]["value"] == 1.0
            assert 0 < one["seconds"]["p50 without"] < one["seconds"]["p50"]
    assert "tiny: 5 messages of 2 users, 3 questions" in done.stdout
    assert "12 records: 12 messages of one user, 3 questions" in done.stdout
    assert "langgraph-store-qdrant: langgraph-store-qdrant 0.1.0: dense, local mode of qdrant-client" in done.stdout


@pytest.mark.peers
@pytest.mark.parametrize("name", ["BM25", "mem0"])
def test_the_peers_of_the_extra_answer_too(palimpsest, data, tmp_path, name):
    report = tmp_path / "peers.json"
    palimpsest("bench", "peers", "--data", str(data), "--records", "none", "--peer", name, "--json", str(report))
    found = json.loads(report.read_text(encoding="utf-8"))["peers"][name]["tiny"]
    # mem0's own threshold is too high for most questions to the double.
    assert (found["note"], found["questions"], found["metrics"]["R@5"]["value"] > 0) == ("", 3, True)


def test_what_is_not_installed_is_said_with_how_to_get_it(palimpsest, data, monkeypatch):
    monkeypatch.setitem(sys.modules, "bm25s", None)
    monkeypatch.setitem(sys.modules, "mem0", None)
    done = palimpsest("bench", "peers", "--data", str(data), "--records", "none", "--peer", "BM25", "--peer", "mem0")
    assert done.stdout.count("not available") == 2
    for package in ("BM25: bm25s", "mem0: mem0ai"):
        assert f"{package} is not installed" in done.stdout
    assert done.stdout.count("pip install 'palimpsest[peers]'") == 2


def test_a_peer_that_is_too_slow_is_said_not_waited_for(palimpsest, data, monkeypatch):
    asked = ["bench", "peers", "--data", str(data), "--records", "none", "--peer", "InMemoryStore", "--seconds", "100"]

    def said_with(*seconds):
        """A clock that shows these: twice at the start, for each user, at the end, and around each question."""
        ticks = iter(seconds)
        monkeypatch.setattr("evals.peers.measure.time", SimpleNamespace(perf_counter=lambda: next(ticks)))
        return palimpsest(*asked).stdout

    assert "InMemoryStore: 2 of 3 questions: one took 60.0 s" in said_with(0, 0, 1, 2, 3, 10, 70, 80, 140)
    assert "InMemoryStore: not measured: writing 3 of 5 messages took 120 s" in said_with(0, 0, 1, 110, 120)


def test_a_peer_that_raises_is_said_and_the_others_are_measured(palimpsest, data, monkeypatch):
    def search(self, user_id, question, k, now):
        raise RuntimeError("no such table")

    monkeypatch.setattr("evals.peers.own.Palimpsest.search", search)
    flags = ["--records", "none", "--peer", "palimpsest", "--peer", "InMemoryStore"]
    done = palimpsest("bench", "peers", "--data", str(data), *flags)
    assert "palimpsest: not measured: it raised RuntimeError: no such table" in done.stdout
    assert re.search(r"^palimpsest +not measured *$", done.stdout, re.MULTILINE)
    assert re.search(r"^InMemoryStore +1\.000 ", done.stdout, re.MULTILINE)


def test_unknown_peers_and_sizes_are_one_sentence(palimpsest, data):
    done = palimpsest("bench", "peers", "--data", str(data), "--peer", "nobody", code=1)
    assert f"There is no peer nobody; there are {', '.join(PEERS)}." in done.stderr
    for command in ("peers", "scale"):
        done = palimpsest("bench", command, "--data", str(data), "--records", "many", code=1)
        assert "--records 'many' is no list of sizes such as 600,6000,50000" in done.stderr


def test_scale_is_measured_and_rankings_are_compared(palimpsest, data, tmp_path):
    report = tmp_path / "scale.json"
    flags = ["--records", "30", "--others", "20", "--questions", "25", "--json", str(report)]
    done = palimpsest("bench", "scale", "--data", str(data), *flags)
    found = json.loads(report.read_text(encoding="utf-8"))
    assert [one["what"] for one in found["recall"]] == [
        "30 records of one user",
        "30 records, alone",
        "30 records among 20 of others",
    ]
    for one in found["recall"]:
        assert 0 < one["first"]["p50_ms"] <= one["first"]["p95_ms"]
        assert 0 < one["later"]["p50_ms"] <= one["whole"]["p95_ms"]
    assert found["rankings"] == {"tiny": {"questions": 3, "users": 2, "different": []}}
    assert "tiny: 3 questions of 2 users, the same memories and scores, alone and among the others" in done.stdout


def test_what_a_published_file_leaves_out_is_said(palimpsest, data, tmp_path):
    file = tmp_path / "locomo10.json"
    said = {"speaker": "Ann", "dia_id": "D1:1", "text": "The boiler was repaired by Olsen."}
    conversation = {"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": [said]}
    asked = [
        {"question": "Who repaired the boiler?", "evidence": ["D1:1"], "category": 4},
        {"question": "Who sang?", "evidence": [], "category": 1},
    ]
    rows = [{"sample_id": "c", "conversation": conversation, "qa": asked}]
    file.write_text(json.dumps(rows), encoding="utf-8")
    done = palimpsest("bench", "retrieval", "--data", str(file))
    assert "locomo10: passed over: 1 questions without evidence" in done.stderr
    assert "1 / 1" in done.stdout
