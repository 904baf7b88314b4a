"""Two verifiers, written apart, say the same of every honest, falsified and damaged file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from pbem.protocol.audit import audit
from tests.forge import Bodies, Forge, body_of
from tests.verifier.matches import MATCHES, PAPER, match
from tests.verifier.node import verify_all
from tests.verifier.tampering import CHEATED, CHEATS, QUICK, cheats_in, tampered
from tests.verifier.verdicts import first_fault, found_by_js, found_by_python, place
from tests.world import World, accepted

NAMES = [
    pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow])
    for name in CHEATED
    if cheats_in(name)
]


@pytest.mark.parametrize("name", MATCHES)
def test_honest_matches_verify_with_the_same_draws_labels_and_head(name: str) -> None:
    lines = match(name).lines
    ours = audit(lines, engine=False)
    theirs = verify_all({name: lines})[name]
    assert ours.ok, ours.faults
    assert theirs["ok"], theirs["faults"]
    for member in (
        "records",
        "head",
        "fingerprint",
        "game",
        "game_id",
        "names",
        "ended",
        "outcome",
        "burns",
        "defaults",
    ):
        assert theirs[member] == getattr(ours, member), member
    labels = Counter(label.label for label in ours.labels)
    assert {label: count for label, count in theirs["draws"].items() if count} == labels


LONGEST = "Z" * 40
NO_ZONES = ("", "Europe/", "/UTC", "a/b/c/d", "Europe/../UTC", "Europe Berlin", "Z" * 41)


def test_the_time_zone_of_a_player_is_read_by_both_and_what_is_none_is_malformed() -> None:
    """It may stand in a join: everybody can read it, and nothing in the match follows from it."""
    world = World("way-out-west", ("anna", "burt", "curt"), seed="zone")
    accepted(world.join("anna", zone="America/Argentina/ComodRivadavia"))
    accepted(world.join("burt"))
    accepted(world.join("curt", zone=LONGEST))
    zones = {seat: player.zone for seat, player in world.record.ledger.players.items()}
    assert zones == {"anna": "America/Argentina/ComodRivadavia", "burt": None, "curt": LONGEST}
    assert body_of(world.lines[1])["msg"]["body"]["zone"] == "America/Argentina/ComodRivadavia"

    def named(zone: str) -> Callable[[Bodies], None]:
        return lambda bodies: bodies[1]["msg"]["body"].update(zone=zone)

    files = {zone: Forge(world).edited(named(zone)) for zone in NO_ZONES}
    theirs = verify_all({"honest": world.lines, **files})
    assert audit(world.lines, engine=False).ok
    assert theirs["honest"]["ok"], theirs["honest"]["faults"]
    for zone, lines in files.items():
        assert first_fault(found_by_python(audit(lines, engine=False))) == (1, 1, "malformed"), zone
        assert first_fault(found_by_js(theirs[zone])) == (1, 1, "malformed"), zone


@pytest.mark.parametrize("name", NAMES)
def test_every_cheat_is_found_by_both_in_the_same_place(name: str) -> None:
    taken = cheats_in(name)
    files = {cheat.name: cheat for cheat in tampered(match(name), [PAPER], taken)}
    assert list(files) == [cheat.name for cheat in taken], (
        "python -m tests.verifier.tampering finds occasions"
    )
    theirs = verify_all({cheat: file.lines for cheat, file in files.items()})
    for cheat, file in files.items():
        js = found_by_js(theirs[cheat])
        assert (file.cheat.step, file.cheat.code) in {fault[1:] for fault in js}, (cheat, js[:5])
        py = found_by_python(audit(file.lines, engine=False))
        assert (file.cheat.step, file.cheat.code) in {fault[1:] for fault in py}, (cheat, py[:5])
        assert place(py) == place(js), (cheat, py[:5], js[:5])


def test_every_cheat_is_tried_in_some_match() -> None:
    assert {cheat.name for each in CHEATED for cheat in cheats_in(each)} == {cheat.name for cheat in CHEATS}


def test_a_key_that_is_new_before_the_first_deal_has_its_packet() -> None:
    forge = Forge(match("wyatt-earp-early"), [PAPER])
    lines = forge.edited(lambda bodies: bodies[-1].pop("packets"))
    seq = len(lines) - 1
    assert found_by_python(audit(lines, engine=False)) == [(seq, 7, "packets")]
    assert found_by_js(verify_all({"x": lines})["x"]) == [(seq, 7, "packets")]
