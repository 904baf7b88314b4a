"""``pbem check``: a file judged before it is sent; scenarios and board files, which belong to no match."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from pbem.base.errors import FormatError, UsageProblem
from pbem.base.sentences import command, named, sentence
from pbem.cli.clients import (
    bytes_of,
    checkpoints,
    client_at,
    clock,
    load_json,
    no_signed_file,
    record_after_notes,
)
from pbem.cli.console import answer, reading, say
from pbem.cli.options import KEYS, AsJson, Keys, Lang
from pbem.cli.speech import PEOPLE, spoken
from pbem.game import BadSetup, Seat, Setup
from pbem.games import find_game
from pbem.player.mail import content_of
from pbem.player.seat import Verdict, check_file, find_copy
from pbem.protocol.scenario import results_to_json, run_paths, summary

app = typer.Typer()


@app.command()
def check(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="A signed file: JSON, text block or email.")
    ],
    game: Annotated[
        Path | None, typer.Option("--copy", metavar="COPY", help="Your copy, if it does not lie beside FILE.")
    ] = None,
    scenario: Annotated[
        bool, typer.Option("--scenario", help="Run FILE... as scenarios; folders of them, too.")
    ] = False,
    board: Annotated[
        str, typer.Option(metavar="GAME", help="Check FILE as a board of this game, and list every error.")
    ] = "",
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Check a file offline as the host will. Exit code 5 if the host would refuse it.

    A scenario that fails ends with exit code 4, a board with an error with 3.
    """
    if scenario:
        _run_scenarios(paths, as_json=as_json)
    if len(paths) != 1:
        raise UsageProblem(
            sentence("expected one file, found {count}", count=len(paths)),
            hint=sentence("See: {command}", command=command("pbem check --help")),
        )
    if board:
        _check_board(paths[0], board, as_json=as_json)
    verdict = checked(paths[0], game, keys)
    answer(spoken(lang).translate(named(verdict.words(), PEOPLE.get())), verdict.to_json(), as_json=as_json)
    raise typer.Exit(0 if verdict.ok else 5)


def _run_scenarios(paths: Sequence[Path], *, as_json: bool) -> NoReturn:
    results = []
    for result in run_paths(paths):
        results.append(result)
        if not as_json:
            say(result.line())
    answer(summary(results), results_to_json(results), as_json=as_json)
    raise typer.Exit(0 if all(result.ok for result in results) else 4)


def _check_board(path: Path, game_id: str, *, as_json: bool) -> NoReturn:
    faults = board_faults(path, game_id)
    text = "\n".join(faults) if faults else f"{path}: a playable board"
    answer(text, {"ok": not faults, "faults": faults}, as_json=as_json)
    raise typer.Exit(3 if faults else 0)


def board_faults(path: Path, game_id: str) -> list[str]:
    """Return every fault of a board in words: by the game's own check if it has one, else by its rules.

    Raises:
        UsageProblem: there is no such game, or it is played without a board file.
    """
    board = load_json(path)
    try:
        game = find_game(game_id)
    except KeyError as fault:
        raise UsageProblem(str(fault.args[0])) from fault
    seats = tuple(Seat(f"seat-{number}") for number in range(1, game.info.seats.start + 1))
    if "board" not in game.default_extra(seats):
        raise UsageProblem(sentence("{title} is played without a board file", title=game.info.title))
    check_setup = getattr(game, "check_setup", None)
    if check_setup is not None:
        return [str(fault) for fault in check_setup({"board": board})]
    try:
        game.rules(
            Setup(seats, game.resolve_options("default", {}), {"board": board}, max(game.info.versions))
        )
    except BadSetup as fault:
        return str(fault).splitlines()
    return []


def checked(turn_file: Path, game: Path | None, keys: Keys) -> Verdict:
    """The verdict on a file; with the seat's identity at hand its actions are judged too."""
    raw = _one_file(turn_file)
    copy = find_copy(game if game is not None else turn_file.parent, checkpoints(keys.home))
    with reading(turn_file):
        try:
            return client_at(copy, keys).check(raw, clock())
        except UsageProblem:
            return check_file(record_after_notes(copy), raw, at=clock())


def _one_file(path: Path) -> bytes:
    content = content_of(bytes_of(path))
    if content.damages and not content.files:
        raise content.damages[0]
    if content.kind == "nothing":
        raise no_signed_file(path)
    if len(content.files) != 1:
        raise FormatError(
            sentence("expected one signed file in {path}, found {count}", path=path, count=len(content.files))
        )
    return content.files[0]
