"""Sessions of one player in a match that otherwise lives in memory: their own folder, their own client."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pbem.base.language import ENGLISH, Language
from pbem.game import Seat
from pbem.player.play import Post, Session
from pbem.player.seat import PlayerClient, Signed
from pbem.protocol.referee import Accepted, Ruling
from tests.world import World, secret


@dataclass
class Chair:
    """Where one player of a world plays; the others are played by the world."""

    world: World
    seat: str
    folder: Path

    def __post_init__(self) -> None:
        self._count = 0
        PlayerClient.begin(self.folder, self.world.lines, self.world.people[Seat(self.seat)], self._entropy)

    def _entropy(self, size: int) -> bytes:
        self._count += 1
        return secret(f"chair {self.seat} {self._count}")[:size]

    def client(self) -> PlayerClient:
        """The client, with every record there is now."""
        client = PlayerClient.open(
            self.folder, self.world.people[Seat(self.seat)], self._entropy, lambda: self.world.now
        )
        client.take_in(self.world.lines, "the newest letter")
        return client

    def session(self, *, mail: bool = False, language: Language = ENGLISH) -> Session:
        """A session; with ``mail`` files go straight to the host."""
        post = Post(self.folder, send=self.mailed if mail else None)
        return Session(self.client, post, language=language)

    def mailed(self, signed: Signed) -> str:
        """Hand a file to the host; what they say."""
        ruling = self.world.send(signed.raw)
        return type(ruling).__name__

    def hand_over(self, place: str) -> Ruling:
        """Hand a written file to the host."""
        return self.world.send(Path(place).read_bytes())


def until(world: World, seat: str, phase: str, least: int = 0, kind: str = "", member: str = "do") -> World:
    """Play on until ``seat`` is asked ``phase`` (and may do ``kind`` with ``member``), after at least so many files."""
    for number in range(5000):
        waiting = world.record.waiting
        asked = waiting is not None and (waiting["seat"], waiting["phase"]) == (seat, phase)
        legal = world.view(seat).legal if number >= least and asked else []
        if any(do["do"].startswith(kind) and member in do for do in legal):
            return world
        for someone, player in world.record.ledger.players.items():
            world.numbers[someone] = max(world.numbers[someone], player.n)  # some files came from a chair
        assert world.move(), "the match ended first"
    raise AssertionError("never asked")


def accepted(ruling: Ruling) -> Accepted:
    """The ruling as the acceptance it must be."""
    assert isinstance(ruling, Accepted), ruling
    return ruling
