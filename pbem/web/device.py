"""One device: its matches, which of them is open, and how that one is shown."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

from pbem.base.errors import PbemError, UsageProblem
from pbem.base.language import Language
from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.games import find_game, game_ids
from pbem.player.letters.hosting import host_plays, invitations_hold
from pbem.player.letters.standing import waiting_at
from pbem.player.play import Post, Session
from pbem.player.play.session import looked_at
from pbem.player.practice.interactive import PracticeSession
from pbem.player.practice.match import Practice
from pbem.player.seat import PlayerClient
from pbem.player.seat.next_step import next_step
from pbem.protocol.crypto.digest import b64
from pbem.protocol.record import Record
from pbem.protocol.record.deadlines import due_in
from pbem.web.scene import Scene
from pbem.web.shelf import Clock, Shelf

Answer = Callable[[JsonObject], JsonObject]
"""What answers one kind of question."""


class Device:
    """What all questions of the page are about.

    Args:
        shelf: the matches and their keys.
        clock: the time now, UTC as records write it.
        language: what is spoken; another one may be set.
    """

    def __init__(self, shelf: Shelf, clock: Clock, language: Language) -> None:
        self.shelf = shelf
        self.clock = clock
        self.language = language
        self.open = ""
        """The name of the open match; empty if none is."""
        self.scene: Scene | None = None
        """How the open match is shown; None as long as the host has not answered the own join."""
        self._numbers = count(1)

    def client(self, name: str = "") -> PlayerClient:
        """The player's client at a match, at the open one if none is named."""
        name = name or self.open
        if self.scene is not None and name == self.open:
            return self.scene.session.client
        if self.shelf.is_practice(name):
            return self.shelf.practice_client(name)
        return self.shelf.client(name)

    def _practice(self, folder: Path) -> Practice:
        return Practice(folder, self.shelf.entropy, self.clock)

    @property
    def now(self) -> Scene:
        """The open match as it is shown; ``UsageProblem`` if none is."""
        if self.scene is None:
            raise UsageProblem(sentence("no match is open"))
        return self.scene

    def serve(self, served: JsonObject | None) -> None:
        """A host serves this page beside the own API (``host.json``); a page that was a host's once stays that host's.

        Args:
            served: ``name``, ``sign`` and ``api`` (its HTTP API) of the host; None where nobody says so.
        """
        if served and not self.served:
            host = {key: str(served[key]) for key in ("name", "sign", "api")}
            self.shelf.keep_wishes({**self.shelf.wishes, "served": host})

    @property
    def served(self) -> JsonObject:
        """The host who serves this page; empty if it is nobody's."""
        served: JsonObject = self.shelf.wishes.get("served") or {}
        return served

    def check_host(self, record: Record) -> None:
        """Return if this page may hold a match of this host: one that a host serves holds that host's alone.

        Raises:
            UsageProblem: it is another host's.
        """
        served = self.served
        if served and b64(record.ledger.host_sign) != served["sign"]:
            raise UsageProblem(
                sentence(
                    "this web app is served by {name} and holds matches of {name} alone", name=served["name"]
                ),
                hint=sentence("Open the match in the web app that its own host or the release names."),
            )

    def hosted(self, record: Record) -> str:
        """What is to be known of the host and of invitations; empty if there is nothing."""
        sentences = (
            host_plays(record, record.names, self.served.get("name", "")),
            invitations_hold(record.ledger),
        )
        return " ".join(self.language.translate(text) for text in sentences if text)

    def show(self, name: str) -> JsonObject:
        """Open a match, and show it."""
        self.close()
        self.open = name
        folder, practice = self.shelf.folder(name), self.shelf.is_practice(name)
        if practice:
            session: Session = PracticeSession(self._practice(folder), self.language)
        else:
            client = self.shelf.client(name)
            if seat_of(client) is None:
                return {"scene": self._joining(name, client)}
            first = [client]
            session = Session(
                lambda: first.pop() if first else self.shelf.client(name),
                Post(folder),
                language=self.language,
            )
        self.scene = Scene(name, session, self._numbers, practice=practice, api=self.has_api(name))
        return self.shown()

    def restore(self, raw: bytes) -> JsonObject:
        """Put the match of a backup in again, and show it; nothing is kept of one that this page may not hold."""
        name = self.shelf.restore(raw)
        try:
            self.check_host(self.shelf.client(name).record)
        except UsageProblem:
            self.shelf.forget(name)
            raise
        return self.show(name)

    def shown(self) -> JsonObject:
        """The open match as it is now."""
        scene = self.now
        hosted = "" if self.shelf.is_practice(scene.name) else self.hosted(scene.session.record)
        return {"scene": scene.to_json() | {"hosted": hosted}}

    def close(self) -> None:
        """No match is open."""
        self.open, self.scene = "", None

    def has_api(self, name: str) -> bool:
        """Whether this match's host has an API that the page knows."""
        return bool(self.shelf.note(name).get("api"))

    def matches(self) -> JsonObject:
        """Every match in one line; the games that can be practised; what the person wants of the page."""
        return {
            "matches": [self._row(name) for name in self.shelf.names()],
            "games": [
                {"id": info.id, "title": info.title, "seats": list(info.seats), "practice": True}
                for info in (find_game(game).info for game in game_ids())
            ],
            "quiet": bool(self.shelf.wishes.get("quiet")),
        }

    def _row(self, name: str) -> JsonObject:
        practice = self.shelf.is_practice(name)
        try:
            client = self.client(name)
            row = self._standing(client, practice=practice)
        except PbemError as fault:  # one that is damaged keeps nobody from the others
            row = {"title": name, "says": self.language.translate(fault), "mine": False}
        row |= {"id": name, "practice": practice}
        if not practice:
            note = self.shelf.note(name)
            row |= {"seat": note.get("seat", ""), "host": host_of(note)}
        return row

    def _standing(self, client: PlayerClient, *, practice: bool) -> JsonObject:
        """Whose turn it is, until when, and whether there is something to be seen first."""
        record, seat = client.record, seat_of(client)
        waiting = waiting_at(record, seat, record.head.seq, self.language)
        asked = next_step(record, seat, client.unanswered(), self.clock(), self.language)
        if practice:  # nobody runs out of time against the computer
            asked = f"{waiting.line()}."
        if record.over and not self.shelf.wishes.get("quiet"):
            asked = waiting.described()
        return {
            "title": record.game_info.title,
            "says": asked,
            "mine": waiting.mine,
            "due_at": "" if practice else due_in(waiting.standing) or "",
            "over": record.over,
            "game": b64(record.game),
            "unseen": looked_at(client) not in (-1, record.head.seq),
        }

    def _joining(self, name: str, client: PlayerClient) -> JsonObject:
        """A match whose host has not answered the own join yet."""
        entries = client.unanswered()
        hosted = self.hosted(client.record)
        return {
            "match": name,
            "joining": True,
            "title": client.record.game_info.title,
            "says": [self.language.translate(client.describe(entry)) for entry in entries]
            + ([hosted] if hosted else []),
            "entry": entries[-1].message.hash.hex() if entries else "",
            "api": self.has_api(name),
        }


def seat_of(client: PlayerClient) -> Seat | None:
    """The seat of these keys; None while the join has no answer."""
    players = client.record.ledger.players
    mine = [seat for seat, player in players.items() if player.sign == client.identity.sign_public]
    return mine[0] if mine else None


def host_of(note: JsonObject) -> str:
    """The name of the host whose API the page knows; empty if it knows none."""
    return urlsplit(str((note.get("api") or {}).get("url", ""))).hostname or ""
