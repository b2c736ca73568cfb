"""`palimpsest skills list|check|match`."""

import re
from pathlib import Path

import pytest

from memory.skills import parse_skill

ROOT = Path(__file__).parents[2]

GOOD = """id: refund
description: Handle a refund.
trigger:
  words: [refund, 退款]
  examples: [I want my money back]
steps: [Find the order.]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    made = tmp_path / "skills"
    made.mkdir()
    (made / "refund.yaml").write_text(GOOD, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PALIMPSEST_EMBEDDINGS", "hash")
    return made


def test_list_shows_each_skill(palimpsest, folder):
    assert "Handle a refund." in palimpsest("skills", "list").stdout
    assert palimpsest.json("skills", "list") == {
        "folder": "skills",
        "skills": [
            {
                "id": "refund",
                "description": "Handle a refund.",
                "words": ["refund", "退款"],
                "examples": ["I want my money back"],
                "steps": ["Find the order."],
                "tools": [],
                "safety_checks": [],
                "file": "skills/refund.yaml",
                "line": 1,
            }
        ],
        "problems": [],
    }


def test_check_says_file_and_line_and_ends_with_1(palimpsest, folder):
    assert palimpsest("skills", "check").stdout == "1 skill can be used; no problem.\n"
    (folder / "bad.yaml").write_text(GOOD.replace("steps", "step"), encoding="utf-8")
    done = palimpsest("skills", "check", code=1)
    assert done.stdout.splitlines() == [
        "skills/bad.yaml:1: 'steps' is missing; expected a list of texts, at least one: what to do, in order",
        "skills/bad.yaml:6: 'step' is nothing that a skill has; did you mean 'steps'?",
        "1 skill can be used; 2 problems.",
    ]
    assert done.stderr == ""
    assert palimpsest.json("skills", "check", code=1)["problems"][1] == {
        "file": "skills/bad.yaml",
        "line": 6,
        "text": "'step' is nothing that a skill has; did you mean 'steps'?",
    }
    assert "bad.yaml:6" in palimpsest("skills", "list").stderr
    assert "bad.yaml:6" in palimpsest("doctor", code=1).stdout


def test_match_shows_why(palimpsest, folder):
    assert "says 退款" in palimpsest("skills", "match", "我想退款").stdout
    (found,) = palimpsest.json("skills", "match", "I want my money back now")["matches"]
    assert (found["id"], found["words"], found["like"]) == ("refund", [], "I want my money back")
    assert found["reason"] == f"cosine {found['cosine']:.2f} in meaning with 'I want my money back'"
    assert palimpsest("skills", "match", "天气真好").stdout == "No skill is called for.\n"
    assert "say a request" in palimpsest("skills", "match", " ", code=2).stderr


def test_a_folder_that_is_not_there_is_said(palimpsest, folder, tmp_path, monkeypatch):
    for command in (("list",), ("check",), ("match", "x")):
        assert "elsewhere is not there" in palimpsest("skills", *command, "--skills", "elsewhere", code=1).stderr
    monkeypatch.setenv("PALIMPSEST_SKILLS", "elsewhere")
    assert "The folder of skills elsewhere is not there." in palimpsest("chat", "-m", "hi", code=1).stderr
    assert not (tmp_path / "data").exists()


def test_the_examples_of_this_project_are_good_skills(palimpsest):
    done = palimpsest.json("skills", "check", "--skills", str(ROOT / "skills"))
    assert (done["skills"], done["problems"]) == (3, [])


@pytest.mark.parametrize("readme", ["README.md", "README.zh.md"])
def test_the_readme_s_example_is_a_skill(readme):
    (example,) = re.findall(r"```yaml\n(id:.*?)```", (ROOT / readme).read_text(encoding="utf-8"), re.DOTALL)
    skill = parse_skill(example, readme)
    assert (skill.id, len(skill.steps), len(skill.safety_checks)) == ("refund", 2, 1)
