"""Did the host do with my files what I signed? What only their owner can check, at once (schemas/README.md §3.2, §6).

Everybody else learns what was sealed at the close; its owner kept a copy, and needs not wait. What became of his
standing orders ``pbem.player.uses`` checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from pbem.client.compose import SealedCopy
from pbem.client.seat_view import SeatView
from pbem.crypto.digest import b64
from pbem.formats.strict_json import canon
from pbem.game import JsonObject, MalformedAction, Seat
from pbem.record import Fault, Line


def own_word_faults(
    view: SeatView, sent: Mapping[int, frozenset[bytes]], copies: Sequence[SealedCopy]
) -> list[Fault]:
    """Where the record is not what this seat signed.

    Args:
        view: the seat's own view of the verified record.
        sent: the hashes of the files this seat signed, by number.
        copies: what it sealed, as it kept it.
    """
    kept = {(copy.n, copy.part): copy.content for copy in copies if copy.seat == view.seat}
    return [*_other_messages(view, sent), *sealed_faults(view, lambda n: kept.get((n, "sealed")))]


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


def _other_messages(view: SeatView, sent: Mapping[int, frozenset[bytes]]) -> Iterator[Fault]:
    for hashed, seq in view.record.ledger.messages.items():
        message = view.record.lines[seq].body.get("msg")
        if message is None or message["body"]["seat"] != view.seat:
            continue
        known = sent.get(message["body"]["n"])
        if known is not None and hashed not in known:
            sentence = f"your file {message['body']['n']} stands there, but not as you signed it"
            yield Fault(seq, 11, "own-message", sentence)


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
