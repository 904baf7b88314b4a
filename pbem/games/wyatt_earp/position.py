"""Positions: full knowledge, for tests and the host, never for a letter (schemas/wyatt-earp/position.schema.json).

The loader fills in defaults, takes "n cards nobody named" in deck-list order from the cards that stand nowhere
else (hands in seat order, then supply, then discard), and refuses what cannot be.

In phase ``chance`` a position tells what is shuffled for: ``"pending":{"shuffle":"deal"}`` and what the shot or
draw behind it still needs. A duel that waits for a shuffle stands in ``duel``. Without ``pending`` the shuffle
is the one between two hands.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, NoReturn

from pbem.game import BadSetup, Json, JsonObject
from pbem.games.wyatt_earp.cards import (
    COPIES,
    EARP,
    KIND_OF,
    NAMES,
    NONE,
    ONE,
    OUTLAW_NAMES,
    cards_of_group,
    hand_of,
    held,
    kinds_in,
)
from pbem.games.wyatt_earp.state import CHANCE, CHOOSE, DRAW, OVER, Duel, Match, Pending, State, on_table
from pbem.games.wyatt_earp.table_json import (
    Reader,
    common_to_json,
    read_phase,
    read_question,
    read_table,
)


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

_MEMBERS: Final = (
    "hand",
    "dealer",
    "active",
    "phase",
    "sheriff_played",
    "reshuffled",
    "opened",
    "posters",
    "money",
    "hands",
    "supply",
    "discard",
    "territories",
    "pending",
    "found",
    "laid",
    "drawn",
    "duel",
    "winners",
)
_SHUFFLES: Final = ("first-deal", "deal", "draw", "shot", "search", "duel", "duel-all")


def _refuse(sentence: str) -> NoReturn:
    raise BadSetup(sentence)


def position_from_json(match: Match, obj: Json) -> State:
    """The state a position describes.

    Raises:
        BadSetup: if it is impossible, with the member that says so.
    """
    reader = Reader(obj, _MEMBERS, _refuse)
    seats = match.seats
    dealer = reader.one_of("dealer", seats, seats[match.dealer])
    active = reader.one_of("active", seats, seats[(dealer + 1) % len(seats)])
    phase = read_phase(reader, DRAW)
    table = read_table(reader, seats)
    hands, supply, discard = _read_cards(reader, match, table)
    if phase == CHANCE:
        pending: Pending | None = _read_shuffle(reader, match)
    else:
        pending = read_question(reader, phase, match, table, active)
    state = State(
        hand=reader.number("hand", 1),
        dealer=dealer,
        active=active,
        phase=phase,
        sheriff=reader.flag("sheriff_played"),
        reshuffled=reader.flag("reshuffled"),
        opened=reader.outlaws("opened") | on_table(table),
        laid=reader.outlaws("laid"),
        posters=reader.numbers("posters", OUTLAW_NAMES, 1000),
        money=reader.numbers("money", seats, 0),
        hands=hands,
        supply=supply,
        discard=discard,
        table=table,
        pending=pending,
        found=reader.one_of("found", NAMES),
        drawn=reader.one_of("drawn", NAMES),
        duel=_read_duel(reader, match),
        winner=_read_winner(reader, match, phase),
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


def _read_cards(reader: Reader, match: Match, table: tuple[int, ...]) -> tuple[tuple[int, ...], bytes, bytes]:
    hands = reader.inner("hands", match.seats)
    listed = [hands.get(seat, []) for seat in match.seats]
    listed += [reader.get("supply", []), reader.get("discard", [])]
    names = [*(f"hands.{seat}" for seat in match.seats), "supply", "discard"]
    named = [_named(name, value) for name, value in zip(names, listed, strict=True)]
    on_the_table = b"".join(cards_of_group(group, at % 7) for at, group in enumerate(table))
    unnamed = _unnamed(b"".join([on_the_table, *named]))
    stacks: list[bytes] = []
    for name, value, cards in zip(names, listed, named, strict=True):
        wanted = value if isinstance(value, int) else 0
        if wanted > len(unnamed):
            _refuse(f"position.{name}: {wanted} cards wanted, {len(unnamed)} are named nowhere else")
        stacks.append(cards + unnamed[:wanted])
        unnamed = unnamed[wanted:]
    *in_hands, supply, discard = stacks
    return tuple(map(hand_of, in_hands)), supply, discard


def _named(name: str, value: Json) -> bytes:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return b""
    if not isinstance(value, list) or not all(isinstance(item, str) and item in KIND_OF for item in value):
        _refuse(f"position.{name}: expected a list of cards or a number of cards, found {value!r}")
    return bytes(KIND_OF[item] for item in value)


def _unnamed(named: bytes) -> bytes:
    """The cards of the deck that stand nowhere, in deck-list order."""
    count = Counter(named)
    for kind, number in count.items():
        if number > COPIES[kind]:
            _refuse(f"position: {number} {NAMES[kind]}, but there are only {COPIES[kind]}")
    return bytes(kind for kind, copies in enumerate(COPIES) for _ in range(copies - count[kind]))


def _read_shuffle(reader: Reader, match: Match) -> Pending:
    if reader.get("pending") is None:
        return Pending(shuffle="deal")
    inner = reader.inner("pending", ("shuffle", "card", "mode", "outlaw", "of", "by", "left"))
    mode = inner.get("mode", "")
    if mode not in ("", "remove-hideout", "react"):
        inner.fail("mode", "remove-hideout or react")
    return Pending(
        card=inner.one_of("card", NAMES),
        mode=mode,
        outlaw=inner.one_of("outlaw", OUTLAW_NAMES),
        seat=inner.one_of("of", match.seats),
        by=inner.one_of("by", match.seats),
        shuffle=_SHUFFLES[inner.one_of("shuffle", _SHUFFLES, "deal")],
        left=inner.number("left"),
    )


def _read_duel(reader: Reader, match: Match) -> Duel | None:
    if reader.get("duel") is None:
        return None
    inner = reader.inner("duel", ("seats", "hits", "score"))
    seats = inner.get("seats", [])
    if not isinstance(seats, list) or not seats or not all(seat in match.seats for seat in seats):
        inner.fail("seats", "a list of seats")
    order = tuple(match.seats.index(seat) for seat in seats)
    hits, score = inner.get("hits", []), inner.get("score", [0] * len(order))
    if not isinstance(hits, list) or not all(isinstance(hit, bool) for hit in hits):
        inner.fail("hits", "a list of true and false")
    if not isinstance(score, list) or len(score) != len(order) or not all(type(won) is int for won in score):
        inner.fail("score", "a number for each seat of the duel")
    return Duel(order, tuple(hits), tuple(score))


def _read_winner(reader: Reader, match: Match, phase: str) -> int:
    winners = reader.get("winners", [])
    if phase != OVER:
        return NONE
    if not isinstance(winners, list) or len(winners) > 1 or not all(seat in match.seats for seat in winners):
        reader.fail("winners", "a list of one seat")
    return match.seats.index(winners[0]) if winners else NONE
