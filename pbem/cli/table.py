"""``pbem table``: ask a service that is not yours for a table of your friends. You have no power in it."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from email.utils import make_msgid
from typing import Annotated

import typer

from pbem.base.sentences import sentence
from pbem.cli.console import answer
from pbem.cli.options import AsJson, Home
from pbem.cli.posting import own_mail
from pbem.host.arguments import seat_addresses
from pbem.player.mail.outgoing import MailHead, check_address, write_mail

app = typer.Typer()


@app.command()
def table(
    service: Annotated[str, typer.Argument(metavar="ADDRESS", help="The service's email address.")],
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="GAME TITLE SEAT=ADDRESS...|WORD",
            help="The game, a title of a-z, 0-9 and -, and the seats; or the code from the service's answer.",
        ),
    ],
    hours: Annotated[int | None, typer.Option(help="Hours for an answer.")] = None,
    send: Annotated[
        bool, typer.Option("--send", help="Send it by email (pbem mail init), not only print it.")
    ] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Ask a service for a table, or send the code it answered with. It gives you no rights over the match."""
    to, text = check_address(service), _text(words, hours)
    if send:
        own = own_mail(home)
        own_id = make_msgid(domain=own.address.rpartition("@")[2])
        raw = write_mail(MailHead(own.address, to, "a table", own_id, datetime.now(UTC)), text)
        with closing(own.outgoing()) as outgoing:
            outgoing.send(own.address, [to], raw, "table")
    shown = sentence("Sent by email to {to}.", to=to) if send else text.rstrip()
    answer(shown, {"to": to, "text": text, "sent": send}, as_json=as_json)


def _text(words: list[str], hours: int | None) -> str:
    if len(words) == 1:
        return f"TABLE {words[0]}\n"
    game, title, *pairs = words
    hint = sentence("Like this: pbem table host@example.org wyatt-earp saturday anna=anna@example.org …")
    seats = seat_addresses(pairs or [""], hint)
    lines = [
        f"TABLE {game} {title}",
        *(f"{seat} {check_address(address)}" for seat, address in seats.items()),
    ]
    return "\n".join([*lines, *([f"hours {hours}"] if hours is not None else []), ""])
