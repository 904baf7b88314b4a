"""The matches of one device: a folder for each, and keys for each that are used for no other match.

::

    <root>/matches/<match>-<seat>/     a copy of the game file as any player keeps it, and page.json
    <root>/practice/<game>-<n>/        a practice match (pbem.player.practice)

No secret lies in a file here. The page gives the secrets when it starts and keeps those that are made (``fresh``): in
the browser's database, wrapped by a key that cannot be read out.
"""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from pbem.base.errors import FormatError, PbemError, StoreError, UsageProblem
from pbem.base.language import Language
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.player.letters.rendering import Style, macros, one_line
from pbem.player.play.words import Words
from pbem.player.practice.match import person_at
from pbem.player.seat import PlayerClient
from pbem.player.store import GAME_FILE, PrivateNotes
from pbem.protocol.crypto.digest import kdf, short_id
from pbem.protocol.crypto.identity import (
    SECRET_SIZE,
    Identity,
    from_paper,
    is_recovery_paper,
    recovered,
    recovery_from_paper,
    to_paper,
)
from pbem.protocol.formats.strict_json import parse
from pbem.protocol.record import Record
from pbem.protocol.record.deadlines import Over, awaited_in

Entropy = Callable[[int], bytes]
Clock = Callable[[], str]
MATCHES: Final = "matches"
PRACTICE: Final = "practice"
_NOTE: Final = "page.json"
_PAPER: Final = "paper "
"""Before a match's name: the secret that its words for paper stand for, as long as nobody has written them down."""
_WISHES: Final = "wishes"
MOST_BACKUP: Final = 64 * 1024 * 1024


class NewSeat(NamedTuple):
    """The copy of an invitation under fresh keys: its name, the client, and the secret that goes on paper."""

    name: str
    client: PlayerClient
    secret: bytes


class Shelf:
    """What lies under ``root``. ``secrets``: of each match, as the browser kept it; ``known``: verified before."""

    def __init__(
        self,
        root: Path,
        secrets: Mapping[str, bytes],
        entropy: Entropy,
        clock: Clock,
        known: KnownMatches,
    ) -> None:
        self.root = root
        self.entropy = entropy
        self.clock = clock
        self.known = known
        self._unwritten = {
            name.removeprefix(_PAPER): secret for name, secret in secrets.items() if name.startswith(_PAPER)
        }
        self._identities = {
            name: Identity(secret) for name, secret in secrets.items() if not name.startswith(_PAPER)
        }
        self.fresh: dict[str, bytes | None] = {}
        """Secrets that the browser is still to keep; None for one that it is to forget."""

    def names(self) -> list[str]:
        """Every match of people, then every practice match."""
        paths = list((self.root / MATCHES).glob(f"*/{GAME_FILE}"))
        practice = list((self.root / PRACTICE).glob(f"*/{GAME_FILE}"))
        return [path.parent.name for path in (*sorted(paths), *sorted(practice))]

    def folder(self, name: str) -> Path:
        """Where a match lies; ``UsageProblem`` if there is none of this name."""
        for shelf in (MATCHES, PRACTICE):
            if name in [path.name for path in (self.root / shelf).glob("*")]:
                return self.root / shelf / name
        raise UsageProblem(sentence("there is no match {name!r} on this device", name=name))

    def is_practice(self, name: str) -> bool:
        """Whether it is a practice match."""
        return self.folder(name).parent.name == PRACTICE

    def identity(self, name: str) -> Identity:
        """The keys of a match; ``UsageProblem`` if the browser has lost them."""
        if name not in self._identities:
            raise KeysLost
        return self._identities[name]

    def client(self, name: str) -> PlayerClient:
        """The player's client at a match of people."""
        return self._client(name, self.folder(name), self.identity(name), served=self.is_served)

    def practice_client(self, name: str) -> PlayerClient:
        """The person's client at a practice match, without the others and their host."""
        folder = self.folder(name)
        return self._client(name, folder, person_at(folder))

    @property
    def is_served(self) -> bool:
        """Whether a host serves this page (``Device.serve``)."""
        return bool(self.wishes.get("served"))

    def _client(self, name: str, folder: Path, identity: Identity, *, served: bool = False) -> PlayerClient:
        known = self.known.of(name, identity)
        return PlayerClient.open(folder, identity, self.entropy, self.clock, known, served=served)

    def note(self, name: str) -> JsonObject:
        """What the page keeps of a match beside its copy: the seat, the host's API."""
        return _noted(self.folder(name) / "sent")

    def keep_note(self, name: str, note: JsonObject) -> None:
        """Keep it."""
        PrivateNotes(self.folder(name) / "sent").write(_NOTE, json.dumps(note).encode(), replace=True)

    @property
    def wishes(self) -> JsonObject:
        """What the person wants of this page: ``quiet``, that no list shows how a match ended."""
        return _noted(self.root / _WISHES)

    def keep_wishes(self, wishes: JsonObject) -> None:
        """Keep them."""
        PrivateNotes(self.root / _WISHES).write(_NOTE, json.dumps(wishes).encode(), replace=True)

    def begin(self, lines: tuple[bytes, ...], seat: str) -> NewSeat:
        """A copy of an invitation under fresh keys."""
        name = self._new(Record.load(lines), seat)
        secret = self.entropy(SECRET_SIZE)
        identity = recovered(secret)
        client = self._begun(name, lines, identity)
        self._unwritten[name] = self.fresh[_PAPER + name] = secret
        return NewSeat(name, client, secret)

    def unwritten(self, name: str) -> bytes | None:
        """The secret for paper, as long as nobody has written it down; it can be shown again until then."""
        return self._unwritten.get(name)

    def written(self, name: str) -> None:
        """The words for paper are written down, or the match is gone: they are kept here no longer."""
        if self._unwritten.pop(name, None) is not None:
            self.fresh[_PAPER + name] = None

    def _begun(self, name: str, lines: tuple[bytes, ...], identity: Identity) -> PlayerClient:
        known, folder = self.known.of(name, identity), self.root / MATCHES / name
        client = PlayerClient.begin(
            folder, lines, identity, self.entropy, self.clock, known, served=self.is_served
        )
        self._keep(name, identity)
        return client

    def _new(self, record: Record, seat: str) -> str:
        """The name of a match that is not here yet."""
        name = f"{short_id(record.game)}-{seat}"
        if name in self.names():
            raise UsageProblem(sentence("this seat of the match is on this device already"))
        return name

    def forget(self, name: str) -> None:
        """Take a match and its keys off this device."""
        _remove(self.folder(name))
        self.known.forget(name)
        self._identities.pop(name, None)
        self.fresh[name] = None
        self.written(name)

    def _keep(self, name: str, identity: Identity) -> None:
        self._identities[name] = identity
        self.fresh[name] = identity.secret

    def backup(self, name: str) -> bytes:
        """Everything of a match in one file, keys in clear: whoever reads it plays in this name."""
        folder, packed = self.folder(name), io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
            paper = " ".join(to_paper(self.identity(name)).split())  # a text in a file has one line
            about = {"pbem": "page-backup/1", "match": name, "paper": paper}
            file.writestr("backup.json", json.dumps(about, indent=2) + "\n")
            for path in sorted(folder.rglob("*")):
                if path.is_file() and not path.name.endswith(".lock"):
                    file.writestr(path.relative_to(folder).as_posix(), path.read_bytes())
        return packed.getvalue()

    def restore(self, raw: bytes) -> str:
        """The match of a backup, on this device; its name.

        Raises:
            FormatError: it is no backup; nothing was kept.
            UsageProblem: the match is here already.
        """
        name, identity, files = _read_backup(raw)
        if name in self.names():
            raise UsageProblem(sentence("this match is on this device already"))
        folder = self.root / MATCHES / name
        for path, data in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        try:
            self._client(name, folder, identity).record  # noqa: B018 - reading is verifying
        except Exception:
            _remove(folder)
            self.known.forget(name)
            raise
        self._keep(name, identity)
        return name

    def from_paper(self, name: str, paper: str) -> None:
        """The keys of a match from the words on paper; ``UsageProblem`` if its seat belongs to other keys."""
        identity = on_paper(paper)
        _seat_of(PlayerClient.open(self.folder(name), identity, self.entropy, self.clock).record, identity)
        self._keep(name, identity)

    def moved(self, lines: tuple[bytes, ...], paper: str) -> tuple[str, Seat]:
        """A match that its player has on another device, from its records and the words on their paper.

        Returns:
            Its name here, and the seat.

        Raises:
            UsageProblem: no seat of it belongs to these keys, or it is on this device already.
        """
        identity, record = on_paper(paper), Record.load(lines)
        seat = _seat_of(record, identity)
        name = self._new(record, seat)
        self._begun(name, lines, identity)
        return name, seat


def _noted(folder: Path) -> JsonObject:
    try:
        kept: JsonObject = json.loads(PrivateNotes(folder).read(_NOTE))
    except (ValueError, StoreError):
        return {}
    return kept


def on_paper(words: str) -> Identity:
    """The keys that words on paper are of."""
    return recovered(recovery_from_paper(words)) if is_recovery_paper(words) else from_paper(words)


def _seat_of(record: Record, identity: Identity) -> Seat:
    """The seat of these keys; ``UsageProblem`` if none is."""
    for seat, player in record.ledger.players.items():
        if player.sign == identity.sign_public:
            return seat
    raise UsageProblem(sentence("these words are of other keys than those of your seat"))


def _read_backup(raw: bytes) -> tuple[str, Identity, dict[PurePosixPath, bytes]]:
    """Name, keys and files of a backup; no file leaves its folder, however it is called."""
    bad = FormatError(sentence("this is not a backup of a match"))
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as file:
            infos = file.infolist()
            if sum(info.file_size for info in infos) > MOST_BACKUP:
                raise bad
            files = {PurePosixPath(info.filename): file.read(info) for info in infos if not info.is_dir()}
    except (FormatError, MemoryError):
        raise
    except Exception as fault:  # damaged archives fail in many ways; all mean the same to us
        raise bad from fault
    about = parse(files.pop(PurePosixPath("backup.json"), b"null"), limit=4096)
    if not isinstance(about, dict) or about.get("pbem") != "page-backup/1":
        raise bad
    name = str(about.get("match", ""))
    safe_paths = all(
        not path.is_absolute() and len(path.parts) in (1, 2) and ".." not in path.parts for path in files
    )
    if not safe_paths or not name.replace("-", "").isalnum() or not name.isascii() or len(name) > 60:
        raise bad
    return name, from_paper(str(about.get("paper", ""))), files  # "paper": the recovery words


def _remove(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    folder.rmdir()


def decoded(text: object) -> bytes:
    """Bytes as the page sends them: base64 (RFC 4648 §4)."""
    try:
        return base64.b64decode(str(text), validate=True)
    except ValueError as fault:
        raise FormatError(sentence("these bytes did not come whole")) from fault


# What helps where something failed: a fault that the page can repair has a button of its own (``help`` of
# an answer).

LOOK: Final = "look"
"""Show the table as it is now."""
PAPER: Final = "paper"
"""Type the words of the paper, or take in a backup."""
UPDATE: Final = "update"
"""Look for a newer version of the page."""
_LONGEST: Final = 40


class TableChanged(UsageProblem):
    """A tap on what is not shown any more."""

    def __init__(self) -> None:
        super().__init__(sentence("the table has changed meanwhile; look again"))


class KeysLost(UsageProblem):
    """The browser has not kept the keys of a match."""

    def __init__(self) -> None:
        hint = sentence("Open your backup file, or type your recovery words.")
        super().__init__(sentence("the keys of this match are not on this device any more"), hint=hint)


class OlderPage(UsageProblem):
    """A record of a kind that this page does not know: it is older than the host."""

    def __init__(self, kind: str) -> None:
        text = sentence(
            "This web app is older than a record of this match (“{kind}”). Nothing was taken in.", kind=kind
        )
        super().__init__(text, hint=sentence("Load the newest version of the web app, then ask again."))


def help_for(fault: PbemError) -> str:
    """The name of the button that helps; empty where none does."""
    for kind, name in ((TableChanged, LOOK), (KeysLost, PAPER), (OlderPage, UPDATE)):
        if isinstance(fault, kind):
            return name
    return ""


def refuse_newer(lines: Iterable[bytes], known: Iterable[str]) -> None:
    """``OlderPage`` if one of these records is of a kind that is not ``known``; what else is wrong others say."""
    kinds = frozenset(known)
    for line in lines:
        try:
            body = json.loads(line)["body"]
            kind = str(body["kind"])
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if kind not in kinds and kind.replace("-", "").isalnum() and len(kind) < _LONGEST:
            raise OlderPage(kind)


# What this device has verified before: a checkpoint of each match, so that a list or a table verifies
# only the rest.
#
# The browser keeps them beside the keys and may lose any of them: a checkpoint saves work and decides
# nothing (``pbem.protocol.record.checkpoint``). Its MAC is by a key that follows from the match's own
# secret, so whoever cannot unwrap that one cannot write a checkpoint that is believed.

_PURPOSE: Final = "pbem/1 page checkpoint"


class KnownMatches:
    """Checkpoints by the names of matches. ``kept``: those that the browser kept."""

    def __init__(self, kept: Mapping[str, bytes]) -> None:
        self.kept = dict(kept)
        self.fresh: dict[str, bytes | None] = {}
        """Those that the browser may keep now; None for one that it is to forget."""

    def of(self, name: str, identity: Identity) -> KnownMatch:
        """What is known of one match, for its copy (``pbem.player.store.Vouched``)."""
        return KnownMatch(self, name, kdf(identity.secret, _PURPOSE))

    def put(self, name: str, raw: bytes) -> None:
        """Keep this."""
        self.kept[name] = self.fresh[name] = raw

    def forget(self, name: str) -> None:
        """Nothing is known of this match any more."""
        if self.kept.pop(name, None) is not None:
            self.fresh[name] = None


@dataclass(frozen=True, slots=True)
class KnownMatch:
    """What is known of one match; ``name`` is how the page calls it, each seat for itself."""

    known: KnownMatches
    name: str
    vouching: bytes

    def key(self) -> bytes:
        """Whose checkpoints are believed."""
        return self.vouching

    def read(self, match: str) -> bytes:
        """What is kept; its MAC says of which records it is."""
        del match
        return self.known.kept.get(self.name, b"")

    def write(self, match: str, raw: bytes) -> None:
        """Keep this."""
        del match
        self.known.put(self.name, raw)


# The people one plays with, over all matches of this device: wins, money, the best shot, and who is
# waited for.
#
# From the records alone: whoever has the same copies sees the same table. People go by their names, since
# each match has keys of its own; practice does not count.


@dataclass
class Friend:
    """One of them: ``best`` is the chance of the least likely shot or throw that hit."""

    name: str
    matches: int = 0
    won: int = 0
    dollars: int = 0
    waited: int = 0
    """Matches that wait for them now."""
    best: tuple[int, int] | None = None

    def hit(self, chance: tuple[int, int]) -> None:
        """A shot of theirs hit."""
        if self.best is None or Fraction(*chance) < Fraction(*self.best):
            self.best = chance


def group_of(records: Iterable[Record], language: Language) -> list[JsonObject]:
    """Everybody, who has won most first."""
    friends: dict[str, Friend] = {}
    for record in records:
        _count(record, friends, language)
    words = Words(language)
    rows = sorted(friends.values(), key=lambda friend: (-friend.won, -friend.dollars, friend.name))
    return [
        {
            "name": row.name,
            "matches": row.matches,
            "won": row.won,
            "figure": language.dollars(row.dollars),
            "best": "" if row.best is None else words("chance", hits=row.best[0], of=row.best[1]),
            "waited": row.waited,
        }
        for row in rows
    ]


def _count(record: Record, friends: dict[str, Friend], language: Language) -> None:
    at = {seat: friends.setdefault(name.casefold(), Friend(name)) for seat, name in record.names.items()}
    over = record.standing if isinstance(record.standing, Over) else None
    waited = awaited_in(record.standing)
    amounts = _amounts(record, language)
    for seat, row in at.items():
        row.matches += 1
        row.won += over is not None and seat in over.outcome.get("winners", ())
        row.waited += seat in waited
        row.dollars += amounts.get(seat, 0)
    for line in record.lines:
        steps = line.body.get("steps", ())
        for shot in record.rules.trials(steps, record.moment(line.seq - 1).public) if steps else ():
            if shot.success and shot.seat in at:
                at[shot.seat].hit(shot.chance)


def _amounts(record: Record, language: Language) -> dict[Seat, int]:
    """What everybody has now, by the game's own count; nothing before anything is dealt."""
    view = record.public
    if view is None:
        return {}
    setup = record.rules.setup
    context = {
        "view": view,
        "summary": record.rules.summary(view),
        "me": "",
        "who": str,
        "seats": setup.seats,
    }
    said = macros(Style.TEXT, record.game_info.id, "touch.jinja", {**context, "setup": setup}, language)
    return {seat: int(one_line(said.amount(seat)) or 0) for seat in record.seats}
