"""A number stands with the form of its noun: nobody reads *1 cowboys leave*, in any of the four languages.

A message that has a number in front of a noun in the plural has a form for one, or a row here says why the number is
never one. Which words are such nouns is read from the catalogues themselves: what follows the number in the form for
several and not in that for one.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import pytest

from tests.languages.catalogues import LANGUAGES, catalogue, messages, strings

PLACE: Final = r"(?:\{|%\()(\w+)[^{}() ]*[})]s?"
ALSO: Final = frozenset(
    (
        *(
            "bytes",
            "characters",
            "cowboys",
            "histories",
            "hours",
            "identities",
            "letters",
            "lines",
            "minutes",
        ),
        *("others", "pieces", "places", "players", "results", "seconds", "shuffles", "sides", "spectators"),
        *("times", "towns", "tries", "ways"),
    )
)
"""Nouns that are counted in messages without a form for one."""
NO_NUMBER: Final = frozenset(("name", "seat", "url", "id", "whose", "outlaw", "hits", "often"))
"""Places that hold no number, or one with a fraction."""
NEVER_ONE: Final = {
    "text of {n} characters": "only a text of more than sixty is told by its length",
    "A shot hits with {hits} of the {left} cards that you have not seen ({percent} %).": "the top of the supply, "
    "and at least a card of each other hand",
    "hits with {hits} of the {cards} cards that you have not seen, {percent} %": "the same",
    "a shot decides: %(hits)s of the %(cards)s cards that you have not seen hit": "the same",
    "{path} is too long: at most {limit} bytes are read": "a constant",
    "{path} is too long: at most {MAX_INPUT} bytes are read": "a constant",
    "the passphrase in {file} is too long: at most {most} bytes are read": "a constant",
    "an email of more than {most} bytes is not taken": "a constant",
    "the file of {seat} is longer than {most} bytes": "a constant",
    "at most {most} bytes are read": "a constant",
    "too long: at most {limit} bytes are read, found {count}": "a constant",
    "too long: a record has at most {limit} bytes, found {count}": "a constant",
    "the text block holds more than {most} bytes": "a constant",
    "the text block is too long: at most {most} characters, found {count}": "a constant",
    "too long: at most {most} characters are searched for a text block, found {count}": "a constant",
    "a content type is longer than {most} characters": "a constant",
    "more than {most} characters of text": "a constant",
    "an email has at most {most} emails inside": "a constant",
    "a signature has {size} bytes, found {count}": "a constant",
    "expected {size} bytes in base64url, found {count}": "a constant",
    "{title}, {least} to {most} players": "no game is for one",
    "box {id} exists only with {min_players} players": "no game is for one",
    "there is no box {box} with {count} players": "no game is for one",
    "{title} is played against {least} to {most} others, not against {found}": "the most of a range",
    "Nobody changed anything afterwards: all %(records)s records are signed by the host and chained to the one before."
    " The %(num)s message in them is signed by its player over everything before it.": "a message is a second",
    "of {count} pieces these are missing: {missing}": "one piece that came is all of them",
    "the records take {count} pieces; at most {most_pieces} are taken": "more than the most",
    "a match file has 1 to {most_pieces} pieces": "a constant",
    "orders, rules {number}, do, place: there are {most} places, found {place}": "a place for each player",
    "a match has at most {most} spectators": "a constant",
    "{count} histories of this match were signed; they part at record {parts}.": "asked only if there are several",
    "a title is one line of at most {longest} characters, found {title!r}": "a constant",
    "a reminder comes at most {hours} hours before or after the time": "a constant",
    "{count} emails wait on the mail server, more than are looked at in an hour. Players' signed files are taken out of"
    " them at once": "more than an hour's",
    "The email holds {count} files that are new. One email brings one new file.": "one is taken",
    "{address} was invited {most_invitations} times already": "a constant",
    "this folder began on another computer at {begun}. For {minutes} minutes nothing is signed: the place before sees"
    " it by then": "a constant",
    "more than {most} emails in an hour: nothing is sent until 'pbem host go-on'": "a limit of many",
    "match {short}: more than {most} emails in an hour; {count} wait, and leave by themselves. Other matches go on": "a"
    " limit of many",
    "{count} matches, {over} of them over; {when}": "one match has a message of its own",
    "{value}: roll {number} of dice sequence {tape}, {sides} sides, for {purpose}: {verdict}": "a die has more",
    "dice sequence %(tape)s, roll j=%(j)s, %(sides)s sides; anchor in record %(laid)s": "a die has more",
    "a die of %(sides)s sides": "a die has more",
    "more than {MAX_FILES} signed files in one email": "a constant",
    "it did not end in {seconds} seconds": "a constant",
    "{path} holds {count} matches": "one is taken",
    "{path} holds {count} matches, not one": "one is taken",
    "{first} and {second} both hold {count} matches": "one is compared",
    "{start} holds {count} match files: {found}": "one is taken",
    "there are {count} identities: {names}": "one is taken",
    "the file would have {count} bytes; at most {MAX_FILE} are read": "more than the most",
    "{path}: somebody else appended: expected {size} bytes, found {found}; nothing was written": "no file has one byte",
    "{count} lines are too short for a record; what follows them was not looked at": "a constant",
    "your standing orders take {size} bytes; {most} fit into a turn file": "more than the most",
    "recovery words have {length} letters and digits, found {count}": "a constant",
    "{seat} wrote {TALK} times since the last move; the next is taken after a move": "a constant",
    "the clock says {now}; the last sign of life is of {last_at}, more than {limit} hours before": "a constant",
    "you can be away for at most {LONGEST_ABSENCE} hours (366 days)": "a constant",
    "a pause lasts for at most {LONGEST_PAUSE} hours (60 days)": "a constant",
    "{seat} agreed by the recovery key more than {hours} hours ago; agree again": "a constant",
    "{seat} was taken again {count} times already": "a constant",
    "{label} …  ({count} ways)": "one way is the action itself",
    "This has {n} characters; at most {most} are allowed.": "more than the most",
}
"""Messages without a form for one, and why none is needed."""
_STARTS: Final = (
    ("with this file {seat} would have {found} bytes sealed", "more than the most"),
    ("Due: hits by the chance each try had.", "the tests of a whole table"),
)
SHUFFLES: Final = re.compile(r"could have compared (\{count\}|%\(count\)s) shuffles")
"""What was dealt again: it and what came instead are two."""


@cache
def _forms(code: str) -> list[tuple[str, tuple[str, ...]]]:
    """The English message and its forms in a language."""
    if code == "en":
        return [
            (m if isinstance(m, str) else m[0], (m,) if isinstance(m, str) else tuple(m))
            for _, _, m, _ in messages()
        ]
    return [(str(m.id if isinstance(m.id, str) else m.id[0]), strings(m)) for m in catalogue(code) if m.id]


@cache
def _nouns(code: str) -> frozenset[str]:
    """What follows the number in a form for several, where another form of that word follows it in the form for one."""
    nouns = set(ALSO) if code == "en" else set()
    for _, forms in _forms(code):
        if len(forms) == 2:
            for singular, many in zip(*map(_behind_number, forms), strict=False):
                if singular != many:
                    if len(many) > 2 and singular[:1] == many[:1] and (code != "de" or many[0].isupper()):
                        nouns.add(many)
                    break
    return frozenset(nouns)


def _behind_number(form: str) -> list[str]:
    """The two words behind the number that chooses the form."""
    match = re.search(r"(?:\{n\}|%\(num\)s)[ \u00a0]([\w-]+)(?:[ \u00a0]([\w-]+))?", form)
    return [word for word in match.groups() if word] if match else []


def _plural_behind(text: str, nouns: frozenset[str]) -> str:
    """The first noun in the plural behind a number, an adjective at most between them."""
    for place, *words in re.findall(PLACE + r"[ \u00a0](?=([\w-]+)(?:[ \u00a0]([\w-]+))?)", text):
        for word in words:
            if word in nouns and place not in NO_NUMBER:
                return str(word)
    return ""


def _known(message: str) -> bool:
    return (
        message in NEVER_ONE
        or SHUFFLES.search(message) is not None
        or any(message.startswith(start) for start, _ in _STARTS)
    )


def test_a_number_in_front_of_a_noun_has_a_form_for_one_or_a_row_says_why_not() -> None:
    nouns = _nouns("en")
    assert {"records", "cards", "emails", "cowboys"} <= nouns
    wrong = {
        message: word
        for message, forms in _forms("en")
        if len(forms) == 1 and (word := _plural_behind(message, nouns)) and not _known(message)
    }
    assert not wrong
    every = {message for message, _ in _forms("en")}
    assert not set(NEVER_ONE) - every, "a row that nothing needs goes"


@pytest.mark.parametrize("code", ["en", *LANGUAGES])
def test_with_one_no_noun_stands_in_the_plural(code: str) -> None:
    nouns, wrong = _nouns(code), []
    for message, forms in _forms(code):
        assert len(forms) < 3, message
        if len(forms) == 2 and not _known(message):
            said = re.sub(r"\{n\}|%\(num\)s", "1", forms[0])
            match = re.search(r"\b1[ \u00a0]([\w-]+)(?:[ \u00a0]([\w-]+))?", said)
            if _plural_behind(forms[0], nouns) or (match and nouns.intersection(match.groups())):
                wrong.append(said)
    assert not wrong


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_translation_that_counts_has_its_two_forms(code: str) -> None:
    """Where English has two, and the number stands in them."""
    same = [
        forms[0]
        for message, forms in _forms(code)
        if len(forms) == 2
        and forms[0] == forms[1]
        and re.search(r"\{n\}|%\(num\)s", forms[1])
        and not _unchanged(message)
    ]
    assert sorted(same) == sorted(ALIKE[code])


def _unchanged(message: str) -> bool:
    return any(message == forms[0] == forms[-1] for _, forms in _forms("en") if len(forms) == 2)


ALIKE: Final[dict[str, list[str]]] = {
    "fr": ["boîte lue par {n} processus"],
    "it": [
        "%(num)s cowboy",
        "%(num)s cowboy d'ufficio",
        "pbem {version}, {n} file",
        "questa ritirata nomina {n} città, trovate {count}",
        "{n} file",
    ],
    "de": [
        "mindestens {n} Zeichen",
        "höchstens {n} Zeichen",
        "Der Angriff würfelt %(dice)s: %(num)s Treffer.",
        "Die Verteidigung würfelt %(dice)s: %(num)s Treffer.",
        "%(num)s Farmer",
        "%(num)s Bankwächter",
    ],
}
"""Nouns that are the same for one and for several."""
