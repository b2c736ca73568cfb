"""From what a language model replied to proposals that can be trusted to be well formed, and to come from the turn.

Reading JSON out of the reply is forgiving (`items_in`), what is read is not: an item that is not a fact, names an id
that was never offered, or has its words from the assistant, from what was known or from the prompt alone is
skipped and counted, and the others are used. Nothing is made up here: every value and text of a proposal stands in the
reply, in a known fact or (where a text is in another language than was spoken) in the message.

What this does not do: decide what a proposal does to memory (`memory.deciding`), judge whether a sentence was a question
or a joke, or refuse a value that stands nowhere in the turn, since values are often put in other words (吃素, 素食). Of
an object that is cut off, nothing is used.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from memory.attributes import ATTRIBUTES, value_key
from memory.extraction.people import RELATIONS_EN, RELATIONS_ZH
from memory.extraction.prompts import ACTIONS, EXAMPLE_REASONS, Asked, is_person
from memory.extraction.reading import WrittenNumber, items_in
from memory.extraction.reply_dates import expires, occurred, unsaid_day
from memory.extraction.reply_turn import Skip, Turn, find
from memory.record import USER, Memory, Polarity, Proposal, Utterance
from memory.text import clean

TOOL_CONFIDENCE = 0.6
"""The most that a tool's result is trusted with."""

_MAX_ITEMS, _MAX_VALUE, _MAX_TEXT, _MAX_NAME, _MAX_REASON = 64, 400, 600, 64, 300
_PERSON_CONFIDENCE, _DEFAULT_CONFIDENCE, _NOTE_CONFIDENCE = 0.95, 0.8, 0.6


@dataclass(frozen=True)
class Reading:
    """What a reply said: the proposals, how many items were skipped for which reason, and, when nothing could be read
    at all, the sentence that says so."""

    proposals: tuple[Proposal, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    failure: str | None = None


def read_reply(reply: str, asked: Asked) -> Reading:
    """The proposals in a reply to this question. Never raises; the work is bounded whatever the reply is."""
    items, broken = items_in(reply)
    skipped: Counter[str] = Counter({"cut off or broken": broken} if broken else {})
    if items is None:
        size = f"{len(reply):,} characters"
        return Reading(skipped=skipped, failure=f"The extraction model's reply has no facts in JSON in it ({size}).")
    found: dict[tuple[object, ...], Proposal] = {}
    turn = Turn(asked)
    for item in items[:_MAX_ITEMS]:
        try:
            if p := _proposal(item, turn):
                said = (p["subject"], p["attribute"], value_key(p["value"] or ""), p.get("polarity"))
                found.setdefault((*said, p.get("retract"), p.get("keep")), p)
        except Skip as skip:
            skipped[str(skip)] += 1
    if len(items) > _MAX_ITEMS:
        skipped[f"more than {_MAX_ITEMS} items"] += len(items) - _MAX_ITEMS
    return Reading(tuple(found.values()), skipped)


_ENDS = frozenset({"retract", "forget"})
_AS_KNOWN = _ENDS | {"confirm", "keep"}
"""The verdicts that leave a known fact's words as they are."""
_JSON_ITSELF = re.compile(r"[{\[]\s*[\"{\[\]}]")
_USER_NAMES = frozenset({"user", "the user", "用户", "我", "i", "me", "myself", "本人", "self"})
_OF_USER = re.compile(r"(?:the user's|user's|my|用户的|我的|用户|我)\s*(?P<noun>.+)", re.IGNORECASE)
_POLARITY: Mapping[str, Polarity] = {"1": 1, "+1": 1, "-1": -1, "positive": 1, "negative": -1}


def _proposal(item: Any, turn: Turn) -> Proposal | None:
    """The proposal that one item makes; None when its verdict is that there is nothing to say."""
    if isinstance(item, str) and not isinstance(item, WrittenNumber):  # a bare sentence
        item = {"attribute": "note", "value": item, "text": item, "confidence": _NOTE_CONFIDENCE}
    if not isinstance(item, dict):
        raise Skip("not an object")
    action = str(item.get("action") or "add").strip().lower()
    if action not in ACTIONS:
        raise Skip("unknown action")
    known = _known(item, action, turn.asked) if action != "ignore" else None
    if action == "ignore" or (action == "keep" and known is None):
        return None
    value, text = _words(item, "value", _MAX_VALUE), _words(item, "text", _MAX_TEXT)
    turn.refuse_leaks(_plain(item.get("subject")), value or "", text or "", known)
    as_known = known if action in _AS_KNOWN else None
    if as_known:
        value, text, polarity = as_known.value, as_known.text, as_known.polarity
    else:
        given = item.get("polarity")
        polarity = _polarity(given) if given is not None else known.polarity if known else 1
    if not value and action not in _ENDS:
        raise Skip("no value")
    if not text:
        raise Skip("no text")
    source = turn.source(item.get("message"), value or text)
    subject, attribute = _slot(item, action, known, source)
    if not as_known:
        if source.said_at is None and unsaid_day(f"{value} {text}", source):
            raise Skip("a date that nobody said")
        if action == "merge" and known and not turn.merges(known, value or "", text):
            raise Skip("a merge of something else")
        text = turn.in_its_language(text, source)
    if value and action not in _ENDS | {"keep"} and turn.only_known(subject, attribute, value, polarity):
        raise Skip("known already, and not said in this turn")
    found: dict[str, Any] = {
        "subject": subject,
        "attribute": attribute,
        "value": value,
        "text": text,
        "polarity": polarity,
        "retract": action in _ENDS,
        "message_id": source.message_id,
        "confidence": min(
            _share(item.get("confidence"), _DEFAULT_CONFIDENCE),
            _PERSON_CONFIDENCE if is_person(source) else TOOL_CONFIDENCE,
        ),
        "importance": _share(item.get("importance"), ATTRIBUTES.get(attribute).importance),
    }
    if action in ("keep", "forget"):
        found[action] = True
    if known and not as_known and not _same(known.value, value):
        found["replaces"] = known.value
    reason = _plain(item.get("reason"))[:_MAX_REASON]
    if reason and reason not in EXAMPLE_REASONS:
        found["reason"] = reason
    if span := _span(value or text, source.text):
        found["span"] = span
    for name, read in (("occurred_at", occurred), ("expires_at", expires)):
        if when := read(_plain(item.get(name)), source):
            found[name] = when
    return cast("Proposal", found)


def _same(a: str | None, b: str | None) -> bool:
    return value_key(a or "") == value_key(b or "")


def _known(item: Mapping[str, Any], action: str, asked: Asked) -> Memory | None:
    given = item.get("id")
    if action == "add" or given is None or given == "":
        return None
    if not isinstance(given, str) or given.strip() not in asked.facts:
        raise Skip("an id that was never offered")
    return asked.facts[given.strip()]


def _plain(value: Any) -> str:
    return clean(value).strip() if isinstance(value, str) else ""


def _words(item: Mapping[str, Any], name: str, most: int) -> str | None:
    given = item.get(name)
    if given is None:
        return None
    if not isinstance(given, str):
        raise Skip(f"{name} is not text")
    words = _plain(given)
    if len(words) > most:
        raise Skip(f"{name} is too long")
    if words and (_JSON_ITSELF.match(words) or not re.search(r"[^\W_]", words)):
        raise Skip(f"{name} has no words")
    return words or None


def _slot(item: Mapping[str, Any], action: str, known: Memory | None, source: Utterance) -> tuple[str, str]:
    subject = (known.subject or USER) if known else _subject(item.get("subject"), source)
    if not is_person(source):
        if subject == USER or subject.startswith(f"{USER}'s "):
            raise Skip("a tool's words about the user")
        if action in _ENDS:
            raise Skip("a tool's words against a fact")
    return subject, (known.attribute or "note") if known else _attribute(item.get("attribute"))


def _subject(given: Any, source: Utterance) -> str:
    """Whom it is about; "user" is who says "I" in the message, and theirs are named as the rules name them."""
    name = _plain(given)
    if len(name) > _MAX_NAME:
        raise Skip("subject is too long")
    if not name or name.lower() in _USER_NAMES:
        return source.subject
    if m := _OF_USER.fullmatch(name):
        noun = m["noun"].strip().lower()
        relation = RELATIONS_ZH.get(noun) or RELATIONS_EN.get(noun)
        if relation or name.lower().startswith("user's "):
            return f"{source.subject}'s {(relation or noun).replace('_', ' ')}"
    return name


def _attribute(given: Any) -> str:
    """The table's name for it, by name or noun, or a plain name of the model's own."""
    said = re.sub(r"[\s_-]+", " ", _plain(given).casefold()).strip()
    name = said.replace(" ", "_")
    if not re.search(r"[^\W_]", name) or len(name) > _MAX_NAME:
        raise Skip("no attribute")
    english, chinese = ATTRIBUTES.nouns("en"), ATTRIBUTES.nouns("zh")
    if name in english.values() or name in chinese.values():
        return name
    return english.get(said) or english.get(said.replace(" ", "-")) or chinese.get(said) or name


def _polarity(given: Any) -> Polarity:
    polarity = _POLARITY.get(str(given).strip().lower())
    if polarity is None:
        raise Skip("unknown polarity")
    return polarity


def _share(given: Any, default: float) -> float:
    """A number from 0 to 1; what is none counts as the default."""
    try:
        number = float(given) if isinstance(given, str | float) else math.nan
    except ValueError:
        return default
    return number if 0 <= number <= 1 else default


def _span(words: str, text: str) -> list[int] | None:
    found = find(words, text)
    return list(found.span()) if found else None
