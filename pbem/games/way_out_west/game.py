"""Way Out West as the registry holds it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from pbem.base.shapes.schema import options_of, resolve_options
from pbem.game import GameInfo, Json, JsonObject, Seat, Setup
from pbem.games.ordering import OrderForms
from pbem.games.touching import Touching
from pbem.games.way_out_west import groups, order_words, words
from pbem.games.way_out_west.board import ASSETS, COUNTERS, KINDS, PLAYERS, board_faults, standard_board
from pbem.games.way_out_west.options import GAME_ID, PROFILES
from pbem.games.way_out_west.rules import VERSIONS, WayOutWestRules


class WayOutWest:
    """Static facts, options and the way to one match's rules."""

    info = GameInfo(
        id=GAME_ID,
        title="Way Out West",
        seats=range(PLAYERS[0], PLAYERS[-1] + 1),
        versions=VERSIONS,
        profiles=PROFILES,
        options=options_of(GAME_ID),
        decks={},
        tapes=("public",),
    )
    touching: Touching = groups
    """``pbem.games.touching``."""

    def resolve_options(self, profile: str, overrides: JsonObject) -> JsonObject:
        """All options, the overrides on top of the profile."""
        return resolve_options(GAME_ID, PROFILES, profile, overrides)

    def default_extra(self, seats: Sequence[Seat]) -> JsonObject:
        """The default board, whole."""
        del seats
        return {"board": standard_board()}

    def check_setup(self, extra: JsonObject) -> list[str]:
        """Every fault of a ``setup`` object in words, also what the engine could live with (``pbem check --board``)."""
        unknown = [f"unknown member {name!r}" for name in sorted(set(extra) - {"board"})]
        return unknown + check_board(extra.get("board", standard_board()))

    def rules(self, setup: Setup) -> WayOutWestRules:
        """The engine bound to one match."""
        return WayOutWestRules(setup)

    def action_from_words(self, words_: Sequence[str]) -> JsonObject:
        """What a person types."""
        return words.action_from_words(words_)

    def action_to_words(self, obj: JsonObject) -> str:
        """What a person reads."""
        return words.action_to_words(obj)

    @property
    def order_forms(self) -> OrderForms:
        """What may be typed about standing orders (``pbem.games.ordering.OrderWords``)."""
        return order_words.FORMS_OF_ORDERS

    def do_from_words(self, when: str, words_: Sequence[str]) -> JsonObject:
        """What a rule does, from words."""
        return order_words.do_from_words(when, words_)

    def do_to_words(self, when: str, do: JsonObject) -> str:
        """What a rule does, in words."""
        return order_words.do_to_words(when, do)


GAME = WayOutWest()


# --- does a board file agree with the rules? For whoever types in the numbers of a printed map ------------
#
# ``check_board`` returns every fault in words, each with the rule row (A3) or the board fact (fact 5) that
# it breaks; an empty list means that the board can be used. What it finds beyond ``board.board_faults``
# does not stop a match: a host who knows better may still play on such a board.

_START_CASH: Final = {"3": 20, "4": 20, "5": 25}
_START_SPACE: Final = {"3": 1, "4": 4, "5": 4}


def check_board(obj: Json) -> list[str]:
    """Every fault of a board file, in words; empty if there is none."""
    return board_faults(obj) or _towns(obj) + _boxes(obj) + _counters(obj) + _numbers(obj)


def _towns(obj: JsonObject) -> list[str]:
    faults = []
    for town in obj["towns"]:
        if not 4 <= town["corrals"] <= 7:
            faults.append(
                f"{town['name']}: {town['corrals']} corral boxes; the map has 4 to 7 in each town (fact 5)"
            )
        if town["buildings"] > len(ASSETS):
            faults.append(
                f"{town['name']}: {town['buildings']} building boxes, but there are six kinds and each is built"
                " once in a town (F2), so at most 6"
            )
        elif town["buildings"] < 3:
            faults.append(
                f"{town['name']}: {town['buildings']} building boxes; the map has 3 to 6 in each town (fact 4)"
            )
    if len(obj["towns"]) != 5:
        faults.append(f"{len(obj['towns'])} towns; the map has five (fact 1)")
    return faults


def _boxes(obj: JsonObject) -> list[str]:
    boxes: list[JsonObject] = obj["action_boxes"]
    faults = [f"no action box of kind {kind!r} (C3)" for kind in KINDS if not _open(boxes, kind, 3)]
    for asset, count in sorted(_build_boxes(boxes).items()):
        if count != 1:
            faults.append(f"{count} boxes build a {asset}; there is exactly one for each kind (fact 11)")
    if len(_open(boxes, "cattle", 5)) <= len(_open(boxes, "cattle", 4)):
        faults.append("no cattle box that opens with five players (C6)")
    mispriced = [box["id"] for box in boxes if box["kind"] == "cattle" and box.get("price_per_counter") != 1]
    faults += [f"{box}: cattle cost 1 for each counter (D1)" for box in mispriced]
    if len(_open(boxes, "gunfight", 5)) < 2:
        faults.append("only one gunfight box; the map has several (fact 12)")
    if not any(box["value"] >= 4 for box in _open(boxes, "move_cowboys", 5)):
        faults.append("no box moves four cowboys; the map has one of at least that value (fact 13)")
    return faults


def _open(boxes: list[JsonObject], kind: str, players: int) -> list[JsonObject]:
    return [box for box in boxes if box["kind"] == kind and box["min_players"] <= players]


def _build_boxes(boxes: list[JsonObject]) -> Counter[str]:
    counter = Counter(box["asset"] for box in boxes if box["kind"] == "build")
    return Counter({asset: counter[asset] for asset in ASSETS})


def _counters(obj: JsonObject) -> list[str]:
    faults = [
        f"counters_per_colour.{kind} is 0: nobody could ever use that box (A10)"
        for kind in COUNTERS
        if obj["counters_per_colour"][kind] == 0
    ]
    if obj["farmers_per_player"] != 1:
        faults.append(f"farmers_per_player is {obj['farmers_per_player']}; each player has one (A2, N4)")
    if obj["wanted_counters"] == 0:
        faults.append("no Wanted counter at all (M9)")
    if 1 not in obj["money_denominations"]:
        faults.append("money_denominations without 1: change could not be made (A12)")
    return faults


def _numbers(obj: JsonObject) -> list[str]:
    faults = []
    for players in map(str, PLAYERS):
        cash, space = obj["start_cash"][players], obj["start_space"][players]
        if cash != _START_CASH[players]:
            faults.append(f"start_cash.{players} is {cash}; A3 says {_START_CASH[players]}")
        if space != _START_SPACE[players]:
            faults.append(f"start_space.{players} is {space}; A8 says {_START_SPACE[players]}")
    if obj["last_space"] != 12:
        faults.append(f"last_space is {obj['last_space']}; the turn track ends at 12 (A9)")
    if obj["income_spaces"] != [3, 6, 9, 12]:
        faults.append(f"income_spaces are {obj['income_spaces']}; income is paid on 3, 6, 9 and 12 (A9, P2)")
    return faults
