"""What people kept of matches: mailboxes, Maildirs, and folders of saved emails and turn files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.player.mail import content_of
from pbem.player.mail.boxes import is_mbox, letters_in
from pbem.player.store import GAME_FILE
from pbem.protocol.audit.pieces import KeptRecords, PutTogether, put_together

_SKIPPED = (".key", ".passphrase")


def is_kept(path: Path) -> bool:
    """Whether this is a mailbox or a folder of saved emails, not a match file, its folder or one email."""
    return not (path / GAME_FILE).is_file() if path.is_dir() else path.is_file() and is_mbox(path)


def pieces_in(path: Path) -> list[KeptRecords]:
    """The records and signed files of every email and file that lies there.

    Raises:
        UsageProblem: there are no records.
    """
    if not path.exists():
        raise UsageProblem(sentence("there is no file or folder {path}", path=path))
    pieces = list(_pieces(path / GAME_FILE if (path / GAME_FILE).is_file() else path))
    if not any(piece.lines for piece in pieces):
        raise UsageProblem(
            sentence("there is no email and no match file in {path}", path=path),
            hint=sentence(
                "Name a match file, the folder of a match, a mailbox (a mbox file or a Maildir), or a folder of"
                " saved emails."
            ),
        )
    return pieces


def matches_of(pieces: Sequence[KeptRecords]) -> list[PutTogether]:
    """Every match that these pieces hold together.

    Raises:
        UsageProblem: there is none.
    """
    matches = put_together(pieces)
    if not matches:
        raise UsageProblem(
            sentence("record 0 of the match is in none of these emails"),
            hint=sentence("Save the invitation beside them, or a copy of the match file."),
        )
    return matches


def _pieces(path: Path) -> Iterator[KeptRecords]:
    for source, box, raw in letters_in(path):
        if not source.endswith(_SKIPPED):
            content = content_of(raw)
            place = source if box in ("", source) else f"{box}: {source}"
            yield KeptRecords(place, content.lines, content.files)
