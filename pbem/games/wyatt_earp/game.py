"""Wyatt Earp as the registry holds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pbem.base.sentences import sentence
from pbem.base.shapes.schema import options_of, resolve_options
from pbem.game import AnyRules, BadSetup, GameInfo, JsonObject, Seat, Setup
from pbem.games.ordering import OrderForms
from pbem.games.touching import Touching
from pbem.games.wyatt_earp import groups, orders, words
from pbem.games.wyatt_earp.deck import DECK, NAMES
from pbem.games.wyatt_earp.options import GAME_ID, PROFILES, bind_options
from pbem.games.wyatt_earp.rules import WyattEarpRules
from pbem.games.wyatt_earp.state import Match

_PLAYERS: Final = range(2, 5)

_INFO: Final = GameInfo(
    id=GAME_ID,
    title="Wyatt Earp",
    seats=_PLAYERS,
    versions=(1,),
    profiles=PROFILES,
    options=options_of(GAME_ID),
    decks={"main": DECK},
    tapes=(),
    deck_lists={"main": NAMES},
)


class WyattEarp:
    """The registry's entry (``pbem.game.Game``)."""

    touching: Touching = groups
    """``pbem.games.touching``."""
    info: GameInfo = _INFO
    """Static facts: one deck of 78 cards, no dice."""

    def resolve_options(self, profile: str, overrides: JsonObject) -> JsonObject:
        """All options of a profile with ``overrides`` on top."""
        return resolve_options(GAME_ID, PROFILES, profile, overrides)

    def default_extra(self, seats: Sequence[Seat]) -> JsonObject:
        """The last seat deals first (B2), so that the first seat begins (B8)."""
        return {"dealer": seats[-1]}

    def rules(self, setup: Setup) -> AnyRules:
        """The engine bound to one match.

        Raises:
            BadSetup: if seats, options, dealer or version do not fit.
        """
        seats = tuple(map(str, setup.seats))
        if len(seats) not in _PLAYERS or len(set(seats)) != len(seats):
            raise BadSetup(
                sentence(
                    "Wyatt Earp has two to four different seats (A1), found {seats}",
                    seats=", ".join(seats) or sentence("none"),
                )
            )
        if setup.version not in _INFO.versions:
            raise BadSetup(
                sentence(
                    "no rules version {version}; there are: {versions}",
                    version=setup.version,
                    versions=", ".join(map(str, _INFO.versions)),
                )
            )
        if set(setup.extra) != {"dealer"} or setup.extra["dealer"] not in seats:
            raise BadSetup(
                sentence(
                    "the dealer of {seats} is set up and nothing else, found {names}",
                    seats=", ".join(seats),
                    names=", ".join(map(str, setup.extra.values())) or sentence("none"),
                )
            )
        by_name = tuple(sorted(range(len(seats)), key=lambda seat: seats[seat].encode()))
        dealer = seats.index(setup.extra["dealer"])
        return WyattEarpRules(setup, Match(seats, bind_options(setup.options), dealer, by_name))

    def action_from_words(self, words_typed: Sequence[str]) -> JsonObject:
        """What a person typed, as an action object."""
        return words.action_from_words(words_typed)

    def action_to_words(self, obj: JsonObject) -> str:
        """What a person would type."""
        return words.action_to_words(obj)

    @property
    def order_forms(self) -> OrderForms:
        """What may be typed about standing orders (``pbem.games.ordering.OrderWords``)."""
        return orders.FORMS_OF_ORDERS

    def do_from_words(self, when: str, words_typed: Sequence[str]) -> JsonObject:
        """What a rule does, from words."""
        return orders.do_from_words(when, words_typed)

    def do_to_words(self, when: str, do: JsonObject) -> str:
        """What a rule does, in words."""
        del when
        return orders.do_to_words(do)
