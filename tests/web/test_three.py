"""One seat in the page by HTTP, one in the page by mail and files, one in a terminal, at a host's real process."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.mail.stack import MailStack, require, why_missing
from tests.play.test_real_terminal import Terminal
from tests.service.real import Place
from tests.web.three import SEATS, judged, table


@pytest.mark.slow
def test_from_the_invitations_to_the_end_of_a_game_turn(browser: Any, served: str, tmp_path: Path) -> None:
    require(why_missing() or ("" if shutil.which("tmux") else "tmux is not installed"))
    terminal = Terminal(f"pbem-three-{os.getpid()}")
    with MailStack(("games", "boss", *SEATS)) as stack:
        place = Place(stack.ports, str(stack.ca_file))
        try:
            with table(place, tmp_path, browser, served) as made:
                made.begin("way-out-west", terminal)
                made.play()
                assert judged(made.lines) == "audit clean, JavaScript agrees"
                assert min(made.files.values()) > 3
                assert made.anna.said == made.burt.said == []
        finally:
            terminal.tmux("kill-server")
