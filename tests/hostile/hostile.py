"""A host who signs nonsense: the newest record of an honest match, changed anywhere, signed again with their own key.

``file_of`` makes game files that are canonical, well chained and signed, so that nothing but the values is wrong.
``run_all`` runs a player's commands on one of them, in this process, and returns what must not be; ``play`` opens
it on a screen, and ``letters`` writes what its records would show. ``python -m tests.hostile --files N --log FILE``
does all of that to N files.
"""

from __future__ import annotations

import asyncio
import copy
import random
import re
import shutil
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from time import process_time
from typing import Final

from pbem.base.errors import FormatError, PbemError
from pbem.game import Json, JsonObject, Seat
from pbem.player.play import Post, Session
from pbem.player.play.app import PlayApp
from pbem.player.seat import PlayerClient
from pbem.player.store import Keyring
from pbem.protocol.formats.envelopes import line_of, make_entry
from pbem.protocol.formats.identity_file import write_identity
from pbem.protocol.formats.strict_json import canon, forbidden
from pbem.protocol.record import Record
from tests.cli.seats import Done, run
from tests.letters.batch import letters_for
from tests.play.screens import at_screen
from tests.world import START, World, secret

Path_ = tuple[str | int, ...]
SEATS = ("anna", "burt", "curt")

PICTURE, PAGE, HONEST, TURN = "match/picture.png", "match/page.html", "honest", "turn"
"""Stand for files below the folder: what is written, the honest copy of that match, and a turn that fits it."""

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("show",),
    ("show", "--json"),
    ("show", "--public"),
    ("show", "--lang", "de"),
    ("legal",),
    ("replay",),
    ("stats",),
    ("verify",),
    ("audit",),
    ("audit", "--json"),
    ("inspect",),
    ("turn", "draw", "supply"),
    ("turn", "pass"),
    ("orders",),
    ("say", "Howdy"),
    ("ready",),
    ("show", "--png", PICTURE),
    ("show", "--png", PICTURE, "--public"),
    ("audit", "--html", PAGE),
    ("compare", HONEST),
    ("check", TURN),
    ("play", ""),
    ("letters", ""),
)
"""What a player does with a game file; the file stands after the name of the command, but for ``check``."""

_WITH_KEYS: Final = {"show", "legal", "turn", "orders", "say", "ready", "replay", "check"}
_BLANKS: Final = "\u2007\ufeff\u034f"
"""By these an email of ours keeps its first words alone in a mailbox's list."""
_PAGES: Final = ("1", "2", "3", "4", "question_mark", "escape", "t", "escape")
"""What is pressed on the screen, one after the other."""
SLOW: Final = 20
"""Seconds of processor that a command may take on a file of a few kilobytes."""

ROOTS: Final = (
    *(
        "public",
        "steps",
        "due",
        "epoch",
        "outcome",
        "seats",
        "options",
        "setup",
        "deadlines",
        "rules",
    ),
    *("stopped", "packets", "decks", "tapes", "applied", "consent"),
)
"""Members of a body that the host alone answers for."""

WORDS: tuple[Json, ...] = (
    "",
    "x",
    "zed",
    "anna",
    "../../../etc/passwd",
    "<script>alert(1)</script>",
    "{{ 7 * 7 }}",
    "%s%n",
    "[red]x[/red]",
    "PBEM1BEGIN",
    "x" * 5000,
    "\u0153" * 300,
    "\U0001f920",
    "a\u0301",
    "\r\nBcc: everybody@example.org",
    "\x1b[2J\x1b]0;owned\x07",
    "\x9b31m",
    "\u202egnp.exe",
    "\u200b",
    "\u061c",
    "\U000e0041",
)
NUMBERS: tuple[Json, ...] = (-1, 0, 1, 2, 77, 79, 10_000, 2**31, 2**32, 2**53 - 1, -(2**53) + 1, 2**53)
OTHERS: tuple[Json, ...] = (None, True, False, [], {}, [[]], [{}], {"x": 1}, [1, "x"], {"anna": {"anna": []}})


def nested(depth: int) -> Json:
    """A list in a list in a list."""
    value: Json = []
    for _ in range(depth):
        value = [value]
    return value


@cache
def match(game: str) -> World:
    """A short honest match of two, as far as both have acted."""
    world = World(game, SEATS, seed="hostile").start()
    world.play(4 if game == "wyatt-earp" else 14)
    while world.record.waiting is None or world.record.waiting["seat"] != SEATS[0]:
        world.move()
    return world


def places(value: Json, path: Path_ = ()) -> Iterator[Path_]:
    """The path of every value inside."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def at(value: Json, path: Path_) -> Json:
    for part in path:
        value = value[part]
    return value


def _other(chance: random.Random, value: Json, pool: Sequence[Json]) -> Json:
    """Something to stand there instead: alike (half of them), of the same kind, or of any kind."""
    alike = [item for item in pool if type(item) is type(value) and item != value]
    match chance.randrange(12):
        case 6 | 7 | 8 | 9 if alike:
            return copy.deepcopy(chance.choice(alike))
        case 10 | 11 if type(value) is int:
            return max(0, value + chance.choice((-2, -1, 1, 2, 20, 1000, 900_000)))
        case 0:
            return copy.deepcopy(chance.choice(OTHERS))
        case 1:
            return nested(chance.choice((3, 20, 27)))
        case 2 | 3:
            return copy.deepcopy(chance.choice(pool))
        case _:
            if isinstance(value, bool) or not isinstance(value, (str, int)):
                return chance.choice((*WORDS, *NUMBERS))
            return chance.choice(NUMBERS if isinstance(value, int) else WORDS)


def _change(chance: random.Random, body: JsonObject) -> None:
    """One change somewhere in what the host answers for."""
    roots = [root for root in ROOTS if root in body]
    weights = [8 if root in ("public", "steps", "setup", "options", "deadlines") else 1 for root in roots]
    root = chance.choices(roots, weights)[0]
    known = [(root, *path) for path in ((), *places(body[root]))]
    path = chance.choice(known)
    parent, last = at(body, path[:-1]), path[-1]
    pool = [at(body, known_path) for known_path in known]
    match chance.randrange(8):
        case 0 if isinstance(parent, dict):
            del parent[last]
        case 1 if isinstance(parent, dict):
            parent[chance.choice(("x", "anna", "zed", "event", "do", "x" * 300))] = copy.deepcopy(
                chance.choice(pool)
            )
        case 2 if isinstance(parent, list):
            parent.insert(0, copy.deepcopy(chance.choice(pool)))
        case 3 if isinstance(parent, list):
            parent.extend(copy.deepcopy(parent) * chance.choice((1, 30)))
        case _:
            parent[last] = _other(chance, parent[last], pool)


def signed(world: World, at_line: int, body: JsonObject) -> list[bytes]:
    """The honest file up to there, then this body, signed by the host."""
    game = world.record.game if at_line else None
    host = world.host
    return [*world.lines[:at_line], line_of(make_entry(body, host.sign_key, host.sign_public, game))]


def file_of(seed: int) -> tuple[str, list[bytes]] | None:
    """The hostile file of this number, and of which game it is; None if no canonical line can say what was made."""
    chance = random.Random(seed)
    game = ("wyatt-earp", "way-out-west")[seed % 2]
    world = match(game)
    if chance.random() < 0.15:
        number = chance.choice([line.seq for line in world.record.lines if line.body.keys() & {*ROOTS}])
    else:
        number = chance.choice([line.seq for line in world.record.lines if "steps" in line.body])
    body = copy.deepcopy(world.record.lines[number].body)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        _change(chance, body)
    try:
        return game, signed(world, number, body)
    except FormatError:
        return None


def prepared(root: Path) -> Path:
    """A folder with Anna's keys and an empty passphrase in a file."""
    (root / "pass").write_text("\n")
    (root / "pass").chmod(0o600)
    for game in ("wyatt-earp", "way-out-west"):
        identity = match(game).people[Seat(SEATS[0])]
        raw = write_identity(identity, "Anna", "", secret("salt")[:16], log_n=1)
        keyring = Keyring(root / "home")
        if "anna" not in keyring.names():
            keyring.add("anna", raw)
        world = match(game)
        (root / f"{game}.jsonl").write_bytes(b"".join(line + b"\n" for line in world.lines))
        (root / f"{game}.json").write_bytes(canon(copy.deepcopy(world).turn_file(SEATS[0], say="Howdy")))
    return root


def faults_of(done: Done, page: str = "") -> Iterator[str]:
    """What a command must not leave behind: an undocumented exit code, controls on a terminal, HTML of others."""
    if done.code not in range(7):
        yield f"exit code {done.code}"
    for stream in (done.out, done.err, page):
        characters = forbidden(stream.replace("\n", "").replace("\t", ""))
        if characters:
            yield f"U+{ord(characters):04X} in the output"
        if "Traceback" in stream:
            yield "a traceback"
    if "<script>alert" in page:
        yield "foreign markup in the page"


def tree(root: Path) -> set[Path]:
    """Every file below."""
    return {path for path in root.rglob("*") if path.is_file()}


def put(root: Path, lines: Sequence[bytes]) -> Path:
    """Write these lines as a player's copy; its path."""
    shutil.rmtree(root / "match", ignore_errors=True)
    (root / "match").mkdir()
    game = root / "match" / "game.jsonl"
    game.write_bytes(b"".join(line + b"\n" for line in lines))
    return game


_OWN: Final = re.compile(r"home/checkpoints(/key|/[0-9a-f]{32}\.checkpoint)?")
"""What a player's program keeps in their own home; the names are a key's and the match's id, no words of anybody."""


def run_all(root: Path, lines: Sequence[bytes], commands: Sequence[tuple[str, ...]]) -> list[str]:
    """Run these commands on a game file of these lines; what was wrong with each."""
    game = put(root, lines)
    before = tree(root)
    wrong: list[str] = []
    for name, *more in commands:
        begin = process_time()
        try:
            faults = [*_RUN.get(name, _command)(root, game, lines, (name, *more))]
        except Exception as error:  # noqa: BLE001 - whatever it is, a person would see a traceback
            wrong.append(f"{name}: {error!r}"[:300])
            continue
        wrong += [f"{name}: {fault}" for fault in faults]
        if process_time() - begin > SLOW:
            wrong.append(f"{name}: took {process_time() - begin:.1f} s")
    elsewhere = {
        path
        for path in tree(root) - before
        if path.parts[len(root.parts)] != "match" and not _OWN.fullmatch(path.relative_to(root).as_posix())
    }
    return wrong + [f"wrote {path}" for path in sorted(elsewhere)]


def _command(root: Path, game: Path, lines: Sequence[bytes], command: tuple[str, ...]) -> Iterator[str]:
    """A command of ``pbem``; what it left behind that must not be."""
    name, *more = command
    kind = _kind(lines)
    named = {HONEST: f"{kind}.jsonl", TURN: f"{kind}.json", PICTURE: PICTURE, PAGE: PAGE}
    given = [root / named[argument] if argument in named else argument for argument in more]
    keys = ("--home", root / "home", "--passphrase-file", root / "pass") if name in _WITH_KEYS else ()
    done = run(name, *given, "--copy", game, *keys) if name == "check" else run(name, game, *given, *keys)
    page = root / PAGE
    yield from faults_of(done, page.read_text("utf-8") if page.exists() else "")
    page.unlink(missing_ok=True)


def _kind(lines: Sequence[bytes]) -> str:
    """Which honest match these lines were made from."""
    return "way-out-west" if b'"way-out-west"' in lines[0] else "wyatt-earp"


def _letters(_: Path, __: Path, lines: Sequence[bytes], ___: tuple[str, ...]) -> Iterator[str]:
    """The emails that the newest record causes, if a reader takes the file at all."""
    try:
        record = Record.load(lines)
    except PbemError:
        return
    last = record.head.seq
    for letter in letters_for(record, last, last, None):
        html = letter.html.replace(_BLANKS, "")
        yield from faults_of(Done(0, letter.subject, letter.text), html)


def _play(root: Path, _: Path, lines: Sequence[bytes], __: tuple[str, ...]) -> Iterator[str]:
    """Anna opens it, if her program takes the file at all, and looks at every page."""
    seat = Seat(SEATS[0])
    folder = root / "match" / "sitting"
    try:
        who = match(_kind(lines)).people[seat]
        PlayerClient.begin(folder, list(lines), who, bytes)
        session = Session(partial(PlayerClient.open, folder, who, bytes, lambda: START), Post(folder))
    except PbemError:
        return
    app = PlayApp(session)

    async def sit() -> list[str]:
        seen = []
        async with at_screen(app, (80, 24)) as pilot:
            for key in _PAGES:
                await pilot.press(key)
                await pilot.pause()
                seen.append(app.export_screenshot())
        return seen

    for picture in asyncio.run(sit()):
        yield from faults_of(Done(0, picture, ""))


_RUN: Final = {"letters": _letters, "play": _play}
