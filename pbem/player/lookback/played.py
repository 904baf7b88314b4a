"""One match as it was played, and its players: whoever sat where, with whichever keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pbem.game import JsonObject, Seat
from pbem.player.letters.layout import clean_name
from pbem.player.lookback.figures import Score, standing_lines
from pbem.player.lookback.waiting import Wait, waits_of
from pbem.protocol.audit import Draw, draws_of
from pbem.protocol.crypto.digest import short_id
from pbem.protocol.record import Record
from pbem.protocol.record.kinds import KINDS


class PlayerWait(NamedTuple):
    """An answer, with the players who gave it and whose file had handed over; ``after`` is None for the host."""

    player: str
    after: str | None
    wait: Wait


class Played:
    """A match, and its players: ``alone`` calls them by their seats, otherwise each is the key they sign with.

    Who took over a seat has what came after that, and its result.
    """

    def __init__(self, record: Record, *, alone: bool = False) -> None:
        self.record = record
        self.names: dict[str, str] = {}
        self.formerly: dict[str, str] = {}
        """Keys that a player has given up, each with the one that followed it."""
        self._keys: dict[Seat, list[tuple[int, str]]] = {seat: [(-1, seat)] for seat in record.seats}
        for line in record.lines:
            body = line.body.get("msg", {}).get("body", {})
            kind = KINDS.get(line.kind)
            if kind is None:
                continue
            if kind.newcomer:
                key = body["seat"] if alone else body["sign"]
                self._keys[Seat(body["seat"])].append((line.seq, key))
                self.names[key] = clean_name(body["name"]) or body["seat"]
            elif kind.keys and not alone:
                keys = body or record.lines[line.body["proposal"]].body["what"]
                self._same_person(Seat(keys["seat"]), keys["sign"])
        self._nobody = set() if alone else {str(seat) for seat in record.seats if len(self._keys[seat]) == 1}
        for seat in record.seats:
            self.names.setdefault(self.player(seat), str(seat))

    def _same_person(self, seat: Seat, key: str) -> None:
        """A new key of one person: all that was counted for the old one is for the new one."""
        seq, old = self._keys[seat][-1]
        self._keys[seat][-1] = (seq, key)
        self.names[key] = self.names.pop(old, str(seat))
        self.formerly[old] = key

    def rename(self, formerly: Mapping[str, str]) -> None:
        """Call players by the keys that they have now, if they took them in another match."""
        for held in self._keys.values():
            held[:] = [(seq, newest_key(formerly, key)) for seq, key in held]
        self.names = {newest_key(formerly, key): name for key, name in self.names.items()}

    def player(self, seat: Seat, seq: int | None = None) -> str:
        """Who sat there when record ``seq`` was made; at the end for None."""
        held = [key for since, key in self._keys[seat] if seq is None or since <= seq]
        return held[-1]

    @property
    def players(self) -> list[str]:
        """Who sat there last, in seat order; of several matches without seats that nobody has joined yet."""
        return [player for player in map(self.player, self.record.seats) if player not in self._nobody]

    @property
    def people(self) -> dict[str, str]:
        """The names of all who ever sat there."""
        return {key: name for key, name in self.names.items() if key not in self._nobody}

    def draws(self) -> list[tuple[str, Draw]]:
        """Every shot or die with its player."""
        record = self.record
        labels = [label for line in record.lines for label in record.labels(line.seq)]
        draws = draws_of(record.rules, standing_lines(record.lines), labels)
        return [(self.player(Seat(draw.trial.seat), draw.seq), draw) for draw in draws]

    def waits(self) -> list[PlayerWait]:
        """Every answer with who gave it and whose file had handed over."""
        rows = []
        for wait in waits_of(self.record.ledger):
            after = self.player(wait.after, wait.asked) if wait.after is not None else None
            rows.append(PlayerWait(self.player(wait.seat, wait.answered), after, wait))
        return rows

    def facts(self, score: Score) -> JsonObject:
        """The match in short, for programs."""
        record = self.record
        facts: JsonObject = {
            "match": short_id(record.game),
            "began": record.lines[0].at,
            "last": record.head.at,
            "records": len(record.lines),
            "over": record.over,
            "winners": [self.player(seat) for seat in self.winners],
        }
        return facts | {"score": {self.player(seat): amount for seat, amount in score.by_seat.items()}}

    @property
    def winners(self) -> list[Seat]:
        """Who won; nobody while the match is running."""
        ended = self.record.ledger.ended
        outcome = ended.body["outcome"] if ended is not None else {}
        return [Seat(seat) for seat in outcome.get("winners", ())]


def newest_key(formerly: Mapping[str, str], key: str) -> str:
    """The key that a person signs with now, who once signed with ``key``."""
    seen = {key}
    while (after := formerly.get(key)) is not None and after not in seen:
        seen.add(after)
        key = after
    return key
