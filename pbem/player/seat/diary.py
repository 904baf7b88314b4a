"""A player's diary of one match: words to himself, sealed to himself, beside his copy and never in the record.

A page lies in ``diary/`` beside the copy, one file each, padded and sealed under a key that only his identity gives
(``crypto.own_box``). No command sends it, no letter and no archive holds it. It is no part of any format.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from pbem.base.errors import FormatError, UsageProblem, VerificationError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.player.store import MatchFolder, PrivateNotes
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.crypto.own_box import NONCE_SIZE, open_own_box, seal_own
from pbem.protocol.crypto.sealing import pad, unpad
from pbem.protocol.formats.strict_json import FORBIDDEN

LONGEST: Final = 4000
"""Characters of one entry."""
_SHORTEST: Final = 512
"""Bytes of a page before it is sealed, and the step in which it grows: a page's size tells little of its words."""


@dataclass(frozen=True, slots=True)
class DiaryEntry:
    """One entry: when it was written (UTC as records write it), after which record, and what it says."""

    at: str
    seq: int
    text: str


class Diary:
    """The pages of one player beside one copy."""

    def __init__(self, folder: MatchFolder, identity: Identity, game: bytes) -> None:
        self._notes = PrivateNotes(folder.path / "diary")
        self._lock = folder.lock
        self._identity = identity
        self._label = f"diary {b64(game)}"

    def write(self, text: str, seq: int, at: str, entropy: Callable[[int], bytes]) -> DiaryEntry:
        """Keep an entry, durably; ``seq`` is the newest record that the writer has seen.

        Raises:
            UsageProblem: nothing, too much, or what no line of text can hold.
        """
        words = DiaryEntry(at, seq, " ".join(text.split()))
        if not words.text or len(words.text) > LONGEST or FORBIDDEN.search(words.text):
            raise UsageProblem(
                sentence(
                    "an entry is plain text of 1 to {most} characters; found {count}",
                    most=LONGEST,
                    count=len(words.text),
                ),
                hint=sentence("Control characters cannot be kept. Nothing was written."),
            )
        plain = json.dumps({"at": at, "seq": seq, "text": words.text}, ensure_ascii=False).encode()
        box = seal_own(self._identity, self._label, pad(plain, _SHORTEST), entropy(NONCE_SIZE))
        with self._lock():
            number = 1 + max((int(name[:6]) for name in self._pages()), default=0)
            self._notes.write(f"{number:06}-{sha256(box).hexdigest()[:12]}.box", box)
        return words

    def read(self) -> tuple[list[DiaryEntry], int]:
        """Every entry, in the order in which they were written; and how many pages do not open with this identity."""
        found, closed = [], 0
        for name in self._pages():
            try:
                page = json.loads(unpad(open_own_box(self._identity, self._label, self._notes.read(name))))
                found.append(DiaryEntry(str(page["at"]), int(page["seq"]), str(page["text"])))
            except (VerificationError, FormatError, ValueError, KeyError, TypeError):
                closed += 1
        return found, closed

    def by_record(self) -> dict[int, list[DiaryEntry]]:
        """The entries by the record that they were written after."""
        found: dict[int, list[DiaryEntry]] = {}
        for words in self.read()[0]:
            found.setdefault(words.seq, []).append(words)
        return found

    def _pages(self) -> list[str]:
        return [name for name in self._notes.names() if name[:6].isdigit() and name.endswith(".box")]
