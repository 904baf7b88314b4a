"""Where identity files live: ``<home>/identities/<name>.json``, folder 0700, files 0600 (schemas/README.md §12).

The home is an argument. ``default_home`` says where it is if the user said nothing: ``$PBEM_HOME``, else
``$XDG_CONFIG_HOME/pbem``, else ``~/.config/pbem``. Identity files are opaque here; they are sealed under a
passphrase that this package never sees.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pbem.base.errors import StoreError, UsageProblem
from pbem.base.sentences import sentence
from pbem.player.store.durable import loose_permissions, make_folder, read_file, write_private

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_SUFFIX: Final = ".json"


def default_home(environ: Mapping[str, str]) -> Path:
    """The home that these environment variables ask for."""
    if chosen := environ.get("PBEM_HOME"):
        return Path(chosen)
    if config := environ.get("XDG_CONFIG_HOME"):
        return Path(config) / "pbem"
    return Path.home() / ".config" / "pbem"


class Keyring:
    """The identities under ``home``."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "identities"

    def path(self, name: str) -> Path:
        """The file of identity ``name``, there or not; ``UsageProblem`` for a name that cannot be.

        Capitals count as small letters: who made ``Anna`` has ``anna``, and may go on to say ``Anna``.
        """
        name = name.lower()
        if not _NAME.fullmatch(name):
            raise UsageProblem(
                sentence("{name!r} cannot be the name of an identity", name=name),
                hint=sentence("Use 1 to 32 lower-case letters, digits and hyphens, for instance: anna"),
            )
        return self.folder / f"{name}{_SUFFIX}"

    def names(self) -> tuple[str, ...]:
        """The identities there are, sorted."""
        if not self.folder.is_dir():
            return ()
        stems = (path.stem for path in self.folder.glob(f"*{_SUFFIX}"))
        return tuple(sorted(name for name in stems if _NAME.fullmatch(name)))

    def check_free(self, name: str) -> None:
        """Raise ``UsageProblem`` if ``name`` is taken or cannot be a name."""
        if os.path.lexists(self.path(name)):
            raise self._taken(name)

    def _taken(self, name: str) -> UsageProblem:
        return UsageProblem(
            sentence("there is already an identity {name!r}: {path}", name=name, path=self.path(name)),
            hint=sentence("Choose another name. Losing that file means losing the seat it plays."),
        )

    def add(self, name: str, raw: bytes) -> Path:
        """Keep a new identity file; one that is there is never replaced.

        Raises:
            UsageProblem: the name is taken.
        """
        path = self.path(name)
        make_folder(self.folder.parent, private=True)
        try:
            write_private(path, raw)
        except FileExistsError:
            raise self._taken(name) from None
        return path

    def replace(self, name: str, raw: bytes) -> Path:
        """The same identity under a new passphrase, in the place of the file that is there."""
        path = self.path(name)
        write_private(path, raw, replace=True)
        return path

    def pick(self, name: str | None = None) -> str:
        """The identity to use: ``name``, or the only one there is.

        Raises:
            UsageProblem: it is not there, or there are several and none was named.
        """
        names = self.names()
        if name is not None:
            if name.lower() in names:
                return name.lower()
            self.path(name)
            known = sentence("There are: {known}.", known=", ".join(names))
            if not names:
                known = sentence("There is none yet; run: pbem id new")
            raise UsageProblem(
                sentence("there is no identity {name!r} in {folder}", name=name, folder=self.folder),
                hint=known,
            )
        if len(names) == 1:
            return names[0]
        if not names:
            raise UsageProblem(
                sentence("there is no identity in {folder}", folder=self.folder),
                hint=sentence("Make one with: pbem id new NAME"),
            )
        raise UsageProblem(
            sentence("there are {count} identities: {names}", count=len(names), names=", ".join(names)),
            hint=sentence("Say which one to use by its name."),
        )

    def read(self, name: str) -> bytes:
        """The identity file of ``name``."""
        return read_file(self.path(self.pick(name)))

    def warning(self, name: str) -> str:
        """A sentence if the identity file is open to other users, else ``""``."""
        try:
            return loose_permissions(self.path(name))
        except StoreError:
            return ""


def file_name_for(person: str) -> str:
    """``Zoë O'Hara`` → ``zoe-o-hara``: the name of the identity of ``person``."""
    plain = unicodedata.normalize("NFKD", person).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:32].strip("-")
    if not name:
        raise UsageProblem(
            sentence("nothing in {person!r} can name a file", person=person),
            hint=sentence("Give the identity a name of its own: --as NAME"),
        )
    return name
