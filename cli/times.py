"""Times as the person at the terminal reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, tzinfo
from typing import Annotated, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import typer

from cli.common import Folder
from graph.agent import settings_for


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise typer.BadParameter(f"there is no time zone {name!r}; give one such as UTC or Asia/Shanghai") from error


Timezone = Annotated[
    ZoneInfo | None,
    typer.Option(
        "--timezone",
        parser=_zone,
        metavar="ZONE",
        help="Show times in this zone, such as Asia/Shanghai; else in PALIMPSEST_TIMEZONE, else in the machine's.",
    ),
]


def zone_of(given: ZoneInfo | None) -> tzinfo | None:
    """The zone that is named here or in the settings; None is the machine's own, as `datetime.astimezone` has it."""
    return given or settings_for(Folder.path).timezone


TIME = "A date or a time, such as 2026-01-05 or 2026-01-05T09:00+08:00; without an offset, in your own zone."


def time_in(text: str, zone: tzinfo | None) -> datetime:
    """The moment that a text means; without an offset, in this zone (None is the machine's own)."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError as error:
        raise typer.BadParameter(
            f"{text!r} is no time; give one such as 2026-01-05 or 2026-01-05T09:00+08:00"
        ) from error
    if when.tzinfo is not None:
        return when
    return when.replace(tzinfo=zone) if zone else when.astimezone()


def zoned(row: Mapping[str, Any], names: Iterable[str], zone: tzinfo | None) -> dict[str, Any]:
    """A row with these times (ISO 8601 with an offset, or None) in a zone; the moments are the same."""
    return {**row, **{name: _moved(row[name], zone).isoformat() for name in names if row.get(name)}}


def shown(row: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """A row with these times to the minute, for a table."""
    minutes = {name: datetime.fromisoformat(row[name]).isoformat(" ", "minutes") for name in names if row.get(name)}
    return {**row, **minutes}


def _moved(text: str, zone: tzinfo | None) -> datetime:
    return datetime.fromisoformat(text).astimezone(zone)
