"""What any file is, shown without keys: a game file, a player's file, an email, an identity, a scenario, a board."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from pbem.base.errors import FormatError, PbemError
from pbem.base.sentences import plain, sentence
from pbem.game import JsonObject
from pbem.games import find_game
from pbem.player.mail import content_of
from pbem.protocol.crypto.digest import b64, fingerprint, short_id, unb64
from pbem.protocol.formats.identity_file import read_header
from pbem.protocol.formats.messages import read_message
from pbem.protocol.formats.strict_json import parse
from pbem.protocol.record import Line
from pbem.protocol.record.line import read_line

_LIMIT = 4 * 1024 * 1024
_KNOWN: Final = sentence(
    "It knows match files, players' files, text blocks, emails, identities, scenarios and boards."
)


def inspect_file(raw: bytes) -> JsonObject:
    """A description; ``is`` names the kind. Nothing in it was verified.

    Raises:
        FormatError: it is nothing that pbem knows; the message says why.
    """
    content = content_of(raw)
    if content.kind == "game":
        return _game(content.lines)
    if content.kind in ("mail", "armour"):
        facts: JsonObject = {"is": "letter" if content.kind == "mail" else "armour"}
        if content.seat:
            facts["for"] = content.seat
        if content.lines:
            facts["brings"] = _game(content.lines)
        facts["files"] = [_json(file) for file in content.files]
        facts["damaged"] = [str(damage) for damage in content.damages]
        return facts
    try:
        return _json(raw)
    except FormatError as fault:
        if content.kind == "nothing":
            raise FormatError(
                sentence("this is not a match file, a signed file or an email of pbem"), hint=_KNOWN
            ) from fault
        raise FormatError(
            sentence("this is not a match file, a signed file or an email of pbem: {fault}", fault=fault),
            hint=_KNOWN,
        ) from fault


def _game(lines: Sequence[bytes]) -> JsonObject:
    try:
        first = read_line(lines[0])
    except FormatError as fault:
        raise FormatError(sentence("the first record cannot be read: {fault}", fault=fault)) from fault
    last = _last(lines) or first
    facts: JsonObject = {
        "is": "game file" if first.seq == 0 else "part of a game file",
        "records": len(lines),
        "from": {"seq": first.seq, "kind": first.kind, "at": first.at},
        "to": {"seq": last.seq, "kind": last.kind, "at": last.at},
        "head": fingerprint(last.hash),
    }
    if first.seq == 0:
        facts |= {
            "match": short_id(first.hash),
            "game": b64(first.hash),
            "rules": first.body["rules"]["id"],
            "profile": _variant(first.body),
            "seats": first.body["seats"],
            "host": fingerprint(unb64(first.body["host"]["sign"])),
        }
    return facts


def _variant(genesis: JsonObject) -> str:
    """Name the profile that the options are of; a game that is not installed has none."""
    with suppress(KeyError):
        return find_game(genesis["rules"]["id"]).info.variant(genesis["options"])
    return "own"


def _last(lines: Sequence[bytes]) -> Line | None:
    """The last line that can be read."""
    for line in reversed(lines):
        with suppress(PbemError):
            return read_line(line)
    return None


def _json(raw: bytes) -> JsonObject:
    value = parse(raw, limit=_LIMIT, null=True)  # a scenario may hold null
    if isinstance(value, dict):
        if "box" in value and "header" in value:
            return _identity(raw)
        if value.get("pbem") == "scenario/1":
            return {"is": "scenario", "title": value.get("title"), "rules": value.get("rules", [])}
        if "body" in value and "sig" in value:
            return _message(raw)
        if "spaces" in value or "boxes" in value:
            return {"is": "board", "members": sorted(value)}
        if "do" in value:
            return {"is": "action", "do": value["do"]}
    raise FormatError(
        sentence("JSON, but nothing that pbem knows"),
        hint=_KNOWN,
    )


def _identity(raw: bytes) -> JsonObject:
    header = read_header(raw, bulk=False)
    return {
        "is": "identity",
        "kind": header.kind,
        "name": header.name,
        "fingerprint": fingerprint(header.sign_public),
    }


def _message(raw: bytes) -> JsonObject:
    message = read_message(raw)
    body = message.body
    facts: JsonObject = {
        "is": message.kind,
        "match": short_id(message.game),
        "seat": message.seat,
        "n": message.n,
        "seen": message.seen_seq,
        "hash": b64(message.hash),
        "key": fingerprint(unb64(message.file["sig"]["key"])),
    }
    for member in ("name", "actions", "say", "react", "nudge", "what", "code", "rules", "action"):
        if member in body:
            facts[member] = body[member]
    facts["sealed"] = [part for part in ("sealed", "orders", "contact", "tell", "channel") if part in body]
    return facts


def inspect_text(facts: JsonObject, indent: str = "") -> str:
    """A description, member by member."""
    lines = []
    for name, value in facts.items():
        if isinstance(value, dict):
            lines += [f"{indent}{name}:", inspect_text(value, indent + "  ")]
        elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            lines += [f"{indent}{name}:", *(inspect_text(item, indent + "  - ") for item in value)]
        elif value not in ([], "", None):
            lines.append(f"{indent}{name}: {plain(value)}")
    return "\n".join(lines)
