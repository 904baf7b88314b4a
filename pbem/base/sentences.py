"""Sentences that remember what they were made of, so that they can be said again in another language.

A ``Sentence`` is its English text and works wherever a text does. It also keeps the message and the values that were
put into it; ``pbem.base.language`` looks the message up and puts the values into the translation. So engines and the
referee say why something is refused in one place, in English, and know no language: records and files hold codes.

::

    sentence("number {n} is in the record already", n=7)
    counted("{n} card is left", "{n} cards are left", n)

``str()`` of a sentence, and of an exception that was made with one, is still that sentence.

A value within a command stands there as a shell needs it: ``pbem play 'Wild West'``. Whoever copies the command runs
that, whatever a stranger has put into the value. ``command`` makes one that is itself a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

MONEY, DAY, MOMENT, TABLE, NAME = "money", "day", "moment", "table", "name"
"""The contexts of amounts, days, moments, tables and names: they are formatted, not looked up."""
TERM = "term"
"""The context of the words of a game (``term``)."""
_SEATS = frozenset(
    ("asked", "late", "missing", "named", "nudged", "others", "replace", "seat", "waiting", "whose")
)
"""Values that are seats of a match, or several with commas between them. What is to be typed is called `seats`."""


_COMMAND = re.compile(r"\b(?:pbem|sudo|docker)(?: (?:\S*[^\s.,:;!?)\]']|\.{1,3})(?=[ \n]|$))*(?: \S+)?")
"""A command in a message: up to a word that ends with a mark, or to the end of the line."""
_NEEDS_QUOTES = re.compile(r"[^\w@%+=:,./-]|^[=~]")
_SPEC = ":typed}"


class Typed(str):
    """Words of a command, quoted as a shell needs them."""

    __slots__ = ()


def typed(*words: object) -> Typed:
    """Words as they are typed at a shell; what is ``Typed`` already stays.

    What begins with a hyphen would be taken for an option. It can only be a file, so it is named from its folder on.
    """
    return Typed(" ".join(word if isinstance(word, Typed) else _quoted(str(word)) for word in words))


def command(message: str, /, **values: object) -> Typed:
    """A whole command with its values, ``pbem play {folder}``, which is the same in every language."""
    return Typed(filled(message, values))


def _quoted(word: str) -> str:
    if word.startswith("-"):
        word = f"./{word}"
    if (
        not word.isprintable()
    ):  # a line feed, a mark that turns the line around: nobody sees it, so it is spelt
        escaped = "".join(
            char if char.isprintable() else _spelt(char) for char in re.sub(r"([\\'])", r"\\\1", word)
        )
        return f"$'{escaped}'"
    if word and not _NEEDS_QUOTES.search(word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"


def _spelt(char: str) -> str:
    if "\udc80" <= char <= "\udcff":  # a byte of a file's name that is no text
        return f"\\x{ord(char) - 0xDC00:02x}"
    return f"\\U{ord(char):08x}"


class Sentence(str):
    """A text in English with the message and the values it was made of."""

    __slots__ = ("between", "context", "message", "parts", "plural", "values")

    message: str
    plural: str
    context: str
    values: dict[str, object]
    parts: tuple[str, ...]
    between: str

    def __str__(self) -> Sentence:  # so that str(exception) gives back more than the English letters
        return self


def sentence(message: str, /, **values: object) -> Sentence:
    """``message`` with ``{name}`` filled in; a value may be a sentence itself."""
    return _built(filled(message, values), message, values=values)


def counted(singular: str, many: str, /, n: int, **values: object) -> Sentence:
    """One of two messages, by ``n``, which they can name."""
    text = filled(singular if n == 1 else many, {"n": n, **values})
    return _built(text, singular, plural=many, values={"n": n, **values})


def term(word: str, english: str = "") -> Sentence:
    """A word of a game as it is typed and written in files (``bank-robbery``); people read it in their language.

    Args:
        word: the text of the sentence, and the message that the catalogues hold.
        english: what is read in English (``Bank robbery``), if that is another text.
    """
    return _built(word, word, context=TERM, values={"english": english} if english else {})


def name_of(word: str, name: str) -> Sentence:
    """What is typed as ``word`` (``san-antonia``) and read as ``name`` in every language."""
    return _built(word, "", context=NAME, values={"name": name})


def phrase(text: str, context: str) -> Sentence:
    """A text of a data file, which the catalogues hold under ``context``."""
    return _built(text, text, context=context)


def dollars(amount: int) -> Sentence:
    """An amount of money as a value of a sentence."""
    return _built(f"${amount:,}", "", context=MONEY, values={"amount": amount})


def day(time: str) -> Sentence:
    """The day of a record's time as a value of a sentence."""
    return _built(time[:10], "", context=DAY, values={"day": time[:10]})


def moment(text: str, time: str, now: str, zone: str) -> Sentence:
    """A time on a reader's clock at another time, as a value of a sentence (``pbem.base.language.moment_of``)."""
    return _built(text, "", context=MOMENT, values={"time": time, "now": now, "zone": zone})


def joined(parts: Iterable[str], between: str = "; ") -> Sentence:
    """Several sentences one after the other."""
    kept = tuple(parts)
    return _built(between.join(kept), "", parts=kept, between=between)


def named(text: str, names: Mapping[str, str]) -> str:
    """A sentence with its seats called as the table calls them; a text that is no ``Sentence`` stays as it is.

    Args:
        text: the sentence; sentences in its parts and values are named, too.
        names: the name of each seat that has one.
    """
    if not isinstance(text, Sentence) or not names:
        return text
    if text.parts:
        return joined([str(named(part, names)) for part in text.parts], text.between)
    if text.context:
        return text
    values = {key: _called(key, value, names) for key, value in text.values.items()}
    if text.plural:
        n = values.pop("n")
        return counted(text.message, text.plural, n if isinstance(n, int) else 2, **values)
    return sentence(text.message, **values)


def _called(key: str, value: object, names: Mapping[str, str]) -> object:
    if isinstance(value, OSError):
        return value  # ``filled`` says its reason
    if isinstance(value, (Sentence, BaseException)):
        return named(str(value), names)
    if key not in _SEATS or not isinstance(value, str):
        return value
    return ", ".join(names.get(seat, seat) for seat in value.split(", "))


def table(rows: Iterable[Sequence[object]], head: Sequence[str] = (), right: Sequence[int] = ()) -> Sentence:
    """Rows as ``columns`` sets them, of which each cell can be said again, and then the table has its widths."""
    kept = [tuple(row) for row in rows]
    return _built(
        columns(kept, head, right), "", context=TABLE, values={"rows": kept, "head": head, "right": right}
    )


def columns(rows: Iterable[Sequence[object]], head: Sequence[str] = (), right: Sequence[int] = ()) -> str:
    """Rows as aligned columns; the columns in ``right`` are set to the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    every = [list(head), *cells] if head else cells
    if not every:
        return ""
    widths = [max(len(row[at]) for row in every) for at in range(len(every[0]))]
    lines = [
        "  ".join(
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in every
    ]
    if head:
        lines.insert(1, "  ".join("-" * width for width in widths).rstrip())
    return "\n".join(lines)


class _Plainly:
    """A value of a sentence; as ``{name!r}`` it is in quotes, as a person reads it, never in Python's notation.

    As ``{name:typed}`` it is one word of a command.
    """

    __slots__ = ("_value",)

    def __init__(self, value: object) -> None:
        self._value = value

    def __format__(self, form: str) -> str:
        return typed(self._value) if form == "typed" else format(self._value, form)

    def __repr__(self) -> str:
        shown = "".join(char if char.isprintable() else "\ufffd" for char in plain(self._value))
        return f"'{shown}'" if isinstance(self._value, str) else shown


def filled(message: str, values: Mapping[str, object]) -> str:
    """``message`` with its values; a fault of the system is its reason, without the number that it has there."""
    if not values:
        return message
    shown = {
        name: value.strerror if isinstance(value, OSError) and value.strerror else value
        for name, value in values.items()
    }
    message = _with_commands(message)
    if "!r}" in message or _SPEC in message:
        shown = {name: _Plainly(value) for name, value in shown.items()}
    return message.format_map(shown)


@lru_cache(maxsize=4096)
def _with_commands(message: str) -> str:
    """``message``, in whose commands every value is a word (``typed``)."""
    return _COMMAND.sub(lambda command: command[0].replace("}", _SPEC), message)


def place_of(path: Iterable[str | int], subject: str = "") -> str:
    """A place in a value for people: ``bid, amount``, ``moves 2, count``; ``subject`` names the whole value."""
    place = subject
    for step in path:
        place += f" {step + 1}" if isinstance(step, int) else f", {step}" if place else step
    return place


def plain(value: object) -> str:
    """A value of a file in one line: members and items one behind the other."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {plain(inside)}" for name, inside in value.items())
    if isinstance(value, list):
        return " ".join(map(plain, value)) or "nobody"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _built(
    text: str,
    message: str,
    *,
    plural: str = "",
    context: str = "",
    values: dict[str, object] | None = None,
    parts: tuple[str, ...] = (),
    between: str = "",
) -> Sentence:
    result = Sentence(text)
    result.message, result.plural, result.context = message, plural, context
    result.values, result.parts, result.between = values or {}, parts, between
    return result
