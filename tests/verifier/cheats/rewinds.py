"""Rewinds across what cannot be undone: step (2)."""

from __future__ import annotations

from typing import Final

from pbem.game import JsonObject
from tests.verifier.cheats.cheat import Lines, Make, cheat
from tests.verifier.forging import Bodies, Forge, files_of

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
    seen = forge.world.record.lines[at].reference
    what: JsonObject = {"kind": "rewind", "to": forge.world.record.lines[target["_was"]].reference}
    consents: list[JsonObject] = []
    for seat in forge.world.seats:
        files = [file["body"] for body in kept for file, _ in files_of(body) if file["body"]["seat"] == seat]
        signed: JsonObject = {
            "game": files[0]["game"],
            "seat": seat,
            "n": max(file["n"] for file in files) + 1,
            "seen": dict(seen),
            "what": {**what, "to": dict(what["to"])},
        }
        said = [one for body in kept for one in (body.get("what", {}), body.get("msg", {}).get("body", {}))]
        keys = [one["sign"] for one in said if one.get("seat") == seat and "sign" in one]
        consents.append({"body": signed, "sig": {"key": keys[-1], "value": ""}})
    rewind = {"kind": "rewind", "at": kept[-1]["at"], "what": what, "consents": consents, "_was": -1}
    return forge.write([*kept, rewind])


cheat("a match goes back to before an epoch was opened", 2, "rewind")(_across("open"))
cheat("a match goes back into an epoch that was closed", 2, "rewind")(_across("close"))
cheat("a match goes back to before links were given up", 2, "rewind")(_across("burn"))
cheat("a match goes back to before a newcomer came", 2, "rewind")(_across("substitute"))
