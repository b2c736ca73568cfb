import gzip
import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from evals.datasets import OWN, Dataset, Query, choose, load
from memory.privacy import redact
from memory.text import language
from stores.errors import BadInput
from stores.imports import ImportedMessage


def write(folder: Path, name: str, items: list[dict[str, Any]], queries: list[dict[str, Any]]) -> None:
    for part, rows in (("items", items), ("queries", queries)):
        (folder / f"{name}_{part}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def item(item_id: str, **more: Any) -> dict[str, Any]:
    return {"id": item_id, "group": "g", "seq": 0, "date": "2026-01-02T03:04:05", "text": "hello", **more}


def query(query_id: str, gold: list[str], **more: Any) -> dict[str, Any]:
    return {"id": query_id, "group": "g", "text": "who?", "category": "single", "gold": gold, **more}


def test_items_become_the_messages_that_an_import_writes(tmp_path: Path) -> None:
    rows = [
        item("1", session=3, speaker="Ann", image="a red kite"),
        item("2", date="2026-01-03", user="hi", assistant="hello", session="s"),
        item("3"),
    ]
    write(tmp_path, "set", rows, [query("q", ["1"])])
    (dataset,) = load(tmp_path)
    said = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    day = datetime(2026, 1, 3, tzinfo=UTC)
    assert [one.messages for one in dataset.items] == [
        (ImportedMessage("1", "Ann: hello [image: a red kite]", "g/3", "Ann", said, "Ann"),),
        (
            ImportedMessage("2/user", "hi", "g/s", "user", day),
            ImportedMessage("2/assistant", "hello", "g/s", "assistant", day),
        ),
        (ImportedMessage("3", "hello", "g", "user", said),),
    ]
    assert dataset.item_of() == {"1": "1", "2/user": "2", "2/assistant": "2", "3": "3"}


def test_questions_keep_their_time_and_those_without_gold_are_left_out(tmp_path: Path) -> None:
    asked = query("q2", ["1"], date="2026-02-01T00:00:00", stale=["2"])
    write(tmp_path, "set", [item("1"), item("2")], [query("q1", []), asked, query("q3", ["2"])])
    (dataset,) = load(tmp_path)
    assert dataset.queries == (
        Query("q2", "g", "who?", "single", ("1",), ("2",), datetime(2026, 2, 1, tzinfo=UTC)),
        Query("q3", "g", "who?", "single", ("2",)),
    )
    assert dataset.groups() == {"g": (list(dataset.items), list(dataset.queries))}


def test_gzipped_files_are_read_too(tmp_path: Path) -> None:
    write(tmp_path, "set", [item("1")], [query("q", ["1"])])
    plain = tmp_path / "set_items.jsonl"
    (tmp_path / "set_items.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    assert [one.id for one in load(tmp_path)[0].items] == ["1"]


def test_two_parallel_sides_are_asked_across_languages(tmp_path: Path) -> None:
    aligned = [query("q1", ["1"], category="aligned"), query("q2", ["2"], category="aligned"), query("q3", ["1"])]
    write(tmp_path, "memorybank_zh", [item("1", text="你好"), item("2", text="再见")], aligned)
    write(tmp_path, "memorybank_en", [item("1")], [query("e1", ["1"], category="aligned")])
    sets = {one.name: one for one in load(tmp_path)}
    assert {name: [q.id for q in one.queries] for name, one in sets.items()} == {
        "memorybank_en": ["e1"],
        "memorybank_zh": ["q1", "q2", "q3"],
        "memorybank_zh_on_en": ["q1"],
        "memorybank_en_on_zh": ["e1"],
    }
    assert sets["memorybank_zh_on_en"].items == sets["memorybank_en"].items
    assert [one.name for one in choose(sets.values(), ["memorybank_zh_on_en"])] == ["memorybank_zh_on_en"]
    assert choose(sets.values(), []) == list(sets.values())
    with pytest.raises(BadInput, match="No set nothing here; there are memorybank_en"):
        choose(sets.values(), ["nothing"])


@pytest.mark.parametrize(
    ("items", "queries", "sentence"),
    [
        ([item("1"), item("1")], [], "line 2: the id 1 is there twice"),
        ([item("1")], [query("q", ["2"])], "Question q of set: 2 is no item of group g"),
        ([item("1", group="other")], [query("q", ["1"])], "1 is no item of group g"),
        ([item("1", date="yesterday")], [], "line 1: Invalid isoformat"),
        ([{"id": "1"}], [], "line 1: no 'group'"),
    ],
)
def test_a_set_that_contradicts_itself_is_refused(
    tmp_path: Path, items: list[dict[str, Any]], queries: list[dict[str, Any]], sentence: str
) -> None:
    write(tmp_path, "set", items, queries)
    with pytest.raises(BadInput, match=sentence):
        load(tmp_path)


def test_a_folder_without_a_whole_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="holds no question set"):
        load(tmp_path)
    (tmp_path / "set_items.jsonl").write_text("", "utf-8")
    with pytest.raises(BadInput, match="holds no set_queries"):
        load(tmp_path)


@pytest.fixture(scope="module")
def own() -> Dataset:
    (dataset,) = load(OWN)
    return dataset


def test_the_own_set_is_of_the_promised_size_in_both_languages(own: Dataset) -> None:
    assert (own.name, len(own.items), len(own.queries)) == ("palimpsest", 168, 107)
    spoken = {group: Counter(language(i.messages[0].text) for i in items) for group, (items, _) in own.groups().items()}
    assert spoken == {"lin": {"zh": 42}, "zhou": {"zh": 42}, "maya": {"en": 42}, "oscar": {"en": 42}}


def test_the_own_set_has_every_kind_of_question(own: Dataset) -> None:
    kinds = Counter(query.category for query in own.queries)
    expected = "single paraphrase keyword multi temporal update negation cross-lingual"
    assert set(kinds) == set(expected.split())
    assert min(kinds.values()) >= 12
    assert all(len(query.gold) > 1 for query in own.queries if query.category == "multi")
    assert all(query.stale and query.asked_at for query in own.queries if query.category == "update")
    assert all(query.asked_at for query in own.queries if query.category == "temporal")


def test_cross_lingual_questions_are_asked_in_the_other_language(own: Dataset) -> None:
    for group, (items, queries) in own.groups().items():
        home = language(items[0].messages[0].text)
        for one in queries:
            assert (language(one.text) == home) == (one.category != "cross-lingual"), (group, one.text)


def test_paraphrases_do_not_hold_their_answers_words(own: Dataset) -> None:
    texts = {one.id: " ".join(message.text for message in one.messages) for one in own.items}
    for one in own.queries:
        if one.category == "paraphrase" and language(one.text) == "en":
            rare = {word.strip("?,.'").lower() for word in one.text.split() if len(word) > 5}
            said = {word.strip("?,.!'").lower() for gold in one.gold for word in texts[gold].split()}
            assert not rare & said, one.text


def test_the_own_set_is_in_order_and_holds_nothing_that_redaction_would_take(own: Dataset) -> None:
    for items, queries in own.groups().values():
        times = [message.said_at for one in items for message in one.messages]
        assert times == sorted(times, key=lambda time: time or datetime.min.replace(tzinfo=UTC))
        assert all(q.asked_at > max(filter(None, times)) for q in queries if q.asked_at)
    texts = [message.text for one in own.items for message in one.messages] + [one.text for one in own.queries]
    assert [text for text in texts if redact(text).found] == []
