"""Importing conversations that were held elsewhere, through the same commit that a turn makes.

A file is JSON lines (`.jsonl`, or `.jsonl.gz`), one message or exchange a line: `id`, `text` (or `user` and
`assistant`), and optionally `group` (whose memory), `session`, `speaker`, `image` (a caption), `date` (ISO 8601).
Importing the same messages again changes nothing.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy import select

from memory.privacy import redact
from memory.record import USER, Extractor, Utterance, stable_id
from memory.text import clean
from stores import schema
from stores.errors import BadInput
from stores.ledger import Draft, Ledger
from stores.lineage import import_lineage

CHUNK = 64
"""Messages a commit: what an interruption can lose, and what one transaction holds."""


@dataclass(frozen=True)
class ImportedMessage:
    """One message from elsewhere. `subject` is about whom its "I" speaks: the user, or a named participant."""

    message_id: str
    text: str
    thread_id: str
    speaker: str = USER
    said_at: datetime | None = None
    subject: str = USER


@dataclass(frozen=True)
class ImportReport:
    """What an import did: messages written, those that were there already, and the facts that were read out.

    `held` of these wait for a person, as they look like instructions.
    """

    messages: int
    known: int
    facts: int
    held: int = 0


def read_file(path: Path, timezone: str, user_id: str | None) -> dict[str, list[ImportedMessage]]:
    """The messages of a file by user, in order. Raises `BadInput` with the line's number; nothing was written then."""
    zone = _zone(timezone)
    found: dict[str, list[ImportedMessage]] = {}
    for number, row in _rows(path):
        try:
            owner = user_id or str(row["group"])
            found.setdefault(owner, []).extend(messages_of(row, zone))
        except (KeyError, TypeError, ValueError) as error:
            what = f"it has no {error}" if isinstance(error, KeyError) else str(error)
            raise BadInput(f"{path}, line {number}: {what}. Nothing was imported.") from error
    return found


def count_messages(path: Path, timezone: str) -> int:
    """How many messages a file holds. Raises `BadInput` as `read_file` does."""
    return sum(len(messages) for messages in read_file(path, timezone, None).values())


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise BadInput(f"Unknown time zone {name!r}; give one such as UTC or Asia/Shanghai.") from error


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    number = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    row = json.loads(line)
                    if not isinstance(row, dict):
                        raise BadInput(f"{path}, line {number}: not a JSON object. Nothing was imported.")
                    yield number, row
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read ({error}). Nothing was imported.") from error
    except json.JSONDecodeError as error:
        raise BadInput(f"{path}, line {number}: not JSON ({error.msg}). Nothing was imported.") from error


def messages_of(row: dict[str, Any], zone: ZoneInfo) -> list[ImportedMessage]:
    """One line as messages: an exchange is two, `<id>/user` and `<id>/assistant`; a caption stands in its text.

    Raises `KeyError` or `ValueError` for a line that cannot be used.
    """
    item = str(row["id"])
    group = str(row.get("group") or USER)
    thread = f"{group}/{row['session']}" if row.get("session") is not None else group
    said_at = datetime.fromisoformat(row["date"]) if row.get("date") else None
    if said_at is not None and said_at.tzinfo is None:
        said_at = said_at.replace(tzinfo=zone)
    if "user" in row or "assistant" in row:
        return [
            ImportedMessage(f"{item}/{side}", str(row[side]), thread, side, said_at)
            for side in ("user", "assistant")
            if row.get(side)
        ]
    text = str(row["text"])
    speaker = str(row.get("speaker") or USER)
    if speaker != USER:
        text = f"{speaker}: {text}"
    if row.get("image"):
        text += f" [image: {row['image']}]"
    return [ImportedMessage(item, text, thread, speaker, said_at, speaker)]


def import_messages(
    ledger: Ledger,
    extractor: Extractor,
    user_id: str,
    messages: Sequence[ImportedMessage],
    progress: Callable[[int], None] | None,
) -> ImportReport:
    """Commit messages to a user's memory, thread by thread in the order given, at most `CHUNK` a commit."""
    written = known = facts = held = 0
    for thread_id, thread in _threads(messages):
        for start in range(0, len(thread), CHUNK):
            chunk = thread[start : start + CHUNK]
            there = _known(ledger, thread_id, [m.message_id for m in chunk])
            fresh = [m for m in chunk if m.message_id not in there]
            if fresh:
                read = _commit(ledger, extractor, user_id, thread_id, fresh)
                facts += len(read)
                held += sum("held" in fact for fact in read)
            written += len(fresh)
            known += len(chunk) - len(fresh)
            if progress:
                progress(len(chunk))
    return ImportReport(written, known, facts, held)


def _threads(messages: Sequence[ImportedMessage]) -> Iterable[tuple[str, list[ImportedMessage]]]:
    for thread_id, thread in groupby(messages, key=lambda m: m.thread_id):
        yield thread_id, list(thread)


def _known(ledger: Ledger, thread_id: str, ids: Sequence[str]) -> set[str]:
    table = schema.messages
    with ledger.database.read() as conn:
        query = select(table.c.message_id).where(table.c.thread_id == thread_id, table.c.message_id.in_(ids))
        return set(conn.scalars(query))


def _commit(
    ledger: Ledger, extractor: Extractor, user_id: str, thread_id: str, messages: Sequence[ImportedMessage]
) -> list[dict[str, Any]]:
    said = tuple(Utterance(m.message_id, redact(clean(m.text)).text, m.speaker, m.said_at, m.subject) for m in messages)
    found = extractor.extract(said)
    lineage = import_lineage(thread_id)
    changes = ledger.commit(
        Draft(
            user_id=user_id,
            thread_id=thread_id,
            turn_id=stable_id("import", thread_id, said[0].message_id, said[-1].message_id),
            parent=ledger.head_of(lineage),
            said=said,
            proposals=found.proposals,
            extractor=found.extractor,
            failure=found.failure,
            lineage=lineage,
        )
    )
    return list(changes["facts"])
