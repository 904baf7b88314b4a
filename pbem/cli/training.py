"""What ``pbem practice`` needs of the world: a folder, chance, a clock, a terminal."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path

from pbem.base.errors import UsageProblem
from pbem.base.language import Language
from pbem.base.sentences import sentence
from pbem.cli.clients import clock
from pbem.cli.console import tell
from pbem.player.play.background import ask_terminal, is_light
from pbem.player.practice import Practice, PracticePlan, PracticeSession
from pbem.player.practice.match import fresh, holds_match, newest
from pbem.player.store.keyring import default_home


def practise(
    plan: PracticePlan | None,
    folder: Path | None,
    home: Path | None,
    language: Language,
    *,
    new: bool,
    light: bool | None,
) -> None:
    """Begin or go on, and run the client until the player leaves."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageProblem(sentence("pbem practice needs a terminal"))
    practice = opened(plan, folder, home or default_home(os.environ), new=new)
    from pbem.player.practice.app import PracticeApp

    session = PracticeSession(practice, language)
    colour = not os.environ.get("NO_COLOR")
    PracticeApp(
        session, light=is_light(os.environ, ask_terminal()) if light is None else light, colour=colour
    ).run()
    tell(sentence("The match is kept: pbem practice --folder {folder}", folder=practice.folder.path))


def opened(plan: PracticePlan | None, folder: Path | None, home: Path, *, new: bool) -> Practice:
    """The match in ``folder``, else the newest of the game that is not over, else a new one."""
    matches = home / "practice"
    path = folder if folder is not None and holds_match(folder) else None
    kind = "" if plan is None else f"lesson-{plan.game}" if plan.lesson else plan.game
    if folder is None and not new:
        path = newest(matches, kind)
    if path is not None and not new:
        practice = Practice(path, secrets.token_bytes, clock)
        if folder is not None or not practice.record.over:
            practice.go_on()
            return practice
    wanted = plan or PracticePlan("wyatt-earp")
    place = folder or fresh(matches, kind or wanted.game)
    return Practice.begin(place, wanted, secrets.token_bytes, clock)
