"""What players agree to, in words; and the words behind ``pbem consent`` that agree to exactly this."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from pbem.base.language import CODES, language_of
from pbem.game import JsonObject, Seat
from pbem.player.letters.by_hand import agreed_command, agreed_words
from pbem.player.seat.joining import consent_to
from pbem.protocol.record.agreement import TERMS_MEMBERS
from tests.player.test_client import client
from tests.world import World

UNTIL = "2026-12-01T18:00:00Z"
NOW = "2026-11-30T08:00:00Z"
NAMES = {Seat("anna"): "Anna", Seat("burt"): "Burt"}
TERMS: dict[str, JsonObject] = {
    "Pause the match until Tuesday 18:00 UTC": {"kind": "pause", "until": UNTIL},
    "Go on with the match": {"kind": "pause", "until": "2026-11-29T18:00:00Z"},
    "Burt is away from Monday 00:00 UTC until Tuesday 18:00 UTC": {
        "kind": "absence", "seat": "burt", "from": "2026-11-30T00:00:00Z", "until": UNTIL,
    },
    "Burt gives up the seat": {"kind": "resign", "seat": "burt"},
    "A replacement player takes Burt's seat": {
        "kind": "substitute", "seat": "burt", "newcomer": "ABCDE-FGHJK-MNPQR-STVWX",
    },
    "Burt's seat gets a new key": {
        "kind": "rekey", "seat": "burt", "sign": "s", "seal": "t", "anchor": "a", "length": 64,
    },
    "Go back to record 2 of the match file": {"kind": "rewind", "to": {"seq": 2, "hash": ""}},
    "End the match now (The train is here; it's late)": {"kind": "end", "why": "The train is here; it's late"},
    "End the match now": {"kind": "end"},
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("desk")


@pytest.mark.parametrize("text", TERMS)
def test_the_words_say_what_it_is_and_the_command_agrees_to_exactly_this(text: str, folder: Path) -> None:
    terms, mine = TERMS[text], client(World("wyatt-earp", ["anna", "burt"]).start(), "anna", folder)
    if "to" in terms:
        terms = {**terms, "to": mine.record.lines[2].reference}
    assert language_of("en").translate(agreed_words(terms, NAMES, NOW)) == text
    kind, *members = shlex.split(agreed_command(terms))
    assert consent_to(mine, kind, members) == terms


def test_every_kind_has_words_of_its_own() -> None:
    assert {terms["kind"] for terms in TERMS.values()} == set(TERMS_MEMBERS)
    for code in CODES:
        said = [language_of(code).translate(agreed_words(terms, NAMES, NOW)) for terms in TERMS.values()]
        assert len(set(said)) == len(said)
