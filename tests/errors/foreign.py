"""Errors of what reads untrusted bytes: text blocks, JSON, sealed text, signatures, emails, a match's first record.

No line on the stage provokes them, since our own programs write none of these bytes.
"""

from __future__ import annotations

import email
import json
import zlib
from collections.abc import Callable
from email.message import EmailMessage
from functools import cache
from pathlib import Path
from typing import Any, Final
from unittest import mock

from pbem.game import Json, JsonObject, Seat, Setup
from pbem.games import find_game
from pbem.games.way_out_west.board import standard_board
from pbem.player.mail import gate, smtp
from pbem.player.mail.confined import Broke
from pbem.player.mail.content import content_of
from pbem.protocol.crypto import digest, identity
from pbem.protocol.crypto.digest import b64, lp, sha
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.crypto.provider import provider
from pbem.protocol.formats import armour, envelopes, identity_file, strict_json
from pbem.protocol.formats.api_key import ask_by_keys, asked_by_keys
from pbem.protocol.formats.messages import message_of
from pbem.protocol.record.line import verify_entry
from pbem.protocol.record.open_play import public_value
from pbem.protocol.record.verifier import start_ledger, terms_of
from pbem.web.build import HASHES
from pbem.web.check import address_of, check
from tests.errors.stage import Stage
from tests.world import World

Call = Callable[[Stage, Path], object]

GAME: Final = sha(b"match")
SALT: Final = bytes(range(16))
ANNA, HOST = Identity(sha(b"anna")), Identity(sha(b"host"))
NOW: Final = "2026-11-24T18:00:00Z"
API: Final = "https://host.example.org"


def _text(text: str) -> Call:
    def call(*_: object) -> object:
        raise armour.scan(text).damages[0]

    return call


def _block(packed: bytes) -> Call:
    return _text(f"PBEM1BEGIN {digest.encode(packed + sha(packed)[:4])} PBEM1END")


def _damaged(*_: object) -> object:
    raise content_of(b"x" * 5_000_000).damages[0]


def _parsed(raw: str | bytes) -> Call:
    data = raw if isinstance(raw, bytes) else raw.encode()
    return lambda *_: strict_json.parse(data, limit=1000)


def _mail(raw: bytes) -> Call:
    return lambda *_: gate.read_mail(raw)


def _unreadable(*_: object) -> object:
    with mock.patch.object(email, "message_from_bytes", side_effect=LookupError("a parser's bug")):
        return gate.read_mail(b"From: a@example.org\n\nx")


def _nested(depth: int) -> bytes:
    inner = EmailMessage()
    inner.set_content("x")
    for _ in range(depth):
        outer = EmailMessage()
        outer.add_attachment(inner)
        inner = outer
    return inner.as_bytes()


def _padded(inside: Json) -> bytes:
    return identity.pad(strict_json.canon(inside), 512)


def _packet(plain: bytes, ct: str = "") -> Call:
    """A packet of record 8 that holds this."""
    info = lp("pbem/1 packet", GAME, digest.u32(8), "anna", ANNA.seal_public)
    sealed = ct or b64(identity.seal(plain, ANNA.seal_public, info))
    packet: JsonObject = {"commit": b64(sha(b"another")), "ct": sealed}
    return lambda *_: envelopes.open_packet(GAME, 8, "anna", ANNA.seal_key, ANNA.seal_public, packet)


def _part(content: Json, **changed: str) -> Call:
    sealed_part = envelopes.seal_part(
        "sealed", GAME, "anna", 3, HOST.seal_public, ANNA.seal_public, SALT, content
    )
    part: JsonObject = {**sealed_part, **changed}
    return lambda *_: envelopes.open_part("sealed", GAME, "anna", 3, HOST.seal_key, HOST.seal_public, part)


def _order(packed: bytes) -> Call:
    """Standing orders that were sealed so: not packed, or not as a client packs them."""
    info = lp("pbem/1 order", GAME, "anna", 3, HOST.seal_public)
    ct = b64(identity.seal(identity.pad(packed, 512), HOST.seal_public, info))
    part: JsonObject = {"commit": b64(sha(b"another")), "ct": ct, "own": ct}
    return lambda *_: envelopes.open_part("order", GAME, "anna", 3, HOST.seal_key, HOST.seal_public, part)


def _contact(mail: Json) -> Call:
    info = lp("pbem/1 contact", GAME, "anna", HOST.seal_public)
    ct = b64(identity.seal(_padded({"mail": mail}), HOST.seal_public, info))
    return lambda *_: envelopes.open_contact(GAME, "anna", HOST.seal_key, HOST.seal_public, ct)


def _verified(file: Any) -> Call:
    return lambda *_: envelopes.verify_file("turn", file, ANNA.sign_public)


def _asked(change: JsonObject, now: str = NOW) -> Call:
    file = ask_by_keys(ANNA, API, "match", "anna", NOW)
    raw = strict_json.canon({"body": {**file["body"], **change}, "sig": file["sig"]})
    return lambda *_: asked_by_keys(raw, API, "match", now)


def _asked_nothing(*_: object) -> object:
    return asked_by_keys(b"{}", API, "match", NOW)


def _keys_of_another(*_: object) -> object:
    """An identity file whose header names another's keys, under the passphrase that opens it."""
    file = json.loads(identity_file.write_identity(ANNA, "Anna", "", SALT))
    header = {**file["header"], "sign": b64(HOST.sign_public)}
    key = provider().scrypt(b"", SALT, identity_file.LEAST_LOG_N, 8, 1)
    box = provider().gcm_seal(key, bytes(12), ANNA.secret, strict_json.canon(header))
    return identity_file.read_identity(json.dumps({"header": header, "box": b64(box)}).encode(), "")


@cache
def _world() -> World:
    return World("wyatt-earp", ("anna", "burt")).start()


def _terms(**changed: Any) -> Call:
    return lambda *_: terms_of({**_world().copy().lines[0].body, **changed})


def _view(*_: object) -> object:
    """A view with more cowboys than the box of the game holds."""
    record = World("way-out-west", ("anna", "burt", "curt")).start().copy()
    towns = record.public["towns"] | {}  # type: ignore[index]
    towns["abilene"] = {**towns["abilene"], "cowboys": {"anna": 90}}
    return public_value(record.rules, {**record.public, "towns": towns})  # type: ignore[dict-item]


def _own_box(*_: object) -> object:
    return identity.open_own_box(HOST, "box", identity.seal_own(ANNA, "box", b"x", bytes(12)))


def _no_hashes(_: Stage, folder: Path) -> object:
    (folder / HASHES).write_text("{}", encoding="utf-8")
    return check(str(folder))


def _refused_address(*_: object) -> object:
    connection = mock.Mock(has_extn=lambda _: True)
    smtp.SmtpOutgoing._name(mock.Mock(), connection, "host@example.org", ["anna@example.org"], "a\nb", 1)
    return None


def _odd_board() -> Setup:
    board = standard_board()
    board["towns"][0]["name"] = "?"
    game = find_game("way-out-west")
    seats = tuple(map(Seat, ("anna", "burt", "curt")))
    return Setup(seats, game.resolve_options("default", {}), {"board": board}, max(game.info.versions))


SIGNED: Final = envelopes.make_file("turn", {"a": 1}, ANNA.sign_key, ANNA.sign_public)
FOREIGN: Final[dict[str, dict[str, Call]]] = {
    "foreign bytes": {
        "a block without an end": _text("PBEM1BEGIN ABC"),
        "a block without a beginning": _text("ABC PBEM1END"),
        "a block that is too long": _text("PBEM1BEGIN " + "0" * 200_000 + " PBEM1END"),
        "a block with a foreign letter": _text("PBEM1BEGIN ABCDEFGHU PBEM1END"),
        "a block with a character lost": _text("PBEM1BEGIN ABCDEFGH1 PBEM1END"),
        "a block with a character changed": _text("PBEM1BEGIN ABCDEFGHJK PBEM1END"),
        "a block that does not unpack": _block(b"hello"),
        "a block that holds too much": _block(zlib.compress(b"[" * 1_000_000)),
        "a block with something behind it": _block(zlib.compress(b"{}") + b"x"),
        "too much text for a block": lambda *_: armour.scan("x" * (armour.MAX_TEXT + 1)),
        "too many blocks": lambda *_: armour.scan("PBEM1BEGIN " * (armour.MAX_BLOCKS + 1)),
        "a text of five megabytes": _damaged,
        "bytes that are not UTF-8": _parsed(b'{"a":"\xff"}'),
        "a byte order mark": _parsed("\ufeff{}"),
        "a text that is not in normal form": _parsed('{"a":"e\u0301"}'),
        "a character that Unicode does not have yet": _parsed('{"a":"\U0003fff0"}'),
        "a minus zero": _parsed('{"a":-0}'),
        "a record that is too long": lambda *_: strict_json.parse_line(b" " * (strict_json.MAX_LINE + 1)),
        "a value that JSON cannot hold": lambda *_: strict_json.canon({"a": None}),
        "a number in place of base64": lambda *_: digest.unb64(1),  # type: ignore[arg-type]
        "base64 with padding": lambda *_: digest.unb64("AA=="),
        "base64 of another length": lambda *_: digest.unb64("AAAA", 32),
        "a signature of another length": lambda *_: identity.verify("turn", b"{}", ANNA.sign_public, b"x"),
        "a signing key that is none": lambda *_: identity.verify("turn", b"{}", bytes(32), bytes(64)),
        "a signature with an odd point": lambda *_: identity.verify(
            "turn", b"{}", ANNA.sign_public, bytes(64)
        ),
        "a signature of something else": lambda *_: identity.verify(
            "turn", b"{}", ANNA.sign_public, ANNA.sign_key.sign(b"x")
        ),
        "a signing key of small order": lambda *_: identity.check_sign_key(bytes(32)),
        "a signing key off the curve": lambda *_: identity.check_sign_key(b"\x02" + bytes(31)),
        "a seal key that is none": lambda *_: identity.check_seal_key(bytes(32)),
        "a box of another identity": _own_box,
        "an identity of another's keys": _keys_of_another,
        "too much work for a passphrase": lambda *_: identity_file._key("", SALT, 30),
        "a packet without padding": _packet(b"x"),
        "a packet that is not JSON": _packet(identity.pad(b"x", 512)),
        "a packet that is not base64": _packet(b"", ct="A"),
        "a packet of another key": _packet(b"", ct=b64(bytes(64))),
        "a packet with other members": _packet(_padded({"a": 1})),
        "a packet with an odd salt": _packet(_padded({"salt": "A", "body": {"draws": [], "facts": []}})),
        "a packet with another body": _packet(_padded({"salt": b64(SALT), "body": {}})),
        "a packet that is not what was committed": _packet(
            _padded({"salt": b64(SALT), "body": {"draws": [], "facts": []}})
        ),
        "sealed actions of another form": _part({"do": "pass"}),
        "sealed actions that were not committed": _part([{"do": "pass"}], commit=b64(sha(b"another"))),
        "copies of two lengths": lambda *_: envelopes.check_copies(
            {"sealed": {"ct": "AB", "own": "A"}}, "/body"
        ),
        "orders that are not packed": _order(b"{}"),
        "an address that is a number": _contact(1),
        "an address with a control character": _contact("a\u2028b"),
        "a file that is not signed": _verified({"body": {}}),
        "a file signed by another": _verified(
            envelopes.make_file("turn", {}, HOST.sign_key, HOST.sign_public)
        ),
        "a file with half a signature": _verified({**SIGNED, "sig": {**SIGNED["sig"], "value": "A"}}),
        "a file of no kind": lambda *_: message_of({"body": {}, "sig": {}}),
        "a question without its members": _asked_nothing,
        "a question with a number": _asked({"seat": 1}),
        "a question to another host": _asked({"door": "https://another.example.org"}),
        "a question of no time": _asked({"at": "now"}),
        "a question of last week": _asked({}, now="2026-12-01T18:00:00Z"),
        "an email that is too long": _mail(b"x" * (gate.MAX_MESSAGE + 1)),
        "an email of many short lines": _mail(b"\n" * 400_000),
        "an email with long headers": _mail(b"X: " + b"x" * (gate.MAX_HEADERS + 1) + b"\n\nx"),
        "an email with a long content type": _mail(b"Content-Type: " + b"x" * 20_000 + b"\n\nx"),
        "an email with many parts": _mail(b"x\n--\n" * (gate.MAX_DASHES + 1)),
        "an email with emails inside": _mail(_nested(gate.MAX_NESTED + 1)),
        "an email that cannot be read": _unreadable,
        "an email that unfolds": lambda *_: gate.Work(1).spend(10**9),
        "an email that broke its process": lambda *_: (_ for _ in ()).throw(Broke("10 seconds")),
        "an email that the server refuses": lambda *_: (_ for _ in ()).throw(
            smtp._refusal(550, b"no such user here")
        ),
        "an address with a line end": _refused_address,
        "a record signed by another": lambda *_: verify_entry(
            _world().copy().lines[0], b"", ANNA.sign_public
        ),
        "a file that begins with another record": lambda *_: start_ledger(_world().copy().lines[1].raw),
        "a host in a seat that is not there": _terms(host={"seat": "zoe"}),
        "a game that is not there": _terms(rules={"id": "chess", "version": "1"}),
        "a view that the game cannot have": _view,
        "an address that is none": lambda *_: address_of("ftp://example.org"),
        "a web app without hashes": _no_hashes,
        "a board with an odd town": lambda *_: find_game("way-out-west").rules(_odd_board()),
    },
}
