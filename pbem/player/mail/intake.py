"""What an email brings: signed files found by content, never by name; lines of a game file; a command; what is wrong.

A signed file may be an attachment of any name and type, an armour block in any text (``schemas/README.md`` §13), JSON
pasted into plain text or HTML, or any of these in a zip or in an email inside the mail. Every look is paid from the
mail's ``Work``; when that is used up, what was found until then counts.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from html import unescape
from typing import Final, TypeAlias

from pbem.base.errors import FormatError, PbemError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import Json
from pbem.player.mail.gate import MAX_HEADERS, Mail, MailRefused, Part, Work, is_mail, read_mail
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.formats.armour import scan
from pbem.protocol.formats.envelopes import verify_file
from pbem.protocol.formats.messages import Message, message_of
from pbem.protocol.formats.strict_json import MAX_FILE, canon, harmless, parse
from pbem.protocol.record.line import lines_in

MAX_TEXT: Final = 256 * 1024
"""Characters of one text that are searched."""
MAX_ZIP_FILES: Final = 5
MAX_UNPACKED: Final = 256 * 1024
MAX_LETTERS: Final = 2
"""Emails packed as files inside one another that are opened; emails inside emails as parts are the gate's business."""
MAX_FILES: Final = 8
"""Different signed files in one mail that are looked at; one is ruled on."""

_COMMAND: Final = re.compile(
    r"(HELP|STATUS|LEAVE|RESEND(?: #?(?P<number>[0-9]{1,9}))?|REMIND|RESULTS|OBSERVE)"
    r"(?: (?P<rest>[A-Za-z0-9,+# -]{1,80}))? ?[.!]?",
    re.IGNORECASE,
)
_WORDS: Final = ("help", "status", "leave", "resend", "remind", "results", "observe")
_NEAR: Final = 0.75
"""How alike a misspelt word is to the one that was meant (``difflib``): one wrong letter of four."""
MOST_NEAR: Final = 3
"""Words of a first line that may be a misspelt command; more is a sentence."""
MAX_WORDS: Final = 2000
_ELSEWHERE: Final = {
    **dict.fromkeys(("hilfe", "aide", "aiuto"), "help"),
    **dict.fromkeys(("stand", "état", "etat", "statut", "stato"), "status"),
    **dict.fromkeys(("erneut", "nochmal", "renvoyer", "rinvia"), "resend"),
    **dict.fromkeys(("erinnern", "rappel", "ricorda"), "remind"),
    **dict.fromkeys(("ergebnisse", "résultats", "resultats", "risultati"), "results"),
    **dict.fromkeys(("unsubscribe", "abmelden", "quitter", "esci", "stop"), "leave"),
}
"""What people write who do not know the words."""
_BLANKS: Final = str.maketrans(
    {"\u00a0": " ", "\u202f": " ", **dict.fromkeys("\u200b\u200c\u200d\ufeff\u2060\u00ad", "")}
)
_OWN_HEADER: Final = re.compile(rb"(?im)^(?:message-id|from|received|mime-version):")
_TNEF: Final = b"\x78\x9f\x3e\x22"
_SMIME: Final = ("application/pkcs7-mime", "application/x-pkcs7-mime")
"""RFC 8551: an email that is encrypted, or signed so that its text lies inside the signature."""
_ZIP: Final = b"PK\x03\x04"
_PACKINGS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The others ask for as much memory as the archive says."""


@dataclass(frozen=True, slots=True)
class Paper:
    """Whole JSON; ``message`` if it is a player's file whose signature fits the key that it names."""

    raw: bytes
    message: Message | None = None
    unfit: bool = False
    """Whether it is a player's file, but its signature does not fit."""


@dataclass(frozen=True, slots=True)
class DamagedPart:
    """Something that should have been a signed file and is not; ``kind`` is stable, for limits and the log."""

    kind: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Lines:
    """Records of a game file, as every email of ours brings them, without line feeds: nobody's new file."""

    lines: tuple[bytes, ...]


Item: TypeAlias = Paper | DamagedPart | Lines


@dataclass(frozen=True, slots=True)
class Command:
    """A plain word of a person: help, status, leave, observe, remind, results, or resend with the first record wanted.

    ``rest`` is what else stands on the line: a match's short name, hours.
    """

    word: str
    number: int = 0
    rest: str = ""


@dataclass(frozen=True, slots=True)
class Intake:
    """What was found; ``messages`` are different and carry fitting signatures."""

    messages: tuple[Message, ...] = ()
    faults: tuple[DamagedPart, ...] = ()
    command: Command | None = None
    near: str = ""
    """The command that its first line may have meant."""
    words: str = ""
    """What the sender wrote, without what is quoted; at most ``MAX_WORDS`` characters."""


def take_in(mail: Mail) -> Intake:
    """What an email to the host brings."""
    messages: dict[bytes, Message] = {}
    faults: dict[DamagedPart, None] = {}
    for item in items_of(mail):
        if isinstance(item, DamagedPart):
            faults[item] = None
        elif isinstance(item, Paper) and item.message is not None:
            messages.setdefault(item.message.hash, item.message)
    if len(messages) > MAX_FILES:
        text = sentence("more than {MAX_FILES} signed files in one email", MAX_FILES=MAX_FILES)
        return Intake(faults=(DamagedPart("several-files", text),))
    words = _written(mail)
    command = command_of(words, mail.header("Subject"))
    near = "" if command is not None else near_command(words)
    return Intake(tuple(messages.values()), tuple(faults), command, near, words[:MAX_WORDS])


def items_of(mail: Mail) -> Iterator[Item]:
    """Everything in all parts of an email."""
    try:
        for part in mail.parts:
            yield from items_of_part(part, mail.work, unzip=True)
    except MailRefused as fault:
        yield DamagedPart(fault.kind, str(fault))


def command_of(words: str, subject: str = "") -> Command | None:
    """The command on the first line of what the sender wrote, if it is one; else that which is their whole subject."""
    for line in (words.partition("\n")[0], " ".join(subject.split())):
        match = _COMMAND.fullmatch(line)
        if match is not None and _fits(match[1], match["rest"] or ""):
            return Command(match[1].split()[0].lower(), int(match["number"] or 0), match["rest"] or "")
    return None


def near_command(words: str) -> str:
    """The command that a short first line may have meant: misspelt, or in another language; nothing if none is near."""
    line = words.partition("\n")[0].strip(" .!?").split()
    if not 0 < len(line) <= MOST_NEAR:
        return ""
    word = line[0].lower()[:20]
    if word in _ELSEWHERE:
        return _ELSEWHERE[word]
    return next(iter(get_close_matches(word, _WORDS, 1, _NEAR)), "")


def _written(mail: Mail) -> str:
    """The lines that the sender wrote, in the first text that is no attachment; what they quote is left out."""
    written = (part for part in mail.parts if not part.inner and not part.attached)
    part = next((part for part in written if part.kind.startswith("text/")), None)
    if part is None:
        return ""
    try:
        lines = (" ".join(harmless(line).split()) for line in _words(part, mail.work).splitlines())
    except MailRefused:
        return ""
    return "\n".join(line for line in lines if line and not line.startswith(">"))


def _fits(word: str, rest: str) -> bool:
    """A sentence that happens to begin with such a word is none: behind most there stands at most a match's name."""
    return word.upper() in ("REMIND", "RESULTS") or len(rest.split()) <= 1


# --- one part -----------------------------------------------------------------------------------------------


def _words(part: Part, work: Work) -> str:
    """The text of a part: HTML undone, blanks of all kinds made plain."""
    text = part.text[:MAX_TEXT]
    work.spend(len(text))
    if part.kind == "text/html" or is_html(text):
        work.spend(len(text) * 4)
        text = undo_html(text)
    return text.translate(_BLANKS)


def items_of_part(part: Part, work: Work, *, unzip: bool, letters: int = MAX_LETTERS) -> Iterator[Item]:
    """Everything in one part; a zip is opened if ``unzip``, an email that was packed as a file, ``letters`` deep.

    Raises:
        MailRefused: the work that may be done for this mail is used up.
    """
    start = part.data.lstrip(b" \t\r\n\xef\xbb\xbf")[:4]
    if letters and part.attached and is_letter(part.data):
        yield from _of_letter(part.data, work, letters=letters - 1)
    elif start == _ZIP:
        nested = DamagedPart("zip", sentence("a zip inside a zip is not opened"))
        yield from (_of_zip(part.data, work) if unzip else [nested])
    elif part.data.startswith(_TNEF) or part.kind == "application/ms-tnef":
        text = sentence("your mail program packed the file into winmail.dat, which nobody else can open")
        yield DamagedPart("winmail", text)
    elif part.kind in _SMIME:
        text = sentence(
            "your mail program wrapped the whole email in S/MIME, and nothing in it can be read here"
        )
        yield DamagedPart("smime", text)
    elif (lines := lines_in(part.data)) is not None:
        work.spend(max(len(part.data), sum(map(len, lines))))
        yield Lines(lines)
    elif _is_text(part.data):
        yield from items_of_text(_words(part, work), work)


def is_letter(data: bytes) -> bool:
    """Whether an attached file is an email (``message/rfc822`` under any type): header lines, one of an email's own."""
    head = data[:MAX_HEADERS].partition(b"\r\n\r\n")[0].partition(b"\n\n")[0]
    return is_mail(head) and _OWN_HEADER.search(head) is not None


def _of_letter(data: bytes, work: Work, *, letters: int) -> Iterator[Item]:
    work.spend(len(data))
    for part in read_mail(data).parts:
        yield from items_of_part(part, work, unzip=True, letters=letters)


def _is_text(data: bytes) -> bool:
    return len(data) <= MAX_TEXT * 2 and (b"\x00" not in data or data[:2] in (b"\xff\xfe", b"\xfe\xff"))


def _of_zip(data: bytes, work: Work) -> Iterator[Item]:
    try:
        unpacked = _unpacked(data, work)
    except (MailRefused, MemoryError):
        raise
    except Exception as fault:  # noqa: BLE001 - damaged, encrypted or hostile archives fail in many ways
        yield DamagedPart("zip", sentence("the zip cannot be opened ({name})", name=type(fault).__name__))
        return
    if isinstance(unpacked, DamagedPart):
        yield unpacked
        return
    for inside in unpacked:
        part = Part(inside, "application/octet-stream", "", attached=True)
        yield from items_of_part(part, work, unzip=False)


def _unpacked(data: bytes, work: Work) -> list[bytes] | DamagedPart:
    """The files of an archive; or why they are not looked at."""
    contents: list[bytes] = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [info for info in archive.infolist() if not info.is_dir()]
        if len(members) > MAX_ZIP_FILES:
            message = "a zip may hold at most {MAX_ZIP_FILES} files, this one has {count}"
            return DamagedPart("zip", sentence(message, MAX_ZIP_FILES=MAX_ZIP_FILES, count=len(members)))
        if any(info.compress_type not in _PACKINGS for info in members):
            return DamagedPart("zip", sentence("the zip is packed in an unusual way, which is not opened"))
        left = MAX_UNPACKED
        for info in members:
            most = min(left, work.left)
            with archive.open(info) as file:
                contents.append(file.read(most + 1))
            work.spend(len(contents[-1]))
            left -= len(contents[-1])
            if left < 0:
                most = MAX_UNPACKED // 1024
                return DamagedPart(
                    "zip", sentence("a zip may hold at most {MAX_UNPACKED} KiB", MAX_UNPACKED=most)
                )
    return contents


def items_of_text(text: str, work: Work) -> Iterator[Item]:
    """Signed files in a text: JSON from end to end, JSON among other words, else armour blocks.

    Raises:
        MailRefused: the work that may be done for this mail is used up.
    """
    whole = text.strip()
    if whole.startswith("{"):
        if (lines := lines_in(whole.encode("utf-8", "replace"))) is not None:
            yield Lines(lines)
            return
        first = read_paper(whole, work.spend)
        if first is not None and not (isinstance(first, Paper) and first.unfit):
            yield first
            return
    items = list(pasted(text, work.spend))
    yield from items
    if not any(isinstance(item, Paper) and item.message is not None for item in items):
        yield from _blocks(text, work)  # else the JSON is whole; letters and digits inside it are no block


def _blocks(text: str, work: Work) -> Iterator[Item]:
    try:
        found_blocks = scan(text, work.spend)
    except MailRefused:
        raise
    except FormatError as fault:
        yield DamagedPart("block", str(fault))
        return
    read = [read_paper(raw.decode(), work.spend) for raw in found_blocks.blocks]
    for item in read:
        if isinstance(item, Paper) and item.unfit:
            yield DamagedPart("block", sentence("the text block holds a file whose signature does not fit"))
        if item is not None:
            yield item
    if not any(isinstance(item, Paper) and not item.unfit for item in read):
        yield from (DamagedPart("block", str(damage)) for damage in found_blocks.damages)


# --- the words of an HTML part: tags and entities undone, in one pass -------------------------------------
#
# Not an HTML parser, on purpose: the standard library's takes minutes for some hostile inputs. Every step
# here looks at a character a fixed number of times.

_TAG: Final = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*+)?+[^<>]*+>")
_CLOSING: Final = re.compile(r"</(style|script|head)(?![A-Za-z0-9])", re.IGNORECASE)
_LINES: Final = frozenset(
    ("p", "div", "br", "tr", "li", "pre", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6")
)
_LONG_ENTITY: Final = re.compile(r"&#[xX]?[0-9a-fA-F]{9,}+;?")
"""A number that is no character, and longer than the standard library turns into one."""


def is_html(text: str) -> bool:
    """Whether a text says of itself that it is HTML."""
    return text.lstrip()[:200].lower().startswith(("<!doctype html", "<html"))


def undo_html(markup: str) -> str:
    """The words: tags of blocks become line ends, other tags nothing, entities characters; styles and scripts go."""
    ends = {match[1].lower(): match.start() for match in _CLOSING.finditer(markup)}
    words, at, silent = [], 0, ""
    for tag in _TAG.finditer(markup):
        name = (tag[2] or "").lower()
        if silent:
            if tag[1] and name == silent:
                silent, at = "", tag.end()
            continue
        words.append(markup[at : tag.start()])
        at = tag.end()
        if name in _LINES:
            words.append("\n")
        elif not tag[1] and ends.get(name, -1) >= at:
            silent = name
    if not silent:
        words.append(markup[at:])
    return unescape(_LONG_ENTITY.sub("\ufffd", "".join(words)))


# --- JSON in a text: found among other words, and mended where mail programs have changed it --------------
#
# The mendings are few and fixed, and each is made on the whole text at once. No mending can be silently
# wrong: a file counts only if its signature fits the key that it names; whose key that is, the record
# decides later.

MOST_OBJECTS: Final = 8
"""JSON objects of one text that are looked at."""
_TRYING: Final = 2
"""A character that is tried as JSON takes as long as so many that are only looked through, …"""
_READING: Final = 6
"""… one that is JSON as long as so many more, …"""
_JUDGING: Final = 16 * 1024
"""… and a shape and a signature as long as this many."""
_MENDING: Final = 4
_QUOTE: Final = re.compile(r"(?m)^[ \t]*+(?:[>|][ \t]?)++")
_QUOTES: Final = str.maketrans(dict.fromkeys("“”„‟«»″", '"'))
_DASHES: Final = str.maketrans({"–": "--", "—": "--", "…": "..."})
_START: Final = re.compile(r'\{[\s>|]*+["“”„«»″][\s>|]*+(?:body|sig)')
_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\]]', re.DOTALL)

_FromJson: TypeAlias = Paper | DamagedPart
Spend = Callable[[int], object]


def read_paper(text: str, spend: Spend) -> _FromJson | None:
    """What a text is that should be JSON from end to end; None if it is not whole."""
    spend(len(text) * _TRYING)
    try:
        value = parse(text.encode("utf-8", "replace"), limit=MAX_FILE)
    except (FormatError, UnicodeError):
        return None
    spend(len(text) * _READING)
    return _judged(text, value, spend)


def _judged(text: str, value: Json, spend: Spend) -> _FromJson:
    body = value.get("body") if isinstance(value, dict) else None
    if not isinstance(body, dict) or "sig" not in value or "kind" in body or "code" in body:
        return Paper(text.encode())
    spend(_JUDGING)
    try:
        message = message_of(value)
        verify_file(message.kind, message.file, unb64(message.file["sig"]["key"], 32))
    except FormatError as fault:
        return DamagedPart("malformed", str(fault))
    except PbemError:
        return Paper(text.encode(), unfit=True)
    return Paper(canon(message.file), message)


def pasted(text: str, spend: Spend) -> Iterator[_FromJson]:
    """JSON among other words, as it stands or mended: the first way to read all of it ends the search."""
    if _START.search(text) is None:
        return
    tried: dict[str, _FromJson | None] = {}
    sure: dict[bytes, Paper] = {}
    unfit: list[Paper] = []
    for number, reading in enumerate(_readings(text, spend)):
        pieces = list(_objects(reading, spend))
        for piece in pieces:
            if piece not in tried:
                tried[piece] = read_paper(piece, spend) if piece else None
            item = tried[piece]
            if isinstance(item, Paper) and not item.unfit:
                sure.setdefault(item.raw, item)
            elif isinstance(item, Paper) and number == 0:
                unfit.append(item)
        if pieces and all(_is_good(tried[piece]) for piece in pieces):
            yield from sure.values()
            return
    yield from (*sure.values(), *unfit)
    loss = sentence("there is JSON in this email, but it was changed on its way: its signature does not fit")
    yield DamagedPart("json", loss)


def _is_good(item: _FromJson | None) -> bool:
    return isinstance(item, Paper) and not item.unfit


def _readings(text: str, spend: Spend) -> Iterator[str]:
    """The text as it stands, then with what mail programs do to it undone, one after the other; each once."""
    seen: set[int] = set()
    spend(len(text) * _MENDING)
    for base in (text, _QUOTE.sub("", text)):
        straight = base.translate(_QUOTES)
        for plain in (base, straight, straight.translate(_DASHES)):
            if (name := hash(plain)) not in seen:
                seen.add(name)
                for reading in _joined(plain):
                    spend(len(reading))
                    yield reading


def _joined(plain: str) -> Iterator[str]:
    """A text with its line ends, then without them: as after flowed, trimmed, wrapped and cut lines."""
    yield plain
    if "\n" in plain:
        lines = plain.replace("\r\n", "\n").split("\n")
        yield "".join(line[:-1] if line.endswith(" ") else f"{line}\n" for line in lines)
        bare = [line.strip(" \t") for line in lines]
        yield "".join(bare)
        yield " ".join(bare)
        yield "".join(lines)


def _objects(text: str, spend: Spend) -> Iterator[str]:
    """The objects of a text that seem to be signed files; an empty text for one that has no end."""
    behind = 0
    for count, start in enumerate(_START.finditer(text)):
        if count >= MOST_OBJECTS:
            return
        if start.start() >= behind:
            end = _end_of_object(text, start.start())
            spend((end or min(len(text), start.start() + MAX_FILE)) - start.start())
            behind = end or behind
            yield text[start.start() : end] if end else ""


def _end_of_object(text: str, start: int) -> int:
    """Where the object that begins there ends; 0 if it does not within the longest file."""
    depth = 0
    for token in _TOKEN.finditer(text, start, start + MAX_FILE):
        if token[0] in "{[":
            depth += 1
        elif token[0] in "}]":
            depth -= 1
            if depth == 0:
                return token.end()
    return 0
