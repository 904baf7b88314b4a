"""Whether the database is the one that this service wrote last: looked at before anything is done with it.

A service that had matches never starts over by itself. Its file of heads (``pbem.host.database.heads``) lies beside the
configuration and knows what was signed; the database must hold at least that. What it holds must be whole:
its own pages, and every match that is not over, record by record up to the head that was noted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pbem.base.errors import PbemError
from pbem.base.sentences import counted, joined, sentence
from pbem.base.values import dataclass
from pbem.host.database.driver import DatabaseDamaged, DatabaseNewer
from pbem.host.database.heads import Head
from pbem.host.database.matches import Matches, MatchRow
from pbem.host.database.notes import MailNotes
from pbem.host.database.times import Stops
from pbem.host.service.context import STOP, ServiceContext
from pbem.host.store import lacking
from pbem.protocol.crypto.digest import b64, short_id, unb64
from pbem.protocol.record.line import read_line

HOST: Final = "host"
"""Under which name the database holds the key of the host that it belongs to."""
_ANEW: Final = sentence(
    "Restore the newest backup: pbem host restore BACKUP. If there is none, pbem host go-on --new-database starts over."
    " Then bring each match back from the players' copies with pbem host recover MATCH COPY..."
)
_OTHER_HOST: Final = sentence(
    "Name the identity that these matches were made with (identity in service.toml), or the database that belongs to"
    " this one. No record was changed, and pbem host go-on does not help here."
)
_OLDER: Final = sentence(
    "Put the newest database back. If this is the newest that you have, pbem host go-on --older-database keeps it. The"
    " players are then asked for what is missing, and nobody's time runs until it is there."
)


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """What one look at the database saw, in one snapshot."""

    rows: Sequence[MatchRow]
    behind: Mapping[str, Head]
    wrong: Sequence[str]
    other_host: str
    """The key (base64url) of the host that this database belongs to, if that is another one."""


def check_database(context: ServiceContext, *, thorough: bool = True) -> None:
    """Refuse a database that is missing, emptied, damaged, older than what was signed, or another host's.

    Other workers may be at work meanwhile. So each look reads one snapshot, begun after the heads were read, and what
    looks wrong is looked at a second time, in a new one, before it is called damage.

    Args:
        context: the host, not yet at work.
        thorough: also let the database look through all its pages, and check the records of every running match.
            Without it only a small file looks through itself; a match is verified when it is first needed, and the
            rest in quiet rounds (``QuietCheck``).

    Raises:
        DatabaseDamaged: what is wrong, where, and what to do. Nothing was changed.
    """
    known = context.heads.known()
    if known:
        context.database.expect()
    try:
        if thorough or context.database.is_small():
            context.database.check()
        result = _look(context, thorough=thorough)
        if result.behind or result.wrong:
            context.heads.reread()
            result = _look(context, thorough=thorough)
    except DatabaseNewer:
        raise  # it is whole: nobody shall begin again because of it
    except DatabaseDamaged as fault:
        parts = [str(fault)]
        if known:
            names = _names(list(known))
            parts.append(
                counted("it had {n} match: {names}", "it had {n} matches: {names}", len(known), names=names)
            )
        raise DatabaseDamaged(joined(parts, "; "), hint=_ANEW) from fault
    url = context.database.name
    if result.other_host:
        raise DatabaseDamaged(_other_host_words(context, result), hint=_OTHER_HOST)
    if result.behind:
        text = joined(_behind_words(game, head, result.rows) for game, head in result.behind.items())
        raise DatabaseDamaged(
            sentence(
                "the database {url} is older than what this service has signed: {text}", url=url, text=text
            ),
            hint=_OLDER,
        )
    if result.wrong:
        raise DatabaseDamaged(
            sentence("the database {url} is damaged: {wrong}", url=url, wrong=joined(result.wrong)), hint=STOP
        )
    with context.database.transaction() as transaction:
        if not MailNotes(transaction).get(HOST):
            MailNotes(transaction).set(HOST, b64(context.host.sign_public))
    for row in result.rows:
        context.heads.note(row.game, Head(row.era, row.seq, row.head))


def _other_host_words(context: ServiceContext, result: _Snapshot) -> str:
    """Whose the database is, and who would sign here."""
    url, mine = context.database.name, short_id(context.host.sign_public)
    if result.rows:
        return sentence(
            "the database {url} holds matches of another host, for example {match}; this service signs as {mine}",
            url=url,
            match=result.rows[0].short,
            mine=mine,
        )
    return sentence(
        "the database {url} belongs to another host, {other}; this service signs as {mine}",
        url=url,
        other=short_id(unb64(result.other_host, 32)),
        mine=mine,
    )


def _look(context: ServiceContext, *, thorough: bool) -> _Snapshot:
    # Before the snapshot: what is noted was committed before it was noted.
    heads = dict(context.heads.known())
    mine = b64(context.host.sign_public)
    with context.database.reading() as transaction:
        matches = Matches(transaction)
        rows = matches.all()
        host = MailNotes(transaction).get(HOST)
        signs = host or (_host_of(matches, rows[0]) if rows else "")
        other_host = signs if signs not in ("", mine) else ""
        behind = {} if other_host else behind_of(heads, matches, rows)
        wrong = _damages(matches, rows) if thorough and not behind and not other_host else []
    return _Snapshot(rows, behind, wrong, other_host)


class QuietCheck:
    """Looks through the matches that nothing has been needed of yet, one in a quiet round, each once in a process."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context
        self._after: str | None = ""
        """The match that was looked through last; None when all were."""

    def check_one(self) -> bool:
        """Look through one more match; False if none is left.

        Raises:
            DatabaseDamaged: its records are not what was written.
        """
        context = self._context
        if self._after is None:
            return False
        with context.database.reading() as transaction:
            matches = Matches(transaction)
            row = matches.after(self._after)
            self._after = row.game if row is not None else None
            if row is None or context.records.at_hand(row):
                return row is not None
            fault = chain_fault(matches.lines(row.game), row)
        if fault:
            text = sentence("match {short}: {fault}", short=row.short, fault=fault)
            raise DatabaseDamaged(
                sentence("the database {url} is damaged: {wrong}", url=context.database.name, wrong=text),
                hint=STOP,
            )
        return True


def _host_of(matches: Matches, row: MatchRow) -> str:
    """Whose key signs this match, by its first record; empty if that cannot be read."""
    raw = matches.line_at(row.game, 0)
    try:
        return "" if raw is None else str(read_line(raw).body["host"]["sign"])
    except (PbemError, KeyError):
        return ""


def behind_of(heads: Mapping[str, Head], matches: Matches, rows: Sequence[MatchRow]) -> dict[str, Head]:
    """The matches of which more was signed than the database holds, with what was."""
    match_rows = {row.game: row for row in rows}
    return {
        game: head
        for game, head in heads.items()
        if game not in match_rows or not _holds(matches, match_rows[game], head)
    }


def _holds(matches: Matches, row: MatchRow, head: Head) -> bool:
    if row.era != head.era:
        return row.era > head.era

    def named(seq: int) -> str:
        if seq == row.seq:
            return row.head
        raw = matches.line_at(row.game, seq)
        try:
            return "" if raw is None else read_line(raw).hash.hex()
        except PbemError:
            return ""

    return not lacking([(head.seq, head.line)], named)


def _behind_words(game: str, head: Head, rows: Sequence[MatchRow]) -> str:
    row = next((row for row in rows if row.game == game), None)
    if row is None:
        return sentence("match {match} is not there", match=_names([game]))
    if row.seq < head.seq:
        return sentence(
            "match {match} ends with record {seq}, and record {signed} was signed",
            match=row.short,
            seq=row.seq,
            signed=head.seq,
        )
    return sentence(
        "match {match} holds another record {signed} than was signed", match=row.short, signed=head.seq
    )


def _names(games: Sequence[str]) -> str:
    return ", ".join(short_id(unb64(game, 32)) for game in games)


def _damages(matches: Matches, rows: Sequence[MatchRow]) -> list[str]:
    damages: list[str] = []
    for row in rows:
        if not row.over:
            fault = chain_fault(matches.lines(row.game), row)
            damages += [sentence("match {short}: {fault}", short=row.short, fault=fault)] if fault else []
    return damages


def chain_fault(lines: Sequence[bytes], row: MatchRow) -> str:
    """What is wrong with the records of a match as bytes: their number, their chain, its end."""
    if len(lines) != row.seq + 1:
        return counted(
            "{n} record was written, {there} are there",
            "{n} records were written, {there} are there",
            row.seq + 1,
            there=len(lines),
        )
    before = end = ""
    for number, raw in enumerate(lines):
        try:
            line = read_line(raw)
        except PbemError as fault:
            return sentence("record {number} cannot be read: {fault}", number=number, fault=fault)
        if line.seq != number or line.body["prev"] != before:
            return sentence("record {number} does not continue the one before", number=number)
        before = b64(line.hash)
        end = line.hash.hex()
    return "" if end == row.head else sentence("record {seq} is not the one that was written", seq=row.seq)


def accept_older(context: ServiceContext) -> tuple[list[str], list[str]]:
    """A person says that there is no newer database; the matches that are behind, and those that are not there.

    Neither is expected any more; what was signed of the first is noted in the database as proven (the caller stops
    those, and asks the players).
    """
    context.database.expect()
    with context.database.transaction() as transaction:
        matches, stops = Matches(transaction), Stops(transaction)
        rows = matches.all()
        behind = behind_of(context.heads.known(), matches, rows)
        present = [game for game in behind if matches.find(game) is not None]
        for game in present:
            stops.prove(game, behind[game].seq, behind[game].line)
    for game in behind:
        context.heads.forget(game)
    return present, [game for game in behind if game not in present]
