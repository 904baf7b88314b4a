"""Rewinds across what cannot be undone: step (2)."""

from __future__ import annotations

from typing import Final

from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import b64
from pbem.protocol.record import Record
from tests.forge import Bodies, Forge, files_of
from tests.verifier.cheats.cheat import Lines, Make, cheat

FINAL: Final = ("open", "close", "burn", "substitute")
"""Records that no match goes back across."""


def _across(kind: str) -> Make:
    """Right after a record of this kind everybody agrees to go back to the last result before it."""

    def back(forge: Forge) -> Lines | None:
        bodies = forge.bodies()
        for at, body in enumerate(bodies):
            before = [b for b in bodies[:at] if "steps" in b or b["kind"] in FINAL]
            if body["kind"] == kind and before and "steps" in before[-1]:
                return _agreed_back(forge, bodies, at, before[-1])
        return None

    return back


def _agreed_back(forge: Forge, bodies: Bodies, at: int, target: JsonObject) -> Lines:
    if bodies[at]["kind"] in ("open", "burn"):
        at += 1  # an announcement follows at once
    kept = bodies[: at + 1]
    lines = forge.world.record.lines
    players = Record.load([line.raw for line in lines[: at + 1]]).ledger.players
    seen = lines[at].seen
    terms: JsonObject = {"kind": "rewind", "to": lines[target["_was"]].reference}
    consents: list[JsonObject] = []
    for seat in forge.world.seats:
        files = [file["body"] for body in kept for file, _ in files_of(body) if file["body"]["seat"] == seat]
        signed: JsonObject = {
            "game": files[0]["game"],
            "seat": seat,
            "n": max(file["n"] for file in files) + 1,
            "seen": dict(seen),
            "what": {**terms, "to": dict(terms["to"])},
        }
        consents.append({"body": signed, "sig": {"key": b64(players[Seat(seat)].sign), "value": ""}})
    rewind = {"kind": "rewind", "at": kept[-1]["at"], "what": terms, "consents": consents, "_was": -1}
    return forge.write([*kept, rewind])


cheat("a match goes back to before an epoch was opened", 2, "rewind")(_across("open"))
cheat("a match goes back into an epoch that was closed", 2, "rewind")(_across("close"))
cheat("a match goes back to before links were given up", 2, "rewind")(_across("burn"))
cheat("a match goes back to before a newcomer came", 2, "rewind")(_across("substitute"))
