"""What is fuzzed: functions of bytes that raise nothing, unless something is wrong with the product.

Each calls the product as production does, swallows the errors that its contract names, and asserts what must hold of
what was accepted. They serve hypothesis, atheris and the kept cases alike.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from pbem.base.errors import FormatError, VerificationError
from pbem.game import AnyRules, JsonObject, MalformedAction, Seat, Setup
from pbem.games import find_game
from pbem.player.mail import intake
from pbem.player.mail.content import content_of
from pbem.player.mail.gate import MailRefused, peek_header, peek_message_id, peek_sender, read_mail
from pbem.player.mail.intake import undo_html
from pbem.protocol.audit import audit
from pbem.protocol.audit.compare import compare_copies
from pbem.protocol.crypto import digest as base32
from pbem.protocol.crypto import identity as signing
from pbem.protocol.crypto.digest import b64, sha, unb64
from pbem.protocol.crypto.identity import Identity, from_paper, pad, recovery_from_paper, seal, to_paper
from pbem.protocol.crypto.provider import provider
from pbem.protocol.formats import envelopes, identity_file
from pbem.protocol.formats.armour import armour, scan
from pbem.protocol.formats.envelopes import verify_file
from pbem.protocol.formats.messages import read_message
from pbem.protocol.formats.strict_json import (
    MAX_FILE,
    canon,
    parse,
    parse_line,
    plain_canon,
    plain_parse_line,
)
from pbem.protocol.record import Record
from tests.fuzz import edits, reference
from tests.world import NAMES, secret

Target = Callable[[bytes], None]
GAME, OWNER = sha(b"TEST fuzz"), Identity(secret("fuzz"))


def json_text(data: bytes) -> None:
    """``parse``: accepts exactly what the reference accepts, with the same value; ``canon`` is a fixed point."""
    try:
        expected: Any = reference.value_of(data)
        known = True
    except reference.Refused:
        expected, known = None, False
    try:
        value = parse(data, limit=MAX_FILE)
    except FormatError:
        assert not known or len(data) > MAX_FILE, "refused, but the reference reads it"
        return
    assert known, "accepted, but the reference refuses it"
    assert json.dumps(value) == json.dumps(expected)
    line = canon(value)
    assert line == reference.line_of(expected)
    assert json.dumps(parse(line, limit=MAX_FILE * 6), sort_keys=True) == json.dumps(expected, sort_keys=True)


def said_of(read: Callable[[bytes], JsonObject], data: bytes) -> bytes | str:
    """What a reader made of these bytes, or its refusal."""
    try:
        return plain_canon(read(data))
    except FormatError as fault:
        return str(fault)


def json_line(data: bytes) -> None:
    """``parse_line``: accepts exactly the canonical bytes of restricted objects, with and without a library."""
    try:
        expected = reference.value_of(data)
        canonical = isinstance(expected, dict) and reference.line_of(expected) == data
    except reference.Refused:
        expected, canonical = None, False
    plainly = said_of(plain_parse_line, data)
    outcome = said_of(parse_line, data)
    if isinstance(outcome, str):
        assert not canonical, "refused, but it is canonical"
        assert plainly == outcome or "too deeply" in outcome  # a fraction deep inside: the place is left out
        return
    assert canonical, "accepted, but it is not canonical"
    value = parse_line(data)
    assert value == expected
    assert canon(value) == plainly == outcome == data


def armour_text(data: bytes) -> None:
    """``scan``: only ``FormatError``; what is read is canonical, and comes back when it is written again."""
    text = data.decode("utf-8", "replace")
    for shown in (text, undo_html(text)):
        try:
            scanned = scan(shown)
        except FormatError:
            continue
        for block in scanned.blocks:
            assert scan(armour(parse_line(block))).blocks == (block,)


def armour_damaged(data: bytes) -> None:
    """A block in which bytes were put, changed or left out is read as it was, or not at all."""
    file: JsonObject = {"body": {"n": 1, "say": "x" * 40}, "sig": {}}
    text = edits.spliced(armour(file).encode(), data).decode("utf-8", "replace")
    try:
        scanned = scan(text)
    except FormatError:
        return
    assert set(scanned.blocks) <= {canon(file)}


def mail_content(data: bytes) -> None:
    """``content_of`` never raises; nothing it calls lines of a game file holds a line feed."""
    content = content_of(data)
    assert content.kind in ("game", "file", "armour", "mail", "nothing")
    assert all(b"\n" not in line and line for line in content.lines)


def mail_intake(data: bytes) -> None:
    """Gate and intake: ``MailRefused``, or findings; every message taken carries a signature that fits."""
    peek_sender(data), peek_message_id(data), peek_header(data, "Subject")
    try:
        mail = read_mail(data)
    except MailRefused:
        return
    taken = intake.take_in(mail)
    for message in taken.messages:
        key = json.loads(canon(message.file))["sig"]["key"]
        verify_file(message.kind, message.file, unb64(key, 32))
    assert "\n" not in mail.header("Subject")


def message(data: bytes) -> None:
    """``read_message``: ``FormatError``, or a message named by its canonical body."""
    try:
        message = read_message(data)
    except FormatError:
        return
    again = read_message(canon(message.file))
    assert (again.kind, again.hash, again.file) == (message.kind, message.hash, message.file)


def game_file(data: bytes) -> None:
    """Any bytes as a game file: ``load`` raises its two errors or agrees with ``audit``, which raises nothing."""
    judge([line for line in data.split(b"\n") if line])


def damaged_game(data: bytes) -> None:
    """Bytes of a real match changed: never accepted unless nothing changed or whole lines were cut off the end."""
    honest = edits.match_of(data).lines
    whole = b"\n".join(honest)
    lines = edits.spliced(whole, data[1:]).split(b"\n")
    if judge(lines):
        assert lines == list(honest[: len(lines)])


def signed_game(data: bytes) -> None:
    """Values of a real match changed and signed again: deep inside the verifier and the rules nothing breaks."""
    resigned = edits.resigned(data)
    if resigned is not None:
        judge(resigned)


def judge(lines: list[bytes]) -> bool:
    """Load and audit: a file that loads holds without the rules, and one whose rules hold to the end loads.

    Loading plays on from what is public; what only the opened cards can show is left to the whole audit.
    """
    try:
        Record.load(lines)
        loads = True
    except (FormatError, VerificationError):
        loads = False
    plain = audit(lines, engine=False)
    assert plain.ok or not loads, [str(fault.sentence) for fault in plain.faults[:2]]
    full = audit(lines)
    assert loads or not full.ok
    assert plain.ok or not full.ok
    compare_copies(lines or [b""], list(edits.MATCHES[0]().lines))
    return loads


def envelope(data: bytes) -> None:
    """Whatever was sealed: it opens as what its kind holds, or with ``VerificationError``."""
    if not data:
        return
    key, public, plain = OWNER.seal_key, OWNER.seal_public, data[1:]
    kind = data[0] % 6
    padded = pad(plain, 512) if kind != 5 else plain + bytes(-len(plain) % 16)
    info = {
        0: envelopes._packet_info(GAME, 3, "anna", public),
        1: envelopes._part_info("sealed", GAME, "anna", 3, public),
        2: envelopes._part_info("order", GAME, "anna", 3, public),
        3: envelopes._tell_info(GAME, "anna", 3, "burt", public),
        4: b"contact",
        5: envelopes._packet_info(GAME, 3, "anna", public),
    }[kind]
    ct = b64(seal(padded, public, info))
    both = {"commit": b64(sha(plain)), "ct": ct}
    try:
        match kind:
            case 0 | 5:
                envelopes.open_packet(GAME, 3, "anna", key, public, both)
            case 1:
                envelopes.open_part("sealed", GAME, "anna", 3, key, public, both)
            case 2:
                envelopes.open_part("order", GAME, "anna", 3, key, public, both)
            case 3:
                text = envelopes.open_tell(GAME, "anna", 3, "burt", key, public, both)
                assert canon({"text": text}) == plain
            case _:
                envelopes.open_contact(GAME, "anna", key, public, ct)
    except VerificationError:
        return
    assert kind == 3, "a commitment was met by chance"


def identity(data: bytes) -> None:
    """Identity files: ``FormatError`` or ``VerificationError``; cheap ones are opened, too."""
    try:
        header = identity_file.read_header(data)
        if header.log_n <= 6:
            identity_file.read_identity(data, "Wyatt")
    except (FormatError, VerificationError):
        return


def paper(data: bytes) -> None:
    """Paper backups and base32: ``FormatError``, or the same again."""
    text = data.decode("utf-8", "replace")
    try:
        raw = base32.decode(text)
        assert base32.decode(base32.encode(raw)) == raw
    except FormatError:
        pass
    for read in (from_paper, recovery_from_paper):
        try:
            words = read(text)
        except (FormatError, VerificationError):
            continue
        if isinstance(words, Identity):
            assert from_paper(to_paper(words)).secret == words.secret


def signature(data: bytes) -> None:
    """The strict rule: what it accepts, the library accepts; its only errors are the documented ones."""
    signed = signing.sign("turn", b"{}", OWNER.sign_key)
    both = edits.spliced(OWNER.sign_public + signed, data)
    key, value = both[:32], both[32:]
    try:
        signing.verify("turn", b"{}", key, value)
    except (VerificationError, FormatError):
        return
    assert provider().verifies(key, b"pbem/1 turn\n{}", value), "accepted what the library refuses"
    assert both == OWNER.sign_public + signed


@cache
def rules() -> tuple[AnyRules, ...]:
    """Both games, three seats."""
    actions = []
    for name in ("wyatt-earp", "way-out-west"):
        game = find_game(name)
        seats = tuple(map(Seat, NAMES[:3]))
        actions.append(
            game.rules(Setup(seats, game.resolve_options("default", {}), game.default_extra(seats)))
        )
    return tuple(actions)


def actions(data: bytes) -> None:
    """Actions and orders of both games from any JSON: ``MalformedAction``, or a canonical form that stays."""
    try:
        value = parse(data, limit=MAX_FILE)
    except FormatError:
        return
    for each in rules():
        try:
            written = each.action_to_json(each.action_from_json(value))
        except MalformedAction:
            pass
        else:
            assert each.action_to_json(each.action_from_json(written)) == written
        with contextlib.suppress(MalformedAction):
            each.check_order(value)


TARGETS: dict[str, Target] = {
    "json": json_text,
    "line": json_line,
    "armour": armour_text,
    "armour-damaged": armour_damaged,
    "content": mail_content,
    "intake": mail_intake,
    "message": message,
    "game": game_file,
    "damaged": damaged_game,
    "signed": signed_game,
    "envelope": envelope,
    "identity": identity,
    "paper": paper,
    "signature": signature,
    "actions": actions,
}
"""By name, as ``python -m tests.fuzz`` takes them."""
NAME = re.compile(r"(?P<target>[a-z-]+)\.[0-9a-f]{8}")
"""How a kept case is called: the target and the beginning of its hash."""
