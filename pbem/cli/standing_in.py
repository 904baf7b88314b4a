"""``pbem stand-in``: look, answer, let files leave, keep the diary, hand back. Imported only by the command's body."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import make_msgid
from pathlib import Path
from typing import Final

from pbem.cli.console import say, tell
from pbem.cli.desks import Keys, clock, desk_at
from pbem.cli.fetching import fetch_letters
from pbem.cli.keys import keyring_at
from pbem.cli.posting import own_mail
from pbem.crypto.digest import short_id
from pbem.crypto.identity import Identity
from pbem.errors import PbemError, UsageProblem
from pbem.formats.identity_file import read_header
from pbem.formats.messages import read_message
from pbem.language import Language
from pbem.mail.mime import MailHead, write_mail
from pbem.mail.outgoing import check_address
from pbem.mail.own import OwnMail
from pbem.mail.ports import OWN_MAIL, MailTrouble
from pbem.player import PlayerDesk, Signed, find_copy
from pbem.player.moments import read_moment, wall_of
from pbem.player.posting import Way, host_address, mail_file
from pbem.player.stand_in import Handed, Manner, StandIn, check_not_the_host, what_openly
from pbem.players import level_named
from pbem.sentences import joined, sentence
from pbem.store.durable import PRIVATE_FILE, read_file, write_file
from pbem.values import dataclass

DIARY: Final = "stand-in.txt"
_GOES_OUT: Final = "wyatt-earp"


@dataclass(frozen=True, slots=True)
class StandInWishes:
    """What the command line says: ``until`` as typed, ``to`` where the host reads."""

    until: str
    level: str
    stays: bool
    to: str | None = None


class SeatWatch:
    """A computer at one seat in one folder; ``now`` is its clock, as records write the time."""

    def __init__(
        self,
        game: Path,
        keys: Keys,
        wishes: StandInWishes,
        language: Language,
        now: Callable[[], str] = clock,
    ) -> None:
        """Open the identity, once.

        Raises:
            UsageProblem: no seat, a host's identity, no such level, an end that is past.
        """
        self.game, self.language, self._now = game, language, now
        self._home, self._to = keys.home, wishes.to
        copy = find_copy(game)
        record = copy.record
        name, raw = keys.find([one.sign for one in record.ledger.players.values()], sentence("a player"))
        kind = read_header(raw).kind
        self.identity: Identity = keys.open(raw, name)
        check_not_the_host(record, self.identity, kind)
        desk = desk_at(copy, Keys(keys.home, name, keys.passphrase_file), self.identity)
        self.folder = desk.copy.folder.path
        self.match = short_id(record.game)
        self.stand_in = StandIn(desk, self._manner(wishes, desk), kind)
        self.mail: OwnMail | None = None
        if (keyring_at(keys.home).folder / OWN_MAIL).is_file():
            self.mail = own_mail(keys.home, self.identity)

    def _manner(self, wishes: StandInWishes, desk: PlayerDesk) -> Manner:
        now, until = self._now(), ""
        if wishes.until:
            until = read_moment(wishes.until, now, wall_of(desk.record.ledger.deadlines), ends=True)
            if until <= now:
                raise UsageProblem(sentence("that time is over: {until}", until=until))
        game = desk.record.game_info
        if wishes.stays and game.id != _GOES_OUT:
            raise UsageProblem(sentence("nobody goes out in {title}", title=game.title))
        return Manner(level_named(wishes.level), wishes.stays, until)

    def desk(self) -> PlayerDesk:
        """The desk at the copy as it is now, letters taken in."""
        if self.mail is not None and (mailbox := self.mail.mailbox()) is not None:
            try:
                fetch_letters(mailbox, self.folder, self.match)
            finally:
                mailbox.close()
        return PlayerDesk(find_copy(self.game), self.identity, secrets.token_bytes, self._now)

    # --- letting go ---------------------------------------------------------------------------------------

    def let_go(self, desk: PlayerDesk, signed: Signed, output: Path | None) -> None:
        """A signed file leaves: by mail if that is set up, else into a file; the diary says so.

        Raises:
            MailTrouble: it did not leave; the next look tries the same file again.
        """
        address = self._address() if output is None else None
        if address is not None and self.mail is not None:
            mail_file(signed, Way(self.mail.address, self.mail.outgoing(), self.folder, address))
            place = address
        else:
            path = self.folder / signed.name if output is None else output
            if path.is_dir():
                path /= signed.name
            write_file(path, signed.raw + b"\n")
            desk.leaves(signed, "write", str(path))
            place = str(path)
        did = sentence(
            "file {n}: {what} → {place}",
            n=signed.n,
            what=what_openly(desk.record, read_message(signed.raw)),
            place=place,
        )
        for note in (*signed.warnings, *signed.notes):
            tell(self.language.tell(note))
        self.note(self.language.tell(did))

    def _address(self) -> str | None:
        if self.mail is None:
            if self._to:
                own_mail(self._home)  # says how to set mail up
            return None
        return check_address(self._to) if self._to else host_address(self.folder, self.match)

    def note(self, text: str) -> None:
        """A line in the diary and on the screen."""
        path, line = self.folder / DIARY, f"{self._now()}  {text}"
        before = read_file(path) if path.exists() else b""
        write_file(path, before + line.encode() + b"\n", mode=PRIVATE_FILE)
        say(line)

    # --- handing back -------------------------------------------------------------------------------------

    def hand_back(self, desk: PlayerDesk, why: Handed) -> None:
        """Say what was done: in the diary, and by mail to its owner if that is set up."""
        subject, text = self.stand_in.letter(desk, why.why, self.language)
        self.note(text.rstrip("\n"))
        if self.mail is not None:
            address = self.mail.address
            own_id = make_msgid(domain=address.rpartition("@")[2])
            more = {"Auto-Submitted": "auto-generated"}
            raw = write_mail(MailHead(address, address, subject, own_id, datetime.now(UTC), more=more), text)
            outgoing = self.mail.outgoing()
            try:
                outgoing.send(address, [address], raw, self.match)
            except MailTrouble as fault:
                tell(fault.diagnostics())
            finally:
                outgoing.close()


def answer_once(
    game: Path, keys: Keys, wishes: StandInWishes, output: Path | None, language: Language, *, again: bool
) -> None:
    """One look: what is asked now is answered, and that is all."""
    watch = SeatWatch(game, keys, wishes, language)
    desk = watch.desk()
    found = watch.stand_in.look(desk, again=again)
    if isinstance(found, Signed):
        watch.let_go(desk, found, output)
    elif isinstance(found, Handed):
        watch.hand_back(desk, found)
    else:
        say(language.tell(sentence("Nothing to do: nobody waits for this seat.")))


def keep_playing(
    game: Path,
    keys: Keys,
    wishes: StandInWishes,
    output: Path | None,
    language: Language,
    *,
    minutes: int,
    wait: Callable[[float], None] = time.sleep,
    now: Callable[[], str] = clock,
) -> None:
    """Look every so often until the seat is handed back. Ctrl-C leaves; the same command goes on.

    What a mailbox or a server does not do now is tried at the next look. What the host did against what was signed
    ends it, with a letter.
    """
    watch = SeatWatch(game, keys, wishes, language, now)
    say(language.tell(sentence("A computer plays for you; it stops when you act yourself, or with Ctrl-C.")))
    with suppress(KeyboardInterrupt):
        while not _one_look(watch, output):
            wait(60 * minutes)


def _one_look(watch: SeatWatch, output: Path | None) -> bool:
    """Whether the seat was handed back."""
    try:
        desk = watch.desk()
    except MailTrouble as fault:
        tell(fault.diagnostics())
        return False
    try:
        found = watch.stand_in.look(desk)
        if isinstance(found, Signed):
            watch.let_go(desk, found, output)
    except MailTrouble as fault:
        tell(fault.diagnostics())
        return False
    except PbemError as fault:
        found = Handed(joined((sentence("it could not go on"), str(fault)), ": "))
    if isinstance(found, Handed):
        watch.hand_back(desk, found)
        return True
    return False
