"""Positions: full knowledge, for tests and the host, never for a letter (schemas/wyatt-earp/position.schema.json).

The loader fills in defaults, takes "n cards nobody named" in deck-list order from the cards that stand nowhere
else (hands in seat order, then supply, then discard), and refuses what cannot be.

In phase ``chance`` a position tells what is shuffled for: ``"pending":{"shuffle":"deal"}`` and what the shot or
draw behind it still needs. A duel that waits for a shuffle stands in ``duel``. Without ``pending`` the shuffle
is the one between two hands.
"""

from __future__ import annotations

from collections import Counter

from pbem.base.shapes.schema import narrowed
from pbem.game import BadSetup, Json, JsonObject
from pbem.games.wyatt_earp.cards import (
    COPIES,
    EARP,
    KIND_OF,
    NAMES,
    NONE,
    ONE,
    OUTLAW_NAMES,
    OUTLAW_OF,
    cards_of_group,
    hand_of,
    held,
    kinds_in,
)
from pbem.games.wyatt_earp.state import CHANCE, CHOOSE, Duel, Match, Pending, State, on_table
from pbem.games.wyatt_earp.table_json import common_from_json, common_to_json


def position_to_json(match: Match, state: State) -> JsonObject:
    """The whole position, every default included."""
    told = common_to_json(match, state, state.hand)
    told["hands"] = {
        seat: [NAMES[kind] for kind in kinds_in(hand)]
        for seat, hand in zip(match.seats, state.hands, strict=True)
    }
    told["supply"] = [NAMES[kind] for kind in state.supply]
    told["discard"] = [NAMES[kind] for kind in state.discard]
    if state.found != NONE:
        told["found"] = NAMES[state.found]
    if state.phase == CHANCE and state.pending is not None:
        told["pending"] = _shuffle_to_json(match, state.pending)
    if state.duel is not None:
        told["duel"] = {
            "seats": [match.seats[seat] for seat in state.duel.seats],
            "hits": list(state.duel.hits),
            "score": list(state.duel.score),
        }
    return told


def _shuffle_to_json(match: Match, pending: Pending) -> JsonObject:
    told: JsonObject = {"shuffle": pending.shuffle}
    if pending.card != NONE:
        told["card"] = NAMES[pending.card]
    if pending.mode:
        told["mode"] = pending.mode
    if pending.outlaw != NONE:
        told["outlaw"] = OUTLAW_NAMES[pending.outlaw]
    if pending.seat != NONE:
        told["of"] = match.seats[pending.seat]
    if pending.by != NONE:
        told["by"] = match.seats[pending.by]
    if pending.left:
        told["left"] = pending.left
    return told


# --- from JSON --------------------------------------------------------------------------------------------


def position_from_json(match: Match, obj: Json) -> State:
    """The state a position describes.

    Raises:
        BadSetup: if it has not the form of ``position.schema.json``, or is impossible, with the member that says so.
    """
    fault = narrowed("wyatt-earp/position", match.words, "full").fault(obj)
    if fault is not None:
        raise BadSetup(fault.told("position"))
    common = common_from_json(match, obj)
    table = common["table"]
    hands, supply, discard = _read_cards(obj, match, table)
    if common["phase"] == CHANCE:
        common["pending"] = _read_shuffle(obj.get("pending", {}), match)
    common["opened"] |= on_table(table)
    state = State(
        hand=obj.get("hand", 1),
        hands=hands,
        supply=supply,
        discard=discard,
        found=KIND_OF[obj["found"]] if "found" in obj else NONE,
        duel=_read_duel(obj["duel"], match) if "duel" in obj else None,
        **common,
    )
    return _with_cards_in_play(state)


def _with_cards_in_play(state: State) -> State:
    """A card that was found, or that asks, is in the hand until it is used; add it where it was left out."""
    owed = state.found
    if state.phase == CHOOSE and state.pending is not None and state.pending.card != EARP:
        owed = state.pending.card
    if owed == NONE or held(state.hands[state.active], owed):
        return state
    hands = list(state.hands)
    hands[state.active] += ONE[owed]
    return state._replace(hands=tuple(hands))


def _read_cards(
    obj: JsonObject, match: Match, table: tuple[int, ...]
) -> tuple[tuple[int, ...], bytes, bytes]:
    """Hands, supply, discard; a number stands for so many cards that nobody named."""
    hands = obj.get("hands", {})
    listed = {f"hands, {seat}": hands.get(seat, []) for seat in match.seats}
    listed |= {name: obj.get(name, []) for name in ("supply", "discard")}
    named = [
        bytes(map(KIND_OF.__getitem__, cards if isinstance(cards, list) else ())) for cards in listed.values()
    ]
    on_the_table = b"".join(cards_of_group(group, at % 7) for at, group in enumerate(table))
    unnamed = _unnamed(b"".join([on_the_table, *named]))
    stacks: list[bytes] = []
    for (name, value), cards in zip(listed.items(), named, strict=True):
        wanted = value if isinstance(value, int) else 0
        if wanted > len(unnamed):
            raise BadSetup(f"position, {name}: {wanted} cards wanted, {len(unnamed)} are named nowhere else")
        stacks.append(cards + unnamed[:wanted])
        unnamed = unnamed[wanted:]
    *in_hands, supply, discard = stacks
    return tuple(map(hand_of, in_hands)), supply, discard


def _unnamed(named: bytes) -> bytes:
    """The cards of the deck that stand nowhere, in deck-list order."""
    count = Counter(named)
    for kind, number in count.items():
        if number > COPIES[kind]:
            raise BadSetup(f"position: {number} {NAMES[kind]}, but there are only {COPIES[kind]}")
    return bytes(kind for kind, copies in enumerate(COPIES) for _ in range(copies - count[kind]))


def _read_shuffle(obj: JsonObject, match: Match) -> Pending:
    def seat(member: str) -> int:
        return match.seats.index(obj[member]) if member in obj else NONE

    return Pending(
        card=KIND_OF[obj["card"]] if "card" in obj else NONE,
        mode=obj.get("mode", ""),
        outlaw=OUTLAW_OF[obj["outlaw"]] if "outlaw" in obj else NONE,
        seat=seat("of"),
        by=seat("by"),
        shuffle=obj.get("shuffle", "deal"),
        left=obj.get("left", 0),
    )


def _read_duel(obj: JsonObject, match: Match) -> Duel:
    order = tuple(map(match.seats.index, obj["seats"]))
    score = tuple(obj.get("score", [0] * len(order)))
    if len(score) != len(order):
        raise BadSetup("position, duel, score: expected a number for each seat of the duel")
    return Duel(order, tuple(obj.get("hits", ())), score)
