"""The fast judge, ``jsonschema`` and JavaScript say yes and no to the same values: ``python -m tests.shapes.corpus``.

For every form of a text or a number that ``schemas/`` has: each text of each kept file, as it is, with a line end of
four kinds behind it or before it, with a lone surrogate, with digits of another script; and integers up to four hundred
digits. Then records and messages of the kept examples with such a text in place of one of theirs. The test command
takes a hundredth of it.
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final
from zlib import crc32

from pbem.base.resources import data_dir
from pbem.base.shapes.compiled import Compiled, compile_schema
from pbem.base.shapes.schema import LibraryJudge, load
from pbem.game import Json, JsonObject
from tests.formats.examples import MESSAGES, RECORDS
from tests.verifier.node import node

ROOT: Final = Path(__file__).parents[2]
LEAF: Final = frozenset({"type", "pattern", "minLength", "maxLength", "minimum", "maximum", "enum", "const"})
SAID: Final = frozenset({"description", "title"})
ENDS: Final = ("\n", "\r", "\r\n", "\u2028", "\u2029", "\ud800")
SPACES: Final = ("\x1c", "\x85", "\ufeff", "\u00a0", "\u180e", "\v")
NUMBERS: Final = (0, 1, -1, 2**53 - 1, 2**53, -(2**53), 10**399, -(10**399), True, False)
ARABIC: Final = {ord(str(digit)): 0x660 + digit for digit in range(10)}


def forms() -> list[JsonObject]:
    """Every different form of a text or an integer in ``schemas/``."""
    by_name: dict[str, JsonObject] = {}
    for path in sorted(data_dir("schemas").rglob("*.schema.json")):
        for part in _parts(json.loads(path.read_bytes())):
            if (
                isinstance(part, dict)
                and part.get("type") in ("string", "integer")
                and part.keys() <= LEAF | SAID
            ):
                form = {name: value for name, value in part.items() if name in LEAF}
                by_name[json.dumps(form, sort_keys=True)] = form
    return list(by_name.values())


def _parts(value: Json) -> Iterator[Json]:
    yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in inner:
        yield from _parts(part)


@cache
def texts() -> tuple[str, ...]:
    """Every different text of the kept files, names of members too."""
    parts: set[str] = set()
    for path in sorted(ROOT.joinpath("examples").rglob("*.json*")):
        if path.suffix in (".json", ".jsonl") and "node_modules" not in path.parts:
            lines = (
                path.read_text("utf-8").splitlines() if path.suffix == ".jsonl" else [path.read_text("utf-8")]
            )
            for line in lines:
                for part in _parts(json.loads(line)):
                    parts |= (
                        {part} if isinstance(part, str) else set(part) if isinstance(part, dict) else set()
                    )
    return tuple(sorted(parts))


def variants(text: str) -> Iterator[str]:
    """The text, and what another engine of regular expressions might take for it."""
    yield text
    for end in (*ENDS, *SPACES):
        yield text + end
        yield end + text
        yield text[: len(text) // 2] + end + text[len(text) // 2 :]
    yield text.translate(ARABIC)


def chosen(part: int) -> list[str]:
    """One text in ``part``, always the same ones, with their variants."""
    some = [text for text in texts() if crc32(text.encode("utf-8", "surrogatepass")) % part == 0]
    return list(dict.fromkeys(variant for text in some for variant in variants(text)))


def of_forms(part: int = 1) -> list[str]:
    """Where the three differ about a form; empty if they never do."""
    values: list[Json] = [*chosen(part), *NUMBERS]
    asked = forms()
    given = json.dumps({"schemas": asked, "values": values})
    answers = node(Path(__file__).with_name("corpus.mjs"), stdin=given).split()
    assert len(answers) == len(asked)
    differing = []
    for form, said in zip(asked, answers, strict=True):
        fast, judge = compile_schema(form), LibraryJudge(form)
        for value, theirs in zip(values, said, strict=True):
            said_yes = [fast(value), judge.accepts(judge.document, value)]
            if (
                not isinstance(value, int) or abs(value) < 2**53
            ):  # strict JSON has no others, in both languages
                said_yes.append(theirs == "1")
            if len(set(said_yes)) > 1:
                differing.append(f"{form} {ascii(value)[:80]}: fast, jsonschema, JavaScript: {said_yes}")
    return differing


def of_files(part: int = 1) -> list[str]:
    """Where the two that know all our keywords differ about a whole file."""
    kept = [("record", file) for file in RECORDS.values()] + list(MESSAGES.items()) + _of_games()
    differing = []
    for name, file in kept:
        fast, judge = Compiled(load(name)), LibraryJudge(load(name))
        for number, changed in enumerate(_changed(file)):
            if number % part == 0 and fast.accepts(load(name), changed) != judge.accepts(
                judge.document, changed
            ):
                differing.append(f"{name}: {json.dumps(changed)[:300]}")
    return differing


def _of_games() -> list[tuple[str, JsonObject]]:
    """Of each kept match an action of every kind, and its board: games read these by the fast judge always."""
    kept: dict[tuple[str, str], JsonObject] = {}
    for game in ("wyatt-earp", "way-out-west"):
        for line in ROOT.joinpath("examples", game, "game.jsonl").read_text("utf-8").splitlines():
            body = json.loads(line)["body"]
            for action in (step["action"] for step in body.get("steps", ()) if "action" in step):
                kept.setdefault((f"{game}/action", action["do"]), action)
            if "board" in body.get("setup", ()):
                kept[f"{game}/board", ""] = body["setup"]["board"]
    return [(name, file) for (name, _), file in kept.items()]


def _changed(file: JsonObject) -> Iterator[JsonObject]:
    for path, value in _places(file, ()):
        for other in _others(value):
            changed = copy.deepcopy(file)
            holder: Json = changed
            for step in path[:-1]:
                holder = holder[step]
            holder[path[-1]] = other
            yield changed


def _others(value: Json) -> list[Json]:
    if isinstance(value, str):
        return [*variants(value)]
    return [10**399, 2**53] if type(value) is int else []


def _places(value: Json, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in items:
        yield (*path, step), inner
        yield from _places(inner, (*path, step))


def main() -> int:
    """All of it; exit code 1 if they differ anywhere."""
    differing = [*of_forms(), *of_files()]
    print(f"{len(forms())} forms, {len(texts())} texts, {len(chosen(1))} with their variants", end="")
    print(f": {len(differing)} differences")
    print(*differing[:50], sep="\n")
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(main())
