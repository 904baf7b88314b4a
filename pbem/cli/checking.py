"""Commands that prove things: verify, audit, compare, inspect. None of them needs a key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from pbem.base.errors import PbemError, UsageProblem, VerificationError
from pbem.base.language import Language
from pbem.base.sentences import joined, sentence
from pbem.base.values import dataclass
from pbem.cli.clients import bytes_of
from pbem.cli.console import answer, write_output
from pbem.cli.options import AsJson, Lang
from pbem.cli.speech import spoken
from pbem.game import JsonObject
from pbem.player.letters.by_hand import proofs_of
from pbem.player.report import examine, page_of
from pbem.player.report.words import audit_words, comparison_words, holding_words
from pbem.player.seat import inspect_file, inspect_text, read_lines
from pbem.protocol.audit import compare_copies, luck_of
from pbem.protocol.audit.audit import holding
from pbem.protocol.record import Record

app = typer.Typer()

AnyGame = Annotated[
    Path, typer.Argument(metavar="COPY", help="A match file, its folder, or an email with one.")
]


@app.command()
def verify(
    game: AnyGame,
    card: Annotated[
        int | None,
        typer.Option("--card", "--record", metavar="N", help="How to check the draws of record N by hand."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check every record: signatures, chain, draws, packets. Exit code 4 at the first bad one."""
    facts, text = records_hold(game) if card is None else proof_facts(game, card)
    answer(text, facts, as_json=as_json)
    raise typer.Exit(0 if facts["ok"] else 4)


@app.command()
def audit(
    game: Annotated[
        Path | None,
        typer.Argument(
            metavar="[COPY]", help="A match file, its folder, or an email; not needed with --mbox."
        ),
    ] = None,
    mbox: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH",
            help="Rebuild the match from this mailbox (mbox, Maildir, or a folder of emails and turn files), and say "
            "what is missing, altered or contradictory. May be repeated.",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a page that a person can read: verdict, story, every draw with its numbers, luck, times.",
        ),
    ] = None,
    engine: Annotated[bool, typer.Option(help="Also replay with the rules what is open.")] = True,
    lang: Lang = None,
    as_json: AsJson = False,
) -> None:
    """Prove or refute every draw, list findings, show the luck. Exit code 4 if there is a finding.

    The page is in your language; what programs and checks by hand need stays English. Needs no key.
    """
    page = None if html is None else ReportPage(html, spoken(lang))
    facts, text = audited_any(game, mbox or [], engine=engine, page=page, whole=as_json)
    answer(text, facts, as_json=as_json)
    raise typer.Exit(0 if facts["ok"] else 4)


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="One copy.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another copy.")],
    as_json: AsJson = False,
) -> None:
    """Compare two copies of a match. Exit code 4 if they contradict each other."""
    facts, text = compare_files(first, second)
    answer(text, facts, as_json=as_json)
    raise typer.Exit(0 if facts["verdict"] in ("same", "longer") else 4)


@app.command()
def inspect(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Any file; - for standard input.")],
    as_json: AsJson = False,
) -> None:
    """Identify a file without trusting it. Needs no keys."""
    facts = inspect_file(bytes_of(file))
    answer(inspect_text(facts), facts, as_json=as_json)


def records_hold(game: Path) -> tuple[JsonObject, str]:
    """Every record checked, up to the first that does not hold."""
    lines = read_lines(game)
    facts = holding(lines).to_json()
    return facts, holding_words(facts)


def proof_facts(game: Path, seq: int) -> tuple[JsonObject, str]:
    """How to check the open draws of one record with nothing but a hash program."""
    record = Record.load(read_lines(game))
    if not 0 <= seq < len(record.lines):
        raise UsageProblem(
            sentence("there is no record {seq}; the last one is {last}", seq=seq, last=record.head.seq)
        )
    proofs = proofs_of(record, seq)
    text = "\n\n".join(proof["text"] for proof in proofs)
    nothing = sentence("Record {seq} shows no card and no die.", seq=seq)
    return {"ok": True, "record": seq, "proofs": proofs}, text or nothing


@dataclass(frozen=True, slots=True)
class ReportPage:
    """The page that is asked for: where it goes, and its language."""

    place: Path
    language: Language


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
    lines = read_lines(game)
    examination = examine(lines, engine=engine)
    text = audit_words(examination.report, examination.draws, luck_of(examination.draws))
    if page is not None:
        said = replace(examination, language=page.language)
        html = page_of(said.document, said.picture, said.portrait, language=page.language)
        write_output(page.place, html.encode(), replace=True)
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


def compare_files(first: Path, second: Path) -> tuple[JsonObject, str]:
    """How two copies of one match stand to each other, as facts and as a text.

    Raises:
        PbemError: a copy is not valid; the longer one counts only if it is.
    """
    copies = {path: read_lines(path) for path in (first, second)}
    comparison = compare_copies(copies[first], copies[second])
    if comparison.verdict in ("same", "longer"):
        for path, lines in copies.items():  # a longer copy counts only if it is valid itself
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
