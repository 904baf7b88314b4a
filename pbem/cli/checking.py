"""Commands that prove things: verify, audit, compare, inspect. None of them needs a key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.clients import bytes_of
from pbem.cli.console import answer
from pbem.cli.options import KEYS, AsJson, Keys, Lang
from pbem.cli.proving import ReportPage, audited_any, compared, proof_facts, records_hold
from pbem.cli.speech import spoken
from pbem.player.seat import inspect_file, inspect_text

app = typer.Typer()

AnyGame = Annotated[
    Path, typer.Argument(metavar="GAME", help="A game file, its folder, or a letter with one.")
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
        typer.Argument(metavar="[GAME]", help="A game file, its folder, or a letter; needless with --mbox."),
    ] = None,
    mbox: Annotated[
        list[Path] | None,
        typer.Option(
            "--mbox",
            metavar="PATH",
            help="Rebuild the match from this mailbox (mbox, Maildir, or a folder of letters and turn files), and"
            " say what is missing, altered or told differently. May be given several times.",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Write a page that a person can read: verdict, story, every draw with its numbers, luck, times.",
        ),
    ] = None,
    engine: Annotated[bool, typer.Option(help="Also replay with the rules what is open.")] = True,
    diary: Annotated[
        bool,
        typer.Option(
            "--diary", help="With your own diary on the page of --html; that page is for you alone."
        ),
    ] = False,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Prove or refute every draw, list findings, show the luck. Exit code 4 if there is a finding.

    The page speaks your language, what is for programs and for checking by hand stays English. Needs no key but for
    --diary.
    """
    page = None if html is None else ReportPage(html, spoken(lang), keys if diary else None)
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
    facts, text = compared(first, second)
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
