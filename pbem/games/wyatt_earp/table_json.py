"""What positions and views have in common, to and from JSON (``schemas/wyatt-earp``).

Beyond what always stands there, these do only where they say something: ``laid`` (Outlaws laid this turn, under
``reward_batch=per_turn``), ``drawn`` (the card taken from the discard this turn, which a default discards
again) and ``winners`` (when the match is over). All three are public. In ``react`` the pending Hideout
also names whose group it covers (``of``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NoReturn

from pbem.game import Json, JsonObject
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
from pbem.games.wyatt_earp.state import CHOOSE, PHASES, REACT, Match, Pending, State
from pbem.games.wyatt_earp.views import View

Refuse = Callable[[str], NoReturn]
"""Raises the exception of whoever reads."""


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


class Reader:
    """Reads members of one object; what is missing has its default, what is wrong is refused by name."""

    def __init__(self, obj: Json, known: Iterable[str], refuse: Refuse, *, where: str = "position") -> None:
        if not isinstance(obj, dict):
            refuse(f"{where}: expected an object, found {type(obj).__name__}")
        for name in obj:
            if name not in known:
                refuse(f"{where}: no member {name!r}; there are: {', '.join(known)}")
        self._obj = obj
        self._where = where
        self.refuse = refuse

    def get(self, name: str, default: Json = None) -> Json:
        """The member as it stands."""
        value = self._obj.get(name)
        return default if value is None else value

    def fail(self, name: str, expected: str) -> NoReturn:
        """Refuse the member."""
        self.refuse(f"{self._where}.{name}: expected {expected}, found {self._obj.get(name)!r}")

    def number(self, name: str, default: int = 0) -> int:
        """A whole number from 0."""
        value = self.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            self.fail(name, "a whole number from 0")
        return value

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self.get(name, False)
        if not isinstance(value, bool):
            self.fail(name, "true or false")
        return value

    def one_of(self, name: str, allowed: Sequence[str], default: str | None = None) -> int:
        """The index of the member in ``allowed``; ``NONE`` if it is missing and has no default."""
        value = self.get(name, default)
        if value is None:
            return NONE
        if not isinstance(value, str) or value not in allowed:
            self.fail(name, f"one of {', '.join(allowed)}")
        return allowed.index(value)

    def outlaws(self, name: str) -> int:
        """A list of Outlaws as a bit set."""
        value = self.get(name, [])
        if not isinstance(value, list) or not all(
            isinstance(item, str) and item in OUTLAW_OF for item in value
        ):
            self.fail(name, "a list of Outlaws")
        return sum({1 << OUTLAW_OF[item] for item in value})

    def inner(self, name: str, known: Sequence[str]) -> Reader:
        """The member as an object with these members."""
        return Reader(self.get(name, {}), known, self.refuse, where=f"{self._where}.{name}")

    def numbers(self, name: str, keys: Sequence[str], default: int) -> tuple[int, ...]:
        """An object of numbers, in the order of ``keys``."""
        inner = self.inner(name, keys)
        return tuple(inner.number(key, default) for key in keys)


_GROUP_MEMBERS: Final = ("outlaws", "photo", "bank-robbery", "stagecoach-robbery", "fastest-gun", "hideout")
_MOST: Final = {"outlaws": 7, "bank-robbery": 4, "stagecoach-robbery": 2, "fastest-gun": 1}
_QUESTION_MEMBERS: Final = ("card", "mode", "by", "of", "outlaw")
_MODES: Final = ("", "search", "remove-hideout", "steal")


def read_table(reader: Reader, seats: Sequence[str]) -> tuple[Group, ...]:
    """``territories``: seven groups for each seat."""
    territories = reader.inner("territories", seats)
    groups: list[Group] = []
    for seat in seats:
        territory = territories.inner(seat, OUTLAW_NAMES)
        groups += [_read_group(territory, name) for name in OUTLAW_NAMES]
    return tuple(groups)


def _read_group(territory: Reader, name: str) -> Group:
    reader = territory.inner(name, _GROUP_MEMBERS)
    counts = {member: _count(reader, member) for member in _MOST}
    group = make_group(
        counts["outlaws"],
        photo=reader.flag("photo"),
        bank=counts["bank-robbery"],
        stage=counts["stagecoach-robbery"],
        fastest=bool(counts["fastest-gun"]),
        hideout=reader.flag("hideout"),
    )
    if group and not group & (OUTLAWS | PHOTO_BIT):
        territory.fail(name, "an Outlaw card or the Photo in every group (M12)")
    return group


def _count(reader: Reader, member: str) -> int:
    if isinstance(reader.get(member), bool):
        return int(reader.flag(member))
    count = reader.number(member)
    if count > _MOST[member]:
        reader.fail(member, f"at most {_MOST[member]}")
    return count


def read_question(
    reader: Reader, phase: str, match: Match, table: Sequence[Group], active: int
) -> Pending | None:
    """``pending`` of the phases that ask a seat."""
    if phase not in (CHOOSE, REACT):
        return None
    if reader.get("pending") is None:
        reader.fail("pending", f"the question of the phase {phase}")
    inner = reader.inner("pending", _QUESTION_MEMBERS)
    card = inner.one_of("card", NAMES)
    if phase == REACT:
        return _read_window(inner, match.seats, table, active)
    mode = _MODES[inner.one_of("mode", _MODES, "")]
    if card not in _ASKING or (card == EARP) != (mode in ("search", "remove-hideout")):
        inner.fail("card", "a card that asks its player something, a wyatt-earp with its mode")
    return Pending(card, "" if card == WANTED else mode)


_ASKING: Final = tuple(
    KIND_OF[name]
    for name in ("bank-robbery", "stagecoach-robbery", "fastest-gun", "most-wanted", "hideout", "wyatt-earp")
)


def _read_window(inner: Reader, seats: Sequence[str], table: Sequence[Group], active: int) -> Pending:
    """The affected seat is named by ``of``, or is the next one clockwise that has that group covered."""
    by = inner.one_of("by", seats, seats[active])
    outlaw = inner.one_of("outlaw", OUTLAW_NAMES)
    if outlaw == NONE:
        inner.fail("outlaw", "the Outlaw of the group just covered")
    others = [(by + i) % len(seats) for i in range(1, len(seats))]
    covered = [seat for seat in others if table[seat * 7 + outlaw] & HIDEOUT_BIT]
    of = inner.one_of("of", seats, seats[covered[0]] if covered else None)
    if of not in covered:
        inner.fail("of", "another seat whose group of that Outlaw lies under a Hideout")
    return Pending(HIDEOUT, outlaw=outlaw, seat=of, by=by)


def read_phase(reader: Reader, default: str) -> str:
    """``phase``."""
    return PHASES[reader.one_of("phase", PHASES, default)]
