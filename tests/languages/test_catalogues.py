"""Every message has its translation in every language, and every translation its message."""

from __future__ import annotations

import os
import re
from collections import Counter
from functools import cache, partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog, Message
from jinja2.utils import _PassArg

from pbem.base.language import CODES, ENGLISH, Language, language_of, wished
from pbem.base.language.catalogue import compiled_catalogue, translations
from pbem.base.sentences import counted, dollars, joined, name_of, sentence, table, term
from pbem.games.wyatt_earp.deck import NAMES, card_term
from pbem.player.letters.rendering import Style, environment
from pbem.player.pictures.picture import environment as pictures_environment
from tests.languages.catalogues import (
    LANGUAGES,
    LOCALE,
    catalogue,
    po_bytes,
    po_of,
    spaced,
    strings,
    template,
    updated,
)

PLACES = re.compile(r"%\(\w+\)[a-z]|\{\w+[^{}]*\}|%%")
TAGS = re.compile(r"</?\w+[^<>]*>|\[/?\w*[^\[\]]*\]")


@cache
def _template() -> Catalog:
    return template()


@cache
def _catalogue(code: str) -> Catalog:
    return catalogue(code)


def _id(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def _forms(message: Message) -> list[tuple[str, str]]:
    """Each translation with the English it stands for."""
    forms = strings(message)
    if isinstance(message.id, str):
        return [(message.id, forms[0])]
    return [(message.id[min(form, 1)], text) for form, text in enumerate(forms)]


def _messages(code: str) -> list[Message]:
    return [message for message in _catalogue(code) if message.id]


@pytest.mark.parametrize("code", ["", *LANGUAGES])
def test_the_template_and_every_catalogue_are_what_the_sources_give(code: str) -> None:
    expected = updated(code, _template()) if code else _template()
    kept = (po_of(code) if code else LOCALE / "pbem.pot").read_bytes().splitlines()
    other = [pair for pair in zip_longest(kept, po_bytes(expected).splitlines()) if pair[0] != pair[1]]
    assert other[:1] == [], "run `make catalogues`"  # a whole comparison would be explained for three minutes


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_message_is_missing_and_none_unused(code: str) -> None:
    wanted = {(message.context, message.id) for message in _template() if message.id}
    present = {(message.context, message.id) for message in _messages(code)}
    assert present == wanted, "run `make catalogues`, then translate what is empty"
    assert not _catalogue(code).obsolete


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_message_is_translated(code: str) -> None:
    empty = [message.id for message in _messages(code) if not all(strings(message))]
    assert not empty, f"{len(empty)} messages"
    assert not [message.id for message in _messages(code) if message.fuzzy]


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_translation_has_the_places_of_its_message(code: str) -> None:
    wrong = [
        (english, text)
        for message in _messages(code)
        for english, text in _forms(message)
        if text and not _fits(_id(message), english, text)
    ]
    assert not wrong


def _fits(message: str, english: str, text: str) -> bool:
    """Nothing is put in that there is not, nothing left out but a number that the form itself says."""
    allowed, used = set(PLACES.findall(message)) | set(PLACES.findall(english)), set(PLACES.findall(text))
    needed = set(PLACES.findall(english)) - {"%(num)s", "{n}"}
    return needed <= used <= allowed and Counter(TAGS.findall(english)) == Counter(TAGS.findall(text))


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_plural_form_of_the_language_is_there(code: str) -> None:
    many = [message for message in _messages(code) if message.pluralizable]
    assert many
    assert {len(strings(message)) for message in many} == {_catalogue(code).num_plurals}


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_translation_begins_and_ends_like_its_message(code: str) -> None:
    """Blanks hold pieces together; a full stop too much stands in the middle of a sentence."""
    wrong = []
    for message in _messages(code):
        for english, text in _forms(message):
            blanks = (
                english[:1].isspace() != text[:1].isspace() or english[-1:].isspace() != text[-1:].isspace()
            )
            stops = english.endswith(".") != text.endswith((".", ".)", ".”", ". »"))
            if text and (blanks or stops):
                wrong.append((english, text))
    assert not wrong


_PO = """msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

msgid "card"
msgstr "%s"

msgid "not yet"
msgstr ""

msgid "%%(num)s card"
msgid_plural "%%(num)s cards"
msgstr[0] "one form"
msgstr[1] ""
"""


def test_a_catalogue_is_compiled_when_it_is_missing_or_older_than_what_translators_write(
    tmp_path: Path,
) -> None:
    po = tmp_path / "pbem.po"
    po.write_text(_PO % "Karte", encoding="utf-8")
    assert translations(po).gettext("card") == "Karte"
    first = po.with_suffix(".mo").read_bytes()
    assert first == compiled_catalogue(po.read_bytes())
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["pbem.mo", "pbem.po"]
    po.write_text(_PO % "Blatt", encoding="utf-8")
    later = po.with_suffix(".mo").stat().st_mtime_ns + 1
    os.utime(po, ns=(later, later))
    assert translations(po).gettext("card") == "Blatt"
    assert po.with_suffix(".mo").read_bytes() != first


def test_what_is_not_translated_in_every_form_is_said_in_english(tmp_path: Path) -> None:
    po = tmp_path / "pbem.po"
    po.write_text(_PO % "Karte", encoding="utf-8")
    said = translations(po)
    assert said.gettext("not yet") == "not yet"
    assert said.ngettext("%(num)s card", "%(num)s cards", 1) == "%(num)s card"


def test_a_folder_that_cannot_be_written_and_one_with_compiled_catalogues_only_serve_as_well(
    tmp_path: Path,
) -> None:
    po = tmp_path / "pbem.po"
    po.write_text(_PO % "Karte", encoding="utf-8")
    po.with_suffix(".mo").mkdir()  # no file can be written there
    assert translations(po).gettext("card") == "Karte"
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["pbem.mo", "pbem.po"]
    po.with_suffix(".mo").rmdir()
    translations(po)
    po.unlink()
    assert translations(po).gettext("card") == "Karte"


def test_french_marks_of_two_parts_follow_a_fixed_blank() -> None:
    """So that no line begins with a colon; ``update`` sets them."""
    wrong = [m.string for m in _messages("fr") if spaced("fr", m.string) != m.string]
    assert not wrong


# --- the glossary -----------------------------------------------------------------------------------------


@cache
def _tables() -> list[list[list[str]]]:
    """The rows of each table of the glossary."""
    tables: list[list[list[str]]] = []
    inside = False
    for line in (LOCALE / "GLOSSARY.md").read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            inside = False
            continue
        if not inside:
            tables.append([])
        inside = True
        tables[-1].append([cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return [table[2:] for table in tables]


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_words_of_the_game_are_those_of_the_glossary(code: str) -> None:
    at = {"fr": 2, "it": 3, "de": 4}[code]
    known = {(message.context, message.id): strings(message)[0] for message in _messages(code)}
    for row in _tables()[0]:
        key = (row[1] or None, row[0])
        assert key in known, f"{row[0]} of the glossary is no message any more"
        assert known[key] == row[at]


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_sentence_calls_things_as_the_glossary_does(code: str) -> None:
    at = {"fr": 1, "it": 2, "de": 3}[code]
    wrong = []
    for row in _tables()[1]:
        word, stem = re.compile(rf"\b{row[0]}", re.IGNORECASE), re.compile(row[at], re.IGNORECASE)
        for message in _messages(code):
            for english, text in _forms(message):
                said = text.replace("\u00ad", "")  # where a word may be broken
                if word.search(PLACES.sub("", english)) and text and not stem.search(said):
                    wrong.append((row[0], english, text))
    assert not wrong


# --- formats and looking up -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "money", "time", "names"),
    [
        ("en", "$4,000", "2026-11-24 18:00 UTC", "Anna, Burt and Curt"),
        ("fr", "4\u00a0000\u00a0$", "24 nov. 2026, 18:00 UTC", "Anna, Burt et Curt"),
        ("it", "4.000\u00a0$", "24 nov 2026, 18:00 UTC", "Anna, Burt e Curt"),
        ("de", "4.000\u00a0$", "24.11.2026, 18:00 UTC", "Anna, Burt und Curt"),
    ],
)
def test_money_times_and_lists_are_written_as_in_the_country(
    code: str, money: str, time: str, names: str
) -> None:
    language = language_of(code)
    assert language.dollars(4000) == money
    assert language.when("2026-11-24T18:00:00Z") == time
    assert language.listed(["Anna", "Burt", "Curt"]) == names
    assert language.listed(["Anna"]) == "Anna"
    assert language.listed([]) == ""


@pytest.mark.parametrize(
    ("tag", "code"),
    [
        ("de", "de"),
        ("de-AT", "de"),
        ("de_CH.UTF-8", "de"),
        ("FR", "fr"),
        ("nl", "en"),
        ("", "en"),
        ("C", "en"),
    ],
)
def test_a_tag_finds_its_language_and_an_unknown_one_english(tag: str, code: str) -> None:
    assert language_of(tag).code == code
    assert code in CODES


def test_the_first_of_the_users_variables_that_is_set_decides() -> None:
    assert wished({}) == "en"
    assert wished({"LANG": "it_IT.UTF-8"}) == "it-IT"
    assert wished({"LANG": "it_IT.UTF-8", "LC_ALL": "C"}) == "en"
    assert wished({"LANG": "it_IT.UTF-8", "LC_MESSAGES": "de_DE", "PBEM_LANG": "fr"}) == "fr"


class Shouting(Language):
    """A language for tests: it writes every message in capitals."""

    def gettext(self, message: str) -> str:
        return (
            message.upper()
            .replace("{NAME}", "{name}")
            .replace("{FAULT}", "{fault}")
            .replace("{SUM}", "{sum}")
        )

    def ngettext(self, singular: str, many: str, n: int) -> str:
        return (singular if n == 1 else many).upper().replace("{N}", "{n}")

    def pgettext(self, context: str, message: str) -> str:
        return f"{context}:{message}"

    def dollars(self, amount: int) -> str:
        return f"{amount} dollars"


def test_a_sentence_is_its_english_text_and_can_be_said_again_in_another_language() -> None:
    inner = sentence("you have no {name}", name=term("hideout", "Hideout"))
    whole = joined(
        (
            sentence("no: {fault} ({sum})", fault=ValueError(inner), sum=dollars(4000)),
            counted("{n} card", "{n} cards", 2),
        )
    )
    assert whole == "no: you have no hideout ($4,000); 2 cards"
    assert str(ValueError(whole)) == whole
    loud = Shouting("xx")
    assert loud.translate(whole) == "NO: YOU HAVE NO term:hideout (4000 dollars); 2 CARDS"
    assert loud.translate(str(ValueError(inner))) == "YOU HAVE NO term:hideout"
    assert loud.translate("as it is") == "as it is"
    assert ENGLISH.translate(whole) == "no: you have no Hideout ($4,000); 2 cards"
    assert ENGLISH.translate(term("turn")) == "turn"
    assert type(ENGLISH.translate(whole)) is str


def test_what_is_typed_as_one_word_is_read_by_its_name_in_every_language() -> None:
    words: Any = environment(Style.TEXT).get_template("wyatt-earp/words.jinja").make_module({})
    cards = {card: card_term(kind) for kind, card in enumerate(NAMES)}
    assert {card: str(description) for card, description in cards.items()} == {card: card for card in NAMES}
    assert {card: ENGLISH.translate(description) for card, description in cards.items()} == {
        card: words.card(card).strip() for card in NAMES
    }
    town = sentence("no farmer in {town}", town=name_of("bank", "Bank"))
    assert town == "no farmer in bank"
    assert ENGLISH.translate(town) == "no farmer in Bank"
    assert language_of("fr").translate(town).endswith(" Bank")


def test_a_template_is_compiled_once_for_all_languages() -> None:
    """A filter that differs by language is called when a template is rendered only, never while it is compiled."""
    for of in (partial(environment, Style.HTML), pictures_environment):
        english, french = of(ENGLISH), of(language_of("fr"))
        assert english.bytecode_cache is french.bytecode_cache
        source = "{{ 4000|dollars }} {{ 2|duration }}"
        assert english.compile(source, raw=True) == french.compile(source, raw=True)
        assert french.from_string(source).render() == "4\u00a0000\u00a0$ 2s"
        others = {name for name, form in french.filters.items() if form is not english.filters[name]}
        assert "dollars" in others
        assert {_PassArg.from_obj(french.filters[name]) for name in others} == {_PassArg.context}


def test_a_table_has_the_widths_of_the_language_it_is_shown_in() -> None:
    rows = ((sentence("a jail"), 7), ("anna", 12))
    text = table(rows, (sentence("where"), "n"), right=(1,))
    assert text == "where    n\n------  --\na jail   7\nanna    12"
    longer = Shouting("xx")
    assert longer.translate(text) == "WHERE    n\n------  --\nA JAIL   7\nanna    12"
    french = language_of("fr").translate(table(((sentence("works"), "x"), ("-", "y"))))
    assert french == "marche  x\n-       y"
    assert table(()) == ""
