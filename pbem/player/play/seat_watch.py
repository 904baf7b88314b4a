"""A computer at somebody's seat: letters come in, files leave, a diary is kept, the seat is handed back."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import make_msgid
from pathlib import Path
from typing import Final

from pbem.base.errors import PbemError, UsageProblem
from pbem.base.language import Language
from pbem.base.sentences import joined, sentence
from pbem.base.values import dataclass
from pbem.bots import level_named
from pbem.player.mail.mime import MailHead, write_mail
from pbem.player.mail.outgoing import check_address
from pbem.player.mail.own import OwnMail
from pbem.player.mail.ports import MailTrouble
from pbem.player.play.fetching import fetch_letters
from pbem.player.seat import PlayerClient, Signed, find_copy
from pbem.player.seat.moments import read_moment, wall_of
from pbem.player.seat.posting import Way, host_address, mail_file
from pbem.player.seat.stand_in import Handed, Manner, StandIn, what_openly
from pbem.player.store.durable import PRIVATE_FILE, read_file, write_file
from pbem.protocol.crypto.digest import short_id
from pbem.protocol.formats.messages import read_message

DIARY: Final = "stand-in.txt"
_GOES_OUT: Final = "wyatt-earp"

Tell = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class StandInWishes:
    """What its owner wants: ``until`` as typed, ``to`` where the host reads."""

    until: str
    level: str
    stays: bool
    to: str | None = None


class SeatWatch:
    """A computer at one seat in one folder; ``now`` of the client is its clock, as records write the time.

    ``say`` is called with what the diary is told, ``tell`` with troubles and notes.
    """

    def __init__(
        self,
        client: PlayerClient,
        kind: str,
        wishes: StandInWishes,
        language: Language,
        *,
        mail: OwnMail | None,
        say: Tell,
        tell: Tell,
    ) -> None:
        """``client``: the seat's, at its copy as it is; ``kind`` of its identity; ``mail``: its owner's, if set up.

        Raises:
            UsageProblem: no such level, an end that is past, nobody goes out in this game.
        """
        self.language, self.identity, self.mail = language, client.identity, mail
        self._now, self._to, self._say, self._tell = client.clock, wishes.to, say, tell
        self.folder = client.copy.folder.path
        self.match = short_id(client.record.game)
        self.stand_in = StandIn(client, self._manner(wishes, client), kind)

    def _manner(self, wishes: StandInWishes, client: PlayerClient) -> Manner:
        now, until = self._now(), ""
        if wishes.until:
            until = read_moment(wishes.until, now, wall_of(client.record.ledger.deadlines), ends=True)
            if until <= now:
                raise UsageProblem(sentence("that time is over: {until}", until=until))
        game = client.record.game_info
        if wishes.stays and game.id != _GOES_OUT:
            raise UsageProblem(sentence("nobody goes out in {title}", title=game.title))
        return Manner(level_named(wishes.level), wishes.stays, until)

    def client(self) -> PlayerClient:
        """The client at the copy as it is now, letters taken in.

        Raises:
            MailTrouble: the mailbox cannot be reached.
        """
        if self.mail is not None and (mailbox := self.mail.mailbox()) is not None:
            try:
                fetch_letters(mailbox, self.folder, self.match)
            finally:
                mailbox.close()
        return PlayerClient(find_copy(self.folder), self.identity, secrets.token_bytes, self._now)

    # --- letting go ---------------------------------------------------------------------------------------

    def let_go(self, client: PlayerClient, signed: Signed, output: Path | None) -> None:
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
            client.leaves(signed, "write", str(path))
            place = str(path)
        did = sentence(
            "file {n}: {what} → {place}",
            n=signed.n,
            what=what_openly(client.record, read_message(signed.raw)),
            place=place,
        )
        for note in (*signed.warnings, *signed.notes):
            self._tell(self.language.tell(note))
        self.note(self.language.tell(did))

    def _address(self) -> str | None:
        if self.mail is None:
            return None
        return check_address(self._to) if self._to else host_address(self.folder, self.match)

    def note(self, text: str) -> None:
        """A line in the diary and on the screen."""
        path, line = self.folder / DIARY, f"{self._now()}  {text}"
        before = read_file(path) if path.exists() else b""
        write_file(path, before + line.encode() + b"\n", mode=PRIVATE_FILE)
        self._say(line)

    # --- handing back -------------------------------------------------------------------------------------

    def hand_back(self, client: PlayerClient, why: Handed) -> None:
        """Say what was done: in the diary, and by mail to its owner if that is set up."""
        subject, text = self.stand_in.letter(client, why.why, self.language)
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
                self._tell(fault.diagnostics())
            finally:
                outgoing.close()

    # --- a look -------------------------------------------------------------------------------------------

    def look(self, output: Path | None) -> bool:
        """One look: take letters in, answer what is asked; whether the seat was handed back.

        What a mailbox or a server does not do now is tried at the next look. What the host did against what was signed
        ends it, with a letter.
        """
        try:
            client = self.client()
        except MailTrouble as fault:
            self._tell(fault.diagnostics())
            return False
        try:
            found = self.stand_in.look(client)
            if isinstance(found, Signed):
                self.let_go(client, found, output)
        except MailTrouble as fault:
            self._tell(fault.diagnostics())
            return False
        except PbemError as fault:
            found = Handed(joined((sentence("it could not go on"), str(fault)), ": "))
        if isinstance(found, Handed):
            self.hand_back(client, found)
            return True
        return False
