"""Rebuilding a host from their one secret and the players' copies (schemas/README.md §4.1, §11).

Everything else the host had follows from these: seeds and tapes from the secret, hands and orders from the file. They
must take the longest valid copy before they sign anything, else they would sign a second line under a number
that somebody already holds, which is proof of misconduct. Where that has happened, they say which history counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from typing import TypeAlias

from pbem.base.errors import PbemError, StoreError, UsageProblem
from pbem.base.sentences import joined, sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.host.branches import History, chosen, histories_json, histories_of, lost_files, parting
from pbem.host.database.database import Transaction
from pbem.host.database.driver import DatabaseNewer
from pbem.host.database.heads import Heads
from pbem.host.database.matches import Matches
from pbem.host.database.times import OLDER, Stops
from pbem.host.folder import FolderHost, begin, folder_context, heads_of, new_context
from pbem.host.folder_database import database_at, is_host_folder, lines_in, only_match, opened_database
from pbem.host.letter_mail import Contacts
from pbem.host.service.context import ServiceContext
from pbem.host.service.heal import ABANDONED, Healer
from pbem.host.service.matches import MatchClient
from pbem.player.store import MatchFolder
from pbem.protocol.crypto.digest import b64, short_id
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record import HostOpenings, Record
from pbem.protocol.record.line import read_line
from pbem.protocol.record.openings import is_host_of

Copies = Sequence[tuple[str, Sequence[bytes]]]
"""Name and lines (without line feeds) of each copy."""
OwnSeat: TypeAlias = Callable[[History], str]
"""Which seat of the match with this history whoever hosts it from now on plays; empty for none."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """What was rebuilt: where, from which copy, up to which record, and what was wrong with the others."""

    folder: Path
    source: str
    records: int
    notes: tuple[str, ...]
    lost: tuple[JsonObject, ...] = ()
    """Files that stand only in a history that was given up."""


@dataclass(frozen=True, slots=True)
class _Copy:
    name: str
    lines: tuple[bytes, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Taken:
    """The history that counts, whose copy it is, and what it costs."""

    history: History
    source: str
    lost: tuple[JsonObject, ...]
    upto: int
    """The newest number of all histories; -1 if there is only one."""
    names: tuple[str, ...] = ()
    """Of the files that are lost."""


def recover(
    path: Path,
    host: Identity,
    copies: Copies,
    clock: Callable[[], str],
    *,
    take: int = 0,
    own_seat: OwnSeat = lambda _: "",
) -> Recovered:
    """Merge every copy that exists into the host's database in the folder ``path``, which is made if it is missing.

    Args:
        path: a new folder, or a host's; its database and its game file are copies, too.
        host: the identity that signed the match.
        copies: what the players have.
        clock: the time.
        take: which history counts, if two were signed; counted from 1 as the refusal names them.
        own_seat: asked in a new folder, where somebody else may be taking the match over.

    Raises:
        VerificationError: two valid copies contradict each other, and nobody has said which counts; nothing was
            written.
        UsageProblem: no copy is usable, the identity is not the host's, no history has the number ``take``, or
            whoever takes the match over may not host it.
    """
    folder = MatchFolder(path)
    own = _own_copy(path)
    named: list[tuple[str, Sequence[bytes]]] = [("the database", own)] if own else []
    if folder.game.exists():
        named.append((str(folder.game.path), folder.game.read().lines))
    checked = [_checked(name, lines, host) for name, lines in [*named, *copies]]
    if own:
        checked = [_without_given_up(copy, own, _given_up(path)) for copy in checked]
    notes = tuple(copy.note for copy in checked if copy.note)
    taken = _taken(checked, take)
    if own:
        _complete(path, host, clock, [copy.lines for copy in checked if copy.lines], take)
    else:
        _check_own_seat(taken.history, own_seat(taken.history))
        _rebuild(folder, host, clock, taken)
    client = FolderHost(path, host, clock)
    client.rewrite_letters()
    client.close()
    return Recovered(path, taken.source, len(taken.history), notes, taken.lost)


def _own_copy(path: Path) -> list[bytes]:
    """The records of the folder's database; none if it has no match, or is damaged: then it is put aside."""
    if not is_host_folder(path):
        return []
    try:
        return lines_in(path)
    except DatabaseNewer:
        raise
    except StoreError:
        database = database_at(path)
        aside = next(
            name
            for number in count(1)
            if not (name := database.with_name(f"{database.name}.old-{number}")).exists()
        )
        for end in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                database.with_name(database.name + end).rename(aside.with_name(aside.name + end))
        return []


def _given_up(path: Path) -> int:
    """Up to which number other records belong to a history that was given up; -1 if none was."""
    with closing(opened_database(path)) as database, database.reading() as transaction:
        return Stops(transaction).era(only_match(transaction, path).game)[1]


def _without_given_up(copy: _Copy, own: Sequence[bytes], upto: int) -> _Copy:
    """A copy up to where it belongs to a history that was given up: nothing brings that one back."""
    for number, raw in enumerate(copy.lines[: min(upto + 1, len(own))]):
        if raw != own[number]:
            note = sentence(
                "{name} belongs to a history that was given up, from record {number} on",
                name=copy.name,
                number=number,
            )
            return _Copy(copy.name, copy.lines[:number], note)
    return copy


def _rebuild(folder: MatchFolder, host: Identity, clock: Callable[[], str], taken: _Taken) -> None:
    """A new database with the history that counts."""
    context, noted = new_context(folder, host, clock, Heads()), heads_of(folder)
    game = b64(taken.history[0].hash)
    with closing(context.database):
        with context.database.transaction() as transaction:
            begin(context, transaction, taken.history, Contacts())
            _give_up(transaction, game, taken, clock())
            _demand(noted, transaction, game, clock())
        noted.forget(game)


def _give_up(transaction: Transaction, game: str, taken: _Taken, now: str) -> None:
    """Other records up to the newest number of all histories were given up, and the files in them."""
    if taken.upto >= 0:
        Stops(transaction).new_era(game, taken.upto)
        for name in taken.names:
            Matches(transaction).keep_verdict(game, name, ABANDONED, now)


def _demand(noted: Heads, transaction: Transaction, game: str, now: str) -> None:
    """What is noted as signed must be there: otherwise nothing is signed until a copy has brought it."""
    head, stops = noted.known().get(game), Stops(transaction)
    if head is None or stops.era(game)[0] > head.era:
        return
    raw = Matches(transaction).line_at(game, head.seq)
    if raw is None or read_line(raw).hash.hex() != head.line:
        stops.prove(game, head.seq, head.line)
        stops.begin(game, OLDER, now)


def _complete(
    path: Path, host: Identity, clock: Callable[[], str], copies: Sequence[Sequence[bytes]], take: int
) -> None:
    """Bring what the copies have into the database that is there; ``take`` decides between histories."""
    folder = MatchFolder(path)
    context, noted = folder_context(folder, opened_database(path), host, clock, Heads()), heads_of(folder)
    with closing(context.database):
        with context.database.transaction() as transaction:
            matches, now = Matches(transaction), context.now()
            (match,) = matches.all()
            _demand(noted, transaction, match.game, now)
            healer = Healer(context, transaction, f"recover {now}")
            for lines in copies:
                healer.bring(match.game, [lines])
            if take:
                (completed,) = matches.all()
                healer.choose(completed, take)
        noted.forget(match.game)


def _check_own_seat(history: History, seat: str) -> None:
    """Return if whoever plays this seat may host the match: who joined agreed to that in record 0, or never."""
    genesis = history[0].body
    if seat and seat not in genesis["seats"]:
        raise UsageProblem(sentence("there is no seat {seat}", seat=seat))
    if seat and seat != genesis["host"].get("seat"):
        raise UsageProblem(
            sentence(
                "{seat} cannot host this match: a host sees every hand and every card to come, and nobody has"
                " agreed that {seat} does",
                seat=seat,
            ),
            hint=sentence("Let somebody host it who plays no seat in it."),
        )


def _taken(checked: Sequence[_Copy], take: int) -> _Taken:
    usable = [copy for copy in checked if copy.lines]
    if not usable:
        reasons = joined([copy.note for copy in checked], "; ")
        raise UsageProblem(
            sentence("no copy can be used: {reasons}", reasons=reasons),
            hint=sentence("Ask every player for their match file."),
        )
    lines = {copy.name: [read_line(raw) for raw in copy.lines] for copy in usable}
    if len({each[0].hash for each in lines.values()}) > 1:
        raise UsageProblem(
            sentence("the copies are of several matches"), hint=sentence("Name the copies of one match.")
        )
    histories = histories_of(line for copy in lines.values() for line in copy)
    history = chosen(histories, take)
    facts = histories_json(histories)
    source = next(name for name, copy in lines.items() if copy[-1].hash == history[-1].hash)
    upto = max(len(h) - 1 for h in histories) if len(histories) > 1 else -1
    names = tuple(lost.name for lost in lost_files(history, [h for h in histories if h is not history]))
    return _Taken(history, source, tuple(facts[histories.index(history)]["lost"]), upto, names)


def _checked(name: str, lines: Sequence[bytes], host: Identity) -> _Copy:
    """The valid beginning of a copy."""
    if not lines:
        return _Copy(name, (), sentence("{name} is empty", name=name))
    try:
        genesis = read_line(lines[0])
        if genesis.kind != "genesis" or not is_host_of(lines, host):
            return _Copy(name, (), sentence("{name} is not of a match that this identity hosts", name=name))
        record = Record.begin(lines[0], HostOpenings(host, genesis))
    except PbemError as fault:
        return _Copy(name, (), joined((name, str(fault)), ": "))
    for index, raw in enumerate(lines[1:], 1):
        try:
            record.extend([raw])
        except PbemError as fault:
            note = sentence(
                "{name} is used up to record {last}: {fault}", name=name, last=index - 1, fault=fault
            )
            return _Copy(name, tuple(lines[:index]), note)
    return _Copy(name, tuple(lines))


# --- a match of the service --------------------------------------------------------------------------------


def recover_served(
    context: ServiceContext, short: str, copies: Copies, *, take: int = 0, own_seat: OwnSeat = lambda _: ""
) -> JsonObject:
    """The same for a match in the service's database: copies complete it, or show its histories; ``take`` decides.

    A match that the database has lost altogether, or has never had, is put into it from the copies.

    Returns:
        ``match``, ``records``, ``goes_on``, and ``histories`` (as ``histories_json``) while two are open; after a
        decision ``lost``.

    Raises:
        UsageProblem: there is no such match and no copy of it, no such history, or whoever takes the match over may
            not host it.
    """
    with context.database.transaction() as transaction:
        matches = Matches(transaction)
        named = matches.named(short)
        match = matches.hold(named.game) if named is not None else None
        if match is not None:
            healer, stops = Healer(context, transaction, f"recover {context.now()}"), Stops(transaction)
            sentences = [said for _, lines in copies for said in healer.bring(match.game, [lines])]
            match = matches.find(match.game)
            assert match is not None  # noqa: S101 - it was held above
            lost = healer.choose(match, take)["lost"] if take else None
            open_now = stops.of(match.game)
            ends = healer.histories(match) if open_now is not None else []
    if match is None:
        return _bring_back(context, short, copies, take, own_seat)
    for record in healer.repaired:
        context.records.keep(record)
    count = healer.repaired[-1].head.seq + 1 if healer.repaired else match.seq + 1
    facts: JsonObject = {
        "match": short,
        "records": count,
        "goes_on": open_now is None,
        "reported": list(map(str, sentences)),
    }
    if lost is not None:
        facts["lost"] = lost
    return facts | ({"histories": histories_json(ends), "parts": parting(ends)} if len(ends) > 1 else {})


def _bring_back(
    context: ServiceContext, short: str, copies: Copies, take: int, own_seat: OwnSeat
) -> JsonObject:
    host = context.host
    checked = [_checked(name, lines, host) for name, lines in copies]
    mine = [copy for copy in checked if copy.lines and short_id(read_line(copy.lines[0]).hash) == short]
    if not mine:
        notes = [copy.note for copy in checked if copy.note]
        none = sentence("there is no match {short!r} here, and no copy of it was named", short=short)
        raise UsageProblem(
            joined((none, *notes), "; "),
            hint=sentence("Ask every player for their match file: pbem update COPY --for-host 0"),
        )
    taken = _taken(mine, take)
    _check_own_seat(taken.history, own_seat(taken.history))
    lines = [line.raw for line in taken.history]
    record = Record.load(lines, HostOpenings(host, taken.history[0]))
    MatchClient(context).bring_back(record.lines, record)
    with context.database.transaction() as transaction:
        _give_up(transaction, b64(record.game), taken, context.now())
    return {"match": short, "records": len(lines), "goes_on": True, "reported": [], "lost": list(taken.lost)}
