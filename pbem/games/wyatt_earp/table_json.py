"""What positions and views have in common, to and from JSON (``schemas/wyatt-earp``).

Beyond what always stands there, these do only where they say something: ``laid`` (Outlaws laid this turn, under
``reward_batch=per_turn``), ``drawn`` (the card taken from the discard this turn, which a default discards
again) and ``winners`` (when the match is over). All three are public. In ``react`` the pending Hideout
also names whose group it covers (``of``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from pbem.game import BadSetup, JsonObject
from pbem.games.wyatt_earp.cards import (
    EARP,
    FASTEST_BIT,
    HIDEOUT,
    HIDEOUT_BIT,
    KIND_OF,
    NAMES,
    NONE,
    OUTLAW_NAMES,
    OUTLAW_OF,
    OUTLAWS,
    PHOTO_BIT,
    WANTED,
    Group,
    banks,
    make_group,
    stages,
)
from pbem.games.wyatt_earp.state import CHOOSE, DRAW, OVER, REACT, Match, Pending, State
from pbem.games.wyatt_earp.view import View

# --- to JSON ----------------------------------------------------------------------------------------------


def common_to_json(match: Match, of: State | View, number: int) -> JsonObject:
    """The members that a position and every view share, hands and stacks left out."""
    seats = match.seats
    told: JsonObject = {
        "hand": number,
        "dealer": seats[of.dealer],
        "active": seats[of.active],
        "phase": of.phase,
        "sheriff_played": of.sheriff,
        "reshuffled": of.reshuffled,
        "opened": outlaw_names(of.opened),
        "posters": dict(zip(OUTLAW_NAMES, of.posters, strict=True)),
        "money": dict(zip(seats, of.money, strict=True)),
        "territories": {seat: _territory(of.table[at * 7 : at * 7 + 7]) for at, seat in enumerate(seats)},
    }
    if of.pending is not None and of.phase in (CHOOSE, REACT):
        told["pending"] = _question(of.pending, seats)
    if of.laid:
        told["laid"] = outlaw_names(of.laid)
    if of.drawn != NONE:
        told["drawn"] = NAMES[of.drawn]
    if of.winner != NONE:
        told["winners"] = [seats[of.winner]]
    return told


def outlaw_names(mask: int) -> list[str]:
    """The Outlaws of a bit set."""
    return [name for outlaw, name in enumerate(OUTLAW_NAMES) if mask >> outlaw & 1]


def _territory(groups: Sequence[Group]) -> JsonObject:
    return {OUTLAW_NAMES[outlaw]: _group(group) for outlaw, group in enumerate(groups) if group}


def _group(group: Group) -> JsonObject:
    return {
        "outlaws": group & OUTLAWS,
        "photo": bool(group & PHOTO_BIT),
        "bank-robbery": banks(group),
        "stagecoach-robbery": stages(group),
        "fastest-gun": int(bool(group & FASTEST_BIT)),
        "hideout": bool(group & HIDEOUT_BIT),
    }


def _question(pending: Pending, seats: Sequence[str]) -> JsonObject:
    told: JsonObject = {"card": NAMES[pending.card]}
    if pending.mode:
        told["mode"] = pending.mode
    if pending.by != NONE:
        told |= {"by": seats[pending.by], "of": seats[pending.seat], "outlaw": OUTLAW_NAMES[pending.outlaw]}
    return told


# --- from JSON --------------------------------------------------------------------------------------------

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
    table = _read_table(obj.get("territories", {}), seats)
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
        "drawn": KIND_OF[obj["drawn"]] if "drawn" in obj else NONE,
        "posters": tuple(posters.get(name, 1000) for name in OUTLAW_NAMES),
        "money": tuple(money.get(seat, 0) for seat in seats),
        "table": table,
        "pending": _read_question(obj, phase, match, table, active),
        "winner": seats.index(winners[0]) if winners else NONE,
    }


def _seat(match: Match, name: str | None, default: int = NONE) -> int:
    return default if name is None else match.seats.index(name)


def _outlaws(names: Iterable[str]) -> int:
    """A list of Outlaws as a bit set."""
    return sum({1 << OUTLAW_OF[name] for name in names})


def _read_table(territories: JsonObject, seats: Sequence[str]) -> tuple[Group, ...]:
    """Seven groups for each seat."""
    return tuple(
        _read_group(f"{seat}, {name}", territories.get(seat, {}).get(name, {}))
        for seat in seats
        for name in OUTLAW_NAMES
    )


def _read_group(place: str, obj: JsonObject) -> Group:
    group = make_group(
        obj.get("outlaws", 0),
        photo=obj.get("photo", False),
        bank=obj.get("bank-robbery", 0),
        stage=obj.get("stagecoach-robbery", 0),
        fastest=bool(obj.get("fastest-gun", 0)),
        hideout=obj.get("hideout", False),
    )
    if group and not group & (OUTLAWS | PHOTO_BIT):
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
    card, mode = KIND_OF[pending["card"]], pending.get("mode", "")
    if (card == EARP) != (mode in _EARP_MODES):
        raise BadSetup("pending, card: a wyatt-earp asks with its mode, any other card without")
    return Pending(card, "" if card == WANTED else mode)


def _read_window(pending: JsonObject, match: Match, table: Sequence[Group], active: int) -> Pending:
    """The affected seat is named by ``of``, or is the next one clockwise that has that group covered."""
    if "outlaw" not in pending:
        raise BadSetup("pending, outlaw: expected the Outlaw of the group just covered")
    by, outlaw = _seat(match, pending.get("by"), active), OUTLAW_OF[pending["outlaw"]]
    others = [(by + i) % match.count for i in range(1, match.count)]
    covered = [seat for seat in others if table[seat * 7 + outlaw] & HIDEOUT_BIT]
    of = _seat(match, pending.get("of"), covered[0] if covered else NONE)
    if of not in covered:
        raise BadSetup("pending, of: expected another seat whose group of that Outlaw lies under a Hideout")
    return Pending(HIDEOUT, outlaw=outlaw, seat=of, by=by)
