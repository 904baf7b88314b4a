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
from pbem.cli.kept import is_kept, matches_of, pieces_in
from pbem.cli.options import AsJson, Lang
from pbem.cli.speech import spoken
from pbem.game import JsonObject
from pbem.player.letters.by_hand import proofs_of
from pbem.player.lookback.chance import luck_of
from pbem.player.lookback.document import examine
from pbem.player.lookback.page import page_of
from pbem.player.lookback.words import audit_words, comparison_words, holding_words
from pbem.player.seat import inspect_file, inspect_text, read_lines
from pbem.protocol.audit import Comparison, compare_copies
from pbem.protocol.audit.audit import holding
from pbem.protocol.record import Record

app = typer.Typer()

AnyGame = Annotated[
    Path, typer.Argument(metavar="COPY", help="A match file, its folder, or an email with one.")
]


Source = Annotated[
    Path,
    typer.Argument(
        metavar="COPY|MAILBOX",
        help="A match file, its folder, an email, a mailbox (mbox, Maildir), or a folder of saved emails.",
    ),
]


@app.command()
def verify(
    game: Source,
    card: Annotated[
        int | None,
        typer.Option("--card", "--record", metavar="N", help="How to check the draws of record N by hand."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check every record: signatures, chain, draws, packets. Exit code 4 at the first bad one.

    From a mailbox the match is put together first: what is missing, altered or contradictory in it is a finding, and
    so is a host's refusal that was wrong.
    """
    if card is not None:
        facts, text = proof_facts(game, card)
    else:
        facts, text = kept_hold(game) if is_kept(game) else records_hold(game)
    answer(text, facts, as_json=as_json)
    raise typer.Exit(0 if facts["ok"] else 4)


@app.command()
def audit(
    game: AnyGame,
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
    facts, text = audited(game, engine=engine, page=page, whole=as_json)
    answer(text, facts, as_json=as_json)
    raise typer.Exit(0 if facts["ok"] else 4)


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="One copy, or a mailbox that holds one.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another.")],
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


def kept_hold(path: Path) -> tuple[JsonObject, str]:
    """The same of each match that a mailbox or a folder of emails holds, with what speaks against it."""
    rows, words = [], []
    for match in matches_of(pieces_in(path)):
        facts = holding(match.lines).to_json()
        words.append(joined((holding_words(facts), *match.findings), "\n"))
        rows.append(facts | {"ok": facts["ok"] and not match.findings, "findings": match.findings})
    return {"ok": all(row["ok"] for row in rows), "matches": rows}, joined(words, "\n\n")


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


def compare_files(first: Path, second: Path) -> tuple[JsonObject, str]:
    """How two copies of one match stand to each other, as facts and as a text.

    Raises:
        PbemError: a copy is not valid; the longer one counts only if it is.
    """
    if is_kept(first) or is_kept(second):
        return kept_compared(first, second)
    copies = read_lines(first), read_lines(second)
    comparison = compare_copies(*copies)
    _check_longer(comparison, (first, second), copies)
    return _compared(comparison), comparison_words(comparison)


def kept_compared(first: Path, second: Path) -> tuple[JsonObject, str]:
    """The same of two places of which one is a mailbox or a folder of emails, with what they hold against each other.

    Raises:
        UsageProblem: both hold the same matches, and more than one.
        PbemError: what is put together is not valid.
    """
    pieces = pieces_in(first), pieces_in(second)
    held = [{match.lines[0]: match.lines for match in matches_of(own)} for own in pieces]
    both = [start for start in held[0] if start in held[1]]
    if len(both) > 1:
        raise UsageProblem(
            sentence(
                "{first} and {second} both hold {count} matches", first=first, second=second, count=len(both)
            ),
            hint=sentence("Name the match file of one of them in place of a mailbox."),
        )
    if not both:
        comparison = compare_copies(*(next(iter(matches.values())) for matches in held))
        return _compared(comparison), comparison_words(comparison)
    match = next(match for match in matches_of([*pieces[0], *pieces[1]]) if match.lines[0] == both[0])
    copies = held[0][both[0]], held[1][both[0]]
    comparison = compare_copies(*((match.lines, match.other) if match.other else copies))
    _check_longer(comparison, (first, second), copies)
    facts = _compared(comparison) | {"findings": match.findings}
    return facts, joined((*match.findings, comparison_words(comparison)), "\n")


def _check_longer(comparison: Comparison, paths: Sequence[Path], copies: Sequence[Sequence[bytes]]) -> None:
    """A longer copy counts only if it is valid itself."""
    if comparison.verdict in ("same", "longer"):
        for path, lines in zip(paths, copies, strict=True):
            try:
                Record.load(lines)
            except PbemError as fault:
                raise VerificationError(
                    "invalid",
                    sentence("{path} is not valid: {fault}", path=path, fault=fault),
                    hint=sentence("Keep the other copy. To see more: pbem verify {path}", path=path),
                ) from fault


def _compared(comparison: Comparison) -> JsonObject:
    facts: JsonObject = {
        "verdict": comparison.verdict,
        "common": comparison.common,
        "text": comparison.sentence,
    }
    if comparison.proof is not None:
        facts["proof"] = [line.raw.decode() for line in comparison.proof]
    return facts
