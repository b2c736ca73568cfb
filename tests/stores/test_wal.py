import sqlite3
from contextlib import closing

import pytest

from memory.clock import ManualClock
from stores import wal
from stores.database import Database, sqlite_url
from stores.errors import LedgerBusy


def holding(file):
    held = sqlite3.connect(file, isolation_level=None)
    held.execute("BEGIN EXCLUSIVE")
    return closing(held)


def test_one_who_opens_a_new_file_that_another_is_opening_waits(tmp_path, monkeypatch):
    file = tmp_path / "new.sqlite"
    with holding(file) as other, closing(sqlite3.connect(file, timeout=0)) as conn:
        asked_again = []

        def wait(seconds):
            asked_again.append(seconds)
            other.rollback()

        monkeypatch.setattr(wal.time, "sleep", wait)
        wal.into_wal(conn)
        assert conn.execute("PRAGMA journal_mode").fetchall() == [("wal",)]
    assert len(asked_again) == 1


def test_a_file_with_a_log_is_not_waited_for(tmp_path):
    file = tmp_path / "one.sqlite"
    with closing(sqlite3.connect(file)) as conn:
        wal.into_wal(conn)
        conn.execute("CREATE TABLE t (x)")
    with holding(file), closing(sqlite3.connect(file)) as conn:
        wal.into_wal(conn)


def test_a_ledger_that_another_program_keeps_is_busy_and_not_damaged(tmp_path, monkeypatch):
    monkeypatch.setattr(wal, "PATIENCE", 0.0)
    file = tmp_path / "ledger.sqlite"
    with holding(file), pytest.raises(LedgerBusy, match=r"held by another program. Nothing was changed. Try again"):
        Database(sqlite_url(file), ManualClock())
    Database(sqlite_url(file), ManualClock()).close()
