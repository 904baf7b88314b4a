"""Clocks where Python has no database of zones: what is asked of somebody else is what the database says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from pbem.base.language.language import UTC_CLOCK, AskedZone, clock_of


def ahead(zone: str, seconds: int) -> float | None:
    """What a browser reports."""
    if zone == "Nowhere/Land":
        return None
    offset = datetime.fromtimestamp(seconds, ZoneInfo(zone)).utcoffset()
    assert offset is not None
    return offset.total_seconds()


@pytest.mark.parametrize("name", ["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kolkata"])
def test_every_hour_of_a_year_is_the_one_of_the_database(name: str) -> None:
    asked, known, at = AskedZone(name, ahead), ZoneInfo(name), datetime(2026, 1, 1, 0, 30, tzinfo=UTC)
    for _ in range(365 * 24):
        expected, here = at.astimezone(asked), at.astimezone(known)
        assert expected.replace(tzinfo=None) == here.replace(tzinfo=None)
        if not here.fold:
            assert expected.utcoffset() == here.utcoffset()
        at += timedelta(hours=1)


@pytest.mark.parametrize("zone", ["", "UTC", "Etc/UTC"])
def test_utc_is_called_utc_whatever_a_system_calls_it(zone: str) -> None:
    assert clock_of(zone) is UTC_CLOCK


def test_an_unknown_zone_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="Nowhere"):
        AskedZone("Nowhere/Land", ahead)
