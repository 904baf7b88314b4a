"""Wherever a player looks, one sentence says that the host plays, or serves the web app, and what that means.

``SURFACES`` is the list of places. A place that is not in it is a place where nobody learns it.
"""

from __future__ import annotations

import asyncio
import email
import email.policy
import hashlib
import html
import json
import re
import secrets
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from pbem.base.language import language_of
from pbem.cli.hosting import app
from pbem.game import Seat
from pbem.host import FolderHost
from pbem.host.letter_mail import Contacts
from pbem.player.letters.hosting import host_plays, host_serves
from pbem.player.play.app import PlayApp
from pbem.player.seat.moments import now
from pbem.player.seat.next_step import next_step
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record import HostOpenings, Record
from pbem.protocol.referee import MatchPlan
from tests.cli.seats import Friends, make_identity, run
from tests.play.player_session import Chair
from tests.play.screens import text_of
from tests.verifier.node import VERIFIER, node
from tests.web.worker import Device
from tests.world import World

SENTENCE: Final = "hosts and plays, and could look at every hand, every order and every card or die to come."
SERVES: Final = (
    "Anna also serves a web app to play in. As long as another program made one part of the shuffle,"
)
ITSELF: Final = "Anna also serves this web app. With a changed one Anna could see your cards,"
OTHER: Final = "cannot choose a card or die as long as another player's part of the shuffle is in it."


@dataclass(frozen=True)
class Table:
    """A match by commands in which Burt plays against the host; ``said`` is what his commands answered."""

    friends: Friends
    said: dict[str, str]
    lang: str = "en"
    reads: bool = False
    """Whether the page that Burt opens is the host's own."""

    @property
    def game(self) -> Path:
        """Burt's copy."""
        return self.friends.folder("burt")

    @property
    def world(self) -> World:
        """The same kind of match in memory, begun."""
        return _world("--plays" in self.friends.options, isinstance(self.friends, Serving))

    def letter(self, kind: str, part: str) -> str:
        """The newest email of a kind that Burt got, as its text or HTML part shows it."""
        letters = sorted(path for path in self.game.glob("*.eml") if kind in path.name)
        mail = email.message_from_bytes(letters[-1].read_bytes(), policy=email.policy.default)
        body = mail.get_body((part,))
        assert body is not None
        return str(body.get_content())


class Serving(Friends):
    """Friends whose host plays and declares a page to play in, as who serves one does (``pbem host``)."""

    def begin(self) -> Friends:
        """The same, from a plan: a folder alone serves no page, so no option of its command says so."""
        host = make_identity(self.root / "host" / "home", "host", "host")
        for seat in self.seats:
            make_identity(self.folder(seat) / "home", seat)
        plan = MatchPlan(self.game, list(self.seats), plays=Seat("anna"), page=True)
        contacts = Contacts(lang=self.options[-1])
        FolderHost.create(self.match, host, plan, now, secrets.token_bytes, contacts)
        self.deliver()
        return self


@cache
def _world(plays: bool, page: bool = False) -> World:
    return World("wyatt-earp", ("anna", "burt"), plays="anna" if plays else None, page=page).start()


def begun(root: Path, *options: str, lang: str = "en", kind: type[Friends] = Friends) -> Table:
    """Everybody joins and is ready, by commands; Burt uses this language."""
    friends = kind(root, options=(*options, "--lang", lang)).begin()
    said = {}
    for seat in friends.seats:
        folder = friends.folder(seat)
        invite = next(folder.glob("*invitation.eml"))
        done = run("join", invite, "-o", folder / "join.json", "--home", folder / "home", "--lang", lang)
        assert done.code == 0, done.err
        said["join"] = done.out + done.err
        assert friends.send(folder / "join.json").code == 0
    for seat in friends.status()["unready"]:
        assert friends.send(friends.sign(seat, "ready")).code == 0
    return Table(friends, said, lang)


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return begun(tmp_path_factory.mktemp("hosted"), "--plays", "anna")


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return begun(tmp_path_factory.mktemp("serving"), "--plays", "anna", kind=Serving)


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return begun(tmp_path_factory.mktemp("usual"))


def _page_of_the_report(table: Table) -> str:
    place = table.friends.root / "report.html"
    assert run("audit", table.game, "--html", place).code == 0
    return place.read_text(encoding="utf-8")


def _screen(table: Table) -> str:
    async def shown() -> str:
        session = Chair(table.world, "burt", table.friends.root / "chair").session(
            language=language_of(table.lang)
        )
        app = PlayApp(session)
        async with app.run_test(size=(110, 60)) as pilot:
            await pilot.pause()
            await pilot.press("2", "end")
            await pilot.pause()
            return text_of(app)

    return asyncio.run(shown())


def _in_the_page(table: Table) -> Device:
    device = Device(table.friends.root / f"page-{len(list(table.friends.root.iterdir()))}")
    device("hello", lang=table.lang)
    if table.reads:
        host = b64(table.world.record.ledger.host_sign)
        device("served", host={"name": "Anna", "api": "https://anna.test", "sign": host})
    return device


def _invited_in_the_page(table: Table) -> str:
    return str(_in_the_page(table).bring(table.world.record.lines[0].raw + b"\n")["invitation"]["hosted"])


def _joining_in_the_page(table: Table) -> str:
    device = _in_the_page(table)
    device.bring(table.world.record.lines[0].raw + b"\n")
    return json.dumps(device("join", seat="burt", name="Burt")["scene"]["says"], ensure_ascii=False)


def _scene_in_the_page(table: Table) -> str:
    device = _in_the_page(table)
    world = World("wyatt-earp", ("anna", "burt"), plays=table.world.plays, page=table.world.page)
    device.bring(world.record.lines[0].raw + b"\n")
    answer = device("join", seat="burt", name="Burt")
    world.join("anna")
    world.send(answer["file"]["text"].encode())
    device.bring(b"".join(line.raw + b"\n" for line in world.record.lines[1:]))
    return str(device("open", match=answer["scene"]["match"])["scene"]["hosted"])


def _next_step(table: Table) -> str:
    record = table.world.record
    return next_step(record, Seat("burt"), (), record.head.at, language_of(table.lang))


SURFACES: Final[dict[str, Callable[[Table], str]]] = {
    "the invitation": lambda t: t.letter("invitation", "plain"),
    "the invitation as HTML": lambda t: t.letter("invitation", "html"),
    "pbem join": lambda t: t.said["join"],
    "the first answer": lambda t: t.letter("receipt", "plain"),
    "the first answer as HTML": lambda t: t.letter("receipt", "html"),
    "beside the proofs of a later email": lambda t: t.letter("", "plain"),
    "pbem host status": lambda t: t.friends.host("status").out,
    "pbem show": lambda t: t.friends.play("burt", "show").out,
    "pbem show --public": lambda t: t.friends.play("burt", "show", "--public").out,
    "pbem alone, the farewell of pbem play, the page's list": _next_step,
    "the screen of pbem play": _screen,
    "the page: an invitation": _invited_in_the_page,
    "the page: waiting for the host": _joining_in_the_page,
    "the page: the table": _scene_in_the_page,
    "pbem audit": lambda t: run("audit", t.game).out,
    "the report": _page_of_the_report,
    "the second verifier": lambda t: node(VERIFIER / "verify.mjs", t.friends.match / "game.jsonl"),
}


def flat(text: str) -> str:
    """Without markup, frames and line breaks."""
    words = html.unescape(re.sub(r"<[^>]+>", " ", text)).replace("’", "'")
    return " ".join(re.sub(r"[│║┃|▁▔█▌▐▎]+", " ", words).split())


@pytest.mark.parametrize("surface", SURFACES)
def test_a_player_learns_that_the_host_plays(surface: str, hosted: Table) -> None:
    text = flat(SURFACES[surface](hosted))
    assert f"Anna {SENTENCE}" in text, text[-3000:]
    assert "Alone, Anna cannot choose" in text, text[-3000:]


@pytest.mark.parametrize("surface", SURFACES)
def test_a_player_learns_that_a_playing_host_serves_a_web_app(surface: str, serving: Table) -> None:
    """In the place of what the host cannot do alone, not beside it."""
    text = flat(SURFACES[surface](serving))
    assert f"Anna {SENTENCE}" in text, text[-3000:]
    assert SERVES in text, text[-3000:]
    assert OTHER not in text, text[-3000:]


@pytest.mark.parametrize("surface", [name for name in SURFACES if name.startswith("the page: ")])
@pytest.mark.parametrize("plays", [True, False])
def test_who_reads_the_hosts_own_web_app_learns_what_that_means(
    surface: str, plays: bool, serving: Table, usual: Table
) -> None:
    """Whether the host plays or not; in a page of one's own nothing of it is said."""
    table = serving if plays else usual
    text = flat(SURFACES[surface](replace(table, reads=True)))
    assert ITSELF in text, text[-3000:]
    assert (SENTENCE in text) == plays, text[-3000:]
    assert SERVES not in text
    assert OTHER not in text
    assert ITSELF not in flat(SURFACES[surface](table))


@pytest.mark.parametrize("surface", SURFACES)
def test_nobody_learns_so_of_a_host_who_does_not_play(surface: str, usual: Table) -> None:
    text = flat(SURFACES[surface](usual))
    assert "hosts and plays" not in text
    assert "also serves" not in text


def test_programs_learn_from_whom_draws_are_hidden(hosted: Table, usual: Table) -> None:
    for table, expected in ((hosted, "all but anna"), (usual, None)):
        for command in ("show", "audit"):
            answer = run(command, table.game, "--json", *(["--public"] if command == "show" else []))
            assert answer.json.get("hidden_from") == expected
        assert table.friends.status().get("hidden_from") == expected


ENGLISH_ALONE: Final = frozenset({"the second verifier"})
"""A program for those who check."""


@pytest.mark.parametrize("tag", ["de", "fr", "it"])
def test_every_place_says_it_in_every_language(
    tag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both sentences; a match whose host declares no page says the first of them in the same places."""
    anna = {Seat("anna"): "Anna"}
    for record in (_world(plays=True).record, _world(plays=True, page=True).record):
        text = host_plays(record, anna)
        assert text is not None
        ours = flat(language_of(tag).translate(text))
        assert "Anna" in ours
        for english in (SENTENCE, SERVES, OTHER, "A hand that is dealt again is marked"):
            assert english not in ours
    monkeypatch.setenv("PBEM_LANG", tag)
    table = begun(tmp_path, "--plays", "anna", lang=tag, kind=Serving)
    for name, surface in SURFACES.items():
        if name not in ENGLISH_ALONE:
            said = flat(surface(table))
            assert ours in said, (name, ours, said[-3000:])
    itself = flat(language_of(tag).translate(host_serves("Anna")))
    assert ITSELF not in itself
    for name, surface in SURFACES.items():
        if name.startswith("the page: "):
            said = flat(surface(replace(table, reads=True)))
            assert itself in said, (name, itself, said[-3000:])


# --- the host's own commands --------------------------------------------------------------------------------------


def walk(table: Table) -> dict[str, list[tuple[object, ...]]]:
    """Every command of a folder's host, with arguments that it takes and with some that it refuses."""
    friends, root = table.friends, table.friends.root
    junk = root / "junk.json"
    junk.write_text('{"body": 1}', encoding="utf-8")
    own = friends.folder("burt") / "ready.json"
    return {
        "new": [("new", root / "other", "--game", "wyatt-earp", "--seats", "anna,burt", "--plays", "curt")],
        "again": [("again", friends.match, root / "next")],
        "add": [("add", friends.match, own), ("add", friends.match, junk)],
        "advance": [("advance", friends.match, own), ("advance", friends.match, junk)],
        "start": [("start", friends.match)],
        "status": [("status", friends.match), ("status", friends.match, "--json")],
        "default": [("default", friends.match), ("default", friends.match, "burt")],
        "extend": [("extend", friends.match, "+24h"), ("extend", friends.match, "soon")],
        "burn": [("burn", friends.match)],
        "reseal": [("reseal", friends.match, "burt")],
        "substitute": [("substitute", friends.match, junk)],
        "carry-out": [("carry-out", friends.match, "burt")],
        "withdraw": [("withdraw", friends.match, "burt")],
        "recover": [("recover", friends.folder("burt"), "-o", root / "recovered")],
        "end": [("end", friends.match)],
    }


def test_the_seat_that_all_have_joined_with_as_the_hosts_takes_the_match_up_again(
    hosted: Table, tmp_path: Path
) -> None:
    anna, copy = tmp_path / "home", hosted.friends.folder("burt")
    shutil.copytree(hosted.friends.folder("anna") / "home", anna)
    make_identity(anna, "host", "host")
    done = run("host", "recover", copy, "-o", tmp_path / "new", "--home", anna)
    assert done.code == 0, done.err
    refused = run("host", "recover", copy, "-o", tmp_path / "x", "--home", anna, "--plays", "burt")
    assert (refused.code, "burt cannot host this match" in refused.err) == (2, True)


def _host() -> Identity:
    """The host's keys, as ``make_identity`` derives them."""
    return Identity(hashlib.sha256(b"TEST cli host").digest())


def hidden_words(table: Table) -> frozenset[str]:
    """Names of cards that nobody but their owner or the host could know, as programs and as people call them; seeds."""
    record = Record.load((table.friends.match / "game.jsonl").read_bytes().splitlines())
    shown = json.dumps([line.body.get("public", {}) for line in record.lines])
    shown += json.dumps([line.body.get("steps", []) for line in record.lines])
    kinds = {card for deck in record.game_info.decks.values() for card in deck}
    hidden = {kind for kind in kinds if kind not in shown} - {record.game_info.id}
    seeds = [HostOpenings(_host(), record.lines[0]).seed(epoch) for epoch in record.ledger.epochs]
    names = {kind.replace("-", " ") for kind in hidden}
    return frozenset({*hidden, *names, *map(b64, seeds), *(seed.hex() for seed in seeds)})


def leaks(text: str, words: frozenset[str]) -> list[str]:
    """Which of the words stand in the text, in whatever emails."""
    lowered = text.lower()
    return sorted(word for word in words if word.lower() in lowered)


def test_no_command_of_the_host_shows_what_is_hidden(tmp_path: Path) -> None:
    """Who hosts and plays does not see by accident: neither by an answer, nor by an error, nor by a file's name."""
    table = begun(tmp_path, "--plays", "anna")
    words = hidden_words(table)
    assert len(words) > 10
    planted = table.friends.play("burt", "show").out
    assert leaks(planted, words), "what burt sees of his hand is not found, so nothing would be"
    for name, calls in walk(table).items():
        for call in calls:
            done = run("host", *call, "--home", tmp_path / "host" / "home")
            output = done.out + done.err
            assert output.strip(), (name, call)
            assert "Usage:" not in output, (call, output)
            assert not leaks(output, words), (call, output)
    names = " ".join(str(path.relative_to(tmp_path)) for path in (tmp_path / "host").rglob("*"))
    assert not leaks(names, words)


def test_the_walk_leaves_no_command_out(hosted: Table) -> None:
    """A new command of the folder's host is walked too."""
    named = {command.name or getattr(command.callback, "__name__", "") for command in app.registered_commands}
    assert named - set(walk(hosted)) == set()
