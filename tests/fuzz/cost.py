"""The slowest input of each reader, by the byte: processor time, steps, and what the standard library's parser takes.

::

    python -m tests.fuzz.cost                    # the table of the known families
    python -m tests.fuzz.cost --search 60        # and sixty seconds of search for each reader, by hypothesis
    python -m tests.fuzz.cost --reader mbox        # one reader; several times for several

*Growth* is the time (or steps) by the byte of the longest input, divided by that of the shortest; that of the standard
library's parser on the same bytes stands beside it. Steps are calls of
functions, Python's and C's, as ``cProfile`` counts them: the same in every run.

The first row of a reader is the slowest of each length, whatever family it is of: what a hostile byte costs there at
most. The exit code is 1 if that grows by more than ``MOST_GROWTH``, or the steps of any family do.
"""

from __future__ import annotations

import argparse
import cProfile
import email
import email.policy
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hypothesis import HealthCheck, Phase, given, settings, target
from hypothesis import strategies as st

from pbem.base.errors import FormatError, VerificationError
from pbem.player.mail import content_of
from pbem.player.mail.boxes import letters_in
from pbem.player.mail.gate import MAX_MESSAGE, MailRefused
from pbem.player.mail.look import look
from pbem.protocol.formats.armour import scan
from pbem.protocol.formats.identity_file import read_header
from pbem.protocol.formats.messages import read_message
from pbem.protocol.formats.strict_json import LONG, MAX_FILE, MAX_LINE, collector_paused
from pbem.protocol.record.line import read_line
from tests.fuzz.families import BOX, JSON, MAIL, REFUSED, Family, filled

KIB: Final = 1024
FIRST: Final = 4 * KIB
OWN: Final = "games@pbem.test"
MOST_GROWTH: Final = 1.2
SLOWEST: Final = "the slowest of each length"


@dataclass(frozen=True)
class Reader:
    """A way in: what is called, how long an input may be, its families, and how a found text is wrapped."""

    name: str
    enter: Callable[[bytes], object]
    most: int
    families: dict[str, Family]
    standard: Callable[[bytes], object]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Lengths that are measured."""
        return tuple(size for size in (FIRST, 16 * KIB, 64 * KIB, self.most) if size <= self.most)


def _mail(raw: bytes) -> object:
    with suppress(RecursionError):  # it fails at some of these, but not at once
        for part in email.message_from_bytes(raw, policy=email.policy.compat32).walk():
            with suppress(LookupError, ValueError):
                part.get_payload(decode=True)
    return None


def _json(raw: bytes) -> object:
    with suppress(ValueError, RecursionError):
        json.loads(raw)
    return json.loads(json.dumps("x" * len(raw)))


def _box(raw: bytes) -> object:
    import mailbox

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "box"
        path.write_bytes(raw)
        box = mailbox.mbox(path)
        messages = [box.get_bytes(key) for key in box.keys()]  # noqa: SIM118 - a mailbox is no dict
        box.close()
    return messages


def _entered(call: Callable[[bytes], object]) -> Callable[[bytes], object]:
    """A reader whose documented errors are an answer like any other."""

    def enter(raw: bytes) -> object:
        try:
            return call(raw)
        except (FormatError, VerificationError, MailRefused) as fault:
            return fault

    return enter


def _letters(raw: bytes) -> object:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "box"
        path.write_bytes(raw)
        return [content_of(kept.raw) for kept in letters_in(path)]


_ARMOUR: Final = {name: family for name, family in MAIL.items() if name.startswith(("armour", "words"))}
_SOME: Final = {
    name: family for name, family in MAIL.items() if name.startswith(("zips", "parts", "headers"))
}

READERS: Final = (
    Reader("mail to the host", _entered(lambda raw: look(raw, OWN)), MAX_MESSAGE, MAIL, _mail),
    Reader("mail that is refused", _entered(lambda raw: look(raw, OWN)), MAX_MESSAGE, REFUSED, _mail),
    Reader("saved letter or pasted text", content_of, MAX_MESSAGE, _SOME | JSON, _mail),
    Reader("armour", _entered(lambda raw: scan(raw.decode("utf-8", "replace"))), MAX_MESSAGE, _ARMOUR, _mail),
    Reader("signed file", _entered(read_message), MAX_FILE, JSON, _json),
    Reader("record line", _entered(read_line), MAX_LINE, JSON, _json),
    Reader("identity file", _entered(read_header), MAX_FILE, JSON, _json),
    Reader("mbox", _letters, MAX_MESSAGE, BOX, _box),
)


def seconds(call: Callable[[bytes], object], raw: bytes, least: float = 0.02, stretches: int = 3) -> float:
    """Processor time of one call: the least of some stretches, each of as many calls as ``least`` seconds take.

    So a short input is measured as long as a long one: the luckiest of two hundred calls would be compared with the
    luckiest of three.
    """
    best = 1e9
    for _ in range(stretches):
        calls, begin, spent = 0, time.process_time(), 0.0
        while not calls or spent < least:
            call(raw)
            calls += 1
            spent = time.process_time() - begin
        best = min(best, spent / calls)
    return max(best, 1e-7)


def steps(call: Callable[[bytes], object], raw: bytes) -> int:
    """Calls of functions during one call, Python's and C's."""
    call(raw)  # what is imported or cached at first does not count
    counter = cProfile.Profile()
    with collector_paused(LONG):  # what others want to be shown of each collection is no step of this call
        counter.enable()
        try:
            call(raw)
        finally:
            counter.disable()
    return sum(entry.callcount for entry in counter.getstats())


@dataclass(frozen=True)
class Cost:
    """What one family costs at each length: time by the byte, multiples of the standard library, growths."""

    reader: str
    family: str
    by_byte: tuple[float, ...]
    multiples: tuple[float, ...]
    growth: float
    standard_growth: float
    """What the standard library's parser takes by the byte grows too: of memory, and of Python's collector."""
    step_growth: float
    longest: float


def growths(
    reader: Reader, family: Family, sizes: tuple[int, int], stretches: int = 1
) -> tuple[float, float, float]:
    """Growth of steps and of time from one length to another, quickly; and seconds a byte of the longer one."""
    raws = [family(size)[: reader.most] for size in sizes]
    stepped = [steps(reader.enter, raw) / len(raw) for raw in raws]
    took = [seconds(reader.enter, raw, 0.0, stretches) / len(raw) for raw in raws]
    return stepped[1] / stepped[0], took[1] / took[0], took[1]


def cost(reader: Reader, name: str, family: Family, sizes: tuple[int, ...] = ()) -> Cost:
    """Measure one family."""
    sizes = sizes or reader.sizes
    raws = [family(size)[: reader.most] for size in sizes]
    took = [seconds(reader.enter, raw) for raw in raws]
    plain = [seconds(reader.standard, raw) for raw in raws]
    by_byte = [seconds / len(raw) for seconds, raw in zip(took, raws, strict=True)]
    stepped = [steps(reader.enter, raw) / len(raw) for raw in (raws[0], raws[-1])]
    multiples = tuple(first / two for first, two in zip(took, plain, strict=True))
    return Cost(
        reader.name,
        name,
        tuple(by_byte),
        multiples,
        by_byte[-1] / by_byte[0],
        plain[-1] / len(raws[-1]) / (plain[0] / len(raws[0])),
        stepped[1] / stepped[0],
        took[-1],
    )


def slowest(reader: Reader, costs: Sequence[Cost]) -> Cost:
    """What a byte costs at most at each length, from whichever family; steps are each family's own affair."""
    at_each = [max(costs, key=lambda cost: cost.by_byte[at]) for at in range(len(reader.sizes))]
    by_byte = tuple(cost.by_byte[at] for at, cost in enumerate(at_each))
    first, last = at_each[0], at_each[-1]
    plain = [cost.by_byte[at] / cost.multiples[at] for at, cost in ((0, first), (-1, last))]
    return Cost(
        reader.name,
        SLOWEST,
        by_byte,
        tuple(cost.multiples[at] for at, cost in enumerate(at_each)),
        by_byte[-1] / by_byte[0],
        plain[1] / plain[0],
        max(cost.step_growth for cost in costs),
        max(cost.longest for cost in costs),
    )


def row(measured: Cost) -> str:
    """A row of the table."""
    times = " | ".join(f"{1e9 * by_byte:,.0f}" for by_byte in measured.by_byte)
    multiples = " / ".join(f"{multiple:,.1f}" for multiple in measured.multiples)
    padding = " | " * (4 - len(measured.by_byte))
    return (
        f"| {measured.reader}: {measured.family} | {times} {padding}| {multiples} | {measured.growth:.2f} |"
        f" {measured.standard_growth:.2f} | {measured.step_growth:.2f} | {1000 * measured.longest:,.0f} |"
    )


HEADING: Final = (
    "| reader: family | ns a byte at 4 KiB | 16 KiB | 64 KiB | the longest | times the standard library | growth:"
    " time | that of the standard library | steps | ms for the longest |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
)

TOKENS: Final = (
    *('{"body":', '"sig":{', '"', '\\"', "\\", "{", "}", "[", "]", ",", '"a":1,', "“", "—", "…"),
    *(
        "> ",
        ">",
        "|",
        " ",
        "\t",
        "\r\n",
        " \r\n",
        "\n\n",
        "<p>",
        "<style>",
        "</style>",
        "<",
        ">",
        "&#x41;",
        "&",
    ),
    *("PBEM1BEGIN ", " PBEM1END ", "0", "é", "\u200b", "=?utf-8?q?a?= ", "--b\r\n", "a", "From ", "STATUS "),
)


def search(reader: Reader, limit: float, size: int = 16 * KIB) -> tuple[str, Family]:
    """The slowest text that hypothesis finds in so many seconds: how it begins, and the same at any length."""
    end = time.monotonic() + limit
    tried, worst, slowest_text = 0, 0.0, ("", "a")
    pieces = st.lists(st.tuples(st.sampled_from(TOKENS), st.integers(1, 200)), min_size=1, max_size=8)
    heads = st.sampled_from(
        ("", "Content-Type: text/html\r\n\r\n", "Content-Type: text/plain\r\n\r\n", '{"body":{"')
    )

    @settings(
        max_examples=1_000_000,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.target),
    )
    @given(heads, pieces)
    def look_for(head: str, chosen: list[tuple[str, int]]) -> None:
        nonlocal worst, slowest_text, tried
        if time.monotonic() > end:
            raise _Enough
        block = "".join(token * times for token, times in chosen)
        raw = (head + filled(block, size)).encode()[: min(size * 2, reader.most)]
        price = 1e9 * seconds(reader.enter, raw, 0.0) / len(raw)
        tried += 1
        if price > worst:
            worst, slowest_text = price, (head, block)
        target(price)

    with suppress(_Enough):
        look_for()
    head, block = slowest_text
    shown = ascii(head + block)[:60].replace("|", "¦")
    return f"found by search in {tried:,} texts: {shown} …", lambda size: (
        head + filled(block, size)
    ).encode()


class _Enough(BaseException):
    """The time of a search is over."""


def main() -> int:
    """Print the table; exit code 1 if anything grows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--search", type=float, default=0.0, help="seconds for each reader")
    parser.add_argument(
        "--all", action="store_true", help="every family, not only the slowest three of a reader"
    )
    parser.add_argument(
        "--reader", action="append", choices=[reader.name for reader in READERS], help="only this one"
    )
    given_ = parser.parse_args()
    print(HEADING)
    grew = []
    for reader in (reader for reader in READERS if reader.name in (given_.reader or [reader.name])):
        families = dict(reader.families)
        if given_.search:
            name, family = search(reader, given_.search)
            families[name] = family
        costs = [cost(reader, name, family) for name, family in families.items()]
        costs.sort(key=lambda measured: -max(measured.by_byte))
        worst = slowest(reader, costs)
        shown = (
            costs if given_.all else [cost for cost in costs if cost in costs[:3] or "search" in cost.family]
        )
        for measured in (worst, *shown):
            print(row(measured), flush=True)
        grew += [
            measured
            for measured in (worst, *costs)
            if max(measured.step_growth, measured.growth) > MOST_GROWTH
        ]
    for measured in grew:
        print(f"grew: {row(measured)}")
    return int(any(measured.step_growth > MOST_GROWTH or measured.family == SLOWEST for measured in grew))


if __name__ == "__main__":
    sys.exit(main())
