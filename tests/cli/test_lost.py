"""A player whose computer is new, whose passphrase is forgotten, or who has one identity twice: back in one go."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.base.errors import VerificationError
from pbem.cli.which import forgotten
from pbem.player.play.arriving import saved_invitations, saved_letters, seated_in
from pbem.protocol.crypto.identity import to_paper
from tests.cli.seats import Friends, make_identity, run
from tests.play.test_real_terminal import ROOT, Terminal, new_terminal


@pytest.fixture(scope="module")
def friends(tmp_path_factory: pytest.TempPathFactory) -> Friends:
    return Friends(tmp_path_factory.mktemp("lost")).begin().join_and_ready()


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = new_terminal(tmp_path.name)
    yield terminal
    terminal.tmux("kill-server")


def letters_alone(friends: Friends, seat: str, folder: Path) -> Path:
    """What somebody has on a new computer: their emails, saved out of their mailbox."""
    folder.mkdir()
    for letter in friends.folder(seat).glob("*.eml"):
        shutil.copy(letter, folder)
    return folder


def test_only_invitations_are_offered_as_such(friends: Friends, tmp_path: Path) -> None:
    folder = letters_alone(friends, "burt", tmp_path / "letters")
    assert len(saved_letters(folder)) > 2
    (invitation,) = saved_invitations(folder)
    assert "invitation" in invitation.name


def test_a_seat_is_found_in_letters_by_its_key(friends: Friends, tmp_path: Path) -> None:
    folder = letters_alone(friends, "burt", tmp_path / "letters")
    mine = make_identity(tmp_path / "home", "burt").sign_public
    assert seated_in(saved_letters(folder), {mine})
    assert not seated_in(saved_letters(folder), {bytes(32)})


def test_the_paper_sets_a_new_passphrase_on_the_same_identity(tmp_path: Path) -> None:
    home, paper, new = tmp_path / "home", tmp_path / "paper", tmp_path / "new"
    paper.write_text(to_paper(make_identity(home, "anna")))
    new.write_text("another one\n")
    new.chmod(0o600)
    done = run("id", "restore", "Anna", "--from", paper, "--home", home, "--passphrase-file", new)
    assert done.code == 0, done.err
    assert [path.name for path in (home / "identities").iterdir()] == ["anna.json"]
    assert run("id", "backup", "anna", "--home", home, "--passphrase-file", new).code == 0
    other = tmp_path / "other"
    other.write_text(to_paper(make_identity(tmp_path / "elsewhere", "burt")))
    refused = run("id", "restore", "Anna", "--from", other, "--home", home, "--passphrase-file", new)
    assert refused.code == 2  # another identity never takes the place of this one
    assert "already an identity" in refused.err


def test_one_identity_under_two_names_is_one(friends: Friends, tmp_path: Path) -> None:
    folder = tmp_path / "burt"
    shutil.copytree(friends.folder("burt"), folder)
    identities = folder / "home" / "identities"
    shutil.copy(identities / "burt.json", identities / "burt-2.json")
    done = run("show", folder, "--home", folder / "home")
    assert done.code == 0, done.err


def test_a_forgotten_passphrase_names_the_command_that_helps() -> None:
    fault = forgotten(VerificationError("passphrase", "that is not it"), "anna")
    assert "pbem id restore anna" in fault.hint


def test_a_new_computer_asks_and_brings_the_seat_back(
    friends: Friends, tmp_path: Path, terminal: Terminal
) -> None:
    folder = letters_alone(friends, "burt", tmp_path / "letters")
    paper = tmp_path / "paper"
    paper.write_text(to_paper(make_identity(tmp_path / "old", "burt")))
    words = [sys.executable, "-m", "pbem", "play", str(folder), "--home", str(tmp_path / "home")]
    setting = "PBEM_LANG=en PYTHON_KEYRING_BACKEND=keyring.backends.null.Keyring"
    terminal.start(f"cd {shlex.quote(str(ROOT))} && env {setting} {shlex.join(words)}")
    terminal.until("New here, or have you a seat already?")
    terminal.press("2", "Enter")
    terminal.until("Your recovery words")
    terminal.press(str(paper), "Enter")
    terminal.until("A passphrase for your keys")
    terminal.press("six white horses", "Enter")
    terminal.until("The same again")
    terminal.press("six white horses", "Enter")
    terminal.until("Waiting for Anna to", "Your hand")
