"""What a dishonest host may try, at any moment: their own second reader and every other one must refuse it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Final

from pbem.base.errors import PbemError, RefusedError
from pbem.game import Json, JsonObject, Seat
from pbem.protocol.crypto.digest import b64
from pbem.protocol.formats.envelopes import make_entry, make_file
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Line, Record
from pbem.protocol.record.kinds.close import close
from pbem.protocol.record.line import write_line
from pbem.protocol.record.takeover import default_from
from pbem.protocol.referee import Accepted, burn, perform_default, receive
from pbem.protocol.referee.draft import Draft
from pbem.protocol.referee.ruling import Unreadable
from tests.machine.fate import Fate
from tests.machine.match import Broken, Match, fresh_host

COUNTED: Final = ("money", "posters", "hands", "supply", "cash", "wanted", "tokens", "farmers")
"""Members of public views that hold numbers."""


def false_number(match: Match, fate: Fate) -> None:
    """They sign their last record again with another number in the public view."""
    head = match.record.head
    if "public" not in head.body:
        return
    body = copy.deepcopy(head.body)
    places = [(holder, name) for holder, name in _numbers(body["public"])]
    if not places:
        return
    holder, name = fate.pick(places)
    holder[name] += fate.pick((1, 1000))
    raw = canon(make_entry(body, match.host.sign_key, match.host.sign_public, match.record.game))
    reader = Record.load(match.lines[:-1])
    match.tell(f"the host says that {name} is {holder[name]}")
    try:
        reader.extend([raw])
    except PbemError:
        return
    raise Broken(f"record {head.seq}: a false number in the public view passed: {name} is {holder[name]}")


def _numbers(public: JsonObject) -> list[tuple[JsonObject, str]]:
    numbers: list[tuple[JsonObject, str]] = []
    for member in COUNTED:
        value: Json = public.get(member)
        if isinstance(value, int):
            numbers.append((public, member))
        elif isinstance(value, dict):
            numbers += [(value, name) for name, number in value.items() if isinstance(number, int)]
    return numbers


class _Unread(Draft):
    """Lines that the host's own second reader never sees."""

    def add(self, kind: str, members: JsonObject) -> Line:
        """Sign a line."""
        ledger = self.ledger
        line = write_line(kind, members, self.host, game=ledger.game, after=ledger.head, at=self.at)
        self.lines.append(line)
        return line


def early_close(match: Match, fate: Fate) -> None:
    """They close a hand in which somebody is to act."""
    del fate
    record = fresh_host(match.record, match.host)
    ledger, running = record.ledger, record.ledger.running
    if (
        running is None
        or running.closed is not None
        or not ledger.asks
        or record.over
        or ledger.reveal != "epoch"
    ):
        return
    match.tell("the host closes the hand in play")
    draft = _Unread(record, match.host, max(match.world.now, record.head.at))
    close(draft, running)
    try:
        match.reader.fork().extend([line.raw for line in draft.lines])
    except PbemError:
        return
    raise Broken(f"after record {record.head.seq}: a hand in play was closed by the host alone")


def burned_returner(match: Match, fate: Fate) -> None:
    """Somebody misses their time once, owes a link, and writes again: the host burns the announcement all the same."""
    del fate
    returned = _returned(match)
    if returned is None:
        return
    record, seat, at = returned
    match.tell(f"{seat} misses its time and writes again; the host burns")
    try:
        burn(record, match.host, at)
    except RefusedError:
        return
    raise Broken(f"the link of {seat} was burned although it wrote after its default")


def _returned(match: Match) -> tuple[Record, Seat, str] | None:
    record = fresh_host(match.record, match.host)
    waiting, newest = record.waiting, record.ledger.newest
    if waiting is None or newest is None or newest.opened is not None or newest.number == 1:
        return None
    seat = Seat(waiting["seat"])
    due = default_from(record.ledger, seat)
    if due is None or due > "9" or newest.missing != (seat,) or record.ledger.paused is not None:
        return None
    at = max(match.world.now, due, record.head.at)
    draft = Draft(record.as_of(at), match.host, at)
    play = draft.play()
    play.default(seat)
    try:
        draft.add("default", {"epoch": play.table.epoch, "seat": seat, **draft.result(play, failed=seat)})
    except Unreadable:
        return None
    ruling = receive(draft.record, match.host, canon(_word(match, draft.record, seat)), at)
    if not isinstance(ruling, Accepted) or not ruling.record.ledger.asks:
        return None
    return ruling.record, seat, at


def left_out_returner(match: Match, fate: Fate) -> None:
    """Somebody misses their time, is burned out, and writes before the deal: the deck that leaves them out is kept."""
    del fate
    burned = _burned_out(match)
    if burned is None:
        return
    record, seat, at = burned
    match.tell(f"{seat} is burned out and writes again; the host keeps the deck that was laid without it")
    ruling = receive(record, match.host, canon(_word(match, record, seat)), at)
    if not isinstance(ruling, Accepted):
        return
    newest, word = ruling.record.ledger.newest, ruling.lines[0]
    if newest is not None and seat in newest.left_out:
        raise Broken(f"{seat} wrote before the deal, and the deck that leaves it out is kept")
    draft = Draft(record, match.host, at)
    draft.record.extend([word.raw])
    packet = draft.whole_packet(seat)
    if "packets" not in packet:
        return  # nothing of this seat can be sealed again, so they have no record to keep the deck by
    kept = write_line("reseal", packet, match.host, game=record.game, after=word, at=at)
    try:
        Record.load([*(line.raw for line in record.lines), word.raw]).extend([kept.raw])
    except PbemError:
        return
    raise Broken(f"after record {word.seq}: a deck was kept that leaves out {seat}, who had written")


def _burned_out(match: Match) -> tuple[Record, Seat, str] | None:
    record = fresh_host(match.record, match.host)
    waiting, newest = record.waiting, record.ledger.newest
    if waiting is None or newest is None or record.ledger.paused is not None:
        return None
    seat = Seat(waiting["seat"])
    due = default_from(record.ledger, seat)
    if due is None or due > "9" or seat not in newest.missing:
        return None
    at = max(match.world.now, due, record.head.at)
    try:
        done = perform_default(record.as_of(at), match.host, seat, at)
    except (RefusedError, Unreadable):
        return None
    newest = done.record.ledger.newest
    out = newest is not None and newest.opened is None and newest.left_out == (seat,)
    return (done.record, seat, at) if out and seat not in done.record.ledger.returned else None


def _word(match: Match, record: Record, seat: Seat) -> JsonObject:
    who = match.who(seat)
    body = {"game": b64(record.game), "seat": seat, "n": match.number(seat), "seen": record.head.seen}
    return make_file("turn", {**body, "actions": [], "say": "back"}, who.sign_key, who.sign_public)


LYING: Final[dict[str, Callable[[Match, Fate], None]]] = {
    "false number": false_number,
    "early close": early_close,
    "burned returner": burned_returner,
    "left out returner": left_out_returner,
}
