"""The words of memory: a record, a statement, an event and a proposal, as immutable values.

Nothing here reads a clock, a file or a model. Times that people see are aware `datetime`s;
ledger time is an integer of milliseconds (UTC) that only ever grows.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Literal, NotRequired, Protocol, TypedDict

Kind = Literal["episode", "fact", "summary", "lesson"]
Standing = Literal["current", "superseded", "retracted", "expired", "held"]
Polarity = Literal[1, -1]

KINDS: tuple[Kind, ...] = ("episode", "fact", "summary", "lesson")
OPEN = 2**52
"""The end of an interval that has none yet: later than any ledger time, exact as a float."""

USER = "user"
"""The subject of a fact about the person whose memory it is."""

MACHINES = frozenset({"assistant", "tool", "system", "reflection"})
"""The speakers that are no person. What one of them says never takes the place of what a person said."""

_NAMESPACE = uuid.UUID("7f1c2f0a-52c6-4d8e-9a3b-0c6b8f5f2d11")


def stable_id(*parts: object) -> str:
    """A uuid5 of the parts' JSON: the same parts give the same id, in any process."""
    return str(uuid.uuid5(_NAMESPACE, json.dumps(parts, sort_keys=True, default=str)))


@dataclass(frozen=True)
class Interval:
    """A record is current in `[start, end)` of ledger time; `end` is `OPEN` while it lasts."""

    start: int
    end: int = OPEN


@dataclass(frozen=True)
class Memory:
    """One immutable record, with its standing at the time it was read.

    `said_at` is when the words were said (aware, or None when unknown), `occurred_at` when the world did it,
    `expires_at` when it stops being true; `recorded_at` is ledger time. `spans` are character ranges in the redacted
    message. `held` says why it waits for a person, while its standing is "held". `confidence` and `importance` (0 to 1)
    are base values; decay is computed when read, never stored.
    """

    id: str
    user_id: str
    kind: Kind
    text: str
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    polarity: Polarity = 1
    confidence: float = 1.0
    importance: float = 0.5
    said_at: datetime | None = None
    occurred_at: str | None = None
    expires_at: datetime | None = None
    thread_id: str | None = None
    turn_id: str | None = None
    commit_id: str | None = None
    checkpoint_id: str | None = None
    message_ids: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    speaker: str = USER
    extractor: str | None = None
    sources: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    language: str | None = None
    near: tuple[str, ...] = ()
    recorded_at: int = 0
    held: str | None = None
    standing: Standing = "current"
    intervals: tuple[Interval, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain JSON values; times as ISO 8601 with their offset."""
        out: dict[str, Any] = {}
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, datetime):
                value = value.isoformat()
            elif f.name == "intervals":
                value = [[i.start, None if i.end == OPEN else i.end] for i in value]
            elif f.name == "spans":
                value = [list(s) for s in value]
            elif isinstance(value, tuple):
                value = list(value)
            out[f.name] = value
        return out


@dataclass(frozen=True)
class Statement:
    """One thing that a commit or a person says about a slot, in the order of the fold.

    `asserts` is False for a retraction ("forget my address"; "I no longer use Vim"): it ends the value (or, with
    `value` None, the whole slot) and puts nothing in its place. `held` is set for one that looks like an instruction:
    it counts once a person released its content. `replaces` is a value whose place this one takes, also where several
    stand side by side. `at` is milliseconds: `said_at`, or the ledger time where that is unknown; `tie` settles equal
    times (ledger time of the commit, then ordinal).
    """

    record_id: str
    attribute: str
    value: str | None
    polarity: Polarity
    at: int
    tie: tuple[int, int]
    confidence: float = 1.0
    asserts: bool = True
    by_person: bool = False
    held: bool = False
    replaces: str | None = None
    speaker: str = USER


class Proposal(TypedDict):
    """What an extractor proposes, as plain JSON (it is checkpointed). Nothing is decided yet.

    `span` is the character range in the redacted message; `occurred_at` and `expires_at` are ISO 8601 dates or
    times, or the words of the message when they could not be resolved. `replaces` is the known value whose place this
    one takes; `keep` says that a known fact was weighed against what was said and stays as it is. A `retract` that also
    says `forget`, or has no value, was asked for: the words that it was read from are to be forgotten with it.
    """

    subject: str
    attribute: str
    value: str | None
    text: str
    message_id: str
    polarity: NotRequired[Polarity]
    retract: NotRequired[bool]
    replaces: NotRequired[str]
    keep: NotRequired[bool]
    forget: NotRequired[bool]
    confidence: NotRequired[float]
    importance: NotRequired[float]
    span: NotRequired[list[int]]
    occurred_at: NotRequired[str | None]
    expires_at: NotRequired[str | None]
    tags: NotRequired[list[str]]
    reason: NotRequired[str]


@dataclass(frozen=True)
class Utterance:
    """One message as memory sees it: redacted plain text, who said it, when, and about whom "I" speaks.

    `keep` False is for the transcript alone: no episode and no fact is made of it.
    """

    message_id: str
    text: str
    speaker: str = USER
    said_at: datetime | None = None
    subject: str = USER
    keep: bool = True


@dataclass(frozen=True)
class Extraction:
    """What an extractor found in some messages. `failure` says why nothing could be read, when that was so.

    `skipped` is how many items of a model's reply were not used, by the reason why.
    """

    proposals: tuple[Proposal, ...] = ()
    extractor: str = ""
    failure: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)


class Extractor(Protocol):
    """Anything that reads facts out of what was said."""

    version: str

    def extract(self, said: Sequence[Utterance], known: Sequence[Memory] = ()) -> Extraction:
        """Propose facts from these messages' own words; `known` are the facts that they may touch."""
        ...


class TokenCounter(Protocol):
    """Counts the tokens of a text, exactly or by an estimate that never falls far short."""

    def __call__(self, text: str) -> int:
        """The number of tokens in `text`."""
        ...


class Clock(Protocol):
    """Where the time comes from: the system, or a test."""

    def __call__(self) -> datetime:
        """The current time, aware."""
        ...
