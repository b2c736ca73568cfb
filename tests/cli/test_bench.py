"""`palimpsest bench`: question sets through the product's own write path and recall, and growth."""

import itertools
import json
from dataclasses import fields

import pytest

from evals import retention, skill_requests
from graph.agent import embedder_of, settings_for
from memory.ranking import Weights
from stores.skill_folder import SkillFolder

ITEMS = [
    {"id": "g/0", "group": "g", "seq": 0, "date": "2026-01-05T09:00:00", "text": "我家的狗叫豆豆，今年五岁。"},
    {
        "id": "g/1",
        "group": "g",
        "seq": 1,
        "date": "2026-01-06T09:00:00",
        "text": "The boiler was repaired by Olsen & Sons.",
    },
    {
        "id": "g/2",
        "group": "g",
        "seq": 2,
        "date": "2026-01-07",
        "user": "我下个月去成都出差",
        "assistant": "祝你一路顺风。",
    },
]
QUERIES = [
    {"id": "q0", "group": "g", "text": "狗叫什么名字？", "category": "single", "gold": ["g/0"]},
    {"id": "q1", "group": "g", "text": "Who repaired the boiler?", "category": "single", "gold": ["g/1"]},
    {"id": "q2", "group": "g", "text": "我要去哪里出差？", "category": "plan", "gold": ["g/2"], "date": "2026-01-08"},
    {"id": "q3", "group": "g", "text": "没有答案的问题", "category": "none", "gold": []},
]


def write(folder, name, rows):
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / name).write_text("".join(lines), encoding="utf-8")


def test_a_small_set_is_written_asked_and_measured(palimpsest, tmp_path):
    data = tmp_path / "sets"
    data.mkdir()
    write(data, "tiny_items.jsonl", ITEMS)
    write(data, "tiny_queries.jsonl", QUERIES)
    report, questions = tmp_path / "report.json", tmp_path / "questions.jsonl"
    done = palimpsest("bench", "retrieval", "--data", str(data), "--json", str(report), "--questions", str(questions))
    assert "R@10" in done.stdout
    found = json.loads(report.read_text(encoding="utf-8"))["sets"]["tiny"]
    names = {"R@5", "R@10", "H@5", "H@10", "A@10", "MRR", "nDCG@10", "gold_in_1024"}
    assert names <= set(found["metrics"])
    assert all(set(m) == {"value", "low", "high"} for m in found["metrics"].values())
    assert found["metrics"]["R@5"]["value"] == 1.0
    assert set(found["categories"]) == {"single", "plan"}
    assert [json.loads(line)["id"] for line in questions.read_text(encoding="utf-8").splitlines()] == ["q0", "q1", "q2"]


def test_what_signals_are_worth_is_what_recall_loses_without_them(palimpsest, tmp_path):
    write(tmp_path, "tiny_items.jsonl", ITEMS)
    write(tmp_path, "tiny_queries.jsonl", QUERIES)
    report = tmp_path / "ablation.json"
    done = palimpsest("bench", "ablate", "--data", str(tmp_path), "--json", str(report))
    assert "no memory" in done.stdout
    found = json.loads(report.read_text(encoding="utf-8"))
    signals = {f"no {field.name}" for field in fields(Weights)}
    assert set(found) == {"full", *signals, "no episodes", "no facts", "no skills", "no memory"}
    assert all([*worth] == ["tiny", "all", "skills"] for worth in found.values())
    assert found["full"]["all"]["R@5"]["value"] == found["no memory"]["all"]["R@5"]["value"] == 1.0
    assert found["no episodes"]["tiny"]["R@10"]["value"] > 0


def test_skills_are_worth_what_their_requests_lose_and_nothing_in_recall(palimpsest, tmp_path):
    write(tmp_path, "tiny_items.jsonl", ITEMS)
    write(tmp_path, "tiny_queries.jsonl", QUERIES)
    report = tmp_path / "ablation.json"
    done = palimpsest("bench", "ablate", "--data", str(tmp_path), "--set", "tiny", "--json", str(report))
    found = json.loads(report.read_text(encoding="utf-8"))
    embedder = embedder_of(settings_for(None))
    folder = SkillFolder(skill_requests.FOLDER, embedder.embeddings, embedder.scale.threshold)
    chosen = [(one.skill, [m.skill.id for m in folder.match(one.text)]) for one in skill_requests.load()]
    share = sum(skill in ids for skill, ids in chosen) / len(chosen)
    full = found["full"]["skills"]
    assert 0 < share < 1
    assert [full["R@5"]["value"], full["R@10"]["value"]] == pytest.approx([share, share])
    assert 0 < full["R@5"]["low"] < share < full["R@5"]["high"] < 1
    nothing = {"value": 0.0, "low": 0.0, "high": 0.0}
    for variant, worth in found.items():
        lost = full if variant in ("full", "no skills", "no memory") else dict.fromkeys(full, nothing)
        assert worth["skills"] == lost, variant
    assert found["no skills"]["tiny"] == found["no skills"]["all"] == dict.fromkeys(full, nothing)
    shown = f"{share:+.3f} ({full['R@5']['low']:+.3f} to {full['R@5']['high']:+.3f})"
    assert [line for line in done.stdout.splitlines() if line.startswith("no skills")][0].endswith(shown)


def test_a_scale_is_measured_and_judged_on_groups_left_out(palimpsest, tmp_path):
    said = [("a", ("我家的狗叫豆豆", "锅炉是奥尔森修的")), ("b", ("The ferry leaves at nine", "My bike is green"))]
    items = [
        {"id": f"{group}/{i}", "group": group, "seq": i, "date": "2026-01-05", "text": text}
        for group, texts in said
        for i, text in enumerate(texts)
    ]
    asked = [
        ("a", 0, "狗叫什么？"),
        ("a", 1, "谁修的锅炉？"),
        ("b", 0, "When does the ferry leave?"),
        ("b", 1, "Which colour is my bike?"),
    ]
    queries = [
        {"id": f"q{n}", "group": group, "text": text, "category": "one", "gold": [f"{group}/{i}"]}
        for n, (group, i, text) in enumerate(asked)
    ]
    write(tmp_path, "pair_items.jsonl", items)
    write(tmp_path, "pair_queries.jsonl", queries)
    report = tmp_path / "scale.json"
    done = palimpsest("bench", "calibrate", "--data", str(tmp_path), "--json", str(report))
    assert "in use: floor" in done.stdout
    found = json.loads(report.read_text(encoding="utf-8"))
    assert 0 < found["floor"] < 0.3 < found["threshold"] < 1
    judged = found["judged"]
    assert (judged["all"]["own"], judged["all"]["others"]) == (4, 4)
    assert {"zh", "en", "pair", "others of the same set"} <= set(judged)
    assert judged["others of the same set"]["refused"] == 1.0


def test_a_folder_without_sets_and_an_unknown_set_are_one_sentence(palimpsest, tmp_path):
    done = palimpsest("bench", "retrieval", "--data", str(tmp_path), code=1)
    assert "holds no question set" in done.stderr
    write(tmp_path, "tiny_items.jsonl", ITEMS)
    write(tmp_path, "tiny_queries.jsonl", QUERIES)
    done = palimpsest("bench", "retrieval", "--data", str(tmp_path), "--set", "huge", code=1)
    assert "No set huge here" in done.stderr


def test_growth_is_measured_beside_the_plain_pattern_and_drawn(palimpsest, tmp_path):
    report, picture = tmp_path / "growth.json", tmp_path / "growth.svg"
    done = palimpsest("bench", "growth", "--turns", "8", "--json", str(report), "--plot", str(picture))
    found = json.loads(report.read_text(encoding="utf-8"))
    assert [*found] == ["one thread", "a thread a turn", "plain pattern"]
    assert {one["text_bytes"] for one in found.values()} == {found["one thread"]["text_bytes"]}
    assert all([n for n, _ in one["bytes_at"]] == [*range(1, 9)] for one in found.values())
    assert found["one thread"]["file_bytes"]["index"] > 0 == found["plain pattern"]["file_bytes"]["index"]
    assert "checkpoints over text" in done.stdout
    assert picture.read_text(encoding="utf-8").count("</text>") == 12


def test_retention_is_measured_beside_simpler_memories(palimpsest, tmp_path):
    report = tmp_path / "retention.json"
    done = palimpsest("bench", "retention", "--turns", "2", "--json", str(report))
    found = json.loads(report.read_text(encoding="utf-8"))
    assert {language: [*measured] for language, measured in found.items()} == {"zh": ["2"], "en": ["2"]}
    for measured in found.values():
        held = {way: shares["all"] for way, shares in measured["2"].items()}
        assert (held["no memory"], held["sliding window"], held["palimpsest"]) == (0.0, 1.0, 1.0)
    assert "vector recall only" in done.stdout


def test_the_constraints_are_what_the_measure_needs():
    for language in retention.LANGUAGES:
        constraints = retention.load(language)
        revised = [c for c in constraints if c.revised]
        missed = [c for c in constraints if c.missed()]
        assert min(len(constraints) / 30, len(revised) / len(constraints) * 3, len(missed) / len(constraints) * 3) >= 1
        talk = "".join(itertools.islice(retention.small_talk(language), 1000)) + retention.QUESTION[language]
        assert [c.id for c in constraints if c.held(talk)] == []
