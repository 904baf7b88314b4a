"""Views as JSON: what records, letters and players are shown (schemas/wyatt-earp/view.schema.json)."""

from __future__ import annotations

from typing import Final, NoReturn

from pbem.game import Json, JsonObject, MalformedAction
from pbem.games.wyatt_earp.cards import KIND_OF, NAMES, NONE, OUTLAW_NAMES, kinds_in
from pbem.games.wyatt_earp.state import DRAW, Match
from pbem.games.wyatt_earp.table_json import (
    Reader,
    common_to_json,
    read_phase,
    read_question,
    read_table,
)
from pbem.games.wyatt_earp.views import View


def view_to_json(match: Match, view: View) -> JsonObject:
    """The position with every secret replaced by its number, and what the viewer alone knows."""
    told = common_to_json(match, view, view.hand_number)
    hands: JsonObject = dict(zip(match.seats, view.sizes, strict=True))
    discard: JsonObject = {"count": view.discard}
    if view.top != NONE:
        discard["top"] = NAMES[view.top]
    if view.takeable != NONE:
        discard["takeable"] = view.takeable
    told |= {"hands": hands, "supply": view.supply, "discard": discard}
    if view.waiting != NONE:
        told["waiting"] = {"seat": match.seats[view.waiting], "phase": view.phase}
    if view.viewer == NONE:
        return told
    hands[match.seats[view.viewer]] = [NAMES[kind] for kind in kinds_in(view.hand)]
    if view.found != NONE:
        told["found"] = NAMES[view.found]
    if view.stack is not None:
        told["stack"] = [NAMES[kind] for kind in view.stack]
    return told


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
    "laid",
    "drawn",
    "winners",
    "waiting",
)


def _refuse(sentence: str) -> NoReturn:
    raise MalformedAction(sentence)


def public_from_json(match: Match, obj: Json) -> View:
    """The public view that a record holds.

    Raises:
        MalformedAction: if it is none.
    """
    reader = Reader(obj, _MEMBERS, _refuse, where="public")
    seats = match.seats
    for name in ("hand", "dealer", "active", "phase", "posters", "money", "hands", "supply", "discard"):
        if reader.get(name) is None:
            reader.fail(name, "a member of every public view")
    active = reader.one_of("active", seats)
    phase = read_phase(reader, DRAW)
    table = read_table(reader, seats)
    discard = reader.inner("discard", ("count", "top", "takeable"))
    winners = reader.get("winners", [])
    if not isinstance(winners, list) or len(winners) > 1 or not all(seat in seats for seat in winners):
        reader.fail("winners", "a list of one seat")
    return View(
        hand_number=reader.number("hand"),
        dealer=reader.one_of("dealer", seats),
        active=active,
        phase=phase,
        sheriff=reader.flag("sheriff_played"),
        reshuffled=reader.flag("reshuffled"),
        opened=reader.outlaws("opened"),
        laid=reader.outlaws("laid"),
        drawn=KIND_OF.get(reader.get("drawn", ""), NONE),
        posters=reader.numbers("posters", OUTLAW_NAMES, 0),
        money=reader.numbers("money", seats, 0),
        sizes=reader.numbers("hands", seats, 0),
        supply=reader.number("supply"),
        discard=discard.number("count"),
        top=discard.one_of("top", NAMES),
        takeable=discard.number("takeable") if discard.get("takeable") is not None else NONE,
        table=table,
        pending=read_question(reader, phase, match, table, active),
        winner=seats.index(winners[0]) if winners else NONE,
    )
