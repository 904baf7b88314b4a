"""Way Out West as the registry holds it."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.base.shapes.options import options_of, resolve_options
from pbem.game import GameInfo, JsonObject, Seat, Setup
from pbem.games.ordering import OrderForms
from pbem.games.touching import Touching
from pbem.games.way_out_west import order_words, words
from pbem.games.way_out_west import touching as by_touch
from pbem.games.way_out_west.board import PLAYERS, standard_board
from pbem.games.way_out_west.board_check import check_board
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
    touching: Touching = by_touch
    """``pbem.games.touching``."""

    def resolve_options(self, profile: str, overrides: JsonObject) -> JsonObject:
        """All options, the overrides on top of the profile."""
        return resolve_options(GAME_ID, PROFILES, profile, overrides)

    def default_extra(self, seats: Sequence[Seat]) -> JsonObject:
        """The default board, whole."""
        del seats
        return {"board": standard_board()}

    def check_setup(self, extra: JsonObject) -> list[str]:
        """Every fault of a ``setup`` object in words, also what the engine could live with (``pbem board check``)."""
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
