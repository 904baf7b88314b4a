"""What one host hands to the next, as JavaScript opens it: the known answer of ``schemas/vectors.json``."""

from __future__ import annotations

import json

from pbem.base.resources import data_dir
from pbem.protocol.crypto.digest import kdf, unb64
from pbem.protocol.crypto.identity import Identity
from tests.verifier.node import VERIFIER, node

PROGRAM = """
import { openHanded, openHandedPart } from "VERIFIER/handover.mjs";
import { unb64 } from "VERIFIER/bytes.mjs";
let text = "";
for await (const piece of process.stdin) text += piece;
const { known, secret } = JSON.parse(text);
const game = unb64(known.game);
const inside = await openHanded(game, known.seq, Uint8Array.from(secret), known.ct);
console.log(JSON.stringify({ inside, part: await openHandedPart(game, inside.parts[0], known.sealed) }));
"""


def test_javascript_opens_what_goes_to_the_new_host() -> None:
    vectors = json.loads((data_dir("schemas") / "vectors.json").read_text())
    known = vectors["handed"]
    new = Identity(unb64(vectors["identity"]["secret"]))
    given = {"known": known, "secret": list(kdf(new.secret, "pbem/1 seal"))}
    program = PROGRAM.replace("VERIFIER", VERIFIER.as_uri())
    said = json.loads(node("--input-type=module", "-e", program, stdin=json.dumps(given)))
    assert said["inside"] == {"seeds": known["seeds"], "parts": known["parts"]}
    assert said["part"] == {"actions": known["actions"], "salt": known["salt"]}
