"""From what a language model replied to proposals that can be trusted to be well formed, and to come from the turn.

Reading JSON out of the reply is forgiving (`items_in`), what is read is not: an item that is not a fact, names an id
that was never offered, or has its words from the assistant, from what was known or from the prompt's examples alone is
skipped and counted, and the others are used. Nothing is made up here: every value and text of a proposal stands in the
reply or in a known fact.

What this does not do: decide what a proposal does to memory (`memory.deciding`), judge whether a sentence was a question
or a joke, or refuse a value that stands nowhere in the turn, since values are often put in other words (吃素, 素食). Of
an object that is cut off, nothing is used.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, cast, get_args

from memory.attributes import ATTRIBUTES, value_key
from memory.dates import dates_in
from memory.extraction.people import RELATIONS_EN, RELATIONS_ZH
from memory.extraction.prompts import EXAMPLE_WORDS, Asked, is_person
from memory.extraction.reading import WrittenNumber, items_in
from memory.lexical import terms
from memory.privacy import PrivateKind
from memory.record import USER, Memory, Polarity, Proposal, Utterance
from memory.text import clean

TOOL_CONFIDENCE = 0.6
"""The most that a tool's result is trusted with."""

_MAX_ITEMS, _MAX_VALUE, _MAX_TEXT, _MAX_NAME, _MAX_REASON = 64, 400, 600, 64, 300
_SEEN = 8000
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
    turn = _Turn(asked)
    for item in items[:_MAX_ITEMS]:
        try:
            for p in _proposals(item, turn):
                slot = (p["subject"], p["attribute"], value_key(p["value"] or ""), p.get("polarity"), p.get("retract"))
                found.setdefault(slot, p)
        except _Skip as skip:
            skipped[str(skip)] += 1
    if len(items) > _MAX_ITEMS:
        skipped[f"more than {_MAX_ITEMS} items"] += len(items) - _MAX_ITEMS
    return Reading(tuple(found.values()), skipped)


class _Skip(Exception):
    """An item that is not used; the message is the reason that it is counted under."""


_PRIVATE = re.compile(rf"\[(?:{'|'.join(get_args(PrivateKind))})\]")
_JSON_ITSELF = re.compile(r"[{\[]\s*[\"{\[\]}]")
_USER_NAMES = frozenset({"user", "the user", "用户", "我", "i", "me", "myself", "本人", "self"})
_OF_USER = re.compile(r"(?:the user's|user's|my|用户的|我的|用户|我)\s*(?P<noun>.+)", re.IGNORECASE)
_POLARITY: Mapping[str, Polarity] = {"1": 1, "+1": 1, "-1": -1, "positive": 1, "negative": -1}


def _proposals(item: Any, turn: _Turn) -> Iterator[Proposal]:
    """The proposals that one item makes: none, one, or two where one value of several is updated."""
    if isinstance(item, str) and not isinstance(item, WrittenNumber):  # a bare sentence
        item = {"attribute": "note", "value": item, "text": item, "confidence": _NOTE_CONFIDENCE}
    if not isinstance(item, dict):
        raise _Skip("not an object")
    action = str(item.get("action") or "add").strip().lower()
    if action == "ignore":
        return
    if action not in ("add", "confirm", "update", "retract"):
        raise _Skip("unknown action")
    known = _known(item, action, turn.asked)
    as_known = known if action in ("confirm", "retract") else None
    value, text = _words(item, "value", _MAX_VALUE), _words(item, "text", _MAX_TEXT)
    if as_known:
        value, text, polarity = as_known.value, as_known.text, as_known.polarity
    else:
        given = item.get("polarity")
        polarity = _polarity(given) if given is not None else known.polarity if known else 1
    if not value and action != "retract":
        raise _Skip("no value")
    if not text:
        raise _Skip("no text")
    turn.refuse_leaks(value, text)
    source = turn.source(item.get("message"), value or text)
    subject, attribute = _slot(item, action, known, source)
    if not as_known and source.said_at is None and _unsaid_day(f"{value} {text}", source):
        raise _Skip("a date that nobody said")
    if value and action != "retract" and turn.only_known(subject, attribute, value, polarity):
        raise _Skip("known already, and not said in this turn")
    base: dict[str, Any] = {
        "subject": subject,
        "attribute": attribute,
        "message_id": source.message_id,
        "confidence": min(
            _share(item.get("confidence"), _DEFAULT_CONFIDENCE),
            _PERSON_CONFIDENCE if is_person(source) else TOOL_CONFIDENCE,
        ),
        "importance": _share(item.get("importance"), ATTRIBUTES.get(attribute).importance),
    }
    if reason := _plain(item.get("reason"))[:_MAX_REASON]:
        base["reason"] = reason
    if span := _span(value or text, source.text):
        base["span"] = span
    if known and action == "update" and not ATTRIBUTES.is_single(attribute) and not _same(known.value, value):
        old = {"value": known.value, "text": known.text, "polarity": known.polarity, "retract": True}
        yield cast("Proposal", {**base, **old})
    new: dict[str, Any] = {"value": value, "text": text, "polarity": polarity, "retract": action == "retract"}
    for name, read in (("occurred_at", _occurred), ("expires_at", _expires)):
        if when := read(_plain(item.get(name)), source):
            new[name] = when
    yield cast("Proposal", {**base, **new})


def _same(a: str | None, b: str | None) -> bool:
    return value_key(a or "") == value_key(b or "")


class _Turn:
    """What was said in the turn, asked item by item; of long messages the head, which bounds the work."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self._terms: dict[str, frozenset[str]] = {}
        self._words = "\n".join(map(_seen, asked.messages.values())).casefold()

    def source(self, named: Any, words: str) -> Utterance:
        """The message that says so: the one that is named, unless the words stand in another only.

        What only a tool says is the tool's, whatever message is named; what only the assistant says is nobody's.
        """
        cited = self.asked.messages.get(named.strip()) if isinstance(named, str) else None
        people = sorted(self.asked.people, key=lambda u: u is not cited)
        tools = [u for u in self.asked.messages.values() if not is_person(u)]
        if cited in tools and self._says(words, _seen(cited)):
            return cited
        for shared in (self._says, self._touches):
            for utterance in people:
                if shared(words, _seen(utterance)):
                    return utterance
        for utterance in tools:
            if self._says(words, _seen(utterance)):
                return utterance
        if named and not cited:
            raise _Skip("a message that was never shown")
        # A date may be said in other words than those that the model and the assistant write.
        if not _ISO_DAY.search(words) and self._says(words, self.asked.overheard[:_SEEN]):
            raise _Skip("the assistant's words")
        if cited is None and not people:
            raise _Skip("nobody said it")
        return cited or people[-1]

    def only_known(self, subject: str, attribute: str, value: str, polarity: Polarity) -> bool:
        """Whether this repeats a known fact of which the turn says nothing: what was recalled is not said again."""
        same = (subject, attribute, value_key(value), polarity)
        known = ((m.subject, m.attribute, value_key(m.value or ""), m.polarity) for m in self.asked.facts.values())
        return same in known and not any(self._says(value, _seen(u)) for u in self.asked.messages.values())

    def refuse_leaks(self, value: str | None, text: str) -> None:
        """Skip what must never be kept, whoever says so."""
        stated = f"{value}\n{text}".casefold()
        if _PRIVATE.search(value or ""):
            raise _Skip("a mark of redaction")
        if any(word in stated and word not in self._words for word in EXAMPLE_WORDS):
            raise _Skip("an example of the prompt")

    def _says(self, words: str, text: str) -> bool:
        """Whether the text has these words: as they are, or all of their terms in some order."""
        if _find(words, text):
            return True
        wanted = {t for t in terms(words) if len(t) > 1}
        return bool(wanted) and wanted <= self._terms_of(text)

    def _touches(self, words: str, text: str) -> bool:
        """Whether they share a term, if only a character (素食, 我吃素), and every number in the words."""
        wanted, have = set(terms(words)), self._terms_of(text)
        return not wanted.isdisjoint(have) and all(t in have for t in wanted if any(map(str.isdigit, t)))

    def _terms_of(self, text: str) -> frozenset[str]:
        if text not in self._terms:
            self._terms[text] = frozenset(terms(text))
        return self._terms[text]


def _seen(utterance: Utterance) -> str:
    return utterance.text[:_SEEN]


def _known(item: Mapping[str, Any], action: str, asked: Asked) -> Memory | None:
    given = item.get("id")
    if action == "add" or given is None or given == "":
        return None
    if not isinstance(given, str) or given.strip() not in asked.facts:
        raise _Skip("an id that was never offered")
    return asked.facts[given.strip()]


def _plain(value: Any) -> str:
    return clean(value).strip() if isinstance(value, str) else ""


def _words(item: Mapping[str, Any], name: str, most: int) -> str | None:
    given = item.get(name)
    if given is None:
        return None
    if not isinstance(given, str):
        raise _Skip(f"{name} is not text")
    words = _plain(given)
    if len(words) > most:
        raise _Skip(f"{name} is too long")
    if words and (_JSON_ITSELF.match(words) or not re.search(r"[^\W_]", words)):
        raise _Skip(f"{name} has no words")
    return words or None


def _slot(item: Mapping[str, Any], action: str, known: Memory | None, source: Utterance) -> tuple[str, str]:
    subject = (known.subject or USER) if known else _subject(item.get("subject"), source)
    if not is_person(source):
        if subject == USER or subject.startswith(f"{USER}'s "):
            raise _Skip("a tool's words about the user")
        if action == "retract":
            raise _Skip("a tool's words against a fact")
    return subject, (known.attribute or "note") if known else _attribute(item.get("attribute"))


def _subject(given: Any, source: Utterance) -> str:
    """Whom it is about; "user" is who says "I" in the message, and theirs are named as the rules name them."""
    name = _plain(given)
    if len(name) > _MAX_NAME:
        raise _Skip("subject is too long")
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
        raise _Skip("no attribute")
    english, chinese = ATTRIBUTES.nouns("en"), ATTRIBUTES.nouns("zh")
    if name in english.values() or name in chinese.values():
        return name
    return english.get(said) or chinese.get(said) or name


def _polarity(given: Any) -> Polarity:
    polarity = _POLARITY.get(str(given).strip().lower())
    if polarity is None:
        raise _Skip("unknown polarity")
    return polarity


def _share(given: Any, default: float) -> float:
    """A number from 0 to 1; what is none counts as the default."""
    try:
        number = float(given) if isinstance(given, str | float) else math.nan
    except ValueError:
        return default
    return number if 0 <= number <= 1 else default


def _find(words: str, text: str) -> re.Match[str] | None:
    """Where the text has the words, as whole words where they begin and end with a Latin letter or digit."""
    edge = "[0-9A-Za-z]"
    before = f"(?<!{edge})" if re.match(edge, words) else ""
    after = f"(?!{edge})" if re.match(edge, words[-1:]) else ""
    return re.search(before + re.escape(words) + after, text, re.IGNORECASE)


def _span(words: str, text: str) -> list[int] | None:
    found = _find(words, text)
    return list(found.span()) if found else None


# --- dates ---------------------------------------------------------------------------------------------------------

_ISO_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_TIME = r"(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
_ISO = re.compile(rf"\d{{4}}(?:-\d{{2}})?|\d{{4}}-\d{{2}}-\d{{2}}{_TIME}(?:/\d{{4}}-\d{{2}}-\d{{2}}{_TIME})?")


def _unsaid_day(stated: str, source: Utterance) -> bool:
    said = {s.iso[:10] for s in dates_in(_seen(source)) if s.iso}
    return any(day not in said and day not in source.text for day in _ISO_DAY.findall(stated))


def _occurred(given: str, source: Utterance) -> str | None:
    """An ISO date or time, or the words of the message.

    Without the message's own time, only a date that it spells out is one. With it, a message that has one date
    expression means that one, and our arithmetic is exact where a model's is not.
    """
    when = _when(given, source)
    spans = dates_in(_seen(source), source.said_at)
    if when and source.said_at and _ISO.fullmatch(when) and len(spans) == 1 and (ours := spans[0].iso):
        return when if when[4:10] == ours[4:10] else ours
    return when


def _expires(given: str, source: Utterance) -> str | None:
    """As `_when`, but an aware moment where the zone is known: a day lasts to its end."""
    when = _when(given, source)
    if not (when and source.said_at and _ISO_DAY.match(when)):
        return when
    moment = datetime.fromisoformat(when.rpartition("/")[2])
    moment = moment if moment.tzinfo else moment.replace(tzinfo=source.said_at.tzinfo)
    return (moment if ":" in when.rpartition("/")[2] else moment + timedelta(days=1)).isoformat()


def _when(given: str, source: Utterance) -> str | None:
    if not given or len(given) > _MAX_NAME:
        return None
    own = dates_in(given, source.said_at)
    alone = own[0].iso if len(own) == 1 and own[0].words.strip() == given else None
    iso = given if _is_iso(given) else alone
    if iso is None:
        return given if _find(given, source.text) else None
    if source.said_at or _find(given, source.text):
        return iso
    spans = dates_in(_seen(source))
    if any(s.iso and s.iso[:10] == iso[:10] for s in spans):
        return iso
    return spans[0].words if len(spans) == 1 else None


def _is_iso(given: str) -> bool:
    if not _ISO.fullmatch(given):
        return False
    try:
        for part in given.split("/"):
            if len(part) > 10:
                datetime.fromisoformat(part)
            else:
                date.fromisoformat((part + "-01-01")[:10])
    except ValueError:
        return False
    return True
