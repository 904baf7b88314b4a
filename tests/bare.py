"""The tests where there is nothing but Python and make: ``python -m tests.bare [--by-path] [pytest's arguments]``.

``PROGRAMS`` and ``FOLDERS`` are hidden from a run of pytest: in a mount namespace of its own, where nothing lies in
their places; or, where this machine allows none (or with ``--by-path``), by an empty ``PATH``, and absolute paths that
are refused (``needed.installed``, and whatever Python starts). It prints which, and pytest names what is left
out. Anything red is a fault of a test: it has to say what it needs (``needed.py``).
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from tests import needed

ROOT: Final = Path(__file__).resolve().parents[1]
PROGRAMS: Final = (
    *(
        "node",
        "nodejs",
        "npm",
        "npx",
        "tmux",
        "groff",
        "openssl",
        "mutt",
        "systemctl",
        "systemd",
        "systemd-analyze",
    ),
    *("chromium", "chromium-browser", "google-chrome", "firefox", "firefox-esr", "WebKitWebDriver"),
    *(
        "postfix",
        "postconf",
        "postmap",
        "sendmail",
        "dovecot",
        "doveadm",
        "psql",
        "postgres",
        "initdb",
        "pg_ctl",
    ),
)
FOLDERS: Final = (
    *(
        "/usr/lib/postgresql",
        "/usr/lib/postfix",
        "/usr/lib/dovecot",
        "/usr/libexec/dovecot",
        "/usr/lib/chromium",
    ),
    *("/usr/lib/systemd", "/usr/lib/firefox-esr", str(Path.home() / ".cache" / "ms-playwright")),
    str(ROOT / "pbem" / "web" / "node_modules"),
)
ARGUMENTS: Final = ("-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder", "-rs")
_NEW_MOUNTS, _NEW_USER, _BIND, _PRIVATE = 0x00020000, 0x10000000, 0x1000, 0x40000 | 0x4000
"""As Linux numbers them: ``CLONE_NEWNS``, ``CLONE_NEWUSER``, ``MS_BIND``, ``MS_PRIVATE | MS_REC``."""


def hidden() -> Iterator[Path]:
    """What there is of it on this machine."""
    places = [*os.environ.get("PATH", "").split(os.pathsep), "/usr/sbin", "/usr/bin", "/sbin", "/bin"]
    for name in PROGRAMS:
        for place in filter(None, dict.fromkeys(places)):
            if (Path(place) / name).exists():
                yield Path(place) / name
    yield from (Path(folder) for folder in FOLDERS if Path(folder).is_dir())


def _check(status: int, call: str) -> None:
    if status:
        raise OSError(ctypes.get_errno(), f"{call}: {os.strerror(ctypes.get_errno())}")


def cover(places: list[Path], empty: Path) -> None:
    """In a mount namespace that this process enters, each place is an empty folder, or a file that nobody can start.

    Raises:
        OSError: this machine allows no such namespace.
    """
    libc: Any = ctypes.CDLL(None, use_errno=True)
    user, group, root = os.geteuid(), os.getegid(), os.geteuid() == 0
    _check(libc.unshare(_NEW_MOUNTS | (0 if root else _NEW_USER)), "a namespace")
    if not root:
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")
    _check(libc.mount(b"none", b"/", None, _PRIVATE, None), "mounts of its own")
    (empty / "folder").mkdir()
    (empty / "file").touch(mode=0)
    for place in dict.fromkeys(place.resolve() for place in places):
        cause = empty / ("folder" if place.is_dir() else "file")
        _check(libc.mount(bytes(cause), bytes(place), None, _BIND, None), str(place))


def run(before: list[str], arguments: list[str], *, by_path: bool) -> int:
    """Pytest with everything hidden, started by the words ``before``; its exit code."""
    places = list(hidden())
    environ = {name: value for name, value in os.environ.items() if name != "PBEM_REQUIRE"}
    command = [*before, sys.executable, "-m", "pytest", *ARGUMENTS, *arguments]
    with tempfile.TemporaryDirectory(prefix="pbem-bare.") as folder:
        try:
            if by_path:
                raise OSError("as asked for")
            cover(places, Path(folder))
            left = [name for name in PROGRAMS if shutil.which(name)]
            assert not left, f"{left} cannot be hidden"
            names = dict.fromkeys(str(place) if str(place) in FOLDERS else place.name for place in places)
            print(
                f"hidden in a mount namespace: {', '.join(names) or 'nothing, there is none of it'}",
                flush=True,
            )
        except OSError as fault:
            print(f"no mount namespace ({fault}): PATH is empty, absolute paths are refused", flush=True)
            command += ["-p", "tests.bare"]
            environ["PATH"] = folder
        return subprocess.run(command, cwd=ROOT, env=environ, check=False).returncode


def pytest_configure() -> None:
    """As a plugin, in every worker: what is hidden is refused, whoever names it."""
    needed.REFUSED.update(map(Path, FOLDERS))
    needed.REFUSED.update(
        Path(place) / name for name in PROGRAMS for place in ("/usr/sbin", "/usr/bin", "/sbin", "/bin")
    )
    sys.addaudithook(_guard)


def _guard(event: str, given: tuple[Any, ...]) -> None:
    if event in ("subprocess.Popen", "os.exec", "os.posix_spawn"):
        with suppress(TypeError):
            path = os.fsdecode(given[0])
            if Path(path).is_absolute() and needed.refused(path):
                raise FileNotFoundError(2, "refused by tests.bare", path)


def main() -> int:
    """The command; ends as pytest ends."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument(
        "--by-path", action="store_true", help="no mount namespace, even where there could be one"
    )
    parser.add_argument(
        "--under", default="", metavar="A|B|…", help="words before Python's, an absolute path first"
    )
    given, arguments = parser.parse_known_args()
    return run([word for word in given.under.split("|") if word], arguments, by_path=given.by_path)


if __name__ == "__main__":
    sys.exit(main())
