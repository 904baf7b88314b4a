"""Several histories of one match: which there are, where they part, and who loses what if one of them is taken.

A host who signed two records under one number has made two histories. That cannot be undone; what can be done is to go
on with one of them, and to say what is given up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from pbem.base.errors import UsageProblem, VerificationError
from pbem.base.sentences import Sentence, counted, joined, sentence, term
from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64, fingerprint
from pbem.protocol.formats.envelopes import body_hash
from pbem.protocol.record import Line

History: TypeAlias = tuple[Line, ...]
"""All records of a match from its genesis to a newest one."""


def histories_of(lines: Iterable[Line]) -> list[History]:
    """Every history that these records make up, longest first; records without their forerunner belong to none."""
    after: dict[str, dict[bytes, Line]] = {}
    for line in lines:
        after.setdefault(line.body["prev"], {}).setdefault(line.hash, line)
    ends: list[History] = []
    waiting = [[line] for line in after.get("", {}).values() if line.seq == 0]
    while waiting:
        history = waiting.pop()
        while len(following := _following(after, history[-1])) == 1:
            history += following
        waiting += [[*history, line] for line in following]
        if not following:
            ends.append(tuple(history))
    return sorted(ends, key=lambda lines: (-len(lines), lines[-1].hash))


def _following(after: dict[str, dict[bytes, Line]], line: Line) -> list[Line]:
    return [follower for follower in after.get(b64(line.hash), {}).values() if follower.seq == line.seq + 1]


def parting(histories: Sequence[History]) -> int:
    """The number of the first record that they do not all share."""
    shortest = min(len(history) for history in histories)
    for number in range(shortest):
        if len({history[number].hash for history in histories}) > 1:
            return number
    return shortest


def chosen(histories: Sequence[History], number: int) -> History:
    """The history that counts: ``number``, from 1 on as ``histories_json`` counts; 0 takes the only one there is.

    Raises:
        UsageProblem: there is no history of that number.
        VerificationError: there are several and no number was given: a person decides.
    """
    if number > len(histories):
        raise UsageProblem(
            counted(
                "there is one history of this match, none with the number {number}",
                "there are {n} histories of this match, none with the number {number}",
                len(histories),
                number=number,
            )
        )
    if not number and len(histories) > 1:
        text = histories_text(histories_json(histories), parting(histories))
        raise VerificationError(
            "forked",
            sentence("the copies contradict each other: {text}", text=text),
            hint=sentence(
                "Settle with the players which one counts, and say --take NUMBER; nothing was written."
            ),
        )
    return histories[max(number - 1, 0)]


@dataclass(frozen=True, slots=True)
class Lost:
    """A file of a seat that stands only in a history that is given up, in its record ``seq``."""

    seat: str
    kind: str
    n: int
    seq: int
    name: str


def lost_files(taken: History, others: Sequence[History]) -> list[Lost]:
    """What the seats lose if this history is taken, in the order of the records."""
    kept = {b64(body_hash(file["body"])) for line in taken for file in line.messages}
    lost: dict[str, Lost] = {}
    for history in others:
        for line in history[parting([taken, history]) :]:
            for file in line.messages:
                body, name = file["body"], b64(body_hash(file["body"]))
                if name not in kept:
                    kind = line.kind if file is line.body.get("msg") else "consent"
                    lost.setdefault(name, Lost(body["seat"], kind, body["n"], line.seq, name))
    return sorted(lost.values(), key=lambda file: (file.seq, file.seat, file.n))


def histories_json(histories: Sequence[History]) -> list[JsonObject]:
    """Each history with what taking it would cost, for programs."""
    return [
        {
            "number": number,
            "records": len(history),
            "head": {
                "seq": history[-1].seq,
                "at": history[-1].at,
                "fingerprint": fingerprint(history[-1].hash),
            },
            "lost": [
                {"seat": lost.seat, "kind": lost.kind, "n": lost.n, "record": lost.seq}
                for lost in lost_files(history, [other for other in histories if other is not history])
            ],
        }
        for number, history in enumerate(histories, 1)
    ]


def histories_text(facts: Sequence[JsonObject], parts: int) -> Sentence:
    """The same for a person."""
    words = [
        sentence(
            "{count} histories of this match were signed; they part at record {parts}.",
            count=len(facts),
            parts=parts,
        )
    ]
    for fact in facts:
        words.append(
            sentence(
                "{number}: up to record {seq} of {at}, fingerprint {fingerprint}",
                number=fact["number"],
                **fact["head"],
            )
        )
        lost = [
            sentence("{kind} {n} of {seat} (record {record})", **file | {"kind": term(file["kind"])})
            for file in fact["lost"]
        ]
        gone = joined(lost, ", ") if lost else sentence("nothing that a player has sent")
        words.append(joined(("   ", sentence("if it is taken, lost: {lost}", lost=gone)), ""))
    return joined(words, "\n")
