"""The ledger's database: engine, transactions, named migrations, and the strictly increasing ledger time.

SQLite by default, in WAL mode; any SQLAlchemy URL works with the same code. It holds no rule of memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic_core import from_json
from sqlalchemy import Connection, Engine, Table, bindparam, case, create_engine, event, insert, inspect, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import ConnectionPoolEntry

from memory.record import Clock
from stores import schema, wal
from stores.errors import LedgerBusy, LedgerCorrupt, LedgerReadOnly
from stores.transcript import keep_spellings

Key = TypeVar("Key")
Migration = Callable[[Connection], None]


def _m001_tables(conn: Connection) -> None:
    # It runs on an empty database only: to look for every table first takes as long as to make them.
    schema.metadata.create_all(conn, checkfirst=False)
    conn.execute(insert(schema.clock).values(id=1, t=0))


def _m002_usage(conn: Connection) -> None:
    schema.usage.create(conn, checkfirst=True)


def _m003_sessions(conn: Connection) -> None:
    if "title" not in {column["name"] for column in inspect(conn).get_columns(schema.threads.name)}:
        conn.exec_driver_sql("ALTER TABLE threads ADD COLUMN title TEXT")
    schema.spellings.create(conn, checkfirst=True)
    m = schema.messages
    said = select(m.c.user_id, m.c.thread_id, m.c.message_id, m.c.text).order_by(m.c.recorded_at, m.c.ordinal)
    for some in batches(row._asdict() for row in conn.execute(said)):
        keep_spellings(conn, some)


def _m004_guard(conn: Connection) -> None:
    if "held" not in {column["name"] for column in inspect(conn).get_columns(schema.records.name)}:
        conn.exec_driver_sql("ALTER TABLE records ADD COLUMN held TEXT")


def _m005_replaces(conn: Connection) -> None:
    if "replaces" not in {column["name"] for column in inspect(conn).get_columns(schema.statements.name)}:
        conn.exec_driver_sql("ALTER TABLE statements ADD COLUMN replaces TEXT")
    schema.asks_to_forget.create(conn, checkfirst=True)


def _m006_forgetting(conn: Connection) -> None:
    known = {column["name"] for column in inspect(conn).get_columns(schema.ended.name)}
    for name in ("reason", "kept"):
        if name not in known:
            conn.exec_driver_sql(f"ALTER TABLE ended ADD COLUMN {name} TEXT")
    for index in schema.ended.indexes:
        index.create(conn, checkfirst=True)
    schema.sources.create(conn, checkfirst=True)


def _m007_expiring(conn: Connection) -> None:
    schema.expiring.create(conn, checkfirst=True)


MIGRATIONS: tuple[tuple[str, Migration], ...] = (
    ("m001_tables", _m001_tables),
    ("m002_usage", _m002_usage),
    ("m003_sessions", _m003_sessions),
    ("m004_guard", _m004_guard),
    ("m005_replaces", _m005_replaces),
    ("m006_forgetting", _m006_forgetting),
    ("m007_expiring", _m007_expiring),
)
"""Named, in order; each runs in one transaction with the row that records it."""


def _on_connect(dbapi_connection: Any, _: ConnectionPoolEntry) -> None:
    # The driver's own transaction handling starts writers as readers, which then deadlock instead of waiting.
    dbapi_connection.isolation_level = None
    dbapi_connection.execute(f"PRAGMA busy_timeout = {wal.PATIENCE * 1000:.0f}")
    dbapi_connection.execute("PRAGMA synchronous = NORMAL")
    dbapi_connection.execute("PRAGMA foreign_keys = OFF")


def _on_begin(conn: Connection) -> None:
    # By the driver itself: every turn begins a dozen, and the detour takes longer than the beginning.
    driver = cast("sqlite3.Connection", conn.connection.driver_connection)
    driver.execute("BEGIN IMMEDIATE" if conn.get_execution_options().get("write") else "BEGIN")


class Database:
    """One ledger database: `read()` and `write()` give a connection inside a transaction."""

    def __init__(self, url: str, clock: Clock, *, read_only: bool = False) -> None:
        """Open the database at a SQLAlchemy URL; unless `read_only`, make it first where it is missing.

        One that an older version wrote is brought up to date either way: it could not be read as it is.

        Raises `LedgerCorrupt` when the file is not a ledger, `LedgerReadOnly` when it cannot be written, `LedgerBusy`
        when another program keeps it locked.
        """
        self.url = url
        self.clock = clock
        # Every row of a record has five fields of JSON, and the standard library's reader is four times slower.
        self.engine: Engine = create_engine(url, json_deserializer=from_json)
        if self.engine.dialect.name == "sqlite":
            event.listen(self.engine, "connect", _on_connect)
            event.listen(self.engine, "begin", _on_begin)
        self._writer = self.engine.execution_options(write=True)
        try:
            if not read_only or self._is_older():
                self._migrate()
            with self.read() as conn:
                conn.execute(_NOW).scalar_one()
        except (DatabaseError, sqlite3.DatabaseError) as error:
            self.engine.dispose()
            if any(sign in str(error) for sign in ("readonly", "unable to open")):
                raise LedgerReadOnly(
                    f"The ledger at {self.place} cannot be written (or its folder cannot). Nothing was changed. "
                    "Make the folder writable, or choose another with PALIMPSEST_DATA_DIR."
                ) from error
            if "locked" in str(error):
                raise LedgerBusy(
                    f"The ledger at {self.place} is held by another program. Nothing was changed. Try again when that "
                    "has ended; a backup or an SQLite shell with an open transaction may be what holds it."
                ) from error
            raise self._corrupt(error) from error

    @property
    def place(self) -> str:
        """Where it lies, without a password."""
        return self.engine.url.database or self.engine.url.render_as_string(hide_password=True)

    def _corrupt(self, error: Exception | str) -> LedgerCorrupt:
        cause = str(getattr(error, "orig", None) or error).splitlines()[0]
        return LedgerCorrupt(
            f"The file {self.place} is not a Palimpsest ledger or is damaged ({cause}). It was left as it is, and so "
            "were the checkpoints. Move it away to start anew, or put a backup in its place."
        )

    def _is_older(self) -> bool:
        with self.read() as conn:
            if not inspect(conn).has_table(schema.migrations.name):
                return False
            return not {name for name, _ in MIGRATIONS} <= set(conn.scalars(select(schema.migrations.c.name)))

    def _migrate(self) -> None:
        if self.engine.dialect.name == "sqlite":
            with closing(self.engine.raw_connection()) as raw:
                wal.into_wal(cast("sqlite3.Connection", raw.driver_connection))
        with self.write() as conn:
            tables = set(inspect(conn).get_table_names())
            if tables and "migrations" not in tables:
                raise self._corrupt("it belongs to another program")
            done = set(conn.scalars(select(schema.migrations.c.name))) if tables else set()
            for name, run in MIGRATIONS:
                if name not in done:
                    # The first makes the tables as they are today; what came later brings older ones there.
                    if tables or run is _m001_tables:
                        run(conn)
                    conn.execute(insert(schema.migrations).values(name=name, recorded_at=tick(conn, self.clock)))

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one moment of the ledger."""
        with self.engine.begin() as conn:
            yield conn

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A connection in a write transaction: all of it is kept, or none. Writers wait for each other."""
        with self._writer.begin() as conn:
            yield conn

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


BATCH = 500
"""How many keys one statement names: well under every database's limit of parameters."""


def batches(keys: Iterable[Key]) -> Iterator[list[Key]]:
    """Keys in the order they come, a statement's worth at a time."""
    rest = iter(keys)
    while some := list(islice(rest, BATCH)):
        yield some


def milliseconds(clock: Clock) -> int:
    """The clock's time in milliseconds UTC."""
    return int(clock().timestamp() * 1000)


def tick(conn: Connection, clock: Clock) -> int:
    """Take the next ledger time: the clock's milliseconds, or one more than the last where the clock lags behind."""
    return int(conn.execute(_TICK, {"at": milliseconds(clock)}).scalar_one())


def now(conn: Connection) -> int:
    """The last ledger time that was taken."""
    return int(conn.execute(_NOW).scalar_one())


def upsert(dialect: str, table: Table) -> Any:
    """An INSERT in a database's own dialect, which can say what to do where the row is there already."""
    return (postgresql.insert if dialect == "postgresql" else sqlite.insert)(table)


_T = schema.clock.c.t
_NOW = select(_T)
_TICK = update(schema.clock).values(t=case((bindparam("at") <= _T, _T + 1), else_=bindparam("at"))).returning(_T)


def sqlite_url(path: Path) -> str:
    """The SQLAlchemy URL of a SQLite file."""
    return f"sqlite:///{path}"
