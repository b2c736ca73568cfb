import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event, update
from sqlalchemy.dialects import postgresql

from memory.clock import ManualClock
from memory.record import Utterance
from stores import people, schema, transcript, undoing, views
from stores.database import Database, sqlite_url
from stores.errors import LedgerReadOnly
from stores.ledger import Draft, Ledger
from stores.transcript import search_transcript

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SAID = {
    "a": "Where is order #8842? It has A-12/b and C++ on it.",
    "b": "我住在北京，养了一只猫咪。",
    "c": "Mail bob.lee@example.com about the Café in 北京",
    "d": "ＯＲＤＥＲ ８８４３ arrived; 100%_sure",
}


@pytest.fixture
def ledger(tmp_path):
    database = Database(sqlite_url(tmp_path / "ledger.sqlite"), ManualClock(NOON))
    yield Ledger(database)
    database.close()


def say(ledger, thread, *said, user="alice", proposals=(), at=None, speaker="user", lineage=None):
    utterances = tuple(Utterance(f"{thread}{i}", text, speaker, at) for i, text in enumerate(said))
    draft = Draft(user, thread, f"turn {thread}", None, utterances, tuple(proposals), "rules-1", lineage=lineage)
    return ledger.commit(draft)


def talk(ledger):
    for thread, text in SAID.items():
        say(ledger, thread, text)
    return ledger


def find(ledger, query, user="alice", **page):
    with ledger.database.read() as conn:
        return search_transcript(conn, query, user, **page)


def threads(found):
    return "".join(hit["thread_id"] for hit in found)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("猫", "b"),
        ("北京", "cb"),
        ("京 猫", "b"),
        ("#8842", "a"),
        ("8842", "a"),
        ("order 88", "da"),
        ("A-12/b", "a"),
        ("c++", "a"),
        ("bob.lee@example.com", "c"),
        ("LEE", "c"),
        ("cafe", "c"),
        ("100%_", "d"),
        ("%", "d"),
        ("842", ""),
        ("order 猫", ""),
        ("", ""),
        ("\x00", ""),
        ("\ud800", ""),
        ("'; drop table messages; --", ""),
    ],
)
def test_every_word_is_found_newest_first(ledger, query, found):
    assert threads(find(talk(ledger), query)) == found


def test_a_hit_says_who_said_what_where_and_when(ledger):
    say(ledger, "t", "你好", "我家的猫叫小黑", at=NOON.astimezone(timezone(timedelta(hours=8))))
    say(ledger, "u", "The cat sleeps", speaker="assistant")
    assert find(ledger, "猫") == [
        {
            "thread_id": "t",
            "message_id": "t1",
            "user_id": "alice",
            "turn_id": "turn t",
            "speaker": "user",
            "said_at": "2026-03-01T20:00:00+08:00",
            "snippet": "我家的⟦猫⟧叫小黑",
            "text": "我家的猫叫小黑",
        }
    ]
    (hit,) = find(ledger, "CAT")
    assert (hit["speaker"], hit["snippet"]) == ("assistant", "The ⟦cat⟧ sleeps")
    assert datetime.fromisoformat(hit["said_at"]).utcoffset() == timedelta(0)


def test_pages_follow_each_other(ledger):
    for i in range(7):
        say(ledger, f"t{i}", f"cat number {i}")
    every = find(ledger, "cat")
    assert [hit["text"][-1] for hit in every] == list("6543210")
    assert [hit for start in range(0, 9, 3) for hit in find(ledger, "cat", limit=3, offset=start)] == every
    assert find(ledger, "cat", limit=0) == find(ledger, "cat", offset=7) == []


def test_nobody_finds_another_user_s_words_unless_all_are_asked_for(ledger):
    talk(ledger)
    say(ledger, "x", "北京 is mine", user="bob")
    assert threads(find(ledger, "北京", "bob")) == "x"
    assert threads(find(ledger, "北京", "alice")) == "cb"
    assert find(ledger, "北京", "") == []
    assert threads(find(ledger, "北京", None)) == "xcb"


def test_what_was_forgotten_is_not_found_until_it_is_restored(ledger):
    home = {"subject": "user", "attribute": "home", "value": "北京", "text": "用户住在北京", "message_id": "t0"}
    say(ledger, "t", "我住在北京", "北京很大", proposals=[{**home, "confidence": 0.9}])
    with ledger.database.write() as conn:
        (fact,) = views.list_memories(conn, "alice", NOON, kind="fact")
        conn.execute(update(schema.threads).values(title="北京的家"))
    people.forget(ledger, "alice", fact.id)
    assert [hit["message_id"] for hit in find(ledger, "北京")] == ["t1"]
    with ledger.database.read() as conn:
        # A title by a model may hold the words as well.
        assert views.get_thread(conn, "t")["title"] == "北京很大"
        assert views.thread_stats(conn, "t")["messages"] == 1
    undoing.restore(ledger, "alice", fact.id)
    assert [hit["message_id"] for hit in find(ledger, "北京")] == ["t1", "t0"]


def test_a_deleted_thread_is_not_found(ledger):
    talk(ledger).delete_thread("c", memories=False)
    assert threads(find(ledger, "北京")) == "b"


def test_a_query_may_be_as_long_as_a_book(ledger):
    words = [f"w{i}" for i in range(3000)]
    say(ledger, "long", " ".join(words) + "x" * 60_000)
    assert threads(find(ledger, " ".join(words))) == "long"
    assert find(ledger, " ".join([*words, "w3001"])) == []
    assert threads(find(ledger, "w2999" + "x" * 60_000)) == "long"
    assert find(ledger, "w2999" + "x" * 60_001) == []


QUERIES = st.one_of(
    st.text(),
    st.text(alphabet=st.characters(codec=None, categories=None)),
    st.text(alphabet="\"'*%_\\()[]:^-+~#@/ANDORNEAR北京猫 \x00\ud800\udc00"),
    st.binary().map(lambda raw: raw.decode("utf-8", "surrogateescape")),
)


@pytest.mark.parametrize("fill", [talk, lambda ledger: ledger], ids=["filled", "empty"])
@given(query=QUERIES)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_string_may_be_asked(ledger, fill, query):
    fill(ledger)
    for hit in find(ledger, query, None, limit=3):
        assert hit["text"] in SAID.values()
        assert "⟦" in hit["snippet"]


@given(words=st.lists(st.sampled_from(["猫", "北京", "cat", "Cat", "#8842", "A-12/b", "c++", "concat"]), max_size=4))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_message_is_found_by_all_of_its_words(words):
    database = Database("sqlite://", ManualClock(NOON))
    with closing(database):
        say(Ledger(database), "t", f"看 {' '.join(words)} 吧")
        assert len(find(Ledger(database), " ".join(reversed(words)))) == bool(words)


def old_folder(path):
    """A ledger as an older version left it: without spellings and titles."""
    with closing(Database(sqlite_url(path), ManualClock(NOON))) as database:
        talk(Ledger(database))
        say(Ledger(database), "e", *(f"第{i}只猫" for i in range(700)))
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("drop table spellings")
        conn.execute("alter table threads drop column title")
        conn.execute("delete from migrations where name = 'm003_sessions'")
        conn.commit()


@pytest.mark.parametrize("read_only", [False, True])
def test_an_older_folder_opens_and_its_words_are_found(tmp_path, read_only):
    old_folder(tmp_path / "ledger.sqlite")
    for _ in range(2):
        with closing(
            Database(sqlite_url(tmp_path / "ledger.sqlite"), ManualClock(NOON), read_only=read_only)
        ) as opened:
            ledger = Ledger(opened)
            assert threads(find(ledger, "北京")) == "cb"
            assert len(find(ledger, "猫", limit=1000)) == 701
            with opened.read() as conn:
                assert views.get_thread(conn, "b")["title"] == SAID["b"]
                last = conn.exec_driver_sql("select name from migrations order by name desc").scalars().first()
    assert last >= "m003_sessions"


def test_an_older_folder_that_cannot_be_written_is_one_sentence(tmp_path):
    path = tmp_path / "ledger.sqlite"
    old_folder(path)
    with pytest.raises(LedgerReadOnly):
        Database(f"sqlite:///file:{path}?mode=ro&uri=true", ManualClock(NOON), read_only=True)


def test_the_same_question_is_put_to_postgres():
    class Connection:
        dialect = postgresql.dialect()

    asked = str(transcript._holding(Connection(), [" cat", "猫"]).compile(dialect=postgresql.dialect()))
    assert asked.count("strpos(spellings.spelled, ") == 2
    assert asked.endswith("ORDER BY spellings.seq DESC")


def test_the_newest_are_looked_at_first_without_sorting_a_user_s_words(ledger):
    with ledger.database.read() as conn:
        asked = []
        event.listen(ledger.database.engine, "before_cursor_execute", lambda c, cur, sql, *_: asked.append(sql))
        search_transcript(conn, "cat", "alice")
        plan = conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {asked[0]}", (" cat", 0, "alice")).all()
    assert any("spellings_by_user (user_id=?)" in row[3] for row in plan)
    assert not any("TEMP B-TREE" in row[3] for row in plan)
