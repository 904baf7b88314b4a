"""The people of a demo: a host and players, each with an identity file and a folder of his own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from pathlib import Path

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.player.mail import content_of
from pbem.player.seat import PlayerClient
from pbem.protocol.crypto.identity import Identity

Entropy = Callable[[int], bytes]


def free_folder(wanted: Path) -> Path:
    """``wanted`` if nothing is there, else the first free one of ``wanted-2``, ``wanted-3`` and so on."""
    number, path = 1, wanted
    while path.exists() and (not path.is_dir() or any(path.iterdir())):
        number += 1
        path = wanted.with_name(f"{wanted.name}-{number}")
    if number > 999:
        raise UsageProblem(
            sentence("{wanted} and 998 others like it are taken", wanted=wanted),
            hint=sentence("Name another folder: --out DIR"),
        )
    return path


@dataclass
class Person:
    """A player: his folder, his identity, the letters that came, and the client made from them."""

    seat: str
    folder: Path
    identity: Identity
    entropy: Entropy
    letters: int = 0
    _newest: bytes = field(default=b"", repr=False)
    _client: PlayerClient | None = None

    def receive(self, name: str, letter: bytes) -> None:
        """A letter arrives; it is kept, and read when the player sits down."""
        box = self.folder / "letters"
        box.mkdir(parents=True, exist_ok=True)
        (box / name).write_bytes(letter)
        self.letters += 1
        self._newest = letter

    def sit_down(self) -> PlayerClient:
        """Take in the newest letter (it brings everything since the last file he signed) and go to work."""
        if self._newest:
            content = content_of(self._newest)
            if self._client is None:
                self._client = PlayerClient.begin(self.folder, content.lines, self.identity, self.entropy)
            elif content.lines:
                self._client.take_in(content.lines, "the newest letter")
            self._newest = b""
        if self._client is None:
            raise LookupError(f"{self.seat} was never invited")
        return self._client
