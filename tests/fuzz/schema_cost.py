"""What a byte costs by every schema, for both judges: ``python -m tests.fuzz.schema_cost``.

Each part of each schema that is about a list, an object, a text or several forms is given hostile values of 4 KiB,
doubled up to what the gate reads (64 KiB). Judging one and explaining the no is one call. Exit code 1: the steps by the
byte (calls of functions, the same in every run) grow by more than ``MOST_GROWTH`` from the shortest to the longest.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from pbem.base.resources import data_dir
from pbem.base.shapes.schema import Form, load
from pbem.game import Json, JsonObject
from pbem.protocol.formats.strict_json import MAX_FILE
from tests.fuzz.cost import MOST_GROWTH, steps

SIZES: Final = (4096, 8192, 16384, 32768, MAX_FILE)
SHORT: Final = 8192
LONG: Final = MAX_FILE
_OF_DOCUMENTS: Final = ("$schema", "$id", "$defs")


def _deep(size: int) -> Json:
    inner: Json = {}
    for _ in range(15):
        inner = [{"a": inner}]
    return [inner] * (size // len(json.dumps(inner)) + 1)


HOSTILE: Final[dict[str, Callable[[int], Json]]] = {
    "empty lists": lambda size: [[]] * (size // 4),
    "empty objects": lambda size: [{}] * (size // 4),
    "distinct numbers": lambda size: list(range(10_000, 10_000 + size // 7)),
    "distinct texts": lambda size: [f"day-{number:05}" for number in range(size // 13)],
    "equal objects": lambda size: [{"do": "pass", "kind": "turn"}] * (size // 32),
    "distinct members": lambda size: {
        f"m{number:05}": number for number in range(10_000, 10_000 + size // 16)
    },
    "a long text": lambda size: "a" * size,
    "a long text that nearly fits": lambda size: "AAAA-" * (size // 5) + "\n",
    "deep": _deep,
}


@dataclass(frozen=True)
class Case:
    """One part of one schema and one kind of value."""

    schema: str
    place: str
    part: JsonObject
    hostile: str

    def call(self, *, bulk: bool) -> Callable[[bytes], object]:
        """Judges (and explains) the value of some bytes that ``raw`` gives."""
        form = Form({**self.part, "$defs": load(self.schema).get("$defs", {})})
        return partial(_judged, form, bulk)

    def raw(self, size: int) -> bytes:
        """The value of about ``size`` bytes, as bytes."""
        return json.dumps(HOSTILE[self.hostile](size), separators=(",", ":")).encode()


def _judged(form: Form, bulk: bool, raw: bytes) -> object:
    return form.fault(json.loads(raw), bulk=bulk)


def cases() -> list[Case]:
    """All of them: every different part of every schema with every kind of value that it could be about."""
    cases = []
    seen: set[str] = set()
    for path in sorted(data_dir("schemas").rglob("*.schema.json")):
        name = path.relative_to(data_dir("schemas")).as_posix().removesuffix(".schema.json")
        for place, part in _parts(load(name), ""):
            spelt = json.dumps([name if "$ref" in json.dumps(part) else "", part], sort_keys=True)
            if spelt not in seen:
                seen.add(spelt)
                cases += [Case(name, place, part, hostile) for hostile in HOSTILE if _about(part, hostile)]
    return cases


def _parts(value: Json, place: str) -> Iterator[tuple[str, JsonObject]]:
    if isinstance(value, dict):
        if value.get("type") in ("array", "object", "string") or value.keys() & {"oneOf", "anyOf", "allOf"}:
            yield place or "/", {name: value[name] for name in value if name not in _OF_DOCUMENTS}
        for name, inner in value.items():
            yield from _parts(inner, f"{place}/{name}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _parts(inner, f"{place}/{index}")


def _about(part: JsonObject, hostile: str) -> bool:
    """A value of another type than the part wants costs one look."""
    wanted = {"array": list, "object": dict, "string": str}.get(part.get("type", ""))
    return wanted is None or isinstance(HOSTILE[hostile](64), wanted)


def growth(case: Case, *, bulk: bool) -> float:
    """How much the steps by the byte grow from ``SHORT`` to ``LONG``."""
    call = case.call(bulk=bulk)
    by_byte = [(steps(call, raw) + 50) / len(raw) for raw in (case.raw(SHORT), case.raw(LONG))]
    return by_byte[1] / by_byte[0]


def milliseconds(case: Case, size: int, *, bulk: bool) -> float:
    """Processor time of one call."""
    call, raw = case.call(bulk=bulk), case.raw(size)
    call(raw)
    begin = time.process_time()
    call(raw)
    return 1000 * (time.process_time() - begin)


def main() -> int:
    """Print the slowest case of each schema; exit code 1 if anything grows."""
    every = cases()
    print(f"{len(every)} cases; the slowest of each schema by jsonschema: ms at", *SIZES, "bytes")
    by_schema: dict[str, list[Case]] = {}
    for case in every:
        by_schema.setdefault(case.schema, []).append(case)
    for name, some in by_schema.items():
        worst = max(some, key=lambda case: milliseconds(case, LONG, bulk=False))
        times = " ".join(f"{milliseconds(worst, size, bulk=False):8.1f}" for size in SIZES)
        print(f"{name:28} {times}  {worst.place}: {worst.hostile}", flush=True)
    grew = [
        (case, bulk, ratio)
        for case in every
        for bulk in (False, True)
        if (ratio := growth(case, bulk=bulk)) > MOST_GROWTH
    ]
    for case, bulk, ratio in grew:
        print(
            f"grew {ratio:.2f}: {case.schema}{case.place}, {case.hostile}, {'fast' if bulk else 'jsonschema'}"
        )
    return int(bool(grew))


if __name__ == "__main__":
    sys.exit(main())
