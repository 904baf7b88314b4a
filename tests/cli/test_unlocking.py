"""An identity opened once: what the keyring keeps, for how long, and what no file ever holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import keyring
import keyring.core
import pytest
from keyring.backend import KeyringBackend

from pbem.base.errors import UsageProblem, VerificationError
from pbem.base.language import ENGLISH, language_of
from pbem.cli.console import print_notice
from pbem.cli.standing_here import standing_here
from pbem.game import Seat
from pbem.player.mail.own import read_own_mail, sealed_password
from pbem.player.seat.keeping_open import Settings, SystemKeyring, read_settings, until_of, write_settings
from pbem.player.seat.next_step import next_step
from pbem.player.store import Keyring
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.identity_file import read_header, write_identity
from tests.cli.seats import Done, run
from tests.world import START, World, secret


class Kept:
    """A keyring in memory."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, user: str) -> str | None:
        return self.entries.get((service, user))

    def set_password(self, service: str, user: str, password: str) -> None:
        self.entries[service, user] = password

    def delete_password(self, service: str, user: str) -> None:
        del self.entries[service, user]


class Broken(Kept):
    """One that is locked."""

    def get_password(self, *_: str) -> Any:
        raise RuntimeError("the keyring is locked")


ANNA, BURT = Identity(secret("anna 1")), Identity(secret("burt 1"))
FILE = write_identity(ANNA, "Anna", "horse", b"0" * 16, log_n=1)


def test_the_keyring_keeps_an_identity_open_until_its_time_is_over() -> None:
    header, kept = read_header(FILE), Kept()
    keyring = SystemKeyring(print_notice, kept)
    assert keyring.opened(header, START) is None
    keyring.keep(ANNA, until_of(Settings("session", 30), START))
    opened = keyring.opened(header, "2026-11-21T18:29:59Z")
    assert opened is not None
    assert opened.secret == ANNA.secret
    assert keyring.opened(header, "2026-11-21T18:30:00Z") is None
    assert kept.entries == {}, "what is over is forgotten"
    keyring.keep(ANNA, until_of(Settings("always"), START))
    assert keyring.opened(header, "2036-01-01T00:00:00Z") is not None
    assert keyring.forget(header)
    assert not keyring.forget(header)


def test_a_keyring_that_answers_nonsense_or_nothing_stops_nobody() -> None:
    header, kept = read_header(FILE), Kept()
    SystemKeyring(print_notice, kept).keep(BURT, "")
    kept.entries["pbem", b64(ANNA.sign_public)] = next(iter(kept.entries.values()))
    assert SystemKeyring(print_notice, kept).opened(header, START) is None, "another identity under this name"
    kept.entries["pbem", b64(ANNA.sign_public)] = "{"
    assert SystemKeyring(print_notice, kept).opened(header, START) is None
    assert SystemKeyring(print_notice, Broken()).opened(header, START) is None


def test_settings_and_mail_are_read_as_written_with_any_line_ends(tmp_path: Path) -> None:
    folder = tmp_path / "identities"
    write_settings(folder, Settings("session", 5, "anna@example.org"))
    sealed = sealed_password(ANNA, "app")
    text = f'address = "anna@example.org"\n[smtp]\nhost = "smtp.example.org"\nuser = "anna"\n{sealed}\n'
    assert "app" not in text.replace("sealed", "")
    for path, raw in ((folder / "settings.toml", (folder / "settings.toml").read_bytes()),
                      (folder / "mail.toml", text.encode())):  # fmt: skip
        path.write_bytes(b"\xef\xbb\xbf" + raw.replace(b"\n", b"\r\n"))
    assert read_settings(folder) == Settings("session", 5, "anna@example.org")
    assert read_own_mail(folder, ANNA, {}).smtp.password.read(folder, {}) == "app"


def test_pbem_alone_says_who_has_until_when(tmp_path: Path) -> None:
    world = World("wyatt-earp", ("anna", "burt")).start()
    (tmp_path / "game.jsonl").write_bytes(b"".join(line + b"\n" for line in world.lines))
    waiting = world.record.waiting
    assert waiting is not None
    name = str(waiting["seat"]).title()
    assert standing_here(tmp_path, ENGLISH).endswith(" Next: pbem play")
    said = next_step(world.record, None, [], START, ENGLISH)
    assert said == f"Waiting for {name} to draw, by Tuesday 18:00 UTC."
    own = next_step(world.record, Seat(waiting["seat"]), [], START, language_of("de"))
    assert own == "Du bist dran: ziehen, bis Dienstag 18:00 UTC."
    assert "pbem practice" in standing_here(tmp_path / "sent", ENGLISH), "elsewhere the start page"


# --- by commands ------------------------------------------------------------------------------------------------


class Desktop(Kept, KeyringBackend):
    """What a desktop has, for as long as a test runs: nothing that the library would find by itself."""

    priority = -1.0


@pytest.fixture
def desktop() -> Iterator[Desktop]:
    before, kept = keyring.get_keyring(), Desktop()
    kept.priority = 1.0
    keyring.set_keyring(kept)
    yield kept
    keyring.set_keyring(before)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    Keyring(tmp_path / "home").add("anna", FILE)
    return tmp_path / "home"


def by(home: Path, *arguments: object, said: str | None = None) -> Done:
    """A command on that home, with or without a passphrase file."""
    if said is None:
        return run(*arguments, "--home", home)
    file = home.parent / "passphrase"
    file.write_text(said + "\n", encoding="utf-8")
    file.chmod(0o600)
    return run(*arguments, "--home", home, "--passphrase-file", file)


def test_a_wrong_passphrase_ends_with_the_exit_code_of_what_does_not_verify(home: Path) -> None:
    done = by(home, "id", "backup", said="donkey")
    assert done.code == VerificationError.exit_code == 4
    assert done.out == ""
    assert "the passphrase does not open the identity of Anna" in done.err
    assert "  try:  pbem id restore" in done.err
    assert by(home, "id", "backup", said="horse").code == 0


def test_an_identity_is_open_from_unlock_to_lock(home: Path, desktop: Desktop) -> None:
    world = World("wyatt-earp", ("anna", "burt")).start()
    match = home.parent / "match"
    match.mkdir()
    (match / "game.jsonl").write_bytes(b"".join(line + b"\n" for line in world.lines))

    def signed() -> int:
        """Something is signed and nobody is there to be asked."""
        return run("say", match, "Howdy", "-o", match / "say.json", "--home", home).code

    assert signed() == UsageProblem.exit_code
    opened = by(home, "id", "unlock", "--minutes", 5, said="horse")
    assert (opened.code, opened.out[:15]) == (0, "Unlocked until ")
    assert read_settings(home / "identities").keyring == "session"
    assert b64(ANNA.secret) in next(iter(desktop.entries.values()))
    written = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert b64(ANNA.secret).encode() not in written
    assert ANNA.secret not in written
    assert signed() == 0
    assert by(home, "id", "unlock", "--lock").out == "Locked.\n"
    assert desktop.entries == {}
    assert signed() == UsageProblem.exit_code
    assert by(home, "id", "unlock", "--lock").out == "It was not unlocked.\n"


def test_a_wrong_passphrase_unlocks_nothing(home: Path, desktop: Desktop) -> None:
    assert by(home, "id", "unlock", said="donkey").code == 4
    assert desktop.entries == {}


@pytest.fixture
def no_desktop() -> Iterator[None]:
    """A system without a keyring: other tests bring backends that the library would find."""
    before = keyring.get_keyring()
    keyring.set_keyring(keyring.core.load_keyring("keyring.backends.fail.Keyring"))
    yield
    keyring.set_keyring(before)


def test_without_a_keyring_nothing_is_written_down(home: Path, no_desktop: None) -> None:
    done = by(home, "id", "unlock", said="horse")
    assert done.code == UsageProblem.exit_code
    assert "no keyring on this system" in done.err
    assert not (home / "identities" / "settings.toml").exists()
