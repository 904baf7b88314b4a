"""What verify, audit and compare call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pbem.base.errors import PbemError, UsageProblem, VerificationError
from pbem.base.language import Language
from pbem.base.sentences import joined, sentence
from pbem.base.values import dataclass
from pbem.cli.clients import player_client, raw_lines
from pbem.cli.console import write_output
from pbem.cli.options import Keys
from pbem.game import JsonObject
from pbem.player.letters.by_hand import proofs_of
from pbem.player.report import examine, page_of
from pbem.player.report.words import audit_words, comparison_words, holding_words
from pbem.protocol.audit import compare_copies, luck_of
from pbem.protocol.audit.holds import holding
from pbem.protocol.record import Record


def records_hold(game: Path) -> tuple[JsonObject, str]:
    """Every record checked, up to the first that does not hold."""
    lines = raw_lines(game)
    facts = holding(lines).to_json()
    return facts, holding_words(facts)


# --- one record by hand -------------------------------------------------------------------------------------


def proof_facts(game: Path, seq: int) -> tuple[JsonObject, str]:
    """How to check the open draws of one record with nothing but a hash program."""
    record = Record.load(raw_lines(game))
    if not 0 <= seq < len(record.lines):
        raise UsageProblem(
            sentence("there is no record {seq}; the last one is {last}", seq=seq, last=record.head.seq)
        )
    proofs = proofs_of(record, seq)
    text = "\n\n".join(proof["text"] for proof in proofs)
    nothing = sentence("Record {seq} shows no card and no die.", seq=seq)
    return {"ok": True, "record": seq, "proofs": proofs}, text or nothing


# --- audit --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReportPage:
    """The page that is asked for: where it goes, its language, and the keys of whose diary is to be in it."""

    place: Path
    language: Language
    keys: Keys | None = None


def audited(
    game: Path, *, engine: bool, page: ReportPage | None = None, whole: bool = False
) -> tuple[JsonObject, str]:
    """The audit with the table of shots and their luck; the page is written if one is asked for.

    Args:
        game: the game file.
        engine: also replay with the rules.
        page: the page for a person.
        whole: the whole document for programs is wanted, not only what the text says.
    """
    lines = raw_lines(game)
    examination = examine(lines, engine=engine)
    text = audit_words(examination.report, examination.draws, luck_of(examination.draws))
    if page is not None:
        diary = {} if page.keys is None else player_client(game, page.keys).diary.by_record()
        own = {seq: [word.text for word in words] for seq, words in diary.items()}
        said = replace(examination, language=page.language)
        made = page_of(said.document, said.picture, said.portrait, diary=own, language=page.language)
        write_output(page.place, made.encode(), replace=True)
        text = joined((text, sentence("The report is in {place}.", place=page.place)), "\n\n")
    facts = examination.document if whole else {"ok": examination.report.ok}
    return facts, text


def audited_any(
    game: Path | None,
    boxes: Sequence[Path],
    *,
    engine: bool,
    page: ReportPage | None = None,
    whole: bool = False,
) -> tuple[JsonObject, str]:
    """The audit of a game file, or of what mailboxes hold (together with a game file, if one is named)."""
    if boxes:
        from pbem.cli.mailboxes import judged

        if page is not None:
            raise UsageProblem(
                sentence("--html makes a page of one match file, not of mailboxes"),
                hint=sentence(
                    "pbem audit --mbox shows what they hold; save the match file of an email, and audit that."
                ),
            )
        return judged(boxes, [game] if game else [], engine=engine)
    if game is None:
        raise UsageProblem(
            sentence("say what to audit"),
            hint=sentence("A match file or its folder, or --mbox with a mailbox."),
        )
    return audited(game, engine=engine, page=page, whole=whole)


# --- copies -------------------------------------------------------------------------------------------------


def compared(first: Path, second: Path) -> tuple[JsonObject, str]:
    """Two copies of one match."""
    copies = {path: raw_lines(path) for path in (first, second)}
    comparison = compare_copies(copies[first], copies[second])
    if comparison.verdict in ("same", "longer"):
        for path, lines in copies.items():  # what continues a copy must hold, or it continues nothing
            try:
                Record.load(lines)
            except PbemError as fault:
                raise VerificationError(
                    "invalid",
                    sentence("{path} is not valid: {fault}", path=path, fault=fault),
                    hint=sentence("'pbem verify {path}' says more; keep the other copy.", path=path),
                ) from fault
    facts: JsonObject = {
        "verdict": comparison.verdict,
        "common": comparison.common,
        "text": comparison.sentence,
    }
    if comparison.proof is not None:
        facts["proof"] = [line.raw.decode() for line in comparison.proof]
    return facts, comparison_words(comparison)
