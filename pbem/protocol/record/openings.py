"""Who may read what: the host by their secret, anybody by what closes opened (``record.Openings``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pbem.base.errors import VerificationError
from pbem.base.sentences import Sentence, sentence
from pbem.game import AnyRules, Json, JsonObject, MalformedAction, Seat
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.draws import epoch_seed
from pbem.protocol.formats.envelopes import Part, open_part, part_commit, proper_content
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.ledger import Ledger, SealedPart
from pbem.protocol.record.line import Fault, Line, read_line

_Name = tuple[str, int, str]
"""Seat, number and part: what one sealed part is called."""
_MOST_OPENED = 8
"""Opened parts that are cached for one more call."""


class HostOpenings:
    """The host reads everything: seeds follow from their secret, sealed parts were sealed to their key."""

    def __init__(self, host: Identity, genesis: Line) -> None:
        self.host = host
        self.game = genesis.hash
        self.master = host.master(unb64(genesis.body["nonce"]))
        self._seeds: dict[int, bytes] = {}
        self._opened: dict[tuple[object, ...], tuple[bytes, Json]] = {}

    def seed(self, epoch: int) -> bytes:
        """The seed of any epoch, announced or not."""
        if epoch not in self._seeds:
            self._seeds[epoch] = epoch_seed(self.master, self.game, epoch)
        return self._seeds[epoch]

    def content(self, part: SealedPart) -> Json | None:
        """What a player sealed; None if it does not open (the referee refuses such files at intake)."""
        try:
            return self.open(part)[1]
        except VerificationError:
            return None

    def open(self, part: SealedPart) -> tuple[bytes, Json]:
        """Salt and content; raises ``VerificationError`` if the part does not open or match its commitment.

        What was opened is cached for one more call with the very same bytes: the host rules by it, then reads their own
        record. After that it is opened again.
        """
        name = (part.seat, part.n, part.part)
        key = (name, *part.sealed.values())
        cached = self._opened.pop(key, None)
        if cached is not None:
            return cached
        content = self._open(part)
        if len(self._opened) == _MOST_OPENED:
            self._opened.clear()
        self._opened[key] = content
        return content

    def opening(self, part: SealedPart) -> JsonObject:
        """What was sealed, as a close and the end show it to everybody."""
        salt, content = self.open(part)
        return {"seat": part.seat, "n": part.n, "part": part.part, "salt": b64(salt), "content": content}

    def _open(self, part: SealedPart) -> tuple[bytes, Json]:
        key, public = self.host.seal_key, self.host.seal_public
        bulk = part.seq >= 0
        return open_part(_label(part), self.game, part.seat, part.n, key, public, part.sealed, bulk=bulk)


def _label(part: SealedPart) -> Part:
    """What commitments and sealed texts call this part."""
    return "order" if part.part == "orders" else "sealed"


def is_host_of(lines: Sequence[bytes], host: Identity) -> bool:
    """Whether this identity is the host of the match with these lines; they are not verified here.

    Raises:
        FormatError: the first line is no record.
    """
    return bool(read_line(lines[0]).body.get("host", {}).get("sign") == b64(host.sign_public))


class ClosedOpenings:
    """What anybody may read: seeds and sealed parts that closes (and the end) of this file opened."""

    def __init__(self, bodies: Iterable[JsonObject] = ()) -> None:
        self._seeds: dict[int, bytes] = {}
        self._contents: dict[_Name, Json] = {}
        for body in bodies:
            self.take(body)

    def take(self, body: JsonObject) -> None:
        """Take what one record opens."""
        if "seed" in body:
            self._seeds[body["epoch"]] = unb64(body["seed"], 32)
        if "opened" in body:
            for opening in body["opened"]:
                self._contents[opening["seat"], opening["n"], opening["part"]] = opening["content"]

    def seed(self, epoch: int) -> bytes | None:
        """The seed, once its epoch was closed."""
        return self._seeds.get(epoch)

    def content(self, part: SealedPart) -> Json | None:
        """The content, once it was opened."""
        return self._contents.get((part.seat, part.n, part.part))


# --- what closes open: every part at its time, as it was committed to (schemas/README.md §3.2) ------------


def due_to_open(ledger: Ledger, epoch: int) -> list[SealedPart]:
    """Sealed actions of this epoch or before, and orders that are no longer in force (schemas/README.md §3.2)."""
    return [part for part in ledger.unopened.values() if _is_due(ledger, part, epoch)]


def _is_due(ledger: Ledger, part: SealedPart, epoch: int) -> bool:
    if part.part == "sealed":
        return part.epoch is None or part.epoch <= epoch
    current = ledger.orders.get(part.seat)
    return current is None or current.n != part.n


def parts_to_open(ledger: Ledger, epoch: int | None) -> list[SealedPart]:
    """What the close of ``epoch`` must open; with None, what ``end`` must open: all that is left."""
    parts = list(ledger.unopened.values()) if epoch is None else due_to_open(ledger, epoch)
    return sorted(parts, key=lambda part: (part.seq, part.part))


def check_opened(ledger: Ledger, line: Line, due: Iterable[SealedPart], step: int) -> Iterator[Fault]:
    """Every part that is due is opened, and every opening fits its commitment and what was applied."""
    expected = {(part.seat, part.n, part.part): part for part in due}
    due_parts = set(expected)
    for opening in line.body["opened"]:
        key = (Seat(opening["seat"]), opening["n"], opening["part"])
        part = expected.pop(key, None)
        if part is None:
            code = "opened-early" if key in ledger.unopened and key not in due_parts else "opened"
            yield line.fault(step, code, "{part} cannot be opened here", part=_called(*key))
            continue
        yield from _check_opening(ledger, line, part, opening, step)
    for seat, n, name in expected:
        yield line.fault(step, "unopened", "{part} must be opened here", part=_called(seat, n, name))


def _called(seat: str, n: int, part: str) -> Sentence:
    if part == "orders":
        return sentence("the standing order of {seat} (message {n})", seat=seat, n=n)
    return sentence("what {seat} sealed in message {n}", seat=seat, n=n)


def _check_opening(
    ledger: Ledger, line: Line, part: SealedPart, opening: JsonObject, step: int
) -> Iterator[Fault]:
    where = _called(part.seat, part.n, part.part)
    label = _label(part)
    salt, content = unb64(opening["salt"], 16), opening["content"]
    if part_commit(label, ledger.game, part.seat, part.n, salt, content) != unb64(part.sealed["commit"], 32):
        yield line.fault(step, "commitment", "{part} is not what is opened here", part=where)
    elif not proper_content(label, content):
        yield line.fault(step, "commitment", "{part} has a form that cannot be sealed", part=where)
    elif part.part == "sealed":
        yield from _check_sealed_steps(ledger, line, part, content, step)


def _check_sealed_steps(
    ledger: Ledger, line: Line, part: SealedPart, content: Json, step: int
) -> Iterator[Fault]:
    record = ledger.lines[part.seq]
    taken = [s["action"] for s in record.body.get("steps", ()) if s["by"] == "sealed"]
    as_written = all(
        _public_form(ledger.rules, written) == canon(shown)
        for written, shown in zip(content, taken, strict=False)
    )
    all_taken = "stopped" in record.body or len(taken) == len(content)
    if not as_written or not all_taken or len(taken) > len(content):
        words = sentence("record {record} does not do what {seat} sealed", record=part.seq, seat=part.seat)
        yield line.fault(step, "sealed-step", words)


def _public_form(rules: AnyRules, written: Json) -> bytes:
    """What a record shows of this action; nothing if it is none."""
    try:
        return canon(rules.public_action(rules.action_from_json(written, bulk=True)))
    except MalformedAction:
        return b""


def take_opened(ledger: Ledger, line: Line) -> None:
    """Mark parts as opened."""
    for opening in line.body["opened"]:
        key = (Seat(opening["seat"]), opening["n"], opening["part"])
        part = ledger.unopened.pop(key, None)
        if part is not None:
            ledger.opened_parts[key] = part.seq


def agreed_end(ledger: Ledger) -> JsonObject | None:
    """What the seats agreed to, if the newest records close a running epoch by their consent; else None.

    Only further closes and ``end`` may follow such a close.
    """
    if ledger.head.kind != "close":
        return None
    for line in reversed(ledger.lines):
        if line.kind != "close":
            return None
        if "what" in line.body:
            terms: JsonObject = line.body["what"]
            return terms
    return None
