"""One turn at the host, part by part and whole, against the parts nobody can do without."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from pbem.game import JsonObject, Seat
from pbem.player.store import GameFile, Mark
from pbem.protocol.audit import Report
from pbem.protocol.crypto.digest import sha
from pbem.protocol.crypto.identity import sign, verify, verify_record
from pbem.protocol.crypto.native import last_verdicts
from pbem.protocol.formats.envelopes import open_part, seal_packet
from pbem.protocol.formats.messages import read_message
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import HostOpenings, Record
from pbem.protocol.referee import Accepted, receive
from tests.bench.growth import endless
from tests.bench.measure import aimed, interleaved, line, ratio_line
from tests.world import World

REPEAT = 20


def _four_seats() -> tuple[World, bytes]:
    world = World("wyatt-earp", ("anna", "burt", "curt", "dora"), seed="bench").start().play(30)
    while world.record.waiting is None or world.record.waiting["phase"] != "draw":
        world.move()
    seat = world.record.waiting["seat"]
    top = world.view(seat).view_json["discard"]["top"]
    file = world.turn_file(seat, {"do": "draw", "from": "discard"}, {"do": "discard", "card": top})
    return world, canon(file)


def main() -> None:
    world, raw = _four_seats()
    message = read_message(raw)
    seat = message.seat
    public = world.people[Seat(seat)].sign_public
    signed = canon(message.body)
    signature = _signature(message.file)
    body = canon({"a": "x" * 2000})
    packet: JsonObject = {"draws": [], "facts": []}
    host = world.host
    folder = Path(tempfile.mkdtemp(prefix="pbem-bench-"))
    handle = os.open(folder / "floor", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    game_file = GameFile(folder / "game.jsonl")
    state: dict[str, Any] = {"mark": Mark.EMPTY}

    def each(part: Any) -> Any:
        return lambda: [part() for _ in range(REPEAT)]

    def check() -> None:
        last_verdicts.cache_clear()  # each time as if it were another file
        verify("turn", signed, public, signature)

    def packets() -> None:
        for name in world.record.seats:
            seal_packet(world.record.game, 9, name, world.people[name].seal_public, b"s" * 16, packet, 512)

    def envelopes() -> None:
        for part, label in (("sealed", "sealed"), ("orders", "order")):
            open_part(
                label,  # type: ignore[arg-type]
                world.record.game,
                seat,
                message.n,
                host.seal_key,
                host.seal_public,
                message.body[part],
            )

    def signing() -> None:
        sign("turn", body, host.sign_key)

    def durable() -> None:
        os.write(handle, body)
        os.fsync(handle)

    def append_only() -> None:
        for part in (check, packets, envelopes, signing, durable):
            part()

    def ruling() -> Accepted:
        last_verdicts.cache_clear()
        record = world.record.fork()
        replay = record.replay
        assert replay is not None
        replay.openings = HostOpenings(host, record.lines[0])
        ruled = receive(record, host, raw, world.now)
        assert isinstance(ruled, Accepted), ruled
        return ruled

    def step() -> Accepted:
        ruled = ruling()
        state["mark"] = game_file.append([line.raw for line in ruled.lines], expected=state["mark"])
        return ruled

    parts = {
        "verify one signature": each(check),
        "packets for four seats": each(packets),
        "open the player's two envelopes": each(envelopes),
        "host signature": each(signing),
        "append and fsync": each(durable),
        "floor": each(append_only),
        "parse and schema": each(lambda: read_message(raw)),
        "ruling, nothing durable": each(ruling),
        "whole step": each(step),
    }
    times = interleaved(parts)
    print("host step: one turn, four seats, warm")
    for name, taken in times.items():
        line(name, f"{taken.median / REPEAT * 1e6:8.0f} µs   spread {taken.spread:.0%}")
    ratio_line("whole step / floor", times, "whole step", "floor", 2)


def _signature(file: Any) -> bytes:
    from pbem.protocol.crypto.digest import unb64

    return unb64(file["sig"]["value"], 64)


def audits() -> None:
    """The audit of a match of 200 turns against its signatures and hashes alone."""
    from pbem.protocol.audit import audit

    world = World("wyatt-earp", ("anna", "burt", "curt"), seed="audit").start()
    while sum(1 for entry in world.record.lines if entry.kind == "turn") < 200 and world.move():
        pass
    lines = world.lines
    checks = _signature_checks(world)

    def bare() -> None:
        for check in checks:
            check()
        for raw in lines:
            sha(raw)

    times = interleaved(
        {
            "bare": bare,
            "load": lambda: Record.load(lines),
            "audit without engine": lambda: audit(lines, engine=False),
            "audit": lambda: audit(lines),
        },
        clock=time.process_time,
    )
    print(f"audit: {len(lines)} records, {len(checks)} signatures, {sum(map(len, lines)) / 1e6:.1f} MB")
    for name, taken in times.items():
        line(name, f"{taken.median * 1e3:8.1f} ms   spread {taken.spread:.0%}")
    ratio_line("audit / bare signature checks and hashes", times, "audit", "bare", 2.5)
    ratio_line("load / bare signature checks and hashes", times, "load", "bare", 2.5)


def linear() -> None:
    """The audit of a match of 10,000 records: the same time for each record, and memory for each byte."""
    from pbem.protocol.audit import audit

    world = endless(9_990)
    lines = world.lines
    del world
    parts = [lines[:count] for count in (1_250, 2_500, 5_000, len(lines))]
    times: list[list[float]] = [[] for _ in parts]
    for _ in range(3):
        for part, taken in zip(parts, times, strict=True):
            again = len(lines) // len(part)  # as many records of each: the same noise
            taken.append(sum(_seconds(audit, part) for _ in range(again)) / again / len(part))
    per_byte = [_peak(audit, part) / sum(map(len, part)) for part in parts]
    for part, taken in zip(parts, times, strict=True):
        each = statistics.median(taken)
        line(f"{len(part)} records", f"{each * len(part):6.2f} s   {each * 1e6:4.0f} µs a record")
    ratios = [late / early for early, late in zip(times[0], times[-1], strict=True)]
    name = f"at {len(lines)} / at 1,250, by the record or byte"
    aimed(f"audit: time {name}", statistics.median(ratios), min(ratios), max(ratios), 1.1)
    memory = per_byte[-1] / per_byte[0]
    aimed(f"audit: memory {name}", memory, memory, memory, 1.1)
    line("memory, in bytes for each byte of the file", f"{per_byte[-1]:6.2f}")


def _peak(job: Callable[[list[bytes]], Report], lines: list[bytes]) -> int:
    """The most bytes that it had at once."""
    tracemalloc.start()
    assert not job(lines).faults
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def _seconds(job: Any, *given: Any) -> float:
    begin = time.process_time()
    job(*given)
    return time.process_time() - begin


def _signature_checks(world: World) -> list[Callable[[], None]]:
    from pbem.protocol.crypto.digest import unb64

    checks: list[Callable[[], None]] = []
    for entry in world.record.lines:
        key, value = world.host.sign_public, unb64(entry.sig["value"], 64)
        checks.append(partial(verify_record, world.record.game, entry.seq, entry.hash, key, value))
        if "msg" in entry.body:
            file = entry.body["msg"]
            person = world.people[file["body"]["seat"]].sign_public
            signature = unb64(file["sig"]["value"], 64)
            checks.append(partial(verify, entry.kind, canon(file["body"]), person, signature))
    return checks
