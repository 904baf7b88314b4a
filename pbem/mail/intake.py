"""What a mail brings: signed files found by content, never by name; else a command; else what is wrong with it.

A signed file may be an attachment of any name and type, an armour block in any text (protocol §6), JSON pasted
into plain text or HTML, or any of these in a zip. Text that mail programs have wrapped, quoted or made typographic is
mended in a few fixed ways. No mending can be silently wrong: a file counts only if its signature fits the key that it
names; whose key that is, the record decides later.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Final

from pbem.crypto.digest import unb64
from pbem.errors import FormatError, PbemError
from pbem.formats.armour import scan
from pbem.formats.messages import Message, message_of
from pbem.formats.signed import verify_file
from pbem.formats.strict_json import MAX_FILE, parse
from pbem.game import Json
from pbem.mail.gate import Mail, Part
from pbem.sentences import sentence

MAX_TEXT: Final = 256 * 1024
MAX_ZIP_FILES: Final = 5
MAX_UNPACKED: Final = 256 * 1024
MAX_FILES: Final = 8
"""Different signed files in one mail that are looked at; one is ruled on."""

_COMMAND: Final = re.compile(
    r"(HELP|STATUS|LEAVE|RESEND(?:[ \t]+#?(?P<number>[0-9]{1,9}))?|REMIND|OBSERVE)"
    r"(?:[ \t]+(?P<rest>[A-Za-z0-9,+# \t-]{1,80}))?[ \t]*[.!]?[ \t]*",
    re.IGNORECASE,
)
_LINE_TAG: Final = re.compile(r"(?i)</?(?:p|div|br|tr|li|pre|blockquote|h[1-6])\b[^<>]{0,2000}>")
_TAG: Final = re.compile(r"<[^<>]{0,4000}>")
_SILENT: Final = re.compile(r"(?is)<(style|script|head)\b[^<>]{0,2000}>.{0,65536}?</\1[^<>]{0,20}>")
_QUOTE: Final = re.compile(r"(?m)^[ \t]*(?:[>|][ \t]?)+")
_BLANKS: Final = str.maketrans(
    {
        "\u00a0": " ",
        "\u202f": " ",
        "\u200b": "",
        "\u200c": "",
        "\u200d": "",
        "\ufeff": "",
        "\u2060": "",
        "\u00ad": "",
    }
)
_QUOTES: Final = str.maketrans(dict.fromkeys("“”„‟«»″", '"'))
_DASHES: Final = str.maketrans({"–": "--", "—": "--", "…": "..."})
_JSON_START: Final = re.compile(r'\{[\s>|]*["“”„«»″][\s>|]*(?:body|sig)')
_RECORD: Final = re.compile(r'"prev":"[A-Za-z0-9_-]{0,43}"')
_TNEF: Final = b"\x78\x9f\x3e\x22"
_ZIP: Final = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class Command:
    """A plain word of a person: help, status, leave, observe, remind, or resend with the first record wanted.

    ``rest`` is what else stands on the line: a match's short name, hours.
    """

    word: str
    number: int = 0
    rest: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that should have been a signed file and is not; ``kind`` is stable, for limits and the log."""

    kind: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Intake:
    """What was found; ``messages`` are different and carry fitting signatures."""

    messages: tuple[Message, ...] = ()
    faults: tuple[Fault, ...] = ()
    command: Command | None = None


def take_in(mail: Mail) -> Intake:
    """Look through all parts of a mail."""
    found: dict[bytes, Message] = {}
    faults: dict[Fault, None] = {}
    for part in mail.parts:
        for item in _of_part(part, unzip=True):
            if isinstance(item, Fault):
                faults[item] = None
            else:
                found.setdefault(item.hash, item)
    if len(found) > MAX_FILES:
        return Intake(
            faults=(
                Fault(
                    "several-files",
                    sentence("more than {MAX_FILES} signed files in one mail", MAX_FILES=MAX_FILES),
                ),
            )
        )
    return Intake(tuple(found.values()), tuple(faults), command_of(mail))


def command_of(mail: Mail) -> Command | None:
    """The command on the first line that is not blank of what the sender wrote, if it is one."""
    for part in mail.parts:
        if part.attached or not part.kind.startswith("text/"):
            continue
        lines = (line.strip().lstrip("\ufeff") for line in _plain(part).splitlines())
        first = next((line for line in lines if line), "")
        match = _COMMAND.fullmatch(first)
        if match is None or not _fits(match[1], match["rest"] or ""):
            return None
        return Command(match[1].split()[0].lower(), int(match["number"] or 0), match["rest"] or "")
    return None


def _fits(word: str, rest: str) -> bool:
    """A sentence that happens to begin with such a word is none: behind most there stands at most a match's name."""
    return word.upper() == "REMIND" or len(rest.split()) <= 1


def _plain(part: Part) -> str:
    text = part.text[:MAX_TEXT]
    return undo_html(text) if part.kind == "text/html" or _is_html(text) else text.translate(_BLANKS)


def _is_html(text: str) -> bool:
    return text.lstrip()[:200].lower().startswith(("<!doctype html", "<html"))


def undo_html(markup: str) -> str:
    """The words of an HTML part: block tags become line ends, other tags nothing, entities characters. Linear."""
    text = _SILENT.sub("", markup[:MAX_TEXT]) if markup.count("<") < MAX_TEXT // 8 else markup[:MAX_TEXT]
    return unescape(_TAG.sub("", _LINE_TAG.sub("\n", text))).translate(_BLANKS)


# --- one part -----------------------------------------------------------------------------------------------


def _of_part(part: Part, *, unzip: bool) -> Iterator[Message | Fault]:
    if part.data.startswith(_ZIP):
        yield from (
            _of_zip(part.data) if unzip else [Fault("zip", sentence("a zip inside a zip is not opened"))]
        )
        return
    if part.data.startswith(_TNEF) or part.kind == "application/ms-tnef":
        yield Fault(
            "winmail",
            sentence("your mail program packed the file into winmail.dat, which nobody else can open"),
        )
        return
    if b"\x00" in part.data and part.data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return
    if len(part.data) > MAX_TEXT * 2:
        return
    text = part.text[:MAX_TEXT]
    if part.kind == "text/html" or _is_html(text):
        text = undo_html(text)
    yield from _of_text(text)


def _of_zip(data: bytes) -> Iterator[Message | Fault]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [info for info in archive.infolist() if not info.is_dir()]
            if len(names) > MAX_ZIP_FILES:
                yield Fault(
                    "zip",
                    sentence(
                        "a zip may hold at most {MAX_ZIP_FILES} files, this one has {count}",
                        MAX_ZIP_FILES=MAX_ZIP_FILES,
                        count=len(names),
                    ),
                )
                return
            left = MAX_UNPACKED
            for info in names:
                with archive.open(info) as file:
                    inside = file.read(left + 1)
                left -= len(inside)
                if left < 0:
                    yield Fault(
                        "zip",
                        sentence(
                            "a zip may hold at most {MAX_UNPACKED} KiB", MAX_UNPACKED=MAX_UNPACKED // 1024
                        ),
                    )
                    return
                yield from _of_part(Part(inside, "application/octet-stream", "", attached=True), unzip=False)
    except Exception as fault:  # noqa: BLE001 - damaged, encrypted or hostile archives fail in many ways
        yield Fault("zip", sentence("the zip cannot be opened ({name})", name=type(fault).__name__))


def _of_text(text: str) -> Iterator[Message | Fault]:
    tidy = text.translate(_BLANKS)
    whole = tidy.strip()
    if whole.startswith("{"):
        if _RECORD.search(whole.partition("\n")[0]):
            return  # lines of the game file, as every letter of ours brings them: nobody's new file
        first = _attempt(whole)
        if first is not None:
            if first is not NOTHING:
                yield first
            return
    pasted = list(_pasted(tidy))
    yield from pasted
    if any(isinstance(item, Message) for item in pasted):
        return  # the JSON is whole; letters and digits inside it are no block
    yield from _blocks(tidy)


def _blocks(text: str) -> Iterator[Message | Fault]:
    if "PBEM" not in text.upper().replace(" ", "").replace("\n", "")[:MAX_TEXT]:
        return
    try:
        found = scan(text)
    except FormatError as fault:
        yield Fault("block", str(fault))
        return
    read = []
    for raw in found.blocks:
        item = _judge(raw.decode())
        read.append(item)
        if item is not None and item is not NOTHING:
            yield item
    if not any(isinstance(item, Message) and item is not NOTHING for item in read):
        yield from (Fault("block", str(damage)) for damage in found.damages)


# --- JSON in a text -----------------------------------------------------------------------------------------

NOTHING: Final = Message("", {}, {}, b"")
"""JSON that is whole and not a player's file: a line of the game file, a ``reject``, something else."""


def _pasted(text: str) -> Iterator[Message | Fault]:
    """JSON among other words; mended if mail programs have changed it, taken only if its signature fits."""
    starts = [match.start() for match in _JSON_START.finditer(text)][:MAX_FILES]
    if not starts or len(text) > MAX_TEXT:
        return
    wrong, behind = False, 0
    for start in starts:
        if start < behind:
            continue
        rest = text[start : start + MAX_FILE]
        found = _first(rest)
        behind = start + _end_of_object(rest)
        if found is None:
            wrong = True
        elif found is not NOTHING:
            yield found
    if wrong:
        yield Fault(
            "json",
            sentence("there is JSON in this mail, but it was changed on its way: its signature does not fit"),
        )


def _first(rest: str) -> Message | Fault | None:
    """The first reading of a text from an opening brace on that is whole."""
    for mended in _readings(rest):
        end = _end_of_object(mended)
        if end:
            found = _attempt(mended[:end])
            if found is not None and not isinstance(found, Fault):
                return found
    return None


def _readings(text: str) -> Iterator[str]:
    """The text as it stands, then with what mail programs do to it undone, one after the other."""
    unquoted = _QUOTE.sub("", text)
    for base in (text, unquoted):
        straight = base.translate(_QUOTES)
        for plain in dict.fromkeys((base, straight, straight.translate(_DASHES))):
            yield plain
            yield re.sub(r" \r?\n", "", plain)
            yield re.sub(r"[ \t]*\r?\n[ \t]*", "", plain)
            yield re.sub(r"[ \t]*\r?\n[ \t]*", " ", plain)
            yield re.sub(r"\r?\n", "", plain)


def _end_of_object(text: str) -> int:
    """Where the object that begins the text ends; 0 if it does not."""
    depth, inside, escaped = 0, False, False
    for index, character in enumerate(text):
        if inside:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                inside = False
        elif character == '"':
            inside = True
        elif character in "{[":
            depth += 1
        elif character in "}]":
            depth -= 1
            if depth == 0:
                return index + 1
    return 0


def _attempt(text: str) -> Message | Fault | None:
    """A message; ``NOTHING`` for other whole JSON; None if it is not whole or its signature does not fit."""
    try:
        value = parse(text.encode("utf-8", "replace"), limit=MAX_FILE)
    except (FormatError, UnicodeError):
        return None
    return _of_value(value)


def _judge(text: str) -> Message | Fault | None:
    found = _attempt(text)
    return (
        Fault("signature", sentence("the block holds a file whose signature does not fit"))
        if found is None
        else found
    )


def _of_value(value: Json) -> Message | Fault | None:
    body = value.get("body") if isinstance(value, dict) else None
    if not isinstance(body, dict) or "sig" not in value or "kind" in body or "code" in body:
        return NOTHING
    try:
        message = message_of(value)
        verify_file(message.kind, message.file, unb64(message.file["sig"]["key"], 32))
    except FormatError as fault:
        return Fault("malformed", str(fault))
    except PbemError:
        return None
    return message
