"""What ``pbem play`` needs of the world: identity, folder, mail, terminal. Imported only by its body."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable
from pathlib import Path

from pbem.cli.desks import Keys, player_desk
from pbem.cli.desks import Post as MailPost
from pbem.cli.posting import host_address, mail_file, own_mail
from pbem.errors import UsageProblem
from pbem.language import Language
from pbem.letters import short_id
from pbem.mail.outgoing import check_address
from pbem.play import Post, Session
from pbem.play.background import is_light
from pbem.player import PlayerDesk, Signed
from pbem.sentences import sentence


def sit_down(
    game: Path, keys: Keys, language: Language, *, folder: Path | None, light: bool | None, to: str | None
) -> None:
    """Open the desk, ask for the passphrase once, and run the client until the player leaves."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageProblem(
            sentence("pbem play needs a terminal"),
            hint=sentence("Without one: pbem show, pbem legal, pbem turn and pbem check."),
        )
    first = player_desk(game, keys)
    identity, home = first.identity, first.copy.folder.path

    opened = [first]  # read and verified already; later looks read what is new

    def desk() -> PlayerDesk:
        return opened.pop() if opened else PlayerDesk.open(game, identity, secrets.token_bytes)

    session = Session(desk, Post(folder or home, _mailer(first, keys, to)), language=language)
    from pbem.play.app import PlayApp

    colour = not os.environ.get("NO_COLOR")
    PlayApp(session, light=is_light(os.environ) if light is None else light, colour=colour).run()


def _mailer(desk: PlayerDesk, keys: Keys, to: str | None) -> Callable[[Signed], str] | None:
    """How a file is mailed to the host, if mail is set up and somebody has said where he reads."""
    folder = desk.copy.folder.path
    try:
        own_mail(keys.home)
        address = check_address(to) if to else host_address(folder, short_id(desk.record.game))
    except UsageProblem:
        if to:
            raise
        return None
    return lambda signed: mail_file(signed, MailPost(True, address, folder, keys.home))[0]
