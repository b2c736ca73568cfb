"""The ledger's tables: the source of truth about memory. Qdrant is a projection of them.

Ledger time (`recorded_at`, `start`, `end`) is integer milliseconds UTC, strictly increasing. `said_at` and `expires_at`
keep the offset they came with (ISO 8601). An *origin* is what a statement or a record comes from: a commit of a thread,
or a person's event.
"""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Boolean, Column, Float, Index, Integer, MetaData, Table, Text

metadata = MetaData()

migrations = Table(
    "migrations", metadata, Column("name", Text, primary_key=True), Column("recorded_at", BigInteger, nullable=False)
)

clock = Table("clock", metadata, Column("id", Integer, primary_key=True), Column("t", BigInteger, nullable=False))

threads = Table(
    "threads",
    metadata,
    Column("thread_id", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("updated", BigInteger, nullable=False),
    Column("messages", Integer, nullable=False, default=0),
    Column("deleted", BigInteger),
    # What a model called it; without one, its title is its first words.
    Column("title", Text),
    Index("threads_by_user", "user_id", "updated"),
)

messages = Table(
    "messages",
    metadata,
    Column("thread_id", Text, primary_key=True),
    Column("message_id", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("speaker", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("said_at", Text),
    Column("turn_id", Text, nullable=False),
    Column("recorded_at", BigInteger, nullable=False),
    # The event by which a person forgot what was said here: transcript search omits it.
    Column("hidden_by", Text),
    Index("messages_in_order", "thread_id", "ordinal"),
    Index("messages_by_user", "user_id", "recorded_at"),
)

# Every message's text as transcript search looks for words in it (`memory.spelling`), in the order of the commits.
spellings = Table(
    "spellings",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("user_id", Text, nullable=False),
    Column("thread_id", Text, nullable=False),
    Column("message_id", Text, nullable=False),
    Column("spelled", Text, nullable=False),
    Index("spellings_by_user", "user_id", "seq"),
)

commits = Table(
    "commits",
    metadata,
    Column("id", Text, primary_key=True),
    Column("parent", Text),
    Column("depth", Integer, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("thread_id", Text, nullable=False),
    Column("turn_id", Text, nullable=False),
    Column("checkpoint_id", Text),
    Column("run_id", Text),
    Column("recorded_at", BigInteger, nullable=False),
    Column("extractor", Text),
    Column("failure", Text),
    # Whether words up to here wait for their facts to be read.
    Column("pending", Boolean, nullable=False, default=False),
    # The last episodes of this lineage, newest last: what the next commit's first message is near to.
    Column("tail", JSON, nullable=False),
    Column("changes", JSON, nullable=False),
    Index("commits_by_turn", "user_id", "turn_id"),
    Index("commits_by_thread", "thread_id"),
    Index("commits_by_run", "run_id"),
)

statements = Table(
    "statements",
    metadata,
    Column("id", Text, primary_key=True),
    Column("origin", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("attribute", Text, nullable=False),
    Column("value", Text),
    Column("polarity", Integer, nullable=False),
    Column("asserts", Boolean, nullable=False),
    Column("by_person", Boolean, nullable=False),
    # The value whose place this one takes, where several may stand side by side.
    Column("replaces", Text),
    Column("op", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("recorded_at", BigInteger, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Index("statements_by_slot", "user_id", "subject", "attribute"),
    Index("statements_by_origin", "origin"),
)
# The few that ask to forget, which every commit looks up.
asks_to_forget = Index(
    "statements_forgetting",
    statements.c.user_id,
    sqlite_where=statements.c.op == "forget",
    postgresql_where=statements.c.op == "forget",
)

records = Table(
    "records",
    metadata,
    Column("id", Text, primary_key=True),
    Column("origin", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("subject", Text),
    Column("attribute", Text),
    Column("value", Text),
    Column("polarity", Integer, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("importance", Float, nullable=False),
    Column("said_at", Text),
    Column("occurred_at", Text),
    Column("expires_at", Text),
    Column("thread_id", Text),
    Column("turn_id", Text),
    Column("commit_id", Text),
    Column("checkpoint_id", Text),
    Column("message_ids", JSON, nullable=False),
    Column("spans", JSON, nullable=False),
    Column("speaker", Text, nullable=False),
    Column("extractor", Text),
    Column("sources", JSON, nullable=False),
    Column("tags", JSON, nullable=False),
    Column("language", Text),
    Column("near", JSON, nullable=False),
    Column("recorded_at", BigInteger, nullable=False),
    # Why the guard held it when it was written: it counts once a person released it.
    Column("held", Text),
    # Its place among the records of its origin.
    Column("ordinal", Integer, nullable=False),
    Index("records_by_user", "user_id", "kind", "recorded_at"),
    Index("records_by_origin", "origin"),
    Index("records_by_slot", "user_id", "subject", "attribute"),
    Index("records_by_turn", "turn_id"),
)

expiring = Index(
    "records_expiring",
    records.c.user_id,
    records.c.expires_at,
    sqlite_where=records.c.expires_at.is_not(None),
    postgresql_where=records.c.expires_at.is_not(None),
)

# A record is current in zero or more of these; each is one point in Qdrant. `standing` and `ended_by` say how it ended.
intervals = Table(
    "intervals",
    metadata,
    Column("record_id", Text, primary_key=True),
    Column("start", BigInteger, primary_key=True),
    Column("end", BigInteger, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("standing", Text),
    Column("ended_by", Text),
    Index("intervals_by_user", "user_id", "kind", "end", "start"),
)

# When an origin counted: a commit while some thread's lineage holds it and nobody undid it, an event from its time on.
lives = Table(
    "lives",
    metadata,
    Column("origin", Text, primary_key=True),
    Column("start", BigInteger, primary_key=True),
    Column("end", BigInteger, nullable=False),
)

events = Table(
    "events",
    metadata,
    Column("id", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("recorded_at", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("target", Text),
    # The slot that the fold reads this event in, where it has one.
    Column("subject", Text),
    Column("attribute", Text),
    Column("value", Text),
    Column("polarity", Integer),
    Column("note", Text),
    # When a person took it back: a forgotten memory that was restored.
    Column("ended_at", BigInteger),
    Index("events_by_user", "user_id", "recorded_at"),
    Index("events_by_slot", "user_id", "subject", "attribute"),
    Index("events_by_target", "target"),
)

uses = Table(
    "uses",
    metadata,
    Column("memory_id", Text, primary_key=True),
    Column("turn_id", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("recorded_at", BigInteger, nullable=False),
    Index("uses_by_time", "memory_id", "recorded_at"),
)

# What the model calls of a turn cost, by what they were for: "answer", "extraction", "summary"... (stores.usage).
usage = Table(
    "usage",
    metadata,
    Column("commit_id", Text, primary_key=True),
    Column("what", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("thread_id", Text, nullable=False),
    Column("turn_id", Text, nullable=False),
    Column("calls", Integer, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("recorded_at", BigInteger, nullable=False),
    Index("usage_by_thread", "thread_id"),
    Index("usage_by_user", "user_id"),
)

heads = Table(
    "heads",
    metadata,
    Column("thread_id", Text, primary_key=True),
    Column("head", Text),
)

refs = Table("refs", metadata, Column("commit_id", Text, primary_key=True), Column("n", Integer, nullable=False))

undone = Table(
    "undone", metadata, Column("commit_id", Text, primary_key=True), Column("recorded_at", BigInteger, nullable=False)
)

# Records without a slot that people ended, and all that sweeps did, each by every event that does.
ended = Table(
    "ended",
    metadata,
    Column("record_id", Text, primary_key=True),
    Column("event_id", Text, primary_key=True),
    Column("standing", Text, nullable=False),
    # A sweep's reason; and, of a duplicate, what stays in its place: while that one's origin does not count, this does.
    Column("reason", Text),
    Column("kept", Text),
    Index("ended_by_event", "event_id"),
    Index("ended_for", "kept"),
)

# What summaries and lessons are made of: they stand while all of these do.
sources = Table(
    "sources",
    metadata,
    Column("record_id", Text, primary_key=True),
    Column("source_id", Text, primary_key=True),
    Index("sources_of", "source_id"),
)

# What is still to be brought to Qdrant, in order. `what` is "open", "close" or "embed".
outbox = Table(
    "outbox",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("record_id", Text, nullable=False),
    Column("start", BigInteger, nullable=False),
    Column("what", Text, nullable=False),
)

leases = Table(
    "leases",
    metadata,
    Column("thread_id", Text, primary_key=True),
    Column("run_id", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("process_started", Text, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
)
