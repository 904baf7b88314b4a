"""Names of packages, old and new: ``python -m tests.moved [FILE…]`` moves what lies at an old place, rewrites names.

A branch that began before the packages moved merges main and runs this: every dotted name, every path and every
``from pbem import …`` becomes the new one. Run twice it changes nothing. Without files: all that git knows.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
BASE: Final = ("errors", "lazy", "resources", "sentences", "values", "system", "language", "shapes")
GAMES: Final = ("ordering", "rulebook")
PROTOCOL: Final = ("crypto", "formats", "draws", "record", "referee", "audit", "client", "scenario")
PLAYER: Final = (
    "letters",
    "mail",
    "pictures",
    "store",
    "tally",
    "history",
    "report",
    "play",
    "practice",
    "world",
)
DATABASE: Final = {
    "store.database_alarms": "host.database.alarms",
    "store.database_door": "host.database.door",
    "store.database_lists": "host.database.lists",
    "store.database_mail": "host.database.mail",
    "store.database_matches": "host.database.matches",
    "store.database_postgresql": "host.database.postgresql",
    "store.database_retention": "host.database.retention",
    "store.database_stops": "host.database.stops",
    "store.database_times": "host.database.times",
    "store.database": "host.database.database",
    "store.backup": "host.database.backup",
    "store.heads": "host.database.heads",
    "store.migrate": "host.database.migrate",
    "store.schema": "host.database.schema",
    "store.forms": "host.database.forms",
}
NAMES: Final = {
    **DATABASE,
    **{name: f"base.{name}" for name in BASE},
    **{name: f"games.{name}" for name in GAMES},
    **{name: f"protocol.{name}" for name in PROTOCOL},
    **{name: f"player.{name}" for name in PLAYER},
    "players": "bots",
    "demo": "host.demo",
}
"""Below ``pbem``: old name, new name. ``pbem.player`` and ``pbem.attacks`` have rules of their own."""
SEAT: Final = (
    "actions", "book", "check", "consents", "copy", "desk", "diary", "inspect", "joining", "keeping_open", "legal",
    "moments", "next_step", "order_answers", "order_words", "orders", "own_copies", "own_orders", "own_word", "posting",
    "rekey", "sent_files", "settings", "show", "stand_in", "uses", "walk",
)  # fmt: skip
"""Modules of the old package ``pbem.player``, which is ``pbem.player.seat`` now."""
TEXTS: Final = (
    ".py",
    ".md",
    ".toml",
    ".yml",
    ".jinja",
    ".mjs",
    ".json",
    ".txt",
    ".html",
    "Makefile",
    ".gitignore",
    "run",
)
LEFT: Final = ("CHANGELOG.md", "tests/moved.py")
"""What describes former versions, and this file."""


def dotted() -> list[tuple[re.Pattern[str], str]]:
    """The rewriting of names, longest first, so that a package does not match before its module."""
    rules: list[tuple[re.Pattern[str], str]] = []
    for old, new in sorted(NAMES.items(), key=lambda pair: -len(pair[0])):
        name, path = re.escape(old), re.escape(old.replace(".", "/"))
        tail = r"(?!\w)" if old != "demo" else r"(?![\w/-])"
        rules.append((re.compile(rf"(?<![\w.@/-])pbem\.{name}{tail}"), f"pbem.{new}"))
        rules.append(
            (
                re.compile(rf"(?<![\w-])pbem/{path}(?=[/.`\\)\"',]|\b(?![\w-]))"),
                f"pbem/{new.replace('.', '/')}",
            )
        )
    modules = "|".join(SEAT)
    rules += [
        (re.compile(rf"\bpbem\.player\.({modules})\b"), r"pbem.player.seat.\1"),
        (re.compile(rf"\bpbem/player/({modules})\b"), r"pbem/player/seat/\1"),
        (
            re.compile(r"\bfrom pbem\.player import(?! (?:" + "|".join((*PLAYER, "seat")) + r")\b)"),
            "from pbem.player.seat import",
        ),
        (re.compile(r"(?<!from )(?<![\w\"/])(`{0,2}\"?)pbem\.player(?=[`\"])"), r"\1pbem.player.seat"),
        (re.compile(r"\bpbem/attacks\b"), "tests/attacks"),
        (re.compile(r"\bpbem\.attacks\b"), "tests.attacks"),
    ]
    return rules


def _from_root(match: re.Match[str]) -> str:
    """``from pbem import a, b`` by the packages where they are now."""
    blank, names = match[1], [name.strip() for name in match[2].split(",")]
    lines = []
    for name in names:
        new = NAMES.get(name.split(" ")[0])
        place = f"pbem.{new.rpartition('.')[0]}" if new else "pbem"
        lines.append(f"{blank}from {place} import {name}")
    return "\n".join(lines)


def renamed(text: str, rules: list[tuple[re.Pattern[str], str]]) -> str:
    """The text with the new names."""
    text = re.sub(
        r"^([ \t]*)from pbem import ([a-z_]+(?: as \w+)?(?:, [a-z_]+(?: as \w+)?)*)$",
        _from_root,
        text,
        flags=re.MULTILINE,
    )
    for pattern, new in rules:
        text = pattern.sub(new, text)
    return text


def move() -> None:
    """``git mv`` of whatever still lies at its old place."""
    moves = {f"pbem/{old.replace('.', '/')}": f"pbem/{new.replace('.', '/')}" for old, new in NAMES.items()}
    moves |= {f"pbem/player/{name}": f"pbem/player/seat/{name}" for name in SEAT}
    for old, new in moves.items():
        for ending in ("", ".py"):
            at, to = ROOT / f"{old}{ending}", ROOT / f"{new}{ending}"
            if (at.is_file() if ending else at.is_dir()) and not to.exists():
                to.parent.mkdir(parents=True, exist_ok=True)
                subprocess.run(["git", "mv", str(at), str(to)], cwd=ROOT, check=True)


def main(names: list[str]) -> None:
    """Move, then rewrite the files that are named, or all."""
    move()
    if not names:
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)
        names = listed.stdout.splitlines()
    rules = dotted()
    for name in names:
        path = ROOT / name
        if name in LEFT or not name.endswith(TEXTS) or not path.is_file() or "/golden/" in name:
            continue
        text = path.read_bytes().decode()
        if (new := renamed(text, rules)) != text:
            path.write_bytes(new.encode())


if __name__ == "__main__":
    main(sys.argv[1:])
