"""``--lang`` on the commands of a player: people read their language, programs read the same in all of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.base.language import language_of
from tests.cli.seats import Done, Friends, run

LANGUAGES = ("fr", "it", "de")
GAMES = {"wyatt-earp": ("anna", "burt"), "way-out-west": ("anna", "burt", "curt")}


@pytest.fixture(scope="module", params=GAMES)
def friends(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Friends:
    root = tmp_path_factory.mktemp("friends")
    return Friends(root, GAMES[request.param], request.param).begin().join_and_ready()


def words(friends: Friends) -> list[str]:
    """What the seat that is asked may do, as typed."""
    legal = friends.play(awaited(friends), "legal", "--json").json["legal"]
    return str(legal[0]["words"]).split()


def awaited(friends: Friends) -> str:
    return str(friends.status()["waiting"]["seat"])


def check(friends: Friends, *more: str) -> Done:
    seat = awaited(friends)
    file = friends.sign(seat, "turn", *words(friends), "--again")
    home = friends.folder(seat) / "home"
    return run("check", file, "--copy", friends.folder(seat), "--home", home, *more)


COMMANDS: dict[str, tuple[Callable[[Friends, tuple[str, ...]], Done], str]] = {
    "show": (lambda f, more: f.play(awaited(f), "show", *more), "Your turn to"),
    "turn": (lambda f, more: f.play(awaited(f), "turn", "dance", *more), "is not an action"),
    "check": (lambda f, more: check(f, *more), "nothing wrong that can be seen from here"),
    "orders": (lambda f, more: f.play(awaited(f), "orders", *more), "You have no standing orders."),
    "replay": (lambda f, more: f.play(awaited(f), "replay", *more), "Nothing has been dealt yet."),
    "stats": (lambda f, more: run("stats", f.folder(awaited(f)), *more), "records"),
    "odd place": (lambda f, more: f.play(awaited(f), "show", "--at", "999", *more), "there is no record 999"),
}
"""How each is called, and English words of its answer."""


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_speaks_the_language_it_is_asked_for(friends: Friends, name: str, code: str) -> None:
    call, english = COMMANDS[name]
    before, asked = call(friends, ()), call(friends, ("--lang", code))
    assert english in before.out + before.err
    assert english not in asked.out + asked.err
    assert asked.code == before.code
    if english.endswith("."):  # a whole sentence: its translation is known
        assert language_of(code).gettext(english) in asked.out + asked.err


HOSTS: dict[str, tuple[tuple[str, ...], str]] = {
    "status": (("host", "status"), "not marked as sent"),
    "start": (("host", "start"), "fingerprint of the signing key"),
    "remind": (("host", "remind"), "24 h before"),
    "burn": (("host", "burn"), "no deal can be voided now"),
    "extend": (("host", "extend", "tomorrow"), "expected a time like"),
    "observe": (("host", "observe"), "There are no spectators."),
    "add": (("host", "add", "nothing-there"), "cannot read"),
    "archive": (("host", "archive"), "the audit has no findings"),
    "verify": (("verify",), "records hold."),
    "audit": (("audit",), "replayed"),
    "compare": (("compare",), "the copies are the same"),
}
"""Commands of the host, and of whoever proves something; English words of each answer."""


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("name", HOSTS)
def test_the_host_and_whoever_audits_are_answered_in_their_language(
    friends: Friends, name: str, code: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    call, english = HOSTS[name]
    more: list[object] = []
    if call[0] == "host":
        more = ["--match", friends.match, "--home", friends.root / "host" / "home"]
    if name == "archive":
        more = ["--match", friends.match, "--output"]
    elif name in ("verify", "audit", "compare"):
        more = [friends.match] * (2 if name == "compare" else 1)

    def answered(tag: str) -> Done:
        monkeypatch.setenv("PBEM_LANG", tag)
        return run(*call, *more, *([tmp_path / f"{tag}.tar.gz"] if name == "archive" else []))

    before, asked = answered("en"), answered(code)
    assert english in before.out + before.err
    assert english not in asked.out + asked.err
    assert asked.code == before.code


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("name", ["show", "check", "orders", "replay", "stats"])
def test_programs_read_the_same_in_every_language(friends: Friends, name: str, code: str) -> None:
    call, _ = COMMANDS[name]
    before, asked = call(friends, ("--json",)).json, call(friends, ("--lang", code, "--json")).json
    if name == "check":  # each time it checks the next file
        assert asked.pop("n") == before.pop("n") + 1
    assert asked == before
