"""Positions and views as JSON (schemas/wyatt-earp/position.schema.json, view.schema.json).

A view is what records, emails and players are shown; a position is full knowledge, for tests and the host, never for
an email. Beyond what always stands there, these do only where they say something: ``laid`` (Outlaws laid this turn,
under ``reward_batch=per_turn``), ``drawn`` (the card taken from the discard this turn, which a default discards again)
and ``winners`` (when the match is over). All three are public. In ``react`` the pending Hideout also names whose group
it covers (``of``).

The loader of positions fills in defaults, takes "n cards nobody named" in deck-list order from the cards that stand
nowhere else (hands in seat order, then supply, then discard), and refuses what cannot be. In phase ``chance`` a
position shows what is shuffled for: ``"pending":{"shuffle":"deal"}`` and what the shot or draw behind it still needs. A
duel that waits for a shuffle stands in ``duel``. Without ``pending`` the shuffle is the one between two hands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from itertools import chain
from typing import Any, Final

from pbem.base.shapes.schema import narrowed
from pbem.game import BadSetup, Json, JsonObject, MalformedAction
from pbem.games.wyatt_earp import deck
from pbem.games.wyatt_earp.deck import NO_GROUP, NONE, Group, Hand, Kind, Outlaw, Stack
from pbem.games.wyatt_earp.state import CHANCE, CHOOSE, DRAW, OVER, REACT, Duel, Match, Pending, State
from pbem.games.wyatt_earp.views import View

# --- what positions and views have in common, to JSON ----------------------------------------------------


def common_to_json(match: Match, of: State | View, number: int) -> JsonObject:
    """The members that a position and every view share, hands and stacks left out."""
    seats = match.seats
    body: JsonObject = {
        "hand": number,
        "dealer": seats[of.dealer],
        "active": seats[of.active],
        "phase": of.phase,
        "sheriff_played": of.sheriff,
        "reshuffled": of.reshuffled,
        "opened": outlaw_names(of.opened),
        "posters": dict(zip(deck.OUTLAW_NAMES, of.posters, strict=True)),
        "money": dict(zip(seats, of.money, strict=True)),
        "territories": {seat: _territory(of.table[at * 7 : at * 7 + 7]) for at, seat in enumerate(seats)},
    }
    if of.pending is not None and of.phase in (CHOOSE, REACT):
        body["pending"] = _question(of.pending, seats)
    if of.laid:
        body["laid"] = outlaw_names(of.laid)
    if of.drawn != NONE:
        body["drawn"] = deck.NAMES[of.drawn]
    if of.winner != NONE:
        body["winners"] = [seats[of.winner]]
    return body


def outlaw_names(outlaws: Set[Outlaw]) -> list[str]:
    """The names of these Outlaws, in order."""
    return [deck.OUTLAW_NAMES[outlaw] for outlaw in sorted(outlaws)]


def _territory(groups: Sequence[Group]) -> JsonObject:
    return {deck.OUTLAW_NAMES[outlaw]: _group(group) for outlaw, group in enumerate(groups) if group.anchored}


def _group(group: Group) -> JsonObject:
    return {
        "outlaws": group.outlaws,
        "photo": group.photo,
        "bank-robbery": group.banks,
        "stagecoach-robbery": group.stages,
        "fastest-gun": int(group.fastest),
        "hideout": group.hideout,
    }


def _question(pending: Pending, seats: Sequence[str]) -> JsonObject:
    body: JsonObject = {"card": deck.NAMES[pending.card]}
    if pending.mode:
        body["mode"] = pending.mode
    if pending.by != NONE:
        body |= {
            "by": seats[pending.by],
            "of": seats[pending.seat],
            "outlaw": deck.OUTLAW_NAMES[pending.outlaw],
        }
    return body


# --- and from it -----------------------------------------------------------------------------------------

_EARP_MODES: Final = frozenset({"search", "remove-hideout"})
"""What a Wyatt Earp that asks is doing."""


def common_from_json(match: Match, obj: JsonObject) -> dict[str, Any]:
    """The members that a position and a public view share, by their names there; what is left out has its default.

    ``obj`` has the form of the game's schemas.

    Raises:
        BadSetup: if it shows what cannot be: a group without an Outlaw, a question that nobody asks.
    """
    seats = match.seats
    dealer = _seat(match, obj.get("dealer"), match.dealer)
    active = _seat(match, obj.get("active"), (dealer + 1) % len(seats))
    phase = obj.get("phase", DRAW)
    table = table_from_json(obj.get("territories", {}), seats)
    posters, money = obj.get("posters", {}), obj.get("money", {})
    winners = obj.get("winners", []) if phase == OVER else []
    return {
        "dealer": dealer,
        "active": active,
        "phase": phase,
        "sheriff": obj.get("sheriff_played", False),
        "reshuffled": obj.get("reshuffled", False),
        "opened": _outlaws(obj.get("opened", ())),
        "laid": _outlaws(obj.get("laid", ())),
        "drawn": deck.KIND_OF[obj["drawn"]] if "drawn" in obj else NONE,
        "posters": tuple(posters.get(name, 1000) for name in deck.OUTLAW_NAMES),
        "money": tuple(money.get(seat, 0) for seat in seats),
        "table": table,
        "pending": _read_question(obj, phase, match, table, active),
        "winner": seats.index(winners[0]) if winners else NONE,
    }


def _seat(match: Match, name: str | None, default: int = NONE) -> int:
    return default if name is None else match.seats.index(name)


def _outlaws(names: Iterable[str]) -> frozenset[Outlaw]:
    return frozenset(map(deck.OUTLAW_OF.__getitem__, names))


def table_from_json(territories: JsonObject, seats: Sequence[str]) -> tuple[Group, ...]:
    """Seven groups for each seat, from the member ``territories``."""
    return tuple(
        _read_group(f"{seat}, {name}", own[name]) if name in own else NO_GROUP
        for seat in seats
        for own in (territories.get(seat, {}),)
        for name in deck.OUTLAW_NAMES
    )


def _read_group(place: str, obj: JsonObject) -> Group:
    group = Group(
        obj.get("outlaws", 0),
        obj.get("photo", False),
        obj.get("bank-robbery", 0),
        obj.get("stagecoach-robbery", 0),
        bool(obj.get("fastest-gun", 0)),
        obj.get("hideout", False),
    )
    if group != NO_GROUP and not group.anchored:
        raise BadSetup(f"territories, {place}: expected an Outlaw card or the Photo in every group (M12)")
    return group


def _read_question(
    obj: JsonObject, phase: str, match: Match, table: Sequence[Group], active: int
) -> Pending | None:
    """``pending`` of the phases that ask a seat."""
    if phase not in (CHOOSE, REACT):
        return None
    pending = obj.get("pending", {})
    if "card" not in pending or "shuffle" in pending:
        raise BadSetup(f"pending: expected the question of the phase {phase}")
    if phase == REACT:
        return _read_window(pending, match, table, active)
    card, mode = deck.KIND_OF[pending["card"]], pending.get("mode", "")
    if (card == deck.EARP) != (mode in _EARP_MODES):
        raise BadSetup("pending, card: a wyatt-earp asks with its mode, any other card without")
    return Pending(card, "" if card == deck.WANTED else mode)


def _read_window(pending: JsonObject, match: Match, table: Sequence[Group], active: int) -> Pending:
    """The affected seat is named by ``of``, or is the next one clockwise that has that group covered."""
    if "outlaw" not in pending:
        raise BadSetup("pending, outlaw: expected the Outlaw of the group just covered")
    by, outlaw = _seat(match, pending.get("by"), active), deck.OUTLAW_OF[pending["outlaw"]]
    others = [(by + i) % match.count for i in range(1, match.count)]
    covered = [seat for seat in others if table[seat * 7 + outlaw].hideout]
    of = _seat(match, pending.get("of"), covered[0] if covered else NONE)
    if of not in covered:
        raise BadSetup("pending, of: expected another seat whose group of that Outlaw lies under a Hideout")
    return Pending(deck.HIDEOUT, outlaw=outlaw, seat=of, by=by)


def view_to_json(match: Match, view: View) -> JsonObject:
    """The position with every secret replaced by its number, and what the viewer alone knows."""
    body = common_to_json(match, view, view.hand_number)
    hands: JsonObject = dict(zip(match.seats, view.sizes, strict=True))
    discard: JsonObject = {"count": view.discard}
    if view.top != NONE:
        discard["top"] = deck.NAMES[view.top]
    if view.takeable != NONE:
        discard["takeable"] = view.takeable
    body |= {"hands": hands, "supply": view.supply, "discard": discard}
    waiting = view.waiting
    if waiting != NONE:
        body["waiting"] = {"seat": match.seats[waiting], "phase": view.phase}
    if view.viewer == NONE:
        return body
    hands[match.seats[view.viewer]] = [deck.NAMES[kind] for kind in view.hand]
    if view.found != NONE:
        body["found"] = deck.NAMES[view.found]
    if view.stack is not None:
        body["stack"] = [deck.NAMES[kind] for kind in view.stack]
    return body


def public_from_json(match: Match, obj: Json) -> View:
    """The public view that a record holds.

    Raises:
        MalformedAction: if it is none.
    """
    fault = narrowed("wyatt-earp/view", match.words).fault(obj, bulk=True)
    if fault is not None:
        raise MalformedAction(fault.describe("public"))
    try:
        common = common_from_json(match, obj)
    except BadSetup as error:
        raise MalformedAction(str(error)) from error
    discard = obj["discard"]
    return View(
        hand_number=obj["hand"],
        sizes=tuple(obj["hands"][seat] for seat in match.seats),
        supply=obj["supply"],
        discard=discard["count"],
        top=top_of(obj),
        takeable=discard.get("takeable", NONE),
        **common,
    )


def top_of(public: JsonObject) -> Kind:
    """The discard's top card in a public view that is known to be one; ``NONE`` without a discard."""
    return deck.KIND_OF.get(public["discard"].get("top"), NONE)


def position_to_json(match: Match, state: State) -> JsonObject:
    """The whole position, every default included."""
    body = common_to_json(match, state, state.hand)
    body["hands"] = {
        seat: [deck.NAMES[kind] for kind in hand] for seat, hand in zip(match.seats, state.hands, strict=True)
    }
    body["supply"] = [deck.NAMES[kind] for kind in state.supply]
    body["discard"] = [deck.NAMES[kind] for kind in state.discard]
    if state.found != NONE:
        body["found"] = deck.NAMES[state.found]
    if state.phase == CHANCE and state.pending is not None:
        body["pending"] = _shuffle_to_json(match, state.pending)
    if state.duel is not None:
        body["duel"] = {
            "seats": [match.seats[seat] for seat in state.duel.seats],
            "hits": list(state.duel.hits),
            "score": list(state.duel.score),
        }
    return body


def _shuffle_to_json(match: Match, pending: Pending) -> JsonObject:
    body: JsonObject = {"shuffle": pending.shuffle}
    if pending.card != NONE:
        body["card"] = deck.NAMES[pending.card]
    if pending.mode:
        body["mode"] = pending.mode
    if pending.outlaw != NONE:
        body["outlaw"] = deck.OUTLAW_NAMES[pending.outlaw]
    if pending.seat != NONE:
        body["of"] = match.seats[pending.seat]
    if pending.by != NONE:
        body["by"] = match.seats[pending.by]
    if pending.left:
        body["left"] = pending.left
    return body


# --- positions, from JSON --------------------------------------------------------------------------------


def position_from_json(match: Match, obj: Json) -> State:
    """The state a position describes.

    Raises:
        BadSetup: if it has not the form of ``position.schema.json``, or is impossible, with the member that says so.
    """
    fault = narrowed("wyatt-earp/position", match.words, "full").fault(obj)
    if fault is not None:
        raise BadSetup(fault.describe("position"))
    common = common_from_json(match, obj)
    table = common["table"]
    hands, supply, discard = _read_cards(obj, match, table)
    if common["phase"] == CHANCE:
        common["pending"] = _read_shuffle(obj.get("pending", {}), match)
    common["opened"] |= {at % 7 for at, group in enumerate(table) if group.outlaws}
    state = State(
        hand=obj.get("hand", 1),
        hands=hands,
        supply=supply,
        discard=discard,
        found=deck.KIND_OF[obj["found"]] if "found" in obj else NONE,
        duel=_read_duel(obj["duel"], match) if "duel" in obj else None,
        **common,
    )
    return _with_cards_in_play(state)


def _with_cards_in_play(state: State) -> State:
    """A card that was found, or that asks, is in the hand until it is used; add it where it was left out."""
    in_play = state.found
    if state.phase == CHOOSE and state.pending is not None and state.pending.card != deck.EARP:
        in_play = state.pending.card
    hand = state.hands[state.active]
    if in_play == NONE or in_play in hand:
        return state
    return state._replace(hands=deck.put(state.hands, state.active, deck.hand_of((*hand, in_play))))


def _read_cards(
    obj: JsonObject, match: Match, table: tuple[Group, ...]
) -> tuple[tuple[Hand, ...], Stack, Stack]:
    """Hands, supply, discard; a number stands for so many cards that nobody named."""
    hands = obj.get("hands", {})
    listed = {f"hands, {seat}": hands.get(seat, []) for seat in match.seats}
    listed |= {name: obj.get(name, []) for name in ("supply", "discard")}
    named = [
        tuple(map(deck.KIND_OF.__getitem__, cards if isinstance(cards, list) else ()))
        for cards in listed.values()
    ]
    unnamed = _unnamed([*deck.cards_on(table), *chain.from_iterable(named)])
    stacks: list[Stack] = []
    for (name, value), cards in zip(listed.items(), named, strict=True):
        wanted = value if isinstance(value, int) else 0
        if wanted > len(unnamed):
            raise BadSetup(f"position, {name}: {wanted} cards wanted, {len(unnamed)} are named nowhere else")
        stacks.append(cards + unnamed[:wanted])
        unnamed = unnamed[wanted:]
    *in_hands, supply, discard = stacks
    return tuple(map(deck.hand_of, in_hands)), supply, discard


def _unnamed(named: list[Kind]) -> Stack:
    """The cards of the deck that stand nowhere, in deck-list order."""
    count = Counter(named)
    for kind, number in count.items():
        if number > deck.COPIES[kind]:
            raise BadSetup(f"position: {number} {deck.NAMES[kind]}, but there are only {deck.COPIES[kind]}")
    return tuple(kind for kind, copies in enumerate(deck.COPIES) for _ in range(copies - count[kind]))


def _read_shuffle(obj: JsonObject, match: Match) -> Pending:
    def seat(member: str) -> int:
        return match.seats.index(obj[member]) if member in obj else NONE

    return Pending(
        card=deck.KIND_OF[obj["card"]] if "card" in obj else NONE,
        mode=obj.get("mode", ""),
        outlaw=deck.OUTLAW_OF[obj["outlaw"]] if "outlaw" in obj else NONE,
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


def summary(match: Match, view: JsonObject) -> JsonObject:
    """The figures of this public view (or of a seat's view: hands are not looked at).

    ::

        {"cp":       {outlaw: {seat: n}},      capture points that count now (G1): 0 under a Hideout (N2)
         "hidden":   {outlaw: {seat: n}},      what a covered group would count; seats without one are left out
         "total":    {outlaw: n},              all together (G2)
         "captured": {outlaw: bool},           total has reached capture_min
         "capture_min": 8,
         "money_order": [seat, …]}             richest first, seat order among equals
    """
    table = table_from_json(view.get("territories", {}), match.seats)
    groups = {
        name: dict(zip(match.seats, table[outlaw::7], strict=True))
        for outlaw, name in enumerate(deck.OUTLAW_NAMES)
    }
    cp = {name: {seat: group.counted for seat, group in of.items()} for name, of in groups.items()}
    total = {name: sum(points.values()) for name, points in cp.items()}
    least = match.options.capture_min
    return {
        "cp": cp,
        "hidden": {
            name: {seat: group.points for seat, group in of.items() if group.hideout}
            for name, of in groups.items()
        },
        "total": total,
        "captured": {name: points >= least for name, points in total.items()},
        "capture_min": least,
        "money_order": sorted(match.seats, key=lambda seat: -view["money"][seat]),
    }
