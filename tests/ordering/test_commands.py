"""``pbem orders`` as a person runs it: list, words, presets, test, plan, sign, withdraw; what ``pbem show`` says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pbem.game import JsonObject
from pbem.games.wyatt_earp.deck import OUTLAW_NAMES
from tests.cli.seats import Done, Friends

SAID = "when react do react wyatt-earp if reward at least 5000"


@pytest.fixture
def friends(tmp_path: Path) -> Friends:
    return Friends(tmp_path).begin().join_and_ready()


def orders(friends: Friends, seat: str, *arguments: str) -> Done:
    done = friends.play(seat, "orders", *arguments)
    assert done.code == 0, done.err
    return done


def rules(friends: Friends, seat: str, member: str = "rules") -> list[str]:
    listing: JsonObject = orders(friends, seat, "--json").json
    given = listing["planned"]["rules"] if member == "planned" else listing.get("rules", [])
    return [listed_rule["words"] for listed_rule in given]


def test_an_order_is_typed_signed_sent_listed_and_withdrawn(friends: Friends) -> None:
    assert "You have no standing orders." in orders(friends, "burt").out
    file = friends.sign("burt", "orders", "--preset", "reaction-never", "--add", SAID)
    body = json.loads(file.read_bytes())["body"]
    assert body["actions"] == []
    assert "wyatt-earp" not in file.read_text()
    assert friends.send(file).json[0]["ruling"] == "accepted"
    assert rules(friends, "burt") == [SAID, "when react do react pass"]
    assert friends.send(friends.sign("burt", "orders", "--withdraw")).json[0]["ruling"] == "accepted"
    assert rules(friends, "burt") == []


def test_a_change_can_wait_for_the_next_turn_file(friends: Friends) -> None:
    seat = friends.status()["waiting"]["seat"]
    done = orders(friends, seat, "--preset", "reaction-always", "--next")
    assert "For your next file:" in done.out
    assert rules(friends, seat, "planned")[0] == "when react do react wyatt-earp"
    assert friends.send(friends.sign(seat, "turn", "draw", "supply")).json[0]["ruling"] == "accepted"
    assert rules(friends, seat) == ["when react do react wyatt-earp", "when react do react pass"]
    assert "planned" not in orders(friends, seat, "--json").json


def test_a_draw_order_answers_without_a_mail(friends: Friends) -> None:
    first = friends.status()["waiting"]["seat"]
    other = next(seat for seat in friends.seats if seat != first)
    assert friends.send(friends.sign(other, "orders", "--preset", "draw-supply")).code == 0
    assert friends.send(friends.sign(first, "turn", "draw", "supply")).code == 0
    legal = friends.play(first, "legal", "--json").json["legal"]
    discard = next(action["words"] for action in legal if action["words"].startswith("discard"))
    assert friends.send(friends.sign(first, "turn", discard)).code == 0
    assert friends.status()["waiting"] == {"seat": other, "phase": "play"}
    shown = friends.play(other, "show")
    assert shown.code == 0
    assert "did not keep to your orders" not in shown.err


def test_what_they_would_do_now_is_shown_without_signing(friends: Friends) -> None:
    folder = friends.folder("burt")
    before = set(folder.rglob("*"))
    done = orders(friends, "burt", "--preset", "draw-supply", "--test", "--json")
    would = {answer["asked"]: answer["answer"] for answer in done.json["would"]}
    assert would["your draw"] == "draw supply"
    assert would["your play"] == "you are asked"
    assert "your draw" in orders(friends, "burt", "--preset", "draw-supply", "--test").out
    noted = {folder / "sent/sealed-checked.json"}  # which sealed parts were looked at, not to look again
    assert set(folder.rglob("*")) - noted == before - noted


def test_a_rule_that_is_off_is_explained_to_its_owner_alone(friends: Friends) -> None:
    """The email that asks says the same to everybody; the reason stands in ``pbem show`` and ``pbem orders``."""
    seat = friends.status()["waiting"]["seat"]
    other = next(other for other in friends.seats if other != seat)
    assert friends.send(friends.sign(seat, "turn", "draw", "supply")).code == 0
    hand = friends.play(seat, "show", "--json").json["view"]["hands"][seat]
    lacking = next(f"photo:{name}" for name in OUTLAW_NAMES if f"photo:{name}" not in hand)
    file = friends.sign(seat, "orders", "--add", f"when play do discard {lacking}")
    assert friends.send(file).code == 0
    shown = friends.play(seat, "show").out
    assert "Rule 1 of your orders is off" in shown
    assert lacking in shown
    assert "off: " in orders(friends, seat).out
    assert "is off" not in friends.play(other, "show").out
    letters = [path.read_text() for path in (friends.match / "outbox").glob("*.eml")]
    assert not any("is off" in letter for letter in letters)


def test_the_reaction_is_offered_to_everybody_in_the_same_words(friends: Friends) -> None:
    offers = [orders(friends, seat).out.split("For everybody")[1] for seat in friends.seats]
    assert len(set(offers)) == 1
    assert "--preset reaction-always" in offers[0]
    friends.send(friends.sign("anna", "orders", "--preset", "reaction-never"))
    assert orders(friends, "anna").out.split("For everybody")[1] == offers[0]
    assert all("--preset reaction-always" in friends.play(seat, "show").out for seat in friends.seats)


def test_an_order_that_may_leave_the_window_open_is_warned_of(friends: Friends) -> None:
    done = friends.play("burt", "orders", "--add", SAID, "--next")
    assert "others see that they did not answer" in done.err
    assert "did not answer" not in friends.play("burt", "orders", "--preset", "reaction-3000", "--next").err


def test_the_vocabulary_can_be_read(friends: Friends) -> None:
    text = orders(friends, "anna", "--words").out
    for words in ("when react do wyatt-earp | pass", "reward at least N", "lay any", "reaction-5000"):
        assert words in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--add", "when react do shoot"), "the answer is one of wyatt-earp, pass"),
        (("--add", "when react do pass if by zoe"), "zoe"),
        (("--preset", "reaction-perhaps"), "There are: reaction-always"),
        (("--remove", "3"), "there is no rule 3"),
        (("--withdraw", "--remove", "1"), "does not go with"),
    ],
)
def test_a_slip_is_answered_and_nothing_is_signed(
    friends: Friends, arguments: tuple[str, ...], said: str
) -> None:
    done = friends.play("burt", "orders", *arguments)
    assert done.code == 2
    assert said in done.err
    assert not list((friends.folder("burt") / "sent").glob("*-turn-*"))


def test_orders_from_a_file_replace_all(friends: Friends, tmp_path: Path) -> None:
    file = tmp_path / "orders.json"
    file.write_text('{"rules":[{"when":"react","do":{"do":"react","with":"pass"}}]}')
    orders(friends, "burt", "--preset", "draw-supply", "--next")
    orders(friends, "burt", "--set", str(file), "--next")
    assert rules(friends, "burt", "planned") == ["when react do react pass"]
    file.write_text('{"rules":[{"when":"react","do":{"do":"draw","from":"supply"}}]}')
    assert friends.play("burt", "orders", "--set", str(file)).code == 2
