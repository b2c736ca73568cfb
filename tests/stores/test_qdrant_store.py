"""The memory index as a LangGraph store, and what it adds, on Qdrant Edge and on qdrant-client's local mode."""

import asyncio
import itertools
import json
import os
import shutil
import threading
from datetime import UTC, datetime

import pytest
from langgraph.store.base import GetOp, ListNamespacesOp, PutOp, SearchOp
from qdrant_client import QdrantClient, models

from memory.record import OPEN
from stores.candidates import Candidates, RecentlyStored, Stored
from stores.edge import EdgeClient
from stores.edge_folder import EdgeError, FolderBusy, IndexCorrupt, holder
from stores.errors import PalimpsestError
from stores.qdrant_store import BM25, EmbedderMismatch, open_client
from stores.rows import memory_of
from tests.processes import Python

ALICE = ("palimpsest", "alice", "episode")


def vectors(store, namespace, key):
    """The names of the vectors that a point has."""
    found, _ = store.client.scroll(
        store.collection_name, limit=100, with_payload=["key", "namespace"], with_vectors=True
    )
    (point,) = [p for p in found if (tuple(p.payload["namespace"]), p.payload["key"]) == (tuple(namespace), key)]
    return sorted(name for name, value in (point.vector or {}).items() if value)


def keys(items):
    return [item.key for item in items]


# -- the store that LangGraph knows


def test_batch_answers_in_order_and_reads_before_it_writes(store):
    store.put(("a",), "x", {"n": 1})
    ops = [
        GetOp(("a",), "x"),
        PutOp(("a",), "x", {"n": 2}),
        SearchOp(("a",)),
        PutOp(("a",), "y", {"n": 3}),
        ListNamespacesOp(),
        GetOp(("a",), "none"),
    ]
    got, put, found, _, namespaces, none = store.batch(ops)
    assert (got.value, put, [i.value for i in found], namespaces, none) == ({"n": 1}, None, [{"n": 1}], [("a",)], None)
    assert {i.key: i.value for i in store.search(("a",))} == {"x": {"n": 2}, "y": {"n": 3}}


def test_the_last_put_of_a_key_in_a_batch_wins(store):
    store.batch(
        [
            PutOp(("a",), "x", {"n": 1}),
            PutOp(("a",), "x", None),
            PutOp(("a",), "y", {"n": 1}),
            PutOp(("a",), "y", {"n": 2}),
            PutOp(("a",), "z", {"n": 1}),
            PutOp(("a",), "z", None),
        ]
    )
    assert {i.key: i.value for i in store.search(("a",))} == {"y": {"n": 2}}


def test_an_invalid_operation_leaves_the_batch_undone(store):
    with pytest.raises(ValueError, match="operator"):
        store.batch([PutOp(("a",), "x", {"n": 1}), SearchOp(("a",), filter={"n": {"$near": 1}})])
    assert store.search(("a",)) == []


def test_prefixes_are_whole_segments(store):
    for namespace in [("user", "1"), ("user", "12"), ("user", "1", "更多"), ("users", "1")]:
        store.put(namespace, "k", {"at": list(namespace)})
    assert sorted(i.namespace for i in store.search(("user", "1"))) == [("user", "1"), ("user", "1", "更多")]
    assert sorted(i.namespace for i in store.search(("user",))) == [
        ("user", "1"),
        ("user", "1", "更多"),
        ("user", "12"),
    ]
    assert store.search(("use",)) == []


FILTERS = [
    ({"on": True}, "ac"),
    ({"on": False}, "b"),
    ({"on": {"$ne": True}}, "bde"),
    ({"on": 1}, "d"),
    ({"n": {"$gte": 2, "$lt": 4}}, "bc"),
    ({"n": {"$gt": 3.5}}, "de"),
    ({"n": {"$lte": 1}}, "a"),
    ({"n": 2}, "b"),
    ({"n": 2.0}, "b"),
    ({"name": "小雨"}, "ab"),
    ({"name": {"$ne": "小雨"}}, "cde"),
    ({"name": None}, "de"),
    ({"deep": {"er": {"yes": True}}}, "a"),
    ({"deep": {"$eq": {"er": {"yes": False}}}}, "b"),
    ({"tags": ["x", "饮食"]}, "c"),
    ({"tags": []}, "d"),
    ({"when": {"$gte": "2024-05-02T00:00:00+00:00"}}, "bc"),
    ({"when": {"$lt": datetime(2024, 5, 2, 1, tzinfo=UTC)}}, "ab"),
    ({"on": True, "name": "小雨"}, "a"),
    ({}, "abcde"),
]


@pytest.mark.parametrize(("flt", "expected"), FILTERS, ids=[str(flt) for flt, _ in FILTERS])
def test_filters(store, flt, expected):
    values = {
        "a": {"on": True, "n": 1, "name": "小雨", "deep": {"er": {"yes": True}}, "when": "2024-05-01T09:00:00+00:00"},
        "b": {"on": False, "n": 2, "name": "小雨", "deep": {"er": {"yes": False}}, "when": "2024-05-02T08:30:00+08:00"},
        "c": {"on": True, "n": 3, "name": "Bob", "tags": ["x", "饮食"], "when": "2024-06-01T00:00:00Z"},
        "d": {"on": 1, "n": 4, "name": None, "tags": []},
        "e": {"on": "true", "n": 5.5},
    }
    store.batch([PutOp(("f",), key, value) for key, value in values.items()])
    assert "".join(sorted(keys(store.search(("f",), filter=flt, limit=50)))) == expected


def test_nothing_hidden_in_a_value_comes_back(store):
    value = {"on": True, "list": [True, {"off": False}], "深": {"on": [False]}, "n": 0.1, "none": None}
    store.put(("a",), "k", value)
    assert store.get(("a",), "k").value == value
    assert [i.value for i in store.search(("a",), filter={"on": True})] == [value]


def test_search_by_meaning_is_upstreams(store):
    store.batch([PutOp(("m",), str(i), {"text": text}) for i, text in enumerate(["花生过敏", "a red bicycle", "过敏"])])
    found = store.search(("m",), query="花生过敏", limit=2)
    assert (keys(found), round(found[0].score, 3)) == (["0", "2"], 1.0)
    assert [i.score for i in store.search(("m",))] == [None, None, None]


def test_index_false_drops_both_vectors(store):
    store.put(("v",), "k", {"text": "花生 peanuts"})
    assert vectors(store, ("v",), "k") == ["bm25", "embedding"]
    store.put(("v",), "k", {"text": "花生 peanuts"}, index=False)
    assert vectors(store, ("v",), "k") == []
    store.put(("v",), "k", {"text": "x", "title": "花生"}, index=["title"])
    assert vectors(store, ("v",), "k") == ["bm25", "embedding"]
    store.put(("v",), "k", {"other": "no text"})
    assert vectors(store, ("v",), "k") == []


def test_ttl(store):
    store.batch([PutOp(("t",), "past", {"n": 1}, ttl=-1.0), PutOp(("t",), "later", {"n": 2}, ttl=60.0)])
    store.put(("t",), "always", {"n": 3})
    assert store.sweep_ttl() == 1
    assert sorted(keys(store.search(("t",)))) == ["always", "later"]


def test_pages_neither_overlap_nor_miss(store):
    store.batch([PutOp(("p",), f"k{i:02}", {"text": "same words"}) for i in range(11)])  # one time, one score: all tie
    for query in (None, "same words"):
        pages = [keys(store.search(("p",), query=query, limit=4, offset=at)) for at in (0, 4, 8, 12)]
        assert [len(page) for page in pages] == [4, 4, 3, 0]
        assert sorted(itertools.chain(*pages)) == [f"k{i:02}" for i in range(11)]
    assert store.search(("p",), limit=0) == []


def test_namespaces(store):
    for namespace in [("a", "b", "c"), ("a", "b", "d"), ("a", "x"), ("中文", "子"), ("z",)]:
        store.put(namespace, "k", {})
    assert store.list_namespaces(max_depth=2) == [("a", "b"), ("a", "x"), ("z",), ("中文", "子")]
    assert store.list_namespaces(prefix=("a",)) == [("a", "b", "c"), ("a", "b", "d"), ("a", "x")]
    assert store.list_namespaces(prefix=("a", "*", "d")) == [("a", "b", "d")]
    assert store.list_namespaces(suffix=("子",)) == [("中文", "子")]
    assert store.list_namespaces(limit=2, offset=1) == [("a", "b", "d"), ("a", "x")]


def test_an_emptied_namespace_is_gone(store):
    store.put(("a", "b"), "k", {})
    store.put(("a", "c"), "k", {})
    store.delete(("a", "b"), "k")
    store.delete(("a", "b"), "never there")
    assert store.list_namespaces() == [("a", "c")]


@pytest.mark.parametrize("key", ["普通", "with space", 'quo"te', "a/b\\c", "😀", "", "x" * 2_000])
def test_any_string_is_a_key(store, key):
    store.put(("命名", "空间"), key, {"文": "值 — ∑ 😀"})
    found = store.get(("命名", "空间"), key)
    assert (found.key, found.namespace, found.value) == (key, ("命名", "空间"), {"文": "值 — ∑ 😀"})


def test_what_comes_out_is_a_copy(store):
    value = {"list": [1]}
    store.put(("c",), "k", value)
    value["list"].append(2)
    got = store.get(("c",), "k")
    got.value["list"].append(3)
    assert store.get(("c",), "k").value == {"list": [1]}


def test_times_are_aware_and_the_first_one_is_kept(store):
    store.put(("c",), "k", {"n": 1})
    first = store.get(("c",), "k")
    store.put(("c",), "k", {"n": 2})
    second = store.get(("c",), "k")
    assert first.created_at == first.updated_at == second.created_at < second.updated_at
    assert second.updated_at.utcoffset().total_seconds() == 0
    assert abs((datetime.now(UTC) - second.updated_at).total_seconds()) < 60


async def test_async_calls(store):
    await store.aput(("a",), "k", {"text": "花生"})
    await asyncio.gather(*[store.aput(("a",), str(i), {"n": i}) for i in range(5)])
    assert (await store.aget(("a",), "k")).value == {"text": "花生"}
    assert len(await store.asearch(("a",), limit=50)) == 6
    await store.adelete(("a",), "k")
    assert await store.alist_namespaces() == [("a",)]


@pytest.mark.parametrize("value", [{"f": float("nan")}, {"n": 2**63}, {"x": object()}])
def test_what_cannot_be_kept_exactly_is_refused(store, value):
    with pytest.raises((ValueError, TypeError)):
        store.put(("a",), "k", value)
    assert store.search(("a",)) == []


# -- hybrid search


def record(number, text, *, thread="monday", near=(), start=1, end=OPEN, **more):
    value = {
        "id": f"r{number}",
        "user_id": "alice",
        "text": text,
        "kind": "episode",
        "thread_id": thread,
        "near": [f"r{n}" for n in near],
        "start": start,
        "end": end,
        **more,
    }
    return f"r{number}:{start}", value


TALK = [
    record(0, "我对花生过敏，很严重"),
    record(1, "好的，记下了", near=[0]),
    record(2, "what is the weather in Denver", near=[0, 1]),
    record(3, "sunny and 20 degrees", near=[1, 2]),
    record(4, "my bicycle was stolen", thread="tuesday"),
    record(5, "did you tell the police", thread="tuesday", near=[4]),
    record(6, "the report number is #8842", thread="tuesday", near=[4, 5]),
    record(7, "peanuts are in 宫保鸡丁", thread="wednesday"),
]


def say(store, talk=TALK, namespace=ALICE):
    return store.write([(namespace, key, value) for key, value in talk])


NOW = models.Filter(
    must=[
        models.FieldCondition(key="value.start", range=models.Range(lte=10)),
        models.FieldCondition(key="value.end", range=models.Range(gt=10)),
    ]
)


def signals(candidates):
    return {hit.key: (round(hit.dense, 4), round(hit.bm25, 4)) for hit in candidates.hits}


def test_every_candidate_has_both_signals(store):
    say(store)
    found = store.hybrid(ALICE[:2], "花生 peanuts", where=NOW, pool=2, expand=False)
    assert isinstance(found, Candidates)
    assert found.degraded is None
    assert [hit.key for hit in found.hits] == sorted(hit.key for hit in found.hits)
    assert {hit.key: hit.memory for hit in found.hits}["r0:1"] == memory_of(TALK[0][1])
    assert all(-1 <= hit.dense <= 1.001 and hit.bm25 >= 0 for hit in found.hits)
    assert {"r0:1", "r7:1"} <= {hit.key for hit in found.hits if hit.bm25 > 0}


@pytest.mark.parametrize("expand", [False, True])
def test_scores_are_those_of_a_search_of_everything(store, expand):
    say(store)
    question = "the report police 花生"
    small, whole = (store.hybrid(ALICE[:2], question, where=NOW, pool=pool, expand=expand) for pool in (2, 50))
    assert signals(small).items() <= signals(whole).items()
    assert sorted(signals(whole)) == sorted(key for key, _ in TALK)
    assert signals(whole)["r3:1"][1] == 0.0  # no word in common


def test_a_collection_is_made_for_quick_scans(store):
    params = store.client.get_collection(store.collection_name).config.params
    assert params.vectors["embedding"].datatype == models.Datatype.FLOAT16
    assert params.sparse_vectors["bm25"].index == models.SparseIndexParams(full_scan_threshold=300)


def test_a_record_is_read_once_and_again_after_it_was_written_or_removed(store, monkeypatch):
    say(store)
    retrieve, asked = store.client.retrieve, []

    def counted(*args, ids, with_payload, **more):
        if with_payload == ["key", "value_json"]:  # a write looks at what was there before, and asks for other fields
            asked.append(len(ids))
        return retrieve(*args, ids=ids, with_payload=with_payload, **more)

    monkeypatch.setattr(store.client, "retrieve", counted)
    first, again = (store.hybrid(ALICE[:2], "bicycle", where=NOW) for _ in range(2))
    assert (first, asked) == (again, [len(TALK)])
    say(store, [record(4, "my bicycle was found", thread="tuesday")])
    found = store.hybrid(ALICE[:2], "bicycle", where=NOW)
    assert [hit.memory.text for hit in found.hits if hit.key == "r4:1"] == ["my bicycle was found"]
    store.remove([(ALICE, "r5:1")])
    assert "r5:1" not in signals(store.hybrid(ALICE[:2], "police", where=NOW))
    assert asked == [len(TALK), 1]


def test_only_the_records_that_were_asked_for_last_are_kept():
    kept = RecentlyStored(2)
    one, two, three = (Stored(key, memory_of(record(n, key)[1])) for n, key in enumerate(("one", "two", "three")))
    kept.keep({"a": one, "b": two})
    assert kept.among(["a", "c"]) == {"a": one}
    kept.keep({"c": three})
    assert kept.among("abc") == {"a": one, "c": three}
    kept.drop(["a", "z"])
    assert kept.among("abc") == {"c": three}


def test_neighbours_come_along(store):
    say(store)
    alone, together = (store.hybrid(ALICE[:2], "bicycle", where=NOW, pool=1, expand=how) for how in (False, True))
    assert [hit.key for hit in alone.hits] == ["r4:1"]
    assert [hit.key for hit in together.hits] == ["r4:1", "r5:1", "r6:1"]
    middle = store.hybrid(ALICE[:2], "police", where=NOW, pool=1)
    assert [hit.key for hit in middle.hits] == ["r4:1", "r5:1", "r6:1"]


def test_neighbours_obey_the_filter(store):
    say(store)
    say(store, [record(5, "did you tell the police", thread="tuesday", near=[4], end=5)])
    found = store.hybrid(ALICE[:2], "bicycle", where=NOW, pool=1)
    assert [hit.key for hit in found.hits] == ["r4:1", "r6:1"]


def test_what_others_write_never_changes_my_scores(store):
    say(store)
    before = signals(store.hybrid(ALICE[:2], "花生 report weather", where=NOW))
    others = [record(i, "花生 report weather report report") for i in range(40)]
    say(store, others, ("palimpsest", "bob", "episode"))
    say(store, others, ("palimpsest", "alice2", "episode"))
    store.put(("elsewhere",), "k", {"text": "花生 report weather"})
    say(store, [record(90, "花生 weather report", end=5)])  # mine, but not in the filter
    assert signals(store.hybrid(ALICE[:2], "花生 report weather", where=NOW)) == before
    assert store.hybrid(("palimpsest", "nobody"), "花生", where=NOW) == Candidates([], None)


@pytest.mark.parametrize("query", ["", "   ", "the a is", "的了"])
def test_a_question_without_words_asks_the_dense_leg_alone(store, query):
    say(store)
    found = store.hybrid(ALICE[:2], query, where=NOW, pool=3, expand=False)
    assert ([hit.bm25 for hit in found.hits], found.degraded) == ([None] * 3, None)
    assert all(isinstance(hit.dense, float) for hit in found.hits)


def test_no_filter_searches_the_whole_prefix(store):
    say(store)
    say(store, [record(1, "花生 as a fact")], ("palimpsest", "alice", "fact"))
    assert len(store.hybrid(ALICE[:2], "花生").hits) == len(TALK) + 1
    assert [hit.memory.text for hit in store.hybrid(("palimpsest", "alice", "fact"), "花生").hits] == ["花生 as a fact"]


# -- an embedder that fails


def test_recall_goes_on_with_words_alone(store, embedder):
    say(store)
    embedder.down = "no route to host"
    found = store.hybrid(ALICE[:2], "花生", where=NOW, expand=False)
    assert found.degraded == "The embedder failed (ConnectionError: no route to host), so only words were matched."
    assert [(hit.key, hit.dense, hit.bm25 > 0) for hit in found.hits] == [("r0:1", None, True)]
    assert store.hybrid(ALICE[:2], "", where=NOW).hits == []


def test_writing_goes_on_and_the_dense_vector_follows(store, embedder):
    embedder.down = "no route to host"
    assert say(store, TALK[:3]) == [(ALICE, key) for key, _ in TALK[:3]]
    assert vectors(store, ALICE, "r0:1") == ["bm25"]
    with pytest.raises(ConnectionError):
        store.embed_missing()
    embedder.down = None
    assert say(store, TALK[3:]) == []
    before = store.get(ALICE, "r0:1")
    assert [store.embed_missing(limit=2), store.embed_missing(limit=2), store.embed_missing()] == [2, 1, 0]
    assert (vectors(store, ALICE, "r0:1"), store.get(ALICE, "r0:1")) == (["bm25", "embedding"], before)
    assert all(hit.dense is not None for hit in store.hybrid(ALICE[:2], "花生", where=NOW).hits)


def test_a_vector_that_is_no_vector_is_a_failure_too(store, embedder, monkeypatch):
    monkeypatch.setattr(embedder, "embed_documents", lambda texts: [[float("nan")] * 64 for _ in texts])
    assert say(store, TALK[:1]) == [(ALICE, "r0:1")]
    monkeypatch.setattr(embedder, "embed_query", lambda text: [0.5] * 3)
    assert "size 3" in store.hybrid(ALICE[:2], "花生", where=NOW).degraded


def test_elsewhere_the_embedders_error_is_the_callers(store, embedder):
    embedder.down = "no route to host"
    with pytest.raises(ConnectionError, match="no route to host"):
        store.put(("notes",), "k", {"text": "花生"})
    with pytest.raises(ConnectionError, match="no route to host"):
        store.search(("notes",), query="花生")
    assert store.get(("notes",), "k") is None


# -- our own records


def test_patch_keeps_vectors_and_embeds_nothing(store, embedder):
    say(store)
    before, asked = store.get(ALICE, "r0:1"), embedder.asked
    scores = signals(store.hybrid(ALICE[:2], "花生", expand=False))
    changes = {"end": 5, "flag": True, "tags": ["已结束"]}
    store.patch(ALICE, {"r0:1": changes, "r6:1": {"end": 7}, "missing:1": {"end": 5}})
    after = store.get(ALICE, "r0:1")
    assert (after.value, after.created_at) == ({**TALK[0][1], **changes}, before.created_at)
    assert after.updated_at > before.updated_at
    assert (embedder.asked, vectors(store, ALICE, "r0:1")) == (asked, ["bm25", "embedding"])
    assert signals(store.hybrid(ALICE[:2], "花生", expand=False)) == scores
    assert keys(store.search(ALICE, filter={"flag": True, "tags": ["已结束"]})) == ["r0:1"]
    assert store.get(ALICE, "missing:1") is None
    assert "r0:1" not in signals(store.hybrid(ALICE[:2], "花生", where=NOW))


def test_patch_refuses_the_text(store):
    say(store)
    with pytest.raises(ValueError, match="leaves vectors alone"):
        store.patch(ALICE, {"r0:1": {"text": "something else"}})


def test_many_are_patched_and_removed_at_once(store):
    many = [record(i, f"word{i}") for i in range(600)]
    say(store, many)
    store.patch(ALICE, {key: {"end": 3} for key, _ in many})
    assert store.client.count("palimpsest", count_filter=NOW).count == 0
    store.remove([(ALICE, key) for key, _ in many[1:]] + [(ALICE, "missing")])
    assert [(i.key, i.value["end"]) for i in store.search(ALICE)] == [("r0:1", 3)]


def test_writing_twice_changes_nothing(store):
    say(store)
    first = {i.key: (i.value, i.created_at) for i in store.search(ALICE, limit=50)}
    say(store)
    assert {i.key: (i.value, i.created_at) for i in store.search(ALICE, limit=50)} == first


def test_what_comes_from_outside_is_handed_over(store):
    say(store, TALK[:1])
    seen = []
    store.on_outside = seen.append
    got, *_ = store.batch(
        [
            GetOp(ALICE, "r0:1"),
            PutOp(ALICE, "r0:1", None),
            PutOp(("elsewhere", "palimpsest"), "k", {"n": 1}),
            PutOp(ALICE, "mine", {"text": "first"}),
            PutOp(ALICE, "mine", {"text": "second"}),
            PutOp(("palimpsest",), "root", {}),
        ]
    )
    assert got.key == "r0:1"
    assert [(op.namespace, op.key, op.value) for op in seen] == [
        (ALICE, "r0:1", None),
        (ALICE, "mine", {"text": "second"}),
        (("palimpsest",), "root", {}),
    ]
    assert sorted((i.namespace, i.key) for i in store.search((), limit=9)) == [
        (("elsewhere", "palimpsest"), "k"),
        (ALICE, "r0:1"),
    ]
    say(store, TALK[1:2])  # our own path is not outside
    store.remove([(ALICE, "r0:1")])
    assert keys(store.search(ALICE)) == ["r1:1"]
    assert len(seen) == 3


async def test_outside_writes_are_handed_over_from_async_calls_too(store):
    seen = []
    store.on_outside = seen.append
    await store.aput(ALICE, "k", {"text": "花生"})
    await store.adelete(ALICE, "k")
    assert [(op.key, op.value) for op in seen] == [("k", {"text": "花生"}), ("k", None)]
    assert await store.asearch(ALICE) == []


# -- the collection


def test_setup_again_is_harmless(store, open_store):
    say(store)
    again = open_store(store.client)
    again.setup()
    assert len(again.search(ALICE, limit=50)) == len(TALK)


@pytest.mark.parametrize(("name", "dims"), [("other-64", 64), ("hash-64", 32)])
def test_another_embedder_is_named_before_anything_is_written(store, open_store, name, dims):
    say(store)
    other = open_store(store.client, name=name, dims=dims)
    with pytest.raises(EmbedderMismatch) as caught:
        other.setup()
    assert isinstance(caught.value, ValueError)
    for part in ("'hash-64' (64 dimensions)", f"{name!r} ({dims} dimensions)", "`palimpsest memory rebuild`"):
        assert part in str(caught.value)
    assert store.client.get_collection("palimpsest").config.metadata["palimpsest_embedder"] == "hash-64"
    assert len(store.search(ALICE, limit=50)) == len(TALK)


def test_words_of_another_version_are_spelled_anew_when_opened(client, open_store, words):
    old = open_store(client)
    old.setup()
    say(old)
    old.put(("notes", "mine"), "silent", {"text": "花生"}, index=False)
    found = signals(old.hybrid(ALICE[:2], "花生 report", expand=False))

    class Later(type(words)):
        version = "later"

        def terms(self, text, owner):
            return super().terms(text, f"later {owner}")

    new = open_store(client)
    new.sparse = Later()
    assert {bm25 for _, bm25 in signals(new.hybrid(ALICE[:2], "花生 report", expand=False)).values()} == {0.0}
    new.setup()
    assert signals(new.hybrid(ALICE[:2], "花生 report", expand=False)) == found
    assert vectors(new, ("notes", "mine"), "silent") == []
    assert client.get_collection("palimpsest").config.metadata["palimpsest_terms"] == "later"


def test_the_same_words_of_two_users_are_two_terms(store):
    say(store)
    say(store, namespace=("palimpsest", "bob", "episode"))
    found, _ = store.client.scroll("palimpsest", limit=100, with_payload=["namespace"], with_vectors=["bm25"])
    terms = {"alice": set(), "bob": set()}
    for point in found:
        terms[point.payload["namespace"][1]] |= set(point.vector["bm25"].indices)
    assert len(terms["alice"]) == len(terms["bob"]) > 20
    assert terms["alice"].isdisjoint(terms["bob"])


def test_reset_makes_an_empty_index_for_another_embedder(client, open_store):
    store = open_store(client)
    store.setup()
    say(store)
    other = open_store(store.client, name="other")
    other.reset()
    assert other.search(()) == []
    say(other)
    assert store.client.get_collection("palimpsest").config.metadata["palimpsest_embedder"] == "other"
    other.setup()


def test_a_collection_that_is_not_ours_is_left_alone(client, open_store):
    theirs = {"embedding": models.VectorParams(size=64, distance=models.Distance.COSINE)}
    client.create_collection("palimpsest", vectors_config=theirs, metadata={"whose": "somebody's"})
    with pytest.raises(PalimpsestError, match="not made by Palimpsest"):
        open_store(client).setup()
    assert client.get_collection("palimpsest").config.metadata == {"whose": "somebody's"}


def test_setup_that_was_cut_short_is_completed(client, open_store):
    first = open_store(client)
    first.setup()
    metadata = client.get_collection("palimpsest").config.metadata
    client.delete_collection("palimpsest")
    client.create_collection(
        "palimpsest",
        vectors_config=first._vectors_config(),
        sparse_vectors_config={BM25: models.SparseVectorParams(modifier=models.Modifier.IDF)},
    )
    open_store(client).setup()
    assert client.get_collection("palimpsest").config.metadata == metadata


def test_a_server_that_is_too_old_is_named(client, open_store, monkeypatch):
    old = models.VersionInfo(title="qdrant", version="1.18.2")
    monkeypatch.setattr(client, "info", lambda: old)
    with pytest.raises(PalimpsestError, match=r"version 1\.18\.2; Palimpsest needs 1\.19\.0"):
        open_store(client).setup()
    assert not client.collection_exists("palimpsest")


def test_open_client(tmp_path):
    with_folder = open_client(tmp_path, None)
    assert (type(with_folder), with_folder.path) == (EdgeClient, tmp_path / "qdrant")
    with_folder.close()
    assert type(open_client(tmp_path, ":memory:")) is QdrantClient
    remote = open_client(tmp_path, "http://localhost:1")  # nothing answers there, and nothing is asked
    assert type(remote) is QdrantClient


# -- the folder


def test_everything_survives_reopening(index, open_store):
    store = open_store(EdgeClient(index))
    store.setup()
    say(store)
    store.put(("notes",), "k", {"on": True})
    before = signals(store.hybrid(ALICE[:2], "花生 police", where=NOW))
    store.client.close()
    store = open_store(EdgeClient(index))
    store.setup()
    assert signals(store.hybrid(ALICE[:2], "花生 police", where=NOW)) == before
    assert keys(store.search(("notes",), filter={"on": True})) == ["k"]
    store.client.close()
    assert sorted(p.name for p in index.iterdir()) == ["collection.json", "lock", "shard"]


def test_clients_of_one_process_share_the_folder(index, open_store):
    one, two = EdgeClient(index), EdgeClient(str(index / ".." / "index"))
    store = open_store(one)
    store.setup()
    say(store)
    assert two.count("palimpsest").count == len(TALK)
    one.close()
    one.close()
    assert f"process {os.getpid()} " in holder(index)
    assert two.count("palimpsest").count == len(TALK)
    with pytest.raises(EdgeError, match="is closed"):
        one.count("palimpsest")
    two.close()
    assert holder(index) is None


OPEN_IT = """
import sys
from stores.edge import EdgeClient
from stores.edge_folder import FolderBusy
try:
    client = EdgeClient(sys.argv[1])
    print("opened", client.count("palimpsest").count)
    client.close()
except FolderBusy as busy:
    print(busy)
"""


def test_a_second_process_is_told_who_holds_the_folder(index, open_store):
    store = open_store(EdgeClient(index))
    store.setup()
    say(store)
    told = Python(OPEN_IT, index).communicate()[0].strip()
    assert told.startswith(f"The memory index in {index} is held by process {os.getpid()} (`")
    assert told.endswith("or set PALIMPSEST_QDRANT_URL to a Qdrant server, which several processes can share.")
    assert len(told.splitlines()) == 1
    say(store, TALK[:1])
    store.client.close()
    assert Python(OPEN_IT, index).communicate()[0].strip() == f"opened {len(TALK)}"


def test_the_lock_decides_and_the_holder_file_only_explains(tmp_path):
    (tmp_path / "holder.json").write_text('{"pid": 1, "host": "elsewhere", "since": "2024", "command": "x"}')
    EdgeClient(tmp_path).close()
    client = EdgeClient(tmp_path)
    (tmp_path / "holder.json").write_text("not json")
    assert "is held by another process" in Python(OPEN_IT, tmp_path).communicate()[0]
    client.close()


KILLED = """
import os, sys
from qdrant_client import models
from stores.edge import EdgeClient
client = EdgeClient(sys.argv[1])
client.create_collection("palimpsest", {"v": models.VectorParams(size=2, distance=models.Distance.COSINE)})
client.create_payload_index("palimpsest", "n", models.PayloadSchemaType.INTEGER)
for n in range(50):
    client.upsert("palimpsest", [models.PointStruct(id=n, vector={"v": [1.0, n]}, payload={"n": n})])
client.batch_update_points("palimpsest", [models.SetPayloadOperation(
    set_payload=models.SetPayload(payload={"done": True}, points=[3, 4]))])
os._exit(9)  # as a kill: nothing is flushed, closed or released
"""


def test_what_was_written_survives_a_killed_process(tmp_path):
    process = Python(KILLED, tmp_path / "i")
    assert (process.communicate(), process.returncode) == (("", ""), 9)
    assert holder(tmp_path / "i") is None  # it is not alive
    client = EdgeClient(tmp_path / "i")
    done = models.Filter(must=[models.FieldCondition(key="done", match=models.MatchValue(value=True))])
    assert (client.count("palimpsest").count, client.count("palimpsest", count_filter=done).count) == (50, 2)
    client.close()


@pytest.mark.parametrize("left", ["collection.json alone", "half a shard beside", "old shard beside"])
def test_a_creation_or_deletion_cut_short_opens(index, left):
    if left == "collection.json alone":
        shutil.rmtree(index / "shard")
    if left == "half a shard beside":
        (index / "shard").rename(index / "shard.new")
        (index / "shard.new" / "edge_config.json").unlink()
    if left == "old shard beside":
        (index / "shard").rename(index / "shard.old")
    client = EdgeClient(index)
    client.upsert("palimpsest", [models.PointStruct(id=1, vector={"embedding": [[1.0] * 64]}, payload={})])
    assert client.count("palimpsest").count == 1
    client.delete_collection("palimpsest")
    assert sorted(p.name for p in index.iterdir() if p.name != "shard.new") == ["holder.json", "lock"]
    client.close()


def ruin_json(path):
    (path / "collection.json").write_text("{")


def ruin_shape(path):
    (path / "collection.json").write_text(json.dumps(["not", "ours"]))


def ruin_segment(path):
    for file in (path / "shard").rglob("segment.json"):
        file.write_bytes(b"\x00garbage")


def ruin_so_that_rust_panics(path):
    for file in (path / "shard").rglob("deleted/status.dat"):
        os.truncate(file, file.stat().st_size // 2)


def ruin_config(path):
    (path / "shard" / "edge_config.json").write_text("")


def ruin_shard(path):
    (path / "shard").rename(path / "away")
    (path / "shard").write_text("a file")


def lose_json(path):
    (path / "collection.json").unlink()


@pytest.mark.parametrize(
    "ruin", [ruin_json, ruin_shape, ruin_segment, ruin_so_that_rust_panics, ruin_config, ruin_shard, lose_json]
)
def test_damaged_files_are_one_sentence(index, open_store, ruin):
    ruin(index)
    client = EdgeClient(index)
    with pytest.raises(IndexCorrupt) as caught:
        open_store(client).setup()
    assert str(caught.value).startswith(f"The memory index in {index} cannot be read (")
    assert "the ledger is unharmed, and `palimpsest memory rebuild` makes the index anew" in str(caught.value)
    assert (client.delete_collection("palimpsest"), client.collection_exists("palimpsest")) == (True, False)
    client.close()


def test_a_damaged_index_is_made_anew(index, open_store):
    ruin_segment(index)
    store = open_store(EdgeClient(index))
    store.reset()
    say(store)
    assert len(store.search(ALICE, limit=50)) == len(TALK)
    store.client.close()


def test_a_file_in_the_folders_place_is_said(tmp_path):
    (tmp_path / "i").write_text("a note of mine")
    with pytest.raises(EdgeError, match="is a file where the memory index's folder should be"):
        EdgeClient(tmp_path / "i")
    assert (tmp_path / "i").read_text() == "a note of mine"


def test_a_folder_that_cannot_be_is_said(tmp_path):
    (tmp_path / "f").write_text("a file")
    with pytest.raises(EdgeError, match=r"cannot be kept in .*: Not a directory"):
        EdgeClient(tmp_path / "f" / "index")


def test_one_folder_holds_one_collection(tmp_path):
    client = EdgeClient(tmp_path)
    params = {"v": models.VectorParams(size=2, distance=models.Distance.COSINE)}
    client.create_collection("first", params)
    with pytest.raises(ValueError, match="first already exists"):
        client.create_collection("second", params)
    assert (client.delete_collection("second"), client.collection_exists("first")) == (False, True)
    client.close()


def test_threads_write_and_read_at_once(index, open_store):
    store = open_store(EdgeClient(index))
    failures = []

    def work(number):
        try:
            for i in range(12):
                say(store, [record(f"{number}-{i}", f"word{number} 花生")], ("palimpsest", f"user{number}", "episode"))
                found = store.hybrid(("palimpsest", f"user{number}"), f"word{number}", where=NOW)
                assert len(found.hits) == i + 1
        except Exception as exc:  # carried to the test's own thread
            failures.append(exc)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert store.client.count("palimpsest").count == 48
    store.client.close()


def test_busy_is_one_of_our_errors():
    assert issubclass(FolderBusy, PalimpsestError)
    assert issubclass(FolderBusy, RuntimeError)
