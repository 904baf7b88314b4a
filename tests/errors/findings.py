"""What an audit finds: in falsified matches, in false records, and in what people kept; each message once."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from pbem.base.sentences import Sentence
from pbem.game import JsonObject, Seat
from pbem.protocol.audit import audit
from pbem.protocol.audit.pieces import KeptRecords, put_together
from pbem.protocol.client.compose import compose_join
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.formats.messages import build_reject, message_of
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.line import Fault, write_line
from pbem.protocol.referee.draft import Draft
from tests.attacks import Stage, stage_of
from tests.conftest import give_back
from tests.errors.matches import CURT, announced, key_of, paused, resigned, running
from tests.forge import Forge
from tests.verifier.matches import match
from tests.verifier.tampering import CHEATS, faults_of
from tests.world import World

GAME: Final = "wyatt-earp"
_HASH: Final = re.compile(r"[\w-]{43,}")
"""Hashes, keys and signatures: they are others each time."""


def everything() -> str:
    """The golden file; the matches that were looked at are not kept, which would be a hundred megabytes."""
    files = list(_of_files())
    match.cache_clear()
    gc.collect()
    give_back()
    text = _HASH.sub("HASH", "\n".join([*files, "", *_of_mailboxes()]) + "\n")
    gc.collect()
    give_back()
    return text


def _of_files() -> Iterator[str]:
    seen: set[tuple[object, ...]] = set()
    cheated = ((cheat.name, faults_of(cheat)) for cheat in CHEATS)
    forged = ((name, audit(lines).faults) for name, lines in _forged())
    for name, every in chain(cheated, forged):
        faults = [fault for fault in every if _said(fault) not in seen]
        if faults:
            yield f"# {name}"
        for fault in faults:
            if _said(fault) not in seen:
                yield f"record {fault.seq}, step {fault.step} ({fault.code}): {fault.sentence}"
            seen.add(_said(fault))


def _forged() -> Iterator[tuple[str, Sequence[bytes]]]:
    """Matches behind which a dishonest host writes one record more, and one that ends with another result."""
    world = announced()
    join = compose_join(world.copy(), key_of("phone"), "curt", name="Phone")
    taken = _with_packets(world, join)
    yield "a seat is taken again and the announced deal stays", _and(world, "retake", taken)
    nothing = {"outcome": {"winners": []}, "opened": []}
    yield "a match ends before anything was dealt", _and(world, "end", nothing)
    world = resigned()
    yield "somebody else comes than was agreed to", _and(world, "substitute", _seated(world, "emil"))
    agreed = _seated(world, "dora")
    proposal = {"what": agreed["what"], "consents": agreed["consents"], "until": world.later(72)}
    yield "a proposal about a seat that is given up", _and(world, "propose", proposal)
    world = running()
    yield "a seat is given away at once", _and(world, "substitute", _seated(world, "dora"))
    forge = Forge(match("wyatt-earp-3"))
    bodies = forge.bodies()
    bodies[-1]["outcome"]["winners"] = []
    yield "nobody wins", forge.write(bodies)


def _and(world: World, kind: str, members: JsonObject) -> list[bytes]:
    """The match, and behind it a record that its host signs."""
    line = write_line(kind, members, world.host, game=world.record.game, after=world.head, at=world.now)
    return [*world.lines, line.raw]


def _seated(world: World, name: str) -> JsonObject:
    """Curt's seat for this newcomer; the others have agreed to Dora."""
    terms = world.substitute_terms("curt", "dora")
    consents = [world.consent(seat, terms) for seat in ("anna", "burt")]
    return {"what": terms, "consents": consents, **_with_packets(world, world.newcomer("curt", name).file)}


def _with_packets(world: World, join: JsonObject) -> JsonObject:
    draft = Draft(world.record, world.host, world.now)
    return {"msg": join, **draft.whole_packet(CURT, unb64(join["body"]["seal"]))}


def _said(fault: Fault) -> tuple[object, ...]:
    return fault.step, fault.code, *_messages(fault.sentence)


def _messages(said: object) -> tuple[str, ...]:
    if not isinstance(said, Sentence):
        return ()
    return (said.message, *(name for part in said.parts for name in _messages(part)))


def _of_mailboxes() -> Iterator[str]:
    for name, papers in _kept().items():
        (match,) = put_together(papers)
        yield f"# {name}"
        yield from (f"(verify): {finding}" for finding in match.findings)


def _kept() -> dict[str, list[KeptRecords]]:
    stage = stage_of(GAME)
    record = stage.past[14]
    first, other = stage.branch(record), stage.branch(record)
    file = first.next_file()
    assert file is not None
    first.send(file)
    other.silence(Seat(file["body"]["seat"]))
    alien = write_line(
        "extend",
        {"seat": "anna", "due": record.head.at},
        stage.host,
        game=record.game,
        after=stage.past[3].head,
        at=record.head.at,
    )
    alien = write_line("extend", {"seat": "anna", "due": record.head.at}, stage.host, game=record.game,
                       after=alien, at=record.head.at)  # fmt: skip
    bad = list(stage.lines)
    bad[20] = bad[20].replace(b'"at":"2026', b'"at":"2027', 1)
    recorded = next(line for line in stage.record.lines if "steps" in line.body and "msg" in line.body)
    forged = _reject(stage, recorded.body["msg"], "stale", recorded.seq - 1)
    forged["body"]["code"] = "illegal"
    both = _reject(stage, recorded.body["msg"], "illegal", recorded.seq - 1)
    fresh = stage.branch(record).next_file()
    assert fresh is not None
    whole = KeptRecords("game", tuple(stage.lines))
    cases = {
        "two histories": [
            KeptRecords("anna: email 9", tuple(first.lines)),
            KeptRecords("burt: email 7", tuple(other.lines)),
        ],
        "a record is missing": [KeptRecords("game", tuple(stage.lines[:9] + stage.lines[10:]))],
        "records are missing": [KeptRecords("game", tuple(stage.lines[:9] + stage.lines[14:]))],
        "an altered record": [whole, KeptRecords("anna: copy", tuple(bad))],
        "what is no record": [whole, KeptRecords("anna: email 3", (stage.lines[3][:-9],))],
        "a record that continues another one": [whole, KeptRecords("anna: email 9", (alien.raw,))],
        "a refusal that the host never signed": [whole, KeptRecords("answer", (), (canon(forged),))],
        "refused and recorded": [whole, KeptRecords("answer", (), (canon(both),))],
        "a consent that was refused and counts": _refused_consent(),
    }
    for code in (
        "stale",
        "not-your-turn",
        "link-missing",
        "bad-link",
        "match-over",
        "paused",
        "must-be-sealed",
    ):
        cases[f"refused as {code}"] = _refused(stage, fresh, code, whole)
    for code in ("illegal", "number-ahead", "over-budget", "too-many"):
        cases[f"refused as {code}"] = _refused(stage, fresh, code, whole)
    return cases


def _refused(stage: Stage, file: JsonObject, code: str, whole: KeptRecords) -> list[KeptRecords]:
    reject = _reject(stage, file, code, file["body"]["seen"]["seq"])
    return [whole, KeptRecords("anna: answer", (), (canon(file), canon(reject)))]


def _refused_consent() -> list[KeptRecords]:
    world = paused()
    file = world.head.body["consents"][0]
    reject = build_reject(
        world.host, message_of(file), code="stale", head=world.head.reference, at=world.head.at
    )
    whole = KeptRecords("game", tuple(world.lines))
    return [whole, KeptRecords("anna: answer", (), (canon(file), canon(reject)))]


def _reject(stage: Stage, file: JsonObject, code: str, at: int) -> JsonObject:
    head = stage.record.lines[at]
    rules: JsonObject = {"action": 0, "rules": ["D4"]} if code == "illegal" else {}
    return build_reject(stage.host, message_of(file), code=code, head=head.reference, at=head.at, **rules)
