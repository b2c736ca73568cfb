"""The same calls on `EdgeClient` and on `QdrantClient(":memory:")` give the same answers."""

import warnings
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from qdrant_client import QdrantClient, models

from stores.edge import EdgeClient
from stores.edge_config import config
from stores.edge_models import MIRROR, condition, mirrored, unmirrored

NAME = "congruence"
START = datetime(2024, 5, 1, 8, 30, tzinfo=UTC)


def uid(number):
    return str(UUID(int=number))


def payload(i):
    """Twelve payloads that differ in everything that is asked below; some keys are missing, null or empty."""
    out = {
        "user": ("alice", "bob", "小雨")[i % 3],
        "n": i,
        "f": i / 4 - 1,
        "at": (START + timedelta(hours=7 * i)).isoformat(),
        "tags": [["饮食", "health"], ["work"], [], ["work", "饮食"]][i % 4],
        "value": {
            "done": [True, False, 1, "true", None][i % 5],
            "flags": [[True, False], [False], [], [1, True]][i % 4],
            "deep": {"er": {"yes": i % 2 == 0}},
            "a b": {"中文": i % 3 == 0},
            "items": [{"ok": i % 2 == 0, "name": "x"}, {"ok": i % 2 == 1, "name": "y"}],
        },
    }
    if i % 3 == 1:
        del out["f"]
    if i % 4 == 2:
        out["user"] = None
    return out


def points():
    made = []
    for i in range(12):
        vector = {}
        if i != 5:  # one point has no dense vector, as when an embedder fails
            angle = [(i * 7 % 12) / 12 + 0.01, (i % 5) / 5, (i % 4) / 4, 0.3]
            vector["dense"] = [angle] if i % 2 else [angle, [0.1, 0.2, 0.9, (i % 7) / 7]]
        if i != 7:  # and one has no words
            vector["words"] = models.SparseVector(indices=[1, 2 + i % 3, 10 + i], values=[0.5, 1.0 + i / 10, 0.25])
        made.append(models.PointStruct(id=uid(i), vector=vector, payload=payload(i)))
    return made


INDEXES = {
    "user": models.PayloadSchemaType.KEYWORD,
    "tags": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True, enable_hnsw=False),
    "n": models.IntegerIndexParams(type=models.IntegerIndexType.INTEGER, enable_hnsw=False),
    "f": models.PayloadSchemaType.FLOAT,
    "at": models.DatetimeIndexParams(type=models.DatetimeIndexType.DATETIME, enable_hnsw=False),
    "value.done": models.PayloadSchemaType.BOOL,
}


def fill(client):
    client.create_collection(
        NAME,
        vectors_config={
            "dense": models.VectorParams(
                size=4,
                distance=models.Distance.COSINE,
                multivector_config=models.MultiVectorConfig(comparator=models.MultiVectorComparator.MAX_SIM),
            )
        },
        sparse_vectors_config={"words": models.SparseVectorParams(modifier=models.Modifier.IDF)},
        metadata={"format": 1, "made": "为测试"},
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Payload indexes have no effect")
        for key, schema in INDEXES.items():
            client.create_payload_index(NAME, key, schema, wait=True)
    client.upsert(NAME, points=points(), wait=True)
    return client


@pytest.fixture(scope="module", params=["scanned", "indexed"])
def pair(request, tmp_path_factory):
    """Both clients with the same points, for tests that only read."""
    edge, memory = fill(EdgeClient(tmp_path_factory.mktemp("edge") / "index")), fill(QdrantClient(":memory:"))
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "indexed":
            patch.setattr("stores.edge_indexes.FEW", 0)
        yield edge, memory
    edge.close()
    memory.close()


@pytest.fixture
def fresh(tmp_path):
    """Both clients with the same points, for tests that write."""
    edge, memory = fill(EdgeClient(tmp_path / "index")), fill(QdrantClient(":memory:"))
    yield edge, memory
    edge.close()
    memory.close()


def everything(client):
    """All points: id, payload, vectors."""
    found, _ = client.scroll(NAME, limit=100, with_payload=True, with_vectors=True)
    return {p.id: (p.payload, plain(p.vector)) for p in found}


def plain(vector):
    """Vectors as they compare: sparse ones in order, dense ones rounded (both sides normalise in their own way)."""
    out = {}
    for name, value in (vector or {}).items():
        if isinstance(value, models.SparseVector):
            out[name] = sorted(zip(value.indices, [round(v, 5) for v in value.values], strict=True))
        else:
            out[name] = [[round(x, 5) for x in row] for row in value]
    return {name: value for name, value in out.items() if value}


def matching(client, flt):
    """Ids by scroll and the count, which must agree."""
    found, following = client.scroll(NAME, scroll_filter=flt, limit=100, with_payload=False)
    assert following is None
    assert client.count(NAME, count_filter=flt, exact=True).count == len(found)
    return [p.id for p in found]


def same(pair, ask):
    edge, memory = (ask(client) for client in pair)
    assert edge == memory
    return edge


def eq(key, value):
    return models.FieldCondition(key=key, match=models.MatchValue(value=value))


def rng(key, **bounds):
    kind = models.DatetimeRange if any(isinstance(b, datetime) for b in bounds.values()) else models.Range
    return models.FieldCondition(key=key, range=kind(**bounds))


def within(key, *names):
    return models.FieldCondition(key=key, match=models.MatchAny(any=list(names)))


def without(key, *names):
    return models.FieldCondition(key=key, match=models.MatchExcept(**{"except": list(names)}))


def nested(key, *conditions):
    return models.NestedCondition(nested=models.Nested(key=key, filter=models.Filter(must=list(conditions))))


CONDITIONS = {
    "text": eq("user", "alice"),
    "text-zh": eq("user", "小雨"),
    "text-in-list": eq("tags", "饮食"),
    "integer": eq("n", 3),
    "integer-one-is-not-true": eq("value.done", 1),
    "text-true-is-not-true": eq("value.done", "true"),
    "true": eq("value.done", True),
    "false": eq("value.done", False),
    "true-in-list": eq("value.flags", True),
    "false-in-list": eq("value.flags[]", False),
    "bool-deep": eq("value.deep.er.yes", True),
    "bool-quoted-key": eq('value."a b"."中文"', True),
    "bool-nowhere": eq("value.nothing", True),
    "bool-in-objects": eq("value.items[].ok", True),
    "nested-bool": nested("value.items", eq("ok", True), eq("name", "y")),
    "any": within("user", "alice", "小雨"),
    "any-in-list": within("tags", "health", "none"),
    "any-integer": within("n", 1, 5, 99),
    "except": without("user", "alice"),
    "except-in-list": without("tags", "work"),
    "range": rng("n", gte=3, lt=9),
    "range-float": rng("f", gt=-0.25, lte=1.0),
    "range-datetime": rng("at", gte=START + timedelta(hours=7), lt=START + timedelta(hours=50)),
    "range-datetime-other-zone": rng("at", lte=datetime.fromisoformat("2024-05-02T03:30:00+08:00")),
    "range-one-moment": rng("at", gte=START + timedelta(hours=14), lte=START + timedelta(hours=14)),
    "empty": models.IsEmptyCondition(is_empty=models.PayloadField(key="tags")),
    "empty-missing": models.IsEmptyCondition(is_empty=models.PayloadField(key="f")),
    "null": models.IsNullCondition(is_null=models.PayloadField(key="user")),
    "count": models.FieldCondition(key="tags", values_count=models.ValuesCount(gte=1, lt=2)),
    "ids": models.HasIdCondition(has_id=[uid(2), uid(4), uid(77)]),
    "no-ids": models.HasIdCondition(has_id=[]),
    "vector": models.HasVectorCondition(has_vector="dense"),
    "vector-sparse": models.HasVectorCondition(has_vector="words"),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_each_condition_and_its_negation_match_the_same_points(pair, name):
    yes = same(pair, lambda client: matching(client, models.Filter(must=[CONDITIONS[name]])))
    no = same(pair, lambda client: matching(client, models.Filter(must_not=[CONDITIONS[name]])))
    assert sorted(yes + no) == [uid(i) for i in range(12)]


def test_booleans_match_booleans_alone(pair):
    """What the two agree on is also what is meant: neither 1 nor "true" is True."""
    found = {
        name: [UUID(p).int for p in matching(pair[0], models.Filter(must=[CONDITIONS[name]]))]
        for name in ("true", "false", "integer-one-is-not-true", "true-in-list", "bool-deep", "nested-bool")
    }
    assert found == {
        "true": [0, 5, 10],
        "false": [1, 6, 11],
        "integer-one-is-not-true": [2, 7],
        "true-in-list": [0, 3, 4, 7, 8, 11],
        "bool-deep": [0, 2, 4, 6, 8, 10],
        "nested-bool": [1, 3, 5, 7, 9, 11],
    }


conditions = st.sampled_from(sorted(CONDITIONS)).map(CONDITIONS.__getitem__)
filters = st.recursive(
    conditions,
    lambda inner: st.builds(
        lambda must, should, must_not: models.Filter(
            must=must or None, should=should or None, must_not=must_not or None
        ),
        *[st.lists(inner, max_size=2)] * 3,
    ),
    max_leaves=6,
)


@settings(max_examples=120, deadline=None)
@given(filters)
def test_nested_filters_match_the_same_points(pair, one):
    same(pair, lambda client: matching(client, models.Filter(must=[one])))


def test_at_least_some_conditions(pair):
    some = [CONDITIONS["text"], CONDITIONS["range"], CONDITIONS["any-in-list"]]
    flt = models.Filter(min_should=models.MinShould(conditions=some, min_count=2))
    assert same(pair, lambda client: matching(client, flt)) != []


def test_scroll_pages_and_payload_selection(pair):
    def pages(client):
        seen, offset = [], None
        while True:
            found, offset = client.scroll(NAME, limit=5, offset=offset, with_payload=["n", "value.done"])
            seen.append(([(p.id, p.payload) for p in found], offset))
            if offset is None:
                return seen

    assert [len(page) for page, _ in same(pair, pages)] == [5, 5, 2]


@pytest.mark.parametrize("direction", [models.Direction.ASC, models.Direction.DESC])
@pytest.mark.parametrize("key", ["n", "at"])
def test_order_by(pair, key, direction):
    order = models.OrderBy(key=key, direction=direction)
    query = models.QueryRequest(query=models.OrderByQuery(order_by=order), limit=4, with_payload=["n"])

    def ask(client):
        found, _ = client.scroll(NAME, order_by=order, limit=4)
        (answer,) = client.query_batch_points(NAME, requests=[query])
        return [p.payload["n"] for p in found], [p.payload["n"] for p in answer.points]

    expected = [0, 1, 2, 3] if direction == models.Direction.ASC else [11, 10, 9, 8]
    assert same(pair, ask) == (expected, expected)


@pytest.mark.parametrize("exact", [True, False])
def test_facet(pair, exact):
    def ask(client, key, flt, limit):
        found = client.facet(NAME, key=key, facet_filter=flt, limit=limit, exact=exact)
        return sorted((hit.value, hit.count) for hit in found.hits)

    assert same(pair, lambda client: ask(client, "tags", None, 2**31 - 1)) == [("health", 3), ("work", 6), ("饮食", 6)]
    same(pair, lambda client: ask(client, "user", models.Filter(must=[rng("n", lt=5)]), 10))
    assert len(same(pair, lambda client: ask(client, "tags", models.Filter(must=[eq("n", 1)]), 1))) == 1


def scores(answer):
    return [(p.id, round(p.score, 4)) for p in sorted(answer.points, key=lambda p: (-round(p.score, 4), p.id))]


def dense(flt=None, **more):
    return models.QueryRequest(query=[[0.2, 0.9, 0.1, 0.4]], using="dense", filter=flt, limit=20, **more)


def sparse(flt=None, corpus=None):
    params = models.SearchParams(idf=models.IdfCorpusParams(corpus=corpus)) if corpus else None
    vector = models.SparseVector(indices=[1, 3, 4, 12], values=[1.0, 1.0, 0.5, 1.0])
    return models.QueryRequest(query=vector, using="words", filter=flt, limit=20, params=params)


def test_dense_multivectors_and_sparse_vectors_score_the_same(pair):
    alice, some = models.Filter(must=[eq("user", "alice")]), models.Filter(must=[CONDITIONS["range"]])
    requests = [
        dense(),
        dense(alice),
        dense(score_threshold=0.8),
        dense(some, offset=2),
        sparse(),
        sparse(alice),
        sparse(alice, corpus=alice),
        sparse(models.Filter(must=[eq("user", "alice"), CONDITIONS["any-in-list"]]), corpus=alice),
        sparse(alice, corpus=some),
        models.QueryRequest(
            query=models.SparseVector(indices=[3], values=[1.0]),
            using="words",
            limit=5,
            params=models.SearchParams(idf=models.IdfScope.GLOBAL),
        ),
    ]

    def ask(client):
        return [scores(answer) for answer in client.query_batch_points(NAME, requests=requests)]

    found = same(pair, ask)
    assert all(found)
    assert found[5] != found[6]  # the corpus does change the scores


def test_exact_search_is_passed_on(pair):
    edge, memory = pair
    (exact,) = edge.query_batch_points(NAME, requests=[dense(params=models.SearchParams(exact=True))])
    (plain_,) = memory.query_batch_points(NAME, requests=[dense()])
    assert scores(exact) == scores(plain_)


def test_payload_and_vectors_of_answers(pair):
    requests = [
        dense(with_payload=False),
        dense(with_payload=True, with_vector=True),
        dense(with_payload=["value", "n"]),
        dense(with_payload=models.PayloadSelectorInclude(include=["user"])),
        models.QueryRequest(limit=3, with_payload=["n"]),
    ]

    def ask(client):
        answers = client.query_batch_points(NAME, requests=requests)
        return [{p.id: (p.payload, plain(p.vector)) for p in answer.points} for answer in answers]

    same(pair, ask)


def test_retrieve(pair):
    def ask(client, **how):
        found = client.retrieve(NAME, ids=[uid(3), uid(99), uid(0)], **how)
        return {p.id: (p.payload, plain(p.vector)) for p in found}

    assert same(pair, lambda client: ask(client, with_payload=True, with_vectors=False))[uid(3)][0] == payload(3)
    same(pair, lambda client: ask(client, with_payload=False, with_vectors=True))
    same(pair, lambda client: ask(client, with_payload=["tags"]))
    assert [client.retrieve(NAME, ids=[]) for client in pair] == [[], []]


def test_collection_info(pair):
    def ask(client):
        info = client.get_collection(NAME)
        params = info.config.params
        return info.points_count, info.config.metadata, params.vectors, params.sparse_vectors

    same(pair, ask)
    assert same(pair, lambda client: (client.collection_exists(NAME), client.collection_exists("other"))) == (
        True,
        False,
    )


def test_an_unknown_collection_is_a_value_error(pair):
    for client in pair:
        with pytest.raises(ValueError, match="not found"):
            client.get_collection("other")
        with pytest.raises(ValueError, match="not found"):
            client.count("other")


def test_metadata_is_merged(fresh):
    def ask(client):
        client.update_collection(NAME, metadata={"made": "again", "more": [1]})
        return client.get_collection(NAME).config.metadata

    assert same(fresh, ask) == {"format": 1, "made": "again", "more": [1]}


def test_upsert_replaces_payload_and_vectors(fresh):
    def ask(client):
        client.upsert(NAME, points=[models.PointStruct(id=uid(1), vector={}, payload={"n": 100, "on": True})])
        client.upsert(NAME, points=[models.PointStruct(id=7, vector={"dense": [[1.0, 0.0, 0.0, 0.0]]}, payload={})])
        return everything(client), matching(client, models.Filter(must=[eq("on", True)]))

    found, on = same(fresh, ask)
    assert (found[uid(1)], found[7], on) == (({"n": 100, "on": True}, {}), ({}, {"dense": [[1, 0, 0, 0]]}), [uid(1)])


def test_delete(fresh):
    def ask(client):
        client.delete(NAME, points_selector=models.PointIdsList(points=[uid(0), uid(99)]), wait=True)
        flt = models.Filter(must=[CONDITIONS["range"]])
        client.delete(NAME, points_selector=models.FilterSelector(filter=flt), wait=True)
        return everything(client)

    assert sorted(same(fresh, ask)) == [uid(i) for i in (1, 2, 9, 10, 11)]


def test_set_payload_keeps_vectors_and_moves_the_booleans(fresh):
    def operation(flt, **keys):
        return models.SetPayloadOperation(set_payload=models.SetPayload(payload=keys, filter=models.Filter(must=[flt])))

    def ask(client):
        on = models.SetPayload(payload={"top": True}, points=[uid(0), uid(1), uid(6)])
        off = models.SetPayload(payload={"top": 0}, points=[uid(6)])
        client.batch_update_points(
            NAME,
            update_operations=[
                operation(CONDITIONS["ids"], value={"done": True, "deep": {"er": {"yes": False}}}, top=True),
                models.SetPayloadOperation(set_payload=on),
                models.SetPayloadOperation(set_payload=off),
                operation(eq("n", 2), top="no longer"),
                operation(eq("n", 777), top=True),
            ],
        )
        asked = [eq("top", True), eq("value.done", True), eq("value.deep.er.yes", False), eq("value.flags", True)]
        return everything(client), [matching(client, models.Filter(must=[one])) for one in asked]

    assert same(fresh, ask)[1][0] == [uid(0), uid(1), uid(4)]


def test_update_vectors_leaves_the_rest(fresh):
    def ask(client):
        given = models.PointVectors(id=uid(5), vector={"dense": [[0.0, 1.0, 0.0, 0.0]]})
        client.update_vectors(NAME, points=[given])
        return everything(client)

    assert set(same(fresh, ask)[uid(5)][1]) == {"dense", "words"}


def test_deleting_the_collection(fresh):
    def ask(client):
        client.delete_collection(NAME)
        gone = client.collection_exists(NAME)
        fill(client)
        return gone, len(everything(client))

    assert same(fresh, ask) == (False, 12)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab真", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab真 .", min_size=1, max_size=3), inner),
    max_leaves=12,
)


@settings(max_examples=200)
@given(st.dictionaries(st.text("ab", max_size=2), json_values))
def test_the_mirror_never_comes_back(value):
    assert unmirrored(mirrored(value)) == value


def test_a_users_own_key_of_that_ending_is_kept():
    value = {f"odd{MIRROR}": "mine", "on": True}
    assert unmirrored(mirrored(value)) == value


class Unknown:
    """A condition of a later version."""


@pytest.mark.parametrize(
    ("ask", "named"),
    [
        (lambda: condition(Unknown()), "condition Unknown"),
        (lambda: condition(models.FieldCondition(key="t", match=models.MatchText(text="x"))), "match MatchText"),
        (
            lambda: condition(
                models.FieldCondition(
                    key="g", geo_radius=models.GeoRadius(center=models.GeoPoint(lon=0, lat=0), radius=1)
                )
            ),
            "FieldCondition.geo_radius",
        ),
        (lambda: condition(models.FieldCondition(key="x")), "exactly one"),
        (
            lambda: config(
                {"v": models.VectorParams(size=2, distance=models.Distance.DOT, datatype=models.Datatype.UINT8)},
                {},
            ),
            "datatype uint8",
        ),
        (
            lambda: config({}, {"w": models.SparseVectorParams(index=models.SparseIndexParams(on_disk=True))}),
            "SparseIndexParams.on_disk",
        ),
    ],
)
def test_what_is_not_translated_is_named(ask, named):
    with pytest.raises(TypeError, match=named):
        ask()


def test_half_the_bytes_and_the_lists_of_terms_find_the_same(tmp_path):
    plain, quick = fill(EdgeClient(tmp_path / "plain")), EdgeClient(tmp_path / "quick")
    dense = plain.get_collection(NAME).config.params.vectors["dense"]
    halved = dense.model_copy(update={"datatype": models.Datatype.FLOAT16})
    index = models.SparseIndexParams(full_scan_threshold=1)
    words = models.SparseVectorParams(modifier=models.Modifier.IDF, index=index)
    quick.create_collection(NAME, {"dense": halved}, {"words": words})
    quick.upsert(NAME, points=points())
    quick.close()
    quick = EdgeClient(tmp_path / "quick")  # as it is read back
    terms = models.SparseVector(indices=[1, 2, 3], values=[1.0, 0.5, 2.0])
    asked = [
        models.QueryRequest(query=[[0.5, -0.2, 0.1, 0.9]], using="dense", limit=5),
        models.QueryRequest(query=terms, using="words", limit=5),
    ]
    for mine, theirs in zip(*(c.query_batch_points(NAME, asked) for c in (plain, quick)), strict=True):
        assert {one.id: one.score for one in mine.points} == pytest.approx(
            {one.id: one.score for one in theirs.points}, abs=2e-3
        )
    assert quick.get_collection(NAME).config.params.vectors == {"dense": halved}
    plain.close()
    quick.close()
