"""Money, times and lists as the Unicode CLDR has them. Babel is imported when something is formatted."""

from __future__ import annotations

from datetime import datetime
from functools import cache, lru_cache
from typing import Any, NamedTuple

_NARROW = "\u202f"
_FIXED = "\u00a0"
"""Fonts of mail programs and terminals have this blank; the narrow one they often lack."""

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class _Babel(NamedTuple):
    locale: Any
    dates: Any
    lists: Any
    numbers: Any


@cache
def _babel() -> _Babel:
    """Babel, which English does without: importing it takes as long as a short command."""
    from babel import Locale, dates, lists, numbers

    return _Babel(Locale, dates, lists, numbers)


@lru_cache(maxsize=4096)
def whole_dollars(code: str, amount: int) -> str:
    """Whole dollars where the language puts the sign; the game's dollars need no country's name."""
    pattern = (
        _babel()
        .locale.parse(code)
        .currency_formats["standard"]
        .pattern.replace("0.00", "0")
        .replace("¤", "$")
    )
    return str(_babel().numbers.format_decimal(amount, format=pattern, locale=code)).replace(_NARROW, _FIXED)


def plain_number(code: str, number: float, places: int) -> str:
    """A number with so many places behind the sign."""
    pattern = "#,##0" + ("." + "0" * places if places else "")
    return str(_babel().numbers.format_decimal(number, format=pattern, locale=code)).replace(_NARROW, _FIXED)


@lru_cache(maxsize=4096)
def date_and_time(code: str, time: str) -> str:
    """Date (medium) and time (short), in the language's order."""
    at = datetime.fromisoformat(time)
    both = str(_babel().dates.get_datetime_format("medium", locale=code))
    text = both.replace("{1}", _babel().dates.format_date(at, "medium", locale=code))
    text = text.replace("{0}", _babel().dates.format_time(at, "short", locale=code))
    return text.replace("'", "").replace(_NARROW, _FIXED)


@lru_cache(maxsize=4096)
def a_day(code: str, day: str) -> str:
    """A date (medium)."""
    text = str(_babel().dates.format_date(datetime.fromisoformat(day), "medium", locale=code))
    return text.replace(_NARROW, _FIXED)


@lru_cache(maxsize=64)
def short_weekday(code: str, number: int) -> str:
    """A day of the week in few letters; Monday is 0."""
    return str(_babel().dates.get_day_names("abbreviated", "stand-alone", locale=code)[number])


@lru_cache(maxsize=4096)
def day_and_time(code: str, time: str) -> str:
    """Day and month in figures, and the time."""
    at = datetime.fromisoformat(time)
    day = _babel().dates.format_skeleton("Md", at, locale=code)
    return f"{day} {_babel().dates.format_time(at, 'short', locale=code)}".replace(_NARROW, _FIXED)


def duration(seconds: int) -> str:
    """``90000`` → ``1d1h``: the two largest units, in letters that every language of ours reads."""
    days, rest = divmod(seconds, 86_400)
    hours, rest = divmod(rest, 3600)
    minutes, rest = divmod(rest, 60)
    parts = [(days, "d"), (hours, "h"), (minutes, "m"), (rest, "s")]
    first = next((at for at, (number, _) in enumerate(parts) if number), 3)
    return "".join(f"{number}{unit}" for number, unit in parts[first : first + 2] if number) or "0s"


def format_list(code: str, items: list[str]) -> str:
    """``a, b und c``."""
    return str(_babel().lists.format_list(items, locale=code))


_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def weekday_date(code: str, at: datetime, *, year: bool = False) -> str:
    """``Tuesday 24 November``; ``Dienstag, 24. November``; with the ``year`` if it is asked for."""
    if code == "en":
        return f"{_WEEKDAYS[at.weekday()]} {at.day} {_MONTHS[at.month - 1]}{f' {at.year}' if year else ''}"

    whole = (
        _babel().locale.parse(code).date_formats["full"].pattern
    )  # a day, a month and, last of all, the year
    return str(_babel().dates.format_date(at, whole if year else whole.removesuffix(" y"), locale=code))


def weekday_day(code: str, at: datetime, *, year: bool = False) -> str:
    """``Tue 24 Nov``; ``Di., 24. Nov.``; with the ``year`` if it is asked for."""
    if code == "en":
        return f"{_WEEKDAYS[at.weekday()][:3]} {at.day} {_MONTHS[at.month - 1][:3]}{f' {at.year}' if year else ''}"

    return str(_babel().dates.format_skeleton("yMMMEd" if year else "MMMEd", at, locale=code))


def month_day(code: str, at: datetime) -> str:
    """``24. Nov.``."""
    return str(_babel().dates.format_skeleton("MMMd", at, locale=code))


def weekday(code: str, at: datetime) -> str:
    """``Tuesday``."""
    if code == "en":
        return _WEEKDAYS[at.weekday()]

    return str(_babel().dates.format_date(at, "EEEE", locale=code))
