"""Who notices a cheat, and when: found out with the checks that every role makes anyway.

* the host's program: ``pbem.protocol.referee`` ruled on the cheat's file;
* anybody: ``pbem.protocol.audit`` of the file as it stood right after the cheat, without any key;
* the player concerned: his own packets (``SeatView``), word (``own_word``);
* two copies: ``compare_copies``;
* everybody at the close: ``pbem.protocol.audit`` of the file once the epoch is closed;
* nobody: none of these.

A burn, and a draw that is bound only, are not faults, but the audit prints them for everybody to see: they count as
noticed where they are new.
"""

from __future__ import annotations

from collections.abc import Mapping

from pbem.base.errors import PbemError, UsageProblem
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.player.seat.check import check_file
from pbem.protocol.audit import Report, audit, compare_copies
from pbem.protocol.audit.refusal import check_reject, unjust
from pbem.protocol.client import SeatView
from pbem.protocol.client.seat_view import other_files, sealed_faults
from pbem.protocol.crypto.digest import b64
from pbem.protocol.formats.messages import Message, message_of
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Record
from pbem.protocol.referee import Departed, Held, Ignored, Refused, Repeated, Unchanged
from tests.attacks.attack import ANYBODY, CLOSE, COPIES, FUTILE, NOBODY, OWNER, REFUSED, Aftermath, Notice
from tests.attacks.stage import Lines, Stage


@dataclass(frozen=True, slots=True)
class Noticed:
    """One role that notices, and the sentence that its program says."""

    notice: Notice
    how: str


def witnesses(stage: Stage, scene: Aftermath) -> list[Noticed]:
    """Everybody who notices; who notices first makes the later ones needless."""
    stage = scene.stage or stage
    if scene.ruling is not None:
        return [_refused(scene)]
    if scene.tries:
        return [_futile(scene)]
    upto = scene.upto or _first_forged(stage, scene.lines)
    anybody = _anybody(scene.lines, upto, scene.since or min(_first_forged(stage, scene.lines), upto) - 1)
    anybody = anybody or _judged(stage, scene, scene.lines[:upto])
    if anybody:
        return [Noticed(ANYBODY, anybody)]
    notices = [
        Noticed(notice, how)
        for notice, how in (
            (OWNER, _owners(stage, scene, scene.lines[:upto])),
            (COPIES, _compared(scene)),
            (CLOSE, _everybody(stage, scene) if upto < len(scene.lines) else ""),
        )
        if how
    ]
    return notices or [Noticed(NOBODY, "no check that anybody can make finds anything")]


def _first_forged(stage: Stage, lines: Lines) -> int:
    """The number of lines up to and with the first that is not the honest file's."""
    honest = stage.lines
    same = next((i for i, raw in enumerate(lines) if i >= len(honest) or honest[i] != raw), len(lines))
    return min(same + 1, len(lines))


# --- the host's program, and what fails by itself -----------------------------------------------------------


def _refused(scene: Aftermath) -> Noticed:
    ruling = scene.ruling
    if isinstance(ruling, Refused):
        return Noticed(REFUSED, f"{ruling.code}: {ruling.sentence}")
    if isinstance(ruling, Ignored):
        return Noticed(REFUSED, ruling.reason)
    if isinstance(ruling, Repeated):
        return Noticed(REFUSED, f"the same file again: the earlier receipt, record {ruling.line.seq}")
    if isinstance(ruling, Unchanged):
        return Noticed(REFUSED, ruling.sentence)
    if isinstance(ruling, Held):
        return Noticed(REFUSED, f"it waits until {', '.join(ruling.missing)} agree too")
    if isinstance(ruling, Departed):
        return Noticed(
            REFUSED, f"record {ruling.seen['seq']} was signed by him and is missing here: he stands still"
        )
    return Noticed(NOBODY, "the host's program accepts it")


def _futile(scene: Aftermath) -> Noticed:
    if scene.gained:
        return Noticed(NOBODY, f"{scene.gained} of {scene.tries} tries succeeded")
    return Noticed(FUTILE, f"{scene.tries} tries, none succeeded")


# --- anybody --------------------------------------------------------------------------------------------------


def _anybody(lines: Lines, upto: int, since: int) -> str:
    now = audit(lines[:upto])
    if now.faults:
        return _first(now)
    before = audit(lines[:since]) if since > 0 and now.burns else Report()
    if len(now.burns) > len(before.burns):
        burn = now.burns[-1]
        named = ", ".join(burn.get("missing") or burn["back"])
        return f"the audit counts a burn in record {burn['record']}, for {named}"
    bound = [label for label in now.labels if label.label == "bound only" and not label.gen]
    return f"record {bound[0].seq}: its draws are labelled bound only" if bound else ""


def _first(report: Report) -> str:
    fault = report.faults[0]
    return f"record {fault.seq}: {fault.sentence}"


def _judged(stage: Stage, scene: Aftermath, lines: Lines) -> str:
    """Whether the host's own refusal convicts them, with these lines."""
    for file, refusal in scene.refusals:
        reject, message = message_of(refusal), message_of(file)
        if check_reject(reject, stage.host.sign_public):
            continue
        why = unjust(lines, message, reject)
        if why:
            return f"his refusal ({reject.body['code']}) was wrong: {why}"
    return ""


# --- the player concerned -------------------------------------------------------------------------------------


def _owners(stage: Stage, scene: Aftermath, lines: Lines) -> str:
    record = Record.load(lines)
    people = {**stage.people, **scene.people}
    for seat, identity in people.items():
        if seat not in record.ledger.players or seat in scene.accomplices:
            continue
        if record.ledger.players[seat].sign != identity.sign_public:
            return f"{seat} is told that another key holds the seat"
        if seat in record.ledger.proposals:
            seq = record.ledger.proposals[seat].line.seq
            return f"{seat}: record {seq} proposes to give my seat to another key; any file of mine undoes it"
        why = _own_view(stage, SeatView(record, identity, seat)) if record.public else ""
        if why:
            return f"{seat}: {why}"
    return _refused_wrongly(stage, scene, record) or _unanswered(scene, record)


def _own_view(stage: Stage, view: SeatView) -> str:
    try:
        _ = view.own
    except PbemError as error:
        return str(error)
    sent = _by_number(view.record.game, view.seat, stage.sent)
    for file in other_files(view.record, view.seat, sent):
        return f"record {file.seq}: your file {file.n} stands there, but not as you signed it"
    sealed = {c.n: c.content for c in stage.copies if c.seat == view.seat and c.part == "sealed"}
    faults = sealed_faults(view, sealed.get)
    return f"record {faults[0].seq}: {faults[0].sentence}" if faults else ""


def _refused_wrongly(stage: Stage, scene: Aftermath, record: Record) -> str:
    """Their own checker, which is the host's, and their own copy of what they sealed, say otherwise."""
    for file, refusal in scene.refusals:
        message = message_of(file)
        seat = Seat(message.seat)
        view = SeatView(record, stage.people[seat], seat)
        content = next((c.content for c in stage.copies if (c.seat, c.n) == (seat, message.n)), None)
        sealed = content if isinstance(content, list) else []
        try:
            verdict = check_file(record, canon(file), view, sealed)
        except (PbemError, UsageProblem):
            continue
        if verdict.ok:
            return f"{seat}: my own checker, which is the host's, finds nothing ({refusal['body']['code']})"
    return ""


def _unanswered(scene: Aftermath, record: Record) -> str:
    lost: list[Message] = [message_of(file) for file in scene.unanswered]
    for message in lost:
        if record.ledger.earlier_line(message.hash) is None:
            return f"{message.seat}: file {message.n} was sent, and stands nowhere; no receipt, no refusal"
    return ""


# --- two copies, and the close --------------------------------------------------------------------------------


def _compared(scene: Aftermath) -> str:
    if not scene.others:
        return ""
    comparison = compare_copies(scene.lines, scene.others)
    parted = comparison.verdict in ("forked", "other-match") or (
        scene.whole and comparison.verdict == "longer"
    )
    return comparison.sentence if parted else ""


def _everybody(stage: Stage, scene: Aftermath) -> str:
    report = audit(scene.lines)
    return _first(report) if report.faults else _judged(stage, scene, scene.lines)


def _by_number(game: bytes, seat: Seat, sent: Mapping[bytes, JsonObject]) -> dict[int, frozenset[bytes]]:
    """Hashes of a seat's signed files for this match, by their number."""
    hashes: dict[int, frozenset[bytes]] = {}
    for hashed, file in sent.items():
        if file["body"]["seat"] == seat and file["body"]["game"] == b64(game):
            n = file["body"]["n"]
            hashes[n] = hashes.get(n, frozenset()) | {hashed}
    return hashes
