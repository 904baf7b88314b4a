"""The damage table: each of 16 kinds, for each way to bring a file, is read as it was signed or refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbem.game import JsonObject
from pbem.player.mail.gate import read_mail
from pbem.player.mail.intake import Intake, take_in
from pbem.protocol.formats.armour import armour
from pbem.protocol.formats.strict_json import canon
from tests.mail.mangle import KINDS, Kind, mail_of
from tests.world import World

WAYS: dict[str, Callable[[JsonObject], str]] = {
    "armour": lambda file: "Hello,\n\n" + armour(file) + "\nBye,\nAnna\n",
    "json": lambda file: "Hello,\n\n" + canon(file).decode() + "\n\nBye,\nAnna\n",
}
JSON_LOST = {"lower-cased"}
"""Damage that no repair can undo in JSON: its capitals are gone."""


@pytest.fixture(scope="module")
def file() -> JsonObject:
    world = World("wyatt-earp", ("anna", "burt")).start()
    seat = str(world.record.waiting["seat"]) if world.record.waiting else ""
    return world.turn_file(
        seat, {"do": "draw", "from": "supply"}, say="Reach for the sky, my friend - it is $4,000"
    )


def intake_of(file: JsonObject, way: str, kind: Kind) -> Intake:
    return take_in(read_mail(mail_of(WAYS[way](file), kind)))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_text_block_survives_every_kind_of_damage(file: JsonObject, kind: Kind) -> None:
    intake = intake_of(file, "armour", kind)
    assert [message.file for message in intake.messages] == [file]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_pasted_json_is_read_as_it_was_signed_or_refused_with_advice(file: JsonObject, kind: Kind) -> None:
    intake = intake_of(file, "json", kind)
    if kind.name in JSON_LOST:
        assert not intake.messages
        assert [fault.kind for fault in intake.faults] == ["json"]
    elif intake.messages:
        assert [message.file for message in intake.messages] == [file]
    else:
        assert [fault.kind for fault in intake.faults] == ["json"]


def test_pasted_json_survives_most_kinds_of_damage(file: JsonObject) -> None:
    survived = {kind.name for kind in KINDS if intake_of(file, "json", kind).messages}
    assert survived >= {
        "quoted",
        "smart-quotes",
        "nbsp",
        "html-only",
        "zero-width",
        "latin-1",
        "trailing-quote",
    }


@pytest.mark.parametrize("at", range(0, 200, 13))
def test_a_changed_letter_in_a_block_is_never_silently_wrong(file: JsonObject, at: int) -> None:
    block = armour(file)
    index = 40 + at
    other = "2" if block[index] != "2" else "3"
    if not block[index].isalnum():
        return
    text = block[:index] + other + block[index + 1 :]
    intake = take_in(read_mail(mail_of(text, KINDS[14])))
    assert not intake.messages
    assert [fault.kind for fault in intake.faults] == ["block"]
