"""One device: its matches, which of them is open, and how that one is shown."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

from pbem.base.errors import PbemError, UsageProblem
from pbem.base.language import Language
from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.player.letters.hosting import host_plays
from pbem.player.letters.standing import waiting_at
from pbem.player.play import Post, Session
from pbem.player.practice.match import Practice
from pbem.player.practice.sitting import PracticeSession
from pbem.player.seat import PlayerDesk
from pbem.player.seat.next_step import next_step
from pbem.protocol.crypto.digest import b64
from pbem.web.scene import Scene
from pbem.web.shelf import Shelf

Clock = Callable[[], str]
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

    def desk(self, name: str = "") -> PlayerDesk:
        """The player's desk at a match, at the open one if none is named."""
        name = name or self.open
        if self.scene is not None and name == self.open:
            return self.scene.session.desk
        if self.shelf.is_practice(name):
            return self.shelf.practice_desk(name)
        return self.shelf.desk(name)

    def _practice(self, folder: Path) -> Practice:
        return Practice(folder, self.shelf.entropy, self.clock)

    @property
    def now(self) -> Scene:
        """The open match as it is shown; ``UsageProblem`` if none is."""
        if self.scene is None:
            raise UsageProblem(sentence("no match is open"))
        return self.scene

    # --- what is told -------------------------------------------------------------------------------------

    def show(self, name: str) -> JsonObject:
        """Open a match, and tell it."""
        self.close()
        self.open = name
        folder, practice = self.shelf.folder(name), self.shelf.is_practice(name)
        if practice:
            session: Session = PracticeSession(self._practice(folder), self.language)
        else:
            desk = self.shelf.desk(name)
            if _seat_of(desk) is None:
                return {"scene": self._joining(name, desk)}
            first = [desk]
            session = Session(
                lambda: first.pop() if first else self.shelf.desk(name), Post(folder), language=self.language
            )
        self.scene = Scene(name, session, self._numbers, practice=practice, door=self.has_door(name))
        return self.shown()

    def shown(self) -> JsonObject:
        """The open match as it is now."""
        return {"scene": self.now.told()}

    def close(self) -> None:
        """No match is open."""
        self.open, self.scene = "", None

    def has_door(self, name: str) -> bool:
        """Whether this match's host has a door that the page knows."""
        return bool(self.shelf.note(name).get("door"))

    def matches(self) -> JsonObject:
        """Every match in one line."""
        return {"matches": [self._row(name) for name in self.shelf.names()]}

    def _row(self, name: str) -> JsonObject:
        practice = self.shelf.is_practice(name)
        try:
            desk = self.desk(name)
            record = desk.record
            seat = _seat_of(desk)
            asked = next_step(record, seat, desk.unanswered(), self.clock(), self.language)
            mine = waiting_at(record, seat, record.head.seq, self.language).mine
            title, game = record.game_info.title, b64(record.game)
        except PbemError as fault:  # one that is damaged keeps nobody from the others
            title, game, asked, mine = name, "", self.language.tell(fault), False
        told: JsonObject = {"id": name, "title": title, "told": asked, "mine": mine, "practice": practice}
        if not practice:
            told |= {"game": game, "seat": self.shelf.note(name).get("seat", "")}
        return told

    def _joining(self, name: str, desk: PlayerDesk) -> JsonObject:
        """A match whose host has not answered the own join yet."""
        entries = desk.unanswered()
        hosted = host_plays(desk.record.genesis, desk.record.names)
        return {
            "match": name,
            "joining": True,
            "title": desk.record.game_info.title,
            "told": [self.language.tell(desk.told(entry)) for entry in entries]
            + ([] if hosted is None else [self.language.tell(hosted)]),
            "entry": entries[-1].message.hash.hex() if entries else "",
            "door": self.has_door(name),
        }


def _seat_of(desk: PlayerDesk) -> Seat | None:
    """The seat of these keys; None while the join has no answer."""
    players = desk.record.ledger.players
    mine = [seat for seat, player in players.items() if player.sign == desk.identity.sign_public]
    return mine[0] if mine else None
