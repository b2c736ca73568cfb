"""How the judge of extraction pairs proposals with gold facts, and that what is kept aside stays unseen."""

import json
from datetime import datetime

import pytest
from typer.testing import CliRunner

from cli.main import app
from evals.extraction import Gold, Sentence, accepts, core, judge, load, ratio, report, same_core
from memory.extraction import RuleExtractor
from memory.record import Utterance

AT = datetime.fromisoformat("2026-11-25T10:00+08:00")


def proposal(attribute, value, *, subject="user", polarity=1, retract=False, occurred_at=None):
    return {
        "subject": subject,
        "attribute": attribute,
        "value": value,
        "text": "",
        "message_id": "m",
        "polarity": polarity,
        "retract": retract,
        "occurred_at": occurred_at,
    }


def gold(attribute, *values, **more):
    return Gold(("user",), (attribute,), values, **more)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("The Red  Lion!", "red lion"),
        ("一只橘猫。", "橘猫"),
        ("ＶＳ Code", "vs code"),
        ("游泳了", "游泳"),
        ("a-b", "a-b"),
    ],
)
def test_the_core_of_a_value(value, expected):
    assert core(value) == expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("hiking", "go hiking", True),
        ("hiking", "go hiking every single morning", False),
        ("order 12", "order 13", False),
        ("do the washing up", "the washing up", True),
        ("陶艺", "做陶艺", True),
        ("跑步", "跑车", False),
        ("三点", "三点开会再去机场接人", False),
    ],
)
def test_values_share_their_core_or_do_not(a, b, expected):
    assert same_core(a, b) is expected
    assert same_core(b, a) is expected


def test_a_proposal_must_agree_in_subject_attribute_polarity_and_retraction():
    wanted = gold("likes", "tea")
    assert accepts(wanted, proposal("likes", "tea"))
    assert accepts(wanted, proposal("favorite_drink", "tea"))
    assert not accepts(wanted, proposal("likes", "tea", subject="Ann"))
    assert not accepts(wanted, proposal("uses", "tea"))
    assert not accepts(wanted, proposal("likes", "tea", polarity=-1))
    assert not accepts(wanted, proposal("likes", "tea", retract=True))


def test_the_day_stands_for_the_words_and_no_value_is_the_whole_slot():
    assert accepts(
        gold("plan", "dentist", date="2026-11-26"), proposal("plan", "teeth", occurred_at="2026-11-26T10:00")
    )
    assert not accepts(gold("plan", "dentist", date="2026-11-26"), proposal("plan", "teeth", occurred_at="2026-11-27"))
    whole = Gold(("user",), ("address",), None, retract=True)
    assert accepts(whole, proposal("address", None, retract=True))
    assert not accepts(whole, proposal("address", "Elm Street 4", retract=True))


def test_optional_facts_and_repetitions_count_neither_way():
    sentence = Sentence(
        "s", "pets", "", AT, (gold("cat", "Pixel"), gold("pet", "cat", optional=True), gold("home", "Rome"))
    )
    found = [proposal("cat", "Pixel"), proposal("pet", "cat"), proposal("cat", "Pixel"), proposal("likes", "jazz")]
    judged = judge(sentence, found)
    assert (judged.right, judged.missed, judged.false) == (1, (gold("home", "Rome"),), (found[3],))
    assert judge(sentence, []).missed == (gold("cat", "Pixel"), gold("home", "Rome"))


def test_the_report_sums_over_facts():
    one = Sentence("1", "pets", "", AT, (gold("cat", "Pixel"), gold("home", "Rome")))
    none = Sentence("2", "thanks", "", AT)
    out = report([judge(one, [proposal("cat", "Pixel")]), judge(none, [proposal("likes", "jazz")])])
    assert (out["sentences"], out["facts"]) == (2, 2)
    assert (out["precision"]["value"], out["recall"]["value"]) == (0.5, 0.5)
    assert (out["kinds"], out["false"]) == ({"pets": 0.5}, {"thanks": 1})
    assert ratio([0], [0]) == {"value": 1.0, "low": 1.0, "high": 1.0}
    with pytest.raises(ValueError, match="no sentences"):
        report([])


def test_the_halves_are_the_odd_and_the_even_lines(tmp_path):
    rows = [
        {"id": str(i), "kind": "k", "text": "t", "at": AT.isoformat(), "facts": [{"subject": "user", "attribute": "home", "value": "Rome"}]}
        for i in range(5)
    ]  # fmt: skip
    (tmp_path / "extract_en.jsonl").write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    assert [s.id for s in load("open", "en", tmp_path)] == ["0", "2", "4"]
    assert [s.id for s in load("aside", "en", tmp_path)] == ["1", "3"]
    (tmp_path / "extract_third_en.jsonl").write_text((tmp_path / "extract_en.jsonl").read_text("utf-8"), "utf-8")
    assert [s.id for s in load("third", "en", tmp_path)] == ["0", "1", "2", "3", "4"]
    rows[1]["at"] = "2026-11-25T10:00"
    (tmp_path / "extract_en.jsonl").write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    with pytest.raises(ValueError, match=r"extract_en\.jsonl, line 2.*no zone"):
        load("aside", "en", tmp_path)


@pytest.mark.parametrize("part", ["second", "third"])
def test_a_set_of_another_hand_is_a_file_of_its_own(tmp_path, part):
    row = {"id": "0", "kind": "k", "text": "t", "at": AT.isoformat(), "facts": []}
    lines = [json.dumps({**row, "id": str(i)}) for i in range(3)]
    (tmp_path / f"extract_{part}_zh.jsonl").write_text("\n".join(lines), "utf-8")
    assert [s.id for s in load(part, "zh", tmp_path)] == ["0", "1", "2"]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_bundled_sentences_are_what_they_are_said_to_be(language):
    both = [*load("open", language), *load("aside", language)]
    kinds = {s.kind for s in both}
    assert len(both) >= 150
    assert len(kinds) >= 30
    assert sum(not s.facts for s in both) >= 0.4 * len(both)
    assert {s.kind for s in load("open", language)} == {s.kind for s in load("aside", language)}


def test_the_command_shows_errors_of_the_open_half_alone(tmp_path):
    shown = CliRunner().invoke(
        app, ["bench", "extract", "--set", "open", "--json", str(tmp_path / "out.json"), "--errors"]
    )
    assert shown.exit_code == 0
    measures = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert list(measures) == ["open zh", "open en"]
    assert all(one["precision"]["value"] >= 0.95 for one in measures.values())
    for parts in ([], ["--set", "aside"], ["--set", "open", "--set", "second"]):
        refused = CliRunner().invoke(app, ["bench", "extract", *parts, "--errors"])
        assert refused.exit_code == 1
        assert "Only --set open shows its errors" in refused.output.replace("\n", " ")


def test_the_rules_find_no_less_than_they_did_on_the_open_half():
    for language, least in (("zh", 0.8), ("en", 0.7)):
        judged = [judge(s, RuleExtractor().extract([_said(s)]).proposals) for s in load("open", language)]
        assert report(judged)["recall"]["value"] >= least


def _said(sentence):
    return Utterance(sentence.id, sentence.text, said_at=sentence.at)
