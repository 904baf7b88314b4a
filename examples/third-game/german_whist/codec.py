"""German Whist: how actions, events, views and positions are spelled. Their form is judged by ``schemas/``."""

from __future__ import annotations

from collections.abc import Sequence

from german_whist.model import DECK, ORDER, Event, Play, Public, State, View, sorted_hand, suit_of
from pbem.game import FULL, PUBLIC, BadSetup, Json, JsonObject, MalformedAction, Seat, Setup, Viewer

EXPECTED = "expected play CARD, such as play spades-ace"


def action_from_words(words: Sequence[str]) -> JsonObject:
    """``["play", "spades-ace"]``, or the card alone."""
    match list(words):
        case ["play", card] | [card] if card in ORDER:
            return {"do": "play", "card": card}
        case _:
            raise MalformedAction(f"{EXPECTED}, found {' '.join(words)!r}")


def action_to_words(obj: JsonObject) -> str:
    """``play spades-ace``."""
    return f"play {obj['card']}"


class Codec:
    """The spelling half of the rules."""

    setup: Setup

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The two seats."""
        return self.setup.seats

    def action_from_json(self, obj: Json, *, bulk: bool = False) -> Play:  # noqa: ARG002
        """Raises ``MalformedAction``."""
        match obj:
            case {"do": "play", "card": str(card), **rest} if card in ORDER and not rest:
                return Play(card)
            case _:
                raise MalformedAction(EXPECTED)

    def action_to_json(self, action: Play) -> JsonObject:
        """``{"do": "play", "card": …}``."""
        return {"do": "play", "card": action.card}

    def public_action(self, action: Play) -> JsonObject:
        """All of it: a card is played face up."""
        return self.action_to_json(action)

    def is_secret(self, action: Play) -> bool:  # noqa: ARG002
        """Never."""
        return False

    def may_reveal(self, action: Play) -> bool:  # noqa: ARG002
        """Every card gives information, and ends a trick or asks the other."""
        return True

    def event_to_json(self, event: Event, viewer: Viewer) -> JsonObject:
        """The card that was drawn only for whoever drew it."""
        shown: JsonObject = {"event": event.name, **dict(event.public)}
        if event.secret and viewer is not PUBLIC and (viewer is FULL or viewer == shown["seat"]):
            shown["card"] = event.secret
        return shown

    def view_to_json(self, view: View) -> JsonObject:
        """The public view, with the own hand in place of its number."""
        shown = self._shown(view.public)
        shown["hands"] = dict(zip(self.seats, view.public.counts, strict=True))
        if view.public.phase == "play":
            shown["waiting"] = {"seat": view.public.active, "phase": "play"}
        if view.seat is not None:
            shown["hands"][view.seat] = list(view.hand)
        return shown

    def _shown(self, public: Public) -> JsonObject:
        return {
            "phase": public.phase,
            "hand": public.hand,
            "leads": public.leads,
            "active": public.active,
            **{name: value for name in ("led", "turned", "trump") if (value := getattr(public, name))},
            "stock": public.stock,
            "seen": {seat: list(cards) for seat, cards in zip(self.seats, public.seen, strict=True)},
            "gone": list(public.gone),
            "tricks": dict(zip(self.seats, public.tricks, strict=True)),
            "points": dict(zip(self.seats, public.points, strict=True)),
        }

    def public_from_json(self, obj: JsonObject) -> View:
        """The view that a record holds; its form was judged before."""
        first, second = self.seats
        return View(
            Public(
                phase=obj["phase"],
                hand=obj["hand"],
                leads=Seat(obj["leads"]),
                active=Seat(obj["active"]),
                led=obj.get("led", ""),
                turned=obj.get("turned", ""),
                trump=obj.get("trump", ""),
                stock=obj["stock"],
                counts=(obj["hands"][first], obj["hands"][second]),
                seen=(tuple(obj["seen"][first]), tuple(obj["seen"][second])),
                gone=tuple(obj["gone"]),
                tricks=(obj["tricks"][first], obj["tricks"][second]),
                points=(obj["points"][first], obj["points"][second]),
            )
        )

    def position_to_json(self, state: State) -> JsonObject:
        """The public members, both hands and the stock."""
        hands = {seat: list(hand) for seat, hand in zip(self.seats, state.hands, strict=True)}
        return {**self._shown(state.public), "hands": hands, "stock": list(state.stock)}

    def position_from_json(self, obj: JsonObject) -> State:
        """What is left out is as at the beginning of a hand: hands empty, the stock all cards that are nowhere else."""
        first, second = self.seats
        hands = tuple(sorted_hand(obj.get("hands", {}).get(seat, [])) for seat in self.seats)
        seen = tuple(sorted_hand(obj.get("seen", {}).get(seat, [])) for seat in self.seats)
        led, turned, gone = obj.get("led", ""), obj.get("turned", ""), tuple(sorted(obj.get("gone", [])))
        placed = [*hands[0], *hands[1], *gone, *filter(None, (led, turned))]
        if len(set(placed)) < len(placed):
            raise BadSetup(
                f"one card in two places: {min(card for card in placed if placed.count(card) > 1)}"
            )
        phase = obj.get("phase", "play")
        free = [card for card in DECK if card not in placed] if phase == "play" and turned else []
        stock = tuple(obj.get("stock", free))
        leads = Seat(str(obj.get("leads", self.setup.extra["leader"])))
        pairs = {name: obj.get(name, {}) for name in ("tricks", "points")}
        public = Public(
            phase=phase,
            hand=obj.get("hand", 1),
            leads=leads,
            active=Seat(str(obj.get("active", leads))),
            led=led,
            turned=turned,
            trump=obj.get("trump", suit_of(turned) if turned else ""),
            stock=len(stock),
            counts=(len(hands[0]), len(hands[1])),
            seen=(seen[0], seen[1]),
            gone=gone,
            tricks=(pairs["tricks"].get(first, 0), pairs["tricks"].get(second, 0)),
            points=(pairs["points"].get(first, 0), pairs["points"].get(second, 0)),
        )
        return State(public, (hands[0], hands[1]), stock)
