"""``pbem host`` alone: to a host what ``pbem play`` is to a player. One command, in any folder, and it goes on."""

from __future__ import annotations

import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from pbem.base.errors import UsageProblem
from pbem.base.language import Language
from pbem.base.sentences import sentence
from pbem.cli.asking import Asking
from pbem.cli.console import say, tell
from pbem.cli.host_asking import WantedMatch
from pbem.cli.host_first import Wishes, first_start
from pbem.cli.host_watch import Watch
from pbem.cli.options import Lang
from pbem.cli.passphrase import old_passphrase
from pbem.cli.service_run import build_service
from pbem.cli.service_serve import BackgroundLoop, serve_until_stopped
from pbem.cli.speech import spoken
from pbem.host.config import CONFIG_NAME, read_config
from pbem.host.copy_elsewhere import bring_here, copied_identity
from pbem.host.service.answers import restored_words
from pbem.protocol.formats.identity_file import read_identity

app = typer.Typer()


@app.command()
def here(
    folder: Annotated[
        Path, typer.Argument(metavar="[FOLDER]", help="Where the host's files lie; otherwise this folder.")
    ] = Path(),
    copy: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="COPY", help="Go on from the copy of a host whose computer is gone for good."
        ),
    ] = None,
    listen: Annotated[
        str, typer.Option("--listen", metavar="ADDRESS", help="Where the door listens, at the first start.")
    ] = "",
    page: Annotated[
        Path | None,
        typer.Option("--page", metavar="PAGE", help="Another built page, at the first start."),
    ] = None,
    passphrase_file: Annotated[
        Path | None,
        typer.Option(
            "--passphrase-file", metavar="FILE", help="The passphrase of the copy, in its first line."
        ),
    ] = None,
    lang: Lang = None,
) -> None:
    """Host on this computer: set up, invite, deal, send and fetch.

    It asks what it does not know, and says whom the match waits for.
    """
    language = spoken(lang)
    ask = Asking(language)
    target = folder / CONFIG_NAME
    wanted = None
    try:
        if copy is not None:
            _go_on_from(copy, folder, passphrase_file, ask)
        elif not target.exists():
            if not sys.stdin.isatty():
                raise UsageProblem(
                    sentence(
                        "there is no host in {folder} yet, and no terminal to ask at", folder=folder.resolve()
                    ),
                    hint=sentence("Start it at a terminal once, or set a service up: pbem host init"),
                )
            wanted = first_start(folder, ask, Wishes(listen, page)).wanted
    except (typer.Abort, KeyboardInterrupt):
        say("\n" + language.tell(sentence("Left. pbem host begins from here.")))
        raise typer.Exit(1) from None
    serve_until_stopped(
        target,
        pictures=None,
        http=None,
        health=None,
        log="plain",
        watching=partial(_watching, language=language, wanted=wanted),
    )


def _watching(beside: BackgroundLoop, *, language: Language, wanted: WantedMatch | None) -> Watch:
    return Watch(beside, language, wanted)


def _go_on_from(copy: Path, folder: Path, passphrase_file: Path | None, ask: Asking) -> None:
    """Bring everything here, and learn from the mailbox what came since."""
    _, name, raw = copied_identity(copy)
    passphrase = old_passphrase(passphrase_file, name)
    host = read_identity(raw, passphrase)[0]
    target = bring_here(copy, folder, host, passphrase)
    told = sentence(
        "The host goes on here. Never start the old folder again: two that sign one match prove it against you."
    )
    tell(ask.language.tell(told))
    config = read_config(target)
    if config.imap is None:
        return
    with closing(build_service(config, checked=False, host=host)) as service:
        found = service.restorer().heal()
    say(ask.language.tell(restored_words(copy, None, found)))
