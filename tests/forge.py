"""A dishonest host's tools: change records of a match and sign everything again.

A host who cheats does so while the match runs: players then sign on top of their lie. ``Forge.write`` makes the file
that comes out of that: every later record is numbered, chained and signed again by the host, and the players' files
name the new history (``seen``), signed by the players, as they would have done. What a record says beyond that stays as
it was, so that exactly the lie is wrong, and what follows from it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.crypto.primitives import SignKey
from pbem.protocol.draws import epoch_seed
from pbem.protocol.formats.envelopes import body_hash, make_entry, make_file
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.kinds import KINDS
from tests.world import World

Bodies = list[JsonObject]
Test = Callable[[JsonObject], object]


def body_of(raw: bytes) -> JsonObject:
    """The body of a line."""
    body: JsonObject = json.loads(raw)["body"]
    return body


def seen_of(raw: bytes) -> JsonObject:
    """What a player signs who has read up to this line."""
    return _seen_in(json.loads(raw))


def _seen_in(file: JsonObject) -> JsonObject:
    return {
        "seq": file["body"]["seq"],
        "line": b64(body_hash(file["body"])),
        "sig": file["sig"]["value"],
    }


@lru_cache(maxsize=4096)
def _honest(raw: bytes) -> JsonObject:
    """``seen_of`` a line of an honest file, which is falsified in many ways; nobody may change it."""
    return seen_of(raw)


def first(bodies: Sequence[JsonObject], test: Test) -> JsonObject | None:
    """The first body that passes ``test``."""
    return next((body for body in bodies if test(body)), None)


def of_kind(kind: str, epoch: int | None = None) -> Test:
    """A test for records of a kind, of an epoch if one is named."""
    return lambda body: body["kind"] == kind and epoch in (None, body.get("epoch"))


def acting(body: JsonObject) -> bool:
    """Whether a record is a turn with a result."""
    return body["kind"] == "turn" and "steps" in body


def chance_of(body: JsonObject) -> list[JsonObject]:
    """All cards and dice of a record."""
    return [entry for step in body.get("steps", ()) for entry in step["chance"]]


def steps_by(body: JsonObject, by: str) -> list[JsonObject]:
    """The steps of a record that were made by ``by``."""
    return [step for step in body.get("steps", ()) if step["by"] == by]


def flipped(text: str) -> str:
    """Another value of the same length, in base64url."""
    raw = bytearray(unb64(text))
    raw[0] ^= 1
    return b64(bytes(raw))


@dataclass
class Forge:
    """A match in the hands of a host who cheats, with everybody's keys to write what would have followed."""

    world: World
    papers: Sequence[SignKey] = ()
    """Keys on paper that somebody signed with."""

    @property
    def host(self) -> Identity:
        """The host's keys."""
        return self.world.host

    @property
    def lines(self) -> list[bytes]:
        """The honest file."""
        return self.world.lines

    def bodies(self) -> Bodies:
        """A copy of every record's body, to be changed. ``_was`` is its old number; leave it alone."""
        return [{**body_of(raw), "_was": seq} for seq, raw in enumerate(self.lines)]

    def seed(self, epoch: int) -> bytes:
        """The seed of an epoch: the host knows it."""
        genesis = body_of(self.lines[0])
        game = body_hash(genesis)
        return epoch_seed(self.host.master(unb64(genesis["nonce"])), game, epoch)

    def edited(self, edit: Callable[[Bodies], None]) -> list[bytes]:
        """The file after ``edit`` changed its bodies."""
        bodies = self.bodies()
        edit(bodies)
        return self.write(bodies)

    def write(self, bodies: Bodies) -> list[bytes]:
        """Sign these bodies as a file.

        ``_prev``, ``_seq``, ``_key`` in a body override what is honest. ``_keep`` leaves its player's file as is: they
        had signed before the lie.
        """
        honest = self.lines
        signers = {b64(signer.public): signer for signer in self._keys()}
        old = {_honest(raw)["line"]: seq for seq, raw in enumerate(honest)}
        new: dict[int, JsonObject] = {}
        out: list[bytes] = []
        game: bytes | None = None
        before, same = "", True
        for seq, source in enumerate(bodies):
            same = same and seq < len(honest)
            if same and source == {**body_of(honest[seq]), "_was": seq}:
                raw = honest[seq]  # nothing was changed up to here
                seen = _honest(raw)
            else:
                body = _copied({name: value for name, value in source.items() if not name.startswith("_")})
                _follow(body, () if "_keep" in source else files_of(body), signers, old, new)
                body["seq"] = source.get("_seq", seq)
                body["prev"] = source.get("_prev", before)
                signer: Identity = source.get("_key", self.host)
                entry = make_entry(body, signer.sign_key, signer.sign_public, game)
                raw, seen = canon(entry), _seen_in(entry)
                same = same and raw == honest[seq]
            game, before = game or unb64(seen["line"]), seen["line"]
            out.append(raw)
            if "_was" in source:
                new[source["_was"]] = seen
        return out

    def _keys(self) -> list[SignKey]:
        """Everybody's keys: those of today, those before a rekey or a substitute, those on paper."""
        people = (*self.world.people.values(), *self.world.former())
        return [*(who.sign_key for who in people), *self.papers]


def _follow(
    body: JsonObject,
    files: Iterable[tuple[JsonObject, str]],
    signers: Mapping[str, SignKey],
    old: Mapping[str, int],
    new: Mapping[int, JsonObject],
) -> None:
    """Players sign on top of the history they were shown."""

    def moved(reference: JsonObject) -> JsonObject:
        was = old.get(reference["line"], -1)
        return {name: new[was][name] for name in reference} if was in new else reference

    for file, kind in files:
        message = file["body"]
        message["seen"] = moved(message["seen"])
        if "to" in message.get("what", {}):
            message["what"]["to"] = moved(message["what"]["to"])
        stranger: Identity | None = file.pop("_key", None)
        signer = stranger.sign_key if stranger else signers.get(file["sig"]["key"])
        if signer is not None:  # else it is none of ours, and stays as it is
            file["sig"] = make_file(kind, message, signer, signer.public)["sig"]
    if "to" in body.get("what", {}):
        body["what"]["to"] = moved(body["what"]["to"])
    for opening in body.get("facts", ()):
        opening["seq"] = new.get(opening["seq"], opening)["seq"]


def _copied(value: Any) -> Any:
    """A value of JSON that may be changed; ``copy.deepcopy`` takes four times as long."""
    if isinstance(value, dict):
        return {name: _copied(member) for name, member in value.items()}
    return list(map(_copied, value)) if isinstance(value, list) else value


def files_of(body: JsonObject) -> Iterator[tuple[JsonObject, str]]:
    """The players' files in a record, with what each is signed as."""
    for file in body.get("consents", []):
        yield file, "consent"
    if "msg" in body:
        kind = KINDS.get(body["kind"])  # a forger writes kinds that there are not, too
        yield body["msg"], (kind.signed_as if kind is not None else "") or "turn"
