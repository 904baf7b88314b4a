"""What a host is answered: what came of files and acts, where a match stands, what was made; as data and in words.

Words are sentences, so that whoever prints them chooses the language; the data are the same in every language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from pbem.base.sentences import Sentence, command, counted, joined, plain, sentence, table, term
from pbem.game import JsonObject
from pbem.host.archive import Archived
from pbem.host.branches import histories_text
from pbem.host.store import Outcome
from pbem.protocol import referee
from pbem.protocol.record.check_messages import placed
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.kinds.agreements import AGREEMENTS

# --- what came of a file or an act ------------------------------------------------------------------------


def ruling_facts(source: str, outcome: Outcome) -> JsonObject:
    """What came of one file or act, for programs; ``source`` is what it is called."""
    ruling = outcome.ruling
    facts: JsonObject = {"file": source, "letters": list(outcome.letters)}
    if isinstance(ruling, referee.Accepted):
        facts |= {"ruling": "accepted", "seat": ruling.sender, "records": [line.seq for line in ruling.lines]}
        return facts | ({"stopped": ruling.stopped} if ruling.stopped else {})
    if isinstance(ruling, referee.Refused):
        why = {"seat": ruling.seat, "code": ruling.code, "text": ruling.sentence, "rules": list(ruling.rules)}
        action = {} if ruling.action is None else {"action": ruling.action}
        return facts | {"ruling": "refused"} | why | action
    if isinstance(ruling, referee.Repeated):
        return facts | {"ruling": "repeated", "seat": ruling.seat, "record": ruling.line.seq}
    if isinstance(ruling, referee.Unchanged):
        at = {"seat": ruling.seat, "record": ruling.line.seq}
        return facts | {"ruling": "unchanged"} | at | {"text": ruling.sentence}
    if isinstance(ruling, referee.Held):
        who = {"seat": ruling.seat, "what": ruling.terms, "missing": list(ruling.missing)}
        return facts | {"ruling": "held"} | who
    if isinstance(ruling, referee.Unrecorded):
        return facts | {"ruling": "unrecorded", "seat": ruling.seat}
    if isinstance(ruling, referee.Departed):
        seen = {"seat": ruling.seat, "seen": ruling.seen, "forked": ruling.forked}
        return facts | {"ruling": "departed"} | seen
    if isinstance(ruling, referee.Quarantined):
        return facts | {"ruling": "put-aside", "seat": ruling.seat, "text": ruling.fault}
    return facts | {"ruling": "ignored", "text": ruling.reason}


def copy_facts(source: str, said: Sequence[str]) -> JsonObject:
    """What came of a copy of the record, for programs."""
    return {"file": source, "letters": [], "ruling": "copy", "text": joined(said, "; ")}


def is_bad(facts: JsonObject) -> bool:
    """Whether a file of these ``ruling_facts`` did not do what its sender wanted."""
    return facts["ruling"] in ("refused", "ignored", "departed")


def ruling_words(facts: JsonObject) -> Sentence:
    """What came of one file, as a line for the host."""
    return joined((facts["file"], _RULINGS[facts["ruling"]](facts)), ": ")


def _accepted(facts: JsonObject) -> Sentence:
    records, stopped = facts["records"], facts.get("stopped")
    span = sentence("record {record}", record=records[0])
    if len(records) > 1:
        span = sentence("records {first} to {last}", first=records[0], last=records[-1])
    parts = [sentence("accepted"), facts["seat"] or sentence("host"), span]
    if stopped:
        parts.append(sentence("stopped at action {at} ({why})", at=stopped["at"] + 1, why=stopped["why"]))
    return joined(parts, ", ")


def _refused(facts: JsonObject) -> Sentence:
    why = placed(facts["text"], facts["rules"], facts.get("action"))
    return joined((sentence("refused"), why), ": ")


def _held(facts: JsonObject) -> Sentence:
    missing = ", ".join(facts["missing"]) or sentence("nobody; the host may go on")
    kind = facts["what"]["kind"]
    return sentence(
        "{seat} agrees to {kind}; still missing: {missing}", seat=facts["seat"], kind=kind, missing=missing
    )


def _departed(facts: JsonObject) -> Sentence:
    """That a player has seen a record which this folder lacks or has otherwise, and what the host does about it."""
    seq, seat = facts["seen"]["seq"], facts["seat"]
    message = (
        sentence(
            "{seat} has seen record {seq} with your signature on it, and this folder holds another record of that"
            " number: it is not the newest.",
            seat=seat,
            seq=seq,
        )
        if facts["forked"]
        else sentence(
            "{seat} has seen record {seq} with your signature on it, and this folder ends before it: it is not the"
            " newest.",
            seat=seat,
            seq=seq,
        )
    )
    do = sentence("Nothing was signed. Take in the players' copies: pbem host recover -o FOLDER COPY...")
    return joined((message, do), "\n")


_RULINGS: Final[Mapping[str, Callable[[JsonObject], Sentence]]] = {
    "accepted": _accepted,
    "refused": _refused,
    "repeated": lambda facts: sentence(
        "the same file as record {record}; its receipt is written again", record=facts["record"]
    ),
    "unchanged": lambda facts: sentence(
        "{text} (record {record}); the sender gets an email about it",
        text=facts["text"],
        record=facts["record"],
    ),
    "held": _held,
    "unrecorded": lambda facts: sentence(
        "{seat} asks something that no record holds; the sender gets an email about it", seat=facts["seat"]
    ),
    "departed": _departed,
    "put-aside": lambda facts: sentence("quarantined: {text}", text=facts["text"]),
    "copy": lambda facts: sentence("a copy of the match file: {text}", text=facts["text"]),
    "ignored": lambda facts: sentence("ignored: {text}", text=facts["text"]),
}


def letters_words(places: Iterable[str]) -> list[Sentence]:
    """A line for each email that was written."""
    return [joined(("  ", sentence("email"), "  ", place), "") for place in places]


def created_words(facts: JsonObject) -> Sentence:
    """Where the new match is, and what to do with its invitations."""
    return joined(
        (
            sentence("Created match {match} in {folder}.", match=facts["match"], folder=facts["folder"]),
            sentence("Invitations, each with the file to join with:"),
            *(f"  {path}" for path in facts["invitations"]),
            sentence(
                "Next: pbem host send {folder}, or send them yourself; then: pbem host add {folder} JOIN...",
                folder=facts["folder"],
            ),
        ),
        "\n",
    )


def roster_words(facts: JsonObject) -> Sentence:
    """The roster with its fingerprints, and what is missing."""
    rows = [(seat["seat"], seat["name"], seat["fingerprint"]) for seat in facts["seats"]]
    head = (sentence("seat"), sentence("player"), sentence("fingerprint of the signing key"))
    roster = table(rows, head)
    if facts["phase"] != "getting ready":
        started = sentence(
            "The match has started; it is at record {seq} ({phase}).",
            seq=facts["head"]["seq"],
            phase=phase_words(facts["phase"]),
        )
        return joined((roster, started), "\n\n")
    laid = joined(
        (sentence("The first deal is announced."), facts["says"], sentence("Emails of the last step:")), " "
    )
    return joined((joined((roster, laid), "\n\n"), *(f"  {path}" for path in facts["letters"])), "\n")


PHASES = {
    "over": sentence("over"),
    "paused": sentence("paused"),
    "joining": sentence("joining"),
    "getting ready": sentence("getting ready"),
    "playing": sentence("playing"),
    "between": sentence("between"),
}


def phase_words(phase: str) -> str:
    """What ``status_of`` calls a phase, in words."""
    return PHASES.get(phase, phase)


def status_words(facts: JsonObject) -> Sentence:
    """The status for the host."""
    lines: list[str] = [
        sentence(
            "{title}, match {match}, profile {profile}: {phase}",
            title=facts["title"],
            match=facts["match"],
            profile=facts["profile"],
            phase=phase_words(facts["phase"]),
        ),
        sentence("record {seq} of {at}, hash {fingerprint}", **facts["head"]),
        "",
        table([_seat_row(facts, seat) for seat in facts["seats"]], _SEATS),
        "",
        facts["says"],
        *([facts["hosted"]] if "hosted" in facts else []),
        *_may(facts),
    ]
    for consent in facts["consents"]:
        agreed = plain(consent["what"])
        lines.append(sentence("Agreed to {what}: {seats}", what=agreed, seats=", ".join(consent["seats"])))
    lines += map(_proposed, facts["proposals"])
    mail = facts.get("mail", {})
    if mail.get("last"):
        lines.append(
            sentence("last file handed in: {last} ({files} in all)", last=mail["last"], files=mail["files"])
        )
    outbox = facts["outbox"]
    lines.append(
        counted(
            "{n} email in {folder} is not marked as sent",
            "{n} emails in {folder} are not marked as sent",
            len(outbox["unsent"]),
            folder=outbox["folder"],
        )
    )
    return joined(lines, "\n")


_SEATS = (
    sentence("seat"),
    sentence("player"),
    sentence("waiting since"),
    sentence("until"),
    sentence("last heard"),
    "",
)
_MARKS = {"silent": sentence("silent"), "resigned": sentence("resigned")}


def _seat_row(facts: JsonObject, row: JsonObject) -> tuple[str, ...]:
    marks = [words for mark, words in _MARKS.items() if row.get(mark)]
    if "excused" in row:
        marks.append(counted("{n} miss excused", "{n} misses excused", row["excused"]))
    awaited = row["seat"] in facts["awaited"]
    since, until = (facts.get("since", ""), facts.get("due", "")) if awaited else ("", "")
    name = row.get("name") or sentence("(free)")
    return row["seat"], name, since, until, row.get("heard", ""), joined(marks, " ") if marks else ""


def _may(facts: JsonObject) -> list[Sentence]:
    """What the host may do now by the clock, or from when on."""
    may = facts.get("may", {})
    clocks = {name: kind.clock for name, kind in KINDS.items() if kind.clock is not None and name in may}
    said = [clock.says(may[name]) for name, clock in clocks.items()]
    return [line for line in said if line is not None]


def _proposed(proposal: JsonObject) -> Sentence:
    named = sentence(
        "Proposed in record {record}: {what} of {seat}, held until {until}.",
        record=proposal["record"],
        what=proposal["what"],
        seat=proposal["seat"],
        until=proposal["until"],
    )
    alone = [sentence("Only your own command carries it out.")] if proposal["by_hand"] else []
    name = AGREEMENTS[proposal["what"]].command
    carried = command("pbem host {name}", name=name) + ", " if name else ""
    return joined((named, *alone, f"({carried}pbem host withdraw)"), " ")


# --- archived, and restored -------------------------------------------------------------------------------


def archived_facts(kept: Archived) -> JsonObject:
    """What was archived, for programs."""
    return {"file": str(kept.path), "files": kept.files, "records": kept.records, "sound": kept.sound}


def archived_words(facts: JsonObject) -> Sentence:
    """The same for the host."""
    named = {
        "file": facts["file"],
        "files": counted("{n} file", "{n} files", facts["files"]),
        "records": counted("{n} record", "{n} records", facts["records"]),
    }
    if facts["sound"]:
        return sentence("{file}: {files}, {records}; the audit has no findings.", **named)
    return sentence("{file}: {files}, {records}; THE AUDIT HAS FINDINGS: run pbem audit.", **named)


def recovered_words(facts: JsonObject) -> Sentence:
    """What came of a folder that was brought back from copies."""
    came = sentence(
        "Recovered {records} from {source} into {folder}.",
        records=counted("{n} record", "{n} records", facts["records"]),
        source=facts["source"],
        folder=facts["folder"],
    )
    notes = [sentence("note: {note}", note=note) for note in facts["notes"]]
    then = sentence("Next: pbem host status {folder}", folder=facts["folder"])
    return joined((*notes, came, *lost_words(facts.get("lost", ())), then), "\n")


def recovered_served_words(facts: JsonObject) -> Sentence:
    """What came of a match of the service that copies were brought for."""
    short = facts["match"]
    words: list[str] = [*facts["reported"], *lost_words(facts.get("lost", ()))]
    if "histories" in facts:
        words.append(histories_text(facts["histories"], facts["parts"]))
        words.append(sentence("Decide: pbem host recover {match} --take NUMBER", match=short))
    count = counted("{n} record", "{n} records", facts["records"])
    words.append(
        sentence("Match {match} goes on; it has {records}.", match=short, records=count)
        if facts["goes_on"]
        else sentence("Match {match} stands still at {records}.", match=short, records=count)
    )
    return joined(words, "\n")


def lost_words(lost: Sequence[JsonObject]) -> list[Sentence]:
    """A line for each file of a history that was given up."""
    return [
        sentence(
            "Lost: {kind} {n} of {seat} (record {record} of a history given up)",
            **file | {"kind": term(file["kind"])},
        )
        for file in lost
    ]
