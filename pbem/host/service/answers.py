"""What the host of a service is answered: lists of matches and mail, invitations, rounds, health, backups.

Words are sentences, so that whoever prints them chooses the language; facts are as programs read them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from pbem.base.sentences import Sentence, counted, joined, sentence, table
from pbem.game import JsonObject
from pbem.host.answers import phase_words
from pbem.host.database.backup import Backup
from pbem.host.service.matches import Invited
from pbem.host.service.restore import Restored
from pbem.host.service.retention import Forgotten
from pbem.host.service.service import Done
from pbem.protocol.crypto.digest import short_id, unb64

_STANDS_STILL = {"older": sentence("stopped: older state"), "forked": sentence("stopped: forked")}


def matches_words(facts: JsonObject) -> Sentence:
    """A page of matches: one line for each, what waits for a person, and how many there are."""
    matches = facts["matches"]
    rows = [
        (match["match"], _named(match), _phase(match), _awaited(match), match.get("due", ""), _heard(match))
        for match in matches
    ]
    head = (
        sentence("match"),
        sentence("game"),
        sentence("phase"),
        sentence("waiting for"),
        sentence("until"),
        sentence("last email"),
    )
    lines: list[str] = [table(rows, head)]
    for match in matches:
        for seat in match["mail"]:
            who = f"{seat['seat']} <{seat['address']}>"
            if why := seat["suspended"]:
                lines.append(joined((match["match"], who, why), ": "))
            for join in seat["waiting"]:
                waits = sentence(
                    "a join with key {key}, from {sender}, waits: pbem host confirm {match} {place} {key}",
                    key=join["key"],
                    sender=join["sender"],
                    match=match["match"],
                    place=seat["seat"],
                )
                lines.append(joined((match["match"], who, waits), ": "))
    counts = sentence("matches: {counts}", counts=_counts(facts["counts"]))
    if facts["pages"] > 1:
        place = sentence(
            "page {page} of {pages}, {found} found",
            page=facts["page"],
            pages=facts["pages"],
            found=facts["found"],
        )
        counts = joined((place, counts), "; ")
    lines += [
        counts,
        sentence(
            "emails: {counts}", counts=_counts(dict(sorted(facts["outbox"].items()))) or sentence("none")
        ),
    ]
    if "rest" in facts:
        lines.append(sentence("nobody's time runs until {until}", until=facts["rest"]["until"]))
    return joined(lines, "\n")


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {state}" for state, number in counts.items())


def _named(facts: JsonObject) -> str:
    return f"{facts['title']}: {facts['name']}" if "name" in facts else str(facts["title"])


def _phase(facts: JsonObject) -> str:
    return _STANDS_STILL[facts["stopped"]["state"]] if "stopped" in facts else phase_words(facts["phase"])


def _awaited(facts: JsonObject) -> str:
    names = ", ".join(facts["awaited"])
    if "waiting" in facts and names:
        return sentence("{names} since {since}", names=names, since=facts["since"])
    return names


def _heard(facts: JsonObject) -> str:
    return max((seat["heard"] for seat in facts["mail"]), default="")


def links_words(facts: Sequence[JsonObject]) -> Sentence:
    """The links of a match's seats, or who took them."""
    lines: list[str] = []
    for fact in facts:
        if fact["name"]:
            lines.append(
                sentence(
                    "{seat}: taken by {name} on {at}, fingerprint {fingerprint}",
                    **{name: fact[name] for name in ("seat", "name", "at", "fingerprint")},
                )
            )
        elif fact["address"]:
            text = sentence(
                "{seat}: invited by email to {address}", seat=fact["seat"], address=fact["address"]
            )
            lines.append(joined((text, fact["link"]), "  ") if fact["link"] else text)
        elif fact["link"]:
            lines.append(joined((fact["seat"], fact["link"]), ": "))
        else:
            lines.append(sentence("{seat}: not invited yet", seat=fact["seat"]))
    return joined(lines, "\n")


def quarantine_reasons(facts: JsonObject) -> Sentence:
    """Mail that was quarantined, and emails that are held back."""
    mails, count = facts["mails"], facts["count"]
    lines: list[str] = [
        f"{mail['number']:>6}  {mail['arrived']}  {mail['sender'] or '?'}: {mail['subject']}  ({mail['reason']})"
        for mail in mails
    ]
    if count > len(mails):
        before = mails[-1]["number"] if mails else 1
        lines.append(
            sentence(
                "{count} in all; the next page: pbem host quarantine --before {before}",
                count=count,
                before=before,
            )
        )
    lines += [
        sentence(
            "email  {created}  to {to}: {subject}  ({reason})",
            **{name: letter[name] for name in ("created", "to", "subject", "reason")},
        )
        for letter in facts["letters"]
    ]
    return joined(lines, "\n") if lines else sentence("Nothing.")


def notes_words(notes: Sequence[JsonObject]) -> Sentence:
    """What the service had to report, oldest first, in the words in which it was noted."""
    lines = [f"{note['at']}  {note['kind']:<16}  {note['text']}" for note in notes]
    return joined(lines, "\n") if lines else sentence("Nothing.")


def invited_words(match: str, invited: Sequence[Invited]) -> Sentence:
    """Who was invited, with the invite codes."""
    sent = counted(
        "Match {match}: {n} invitation is on its way.",
        "Match {match}: {n} invitations are on their way.",
        len(invited),
        match=match,
    )
    lines = [sentence("  {seat}  {address}  code {word}", **asdict(invitation)) for invitation in invited]
    return joined((sent, *lines), "\n")


def invited_facts(match: str, invited: Sequence[Invited]) -> JsonObject:
    """The same for programs."""
    return {"match": match, "invited": [asdict(invitation) for invitation in invited]}


def api_words(facts: JsonObject, *, new: bool) -> Sentence:
    """The access code of a seat, and the link that brings it, if this host has an API."""
    sentences = [sentence("The old code opens nothing any more.")] if new else []
    word = sentence("The access code of {seat}: {word}", seat=facts["seat"], word=facts["word"])
    way = facts["link"] or sentence(
        "This host's emails name no address for players in a browser: set api.url in the configuration."
    )
    return joined((joined((*sentences, word), " "), way), "\n")


def forgotten_words(address: str, done: Forgotten) -> Sentence:
    """What went of a person, what stays and why."""
    gone = ", ".join(f"{count} {name}" for name, count in {"mails": done.mails, **done.counts}.items())
    lines = [
        sentence("Removed of {address}: {gone}; also from the mailbox's folders.", address=address, gone=gone)
    ]
    if done.stays:
        lines.append(
            sentence(
                "The name they gave, and their address, sealed to the host's key, stay in the signed "
                "records of {matches}. Each record is signed over all before it, and the others hold "
                "copies.",
                matches=", ".join(done.stays),
            )
        )
    lines.append(
        sentence(
            "Emails to others that tell of these turns stay until their time is over. Not "
            "touched: backups, the email server's own log, your own email. Hashes of this "
            "person's emails stay, so that a mailbox read again does nothing twice."
        )
    )
    return joined(lines, "\n")


def round_words(done: Done) -> Sentence:
    """What one round did."""
    parts = [
        counted("{n} email fetched", "{n} emails fetched", done.fetched),
        counted("{n} file ruled on", "{n} files ruled on", done.ruled),
        counted("{n} email sent", "{n} emails sent", done.sent),
    ]
    if done.timed:
        parts.insert(2, counted("{n} look at the clock", "{n} looks at the clock", done.timed))
    return joined(parts, ", ")


def extended_words(hours: int, done: Sequence[str], not_done: Sequence[tuple[str, str]]) -> Sentence:
    """Which matches were given more time, and why others were not."""
    lines: list[str] = [
        counted(
            "{n} match has {hours} h more: {matches}",
            "{n} matches have {hours} h more: {matches}",
            len(done),
            hours=hours,
            matches=", ".join(done) or sentence("none"),
        )
    ]
    lines += [joined((short, why), ": ") for short, why in not_done]
    return joined(lines, "\n")


def pause_words(until: str) -> Sentence:
    """A pause of all matches has begun."""
    return joined(
        (
            sentence(
                "nobody's time runs until {until}; whoever a match waits for has that much more, and "
                "everybody hears of it",
                until=until,
            ),
            sentence(
                "The service writes the emails: pbem host serve, or pbem host run-once."
                " Earlier: pbem host pause-all now"
            ),
        ),
        "\n",
    )


def health_words(facts: JsonObject) -> Sentence:
    """How the service is."""
    lines: list[str] = [sentence("healthy") if facts["healthy"] else sentence("Somebody should look:")]
    lines += [joined(("  ", fault), "") for fault in facts["faults"]]
    if "at" in facts:
        rows = [
            (sentence("matches:"), _counts(facts["matches"])),
            (sentence("inbox:"), _counts(facts["inbox"])),
            (sentence("outbox:"), _counts(facts["outbox"])),
        ]
        never = sentence("never")
        last = sentence(
            "last round {round}, last email {letter}",
            round=facts["last_round"] or never,
            letter=facts["last_sent"] or never,
        )
        size = facts["database"]["bytes"] / 1_000_000
        readers = counted("mailbox read by {n} process", "mailbox read by {n} processes", facts["readers"])
        lines += [table(rows), last, readers, sentence("database {size:.1f} MB", size=size)]
    return joined(lines, "\n")


# --- backups, and what was lost ---------------------------------------------------------------------------


def backup_words(done: Backup) -> Sentence:
    """What a backup holds."""
    return sentence(
        "{file}: {matches}, {records}, {size:.1f} MB",
        file=done.file,
        matches=counted("{n} match", "{n} matches", done.matches),
        records=counted("{n} record", "{n} records", done.records),
        size=done.size / 1_000_000,
    )


def restored_words(backup: Path, aside: Path | None, restored: Restored) -> Sentence:
    """What became of a backup that was put back, and of every match since it was made."""
    lines = [sentence("{backup} is the database now.", backup=backup)]
    if aside:
        lines.append(sentence("What was there before lies in {aside}.", aside=aside))
    lines.append(
        counted(
            "{n} email of the mailbox was looked at.",
            "{n} emails of the mailbox were looked at.",
            restored.mails,
        )
    )
    for words, names in (
        (sentence("whole again by the mailbox"), restored.healed),
        (sentence("brought back from the mailbox"), restored.brought_back),
        (sentence("stand still until their players have sent what is missing"), restored.asked),
        (sentence("signed, and nowhere in the mailbox: pbem host recover MATCH COPY..."), restored.lost),
    ):
        if names:
            lines.append(sentence("Matches {words}: {names}.", words=words, names=", ".join(names)))
    lines += [
        counted("{n} email still has to leave.", "{n} emails still have to leave.", restored.letters),
        counted("{n} email is taken in once more.", "{n} emails are taken in once more.", restored.again),
    ]
    return joined((*lines, sentence("Now: pbem host serve")), "\n")


def started_over_words(aside: Path | None, lost: Sequence[str]) -> Sentence:
    """A database begins again; ``lost`` are the matches that were signed before."""
    noted = sentence("Nothing was signed here yet.")
    if aside:
        noted = sentence("What was signed is noted in {aside}.", aside=aside)
    back = [
        sentence(
            "Bring it back from the players' copies: pbem host recover {match} COPY...",
            match=short_id(unb64(game, 32)),
        )
        for game in lost
    ]
    return joined((noted, *back), "\n")


def older_words(behind: Sequence[str], gone: Sequence[str]) -> Sentence:
    """An older database stays: which matches stand still, and which are not in it."""
    words = [
        sentence(
            "Match {match} stands still; its players are asked for what is missing.",
            match=short_id(unb64(game, 32)),
        )
        for game in behind
    ]
    words += [
        sentence(
            "Match {match} is not there. Bring it back from a copy: pbem host recover {match} COPY...",
            match=short_id(unb64(game, 32)),
        )
        for game in gone
    ]
    return joined(words, "\n") if words else sentence("The database holds everything that was signed.")
