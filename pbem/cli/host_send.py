"""``pbem host send``: the emails of match folders leave by SMTP and are marked; ``--sent`` marks those handed over."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from pbem.base.errors import UsageProblem
from pbem.base.sentences import Sentence, counted, joined, sentence
from pbem.cli.console import answer
from pbem.cli.host_clients import service_config
from pbem.cli.keys import keyring_at
from pbem.cli.options import AsJson, Home
from pbem.game import JsonObject
from pbem.host.config import read_config
from pbem.host.config_file import open_outgoing
from pbem.host.send import SentLetters, mark_waiting, send_waiting
from pbem.player.mail.own import read_own_mail
from pbem.player.mail.ports import OWN_MAIL, Outgoing
from pbem.player.store import GAME_FILE, find_match_folder

app = typer.Typer()


@app.command()
def send(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FOLDER...]", help="Match folders; otherwise this one, or all right below it."
        ),
    ] = None,
    sent: Annotated[
        bool, typer.Option("--sent", help="Send nothing: you have handed over all that wait; mark them.")
    ] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Send every email that waits in a match folder.

    By the mail account that is set up; each is marked as sent. A receipt is left out if a newer email brings its news.
    """
    places = [find_match_folder(folder) for folder in folders or _here()]
    facts: JsonObject = {}
    if sent:
        for place in places:
            facts[str(place.path)] = {"marked": list(mark_waiting(place.outbox))}
        count = sum(len(fact["marked"]) for fact in facts.values())
        answer(
            counted("{n} email is marked as sent.", "{n} emails are marked as sent.", count),
            facts,
            as_json=as_json,
        )
        return
    address, outgoing = _way_out(home)
    done: dict[str, SentLetters] = {}
    with closing(outgoing):
        for place in places:
            done[str(place.path)] = send_waiting(place.outbox, outgoing, address)
    facts = {path: asdict(run) for path, run in done.items()}
    answer(_words(done), facts, as_json=as_json)
    raise typer.Exit(6 if any(run.refused or run.doubtful for run in done.values()) else 0)


def _here() -> list[Path]:
    """The match folder that this is, or those right below."""
    if Path(GAME_FILE).is_file():
        return [Path()]
    paths = sorted(path.parent for path in Path().glob(f"*/{GAME_FILE}"))
    if not paths:
        raise UsageProblem(
            sentence("there is no match folder here"), hint=sentence("Name one: pbem host send FOLDER")
        )
    return paths


def _way_out(home: Path | None) -> tuple[str, Outgoing]:
    """The service's account if there is one beside, else the own one of ``pbem mail init``."""
    path = service_config()
    if path.is_file() and (config := read_config(path)).smtp is not None:
        return config.address, open_outgoing(config, os.environ)
    folder = keyring_at(home).folder
    if not (folder / OWN_MAIL).is_file():
        raise UsageProblem(
            sentence("no mail account is set up here"),
            hint=sentence(
                "Set yours up: pbem mail init. Or send the emails in outbox/ yourself, then: pbem "
                "host send --sent"
            ),
        )
    own = read_own_mail(folder, None, os.environ)
    return own.address, own.outgoing()


def _words(done: dict[str, SentLetters]) -> Sentence:
    lines: list[str] = []
    for path, run in done.items():
        text = counted("{path}: {n} email sent", "{path}: {n} emails sent", len(run.sent), path=path)
        lines.append(text)
        if run.spared:
            lines.append(
                counted(
                    "{n} receipt is not needed: a newer email brings what it said",
                    "{n} receipts are not needed: newer emails bring what they said",
                    len(run.spared),
                )
            )
        lines += [
            sentence("{name}: nobody has told an address; hand it over", name=name) for name in run.no_address
        ]
        lines += [joined((name, why), ": ") for name, why in run.refused.items()]
        lines += [
            sentence("{name}: it may have left; it goes again with the next 'pbem host send'", name=name)
            for name in run.doubtful
        ]
    return joined(lines, "\n")
