"""The catalogues of ``templates/locale``: what there is to translate, and the files that hold it.

``python -m tests.languages extract`` writes ``pbem.pot`` from the sources; ``update`` brings it into each language's
``pbem.po`` (what is no longer used is dropped, what is new is empty); ``compile`` writes ``pbem.mo``; ``make
catalogues`` does all three. Nothing in a catalogue depends on the clock, so the same sources give the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po

from pbem.base.language.catalogue import mo_bytes
from pbem.games.wyatt_earp.deck import ENGLISH_NAMES, NAMES, OUTLAW_NAMES

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "templates"
LOCALE = TEMPLATES / "locale"
LANGUAGES = ("fr", "it", "de")
KEYWORDS: dict[str, tuple[int | tuple[int, str], ...] | None] = {
    "_": None,
    "gettext": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
    "sentence": None,
    "counted": (1, 2),
}
FAULTS: dict[str, tuple[int | tuple[int, str], ...] | None] = {"fault": (3,)}
"""What findings of the audit are made with (``Line.fault``); a sentence in such a call is a message too."""
_JINJA = {"extensions": "jinja2.ext.do", "newstyle_gettext": "true", "silent": "false", "trimmed": "true"}
_HEADER = "# Messages of pbem. English is the source; see GLOSSARY.md for the words of each edition."
# Newer tables of languages have a third form in French and Italian, for round millions; no message counts so far.
_PLURALS = {
    "fr": "nplurals=2; plural=(n > 1);",
    "it": "nplurals=2; plural=(n != 1);",
    "de": "nplurals=2; plural=(n != 1);",
}

Entry = tuple[str, int, str | tuple[str, ...], str | None]
"""File, line, message (with its plural), context."""


# --- what there is to translate ---------------------------------------------------------------------------


@cache
def messages() -> tuple[Entry, ...]:
    """Everything that a person reads; a process reads its sources once."""
    return tuple(_messages())


def _messages() -> Iterator[Entry]:
    for path in sorted((ROOT / "pbem").rglob("*.py")):
        yield from _from(path, "python", {})
        yield from _from(path, "python", {}, FAULTS)
    for path in sorted(TEMPLATES.rglob("*.jinja")):
        yield from _from(path, "jinja2", _JINJA)
    yield from _from_words()
    yield from _from_figures()
    yield from _from_rules()
    yield from _from_lessons()
    yield from _terms()


def _from(
    path: Path,
    method: str,
    options: dict[str, str],
    keywords: dict[str, tuple[int | tuple[int, str], ...] | None] = KEYWORDS,
) -> Iterator[Entry]:
    name = path.relative_to(ROOT).as_posix()
    if method == "python" and not _calls(keywords).search(path.read_bytes()):
        return  # to find that out by its tokens takes most of the time
    with path.open("rb") as file:
        for line, message, _, context in extract(method, file, keywords, (), options):
            if message and message != ("",):
                yield name, line, message, context


def _calls(keywords: Iterable[str]) -> re.Pattern[bytes]:
    return re.compile(rf"\b(?:{'|'.join(keywords)})\s*\(".encode())


def _from_words() -> Iterator[Entry]:
    from pbem.player.play.words import WORDS
    from pbem.web.build import PAGE_WORDS

    for text in WORDS.values():
        yield "pbem/player/play/words.py", 0, tuple(text) if isinstance(text, list) else text, None
    for text in PAGE_WORDS.values():
        yield "templates/page.json", 0, text, None


def _from_figures() -> Iterator[Entry]:
    outlaws = {ENGLISH_NAMES[name] for name in OUTLAW_NAMES}
    for path in sorted(TEMPLATES.glob("*/figures.json")):
        asked = json.loads(path.read_text(encoding="utf-8"))
        texts = [asked["score"]["title"]]
        for table in asked["tables"]:
            texts += [table["title"], *table["rows"].values()]
        for text in dict.fromkeys(texts):
            if text not in outlaws:
                yield path.relative_to(ROOT).as_posix(), 0, text, "figures"


def _from_rules() -> Iterator[Entry]:
    """The rows of the rules (``pbem.games.rulebook``)."""
    for path in sorted(TEMPLATES.glob("*/rules.json")):
        read = json.loads(path.read_text(encoding="utf-8"))
        for part in read.get("opening", ()):
            for text in (part["title"], *part["lines"]):
                yield path.relative_to(ROOT).as_posix(), 0, text, "rule"
        for section in read["sections"]:
            played = (text for row in section["rows"] for text in row.get("played", {}).values())
            for text in (section["title"], *(row["text"] for row in section["rows"]), *played):
                yield path.relative_to(ROOT).as_posix(), 0, text, "rule"


def _from_lessons() -> Iterator[Entry]:
    """What the first lessons say (``pbem.player.practice.match``)."""
    for path in sorted(TEMPLATES.glob("*/lesson.json")):
        read = json.loads(path.read_text(encoding="utf-8"))
        for step in read["steps"]:
            for text in (step["text"], *step["other"].values()):
                yield path.relative_to(ROOT).as_posix(), 0, text, "lesson"
        yield path.relative_to(ROOT).as_posix(), 0, read["end"], "lesson"


def _terms() -> Iterator[Entry]:
    """Words as they are typed and written in files, where a sentence names one (``pbem.base.sentences.term``)."""
    for place, words in TERMS.items():
        for word in words:
            yield place, 0, word, "term"


TERMS = {
    "pbem/games/wyatt_earp/state.py": (
        *NAMES,
        *("draw", "play", "choose", "react", "chance", "over"),
    ),
    "pbem/host/service/alarms.py": ("mailbox", "submission"),
    "pbem/games/way_out_west/phases.py": ("setup", "auction", "actions", "gunfight"),
    "pbem/games/way_out_west/counters.py": (
        *("cowboy", "cowboys", "cattle", "farmer", "sheriff"),
        *("stagecoach", "train", "bank", "jail", "store", "hotel"),
        *("build", "move_cowboys", "move_cattle"),
    ),
    "schemas/record.schema.json": (
        *(
            "genesis",
            "join",
            "announce",
            "consent",
            "ready",
            "open",
            "turn",
            "default",
            "close",
            "end",
            "burn",
            "extend",
            "rekey",
        ),
        "channel",
        *("reseal", "absence", "pause", "resign", "substitute", "rewind"),
    ),
}


# --- files ------------------------------------------------------------------------------------------------


def template() -> Catalog:
    """All messages, in the order of the files."""
    catalog = Catalog(project="pbem", charset="utf-8", header_comment=_HEADER, fuzzy=False)
    for name, _, message, context in messages():
        catalog.add(message, None, [(name, None)], context=context)  # type: ignore[list-item]
    return catalog


def po_of(code: str) -> Path:
    """The catalogue of a language."""
    return LOCALE / code / "LC_MESSAGES" / "pbem.po"


def catalogue(code: str) -> Catalog:
    """The catalogue of a language, read."""
    with po_of(code).open("rb") as file:
        return read_po(file, locale=code, domain="pbem")


def extract_all() -> None:
    """Write the template of all catalogues."""
    LOCALE.mkdir(exist_ok=True)
    (LOCALE / "pbem.pot").write_bytes(po_bytes(template()))


def updated(code: str, messages: Catalog) -> Catalog:
    """A template in a language: translations are kept, nothing is guessed."""
    fresh = Catalog(locale=code, project="pbem", charset="utf-8", header_comment=_HEADER, fuzzy=False)
    fresh.mime_headers = [("Plural-Forms", _PLURALS[code])]
    old = catalogue(code) if po_of(code).exists() else fresh
    for message in messages:
        if not message.id:
            continue
        known = old.get(message.id if isinstance(message.id, str) else message.id[0], message.context)
        same = known is not None and known.id == message.id
        fresh.add(
            message.id,
            spaced(code, known.string) if same and known else None,
            message.locations,
            context=message.context,
        )
    return fresh


def update_all() -> None:
    """Bring the template into every language."""
    messages = template()
    for code in LANGUAGES:
        po_of(code).parent.mkdir(parents=True, exist_ok=True)
        po_of(code).write_bytes(po_bytes(updated(code, messages)))


def spaced(code: str, translation: Any) -> Any:
    """A translation (each of its forms) with the fixed blanks that French sets before two-part marks."""
    if isinstance(translation, str):
        return re.sub(r" (?=[:;?!»](?:\s|$))|(?<=«) ", "\u00a0", translation) if code == "fr" else translation
    return tuple(spaced(code, form) for form in translation)


def compile_all() -> None:
    """Write what programs read."""
    for code in LANGUAGES:
        po_of(code).with_suffix(".mo").unlink(missing_ok=True)
        mo_bytes(po_of(code))


def po_bytes(catalog: Catalog) -> bytes:
    """A catalogue as text, without anything that changes by itself."""
    file = BytesIO()
    write_po(file, catalog, width=110, omit_header=False, include_lineno=False)
    kept = [
        line
        for line in file.getvalue().decode().split("\n")
        if not re.match(
            r'"(POT-Creation-Date|PO-Revision-Date|Last-Translator|Language-Team|Report-Msgid|Generated-By)',
            line,
        )
    ]
    return "\n".join(kept).encode()


def strings(message: Message) -> tuple[str, ...]:
    """The translation of a message: one text, or one for each plural form."""
    string = message.string or ""
    return (string,) if isinstance(string, str) else tuple(map(str, string))


def run(commands: Iterable[str]) -> None:
    """``extract``, ``update``, ``compile``."""
    steps = {"extract": extract_all, "update": update_all, "compile": compile_all}
    for command in commands:
        steps[command]()
