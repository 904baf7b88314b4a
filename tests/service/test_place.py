"""O9: a folder copied by hand, a computer thought lost that runs again: one place serves, the other says so."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.host.config import NO_MAIL, ApiPlace
from pbem.host.config_file import write_config
from pbem.host.copy_elsewhere import moved_mark
from pbem.host.service.place import (
    AtAddress,
    BesideCopy,
    HostPlace,
    InMailbox,
    ServedElsewhere,
    Spot,
    Whereabouts,
    sealed,
)
from pbem.host.service.service import Service
from pbem.host.service.sidecar import RunningApi
from pbem.protocol.crypto.identity import Identity
from tests.cli.seats import make_identity, run
from tests.service.configs import config_in
from tests.service.fakes import FakeClock, FakeMail, fake_service
from tests.world import secret

FOLDER = "Processed"


class HostSetup:
    """A service in a folder on a computer; all share one mailbox."""

    def __init__(self, folder: Path, name: str, mail: FakeMail, clock: FakeClock, *more: Spot) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.gone: list[HostPlace] = []
        self.service: Service = fake_service(folder, mail, clock)
        inside = InMailbox(mail, FOLDER)
        self.service.whereabouts = Whereabouts(
            self.service.context, name, [inside, *more], inside, self.gone.append
        )

    def copied(self, folder: Path, name: str, mail: FakeMail, clock: FakeClock) -> HostSetup:
        """Somebody copies the folder, and begins there."""
        shutil.copytree(self.folder, folder)
        return HostSetup(folder, name, mail, clock)

    @property
    def troubles(self) -> list[str]:
        """Of one round."""
        return self.service.run_once().troubles


@pytest.fixture
def mail() -> FakeMail:
    return FakeMail()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def first(tmp_path: Path, mail: FakeMail, clock: FakeClock) -> Iterator[HostSetup]:
    setup = HostSetup(tmp_path / "first", "first", mail, clock)
    assert setup.troubles == []
    yield setup
    setup.service.close()


def test_a_copy_by_hand_goes_on_and_the_old_folder_says_so(
    first: HostSetup, mail: FakeMail, clock: FakeClock, tmp_path: Path
) -> None:
    second = first.copied(tmp_path / "second", "second", mail, clock)
    assert "began on another computer" in second.troubles[0], (
        "it signs nothing until the other one has looked"
    )
    clock.tick(150)
    with pytest.raises(ServedElsewhere, match="goes on at second"):
        first.service.run_once()
    assert [place.name for place in first.gone] == ["second"]
    assert second.troubles
    clock.tick(60)
    assert second.troubles == []
    with pytest.raises(ServedElsewhere):
        first.service.run_once()  # however often it is started
    second.service.close()


def test_a_computer_that_was_thought_dead_wakes_up(
    first: HostSetup, mail: FakeMail, clock: FakeClock, tmp_path: Path
) -> None:
    """Its program was suspended: what it does first afterwards is to look, before time lost or a default."""
    second = first.copied(tmp_path / "second", "second", mail, clock)
    second.service.whereabouts.take()  # ``pbem host --from``: a person says so
    assert second.troubles == []
    clock.tick(3600 * 50)
    with pytest.raises(ServedElsewhere):
        first.service.run_once()
    second.service.close()


def test_an_older_copy_begun_on_a_third_computer_does_not_go_on(
    first: HostSetup, mail: FakeMail, clock: FakeClock, tmp_path: Path
) -> None:
    second = first.copied(tmp_path / "second", "second", mail, clock)
    second.service.whereabouts.take()
    third = first.copied(tmp_path / "third", "third", mail, clock)
    with pytest.raises(ServedElsewhere, match="second"):
        third.service.run_once()
    third.service.whereabouts.take()
    assert third.troubles == []
    clock.tick(180)
    with pytest.raises(ServedElsewhere, match="third"):
        second.service.run_once()
    for setup in (second, third):
        setup.service.close()


def test_nobody_else_can_stop_a_service(first: HostSetup, mail: FakeMail, clock: FakeClock) -> None:
    stranger = Identity(secret("stranger"))
    mail.mark(FOLDER, sealed(HostPlace(99, "2030-01-01T00:00:00Z", "ff", "nowhere"), stranger))
    mail.mark(FOLDER, "rubbish \N{SNOWMAN}")
    mail.mark(FOLDER, "")
    clock.tick(300)
    assert first.troubles == []


def test_a_mailbox_that_is_away_holds_up_whoever_was_away_himself(
    first: HostSetup, mail: FakeMail, clock: FakeClock
) -> None:
    mail.down = True
    for _ in range(50):  # it runs all the time: players at the API play on
        clock.tick(120)
        assert not any("nothing is signed yet" in trouble for trouble in first.troubles)
    clock.tick(3601)
    assert "nothing is signed yet" in first.troubles[0]
    assert "nothing is signed yet" in first.troubles[0]
    mail.down = False
    assert first.troubles == []


def test_what_does_not_look_itself_signs_nothing_before_somebody_has(
    first: HostSetup, clock: FakeClock
) -> None:
    """A thread of the API that runs again before the loop does."""
    thread = fake_service(first.folder, FakeMail(), clock)
    inside = InMailbox(FakeMail(), FOLDER)
    thread.whereabouts = Whereabouts(thread.context, "first", [inside], inside, looks=False)
    assert thread.run_once_without_mailbox().troubles == []
    clock.tick(301)
    assert "until it was looked" in thread.run_once_without_mailbox().troubles[0]
    assert first.service.whereabouts.due()
    assert first.troubles == []
    assert thread.run_once_without_mailbox().troubles == []
    thread.close()


def test_who_answers_at_the_apis_own_address_says_it_too(tmp_path: Path, clock: FakeClock) -> None:
    """Without a mailbox: friends come by links, and the name of the old computer leads to the new one."""
    old = HostSetup(tmp_path / "old", "old", FakeMail(), clock)
    old.service.whereabouts.take()
    new = old.copied(tmp_path / "new", "new", FakeMail(), clock)
    new.service.whereabouts.take()

    def make() -> Service:
        return fake_service(new.folder, FakeMail(), clock)

    api = RunningApi(make, "127.0.0.1:0", (), lambda _: None)
    api.start()
    try:
        for setup in (new, old):
            at = AtAddress(f"http://127.0.0.1:{api.server.port}")
            setup.service.whereabouts = Whereabouts(setup.service.context, setup.folder.name, [at])
        new.service.whereabouts.take()
        assert new.troubles == [], "its own answer stops nobody"
        with pytest.raises(ServedElsewhere, match="goes on at new"):
            old.service.run_once()
    finally:
        api.close()
    for setup in (old, new):
        setup.service.close()


def test_the_copy_on_another_disk_says_it_too(tmp_path: Path, clock: FakeClock) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    old = HostSetup(tmp_path / "old", "old", FakeMail(), clock, BesideCopy(disk))
    assert old.troubles == []
    new = old.copied(tmp_path / "new", "new", FakeMail(), clock)
    new.service.whereabouts = Whereabouts(new.service.context, "new", [BesideCopy(disk)])
    assert "began on another computer" in new.troubles[0]
    clock.tick(150)
    with pytest.raises(ServedElsewhere, match="goes on at new"):
        old.service.run_once()
    for setup in (old, new):
        setup.service.close()


def test_by_commands_two_folders_and_one_disk(tmp_path: Path) -> None:
    old, new, disk = tmp_path / "old", tmp_path / "new", tmp_path / "disk"
    old.mkdir()
    disk.mkdir()
    make_identity(old / "home", "host", "host")
    (old / "word").write_text("")
    (old / "word").chmod(0o600)
    config = config_in(
        old,
        address=NO_MAIL,
        operator="",
        imap=None,
        smtp=None,
        api=ApiPlace("http://localhost:1", "", (), ""),
        backup=str(disk),
    )
    write_config(old / "service.toml", config)

    def at(folder: Path, *words: str) -> tuple[int, str]:
        done = run("host", *words, "--config", folder / "service.toml")
        return done.code, done.out + done.err

    assert at(old, "run-once")[0] == 0
    shutil.copytree(old, new)
    code, output = at(new, "run-once")
    assert code != 0
    assert "began on another computer" in output
    for _ in range(2):
        code, output = at(old, "run-once")
        assert code != 0
        assert "this host goes on at" in output
        assert str(new) in output
        assert "go-on --here" in output
    assert at(old, "matches")[0] != 0
    assert moved_mark(config).is_file()
    assert at(old, "go-on", "--here")[0] == 0
    assert at(old, "run-once")[0] == 0
    code, output = at(new, "run-once")
    assert code != 0
    assert str(old) in output
