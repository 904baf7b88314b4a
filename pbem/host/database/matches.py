"""The rows of matches: game lines, seats with their addresses, consents that wait, files that were refused.

A match is worked on by whoever holds its row in ``matches`` (``claim``); everything else about it hangs on that.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Select,
    String,
    and_,
    bindparam,
    case,
    delete,
    distinct,
    func,
    insert,
    or_,
    select,
    update,
)

from pbem.base.errors import StoreError, UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.host.database.database import Transaction
from pbem.host.database.driver import Rows
from pbem.host.database.tables import (
    CONSENTS,
    CONTACTS,
    ERAS,
    INBOX,
    JOINS,
    LINES,
    MATCHES,
    RULED,
    SEATS,
    STOPS,
    TIMES,
)


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match: number and hash (hex) of its newest record; ``era``: how often a history of it was given up."""

    game: str
    short: str
    seq: int
    head: str
    over: bool
    era: int = 0


BY_LINK: Final = "#"
"""Where the invitation of a seat went that was given away by its link: to no address."""


@dataclass(frozen=True, slots=True)
class SeatRow:
    """How a seat is reached. ``address`` is the player's own, ``invited`` where the invitation went.

    ``BY_LINK`` as ``invited``: the organiser passes the link on; no email is written before a join brings an address.
    """

    game: str
    seat: str
    address: str
    invited: str
    word: str
    suspended: str
    heard: str

    @property
    def reach(self) -> str:
        """Where emails to this seat go."""
        return self.address or ("" if self.by_link else self.invited)

    @property
    def by_link(self) -> bool:
        """Whether this seat was invited by a link alone."""
        return self.invited == BY_LINK


_ERA = select(ERAS.c.era).where(ERAS.c.game == MATCHES.c.game).scalar_subquery()
MATCH: Final[Select[Any]] = select(
    MATCHES.c.game, MATCHES.c.short, MATCHES.c.seq, MATCHES.c.head, MATCHES.c.over, func.coalesce(_ERA, 0)
)
"""What ``match_row`` reads."""
STOPPED: Final = select(STOPS.c.game)
NEVER: Final = "never"
"""When a match that is over is to be looked at: behind every moment."""
OPEN: Final = select(MATCHES.c.game).where(MATCHES.c.over == 0)
_WITH_MAIL = MATCH.where(
    MATCHES.c.waits > 0,
    MATCHES.c.game.not_in(STOPPED),
    MATCHES.c.game.not_in(select(TIMES.c.game).where(TIMES.c.lost_from != "")),
)
_OLDEST_MAIL = _WITH_MAIL.order_by(
    select(func.min(INBOX.c.id))
    .where(INBOX.c.state == "ready", INBOX.c.game == MATCHES.c.game)
    .scalar_subquery()
)
_THIS: Final = MATCH.where(MATCHES.c.game == bindparam("game"))
_SEAT = select(
    *(SEATS.c[name] for name in ("game", "seat", "address", "invited", "word", "suspended", "heard"))
)


_SEATS: Final = _SEAT.where(SEATS.c.game == bindparam("game"))
_HERE: Final = select(MATCHES.c.game).where(MATCHES.c.game.in_(bindparam("games", expanding=True)))
_WITH_MAIL_FIRST: Final = _WITH_MAIL.limit(1)
_FEWEST_MAILS: Final = _WITH_MAIL.order_by(MATCHES.c.waits, MATCHES.c.game).limit(1)
_OLDEST_MAILS: Final = _OLDEST_MAIL.limit(bindparam("most"))
_THIS_WITH_MAIL: Final = _WITH_MAIL.where(MATCHES.c.game == bindparam("game"))
_NOTE: Final = select(CONTACTS.c.note).where(CONTACTS.c.game == bindparam("game"))
_LINES: Final = (
    select(LINES.c.raw)
    .where(LINES.c.game == bindparam("game"), LINES.c.seq >= bindparam("since"))
    .order_by(LINES.c.seq)
)
_LINE: Final = select(LINES.c.raw).where(LINES.c.game == bindparam("game"), LINES.c.seq == bindparam("seq"))
_LINE_MADE: Final = insert(LINES)
_APPENDED: Final = update(MATCHES).where(
    MATCHES.c.game == bindparam("game_"),
    MATCHES.c.seq == bindparam("seq_"),
    MATCHES.c.head == bindparam("head_"),
)
TIME_SET: Final = update(TIMES).where(TIMES.c.game == bindparam("game_"))
_WAKES: Final = TIME_SET.values(
    wake=case((TIMES.c.wake <= bindparam("now"), ""), else_=bindparam("at", type_=String))
)
_SEAT_SET: Final = update(SEATS).where(SEATS.c.game == bindparam("game_"), SEATS.c.seat == bindparam("seat_"))
_CONSENTS: Final = select(CONSENTS.c.hash, CONSENTS.c.file).where(CONSENTS.c.game == bindparam("game"))
_VERDICT: Final = select(RULED.c.verdict, RULED.c.reject).where(
    RULED.c.game == bindparam("game"), RULED.c.hash == bindparam("hash")
)


def match_row(row: Any) -> MatchRow:
    """The match in a row of ``MATCH``."""
    game, short, seq, head, over, era = row
    return MatchRow(game, short, seq, head, bool(over), era)


def is_reached_at(address: str) -> ColumnElement[bool]:
    """Of a seat: its player's own address, or where it was invited as long as there is none."""
    return or_(SEATS.c.address == address, and_(SEATS.c.address == "", SEATS.c.invited == address))


def _seat(game: str, seat: str) -> ColumnElement[bool]:
    return and_(SEATS.c.game == game, SEATS.c.seat == seat)


class Matches:
    """Matches within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def add(self, game: str, short: str, at: str, seats: Sequence[str]) -> None:
        """A new match without records yet."""
        self._tx.run(insert(MATCHES).values(game=game, short=short, created=at))
        self._tx.run(insert(TIMES).values(game=game))
        for seat in seats:
            self._tx.run(insert(SEATS).values(game=game, seat=seat))

    def all(self) -> list[MatchRow]:
        """Every match, oldest first."""
        return [match_row(row) for row in self._tx.run(MATCH.order_by(MATCHES.c.created, MATCHES.c.game))]

    def after(self, game: str) -> MatchRow | None:
        """Of the matches that are not over the one behind this, by id."""
        query = MATCH.where(MATCHES.c.game > game, MATCHES.c.over == 0).order_by(MATCHES.c.game)
        return _first(self._tx.run(query.limit(1)))

    def games(self, games: Collection[str]) -> set[str]:
        """Those of these matches that are here."""
        return {game for (game,) in self._tx.run(_HERE, games=list(games))}

    def find(self, game: str) -> MatchRow | None:
        """The match with this id."""
        return _first(self._tx.run(_THIS, game=game))

    def named(self, short: str) -> MatchRow | None:
        """The match with this short name."""
        return _first(self._tx.run(MATCH.where(MATCHES.c.short == short)))

    def required(self, short: str) -> MatchRow:
        """The match with this short name; ``UsageProblem`` if it is not here."""
        row = self.named(short)
        if row is None:
            raise UsageProblem(
                sentence("there is no match {short!r} here", short=short),
                hint=sentence("'pbem host matches' lists those that are here."),
            )
        return row

    def required_seat(self, match: MatchRow, seat: str) -> SeatRow:
        """The seat of this name; ``UsageProblem`` if the match has none."""
        rows = self.seats(match.game)
        if seat not in rows:
            raise UsageProblem(
                sentence("match {short} has no seat {seat!r}", short=match.short, seat=seat),
                hint=sentence("It has {seats}.", seats=", ".join(rows)),
            )
        return rows[seat]

    def shorts(self, limit: int = 50) -> list[str]:
        """The short names of the oldest matches."""
        rows = self._tx.run(select(MATCHES.c.short).order_by(MATCHES.c.created).limit(limit))
        return [short for (short,) in rows]

    def heads(self, games: Collection[str]) -> dict[str, int]:
        """The number of the newest record of each match, by its name; matches that this database lacks are left out."""
        rows = self._tx.run(select(MATCHES.c.game, MATCHES.c.seq).where(MATCHES.c.game.in_(games)))
        return dict(rows)

    def claim(self, game: str) -> MatchRow | None:
        """The match, for this transaction alone; None if another worker has it."""
        return _first(self._tx.claim(_THIS, game=game))

    def hold(self, game: str) -> MatchRow | None:
        """The match, for this transaction alone, as soon as nobody else has it."""
        return _first(self._tx.hold(_THIS, game=game))

    def claim_one_with_mail(self, *, fewest: bool = False) -> MatchRow | None:
        """A match that mail waits for, and that nobody works on: whose mail waits longest, or that has the ``fewest``.

        By turns, so that one match with very many emails keeps no other waiting.
        """
        return _first(self._tx.claim(_FEWEST_MAILS) if fewest else self._tx.claim(_OLDEST_MAILS, most=1))

    def have_mail(self) -> bool:
        """Whether mail waits for a match that goes on."""
        return bool(self._tx.run(_WITH_MAIL_FIRST))

    def with_oldest_mail(self, most: int) -> list[MatchRow]:
        """The matches whose mail waits longest, ``most`` of them at most."""
        return [match_row(row) for row in self._tx.run(_OLDEST_MAILS, most=most)]

    def claim_if_mail_waits(self, game: str) -> MatchRow | None:
        """The match, for this transaction alone; None if somebody else has it, or no mail waits for it."""
        return _first(self._tx.claim(_THIS_WITH_MAIL, game=game))

    def contacts(self, game: str) -> str:
        """What the host noted beside the match: its title, the people around it; empty if nothing."""
        return self._tx.once(CONTACTS, game, lambda: str(self._tx.scalar(_NOTE, game=game) or ""))

    def set_contacts(self, game: str, note: str) -> None:
        """Note it; what was noted before is forgotten."""
        self._tx.put(CONTACTS, {"game": game}, note=note)

    def lines(self, game: str, since: int = 0, most: int = -1) -> list[bytes]:
        """The records from number ``since`` on; ``most``: so many at most."""
        query = _LINES.limit(most) if most >= 0 else _LINES
        return [raw for (raw,) in self._tx.run(query, game=game, since=since)]

    def line_at(self, game: str, seq: int) -> bytes | None:
        """One record; None if there is none of this number."""
        raw: bytes | None = self._tx.scalar(_LINE, game=game, seq=seq)
        return raw

    def append(
        self,
        match: MatchRow,
        lines: Sequence[tuple[bytes, str]],
        *,
        over: bool,
        wake: str = "",
        now: str = "",
    ) -> None:
        """Records (raw, hash in hex) behind the newest one; the caller has claimed the match.

        Because of the time it is looked at next at ``wake``: at once, if that is empty, or if it may be due at ``now``.
        """
        changed = self._tx.count(
            _APPENDED,
            game_=match.game,
            seq_=match.seq,
            head_=match.head,
            seq=match.seq + len(lines),
            head=lines[-1][1],
            over=int(over),
        )
        if not changed:
            raise StoreError(
                sentence("somebody else appended to match {short}; nothing was written", short=match.short)
            )
        if over:
            self._tx.run(TIME_SET, game_=match.game, wake=NEVER)
        else:
            self._tx.run(_WAKES, game_=match.game, now=now, at=wake)
        for number, (raw, _) in enumerate(lines, match.seq + 1):
            self._tx.run(_LINE_MADE, game=match.game, seq=number, raw=raw)

    def cut(self, match: MatchRow, first: int, head: str) -> MatchRow:
        """Give up the records from number ``first`` on; ``head`` is the hash (hex) of the one before."""
        self._tx.run(delete(LINES).where(LINES.c.game == match.game, LINES.c.seq >= first))
        mine = update(MATCHES).where(MATCHES.c.game == match.game)
        self._tx.run(mine.values(seq=first - 1, head=head, over=0))
        self._tx.run(TIME_SET, game_=match.game, wake="")
        return replace(match, seq=first - 1, head=head, over=False)

    def seats(self, game: str) -> dict[str, SeatRow]:
        """All seats of a match."""

        def read() -> dict[str, SeatRow]:
            return {row.seat: SeatRow(*row) for row in self._tx.run(_SEATS, game=game)}

        return self._tx.once(SEATS, game, read)

    def seats_of(self, address: str) -> list[SeatRow]:
        """The seats that a person is registered for, by their address or their invitation; the newest match first."""
        scalar_select = select(MATCHES.c.created).where(MATCHES.c.game == SEATS.c.game).scalar_subquery()
        query = _SEAT.where(is_reached_at(address)).order_by(scalar_select.desc(), SEATS.c.game, SEATS.c.seat)
        return [SeatRow(*row) for row in self._tx.run(query)] if address else []

    def registered(self, addresses: Collection[str]) -> set[str]:
        """Those of these addresses at which a seat of a match that is not over is reached."""
        mails = set()
        for column in (SEATS.c.address, SEATS.c.invited):
            query = select(column).distinct().where(column.in_(addresses), SEATS.c.game.in_(OPEN))
            mails |= {address for (address,) in self._tx.run(query)}
        return mails

    def _set(self, game: str, seat: str, **values: object) -> None:
        self._tx.run(_SEAT_SET, game_=game, seat_=seat, **values)

    def invite(self, game: str, seat: str, address: str, word: str) -> None:
        """Where the invitation goes, and its invite code."""
        self._set(game, seat, invited=address, word=word)

    def spend_invite_code(self, game: str, seat: str) -> None:
        """The seat is taken: its invite code takes it no second time, and no other join waits for it."""
        self._set(game, seat, word="")
        self._tx.run(delete(JOINS).where(JOINS.c.game == game, JOINS.c.seat == seat))

    def set_address(self, game: str, seat: str, address: str) -> None:
        """The player's own address."""
        self._set(game, seat, address=address)

    def note_contact(self, game: str, seat: str, at: str, *, mailed: bool = True) -> bool:
        """A file of this seat came; by mail, its address lives. Whether it had been suspended and is no longer."""
        if not mailed:
            self._set(game, seat, heard=at)
            return False
        row = self.seats(game).get(seat)
        self._set(game, seat, heard=at, suspended="", bounces=0)
        return row is not None and bool(row.suspended)

    def bounced(self, game: str, seat: str) -> int:
        """One more email to this seat came back; how many did in a row."""
        more = update(SEATS).where(_seat(game, seat)).values(bounces=SEATS.c.bounces + 1)
        return int(self._tx.scalar(more.returning(SEATS.c.bounces)) or 0)

    def open_of(self, address: str) -> int:
        """In how many matches that are not over this address has a seat or an invitation."""
        query = select(func.count(distinct(SEATS.c.game)))
        return int(self._tx.scalar(query.where(is_reached_at(address), SEATS.c.game.in_(OPEN))))

    def wake(self, address: str) -> int:
        """Emails may go to this address again; how many seats were suspended."""
        query = update(SEATS).where(SEATS.c.suspended != "", is_reached_at(address))
        return self._tx.count(query.values(suspended="", bounces=0))

    def suspend(self, address: str, reason: str) -> list[SeatRow]:
        """Send nothing more to this address; the seats it stands for."""
        seats = [seat for seat in self.seats_of(address) if not seat.suspended]
        for seat in seats:
            self._set(seat.game, seat.seat, suspended=reason)
        return seats

    def everybody(self) -> list[str]:
        """The address of everybody who plays in a match that is not over, if emails may go there."""
        query = select(SEATS.c.address).distinct().where(SEATS.c.address != "", SEATS.c.suspended == "")
        rows = self._tx.run(query.where(SEATS.c.game.in_(OPEN)).order_by(SEATS.c.address))
        return [address for (address,) in rows]

    def keep_consent(self, game: str, name: str, seat: str, file: bytes) -> None:
        """A consent that is not enough yet."""
        self._tx.add(CONSENTS, game=game, hash=name, seat=seat, file=file)

    def consents(self, game: str) -> dict[str, bytes]:
        """All kept consents by their hash."""
        return self._tx.once(CONSENTS, game, lambda: dict(self._tx.run(_CONSENTS, game=game)))

    def drop_consent(self, game: str, name: str) -> None:
        """A consent that can no longer count."""
        self._tx.run(delete(CONSENTS).where(CONSENTS.c.game == game, CONSENTS.c.hash == name))

    def keep_verdict(self, game: str, name: str, verdict: str, at: str, reject: bytes = b"") -> None:
        """What became of a file: ``line``, ``held``, ``refused``, or ``abandoned`` with its history.

        The same file again is no new one.
        """
        key: dict[str, object] = {"game": game, "hash": name}
        self._tx.put(RULED, key, verdict=verdict, reject=reject, first={"at": at})

    def rejects(self, game: str) -> dict[str, bytes]:
        """Every signed refusal of a match, by the hash of its file."""
        query = select(RULED.c.hash, RULED.c.reject).where(RULED.c.game == game, RULED.c.verdict == "refused")
        return dict(self._tx.run(query))

    def verdict(self, game: str, name: str) -> tuple[str, bytes]:
        """What became of a file before, with the host's ``reject`` if it was refused; empty if it is new."""
        rows = self._tx.once(RULED, (game, name), lambda: self._tx.run(_VERDICT, game=game, hash=name))
        return (rows[0].verdict, rows[0].reject) if rows else ("", b"")


def _first(rows: Rows) -> MatchRow | None:
    return match_row(rows[0]) if rows else None
