"""What others put and delete under our namespace root by the store's own methods: a person's events, as by hand.

A server's store API, Studio's memory view and tools such as LangMem's write so. Nothing is overwritten by it: a put at
a key is a correction or something new to remember, a delete forgets, and the ledger keeps what was before. What
instructs waits as it does everywhere: see `stores.holding`.
"""

from __future__ import annotations

import binascii
from typing import Any, Protocol

from langgraph.store.base import PutOp
from sqlalchemy import or_, select

from memory.attributes import value_key
from memory.record import KINDS, OPEN, Extractor, Memory, Proposal, Utterance
from stores import schema
from stores.errors import BadInput, NotFound
from stores.indexer import ROOT, decode_user
from stores.ledger import Ledger
from stores.people import checked_text
from stores.rows import memory_of
from stores.waiting import waiting_ids

_NAMED = ("subject", "attribute", "value")


class Book(Protocol):
    """What of a `MemoryBook` is needed here."""

    ledger: Ledger
    extractor: Extractor

    def remember(self, user_id: str, text: str, **fields: Any) -> Memory:
        """Keep what a person says."""
        ...

    def correct(self, user_id: str, memory_id: str, text: str) -> Memory:
        """Put a person's words in a fact's place."""
        ...

    def forget(self, user_id: str, memory_id: str) -> None:
        """End a memory."""
        ...

    def find(self, user_id: str, beginning: str) -> str:
        """The memory whose id begins so."""
        ...

    def hold(self, user_id: str, memory_id: str) -> Memory:
        """Take a current memory out until it is released."""
        ...

    def release(self, user_id: str, memory_id: str) -> Memory:
        """Let a held memory count."""
        ...

    def reject(self, user_id: str, memory_id: str) -> Memory:
        """End a held memory."""
        ...


def apply(book: Book, op: PutOp) -> None:
    """Take one put or delete as what the namespace's user did by hand.

    A value is `{"text": ...}` (or `"content"`), and where they are known, `attribute`, `value` and `subject` of a
    fact. At the key of a memory a put is a correction; at any other key the text is remembered, and that key stands
    for it at a later put or delete. What is kept is found by `search`, under the ledger's own keys. A delete of a key
    that nothing stands under changes nothing, as in any store. While what was put at a key waits, what stood there
    stays.

    A value that is only a `standing`, put at a memory's id (its beginning, or its own key), is a person's word on it:
    "held" holds it, "current" releases it, "retracted" rejects it.

    Raises `BadInput` for a namespace that is not `("palimpsest", <user>, <kind>)`, a put that is no fact, a value
    without text, a time to live, or a standing of what is not there.
    """
    user_id, kind = _owner(op.namespace)
    if op.value is None:
        for memory in _current(book.ledger, user_id, kind, op.key):
            book.forget(user_id, memory.id)
        return
    if "standing" in op.value and not {"text", "content"} & op.value.keys():
        _stand(book, user_id, op.key, op.value["standing"])
        return
    text = checked_text(_text(op))
    before = _current(book.ledger, user_id, kind, op.key)
    if [m.text for m in before] == [text]:
        return
    if before and before[0].id == _record_id(op.key):
        book.correct(user_id, before[0].id, text)
        return
    new = _remember(book, user_id, op, text)
    if any(memory.standing == "held" for memory in new):
        return
    kept = {_what(memory) for memory in new}
    still = {m.id for m in _current(book.ledger, user_id, kind, op.key)}
    for old in before:
        if old.id in still and _what(old) not in kept:
            book.forget(user_id, old.id)


def _stand(book: Book, user_id: str, key: str, standing: object) -> None:
    acts = {"held": book.hold, "current": book.release, "retracted": book.reject}
    if not isinstance(standing, str) or standing not in acts:
        raise BadInput(f"A memory is put as {', '.join(acts)}, not {standing!r}. Nothing was changed.")
    try:
        acts[standing](user_id, book.find(user_id, _record_id(key) or key))
    except NotFound as error:
        # A server tells its client of a wrong input, and of anything else only that it failed.
        raise BadInput(str(error)) from error


def _owner(namespace: tuple[str, ...]) -> tuple[str, str]:
    try:
        _, user, kind = namespace
        owner = decode_user(user) if user.startswith("u") else ""
    except (ValueError, binascii.Error):
        owner = kind = ""
    if not owner or kind not in KINDS:
        raise BadInput(
            f"The namespace {'.'.join(namespace)} is not one of a user's memories. Nothing was changed; use "
            f'("{ROOT}", <encoded user>, "fact"), or a namespace that does not begin with "{ROOT}".'
        )
    return owner, kind


def _text(op: PutOp) -> str:
    value = op.value or {}
    text = value.get("text", value.get("content"))
    if op.namespace[-1] != "fact":
        raise BadInput(f"What a person puts is a fact; a {op.namespace[-1]} is kept as it was. Nothing was changed.")
    if not isinstance(text, str):
        raise BadInput('A memory\'s value is {"text": "..."}. Nothing was changed.')
    if isinstance(op.ttl, int | float):
        raise BadInput("A memory has no time to live: it ends by being forgotten. Nothing was changed.")
    return text


def _remember(book: Book, user_id: str, op: PutOp, text: str) -> list[Memory]:
    """Remember a text as the facts that it says, each marked with the key it was put at."""
    value = op.value or {}
    tags = [_mark(op.key)]
    named = {name: value[name] for name in _NAMED if isinstance(value.get(name), str)}
    if "attribute" in named and "value" in named:
        return [book.remember(user_id, text, **named, tags=tags)]
    found = book.extractor.extract([Utterance(op.key, text)]).proposals
    facts = [(p["text"], _fields(p)) for p in found if not p.get("retract")]
    return [book.remember(user_id, says, **fields, tags=tags) for says, fields in facts or [(text, {})]]


def _fields(proposal: Proposal) -> dict[str, Any]:
    """A proposal's fact, as sure as a person's own word."""
    return {k: v for k, v in proposal.items() if k not in ("text", "message_id", "span")} | {"confidence": 1.0}


def _mark(key: str) -> str:
    return f"key:{key}"


def _record_id(key: str) -> str:
    """The record that one of our own keys (`stores.indexer.key_of`) names."""
    return key.rpartition(":")[0]


def _what(memory: Memory) -> tuple[str | None, str | None, str]:
    return memory.subject, memory.attribute, value_key(memory.value or "")


def _current(ledger: Ledger, user_id: str, kind: str, key: str) -> list[Memory]:
    """What is current or waits under a key: the record that our own key names, or what was put at it before."""
    r, i = schema.records, schema.intervals
    with ledger.database.read() as conn:
        stands = select(i.c.record_id).where(i.c.record_id == r.c.id, i.c.end == OPEN).exists()
        waits = r.c.id.in_(waiting_ids(conn, user_id, None))
        mine = select(r).where(r.c.user_id == user_id, or_(stands, waits))
        named = conn.execute(mine.where(r.c.kind == kind, r.c.id == _record_id(key))).mappings().all()
        if not named and kind == "fact":
            by_hand = conn.execute(mine.where(r.c.kind == kind, r.c.speaker == "person")).mappings()
            named = [row for row in by_hand if _mark(key) in (row["tags"] or ())]
        return [memory_of(row) for row in named]
