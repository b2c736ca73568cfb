"""The dates of a model's reply: by the message's own time, or the words as they were said; never a guess."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from memory.dates import dates_in
from memory.extraction.reply_turn import ISO_DAY, find, seen
from memory.record import Utterance

_MOST = 64
_TIME = r"(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
_ISO = re.compile(rf"\d{{4}}(?:-\d{{2}})?|\d{{4}}-\d{{2}}-\d{{2}}{_TIME}(?:/\d{{4}}-\d{{2}}-\d{{2}}{_TIME})?")


def unsaid_day(stated: str, source: Utterance) -> bool:
    """Whether these words have a date (ISO 8601) that the message does not."""
    said = {s.iso[:10] for s in dates_in(seen(source)) if s.iso}
    return any(day not in said and day not in source.text for day in ISO_DAY.findall(stated))


def occurred(given: str, source: Utterance) -> str | None:
    """An ISO date or time, or the words of the message.

    Without the message's own time, only a date that it spells out is one. With it, a message that has one date
    expression means that one, and our arithmetic is exact where a model's is not.
    """
    when = _when(given, source)
    spans = dates_in(seen(source), source.said_at)
    if when and source.said_at and _ISO.fullmatch(when) and len(spans) == 1 and (ours := spans[0].iso):
        return when if when[4:10] == ours[4:10] else ours
    return when


def expires(given: str, source: Utterance) -> str | None:
    """As `occurred`, but an aware moment where the zone is known: a day lasts to its end."""
    when = _when(given, source)
    if not (when and source.said_at and ISO_DAY.match(when)):
        return when
    moment = datetime.fromisoformat(when.rpartition("/")[2])
    moment = moment if moment.tzinfo else moment.replace(tzinfo=source.said_at.tzinfo)
    return (moment if ":" in when.rpartition("/")[2] else moment + timedelta(days=1)).isoformat()


def _when(given: str, source: Utterance) -> str | None:
    if not given or len(given) > _MOST:
        return None
    own = dates_in(given, source.said_at)
    alone = own[0].iso if len(own) == 1 and own[0].words.strip() == given else None
    iso = given if _is_iso(given) else alone
    if iso is None:
        return given if find(given, source.text) else None
    if source.said_at or find(given, source.text):
        return iso
    spans = dates_in(seen(source))
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
