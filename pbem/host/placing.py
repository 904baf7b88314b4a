"""Where a database may lie: on a disk of this computer, and better in no folder that a program synchronises.

On a network file system locks do not hold, so two hosts could write at once; a program that synchronises copies a
database while it is written, or puts back an older one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from pbem.base.errors import StoreError
from pbem.base.sentences import sentence

_MOUNTS: Final = Path("/proc/self/mountinfo")
_NETWORK: Final = frozenset(
    {
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "9p",
        "afs",
        "ceph",
        "glusterfs",
        "fuse.sshfs",
        "fuse.rclone",
        "davfs",
    }
)
_SYNCHRONISED: Final = ("dropbox", "nextcloud", "owncloud", "onedrive", "google drive", "icloud", "syncthing")
_MARKERS: Final = (".stfolder", ".dropbox", ".sync_journal.db")
"""Files that such programs leave in a folder that they synchronise."""


def mounts() -> str:
    """What this system says of its file systems; nothing where it says it in another way."""
    return _MOUNTS.read_text(errors="replace") if _MOUNTS.is_file() else ""


def check_place(path: Path, listed: Callable[[], str] = mounts) -> None:
    """Refuse a place on a network file system.

    Raises:
        StoreError: it is one.
    """
    kind = file_system(path, listed())
    if kind in _NETWORK:
        raise StoreError(
            sentence(
                "{path} lies on a network file system ({kind}), where a database is damaged sooner or later",
                path=path,
                kind=kind,
            ),
            hint=sentence(
                "Choose a folder on a disk of this computer. The match file can be printed into a shared one."
            ),
        )


def file_system(path: Path, listed: str) -> str:
    """The kind of file system that a path lies on, by the lines of ``mountinfo``; empty if they do not say."""
    place, best, kind = str(path.resolve()), "", ""
    for line in listed.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split()
        if len(fields) < 5 or not after:
            continue
        point = fields[4].replace("\\040", " ")
        inside = place == point or place.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, after.split()[0]
    return kind


def synchronised(path: Path) -> str:
    """The folder above a path that a program seems to synchronise; empty if there is none."""
    for folder in (path.resolve(), *path.resolve().parents):
        named = any(folder.name.lower().startswith(name) for name in _SYNCHRONISED)
        if named or any((folder / marker).exists() for marker in _MARKERS):
            return str(folder)
    return ""
