"""Changes to the lines of a file, without any key; and what a host can do to the chain of records: step (1)."""

from __future__ import annotations

import copy
import json

from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import make_entry
from pbem.protocol.formats.strict_json import canon
from tests.forge import Forge
from tests.verifier.cheats.cheat import Lines, changed, cheat, first, in_last_record
from tests.world import secret


@cheat("a bit is flipped in a text of a record", 1, "signature", by="editor")
def _bit(forge: Forge) -> Lines:
    lines = list(forge.lines)
    at = len(lines) // 2
    lines[at] = lines[at].replace(b'"at":"2026', b'"at":"2027', 1)
    return lines


@cheat("a line is dropped", 1, "seq", by="editor")
def _dropped_line(forge: Forge) -> Lines:
    at = len(forge.lines) // 2
    return forge.lines[:at] + forge.lines[at + 1 :]


@cheat("a line stands twice", 1, "seq", by="editor")
def _doubled_line(forge: Forge) -> Lines:
    at = len(forge.lines) // 2
    return [*forge.lines[: at + 1], *forge.lines[at:]]


@cheat("two lines are exchanged", 1, "seq", by="editor")
def _swapped_lines(forge: Forge) -> Lines:
    lines = list(forge.lines)
    lines[4], lines[5] = lines[5], lines[4]
    return lines


@cheat("a record is written with blanks", 1, "malformed", by="editor")
def _blanks(forge: Forge) -> Lines:
    lines = list(forge.lines)
    lines[3] = json.dumps(json.loads(lines[3]), sort_keys=True, ensure_ascii=False).encode()
    return lines


@cheat("a record is cut off", 1, "malformed", by="editor")
def _cut_off(forge: Forge) -> Lines:
    return [*forge.lines[:-1], forge.lines[-1][:-20]]


@cheat("an empty line stands between records", 1, "malformed", by="editor")
def _empty_line(forge: Forge) -> Lines:
    return [*forge.lines[:6], b"", *forge.lines[6:]]


@cheat("a number is written as 1.0", 1, "malformed", by="editor")
def _float(forge: Forge) -> Lines:
    lines = list(forge.lines)
    at = next(i for i, raw in enumerate(lines) if b'"epoch":1' in raw)
    lines[at] = lines[at].replace(b'"epoch":1', b'"epoch":1.0', 1)
    return lines


@cheat("a member stands twice", 1, "malformed", by="editor")
def _duplicate(forge: Forge) -> Lines:
    lines = list(forge.lines)
    lines[2] = lines[2].replace(b'"kind":', b'"kind":"join","kind":', 1)
    return lines


@cheat("a record is signed by somebody else than the host", 1, "signature", by="editor")
def _other_signer(forge: Forge) -> Lines | None:
    stranger = Identity(secret("a stranger"))
    return changed(forge, lambda bodies: bodies[-1], lambda body: body.update(_key=stranger))


@cheat("prev names another record", 1, "prev")
def _wrong_prev(forge: Forge) -> Lines | None:
    return changed(forge, lambda bodies: bodies[-1], lambda body: body.update(_prev=b64(bytes(32))))


@cheat("a record number is left out", 1, "seq")
def _wrong_seq(forge: Forge) -> Lines | None:
    return changed(forge, lambda bodies: bodies[-1], lambda body: body.update(_seq=len(forge.lines)))


@cheat("a record is dated before the one before it", 1, "time")
def _back_in_time(forge: Forge) -> Lines | None:
    return changed(forge, lambda bodies: bodies[-1], lambda body: body.update(at="2026-01-01T00:00:00Z"))


@cheat("a second genesis", 1, "genesis")
def _second_genesis(forge: Forge) -> Lines:
    bodies = forge.bodies()
    second = {**copy.deepcopy(bodies[0]), "at": bodies[-1]["at"], "_was": -1, "_seq": 0, "_prev": ""}
    return forge.write([*bodies, second])


@cheat("a record has a member that nobody knows", 1, "malformed")
def _unknown_member(forge: Forge) -> Lines | None:
    return in_last_record(forge, lambda body: body.update(note="hello"))


@cheat("a record lacks a member", 1, "malformed")
def _missing_member(forge: Forge) -> Lines | None:
    return in_last_record(forge, lambda body: body.pop("at"))


@cheat("a record of an unknown kind", 1, "malformed")
def _unknown_kind(forge: Forge) -> Lines | None:
    return in_last_record(forge, lambda body: body.update(kind="miracle"))


@cheat("a time that is none", 1, "malformed")
def _no_time(forge: Forge) -> Lines | None:
    return in_last_record(forge, lambda body: body.update(at="tomorrow"))


@cheat("a record names another key than it was signed with", 1, "signature", by="editor")
def _other_key(forge: Forge) -> Lines:
    record = json.loads(forge.lines[-1])
    record["sig"]["key"] = b64(Identity(secret("a stranger")).sign_public)
    return [*forge.lines[:-1], canon(record)]


@cheat("a join is changed after it was signed", 2, "signature")
def _changed_join(forge: Forge) -> Lines | None:
    """The host alone signs again; whoever joined did not sign this."""
    bodies = forge.bodies()
    join = first(bodies[::-1], lambda body: body["kind"] == "join")
    assert join is not None
    *before, last = forge.lines[: join["_was"] + 1]
    body = json.loads(last)["body"]
    body["msg"]["body"]["name"] = "Somebody else"
    return [
        *before,
        canon(make_entry(body, forge.host.sign_key, forge.host.sign_public, forge.world.record.game)),
    ]


@cheat("a record is longer than 1 MiB", 1, "malformed")
def _long_record(forge: Forge) -> Lines | None:
    def longer(body: JsonObject) -> None:
        body["public"]["pardoned"] = "x" * (1 << 20)

    return changed(forge, lambda bodies: first(bodies, lambda b: "public" in b), longer)
