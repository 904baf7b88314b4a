"""What ``pbem`` alone says: the next step of the match in this folder, in one line; elsewhere the start page."""

from __future__ import annotations

from pathlib import Path

from pbem.base.language import Language
from pbem.base.sentences import sentence
from pbem.cli.clients import checkpoints
from pbem.cli.keys import keyring_at
from pbem.cli.start_page import start_page
from pbem.player.seat import Book, find_copy
from pbem.player.seat.moments import now
from pbem.player.seat.next_step import next_step
from pbem.player.store import GAME_FILE
from pbem.protocol.formats.identity_file import read_header


def standing_here(folder: Path, language: Language) -> str:
    """The line, or the page. Needs no passphrase; letters that lie in the folder are taken in."""
    if not (folder / GAME_FILE).is_file():
        return start_page(language)
    copy = find_copy(folder, checkpoints(None))
    record = copy.record
    keyring = keyring_at(None)
    keys = {read_header(keyring.read(name)).sign_public for name in keyring.names()}
    seat = next((one for one, player in record.ledger.players.items() if player.sign in keys), None)
    waits = (
        []
        if seat is None
        else [book_entry for book_entry in Book.at(copy.folder).all(record) if book_entry.open]
    )
    text = next_step(record, seat, [wait for wait in waits if wait.message.seat == seat], now(), language)
    notes = [language.tell(note) for note in copy.notes]
    return "\n".join([*notes, f"{text} {language.tell(sentence('Next: pbem play'))}"])
