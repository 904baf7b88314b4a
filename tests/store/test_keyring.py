"""Where identity files live, and that none is ever replaced or readable by others."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from pbem.base.errors import UsageProblem
from pbem.player.store import Keyring, default_home


def test_the_home_is_what_the_environment_says() -> None:
    assert default_home({"PBEM_HOME": "/p", "XDG_CONFIG_HOME": "/x"}) == Path("/p")
    assert default_home({"PBEM_HOME": "", "XDG_CONFIG_HOME": "/x"}) == Path("/x/pbem")
    assert default_home({}) == Path.home() / ".config" / "pbem"


@pytest.mark.posix
def test_identities_are_kept_closed_listed_and_read(tmp_path: Path) -> None:
    keyring = Keyring(tmp_path / "home")
    assert keyring.names() == ()
    path = keyring.add("burt", b"file of burt")
    keyring.add("anna", b"file of anna")
    assert keyring.names() == ("anna", "burt")
    assert keyring.read("burt") == b"file of burt"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert keyring.warning("burt") == ""
    path.chmod(0o644)
    assert "mode 0644, expected 0600" in keyring.warning("burt")
    assert keyring.warning("curt") == ""


def test_an_identity_is_never_replaced(tmp_path: Path) -> None:
    keyring = Keyring(tmp_path)
    keyring.add("anna", b"first")
    with pytest.raises(UsageProblem, match="there is already an identity 'anna'"):
        keyring.add("anna", b"second")
    assert keyring.read("anna") == b"first"


def test_the_only_identity_need_not_be_named(tmp_path: Path) -> None:
    keyring = Keyring(tmp_path)
    with pytest.raises(UsageProblem, match="there is no identity in") as caught:
        keyring.pick()
    assert caught.value.hint == "Make one with: pbem id new NAME"
    keyring.add("anna", b"")
    assert keyring.pick() == keyring.pick("anna") == "anna"
    keyring.add("burt", b"")
    with pytest.raises(UsageProblem, match="there are 2 identities: anna, burt"):
        keyring.pick()
    with pytest.raises(UsageProblem, match="there is no identity 'curt'") as caught:
        keyring.pick("curt")
    assert caught.value.hint == "There are: anna, burt."


def test_capitals_count_as_small_letters(tmp_path: Path) -> None:
    keyring = Keyring(tmp_path)
    keyring.add("anna", b"her keys")
    assert keyring.pick("Anna") == "anna"
    assert keyring.read("ANNA") == b"her keys"


@pytest.mark.parametrize("name", ["", "../anna", "a b", "-a", "a" * 33, "ä"])
def test_odd_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageProblem, match="cannot be the name of an identity"):
        Keyring(tmp_path).add(name, b"")
    assert list(tmp_path.iterdir()) == []


def test_a_free_name_is_known_before_anything_is_made(tmp_path: Path) -> None:
    keyring = Keyring(tmp_path)
    keyring.check_free("anna")
    keyring.add("anna", b"")
    with pytest.raises(UsageProblem, match="there is already an identity 'anna'"):
        keyring.check_free("anna")
