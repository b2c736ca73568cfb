"""What stands now is found by its mark, and it is just what the times of each point say."""

import json
from datetime import timedelta

import pytest

from graph import open_agent
from memory.clock import ManualClock
from memory.question import read
from memory.record import OPEN
from stores.current import MARK
from stores.embeddings import HashEmbeddings
from stores.searching import search
from stores.where import Filters, conditions

ALICE = ("palimpsest", "alice", "fact")


@pytest.fixture
def agent(tmp_path):
    with open_agent(tmp_path, embeddings=HashEmbeddings(), clock=ManualClock()) as opened:
        yield opened


def kept(agent, text, value, **more):
    return agent.memory.remember("alice", text, subject="user", attribute=value, value=value, **more)


def found(book, question, t=None, filters=None, by_times=False, later=timedelta()):
    now = book.database.clock() + later
    where = conditions(book.ledger.now() if t is None else t, now, filters)
    where = where._replace(narrowed=None) if by_times else where
    searched = search(book.database, book.index, "alice", read(question, now), where)
    return {(c.memory.text, round(c.dense, 4), round(c.bm25, 4)) for c in searched.candidates}


def texts(candidates):
    return {text for text, _, _ in candidates}


QUESTION = "tea 茶 trip 出差"


def test_marks_find_what_the_times_find(agent):
    book = agent.memory
    soon = book.database.clock() + timedelta(days=3)
    kept(agent, "I drink tea", "drinks")
    kept(agent, "明天出差", "trip", expires_at=soon)
    gone = kept(agent, "我喝茶", "茶")
    then = book.ledger.now()
    book.forget("alice", gone.id)
    assert texts(found(book, QUESTION)) == {"I drink tea", "明天出差"}
    assert texts(found(book, QUESTION, later=timedelta(days=4))) == {"I drink tea"}
    assert texts(found(book, QUESTION, then)) == {"I drink tea", "明天出差", "我喝茶"}
    for asked in (
        {},
        {"later": timedelta(days=4)},
        {"t": then},
        {"filters": Filters(kinds=["fact"])},
        {"filters": Filters(kinds=["episode"])},
    ):
        assert found(book, QUESTION, **asked) == found(book, QUESTION, by_times=True, **asked)


def test_what_ends_loses_its_mark_and_has_it_again_when_it_is_restored(agent):
    book = agent.memory
    tea = kept(agent, "I drink tea", "drinks")
    then = book.ledger.now()
    book.forget("alice", tea.id)
    assert found(book, QUESTION) == set()
    book.restore("alice", tea.id)
    assert texts(found(book, QUESTION)) == {"I drink tea"}
    assert texts(found(book, QUESTION, then)) == {"I drink tea"}


def test_what_another_turn_writes_during_a_search_is_not_found(agent, monkeypatch):
    book = agent.memory
    tea = kept(agent, "I drink tea", "drinks")
    before = found(book, QUESTION, t := book.ledger.now())
    hybrid, asked = book.index.hybrid, []

    def another_turn_meanwhile(*args, **how):
        asked.append(how["inside"] is not None)
        if len(asked) == 1:
            book.forget("alice", tea.id)
            kept(agent, "今晚喝茶", "tonight")
        return hybrid(*args, **how)

    monkeypatch.setattr(book.index, "hybrid", another_turn_meanwhile)
    assert found(book, QUESTION, t) == before
    assert asked == [True, False]


def test_an_index_from_before_there_were_marks_has_them_when_it_is_opened(client, open_store):
    store = open_store(client)
    store.setup()
    value = {"user_id": "alice", "kind": "fact", "start": 1, "near": []}
    store.write(
        (ALICE, key, {**value, "id": key, "text": "茶", "end": end, "expires_ms": expires})
        for key, end, expires in (("good", OPEN, OPEN), ("until", OPEN, 5), ("ended", 4, OPEN))
    )
    store.put(("notes",), "mine", {"text": "茶", "end": OPEN})

    def marks():
        points, _ = client.scroll("palimpsest", limit=9, with_payload=["key", MARK])
        return {point.payload["key"]: point.payload.get(MARK) for point in points}

    written = {"good": '["palimpsest","alice"]', "until": '["palimpsest","alice","until"]', "ended": None, "mine": None}
    assert marks() == written
    store.patch(ALICE, {key: {"standing": "current"} for key in ("good", "until", "ended")})
    assert marks() == written
    drop_marks(client)
    assert set(marks().values()) == {None}
    open_store(client).setup()
    assert marks() == written
    # One who knows no marks ends a point and writes another.
    ended = {**value, "id": "good", "text": "茶", "end": 7, "expires_ms": OPEN}
    change_without_marks(client, "good", {"value": ended, "value_json": json.dumps(ended)})
    open_store(client).setup()
    assert marks() == {**written, "good": None}


def test_what_ends_while_marks_are_put_right_gets_none(client, open_store, monkeypatch):
    store = open_store(client)
    store.setup()
    value = {"id": "tea", "user_id": "alice", "kind": "fact", "text": "茶", "start": 1, "near": [], "expires_ms": OPEN}
    store.write([(ALICE, "tea", {**value, "end": OPEN})])
    drop_marks(client)
    scroll = client.scroll

    def another_ends_it_meanwhile(*args, **how):
        page = scroll(*args, **how)
        change_without_marks(client, "tea", {"value": {**value, "end": 7}})
        return page

    monkeypatch.setattr(client, "scroll", another_ends_it_meanwhile)
    open_store(client).setup()
    assert [point.payload.get(MARK) for point in scroll("palimpsest", limit=9, with_payload=True)[0]] == [None]


def change_without_marks(client, key, payload):
    from qdrant_client import models

    one = models.Filter(must=[models.FieldCondition(key="key", match=models.MatchValue(value=key))])
    change = models.SetPayload(payload=payload, filter=one)
    client.batch_update_points("palimpsest", update_operations=[models.SetPayloadOperation(set_payload=change)])


def drop_marks(client):
    from qdrant_client import models

    everything = models.Filter(must_not=[models.FieldCondition(key="key", match=models.MatchValue(value="-"))])
    change = models.SetPayload(payload={MARK: None}, filter=everything)
    client.batch_update_points("palimpsest", update_operations=[models.SetPayloadOperation(set_payload=change)])
