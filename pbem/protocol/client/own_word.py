"""Did the host do with my files what I signed? What only their owner can check, at once (schemas/README.md §3.2, §6).

Everybody else learns what was sealed at the close; its owner kept a copy, and needs not wait. What became of his
standing orders ``pbem.player.seat.uses`` checks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from pbem.game import JsonObject, MalformedAction, Seat
from pbem.protocol.client.seat_view import SeatView
from pbem.protocol.crypto.digest import b64
from pbem.protocol.formats.envelopes import body_hash
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Fault, Line, Record
from pbem.protocol.record.kinds import KINDS


def sealed_faults(view: SeatView, sealed: Callable[[int], object], *, since: int = 0) -> list[Fault]:
    """Where other actions were done than this seat had sealed, in records from ``since`` on.

    ``sealed``: the own copy of what was sealed in the file of this number; anything but a list if there is none.
    """
    faults: list[Fault] = []
    for line in view.record.lines[since:]:
        message = line.body.get("msg")
        if message is not None and message["body"]["seat"] == view.seat and "steps" in line.body:
            faults += _sealed_steps(view, line, sealed(message["body"]["n"]))
    return faults


def other_files(
    record: Record, seat: Seat, sent: Mapping[int, Collection[bytes]], *, since: int = 0
) -> Iterator[tuple[bytes, int, int]]:
    """Files of ``seat`` in records from ``since`` on whose number was used for others: name, record, number.

    ``sent``: the names of the files that this seat has signed, by number. What stands before whoever sits there took
    the seat over is his forerunner's.
    """
    taken = record.ledger.lost.get(seat)
    sat_down = taken.seq if taken is not None and KINDS[taken.kind].newcomer else 0
    for name, seq in record.ledger.messages.items():
        if seq < max(since, sat_down):
            continue
        body = _body_of(record.lines[seq], name)
        known = sent.get(body["n"]) if body is not None and body["seat"] == seat else None
        if body is not None and known is not None and name not in known:
            yield name, seq, int(body["n"])


def _body_of(line: Line, name: bytes) -> JsonObject | None:
    """The message of this name in a record; a record of an agreement holds several."""
    files = [*line.body.get("consents", ()), *([line.body["msg"]] if "msg" in line.body else [])]
    bodies: list[JsonObject] = [file["body"] for file in files]
    if len(bodies) == 1:
        return bodies[0]
    return next((body for body in bodies if body_hash(body) == name), None)


def _sealed_steps(view: SeatView, line: Line, content: object) -> Iterator[Fault]:
    """The sealed steps must be the first sealed actions, in their public form and in order."""
    if not isinstance(content, list):
        return
    rules = view.record.rules
    done = [step["action"] for step in line.body["steps"] if step["by"] == "sealed"]
    for index, action in enumerate(done):
        try:
            meant = (
                rules.public_action(rules.action_from_json(content[index])) if index < len(content) else None
            )
        except MalformedAction:
            return
        if meant is None or canon(meant) != canon(action):
            yield Fault(
                line.seq, 11, "own-sealed", f"sealed action {index + 1} was not done as you sealed it"
            )
            return


def by_number(game: bytes, seat: Seat, sent: Mapping[bytes, JsonObject]) -> dict[int, frozenset[bytes]]:
    """Hashes of a seat's signed files for this match, by their number."""
    found: dict[int, frozenset[bytes]] = {}
    for hashed, file in sent.items():
        if file["body"]["seat"] == seat and file["body"]["game"] == b64(game):
            n = file["body"]["n"]
            found[n] = found.get(n, frozenset()) | {hashed}
    return found
