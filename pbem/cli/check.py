"""``pbem check``: a file judged before it is sent."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.base.errors import FormatError, UsageProblem
from pbem.base.sentences import named, sentence
from pbem.cli.clients import bytes_of, checkpoints, client_at, clock, no_signed_file, record_told
from pbem.cli.console import answer, reading
from pbem.cli.options import KEYS, AsJson, Keys, Lang
from pbem.cli.speech import PEOPLE, spoken
from pbem.player.mail import content_of
from pbem.player.seat import Verdict, check_file, find_copy

app = typer.Typer()


@app.command()
def check(
    turn_file: Annotated[
        Path, typer.Argument(metavar="TURN", help="A signed file: JSON, text block or email.")
    ],
    game: Annotated[
        Path | None, typer.Option("--copy", metavar="COPY", help="Your copy, if it does not lie beside TURN.")
    ] = None,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Check a file offline as the host will. Exit code 5 if the host would refuse it."""
    verdict = checked(turn_file, game, keys)
    answer(spoken(lang).translate(named(verdict.words(), PEOPLE.get())), verdict.to_json(), as_json=as_json)
    raise typer.Exit(0 if verdict.ok else 5)


def checked(turn_file: Path, game: Path | None, keys: Keys) -> Verdict:
    """The verdict on a file; with the seat's identity at hand its actions are judged too."""
    raw = _one_file(turn_file)
    copy = find_copy(game if game is not None else turn_file.parent, checkpoints(keys.home))
    with reading(turn_file):
        try:
            return client_at(copy, keys).check(raw, clock())
        except UsageProblem:
            return check_file(record_told(copy), raw, at=clock())


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
