"""What ``pbem`` alone says: the next step of the match in this folder, in one line; elsewhere the start page."""

from __future__ import annotations

from pathlib import Path

from pbem.base.language import Language
from pbem.base.resources import INSTALL, SYSTEMS
from pbem.base.sentences import sentence
from pbem.cli.clients import checkpoints
from pbem.cli.keys import keyring_at
from pbem.player.seat import SentLog, find_copy
from pbem.player.seat.moments import now
from pbem.player.seat.next_step import next_step
from pbem.player.store import GAME_FILE
from pbem.protocol.formats.identity_file import read_header


def standing_here(folder: Path, language: Language) -> str:
    """The line, or the page. Needs no passphrase; emails that lie in the folder are taken in."""
    if not (folder / GAME_FILE).is_file():
        return start_page(language)
    copy = find_copy(folder, checkpoints(None))
    record = copy.record
    keyring = keyring_at(None)
    keys = {read_header(keyring.read(name)).sign_public for name in keyring.names()}
    seat = next((seat for seat, player in record.ledger.players.items() if player.sign in keys), None)
    entries = () if seat is None else SentLog.at(copy.folder).all(record)
    unanswered = [entry for entry in entries if entry.open and entry.message.seat == seat]
    text = next_step(record, seat, unanswered, now(), language)
    notes = [language.translate(note) for note in copy.notes]
    return "\n".join([*notes, f"{text} {language.translate(sentence('Next: pbem play'))}"])


# --- what ``pbem`` says when nothing else was typed and no match lies here: where to begin ----------------

_GAP = 3


def start_page(language: Language) -> str:
    """The page, at most 100 columns wide, without a line feed at its end."""
    _ = language.gettext
    parts = [
        _("Wyatt Earp and Way Out West: two Western board games by email."),
        _block(
            _("Try it alone (nothing is sent)"),
            [
                ("pbem practice wyatt-earp --lesson", _("a guided hand, about ten minutes")),
                ("pbem practice way-out-west", _("a match against the computer")),
                ("pbem rules", _("the rules of both games")),
            ],
        ),
        _block(
            _("You were invited, or you have a seat: save the email in a folder, and there"),
            [("pbem play", _("joins, then shows the table, your hand and your legal moves"))],
        ),
        _block(
            _("Play with friends: one of you runs the match"),
            [("pbem host", _("asks a few questions, invites the others and runs the match"))],
        ),
        _block(
            _("A friend installs pbem with one of these lines, in a copy of its folder"),
            [(line, "") for line in (*INSTALL, language.translate(SYSTEMS))],
        ),
        _("All commands: {command}").format(command="pbem --help"),
    ]
    return "\n\n".join(parts)


def _block(head: str, rows: list[tuple[str, str]]) -> str:
    """A headline, and under it commands with what they do."""
    width = max((len(command) for command, text in rows if text), default=0) + _GAP
    return "\n".join([head, *(f"  {command:{width if text else 0}}{text}" for command, text in rows)])
