"""Threads on the command line: pages, titles, numbers, search, times in a zone, close and delete."""

import time
from datetime import UTC, datetime

import pytest

from graph import open_agent
from memory.clock import ManualClock
from tests.folders import copy_folder

LATE = datetime(2026, 3, 1, 20, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setenv("PALIMPSEST_EMBEDDINGS", "hash")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    with open_agent(folder, model="offline", embeddings="hash", clock=ManualClock(LATE)) as agent:
        for thread, user, words in (
            ("cat", "local", "我家的猫叫小黑"),
            ("order", "local", "Where is order #8842?"),
            ("city", "ann", "我住在北京"),
        ):
            where = {"configurable": {"thread_id": thread}}
            agent.graph.invoke({"messages": [("user", words)]}, where, context={"user_id": user})
        where = {"configurable": {"thread_id": "late"}}
        context = {"user_id": "local", "extraction": "deferred"}
        agent.graph.invoke({"messages": [("user", "我住在上海")]}, where, context=context)
    return folder


@pytest.fixture
def talked(palimpsest, home):
    copy_folder(home, palimpsest.folder)
    return palimpsest


def test_list_has_pages_titles_and_local_times(talked):
    rows = talked.json("threads", "list", "--timezone", "Asia/Shanghai")
    assert [(row["thread_id"], row["title"], row["updated"][:16], row["updated"][-6:]) for row in rows] == [
        ("late", "我住在上海", "2026-03-02T04:30", "+08:00"),
        ("city", "我住在北京", "2026-03-02T04:30", "+08:00"),
        ("order", "Where is order #8842?", "2026-03-02T04:30", "+08:00"),
        ("cat", "我家的猫叫小黑", "2026-03-02T04:30", "+08:00"),
    ]
    page = talked("threads", "list", "--limit", "2", "--offset", "1", "--timezone", "America/New_York").stdout
    lines = page.splitlines()
    assert [line.split()[0] for line in lines[1:3]] == ["city", "order"]
    assert "2026-03-01 15:30-05:00" in lines[1]
    assert lines[3] == "2 of 4; --offset 3 goes on from here."
    assert talked("threads", "list", "--offset", "9").stdout == "There are no more than 4 threads.\n"
    assert [row["thread_id"] for row in talked.json("threads", "list", "-u", "ann")] == ["city"]


def test_the_zone_is_the_option_s_then_the_settings_and_then_the_machine_s(talked, monkeypatch):
    def offset(*args):
        return talked.json("threads", "list", *args)[0]["updated"][-6:]

    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    try:
        assert offset() == "+05:30"
        monkeypatch.setenv("PALIMPSEST_TIMEZONE", "Asia/Tokyo")
        assert offset() == "+09:00"
        assert offset("--timezone", "UTC") == "+00:00"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_zone_that_is_none(talked, monkeypatch):
    done = talked("threads", "list", "--timezone", "Mars/Phobos", code=2)
    assert "there is no time zone 'Mars/Phobos'" in " ".join(done.stderr.replace("│", " ").split())
    monkeypatch.setenv("PALIMPSEST_TIMEZONE", "Mars/Phobos")
    done = talked("threads", "list", code=1)
    assert done.stderr.startswith("The setting PALIMPSEST_TIMEZONE cannot be used: ")
    assert done.stderr.count("\n") == 1


def test_search_marks_hits_and_takes_anything(talked):
    (hit,) = talked.json("threads", "search", "家 猫 黑", "-u", "local", "--timezone", "Asia/Shanghai")[-1:]
    assert (hit["thread_id"], hit["speaker"], hit["snippet"]) == ("cat", "user", "我⟦家⟧的⟦猫⟧叫小⟦黑⟧")
    assert (hit["said_at"][:16], hit["said_at"][-6:]) == ("2026-03-02T04:30", "+08:00")
    assert "order #8842" in talked("threads", "search", "Order #88", "-u", "local").stdout.replace("⟦", "").replace(
        "⟧", ""
    )
    assert talked("threads", "search", "北京", "-u", "local").stdout == "No message holds that.\n"
    assert talked.json("threads", "search", "北京")[-1]["thread_id"] == "city"
    for query in ("", '"', "* OR (", "a:b^2 NEAR", "%_\\", "\ud800", "猫" * 5000):
        talked("threads", "search", query)
    assert talked("threads", "search", "猫", "-u", "local", "--limit", "1").stdout.endswith(
        "--offset 1 looks for more.\n"
    )
    talked("threads", "search", "猫", "--limit", "-1", code=2)
    talked("threads", "search", code=2)


def test_show_has_times_and_pages(talked):
    lines = talked("threads", "show", "cat", "--timezone", "Asia/Shanghai", "--limit", "1").stdout.splitlines()
    assert lines == ["2026-03-02 04:30+08:00  user: 我家的猫叫小黑"]
    assert [m["speaker"] for m in talked.json("threads", "show", "cat", "--offset", "1")["transcript"]] == ["assistant"]
    talked("threads", "show", "nope", code=1)


def test_stats_of_a_thread(talked):
    found = talked.json("threads", "stats", "city", "--timezone", "UTC")
    counts = ("messages", "turns", "facts", "current_facts", "title", "user_id")
    assert [found[name] for name in counts] == [2, 1, 1, 1, "我住在北京", "ann"]
    assert (found["first"][:16], found["first"][-6:]) == ("2026-03-01T20:30", "+00:00")
    shown = talked("threads", "stats", "city", "--timezone", "Asia/Shanghai").stdout
    assert "messages     2 (1 assistant, 1 user)\n" in shown
    assert "first        2026-03-02 04:30+08:00\n" in shown
    assert talked("threads", "stats", "nope", code=1).stderr.startswith("No thread 'nope' was found.")


def test_title_is_shown_and_asked_for(talked):
    assert talked("threads", "title", "cat").stdout == "我家的猫叫小黑\n"
    assert talked.json("threads", "title", "cat", "--ask") == {"thread_id": "cat", "title": "我家的猫叫小黑"}
    assert talked("threads", "title", "nope", code=1).stderr.count("\n") == 1


def test_close_reads_what_waits(talked):
    done = talked.json("threads", "close", "late")
    assert done == {"closed": "late", "title": "我住在上海", "facts": 1, "failure": None}
    assert talked("threads", "close", "late").stdout == "Closed: 我住在上海\n"
    assert talked("threads", "close", "nope", code=1).stderr.count("\n") == 1


def test_delete_hides_words_from_search_and_says_so_in_the_list(talked):
    assert talked.json("threads", "delete", "city") == {"deleted": "city", "memories": False}
    assert talked.json("threads", "search", "北京") == []
    deleted = {row["thread_id"]: bool(row["deleted"]) for row in talked.json("threads", "list")}
    assert deleted == {"late": False, "city": True, "order": False, "cat": False}
    assert [m["value"] for m in talked.json("memory", "list", "-u", "ann", "--kind", "fact")] == ["北京"]
    talked("threads", "delete", "nope", code=1)
    talked("threads", "delete", code=2)
