"""All that is asked of both, and which part of it the test command asks.

With ``everything`` it is what ``python -m tests.pyodide --all`` asks, without it what is small enough for every run.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Protocol

from pbem.protocol.crypto.digest import b64
from pbem.protocol.formats.identity_file import write_identity
from pbem.protocol.scenario import find_scenarios
from tests.conformance.driver import Case, late_cases, option_cases, profile_cases, whole_cases
from tests.formats.test_strict_json import REFUSED
from tests.formats.test_unicode import EVERY, corpus
from tests.fuzz import edits, seeds
from tests.fuzz.targets import OWNER
from tests.machine.walk import Plan, run
from tests.vectors.cases import FILES
from tests.verifier.matches import MATCHES, match
from tests.verifier.tampering import CHEATS, falsified

ROOT: Final = Path(__file__).resolve().parents[2]
KEPT: Final = ("examples/wyatt-earp/game.jsonl", "examples/way-out-west/game.jsonl")

Question = tuple[str, str, tuple[Any, ...]]
"""Its name, and what is asked."""


class Part(Protocol):
    """Questions of one kind."""

    __name__: str

    def __call__(self, *, everything: bool) -> Iterator[Question]:
        """They."""
        ...


def _file(lines: list[bytes]) -> str:
    return b64(b"".join(line + b"\n" for line in lines))


def bytes_and_sums(*, everything: bool) -> Iterator[Question]:
    """Primitives, vectors, readers."""
    yield "sums from fixed bytes", "sums", (60 if everything else 12,)
    yield "other people's vectors", "other_peoples", ()
    for name in FILES:
        yield f"vectors: {name}", "vectors", (name,)
    yield "an identity file", "identity_file", (10,)
    box = write_identity(OWNER, "Zoë", "horse battery", bytes(16), log_n=10)
    yield (
        "an identity file of another device",
        "read",
        ("identity", [b64(box), b64(box[:-9] + b"A" + box[-8:])]),
    )
    refused = [raw for raw, _ in REFUSED.values() if len(raw) < 200_000]
    yield "texts that are refused", "read", ("parse", [*map(b64, refused)])
    yield "lines that are refused", "read", ("line", [*map(b64, refused)])
    yield "strings for all readers", "texts", (corpus()[:: 1 if everything else EVERY],)
    every = 1 if everything else 6
    for reader, target in (
        ("line", "line"),
        ("parse", "json"),
        ("message", "message"),
        ("armour", "armour"),
        ("mail", "mail"),
    ):
        kept = seeds.of(target)[::every]
        broken = [edits.spliced(raw, raw[at % 7 : 30 + at % 11]) for at, raw in enumerate(kept)]
        yield (
            f"fuzz: {target}",
            "read",
            (reader, [b64(raw) for raw in (*kept, *broken) if len(raw) < 100_000]),
        )


def rules(*, everything: bool) -> Iterator[Question]:
    """Scenarios and conformance."""
    for path in find_scenarios([ROOT / "tests" / "scenarios"]):
        yield f"scenarios: {path.parent.name}/{path.stem}", "scenarios", (str(path.relative_to(ROOT)),)
    cases = [*profile_cases(), *option_cases(), *late_cases(), *(whole_cases() if everything else ())]
    games = sorted({case.game_id for case in cases})
    chosen = cases if everything else [
        Case(case.game_id, case.seats, case.profile, case.options, 24, late=case.late)
        for game in games
        for case in [case for case in cases if case.game_id == game][:: 9]
    ]  # fmt: skip
    for case in chosen:
        options = [list(option) for option in case.options]
        given = (case.game_id, case.seats, case.profile, options, case.decisions, case.late)
        yield f"conformance: {case}", "conformance", given


def matches(*, everything: bool) -> Iterator[Question]:
    """Golden matches, matches with everything that people agree on, cheats."""
    places = [331 * number * number + 40_000 for number in range(40 if everything else 4)]
    for path in KEPT:
        yield f"golden: {path}", "kept_match", (path, places)
    for name in list(MATCHES)[:: 1 if everything else 7]:
        yield f"match: {name}", "match", (_file(match(name).lines),)
    yield from cheats(1 if everything else 25)


def walks(*, everything: bool) -> Iterator[Question]:
    """What walks of the state machine left."""
    left: list[tuple[str, list[bytes]]] = []
    run(Plan(left=lambda name, lines: left.append((name, lines)), in_turn=True), 60 if everything else 6)
    for number, (name, lines) in enumerate(left):
        yield f"walk {number}: {name}", "match", (_file(lines),)


def cheats(every: int) -> Iterator[Question]:
    """Falsified files, as the other verifier gets them."""
    for cheat in CHEATS[::every]:
        yield f"cheat: {cheat.name}", "match", (_file(falsified(cheat)),)


def play(*, everything: bool) -> Iterator[Question]:
    """Whole matches and a player's turn, made in both places."""
    for game in ("wyatt-earp", "way-out-west"):
        yield (
            f"a match of {game}",
            "whole_match",
            (game, ["anna", "burt", "curt"], 2000 if everything else 12, "default"),
        )
        langs = ("en", "de", "fr", "it") if everything else ("en", "de") if game == "wyatt-earp" else ("it",)
        for lang in langs:
            yield f"a turn of {game} in {lang}", "evening", (game, 14, lang)


PARTS: Final[tuple[Part, ...]] = (bytes_and_sums, rules, matches, walks, play)
