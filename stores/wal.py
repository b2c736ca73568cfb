"""A SQLite file turned to its write-ahead log, also when several processes open the new file at once."""

from __future__ import annotations

import sqlite3
import time

PATIENCE = 10.0
"""Seconds to wait for another process that opens the same file."""


def into_wal(conn: sqlite3.Connection) -> None:
    """Turn the file of a connection outside a transaction to the write-ahead log; one that has it stays as it is.

    SQLite waits for others in every statement but this: of two that turn one file, it refuses the second at once,
    `busy_timeout` or not (https://www.sqlite.org/c3ref/busy_handler.html). So it is asked again. Raises
    `sqlite3.OperationalError` when the file is still held after `PATIENCE`.
    """
    until = time.monotonic() + PATIENCE
    while True:
        try:
            conn.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.005)
        else:
            return
