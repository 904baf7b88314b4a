"""Standoff: how actions, events, views and positions are spelled."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from pbem.game import PUBLIC, BadSetup, Json, JsonObject, MalformedAction, Seat, Setup, Viewer
from tests.toy.model import (
    DECK,
    KINDS,
    Action,
    ChooseAt,
    ChooseTake,
    Draw,
    Event,
    Public,
    Search,
    Shoot,
    State,
    View,
)


def action_to_json(action: Action) -> JsonObject:
    match action:
        case Draw():
            return {"do": "draw"}
        case Shoot(card, at):
            return {"do": "shoot", "card": card} | ({"at": at} if at else {})
        case Search(take):
            return {"do": "search"} | ({"take": list(take)} if take else {})
        case ChooseAt(at):
            return {"do": "choose", "at": at}
        case ChooseTake(take):
            return {"do": "choose", "take": take}


def canonical(action: Action) -> bytes:
    return json.dumps(action_to_json(action), sort_keys=True, separators=(",", ":")).encode()


def _members(obj: Mapping[str, Json]) -> str:
    return " ".join(sorted(obj))


def action_from_json(obj: Json) -> Action:
    if not isinstance(obj, dict):
        raise MalformedAction("expected an object")
    text = {name: value for name, value in obj.items() if isinstance(value, str)}
    match obj.get("do"), _members(obj):
        case "draw", "do":
            return Draw()
        case "shoot", "card do" | "at card do" if len(text) == len(obj) and text["card"] in KINDS:
            return Shoot(text["card"], Seat(text["at"]) if "at" in text else None)
        case "search", "do":
            return Search()
        case "search", "do take" if isinstance(obj["take"], list) and obj["take"]:
            if all(card in KINDS for card in obj["take"]):
                return Search(tuple(obj["take"]))
        case "choose", "at do" if "at" in text:
            return ChooseAt(Seat(text["at"]))
        case "choose", "do take" if text.get("take") in KINDS:
            return ChooseTake(text["take"])
    raise MalformedAction(f"expected an action of Standoff, found {json.dumps(obj)[:80]}")


def action_from_words(words: Sequence[str]) -> JsonObject:
    match list(words):
        case ["draw"]:
            return {"do": "draw"}
        case ["shoot", card]:
            return {"do": "shoot", "card": card}
        case ["shoot", card, "at", seat]:
            return {"do": "shoot", "card": card, "at": seat}
        case ["search", *take]:
            return {"do": "search"} | ({"take": take} if take else {})
        case ["choose", "at", seat]:
            return {"do": "choose", "at": seat}
        case ["choose", "take", card]:
            return {"do": "choose", "take": card}
        case _:
            pass
    raise MalformedAction("expected draw, shoot CARD [at SEAT], search [CARD…] or choose at SEAT|take CARD")


def action_to_words(obj: JsonObject) -> str:
    action = action_from_json(obj)
    match action:
        case Shoot(card, at):
            return f"shoot {card} at {at}" if at else f"shoot {card}"
        case Search(take):
            return " ".join(("search", *take))
        case ChooseAt(at):
            return f"choose at {at}"
        case ChooseTake(take):
            return f"choose take {take}"
        case Draw():
            return "draw"


class Codec:
    """The codec half of the rules."""

    setup: Setup

    @property
    def seats(self) -> tuple[Seat, ...]:
        return self.setup.seats

    def action_from_json(self, obj: Json, *, bulk: bool = False) -> Action:  # noqa: ARG002
        return action_from_json(obj)

    def action_to_json(self, action: Action) -> JsonObject:
        return action_to_json(action)

    def public_action(self, action: Action) -> JsonObject:
        shown = action_to_json(action)
        shown.pop("take", None)
        return shown

    def is_secret(self, action: Action) -> bool:
        return isinstance(action, ChooseTake) or (isinstance(action, Search) and bool(action.take))

    def may_reveal(self, action: Action) -> bool:
        return not isinstance(action, ChooseAt)

    def event_to_json(self, event: Event, viewer: Viewer) -> JsonObject:
        shown = {"event": event.name, **dict(event.public)}
        owner = viewer is not PUBLIC and viewer in ("full", shown.get("seat"))
        if owner or getattr(viewer, "value", "") == "full":
            shown.update(event.secret)
        return shown

    def view_to_json(self, view: View) -> JsonObject:
        public = view.public
        hands: dict[str, Json] = dict(zip(self.seats, public.hands, strict=True))
        shown: JsonObject = {
            "phase": public.phase,
            "round": public.round,
            "starter": public.starter,
            "active": public.active,
            "turns": public.turns,
            "points": dict(zip(self.seats, public.points, strict=True)),
            "hands": hands,
            "supply": public.supply,
            "discard": {"count": public.discard},
        }
        if public.top:
            shown["discard"]["top"] = public.top
        if public.aimed:
            shown["aimed"] = public.aimed
        if public.waiting:
            shown["waiting"] = {"seat": public.active, "phase": public.phase}
        if view.seat is not None:
            hands[view.seat] = list(view.hand)
        if view.stack is not None:
            shown["stack"] = list(view.stack)
        return shown

    def public_from_json(self, obj: JsonObject) -> View:
        return View(
            Public(
                phase=obj["phase"],
                waiting="waiting" in obj,
                round=obj["round"],
                starter=Seat(obj["starter"]),
                active=Seat(obj["active"]),
                turns=obj["turns"],
                points=tuple(obj["points"][seat] for seat in self.seats),
                hands=tuple(obj["hands"][seat] for seat in self.seats),
                supply=obj["supply"],
                top=obj["discard"].get("top", ""),
                discard=obj["discard"]["count"],
                aimed=obj.get("aimed"),
            )
        )

    def position_to_json(self, state: State) -> JsonObject:
        shown: JsonObject = {
            "phase": state.asks if state.asks in ("turn", "over") else "chance",
            "asks": state.asks,
            "round": state.round,
            "starter": state.starter,
            "active": state.active,
            "turns": state.turns,
            "points": dict(zip(self.seats, state.points, strict=True)),
            "hands": {seat: list(hand) for seat, hand in zip(self.seats, state.hands, strict=True)},
            "supply": list(state.supply),
            "discard": list(state.discard),
        }
        if state.asks in ("target", "take"):
            shown["phase"] = "choose"
        if state.aimed:
            shown["aimed"] = state.aimed
        return shown

    def position_from_json(self, obj: JsonObject) -> State:
        spare = Counter(DECK)
        named = [*obj.get("hands", {}).values(), obj.get("supply", []), obj.get("discard", [])]
        spare.subtract(card for cards in named if isinstance(cards, list) for card in cards)
        if min(spare.values()) < 0 or set(spare) != set(DECK):
            raise BadSetup(f"more of a card than there are: {dict(spare)}")
        left = [kind for kind in KINDS for _ in range(spare[kind])]

        def cards(wanted: Json) -> tuple[str, ...]:
            if isinstance(wanted, int):
                taken, left[:] = left[:wanted], left[wanted:]
                return tuple(taken)
            return tuple(wanted)

        in_hand: JsonObject = obj.get("hands", {})
        hands = [tuple(sorted(cards(in_hand.get(seat, [])))) for seat in self.seats]
        starter = Seat(str(obj.get("starter") or self.setup.extra["starter"]))
        phase: str = obj.get("phase", "turn")
        return State(
            asks=obj.get("asks") or {"chance": "shuffle"}.get(phase, phase),
            round=obj.get("round", 1),
            starter=starter,
            active=Seat(str(obj.get("active") or starter)),
            turns=obj.get("turns", 0),
            points=tuple(obj.get("points", {}).get(seat, 0) for seat in self.seats),
            hands=tuple(hands),
            supply=cards(obj.get("supply", [])),
            discard=cards(obj.get("discard", [])),
            aimed=obj.get("aimed"),
        )
