"""``pbem play``: the terminal client."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from pbem.base.errors import UsageProblem
from pbem.base.language import Language
from pbem.base.sentences import counted, sentence
from pbem.base.values import dataclass
from pbem.cli.clients import checkpoints, client_at
from pbem.cli.console import fail, say
from pbem.cli.first_start import Asking, first_start, seat_again
from pbem.cli.keys import keyring_at
from pbem.cli.options import KEYS, Colours, ColoursOption, Keys, Lang, To
from pbem.cli.posting import own_mail
from pbem.cli.seat import joined
from pbem.cli.speech import spoken
from pbem.cli.which import identity_of_kind, unlocked
from pbem.game import Seat
from pbem.player.letters.hosting import host_plays
from pbem.player.mail.outgoing import check_address
from pbem.player.mail.ports import OWN_MAIL, MailTrouble
from pbem.player.play import Post, Session, arriving
from pbem.player.play.background import ask_terminal, is_light
from pbem.player.play.fetching import fetch_letters, invitations, save_invitation
from pbem.player.play.first_look import ENTER, LEAVE, first_look
from pbem.player.seat import Copy, Fate, PlayerClient, Signed, find_copy
from pbem.player.seat.joining import JoinWishes
from pbem.player.seat.keeping_open import read_settings
from pbem.player.seat.next_step import next_step
from pbem.player.seat.posting import Way, host_address, mail_file
from pbem.player.store.durable import write_file
from pbem.protocol.crypto.digest import short_id
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.identity_file import read_header
from pbem.protocol.record.line import hash_of

if TYPE_CHECKING:
    from pbem.player.mail.imap import ImapMailbox
    from pbem.player.mail.own import OwnMail
    from pbem.player.play.app import PlayApp
    from pbem.player.play.fetching import Invitation

app = typer.Typer()


@app.command()
def play(
    game: Annotated[
        Path,
        typer.Argument(
            metavar="COPY",
            help="Your copy: a match file, its folder (saved emails in it are read too), or an email; "
            "otherwise this folder.",
        ),
    ] = Path(),
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where files are written, if not beside your copy.")
    ] = None,
    colours: ColoursOption = Colours.AUTO,
    lang: Lang = None,
    to: To = None,
    keys: Keys = KEYS,
) -> None:
    """Play: see the table and your hand, choose a turn, send it.

    You look at it whole before it is written or sent.
    """
    light = None if colours is Colours.AUTO else colours is Colours.LIGHT
    language = spoken(lang)
    sit_down(game, keys, language, folder=folder, light=light, to=to)


# ``pbem play`` from its start to its end: identity, emails, match, screen, and how the match stands
# afterwards.
#
# Whatever a player needs for an evening is asked here and nowhere else: at the first start who it is
# (``first_start``), in a folder without a match which invitation to follow, and the passphrase once.
# What only mail needs is imported where there is mail: most starts only want the table.

_LOOK_EVERY: Final = 60.0
"""Seconds after which a mailbox is asked again whose server does not say by itself that mail came."""


def sit_down(
    game: Path, keys: Keys, language: Language, *, folder: Path | None, light: bool | None, to: str | None
) -> None:
    """Everything from the first start to the end of a session."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageProblem(
            sentence("pbem play needs a terminal"),
            hint=sentence("Without one: pbem show, pbem legal, pbem turn and pbem check."),
        )
    try:
        InteractiveSession(game, keys, Asking(language), folder=folder, light=light, to=to).run()
    except (typer.Abort, KeyboardInterrupt):  # Ctrl-C at a question, or while emails are fetched
        say("\n" + language.translate(sentence("Left. pbem play goes on from here.")))
        raise typer.Exit(1) from None


@dataclass
class InteractiveSession:
    """One start of ``pbem play``."""

    game: Path
    keys: Keys
    ask: Asking
    folder: Path | None
    light: bool | None
    to: str | None

    def __post_init__(self) -> None:
        self._identity: Identity | None = None
        self._mail: OwnMail | None = None
        self._mailbox: ImapMailbox | None = None

    def run(self) -> None:
        """From the folder to the farewell."""
        if self.keys.who is None and not keyring_at(self.keys.home).names():
            self._identity = self._begin()
        place = self._match_folder(self.game)
        if place is None:
            place = self._join(self._invited(self.game))
        if place is not None:
            self._play(place)

    def _begin(self) -> Identity:
        """Who is here: somebody new, or somebody whose seat is in a match that lies here already."""
        start = self.game if self.game.is_dir() else self.game.parent
        if arriving.matches_at(start) or arriving.saved_letters(start):
            ways = [
                sentence("I am new here"),
                sentence("I have a seat already: I have my recovery words, or a backup"),
            ]
            self.ask.say(sentence("New here, or have you a seat already?"))
            if self.ask.which(sentence("Number"), ways) == 1:
                return seat_again(self.keys.home, self.ask)
        return first_start(self.keys.home, self.ask)

    def _match_folder(self, start: Path) -> Path | None:
        """The match that ``start`` names, or one in a folder right below it; None if there is none yet."""
        paths = arriving.matches_at(start)
        if paths == [start] or (
            not paths and arriving.seated_in(arriving.saved_letters(start), self._my_keys())
        ):
            return start  # also where only emails lie, of a match in which a key of this device has its seat
        if not paths:
            return None
        if len(paths) > 1:
            self.ask.say(sentence("Your matches:"))
        return paths[self.ask.which(sentence("Which one"), [path.name for path in paths])]

    def _invited(self, start: Path) -> Path:
        """The invitation to follow: an email that was saved, else one in the mailbox, put into a folder of its own."""
        saved = arriving.saved_invitations(start)
        if saved:
            return saved[self.ask.which(sentence("Which invitation"), [path.name for path in saved])]
        mailbox = self._letters()
        waiting: list[Invitation] = invitations(mailbox) if mailbox is not None else []
        if not waiting:
            raise UsageProblem(
                sentence("there is no match and no invitation here"),
                hint=sentence("Save the email that invites you into this folder, and start pbem play again."),
            )
        self.ask.say(sentence("Invitations in your mailbox:"))
        rows = [invitation.subject for invitation in waiting]
        for row in rows[:1] if len(rows) == 1 else []:
            say(f"  {row}")
        invitation = waiting[self.ask.which(sentence("Which one"), rows)]
        assert mailbox is not None  # noqa: S101 - the invitations came out of it
        return save_invitation(mailbox, start / f"pbem-{invitation.match}", invitation)

    def _me(self) -> Identity:
        """The player, unlocked once in this session."""
        if self._identity is None:
            name, raw = identity_of_kind(self.keys, "player")
            self._identity = unlocked(self.keys, raw, name)
        return self._identity

    def _own_mail(self) -> OwnMail | None:
        if self._mail is None and (keyring_at(self.keys.home).folder / OWN_MAIL).is_file():
            self._mail = own_mail(self.keys.home, self._me())
        return self._mail

    def _letters(self) -> ImapMailbox | None:
        if self._mailbox is None and (own := self._own_mail()) is not None:
            self._mailbox = own.mailbox()
        return self._mailbox

    def _join(self, invited: Path, seat: Seat | None = None, name: str | None = None) -> Path | None:
        """Send the join off; the match's folder if the answer came while the player waited.

        ``invited``: the invitation, or a folder that it lies in; ``seat`` and ``name`` if email and identity do not
        say them.
        """
        copy = find_copy(invited)
        record = copy.record
        seats = ", ".join(record.seats)
        self.ask.say(
            sentence("You are invited to {title}, seats {seats}.", title=record.game_info.title, seats=seats)
        )
        hosted = host_plays(record, record.names)
        if hosted is not None:
            self.ask.say(hosted)
        if not self.ask.yes(sentence("Join?")):
            return None
        address = (
            self._mail.address if self._mail else read_settings(keyring_at(self.keys.home).folder).address
        )
        me = self._me()
        word = arriving.word_in(invited)
        if invited.is_dir() and not list(invited.glob("*.eml")):  # only the attached file was saved
            word = self.ask.text(sentence("The code of your invitation (Enter: it has none)")) or None
        wishes = JoinWishes(
            name=name, mail=address or None, zone=arriving.zone_here(), lang=self.ask.language.code
        )
        client, signed = joined(
            invited, None, self.keys, seat, wishes, substitute=False, word=word, identity=me
        )
        mailed = self._send_off(client, signed)
        folder = client.copy.folder.path
        if mailed and self._is_answered(folder, short_id(record.game)):
            return folder
        self.ask.say(sentence("Start pbem play again when the host has answered."))
        return None

    def _is_answered(self, folder: Path, match: str) -> bool:
        """Wait for the host's answer to the join, if emails are fetched; False if the player leaves or mail fails."""
        mailbox = self._letters()
        if mailbox is None:
            return False
        self.ask.say(sentence("Waiting for the host's answer. Ctrl-C leaves; pbem play goes on from there."))
        try:
            while not (fetch_letters(mailbox, folder, match) and not self._is_open(find_copy(folder))):
                mailbox.wait(_LOOK_EVERY)
        except KeyboardInterrupt:
            return False
        except MailTrouble as fault:
            fail(fault)
            return False
        return True

    def _send_off(self, client: PlayerClient, signed: Signed) -> bool:
        """Mail a file if that is set up; else write it and say where it goes. Whether it was mailed."""
        send = self._mailer(client)
        if send is not None:
            to = send(signed)
            self.ask.say(sentence("Sent by email to {place}.", place=to))
            return True
        place = client.copy.folder.path / signed.name
        write_file(place, signed.raw + b"\n")
        client.leaves(signed, "write", str(place))
        self.ask.say(sentence("Your file is {place}. Send it to the host as an attachment.", place=place))
        if address := self._host_reads(client):
            self.ask.say(sentence("The host's address: mailto:{address}", address=address))
        return False

    def _host_reads(self, client: PlayerClient) -> str:
        """The host's address, as given or as an email of the match names it; empty if nobody has said it."""
        try:
            return self.to or host_address(client.copy.folder.path, short_id(client.record.game))
        except UsageProblem:
            return ""

    def _mailer(self, client: PlayerClient) -> Callable[[Signed], str] | None:
        """How a file is mailed to the host, if mail is set up and somebody has said where the host reads."""
        folder, own = client.copy.folder.path, self._own_mail()
        if own is None:
            if self.to:
                own_mail(self.keys.home)  # says how to set mail up
            return None
        try:
            address = (
                check_address(self.to) if self.to else host_address(folder, short_id(client.record.game))
            )
        except UsageProblem:
            if self.to:
                raise
            return None
        return lambda signed: mail_file(signed, Way(own.address, own.outgoing(), folder, address))[0]

    def _play(self, place: Path) -> None:
        known = checkpoints(self.keys.home)
        copy = find_copy(place, known)
        match = short_id(hash_of(copy.folder.game.read().lines[0]))
        first = self._client(copy, place, match)
        if first is None:
            return
        opened = [first]  # read and verified already; later looks read what is new

        def client() -> PlayerClient:
            if opened:
                return opened.pop()
            return PlayerClient.open(place, first.identity, os.urandom, checkpoints=known)

        home = first.copy.folder.path
        mailbox = self._letters()
        fetch = None if mailbox is None else lambda: fetch_letters(mailbox, home, match)
        post = Post(self.folder or home, self._mailer(first), fetch, self._host_reads(first))
        session = Session(client, post, language=self.ask.language)
        try:
            self._screen(session).run()
        except KeyboardInterrupt:  # before the screen could take the key
            pass
        finally:
            if mailbox is not None:
                mailbox.close()
        language = self.ask.language
        say(next_step(session.record, session.seat, session.unanswered, first.clock(), language))

    def _screen(self, session: Session) -> PlayApp:
        """The screen; while it is loaded, the table is there to be read, if the terminal understands how."""
        colour, answer = not os.environ.get("NO_COLOR"), ask_terminal()
        look = first_look(session, *shutil.get_terminal_size(), colour=colour) if answer else ""
        if look:
            print(ENTER + look, end="", flush=True)
        try:
            from pbem.player.play.app import PlayApp

            light = is_light(os.environ, answer) if self.light is None else self.light
            return PlayApp(session, light=light, colour=colour)
        except BaseException:
            if look:
                print(LEAVE, end="", flush=True)
            raise

    def _client(self, copy: Copy, place: Path, match: str) -> PlayerClient | None:
        """The client, with the emails taken in that came meanwhile; None as long as the own join has no answer."""
        came = self._fetched(copy.folder.path, match)
        if came:
            self.ask.say(counted("{n} new email.", "{n} new emails.", came))
            copy = find_copy(place, checkpoints(self.keys.home))
        seatless = self._seatless(copy)
        if seatless is None and (seat := self._free_seat(copy)) is not None:
            home = self._join(copy.folder.path, seat)
            return self._client(find_copy(place), place, match) if home is not None else None
        if seatless is None:
            return client_at(copy, self.keys, self._identity)
        entry = seatless.signed()[-1]
        self.ask.say(seatless.describe(entry))
        if entry.fate is Fate.REFUSED:
            asked = sentence("Your name, as the others read it")
            name = self.ask.text(asked, str(entry.message.body["name"]))
            home = self._join(copy.folder.path, Seat(entry.message.seat), name)
            return self._client(find_copy(place), place, match) if home is not None else None
        if not entry.left or self.ask.yes(sentence("Send it once more?"), default=False):
            self._send_off(seatless, seatless.signed_again(entry))
        self.ask.say(sentence("Start pbem play again when the host has answered."))
        return None

    def _free_seat(self, copy: Copy) -> Seat | None:
        """The seat to join, where nobody here has one or has asked for one; None if none is free."""
        free, meant = arriving.free_seats(copy, self._my_keys())
        if free and meant is None:
            self.ask.say(sentence("You have no seat in this match yet. Free are:"))
            if len(free) == 1:
                say(f"  {free[0]}")
            meant = free[self.ask.which(sentence("Which one"), free)]
        return meant

    def _seatless(self, copy: Copy) -> PlayerClient | None:
        """A client that has signed a join and has no seat: the join has no answer yet, or was refused."""
        return (
            arriving.seatless_client(copy, self._me())
            if arriving.waits_for_seat(copy, self._my_keys())
            else None
        )

    def _is_open(self, copy: Copy) -> bool:
        """Whether the own join is still without an answer."""
        client = self._seatless(copy)
        return client is not None and bool(client.unanswered())

    def _my_keys(self) -> set[bytes]:
        keyring = keyring_at(self.keys.home)
        return {read_header(keyring.read(name)).sign_public for name in keyring.names()}

    def _fetched(self, folder: Path, match: str) -> int:
        """Fetch emails, if that is set up; trouble with mail keeps nobody from looking at the table."""
        try:
            mailbox = self._letters()
            return 0 if mailbox is None else fetch_letters(mailbox, folder, match)
        except MailTrouble as fault:
            fail(fault)
            return 0
