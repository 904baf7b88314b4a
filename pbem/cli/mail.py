"""``pbem mail``: how a player's own files leave."""

from __future__ import annotations

import typer

from pbem.cli.options import Home, Untried
from pbem.cli.service_setup import ask_own_mail

app = typer.Typer()


@app.command("init")
def mail_init(untried: Untried = False, home: Home = None) -> None:
    """Set up how your files are sent, and try it. Asks for your address and submission server."""
    ask_own_mail(home, untried=untried)
