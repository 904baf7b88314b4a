"""Where a host's service runs: of two places with one identity the one that began last serves, and the other stops.

A folder that was copied by hand, or a computer that was thought dead and wakes up, knows nothing of the place that goes
on. So each place has a number. Whoever begins elsewhere takes the next one, and leaves it where the others look before
they sign: in the mailbox, beside the copy on another disk, at the API's own address. What is left is sealed under the
host's identity: nobody else can stop a service by it.

It is looked for at a start, and when ``AGAIN`` has passed since the last look: so first of all when a computer wakes.
A host with none of the three learns of another place only by a player's file that has seen a newer record.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Final, Protocol
from urllib.request import Request, urlopen

from pbem.base.errors import PbemError, StoreError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.host.copy_elsewhere import ONE_PLACE, elsewhere_words
from pbem.host.database.database import Transaction
from pbem.host.database.notes import MailNotes
from pbem.host.service.context import ServiceContext
from pbem.player.store.durable import PRIVATE_FILE, read_file, write_file
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.crypto.identity import NONCE_SIZE, Identity, open_own_box, seal_own
from pbem.protocol.record.deadlines import parse_time

AGAIN: Final = timedelta(minutes=2)
"""After so long without a look the next one comes before anything is signed."""
QUIET: Final = timedelta(minutes=3)
"""So long a place that began elsewhere signs nothing: the one before, if it still runs, has looked by then."""
STALE: Final = timedelta(minutes=5)
"""What does not look itself signs nothing after so long without a look."""
GAP: Final = timedelta(hours=1)
"""A host who was away longer waits until their mailbox can be read; one who runs goes on while it is away."""
FILE: Final = "service.place"
_LABEL: Final = "host place"
_NOTE: Final = "place"
_LOOKED: Final = "place-looked"
_BEGUN: Final = "place-begun"
_MOST: Final = 4096
_SECONDS: Final = 5


class NotSure(StoreError):
    """Nothing is signed yet: whether another place goes on is not known. Trying again helps."""


class ServedElsewhere(StoreError):
    """Another place goes on with this host's matches: nothing is signed here. Waiting does not repair it."""


@dataclass(frozen=True, slots=True, order=True)
class HostPlace:
    """Where a service runs, or ran: the higher one serves."""

    number: int
    since: str
    token: str
    name: str
    """The computer and the folder, for people."""


class Spot(Protocol):
    """Somewhere both places can look."""

    def read(self) -> Sequence[str]:
        """What was left there, sealed; ``PbemError`` or ``OSError`` if nobody can look now."""

    def leave(self, box: str) -> None:
        """Leave this there; the same faults."""


class Marks(Protocol):
    """A mailbox that keeps marks beside mail."""

    def marks(self, folder: str) -> list[str]:
        """The newest of them in a folder."""

    def mark(self, folder: str, text: str) -> None:
        """One more."""


class InMailbox:
    """In the folder of dealt-with mail."""

    def __init__(self, box: Marks, folder: str) -> None:
        self._box = box
        self._folder = folder

    def read(self) -> Sequence[str]:
        """See ``Spot``."""
        return self._box.marks(self._folder)

    def leave(self, box: str) -> None:
        """See ``Spot``."""
        self._box.mark(self._folder, box)


class BesideCopy:
    """A file in the folder of the copy on another disk."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE

    def read(self) -> Sequence[str]:
        """See ``Spot``."""
        return [read_file(self._file).decode("ascii", "replace")] if self._file.is_file() else []

    def leave(self, box: str) -> None:
        """See ``Spot``."""
        if self._file.parent.is_dir():
            write_file(self._file, box.encode(), mode=PRIVATE_FILE)


class AtAddress:
    """Who answers at the API's public address: this service itself, or the one that goes on."""

    def __init__(self, url: str) -> None:
        self._url = f"{url.rstrip('/')}/place"

    def read(self) -> Sequence[str]:
        """See ``Spot``."""
        request = Request(self._url, headers={"Accept": "text/plain"})  # noqa: S310 - the operator's own address
        with urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310
            return [answer.read(_MOST).decode("ascii", "replace")]

    def leave(self, box: str) -> None:
        """See ``Spot``: the API answers by itself."""


class Whereabouts:
    """Looks whether this place is the one that serves, and says so to others.

    Args:
        context: the service.
        name: the computer and the folder, as ``place_name`` gives them.
        spots: where to look; ``needed`` is the one without which nothing is sure for long.
        needed: the mailbox, if there is one.
        gone: called with what goes on instead, before ``ServedElsewhere`` is raised.
        looks: otherwise another process or thread of this place does.
    """

    def __init__(
        self,
        context: ServiceContext,
        name: str,
        spots: Sequence[Spot],
        needed: Spot | None = None,
        gone: Callable[[HostPlace], object] = lambda _: None,
        *,
        looks: bool = True,
    ) -> None:
        self._context = context
        self._name = name
        self._spots = spots
        self._needed = needed
        self._gone = gone
        self._looks = looks
        self._first = True
        self._looked = ""

    def look(self, *, start: bool = True) -> int:
        """Look, if it is time to; 0, for whoever counts work.

        Args:
            start: the first look of this process is due at once.

        Raises:
            ServedElsewhere: another place goes on.
            NotSure: nobody has looked for too long, or the mailbox cannot be read; or this place has just begun.
        """
        context, now = self._context, self._context.now()
        if not self._spots:
            return 0
        with context.database.reading() as transaction:
            notes = MailNotes(transaction)
            mine, looked, begun = here(transaction, context.host), notes.get(_LOOKED), notes.get(_BEGUN)
        if not self._looks:
            if looked and _past(looked, now, STALE):
                raise NotSure(
                    sentence("nothing is signed until it was looked whether this host goes on elsewhere")
                )
            return self._quiet(begun, now)
        moved = mine is not None and mine.name != self._name
        if not (moved or (self._first and start) or _past(looked, now, AGAIN)):
            return self._quiet(begun, now)
        trouble = self._compare()
        if trouble is not None and (moved or (mine is not None and _past(looked, now, GAP))):
            raise NotSure(
                sentence(
                    "whether this host goes on elsewhere cannot be seen, so nothing is signed yet: {trouble}",
                    trouble=trouble,
                )
            )
        self._first, self._looked = False, now
        with context.database.transaction() as transaction:
            MailNotes(transaction).set(_LOOKED, now)
        return self._quiet(now if moved else begun, now)

    def due(self) -> bool:
        """Whether this process should look again, as far as it knows without asking."""
        return bool(self._looked) and _past(self._looked, self._context.now(), AGAIN)

    @staticmethod
    def _quiet(begun: str, now: str) -> int:
        if begun and not _past(begun, now, QUIET):
            raise NotSure(
                sentence(
                    "this folder began on another computer at {begun}. For {minutes} minutes nothing is signed: the"
                    " place before sees it by then",
                    begun=begun,
                    minutes=QUIET.seconds // 60,
                )
            )
        return 0

    def take(self) -> None:
        """A person says that this place goes on: it has the highest number from now on."""
        others = self._others()
        with self._context.database.transaction() as transaction:
            mine = self._begin(transaction, [*others, here(transaction, self._context.host)])
        self._leave(mine)

    def _compare(self) -> PbemError | OSError | None:
        """Why the needed spot could not be looked at, if it could not."""
        context, newest = self._context, max(self._others(), default=None)
        trouble = self._faults.get(self._needed) if self._needed is not None else None
        with context.database.transaction() as transaction:
            # Read after the spots, by one worker at a time: what another one of this place has begun is no other
            # place, and two that begin together are one.
            MailNotes(transaction).locked(_NOTE)
            mine = here(transaction, context.host)
            if newest is not None and mine is not None and newest > mine:
                self._gone(newest)
                raise served_elsewhere(newest)
            if trouble is None and (mine is None or mine.name != self._name):
                mine = self._begin(transaction, [mine, newest], quiet=mine is not None)
        if mine is not None:
            self._leave(mine)
        return trouble

    def _begin(
        self, transaction: Transaction, before: Sequence[HostPlace | None], *, quiet: bool = False
    ) -> HostPlace:
        now, notes = self._context.now(), MailNotes(transaction)
        number = 1 + max((place.number for place in before if place is not None), default=0)
        mine = HostPlace(number, now, secrets.token_hex(8), self._name)
        notes.set(_NOTE, sealed(mine, self._context.host))
        notes.set(_LOOKED, now)
        notes.set(_BEGUN, now if quiet else "")
        return mine

    def _others(self) -> list[HostPlace]:
        """What others have left, wherever one can look; what is nobody's word is passed over."""
        self._faults: dict[Spot | None, PbemError | OSError] = {}
        self._newest: dict[Spot, HostPlace | None] = {}
        for spot in self._spots:
            try:
                places = list(opened(spot.read(), self._context.host))
            except (PbemError, OSError) as fault:
                self._faults[spot] = fault
            else:
                self._newest[spot] = max(places, default=None)
        return [place for place in self._newest.values() if place is not None]

    def _leave(self, mine: HostPlace) -> None:
        """Leave it wherever one could look and an older one is, or none."""
        for spot, known in self._newest.items():
            if known is None or known < mine:
                with suppress(PbemError, OSError):
                    spot.leave(sealed(mine, self._context.host))


def served_elsewhere(place: HostPlace) -> ServedElsewhere:
    """What is said where another place goes on."""
    return ServedElsewhere(elsewhere_words(place.since, place.name), hint=ONE_PLACE)


def _past(looked: str, now: str, most: timedelta) -> bool:
    return not looked or abs(parse_time(now) - parse_time(looked)) >= most


def place_name(folder: Path, database: str) -> str:
    """What a place is called: one folder on one computer; one database for all who work at it by a network."""
    if not database.startswith("sqlite:"):
        return sentence("its database server")
    return f"{socket.gethostname()}: {folder.resolve()}"


def here(transaction: Transaction, host: Identity) -> HostPlace | None:
    """The place that this database knows as its own; None before the first look."""
    return next(opened([MailNotes(transaction).get(_NOTE)], host), None)


def kept(transaction: Transaction) -> str:
    """The same as others read it, sealed; empty before the first look."""
    return MailNotes(transaction).get(_NOTE)


def sealed(place: HostPlace, host: Identity) -> str:
    """A place as it is left for others."""
    members = [place.number, place.since, place.token, place.name]
    return b64(seal_own(host, _LABEL, json.dumps(members).encode(), os.urandom(NONCE_SIZE)))


def opened(boxes: Sequence[str], host: Identity) -> Iterator[HostPlace]:
    """Those that this host's identity has sealed."""
    for box in boxes:
        with suppress(PbemError, ValueError, TypeError):
            number, since, token, name = json.loads(open_own_box(host, _LABEL, unb64(box.strip())))
            parse_time(since)
            yield HostPlace(int(number), str(since), str(token), str(name))
