"""A dishonest host's tools: change records of a match and sign everything again.

A host who cheats does so while the match runs: players then sign on top of his lie. ``Forge.write`` makes the file
that comes out of that. Every later record is numbered, chained and signed anew by the host; the players' files name
the new history (``seen``) and are signed by the players, as they would have done. What a record says beyond that stays
as it was, so exactly the lie is wrong, and what follows from it. ``_keep`` in a body leaves its player's file as
it is: that player had signed before the lie.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence

from pbem.attacks.stage import Lines, Stage
from pbem.crypto.digest import b64, unb64
from pbem.crypto.identity import Identity
from pbem.draws.deck import epoch_seed
from pbem.formats.signed import body_hash, make_entry, make_file
from pbem.formats.strict_json import canon
from pbem.game import JsonObject

Bodies = list[JsonObject]
Test = Callable[[JsonObject], object]

_SIGNED_AS = {"join": "join", "ready": "ready", "turn": "turn"}


def body_of(raw: bytes) -> JsonObject:
    """The body of a line."""
    body: JsonObject = json.loads(raw)["body"]
    return body


def seen_of(raw: bytes) -> JsonObject:
    """What a player signs who has read up to this line."""
    file: JsonObject = json.loads(raw)
    return {
        "seq": file["body"]["seq"],
        "line": b64(body_hash(file["body"])),
        "sig": file["sig"]["value"],
    }


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


class Forge:
    """A match in the hands of a host who cheats."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.honest = stage.lines
        self._keys = {b64(who.sign_public): who for who in stage.people.values()}

    def bodies(self) -> Bodies:
        """A copy of every record's body, to be changed. ``_was`` is its old number; leave it alone."""
        return [{**body_of(raw), "_was": seq} for seq, raw in enumerate(self.honest)]

    def seed(self, epoch: int) -> bytes:
        """The seed of an epoch: the host knows it."""
        nonce = unb64(body_of(self.honest[0])["nonce"])
        return epoch_seed(self.stage.host.master(nonce), self.stage.record.game, epoch)

    def write(self, bodies: Sequence[JsonObject]) -> Lines:
        """Sign these bodies as a file."""
        old = {b64(body_hash(body_of(raw))): seq for seq, raw in enumerate(self.honest)}
        new: dict[int, JsonObject] = {}
        out: Lines = []
        touched = False
        for seq, source in enumerate(bodies):
            touched = touched or seq >= len(self.honest) or not self._untouched(source, seq)
            raw = self._line(source, seq, out, old, new) if touched else self.honest[seq]
            out.append(raw)
            if "_was" in source:
                new[source["_was"]] = seen_of(raw)
        return out

    def _untouched(self, source: JsonObject, seq: int) -> bool:
        return source == {**body_of(self.honest[seq]), "_was": seq}

    def _line(
        self,
        source: JsonObject,
        seq: int,
        out: Lines,
        old: dict[str, int],
        new: dict[int, JsonObject],
    ) -> bytes:
        body = copy.deepcopy({name: value for name, value in source.items() if not name.startswith("_")})
        if "msg" in body and "_keep" not in source:
            self._follow(body, old, new)
        if body["kind"] == "close":
            for opening in body["facts"]:
                opening["seq"] = new.get(opening["seq"], opening)["seq"]
        body["seq"] = seq
        body["prev"] = seen_of(out[-1])["line"] if out else ""
        host = self.stage.host
        game = body_hash(body_of(out[0])) if out else None
        return canon(make_entry(body, host.sign_key, host.sign_public, game))

    def _follow(self, body: JsonObject, old: dict[str, int], new: dict[int, JsonObject]) -> None:
        """The player signs on top of the history he was shown."""
        file = body["msg"]
        seen = file["body"]["seen"]
        was = old.get(seen["line"])
        if was in new:
            file["body"]["seen"] = new[was]
        signer: Identity | None = self._keys.get(file["sig"]["key"])
        if signer is not None:
            kind = _SIGNED_AS[body["kind"]]
            file["sig"] = make_file(kind, file["body"], signer.sign_key, signer.sign_public)["sig"]
