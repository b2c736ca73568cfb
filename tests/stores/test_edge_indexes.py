"""A payload index on Edge is made when there is something to look up by it; the answers are the same before and after."""

import json

import pytest
from qdrant_client import models

from stores.edge import EdgeClient
from stores.edge_indexes import FEW

NAME = "indexes"
WANTED = {
    "user": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True),
    "n": models.PayloadSchemaType.INTEGER,
    "tags": models.PayloadSchemaType.KEYWORD,
    "done": models.PayloadSchemaType.BOOL,
}
ALICE = models.Filter(
    must=[
        models.Filter(should=[models.FieldCondition(key="user", match=models.MatchValue(value="小雨"))]),
        models.IsEmptyCondition(is_empty=models.PayloadField(key="tags")),
    ]
)


@pytest.fixture
def client(tmp_path):
    opened = EdgeClient(tmp_path / "index")
    opened.create_collection(NAME, {"v": models.VectorParams(size=2, distance=models.Distance.COSINE)})
    for field, schema in WANTED.items():
        opened.create_payload_index(NAME, field, schema, wait=True)
    yield opened
    opened.close()


def write(client, *numbers):
    def payload(n):
        return {"user": ("小雨", "bob")[n % 2], "n": n, "done": n % 3 == 0}

    client.upsert(NAME, [models.PointStruct(id=n, vector={"v": [1.0, n]}, payload=payload(n)) for n in numbers])


def made(client):
    """The fields that the shard has an index on; a boolean's is on what is kept beside it."""
    folder = client._folder
    return {key.partition("\x00")[0][:4] for key in folder.shard(folder.collection).info().payload_schema}


def newest(client, many):
    order = models.OrderBy(key="n", direction=models.Direction.DESC)
    return [point.id for point in client.scroll(NAME, limit=many, order_by=order)[0]]


def test_few_points_are_scanned_and_of_more_every_index_is_made(client):
    write(client, *range(FEW - 1))
    assert client.count(NAME, count_filter=ALICE).count == FEW // 2
    assert made(client) == set()
    write(client, FEW)
    assert client.count(NAME, count_filter=ALICE).count == FEW // 2 + 1
    assert made(client) == {field[:4] for field in WANTED}


def test_a_facet_and_an_order_have_their_index_at_once(client):
    write(client, 1, 2, 3)
    found = client.facet(NAME, "user", limit=5)
    assert {hit.value: hit.count for hit in found.hits} == {"bob": 2, "小雨": 1}
    assert made(client) == {"user"}
    assert newest(client, 2) == [3, 2]
    assert made(client) == {"user", "n"}
    by_query = models.QueryRequest(query=models.OrderByQuery(order_by="n"), limit=1)
    assert [point.id for point in client.query_batch_points(NAME, [by_query])[0].points] == [1]


def test_what_is_wanted_is_known_to_who_opens_the_folder_later(client):
    write(client, *range(FEW - 1))
    client.facet(NAME, "user", limit=5)
    path = client.path
    client.close()
    later = EdgeClient(path)
    assert made(later) == {"user"}
    assert newest(later, 1) == [FEW - 2]
    assert made(later) == {"user", "n"}
    later.delete_collection(NAME)
    assert not (path / "collection.json").exists()
    later.close()


def test_a_folder_from_before_there_was_a_list_goes_on(client):
    write(client, *range(FEW - 1))
    client.facet(NAME, "user", limit=5)
    path = client.path
    client.close()
    file = path / "collection.json"
    old = json.loads(file.read_text(encoding="utf-8"))
    assert set(old.pop("indexes")) == set(WANTED)
    file.write_text(json.dumps(old), encoding="utf-8")
    later = EdgeClient(path)
    for field, schema in WANTED.items():
        later.create_payload_index(NAME, field, schema)
    assert made(later) == {"user"}
    assert newest(later, 1) == [FEW - 2]
    assert later.count(NAME, count_filter=ALICE).count == FEW // 2
    later.close()
    assert set(json.loads(file.read_text(encoding="utf-8"))["indexes"]) == set(WANTED)


def test_the_list_of_indexes_is_on_disk_before_a_point_is(client):
    file = client.path / "collection.json"
    assert json.loads(file.read_text(encoding="utf-8"))["indexes"] == {}
    write(client, 1)
    assert set(json.loads(file.read_text(encoding="utf-8"))["indexes"]) == set(WANTED)
