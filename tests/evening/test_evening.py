"""An evening from an empty home, in three real terminals and on real mail servers: the aims of the first mile."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.evening.play import BEFORE, GAMES, SEATS, Evening
from tests.mail.stack import MailStack, why_missing
from tests.needed import require
from tests.play.test_real_terminal import Terminal
from tests.service.real import Place


@pytest.mark.slow
@pytest.mark.parametrize(("game", "most"), [*zip(GAMES, (1.0, 1.3), strict=True)])
def test_new_players_type_pbem_play_and_keys_and_nothing_else(tmp_path: Path, game: str, most: float) -> None:
    require(why_missing() or ("" if shutil.which("tmux") else "tmux is not installed"))
    leaver = "curt" if game == "way-out-west" else ""
    seats = SEATS if leaver else SEATS[:2]  # a hand of two is shorter, and three are in the other game
    terminals = [Terminal(f"pbem-evening-{os.getpid()}-{name}") for name in seats]
    with MailStack(("games", "boss", *seats)) as stack:
        try:
            evening = Evening(tmp_path, Place(stack.ports, str(stack.ca_file)), terminals, game)
            evening.run(leaver=leaver)  # from the first start to the end of a game turn or a hand
        finally:
            for terminal in terminals:
                terminal.tmux("kill-server")
    for guest in evening.guests.values():
        counted = guest.counted
        assert counted.turns > 2
        assert counted.commands == (2 if guest.name == leaver else 1), "from the first start to the last turn"
        assert counted.files - BEFORE <= counted.turns, "at most one file for a decision"
        assert "UTC" not in evening.farewells[0], "times are those of the player's own clock"
        typed = {name for name in ("game.jsonl", "sent") if not list(guest.folder.rglob(name))}
        assert not typed, "everything was made by itself"
    sent = sum(guest.counted.files - evening.taken[name][0] for name, guest in evening.guests.items())
    assert sent <= most * sum(turns for _, turns in evening.taken.values()), "files for a turn"
    assert evening.guests["anna"].counted.passphrases == 1, "the password of her mail; no passphrase"
    secrets = [b"six white horses", b"test-only"]
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.name != "keyring.json":
            assert not any(secret in path.read_bytes() for secret in secrets), f"a secret lies in {path}"
    assert "close" in {line.kind for line in evening.record.lines}, "everything hidden was opened"
    assert evening.processor < 120, "seconds of processor that the three terminals took"
    assert all(", by " in shown for shown in evening.farewells), "who is awaited, by when"
