"""Making one falsification, and asking everybody who reads it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from pbem.base.errors import PbemError
from pbem.base.values import dataclass
from pbem.game import (
    PUBLIC,
    AnyStep,
    BadSetup,
    IllegalAction,
    Json,
    JsonObject,
    MalformedAction,
    NoFilling,
    Seat,
)
from pbem.protocol.client import SeatView
from pbem.protocol.formats.envelopes import make_entry
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import HostOpenings, Record
from pbem.protocol.referee import Accepted
from tests.falsified.effects import EFFECTS
from tests.falsified.liar import Lie, lying, of_liar, plain, with_event
from tests.falsified.stage import Place, twin
from tests.falsified.values import balanced, get, in_position, put

BROKEN = (
    BadSetup, IllegalAction, MalformedAction, NoFilling, PbemError, KeyError, IndexError, ValueError, TypeError,
    AttributeError, AssertionError,
)  # fmt: skip
"""What an engine may say of a position that no play leads to: such a lie cannot be carried through."""


@dataclass(frozen=True, slots=True)
class Forged:
    """A file with one falsehood in it: the first ``upto`` lines end with it."""

    lines: Sequence[bytes]
    upto: int
    carried: bool
    world: Any = None
    """The liar's match, to be played on."""


@dataclass(frozen=True, slots=True)
class Noticed:
    """Who noticed a falsification: ``verify`` or a seat at once, or nobody; and what was said."""

    who: str
    how: str = ""


def forged(place: Place, value: Json) -> Forged:
    """The value alone is false: the host signs the record with it."""
    world = place.moment.world
    body = copy.deepcopy(place.line.body)
    put(body, place.path, value)
    game = world.record.game
    raw = canon(make_entry(body, world.host.sign_key, world.host.sign_public, game))
    before = [line.raw for line in place.moment.lines if line.seq < place.line.seq]
    lines = [*world.lines, *before, raw]
    return Forged(lines, len(lines), carried=False)


def carried(place: Place, value: Json) -> Forged | None:
    """The engine itself says it, and plays on from there; None if it cannot."""
    try:
        return _carried(place, value)
    except BROKEN:
        return None


def _carried(place: Place, value: Json) -> Forged | None:
    moment, path = place.moment, place.path
    rules = moment.world.record.rules
    seen: list[tuple[Any, AnyStep]] = []
    _ruling(place, lying(rules, seen=seen))
    lie = (_lie_of_view if path[0] == "public" else _lie_of_event)(rules, seen, place, value)
    if lie is None:
        return None
    liar = lying(rules, lie)
    ruling = _ruling(place, liar)
    if not isinstance(ruling, Accepted):
        return None
    world = twin(moment.world, ruling.record)
    world.numbers = {seat: player.n for seat, player in ruling.record.ledger.players.items()}
    before = len(moment.world.lines)
    upto = next((line.seq + 1 for line in ruling.lines if line.seq == place.line.seq), 0)
    if not upto or get(world.record.lines[upto - 1].body, path) != value:
        return None
    more = sum("steps" in line.body for line in world.record.lines[upto:])
    for _ in range(6):
        if more >= 2 or not world.move():
            break
        more = sum("steps" in line.body for line in world.record.lines[upto:])
    if more < 2 and not world.record.over:
        return None
    assert before < upto
    return Forged(world.lines, upto, carried=True, world=world)


def _ruling(place: Place, rules: Any) -> Any:
    world = place.moment.world
    return twin(world, of_liar(world.record, rules)).judge(place.moment.file)


def _lie_of_view(rules: Any, seen: list[tuple[Any, AnyStep]], place: Place, value: Json) -> Lie | None:
    public = place.line.body["public"]
    candidates = [(state, step) for state, step in seen if _public(rules, step.state) == public]
    if not candidates:
        return None
    before, step = candidates[0]
    position = plain(rules.position_to_json(step.state))
    in_position(position, place.path[1:], value)
    state = state_of(rules, position)
    return Lie(before, lambda step, _: step._replace(state=state))


def _public(rules: Any, state: Any) -> JsonObject:
    shown: JsonObject = plain(rules.view_to_json(rules.observe(state, PUBLIC)))
    return shown


def _lie_of_event(rules: Any, seen: list[tuple[Any, AnyStep]], place: Place, value: Json) -> Lie | None:
    _, at, _, index, *rest = place.path
    events = place.line.body["steps"][at]["events"]
    event = events[index]
    game = place.moment.world.game
    for before, step in seen:
        shown = [plain(rules.event_to_json(event, PUBLIC)) for event in step.events]
        if event not in shown or shown[0] not in events:
            continue
        false = copy.deepcopy(event)
        put(false, tuple(rest), value)
        number = shown.index(event)
        if rest == ["hit"] or rest == ["has"]:
            return _otherwise(rules, before, number, event, false)
        state = step.state
        effect = EFFECTS[game].get(event["event"])
        if effect is not None:
            position = plain(rules.position_to_json(state))
            effect(position, event, -1)
            effect(position, false, 1)
            state = state_of(rules, position)
        return _telling(before, number, false, state)
    return None


def _telling(before: Any, number: int, false: JsonObject, state: Any) -> Lie:
    return Lie(before, lambda step, _: with_event(step, number, false, state))


def state_of(rules: Any, position: JsonObject) -> Any:
    """The state of a position that a lie has put out of balance: hidden cards are exchanged until the deck adds up."""
    spare = balanced(position) if "hands" in position else 0
    state = rules.position_from_json(position)
    return state._replace(supply=state.supply + state.supply[-1:] * spare) if spare else state


def _otherwise(rules: Any, before: Any, number: int, event: JsonObject, false: JsonObject) -> Lie | None:
    """A shot that hits or not, somebody who has a card or not: played on as if another card had been there."""
    position = plain(rules.position_to_json(before))
    if "hit" in event:
        other = "belle-starr" if false["hit"] else "hideout"
        position["supply"][0] = other
    else:
        hand = position["hands"][event["of"]]
        if false["has"]:
            hand[0] = event["outlaw"]
        else:
            position["hands"][event["of"]] = [c if c != event["outlaw"] else "bank-robbery" for c in hand]
    state = state_of(rules, position)

    def again_with(_: AnyStep, again: Callable[[Any], AnyStep]) -> AnyStep:
        step = again(state)
        after = step.state
        if "card" in event:
            position = plain(rules.position_to_json(after))
            shown = plain(rules.event_to_json(step.events[number], PUBLIC))
            pile = position["discard"]
            pile[pile.index(shown["card"])] = event["card"]
            after = state_of(rules, position)
        return with_event(step, number, false, after)

    return Lie(before, again_with)


# --- who notices ------------------------------------------------------------------------------------------


def noticed(place: Place, forged_file: Forged) -> Noticed:
    """Whether anybody who reads the file sees it at once: with the false record, or with the two after it."""
    record = place.moment.public.fork()
    try:
        record.extend(forged_file.lines[len(record.lines) :])
    except PbemError as fault:
        return Noticed("verify", str(fault))
    people = place.moment.world.people
    for seat in map(Seat, place.moment.world.seats):
        try:
            _ = SeatView(record, people[seat], seat).view
        except PbemError as fault:
            return Noticed(f"{seat}", str(fault))
    return Noticed("")


def at_the_close(place: Place, forged_file: Forged) -> str:
    """What a replay with all that a close opens says of the file; empty if nothing."""
    try:
        Record.load(
            forged_file.lines, HostOpenings(place.moment.world.host, place.moment.world.record.lines[0])
        )
    except PbemError as fault:
        return str(fault)
    return ""
