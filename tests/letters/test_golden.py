"""Golden emails: every kind, every event of both games, as a person reads them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbem.game import JsonObject, Seat
from pbem.player.letters.compose import invitation_letter, refusal_letter
from pbem.player.letters.letter import Letter
from pbem.player.letters.rendering import EventRenderer, Style, one_line, speaker
from tests.letters import walk
from tests.letters.batch import letters_for
from tests.letters.fakes import FakeSource, earp_source, west_source
from tests.letters.golden import check

ANNA, BURT, CURT = Seat("anna"), Seat("burt"), Seat("curt")


def _to(letters: list[Letter], seat: Seat) -> Letter:
    return next(letter for letter in letters if letter.seat == seat)


def _earp_invitation() -> Letter:
    return invitation_letter(earp_source(profile="french"), ANNA)


def _earp_join() -> Letter:
    source = earp_source()
    source.add("join", msg=source.message("anna", 0, name="Anna", sign="A" * 43, lang="en"))
    return _to(letters_for(source, 1, 1, ANNA), ANNA)


def _earp_roster() -> Letter:
    source = earp_source()
    source.join_all()
    seq = source.add("announce", epoch=1, seats=list(source.seats), due="2026-11-24T18:00:00Z")
    return _to(letters_for(source, seq - 1, seq, CURT), ANNA)


def _earp_started() -> Letter:
    source = walk.earp_started()
    return _to(letters_for(source, 7, 9, CURT), ANNA)


def _earp_accepted() -> Letter:
    source = walk.earp_started()
    seq = walk.earp_look(source)
    return _to(letters_for(source, seq, seq, ANNA), ANNA)


def _earp_stopped(reader: Seat = ANNA) -> Letter:
    source = walk.earp_started()
    walk.earp_look(source)
    seq = walk.earp_hideout(source)
    return _to(letters_for(source, seq, seq, ANNA), reader)


def _earp_asked() -> Letter:
    return _earp_stopped(BURT)


def _earp_turn_end() -> Letter:
    source = walk.earp_started()
    walk.earp_look(source)
    walk.earp_hideout(source)
    walk.earp_pass(source)
    seq = walk.earp_turn_end(source)
    return _to(letters_for(source, seq, seq, ANNA), CURT)


def _earp_hand_end() -> Letter:
    source = walk.earp_started()
    first, last = walk.earp_hand_end(source)
    return _to(letters_for(source, first, last, CURT), BURT)


def _earp_match_end() -> Letter:
    source = walk.earp_started()
    first, last = walk.earp_match_end(source)
    return _to(letters_for(source, first, last, CURT), BURT)


def _earp_refused() -> Letter:
    source = walk.earp_started()
    action = {"do": "lay", "outlaw": "wes-hardin", "count": 2}
    body = {
        "seat": "anna",
        "n": 7,
        "code": "illegal",
        "action": 0,
        "rules": ["D4"],
        "at": "2026-11-22T08:00:00Z",
    }
    sentence = f"The first {action['outlaw']} of a hand need three cards together."
    return refusal_letter(source, ANNA, {"body": body, "sig": {}}, sentence, reject_bytes=b'{"body":{}}')


def _earp_talk() -> Letter:
    source = walk.earp_started()
    message = source.message("curt", 4, actions=[], say="Nice shot", tell=[{"to": "burt", "ct": "…"}])
    seq = source.add("turn", msg=message)
    return _to(letters_for(source, seq, seq, CURT), BURT)


def _earp_nudge() -> Letter:
    """Burt laughs about the shuffle, is sorry for his own file, and nudges Anna, who is waited for."""
    source = walk.earp_started()
    react = [{"to": 9, "with": "laugh"}, {"to": 7, "with": "sorry"}]
    message = source.message("burt", 4, actions=[], react=react, nudge="anna")
    seq = source.add("turn", msg=message)
    return _to(letters_for(source, seq, seq, BURT), ANNA)


def _earp_paused() -> Letter:
    source = walk.earp_started()
    seq = source.add("pause", what={"kind": "pause", "until": "2027-01-03T00:00:00Z"}, consents=[])
    return _to(letters_for(source, seq, seq, None), BURT)


def _west_invitation() -> Letter:
    return invitation_letter(west_source(), CURT)


def _west_accepted() -> Letter:
    source = walk.west_started()
    seq = walk.west_fight(source)
    return _to(letters_for(source, seq, seq, BURT), BURT)


def _west_asked() -> Letter:
    source = walk.west_started()
    seq = walk.west_fight(source)
    return _to(letters_for(source, seq, seq, BURT), ANNA)


def _west_turn_end() -> Letter:
    source = walk.west_started()
    first, last = walk.west_turn_end(source)
    return _to(letters_for(source, first, last, CURT), ANNA)


LETTERS: dict[str, Callable[[], Letter]] = {
    name[1:]: function
    for name, function in list(globals().items())
    if name.startswith(("_earp_", "_west_")) and callable(function)
}


@pytest.mark.golden
@pytest.mark.parametrize("name", LETTERS)
def test_a_letter_of_each_kind_reads_as_it_did(name: str) -> None:
    letter = LETTERS[name]()
    check(f"{name}.txt", f"Subject: {letter.subject}\nAttached: {letter.attachment_name}\n\n{letter.text}")


@pytest.mark.golden
@pytest.mark.parametrize("name", ["earp_turn_end", "west_turn_end"])
def test_the_html_of_a_turns_end_is_as_it_was(name: str) -> None:
    check(f"{name}.html", LETTERS[name]().html)


@pytest.mark.golden
@pytest.mark.parametrize(
    ("source", "events", "actions"),
    [
        (earp_source(), walk.EARP_EVENTS, walk.EARP_ACTIONS),
        (west_source(), walk.WEST_EVENTS, walk.WEST_ACTIONS),
    ],
    ids=["wyatt-earp", "way-out-west"],
)
def test_every_event_and_silent_action_has_its_sentence(
    source: FakeSource, events: list[JsonObject], actions: list[JsonObject]
) -> None:
    context = {"who": speaker(Style.TEXT, source.names), "seats": source.seats, "setup": source.setup}
    renderer = EventRenderer(Style.TEXT, source.game_info.id, context)
    lines = [f"{event['event']}: {one_line(renderer._events.sentence(event))}" for event in events]
    lines += [f"{action['do']}: {one_line(renderer._events.action('anna', action))}" for action in actions]
    assert all(not line.endswith(": ") for line in lines)
    check(f"{source.game_info.id}-events.txt", "\n".join(lines) + "\n")
