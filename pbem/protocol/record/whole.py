"""Packets that hold all a seat was dealt and shown in the running epoch, sealed anew (schemas/README.md §7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pbem.base.values import replace
from pbem.game import JsonObject, Seat
from pbem.protocol.record.check_results import SEAL_OVERHEAD
from pbem.protocol.record.ledger import Epoch, Ledger
from pbem.protocol.record.line import Fault, Line


def whole_packet_size(ledger: Ledger, epoch: Epoch | None, seat: Seat) -> int | None:
    """Plaintext size of a packet with all that a seat was dealt and shown in the running epoch.

    It follows from public facts: the draws dealt to the seat, the cards that its searches showed and found.
    """
    draws = sum(1 for draw in epoch.draws if draw.to == seat) if epoch else 0
    results = epoch.results if epoch else ()
    events = [event for line in results for step in line.body["steps"] for event in step["events"]]
    shown = sum(_shown(event) for event in events if event.get("seat") == seat)
    return ledger.rules.packet_size(draws, shown)


def _shown(event: JsonObject) -> int:
    """How many cards' room a search takes: its stack and the frame of that, the card found."""
    searching = event["event"] == "searching"
    return 1 + int(event["cards"]) if searching else int(event["event"] == "found")


def lasting_facts(facts: Iterable[JsonObject]) -> list[JsonObject]:
    """Of what a seat was told, what a whole packet repeats: stacks and cards of its searches, and its newest cash."""
    told = list(facts)
    cash = [fact for fact in told if "cash" in fact]
    return [fact for fact in told if "stack" in fact or "found" in fact] + cash[-1:]


def check_whole_packets(ledger: Ledger, line: Line, expected: set[Seat] | None) -> Iterator[Fault]:
    """Packets of these seats (None: of any) and no others, for the running epoch, as long as public facts give."""
    packets = line.body.get("packets")
    if not ledger.rules.has_secrets:
        if packets is not None:
            yield Fault(line.seq, 7, "packets", "packets in a match without secrets")
        return
    found = packets or {}
    if (expected is not None and set(found) != expected) or not found:
        yield Fault(
            line.seq, 7, "packets", f"packets for {', '.join(found) or 'nobody'} in a record {line.kind}"
        )
    running = ledger.running
    live = running if running is not None and running.closed is None else None
    if line.body["epoch"] != (running.number if running else 0):
        yield Fault(line.seq, 7, "epoch", f"epoch {line.body['epoch']} is not the running one")
    for seat, packet in found.items():
        size = whole_packet_size(ledger, live, Seat(seat))
        length = len(packet["ct"]) * 3 // 4
        if size is not None and length != size + SEAL_OVERHEAD:
            yield Fault(
                line.seq,
                7,
                "packet-length",
                f"the packet of {seat} has {length} bytes, public facts give {size + SEAL_OVERHEAD}",
            )


def take_whole_packets(ledger: Ledger, line: Line) -> None:
    """Remember which packets of the running epoch were sealed anew."""
    running = ledger.running
    if "packets" in line.body and running is not None and running.closed is None:
        ledger.epochs[running.number] = replace(running, resealed=(*running.resealed, line))
