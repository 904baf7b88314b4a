"""A real mail client reads and answers: mutt, in a terminal, replies with the block pasted below its quote.

``PBEM_KEEP_SCREENS=examples/letters pytest tests/service/test_mutt.py`` keeps what the terminal showed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from datetime import date
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.player.mail.imap import ImapMailbox
from pbem.protocol.formats.armour import armour
from pbem.protocol.referee import MatchPlan
from tests.mail.stack import HOST, PASSWORD, MailStack, why_missing
from tests.needed import require
from tests.patience import nap, patiently
from tests.service.people import Player, headers, parse
from tests.service.real import FOLDERS, Place, Postbox, database_url, real_service, rounds
from tests.world import secret


@pytest.fixture
def place() -> Iterator[Place]:
    missing = [name for name in ("mutt", "tmux") if shutil.which(name) is None]
    require(why_missing() or (f"{missing[0]} is not installed" if missing else ""))
    with MailStack(("games", "boss", "anna", "burt")) as stack:
        yield Place(stack.ports, str(stack.ca_file))


class Terminal:
    """A program in a terminal that can be typed to and looked at."""

    def __init__(self, folder: Path, command: str) -> None:
        self._socket = str(folder / "tmux")
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "45", command)

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(["tmux", "-S", self._socket, *arguments], capture_output=True, check=False)
        return done.stdout.decode("utf-8", "replace")

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p")

    def type(self, *keys: str) -> None:
        self._tmux("send-keys", *keys)

    def until(self, text: str) -> str:
        for _ in patiently(lambda: f"{text!r} never came; the screen shows:\n{self.screen()}"):
            if text in (screen := self.screen()):
                break
            nap()
        return screen

    def close(self) -> None:
        self._tmux("kill-server")


def write_muttrc(place: Place, folder: Path, editor: Path) -> Path:
    path = folder / "muttrc"
    path.write_text(
        f'set realname="Anna"\nset from="anna@players.test"\nset use_envelope_from=yes\n'
        f'set spoolfile="imaps://anna@localhost:{place.ports["imaps"]}/INBOX"\nset imap_pass="{PASSWORD}"\n'
        f'set smtp_url="smtp://anna@localhost:{place.ports["submission"]}/"\nset smtp_pass="{PASSWORD}"\n'
        f'set ssl_ca_certificates_file="{place.ca_file}"\nset ssl_force_tls=yes\nset ssl_starttls=yes\n'
        f'set editor="{editor}"\nset include=yes\nset fast_reply=yes\nset record=""\nset copy=no\n'
        f'set folder="{folder}"\n'
        'set sort=date-received\nset sleep_time=0\nset wait_key=no\nset send_charset="us-ascii:utf-8"\n'
        "ignore *\nunignore from: to: subject: date:\nset pager_index_lines=4\n"
        "set reply_to=yes\nset recall=no\nset confirmappend=no\nset mail_check=1\nset timeout=1\n"
        'set abort_unmodified=no\nset user_agent=yes\nset header_cache=""\nset certificate_file=""\n'
    )
    return path


def test_a_turn_that_mutt_answers_with_is_accepted(place: Place, tmp_path: Path) -> None:
    service = real_service(place, database_url(tmp_path))
    boxes = [Postbox(place, Player(seat)) for seat in ("anna", "burt")]
    anna = boxes[0].player
    plan = MatchPlan("wyatt-earp", ["anna", "burt"], setup={"dealer": "burt"})
    short = service.matches.create(plan, secret("nonce mutt")[:16])
    invited = service.matches.invite(short, {box.player.seat: box.player.address for box in boxes})
    rounds(service, boxes, lambda: all(box.player.lines for box in boxes))
    for box, invitation in zip(boxes, invited, strict=True):
        box.send(box.player.mail(box.player.join(invitation.word)))
    rounds(service, boxes, lambda: all(box.player.asked for box in boxes))
    for box in boxes:
        box.send(box.player.mail(box.player.ready()))
    rounds(service, [boxes[1]], lambda: boxes[1].player.record.waiting is not None)
    letter = next(raw for raw in _inbox(boxes[0]) if "Your turn: " in str(headers(raw)["Subject"]))
    anna.read(letter)  # to know what to play; mutt reads it too, below
    assert anna.asked

    pasted = tmp_path / "block.txt"
    pasted.write_text("\n" + armour(anna.turn({"do": "draw", "from": "supply"})))
    editor = tmp_path / "editor"
    editor.write_text(f'#!/bin/sh\ncat "{pasted}" >> "$1"\n')
    editor.chmod(0o755)
    terminal = Terminal(tmp_path, f"mutt -n -F {write_muttrc(place, tmp_path, editor)}")
    head = len(service.matches.lines(short))
    try:
        terminal.until("Your turn: draw")
        terminal.type("End", "Enter")
        keep_screen("mutt-letter", terminal.until("Your turn to draw: "))
        terminal.type("r")
        keep_screen("mutt-reply", terminal.until("Subject: Re: Your turn: draw"))
        terminal.type("y")
        rounds(service, [], lambda: len(service.matches.lines(short)) > head)
    finally:
        terminal.close()
    rounds(
        service,
        boxes,
        lambda: str(headers(anna.letters[-1])["Subject"]).startswith("Your turn: play and discard"),
    )
    answer = _reply(place)
    assert "mutt" in str(answer["User-Agent"]).lower()
    assert str(headers(letter)["Message-ID"]) in str(answer["References"])
    assert str(answer["To"]).endswith("@" + HOST.partition("@")[2])
    body = answer.get_body(("plain",))
    assert body is not None
    assert "> Your turn to draw: " in body.get_content()
    assert str(headers(anna.letters[-1])["In-Reply-To"]) == str(answer["Message-ID"])
    service.close()
    for box in boxes:
        box.close()


def keep_screen(name: str, screen: str) -> None:
    """Keep what the terminal shows, if somebody wants it."""
    folder = os.environ.get("PBEM_KEEP_SCREENS")
    if folder:
        shown = re.sub(r"/\S*/mutt-\S+", "the-reply", screen)
        lines = [line.rstrip() for line in shown.splitlines()]
        (Path(folder) / f"{name}.txt").write_text("\n".join(lines).rstrip() + "\n", "utf-8")


def _inbox(box: Postbox) -> list[bytes]:
    """What lies in a mailbox, left there unread."""
    for _ in patiently("the letter did not come"):
        waiting = [mail.uid for mail in box._box.waiting()]
        raws = list(box._box.fetch(waiting).values())
        if any("Your turn: " in str(headers(raw)["Subject"]) for raw in raws):
            break
        box._box.wait(2)
    return raws


def _reply(place: Place) -> EmailMessage:
    """The reply as the host's mailbox keeps it: of an accepted file the database keeps the record alone."""
    box = ImapMailbox(lambda: place.account(place.imap, "games"), folders=(FOLDERS.processed,))
    mails = [parse(raw) for raw in box.kept([FOLDERS.processed], date(2000, 1, 1))]
    box.close()
    (reply,) = (mail for mail in mails if str(mail["Subject"]).startswith("Re: Your turn: draw"))
    return reply
