"""``--lang`` on the commands of a player: people read their language, programs read the same in all of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.base.language import language_of
from tests.cli.seats import Done, Friends, run

LANGUAGES = ("fr", "it", "de")
GAMES = {"wyatt-earp": ("anna", "burt"), "way-out-west": ("anna", "burt", "curt")}


class Asked:
    """A match in which nobody moves, so that a command answers the same each time; ``seat`` is asked in it."""

    def __init__(self, friends: Friends) -> None:
        self.friends = friends
        self.seat = str(friends.status()["waiting"]["seat"])
        legal = self.play("legal", "--json").json["legal"]
        self.words = str(legal[0]["words"]).split()
        self.signed = 0
        self._english: dict[tuple[str, ...], Done] = {}

    def play(self, command: str, *arguments: str) -> Done:
        """A command of the seat that is asked."""
        return self.friends.play(self.seat, command, *arguments)

    def check(self, *more: str) -> Done:
        self.signed += 1
        file = self.friends.sign(self.seat, "turn", *self.words, "--again")
        folder = self.friends.folder(self.seat)
        return run("check", file, "--copy", folder, "--home", folder / "home", *more)

    def english(self, call: Callable[[], Done], *name: str) -> Done:
        """What the command of this name answers in English: every language is held against the same answer."""
        if name not in self._english:
            self._english[name] = call()
        return self._english[name]


@pytest.fixture(scope="module", params=GAMES)
def match(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    root = tmp_path_factory.mktemp("friends")
    return Asked(Friends(root, GAMES[request.param], request.param).begin().join_and_ready())


COMMANDS: dict[str, tuple[Callable[[Asked, tuple[str, ...]], Done], str]] = {
    "show": (lambda m, more: m.play("show", *more), "Your turn to"),
    "turn": (lambda m, more: m.play("turn", "dance", *more), "is not an action"),
    "check": (lambda m, more: m.check(*more), "nothing wrong that can be seen from here"),
    "orders": (lambda m, more: m.play("orders", *more), "You have no standing orders."),
    "replay": (lambda m, more: m.play("replay", *more), "Nothing has been dealt yet."),
    "stats": (lambda m, more: run("stats", m.friends.folder(m.seat), *more), "records"),
    "odd place": (lambda m, more: m.play("show", "--at", "999", *more), "there is no record 999"),
}
"""How each is called, and English words of its answer."""


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_speaks_the_language_it_is_asked_for(match: Asked, name: str, code: str) -> None:
    call, english = COMMANDS[name]
    before, asked = match.english(lambda: call(match, ()), name), call(match, ("--lang", code))
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
    match: Asked, name: str, code: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (call, english), friends = HOSTS[name], match.friends
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

    before, asked = match.english(lambda: answered("en"), "host", name), answered(code)
    assert english in before.out + before.err
    assert english not in asked.out + asked.err
    assert asked.code == before.code


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("name", ["show", "check", "orders", "replay", "stats"])
def test_programs_read_the_same_in_every_language(match: Asked, name: str, code: str) -> None:
    call, _ = COMMANDS[name]
    number = str(match.signed)  # each time it checks the next file
    before = match.english(lambda: call(match, ("--json",)), name, "--json", number).json
    asked = call(match, ("--lang", code, "--json")).json
    if name == "check":
        assert asked.pop("n") == before.pop("n") + 1
    assert asked == before
