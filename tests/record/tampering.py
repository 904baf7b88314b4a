"""One bit, byte, line, field or signature of a game file at a time: ``python -m tests.record.tampering [--all]``.

Every file that results must be refused, with one of the two errors of ``Record.load`` and no other. The lines
before the change are verified once; then each changed line is put to a reader who holds them. ``--all`` goes over every
bit and byte of a golden match of each game; without it they are sampled. Lines, fields and signatures are always taken
in full.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pbem.base.errors import FormatError, VerificationError
from pbem.game import Json, JsonObject
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import body_hash, make_entry, make_file
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Record
from tests.record.golden import hand_of_wyatt_earp, one_of_each, turn_of_way_out_west
from tests.world import World

GOLDEN: Final[dict[str, Callable[[], World]]] = {
    "wyatt-earp-hand": hand_of_wyatt_earp,
    "way-out-west-turn": turn_of_way_out_west,
    "one-of-each": one_of_each,
}
STEP = 199
"""Without ``--all`` every bit and byte at so many places apart; prime to 8, so that every bit has its turn."""
Lines = Sequence[bytes]


@dataclass(frozen=True, slots=True)
class Change:
    """Lines that stand instead of what follows record ``at - 1``."""

    kind: str
    at: int
    lines: tuple[bytes, ...]


def bits(lines: Lines, step: int) -> Iterator[Change]:
    """One bit flipped. A line feed that results makes two lines, as it would in the file."""
    place = 0
    for at, raw in enumerate(lines):
        for position in range(len(raw) * 8):
            if (place := place + 1) % step == 0:
                flipped = bytearray(raw)
                flipped[position // 8] ^= 1 << position % 8
                yield Change("bit flipped", at, tuple(bytes(flipped).split(b"\n")))


def byte_by_byte(lines: Lines, step: int) -> Iterator[Change]:
    """One byte left out, doubled, or made a blank."""
    place = 0
    for at, raw in enumerate(lines):
        for position in range(len(raw)):
            if (place := place + 1) % step == 0:
                before, here, after = raw[:position], raw[position : position + 1], raw[position + 1 :]
                yield Change("byte left out", at, (before + after,))
                yield Change("byte doubled", at, (before + here + here + after,))
                yield Change("byte made a blank", at, (before + b" " + after,))


def line_by_line(lines: Lines) -> Iterator[Change]:
    """A line left out, doubled, swapped with the next, cut off, emptied, with a blank line before it."""
    last = len(lines) - 1
    for at, raw in enumerate(lines):
        if at < last:
            yield Change("line left out", at, tuple(lines[at + 1 : at + 2]))
            yield Change("lines swapped", at, (lines[at + 1], raw))
        yield Change("line doubled", at, (raw, raw))
        yield Change("line cut off", at, (raw[: len(raw) // 2],))
        yield Change("line emptied", at, (b"",))
        yield Change("line with a carriage return", at, (raw + b"\r",))


def paths(value: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where every value stands."""
    if path:
        yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in pairs:
        yield from paths(member, (*path, name))


def at_path(value: Json, path: tuple[str | int, ...]) -> Json:
    """What stands there."""
    for part in path:
        value = value[part]
    return value


def other(value: Json) -> Json:
    """Another value of the same kind."""
    if isinstance(value, str):
        return ("B" if value[:1] == "A" else "A") + value[1:]
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, list):
        return [*value, *(value[:1] or [1])]
    return {**value, "more": 1}


def fields(lines: Lines) -> Iterator[Change]:
    """Every value of every record changed, and every member left out; the host's signature stays as it was."""
    for at, raw in enumerate(lines):
        whole = json.loads(raw)
        for path in list(paths(whole)):
            holder, name = at_path(whole, path[:-1]), path[-1]
            old = holder[name]
            holder[name] = other(old)
            yield Change("field changed", at, (canon(whole),))
            holder[name] = old
            if isinstance(holder, dict):
                del holder[name]
                yield Change("field left out", at, (canon(whole),))
                holder[name] = old


def signed_fields(lines: Lines, host: Identity) -> Iterator[Change]:
    """Every value that a player signed changed, and their signature itself; then the host signs the record again."""
    for at, raw in enumerate(lines):
        body: JsonObject = json.loads(raw)["body"]
        files = [*body.get("consents", ()), *([body["msg"]] if "msg" in body else ())]
        for file in files:
            for path in list(paths(file)):
                if len(path) < 2:
                    continue
                holder, name = at_path(file, path[:-1]), path[-1]
                old = holder[name]
                holder[name] = other(old)
                kind = "player's signature changed" if path[0] == "sig" else "player's field changed"
                yield Change(kind, at, (signed(body, host, name_of(lines[0]) if at else None),))
                holder[name] = old


def signatures(lines: Lines, host: Identity, strangers: Sequence[Identity]) -> Iterator[Change]:
    """Every signature taken from the record before, or made with another key, or of another kind."""
    previous = ""
    game: bytes | None = None
    for at, raw in enumerate(lines):
        file = json.loads(raw)
        own = file["sig"]["value"]
        if previous:
            file["sig"]["value"] = previous
            yield Change("signature of another record", at, (canon(file),))
        for stranger in strangers:
            entry = make_entry(file["body"], stranger.sign_key, stranger.sign_public, game)
            yield Change("signed by another", at, (canon(entry),))
            entry["sig"]["key"] = file["sig"]["key"]
            yield Change("signed by another in the host's name", at, (canon(entry),))
        for kind in ("turn", "reject", "join"):
            entry = make_file(kind, file["body"], host.sign_key, host.sign_public)
            yield Change("signed as another kind", at, (canon(entry),))
        previous, game = own, game or body_hash(file["body"])


def signed(body: JsonObject, host: Identity, game: bytes | None) -> bytes:
    """The line that the host makes of this body."""
    return canon(make_entry(body, host.sign_key, host.sign_public, game))


def name_of(raw: bytes) -> bytes:
    """The name of a record."""
    return body_hash(json.loads(raw)["body"])


def changes(world: World, step: int) -> Iterator[Change]:
    """All of them."""
    lines = world.lines
    yield from line_by_line(lines)
    yield from fields(lines)
    yield from signatures(lines, world.host, list(world.people.values()))
    yield from signed_fields(lines, world.host)
    yield from byte_by_byte(lines, step)
    yield from bits(lines, step)


class Reader:
    """Somebody who holds the lines before a change, verified."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.held: Record | None = None
        self.upto = 0

    def _hold(self, upto: int) -> Record:
        if self.held is None or upto < self.upto:
            self.held, self.upto = Record.load(self.lines[:1]), 1
        self.held.extend(self.lines[self.upto : upto])
        self.upto = upto
        return self.held

    def refuses(self, change: Change) -> bool:
        """Whether the changed lines are refused; any other error than the two is passed on."""
        try:
            if change.at == 0:
                record = Record.load(change.lines)
                if change.lines[0] == self.lines[0]:
                    return False
                record.extend(self.lines[1:])  # another match may begin so; it does not go on
            else:
                self._hold(change.at).fork().extend(change.lines)
        except (FormatError, VerificationError):
            return True
        return False


def run(world: World, step: int) -> tuple[Counter[str], list[Change]]:
    """How many changes of each kind, and those that were accepted: there must be none."""
    reader, count, accepted = Reader(world.lines), Counter[str](), []
    for change in changes(world, step):
        if change.lines == tuple(world.lines[change.at : change.at + len(change.lines)]):
            continue  # a blank made a blank
        count[change.kind] += 1
        if not reader.refuses(change):
            accepted.append(change)
    return count, accepted


def main() -> int:
    """Go over every golden match and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--step", type=int, default=STEP)
    parser.add_argument("only", nargs="*", choices=[[], *GOLDEN])
    given = parser.parse_args()
    bad = 0
    for name in given.only or GOLDEN:
        world = GOLDEN[name]()
        count, accepted = run(world, 1 if given.all else given.step)
        size = sum(map(len, world.lines))
        print(
            f"{name}: {len(world.lines)} records, {size:,} bytes, {count.total():,} files, {len(accepted)} accepted"
        )
        for kind, number in count.items():
            print(f"    {number:>9,} {kind}")
        bad += len(accepted)
        for change in accepted[:5]:
            print(f"    ACCEPTED: {change.kind} in record {change.at}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
