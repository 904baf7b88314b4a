"""One language: its catalogue (gettext) and its formats (Unicode CLDR, through Babel); before it, a reader's clock.

English needs neither a catalogue nor Babel, so that a short command stays short.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache, cached_property, lru_cache
from gettext import NullTranslations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pbem.base.errors import PbemError
from pbem.base.language.catalogue import translations
from pbem.base.resources import data_dir, game_dir, installed_games
from pbem.base.sentences import DAY, MOMENT, MONEY, NAME, TABLE, TERM, Sentence, columns, filled, moment
from pbem.base.values import dataclass

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.nodes import EvalContext
    from jinja2.runtime import Context

# --- times as one reader reads them: in their zone, and how far they are apart ------------------------------

_SOON: Final = timedelta(days=6)
"""Within so much a weekday alone names a day."""
_THIS_YEAR: Final = timedelta(days=300)
"""Within so much a day and a month do."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A zone and its name as it is said with every time; ``UTC`` where the reader has named none."""

    zone: tzinfo
    name: str

    def read(self, time: str) -> datetime:
        """A time of a record on this clock."""
        return datetime.fromisoformat(time).astimezone(self.zone)

    def near(self, time: str, now: str) -> bool:
        """Whether at ``now`` the weekday alone says which day ``time`` falls on."""
        return abs(self.read(time) - self.read(now)) < _SOON

    def far(self, time: str, now: str) -> bool:
        """Whether at ``now`` the year must be said, too."""
        return abs(self.read(time) - self.read(now)) > _THIS_YEAR


UTC_CLOCK: Final = Clock(UTC, "UTC")


class AskedZone(tzinfo):
    """A zone where Python has no database of zones: somebody else knows how far its clocks are ahead of UTC.

    ``offset`` takes the zone's name and seconds since 1970, and gives seconds, or nothing if the zone is unknown.
    """

    def __init__(self, name: str, offset: Callable[[str, int], float | None]) -> None:
        self._name = name
        self._offset = offset
        self._ahead(datetime(2026, 1, 1, tzinfo=UTC))  # an unknown zone is refused at once

    def _ahead(self, at: datetime) -> timedelta:
        ahead = self._offset(self._name, int(at.timestamp()))
        if not isinstance(ahead, int | float):
            raise ValueError(self._name)  # unknown
        return timedelta(seconds=ahead)

    def fromutc(self, dt: datetime) -> datetime:
        """The time on this zone's clocks; ``dt`` is UTC under this zone's name."""
        return dt + self._ahead(dt.replace(tzinfo=UTC))

    def utcoffset(self, dt: datetime | None) -> timedelta | None:
        """How far these clocks are ahead at a time that they show; the earlier one in an hour that comes twice."""
        if dt is None:
            return None
        shown, day = dt.replace(tzinfo=UTC), timedelta(days=1)
        before, after = self._ahead(shown - day), self._ahead(shown + day)
        return before if self._ahead(shown - before) == before else after

    def dst(self, _: datetime | None) -> timedelta | None:
        """Not known."""
        return None

    def tzname(self, _: datetime | None) -> str:
        """As the database calls it."""
        return self._name


def _of_database(zone: str) -> tzinfo:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # most commands need no zone

    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, OSError) as fault:
        raise ValueError(zone) from fault


_find: Callable[[str], tzinfo] = _of_database


def use_zones(find: Callable[[str], tzinfo]) -> None:
    """From now on zones come from here (a browser knows them, its Python does not); ``ValueError``: unknown."""
    global _find  # noqa: PLW0603 - like the primitives: one process has one place that knows
    _find = find
    clock_of.cache_clear()


@cache
def clock_of(zone: str) -> Clock:
    """The clock of an IANA zone; UTC if it is empty or nobody here knows it."""
    try:
        return UTC_CLOCK if zone in ("", "UTC", "Etc/UTC") else Clock(_find(zone), zone)
    except ValueError:
        return UTC_CLOCK


def minutes_between(now: str, time: str) -> int:
    """Whole minutes from one time to another, rounded down; negative if it is past."""
    return int((datetime.fromisoformat(time) - datetime.fromisoformat(now)) // timedelta(minutes=1))


# --- languages --------------------------------------------------------------------------------------------

CODES: Final = ("en", "fr", "it", "de")
"""The languages that there are; English is the source."""
_ZONE_LETTERS: Final = 5
"""More letters than these are a place, not a zone's own."""
_DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_VARIABLES: Final = ("PBEM_LANG", "LC_ALL", "LC_MESSAGES", "LANG")


class _OtherGames(NullTranslations):
    """What our catalogue does not say, that of a game installed beside ours may; looked for only then."""

    def __init__(self, place: Path) -> None:  # the base's would set the fallback
        self._place = place

    @cached_property
    def _fallback(self) -> NullTranslations:
        null_translations = NullTranslations()
        for game in installed_games():
            own = game_dir(game, "templates") / self._place
            if own.is_file() or own.with_suffix(".mo").is_file():
                null_translations.add_fallback(translations(own))
        return null_translations


_WORDS: Final = (Sentence, BaseException)
"""Values of a sentence that are words themselves, in each language others."""


class Language:
    """A language by its code (RFC 5646, the primary subtag); ``language_of`` makes each once."""

    def __init__(self, code: str) -> None:
        self.code = code

    @cached_property
    def _catalogue(self) -> NullTranslations:
        if self.code == "en":
            return NullTranslations()
        catalogue = translations(data_dir("templates") / self._place)
        catalogue.add_fallback(_OtherGames(self._place))
        return catalogue

    def renew(self) -> None:
        """Read the catalogue again: the web app brings the rest of it behind the first table."""
        self.__dict__.pop("_catalogue", None)

    @property
    def _place(self) -> Path:
        return Path("locale", self.code, "LC_MESSAGES", "pbem.po")

    def gettext(self, message: str) -> str:
        """The translation of a message; the message itself if there is none."""
        return self._catalogue.gettext(message) if message else ""

    def ngettext(self, singular: str, many: str, n: int) -> str:
        """The form of a message that fits ``n``."""
        return self._catalogue.ngettext(singular, many, n)

    def pgettext(self, context: str, message: str) -> str:
        """The translation of a message that means different things in different places."""
        return self._catalogue.pgettext(context, message)

    def npgettext(self, context: str, singular: str, many: str, n: int) -> str:
        """Both."""
        return self._catalogue.npgettext(context, singular, many, n)

    def translate(self, text: object) -> str:
        """A ``Sentence`` in this language; any other text as it is."""
        if not isinstance(text, Sentence):
            text = str(text)  # an exception gives the sentence it was made with
        if not isinstance(text, Sentence):
            return text
        if text.parts:
            return self.marks(text.between).join(map(self.translate, text.parts))
        if text.context:
            return self._by_context(text)
        if self.code == "en" and not any(isinstance(value, _WORDS) for value in text.values.values()):
            return "".join(text)
        if text.plural:
            n = text.values["n"]
            translated = self.ngettext(text.message, text.plural, n if isinstance(n, int) else 2)
        else:
            translated = self.gettext(text.message)
        values = {name: self._value(value) for name, value in text.values.items()}
        return filled(translated, values)

    def _by_context(self, text: Sentence) -> str:
        """What is formatted, not looked up, and the words of a game."""
        if text.context == NAME:
            return str(text.values["name"])
        if text.context == TABLE:
            return self._table(text.values)
        if self.code == "en":
            return str(text.values.get("english", "".join(text))) if text.context == TERM else "".join(text)
        if text.context == MONEY:
            return self.dollars(int(str(text.values["amount"])))
        if text.context == DAY:
            return self.day(str(text.values["day"]))
        if text.context == MOMENT:
            time, now, zone = (str(text.values[name]) for name in ("time", "now", "zone"))
            return self.until(time, now, clock_of(zone))
        return self.pgettext(text.context, text.message)

    def marks(self, marks: str) -> str:
        """French sets a fixed blank before two-part marks."""
        return re.sub(r"(?<! )([;:])", "\u00a0\\1", marks) if self.code == "fr" else marks

    def _table(self, values: Mapping[str, Any]) -> str:
        rows = [[self.translate(cell) for cell in row] for row in values["rows"]]
        return columns(rows, [self.translate(cell) for cell in values["head"]], values["right"])

    def _value(self, value: object) -> object:
        if isinstance(value, OSError) and value.strerror:
            return value  # ``filled`` says its reason, without the number that it has there
        return self.translate(value) if isinstance(value, _WORDS) else value

    def dollars(self, amount: int) -> str:
        """``$4,000`` in English, ``4.000 $`` in German."""
        return f"${amount:,}" if self.code == "en" else whole_dollars(self.code, amount)

    def number(self, number: float, places: int = 0) -> str:
        """``1,234`` and ``1.5`` in English, ``1.234`` and ``1,5`` in German."""
        return f"{number:,.{places}f}" if self.code == "en" else plain_number(self.code, number, places)

    def amount(self, amount: int, unit: str) -> str:
        """An amount of money (unit ``$``) or of anything else: ``$4,000`` or ``12``."""
        size = abs(amount)
        return ("-" if amount < 0 else "") + (self.dollars(size) if unit == "$" else self.number(size))

    def when(self, time: str) -> str:
        """A time of a record: ``2026-11-24 18:00 UTC`` in English, ``24.11.2026, 18:00 UTC`` in German."""
        if time[-1:] != "Z":
            return time
        if self.code == "en":
            return f"{time[:10]} {time[11:16]} UTC"
        return date_and_time(self.code, time) + " UTC"

    def moment(self, time: str, now: str, clock: Clock = UTC_CLOCK) -> str:
        """A time with its weekday on this clock, as of ``now``: ``Tuesday 24 November, 19:00 (Europe/Berlin)``."""
        if time[-1:] != "Z":
            return time
        at = clock.read(time)
        text = f"{weekday_date(self.code, at, year=clock.far(time, now))}, {at:%H:%M}"
        return f"{text} UTC" if clock is UTC_CLOCK else f"{text} ({clock.name})"

    def until(self, time: str, now: str, clock: Clock = UTC_CLOCK) -> str:
        """A time in few letters: ``Tuesday 19:00``, a week from ``now`` ``Tue 1 Dec 19:00``, later with the year."""
        return self.day_hour(time, now, clock) + (" UTC" if clock is UTC_CLOCK else "")

    def day_hour(self, time: str, now: str, clock: Clock = UTC_CLOCK) -> str:
        """The same without a word on the zone, for what is past, too: ``Tuesday 19:00``, ``Tue 1 Dec 19:00``."""
        at = clock.read(time)
        near, far = clock.near(time, now), clock.far(time, now)
        day = weekday(self.code, at) if near else weekday_day(self.code, at, year=far)
        return f"{day} {at:%H:%M}"

    def brief(self, time: str, now: str, clock: Clock = UTC_CLOCK) -> str:
        """A time in the fewest letters that leave no doubt: ``Fri 18:56 CET``, a week from ``now`` ``4 Dec 18:56 CET``.

        A zone without letters of its own is shown by its distance from UTC: ``+03``.
        """
        at = clock.read(time)
        near = clock.near(time, now)
        day = self.weekday(_DAYS[at.weekday()]) if near else self.month_day(at)
        zone = at.tzname() or ""
        return f"{day} {at:%H:%M} {zone if len(zone) <= _ZONE_LETTERS else f'{at:%z}'[:3]}"

    def left(self, now: str, time: str) -> str:
        """How long it is from ``now`` to ``time``, a part of an hour not counted: ``23 hours``, ``5 days``."""
        minutes = max(minutes_between(now, time), 0)
        hours, days = minutes // 60, minutes // (24 * 60)
        if not hours:
            return self.ngettext("%(num)s minute", "%(num)s minutes", minutes) % {"num": minutes}
        if days < 4:
            return self.ngettext("%(num)s hour", "%(num)s hours", hours) % {"num": hours}
        return self.ngettext("%(num)s day", "%(num)s days", days) % {"num": days}

    def fault(self, fault: PbemError) -> str:
        """What went wrong, and on a line of its own what to do."""
        return "\n".join(self.translate(part) for part in (str(fault), fault.hint) if part)

    def day(self, day: str) -> str:
        """``2026-11-24`` in English, ``24.11.2026`` in German."""
        return day if self.code == "en" else a_day(self.code, day)

    def weekday(self, word: str) -> str:
        """A day of a calendar in genesis, ``mon`` to ``sun``: ``Mon`` in English, ``Mo`` in German."""
        return word.capitalize() if self.code == "en" else short_weekday(self.code, _DAYS.index(word))

    def month_day(self, at: datetime) -> str:
        """``24 Nov``; ``24. Nov.``."""
        return f"{at.day} {at:%b}" if self.code == "en" else month_day(self.code, at)

    def soon(self, time: str) -> str:
        """A time within this year, in few letters: ``11-24 18:00 UTC``, ``24.11. 18:00 UTC``."""
        if self.code == "en" or time[-1:] != "Z":
            return time[5:16].replace("T", " ") + " UTC"
        return day_and_time(self.code, time) + " UTC"

    def listed(self, items: Sequence[str]) -> str:
        """``a, b and c``; safe HTML stays safe HTML."""
        if len(items) < 2:
            return items[0] if items else ""
        plain = [str(item) for item in items]
        last = f" and {plain[-1]}"
        text = ", ".join(plain[:-1]) + last if self.code == "en" else format_list(self.code, plain)
        first = items[0]
        return type(first)(text) if hasattr(first, "__html__") else text

    def speak(self, env: Environment) -> None:
        """Let the templates of ``env`` speak this language: ``_``, ``ngettext``, ``dollars``, ``when``, ``listed``."""
        from jinja2 import pass_context, pass_eval_context

        env.add_extension("jinja2.ext.i18n")
        install: Any = env.install_gettext_callables  # type: ignore[attr-defined]
        install(self.gettext, self.ngettext, newstyle=True, pgettext=self.pgettext, npgettext=self.npgettext)
        quick = pass_eval_context(_in_templates(self.gettext))
        env.globals.update({"_": quick, "gettext": quick})
        forms: dict[str, Callable[..., str]] = {
            "dollars": self.dollars,
            "when": self.when,
            "listed": self.listed,
            "translated": self.translate,
            "marks": self.marks,
            "weekday": self.weekday,
            "amount": self.amount,
            "number": self.number,
        }
        env.filters.update({name: pass_context(_when_rendered(form)) for name, form in forms.items()})
        env.filters["duration"] = duration


def _when_rendered(form: Callable[..., str]) -> Callable[..., str]:
    """``form`` as a filter that no template calls while it is compiled: what is compiled serves every language."""

    def filtered(_: Context, /, *given: Any, **named: Any) -> str:
        return form(*given, **named)

    return filtered


def _in_templates(gettext: Callable[[str], str]) -> Callable[..., str]:
    """``gettext`` as Jinja installs it, which goes through the template's context three times for each word."""
    from markupsafe import Markup

    def translated(where: EvalContext, message: str, /, **variables: Any) -> str:
        text = gettext(message)
        # Catalogues are ours: what they hold is safe, what fills their gaps is escaped.
        return (Markup(text) if where.autoescape else text) % variables  # noqa: S704

    return translated


@cache
def _language(code: str) -> Language:
    return Language(code)


ENGLISH: Final = _language("en")


def moment_of(time: str, now: str, clock: Clock = UTC_CLOCK) -> Sentence:
    """A time of a record as a value of a sentence, as of ``now`` on the reader's clock: ``Tuesday 19:04``."""
    return moment(ENGLISH.until(time, now, clock), time, now, clock.name)


def language_of(tag: str) -> Language:
    """The language for a tag: ``de-AT`` and ``de_AT.UTF-8`` are German; what is not known is English."""
    code = tag.replace("_", "-").partition("-")[0].partition(".")[0].lower()
    return _language(code if code in CODES else "en")


def wished(environ: Mapping[str, str]) -> str:
    """The tag that the user's surroundings ask for, ``en`` if none; POSIX: the first that is set counts."""
    for name in _VARIABLES:
        said = environ.get(name, "").partition(".")[0].partition("@")[0].replace("_", "-")
        if said in ("C", "POSIX"):
            return "en"
        if said:
            return said
    return "en"


# Money, times and lists as the Unicode CLDR has them. Babel is imported when something is formatted.

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

    # A day, a month and, last of all, the year.
    whole = _babel().locale.parse(code).date_formats["full"].pattern
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
