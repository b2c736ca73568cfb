from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from memory.clock import ManualClock
from memory.record import OPEN, Interval, Utterance
from stores import schema, views
from stores.database import Database, sqlite_url
from stores.errors import LedgerCorrupt, LedgerReadOnly
from stores.ledger import Draft, Ledger

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def ledger(tmp_path):
    database = Database(sqlite_url(tmp_path / "ledger.sqlite"), ManualClock(NOON))
    yield Ledger(database)
    database.close()


def home(city, message_id="m1"):
    return {
        "subject": "user",
        "attribute": "home",
        "value": city,
        "text": f"我住在{city}",
        "message_id": message_id,
        "confidence": 0.9,
    }


def draft(*proposals, thread="t", turn="turn1", parent=None, said=(("m1", "我住在北京"),), **more):
    utterances = tuple(Utterance(message_id, text) for message_id, text in said)
    return Draft("alice", thread, turn, parent, utterances, tuple(proposals), "rules-1", **more)


def facts(ledger, **options):
    with ledger.database.read() as conn:
        return views.list_memories(conn, "alice", NOON, kind="fact", **options)


def current(ledger, as_of=None):
    return [m.text for m in facts(ledger, as_of=as_of)]


def test_ledger_time_is_strictly_increasing_while_the_clock_stands_still(ledger):
    assert [ledger.tick() for _ in range(3)] == [(start := ledger.now()) - 2, start - 1, start]


def test_a_commit_keeps_message_episode_and_fact(ledger):
    changes = ledger.commit(draft(home("北京")))
    assert changes == {
        "commit_id": draft(home("北京")).commit_id,
        "turn_id": "turn1",
        "episodes": 1,
        "facts": [{"op": "add", "text": "我住在北京", "reason": "new", "touches": []}],
        "skipped": {},
        "failure": None,
        "ledger_time": ledger.now(),
    }
    with ledger.database.read() as conn:
        assert [m["text"] for m in views.transcript(conn, "t")] == ["我住在北京"]
        (episode,) = views.list_memories(conn, "alice", NOON, kind="episode")
        assert (episode.text, episode.message_ids, episode.spans, episode.language) == (
            "我住在北京",
            ("m1",),
            ((0, 5),),
            "zh",
        )
        assert [row.what for row in conn.execute(select(schema.outbox))] == ["open", "open"]
    (fact,) = facts(ledger)
    assert (fact.standing, fact.confidence, fact.intervals) == ("current", 0.9, (Interval(ledger.now(), OPEN),))


def test_the_same_commit_again_changes_nothing(ledger):
    first = ledger.commit(draft(home("北京")))
    before = facts(ledger, standing="all")
    assert ledger.commit(draft(home("北京"))) == first
    assert facts(ledger, standing="all") == before


def test_a_new_value_supersedes_and_both_are_readable_as_of_their_time(ledger):
    one = ledger.commit(draft(home("北京")))
    then = ledger.now()
    ledger.commit(draft(home("上海", "m2"), turn="turn2", parent=one["commit_id"], said=(("m2", "我住在上海"),)))
    assert current(ledger) == ["我住在上海"]
    assert current(ledger, as_of=then) == ["我住在北京"]
    assert {m.text: m.standing for m in facts(ledger, standing="all")} == {
        "我住在北京": "superseded",
        "我住在上海": "current",
    }


def test_said_twice_is_one_fact_confirmed(ledger):
    one = ledger.commit(draft(home("北京")))
    ledger.commit(draft(home("北京", "m2"), turn="turn2", parent=one["commit_id"], said=(("m2", "我住在北京"),)))
    (fact,) = facts(ledger)
    assert fact.confidence == 0.99
    with ledger.database.read() as conn:
        assert [step["op"] for step in views.history(conn, fact)] == ["add", "confirm"]


def test_going_back_to_an_older_head_takes_the_newer_commit_out_and_going_on_brings_nothing_back(ledger):
    one = ledger.commit(draft(home("北京")))["commit_id"]
    two = ledger.commit(draft(home("上海", "m2"), turn="turn2", parent=one, said=(("m2", "我住在上海"),)))["commit_id"]
    on_the_second = ledger.now()
    assert ledger.align("t", one) is True
    assert current(ledger) == ["我住在北京"]
    assert ledger.align("t", one) is False
    assert ledger.align("t", two) is True
    assert current(ledger) == ["我住在上海"]
    assert ledger.align("t", None) is True
    assert current(ledger) == []
    assert current(ledger, as_of=on_the_second) == ["我住在上海"]


def test_a_commit_that_two_threads_hold_stays_while_one_does(ledger):
    one = ledger.commit(draft(home("北京")))["commit_id"]
    ledger.align("copy", one)
    ledger.align("t", None)
    assert current(ledger) == ["我住在北京"]
    ledger.align("copy", None)
    assert current(ledger) == []


def test_each_message_is_near_to_the_two_before_it_across_commits(ledger):
    one = ledger.commit(draft(said=(("m1", "一"), ("m2", "二"))))
    ledger.commit(draft(turn="turn2", parent=one["commit_id"], said=(("m3", "三"),)))
    with ledger.database.read() as conn:
        episodes = {m.text: m for m in views.list_memories(conn, "alice", NOON, kind="episode")}
    ids = {text: m.id for text, m in episodes.items()}
    near = {text: list(m.near) for text, m in episodes.items()}
    assert near == {"一": [], "二": [ids["一"]], "三": [ids["一"], ids["二"]]}


def test_a_blank_message_is_in_the_transcript_and_makes_no_episode(ledger):
    assert ledger.commit(draft(said=(("m1", " \n"),)))["episodes"] == 0


def test_a_long_message_is_several_episodes_with_their_spans(ledger):
    text = "今天讨论了部署方案。" * 400
    ledger.commit(draft(said=(("m1", text),)))
    with ledger.database.read() as conn:
        found = views.list_memories(conn, "alice", NOON, kind="episode")
    parts = sorted((m.spans[0], m.text) for m in found)
    assert len(parts) > 3
    assert "".join(t for _, t in parts) == text
    assert [text[s:e] for (s, e), _ in parts] == [t for _, t in parts]


def test_uses_are_noted_once_a_turn(ledger):
    ledger.use("alice", "turn1", ["a", "b", "a"], 5)
    ledger.use("alice", "turn1", ["a"], 6)
    with ledger.database.read() as conn:
        rows = {(r.memory_id, r.recorded_at) for r in conn.execute(select(schema.uses))}
    assert rows == {("a", 5), ("b", 5)}


def test_the_thread_s_user_is_known_before_its_first_commit(ledger):
    ledger.enter_thread("t", "alice")
    assert ledger.user_of("t") == "alice"
    assert ledger.user_of("other") is None


def test_a_deleted_thread_keeps_its_memories_unless_they_are_given_up_too(ledger):
    ledger.commit(draft(home("北京")))
    ledger.delete_thread("t", memories=False)
    assert current(ledger) == ["我住在北京"]
    ledger.delete_thread("t", memories=True)
    assert current(ledger) == []


def test_two_threads_that_state_the_same_fact_make_one_fact_and_two_confirmations(ledger):
    ledger.commit(draft(home("北京"), thread="a"))
    ledger.commit(draft(home("北京"), thread="b", turn="turn2"))
    (fact,) = facts(ledger)
    with ledger.database.read() as conn:
        assert [step["live"] for step in views.history(conn, fact)] == [True, True]


def test_what_was_said_first_stands_for_all_also_when_it_is_written_last(ledger):
    for turn, at in (("turn1", datetime(2026, 3, 1, tzinfo=UTC)), ("turn2", datetime(2026, 2, 1, tzinfo=UTC))):
        said = (Utterance("m1", "我住在北京", said_at=at),)
        ledger.commit(replace(draft(home("北京"), thread=turn, turn=turn), said=said))
    (current_one,) = facts(ledger)
    assert (current_one.thread_id, current_one.confidence) == ("turn2", 0.99)
    (other,) = [m for m in facts(ledger, standing="all") if m.id != current_one.id]
    assert other.standing == "superseded"


def test_an_older_message_imported_later_does_not_supersede_a_newer_one(ledger):
    new = draft(home("上海"), said=())
    said = (Utterance("m1", "我住在上海", said_at=NOON),)
    ledger.commit(replace(new, said=said))
    old = (Utterance("m0", "我住在北京", said_at=datetime(2020, 1, 1, tzinfo=UTC)),)
    ledger.commit(replace(new, thread_id="old", said=old, proposals=(home("北京", "m0"),)))
    assert current(ledger) == ["我住在上海"]


def test_expired_is_told_apart_from_current(ledger):
    ledger.commit(draft({**home("北京"), "expires_at": "2026-02-01T00:00:00+00:00"}))
    assert current(ledger) == []
    assert [m.standing for m in facts(ledger, standing="all")] == ["expired"]


def test_a_foreign_file_is_refused_with_one_sentence_and_left_alone(tmp_path):
    file = tmp_path / "ledger.sqlite"
    file.write_bytes(b"this is not a database, it is somebody's diary" * 100)
    before = file.read_bytes()
    with pytest.raises(LedgerCorrupt, match="is not a Palimpsest ledger or is damaged"):
        Database(sqlite_url(file), ManualClock())
    assert file.read_bytes() == before


def test_a_database_of_another_program_is_refused(tmp_path):
    import sqlite3

    with sqlite3.connect(tmp_path / "other.sqlite") as conn:
        conn.execute("create table diary(day)")
    conn.close()
    with pytest.raises(LedgerCorrupt):
        Database(sqlite_url(tmp_path / "other.sqlite"), ManualClock())
    with sqlite3.connect(tmp_path / "other.sqlite") as conn:
        assert conn.execute("select name from sqlite_master").fetchall() == [("diary",)]
    conn.close()


def test_a_ledger_that_is_not_there_cannot_be_opened_read_only(tmp_path):
    with pytest.raises(LedgerReadOnly):
        Database(sqlite_url(tmp_path / "nowhere" / "ledger.sqlite"), ManualClock())


def test_writers_in_threads_all_get_their_turn(ledger):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as pool:
        times = list(pool.map(lambda _: ledger.tick(), range(64)))
    assert len(set(times)) == 64
