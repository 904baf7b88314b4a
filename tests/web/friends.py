"""A match of three: one seat in the page, the others by the rules' suggestions, the host by the referee itself."""

from __future__ import annotations

from pbem.game import Seat
from pbem.protocol.client import compose_join
from pbem.protocol.record import Record
from pbem.protocol.referee import Accepted
from tests.web.device import Phone
from tests.world import START, World

ME = "anna"
OTHERS = ("burt", "curt")


class Friends:
    """Everybody but the player of the page."""

    def __init__(
        self, game: str, seed: str = "page", others: tuple[str, ...] = OTHERS, *, began: str = START
    ) -> None:
        self.world = World(game, (ME, *others), seed=seed, began=began)
        self.others = others
        self.names: dict[str, str] = {}
        """How the others call themselves, if not as their seats."""
        self.says = ""
        """What they say with every turn."""
        self.held = False
        """Whether they take their time: nobody else acts."""

    def lines(self, after: int = -1) -> bytes:
        """The records after a number, as an email attaches them or the API gives them."""
        return b"".join(line + b"\n" for line in self.world.lines[after + 1 :])

    def take(self, raw: bytes) -> None:
        """The host takes a file of the page; then everybody else goes on, until the page's player is asked."""
        ruling = self.world.send(raw)
        assert isinstance(ruling, Accepted), ruling
        self.go_on()

    def go_on(self) -> None:
        """Join, be ready, act."""
        while not self.held and self._step():
            pass

    def _step(self) -> bool:
        record = Record(self.world.record.ledger)
        if record.over:
            return False
        for seat in self.others:
            if Seat(seat) not in record.ledger.players:
                file = compose_join(
                    record, self.world.people[Seat(seat)], seat, name=self.names.get(seat, seat.title())
                )
                return isinstance(self.world.send(file), Accepted)
        waiting = record.waiting
        if waiting is None:
            ready = next((seat for seat in self.others if record.can_be_ready(Seat(seat))), None)
            return ready is not None and isinstance(self.world.ready(ready), Accepted)
        if waiting["seat"] == ME:
            return False
        return self._act(record, waiting["seat"])

    def _act(self, record: Record, seat: str) -> bool:
        action = record.rules.action_to_json(record.rules.suggest(self.world.view(seat).view))
        return isinstance(self.world.turn(seat, action, leave_orders=True, say=self.says), Accepted)

    def chat(self, most: int) -> None:
        """The others talk as much as they may, while the match has fewer records than ``most``."""
        for seat in self.others:
            word = 0
            while len(self.world.lines) < most and self._says(seat, f"word {word}"):
                word += 1

    def _says(self, seat: str, text: str) -> bool:
        record = self.world.record
        if record.over or record.missing_links:
            return False
        return isinstance(self.world.turn(seat, say=text, leave_orders=True), Accepted)

    @property
    def closed(self) -> bool:
        """Whether a hand or a game turn has ended."""
        return any(line.kind in ("close", "end") for line in self.world.record.lines)


def one_file(phone: Phone, friends: Friends) -> None:
    """Choose until a file is signed, let it leave as a file, take in the answer."""
    phone.sign()
    before = len(friends.world.lines)
    friends.take(phone.shown())
    phone.bring(friends.lines(before - 1))
    phone.wait("table")
