"""``pbem demo``: its progress and its answer."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from pbem.base.sentences import command
from pbem.cli.clients import clock
from pbem.cli.console import answer
from pbem.cli.options import AsJson, WhichGame
from pbem.game import JsonObject, Seat
from pbem.host.demo import Demo, DemoResult, free_folder
from pbem.player.lookback.chance import luck_of
from pbem.player.lookback.words import counts_text, luck_words, verdict_of
from pbem.player.world import SeededEntropy, StepClock
from pbem.protocol.crypto.digest import short_id

app = typer.Typer()

_START = "2026-11-21T18:00:00Z"


def _silent(sentence: str, files: int) -> None:
    """With ``--json`` nothing is shown on the way."""


def _shown(sentence: str, files: int) -> None:
    """One line for each chapter, and a sign of life in between."""
    if sentence or files % 50 == 0:
        sys.stdout.write(f"{files:5} files  {sentence or '...'}\n")
        sys.stdout.flush()


def _facts(result: DemoResult) -> JsonObject:
    report = result.report
    return {
        "ok": report.ok and report.ended,
        "folder": str(result.folder),
        "match": short_id(result.record.game),
        "rules": result.record.game_info.id,
        "files": result.files,
        "letters": result.letters,
        "records": len(result.record.lines),
        "outcome": report.outcome,
        "verdict": verdict_of(report),
        "draws": dict(report.counts),
        "luck": [luck.to_json() for luck in luck_of(result.draws)],
    }


def _text(result: DemoResult) -> str:
    report, folder = result.report, result.folder
    outcome = report.outcome or {}
    names = result.record.names
    winners = ", ".join(names[Seat(seat)] for seat in outcome.get("winners", ()))
    scores = [
        f"{name.capitalize()}: " + ", ".join(f"{names[Seat(seat)]} {value}" for seat, value in values.items())
        for name, values in outcome.items()
        if isinstance(values, dict)
    ]
    player = next(iter(result.record.seats))
    home = f"{folder}/players/{player}/home"
    show = command(
        "pbem show {seat} --home {home} --passphrase-file {passphrase}",
        seat=f"{folder}/players/{player}",
        home=home,
        passphrase=f"{home}/passphrase",
    )
    audit = command("pbem audit {folder}", folder=folder)
    return "\n".join(
        [
            "",
            f"{winners or 'Nobody'} won {result.record.game_info.title}. {'; '.join(scores)}",
            f"{result.files} files in, {result.letters} emails out, {len(result.record.lines)} records",
            "",
            *((luck_words(luck_of(result.draws)), "") if result.draws else ()),
            f"Draws: {counts_text(report.counts)}. Audit ({report.mode}): {verdict_of(report)}",
            "",
            "Where to look:",
            f"  {folder}/game.jsonl         the match: {audit}",
            f"  {folder}/outbox             every email, as it would be sent",
            f"  {folder}/players/{player}       what {player} has: identity, emails, files",
            f"  {show}",
        ]
    )


@app.command()
def demo(
    game: WhichGame = "wyatt-earp",
    seats: Annotated[int, typer.Option(metavar="N", min=2, max=5, help="How many players.")] = 3,
    seed: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The same match again for the same text.")
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="A new folder; if taken, DIR-2, DIR-3 ... is used.")
    ] = Path("demo"),
    orders: Annotated[
        bool, typer.Option("--orders", help="The players give standing orders too: fewer files.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Play a whole match by files alone, and audit it. Exit code 4 if the audit finds something."""
    start = _START if seed is not None else clock()

    def entropy(name: str) -> Callable[[int], bytes]:
        return os.urandom if seed is None else SeededEntropy(seed, name)

    progress = _silent if as_json else _shown
    played = Demo(game, seats, free_folder(out), StepClock(start), entropy, progress, orders=orders).run()
    facts = _facts(played)
    answer(_text(played), facts, as_json=as_json)
    raise typer.Exit(0 if facts["ok"] else 4)
