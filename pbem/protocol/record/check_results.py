"""Steps 6, 7 and 8 of schemas/README.md §11: draws and rolls, packets, open actions and their steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from pbem.base.sentences import Sentence, sentence, term
from pbem.base.values import replace
from pbem.game import JsonObject, MalformedAction, Seat
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.crypto.identity import OVERHEAD
from pbem.protocol.draws import cut, leaf, roll, step_down, tape_label
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.ledger import DrawEntry, Epoch, Generation, Ledger, TapeRun
from pbem.protocol.record.line import Fault, Line, differs


def check_result(ledger: Ledger, line: Line) -> tuple[list[Fault], Epoch | None]:
    """Check a record's result; returns the faults and the running epoch as it stands after the record."""
    body = line.body
    epoch = ledger.running
    if epoch is None or epoch.number != body["epoch"] or epoch.closed is not None:
        return [line.fault(6, "epoch", "deal {number} is not running", number=body["epoch"])], None
    walker = ChanceWalker(ledger, epoch, line)
    faults = list(walker.walk())
    faults += check_packets(ledger, line)
    return faults, replace(walker.epoch, results=epoch.results.plus(line))


class ChanceWalker:
    """Follows the public chance lists of one record: every k, place, leaf, roll and link in its order."""

    def __init__(self, ledger: Ledger, epoch: Epoch, line: Line) -> None:
        self.game = ledger.game
        self.seats = ledger.seats
        self.epoch = epoch
        self.line = line
        self.draws: list[DrawEntry] = []
        self.decks = dict(epoch.decks)
        self.tapes = dict(epoch.tapes)
        self.drawn = {name: generations[-1].drawn for name, generations in epoch.decks.items()}

    def walk(self) -> Iterator[Fault]:
        """Yield the faults; afterwards ``epoch`` has the new counters."""
        for step in self.line.body["steps"]:
            for entry in step["chance"]:
                if "draw" in entry:
                    yield from self._draw(entry)
                elif "shuffle" in entry:
                    yield from self._shuffle(entry)
                else:
                    yield from self._roll(entry)
        for name, drawn in self.drawn.items():
            generations = self.decks[name]
            if generations[-1].drawn != drawn:
                self.decks[name] = (*generations[:-1], replace(generations[-1], drawn=drawn))
        self.epoch = replace(
            self.epoch, draws=(*self.epoch.draws, *self.draws), decks=self.decks, tapes=self.tapes
        )

    def _draw(self, entry: JsonObject) -> Iterator[Fault]:
        deck, k = entry["draw"], entry["k"]
        generation = self._generation(deck)
        if generation is None:
            yield self.line.fault(
                6, "deck", "this game has no deck and no dice sequence called {name}", name=deck
            )
            return
        if entry["to"] != "table" and entry["to"] not in self.seats:
            yield self.line.fault(6, "draw", "there is no seat {seat}", seat=entry["to"])
        if entry["gen"] != generation.number:
            yield self.line.fault(
                6,
                "generation",
                differs(sentence("shuffle of {deck}", deck=deck), generation.number, entry["gen"]),
            )
            return
        if k != self.drawn[deck]:
            yield self.line.fault(
                6,
                "draw-order",
                differs(sentence("next draw or roll of {deck}", deck=deck), self.drawn[deck], k),
            )
        if k >= len(generation.leaves) or generation.cut is None:
            yield self.line.fault(6, "draw-order", "{deck} ends before number {n}", deck=deck, n=k)
            return
        yield from self._opening(entry, generation)
        self.draws.append(
            DrawEntry(
                self.line.seq, deck, generation.number, k, entry["to"], entry.get("card"), entry.get("place")
            )
        )
        self.drawn[deck] = k + 1

    def _opening(self, entry: JsonObject, generation: Generation) -> Iterator[Fault]:
        if entry["to"] != "table" or generation.cut is None:
            return
        place = generation.cut[entry["k"]]
        if entry["place"] != place:
            yield self.line.fault(
                6, "place", differs(sentence("place of draw {n}", n=entry["k"]), place, entry["place"])
            )
            return
        salt = unb64(entry["salt"], 16)
        raw = leaf(self.game, self.epoch.number, entry["draw"], generation.number, place, salt, entry["card"])
        if b64(raw) != generation.leaves[place]:
            yield self.line.fault(
                6,
                "leaf",
                "{draw} is not the card committed at place {place} of {deck}",
                draw=term(entry["card"]),
                place=place,
                deck=entry["draw"],
            )

    def _shuffle(self, entry: JsonObject) -> Iterator[Fault]:
        deck = entry["shuffle"]
        generation = self._generation(deck)
        if generation is None:
            yield self.line.fault(
                6, "deck", "this game has no deck and no dice sequence called {name}", name=deck
            )
            return
        number = generation.number + 1
        # The first shuffle of an epoch is the announced deck itself and stands in no chance list.
        if entry["gen"] != number:
            yield self.line.fault(
                6, "generation", differs(sentence("shuffle of {deck}", deck=deck), number, entry["gen"])
            )
        order = cut(self.epoch.entropy, deck, number, len(entry["leaves"]))
        fresh = Generation(number, tuple(entry["leaves"]), order, 0, self.line.seq)
        before = replace(generation, drawn=self.drawn[deck])
        self.decks[deck] = (*self.decks[deck][:-1], before, fresh)
        self.drawn[deck] = 0

    def _roll(self, entry: JsonObject) -> Iterator[Fault]:
        name, j = entry["roll"], entry["j"]
        tape = self.tapes.get(name)
        if tape is None:
            yield self.line.fault(
                6, "tape", "this game has no deck and no dice sequence called {name}", name=name
            )
            return
        if j != tape.used + 1:
            yield self.line.fault(
                6, "roll-order", differs(sentence("next draw or roll of {deck}", deck=name), tape.used + 1, j)
            )
        link = unb64(entry["link"], 32)
        if not tape.used < j <= tape.length:
            yield self.line.fault(6, "roll-order", "{deck} ends before number {n}", deck=name, n=j)
            return
        label = tape_label(name, self.epoch.number)
        if step_down(label, self.game, j, link, tape.used) != tape.link:
            yield self.line.fault(6, "roll-link", "roll {n} is not the next one of {deck}", n=j, deck=name)
        value = roll(link, self.epoch.entropy, name, j, entry["sides"])
        if value != entry["value"]:
            yield self.line.fault(
                6,
                "roll-value",
                differs(sentence("roll {n} of {deck}", n=j, deck=name), value, entry["value"]),
            )
        self.tapes[name] = TapeRun(tape.anchor, tape.length, j, link)

    def _generation(self, deck: str) -> Generation | None:
        generations = self.decks.get(deck)
        return generations[-1] if generations else None


def dealt(steps: list[JsonObject]) -> Counter[str]:
    """How many cards these steps deal to each seat."""
    return Counter(
        entry["to"]
        for step in steps
        for entry in step["chance"]
        if "draw" in entry and entry["to"] != "table"
    )


def packet_plaintext_size(ledger: Ledger, steps: list[JsonObject]) -> int | None:
    """The size that every packet of a record with these steps must have; None for a game without secrets."""
    most = max(dealt(steps).values(), default=0)
    return ledger.rules.packet_size(most, ledger.rules.shown(steps))


def check_packets(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """A packet for every seat, all of the length that follows from public facts (schemas/README.md §3.1)."""
    body = line.body
    size = packet_plaintext_size(ledger, body["steps"])
    packets = body.get("packets", {})
    expected = () if size is None else ledger.seats
    if set(packets) != set(expected) or (size is None and "packets" in body):
        yield line.fault(7, "packets", differs(sentence("packets"), ", ".join(expected), ", ".join(packets)))
    for seat, packet in packets.items():
        yield from _check_length(line, seat, packet, size)


def _check_length(line: Line, seat: str, packet: JsonObject, size: int | None) -> Iterator[Fault]:
    length = len(packet["ct"]) * 3 // 4
    if size is not None and length != size + OVERHEAD:
        place = sentence("bytes of the packet of {seat}", seat=seat)
        yield line.fault(7, "packet-length", differs(place, size + OVERHEAD, length))


def other_moves(seat: str) -> Sentence:
    """That a record does other things than the file in it says."""
    return sentence("the steps are not the moves that {seat} sent, in their order", seat=seat)


def check_turn_steps(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """The file's open actions are its first steps, in order; orders name the message they came in."""
    body = line.body
    message = body["msg"]["body"]
    seat, actions = message["seat"], message["actions"]
    own = [step for step in body["steps"] if step["by"] in ("file", "sealed")]
    taken = [step["action"] for step in own if step["by"] == "file"]
    dropped = len(taken) < len(actions)
    if (
        any(step.get("seat") != seat for step in own)
        or (taken and canon(taken) != canon(actions[: len(taken)]))
        or [step["by"] for step in own] != ["file"] * len(taken) + ["sealed"] * (len(own) - len(taken))
        or (len(own) > len(taken) and (dropped or "sealed" not in message))
        or (dropped and "stopped" not in body)
    ):
        yield line.fault(8, "steps", other_moves(seat))
    if body["applied"] != len(own):
        yield line.fault(8, "applied", differs(sentence("moves made"), len(own), body["applied"]))
    for index, action in enumerate(taken):
        if _shows_a_secret(ledger, action):
            yield line.fault(8, "must-be-sealed", "move {n} tells a secret and stands open", n=index + 1)
    stopped = body.get("stopped", {"at": len(own)})
    if stopped["at"] != len(own):
        yield line.fault(8, "stopped", differs(sentence("stopped at move"), len(own), stopped["at"]))


def _shows_a_secret(ledger: Ledger, action: JsonObject) -> bool:
    """Whether an open action had to be sealed; one that is no action of the game at all is reported by replay."""
    try:
        return ledger.rules.is_secret(ledger.rules.action_from_json(action, bulk=True))
    except MalformedAction:
        return False


def check_step_authors(ledger: Ledger, line: Line, allowed: Collection[str]) -> Iterator[Fault]:
    """Only the kinds of steps that this record may hold, each by a seat that may take it."""
    for index, step in enumerate(line.body["steps"]):
        by = step["by"]
        if by not in allowed or (by == "default" and step["seat"] != line.body.get("seat")):
            yield line.fault(8, "steps", "step {n} cannot stand in this record", n=index + 1)
        if by == "order":
            yield from _check_order_step(ledger, line, index, step)


def _check_order_step(ledger: Ledger, line: Line, index: int, step: JsonObject) -> Iterator[Fault]:
    seat = Seat(step["seat"])
    in_force = order_in_force(ledger, line, seat)
    if step["n"] != in_force:
        yield line.fault(
            8,
            "order",
            differs(sentence("step {n}: message of the standing order", n=index + 1), in_force, step["n"]),
        )


def order_in_force(ledger: Ledger, line: Line, seat: Seat) -> int | None:
    """The number of the message whose orders hold for ``seat`` in this record (they count from it on)."""
    if "msg" in line.body:
        message = line.body["msg"]["body"]
        if message["seat"] == seat and "orders" in message:
            return int(message["n"])
    part = ledger.orders.get(seat)
    return part.n if part else None


# --- packets with all of a seat's cards -------------------------------------------------------------------
#
# Packets that hold all a seat was dealt and shown in the running epoch, sealed again
# (schemas/README.md §7).


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
    """How many cards' bytes a search takes: its stack and the frame of that, the card found."""
    searching = event["event"] == "searching"
    return 1 + int(event["cards"]) if searching else int(event["event"] == "found")


def lasting_facts(facts: Iterable[JsonObject]) -> list[JsonObject]:
    """Of what a seat learned, what a whole packet repeats: stacks and cards of its searches, and its newest cash."""
    known = list(facts)
    cash = [fact for fact in known if "cash" in fact]
    return [fact for fact in known if "stack" in fact or "found" in fact] + cash[-1:]


def check_whole_packets(ledger: Ledger, line: Line, expected: set[Seat] | None) -> Iterator[Fault]:
    """Packets of these seats (None: of any) and no others, for the running epoch, as long as public facts give."""
    packets = line.body.get("packets")
    if not ledger.rules.has_secrets:
        if packets is not None:
            yield line.fault(7, "packets", differs(sentence("packets"), "", ", ".join(packets)))
        return
    given = packets or {}
    if (expected is not None and set(given) != expected) or not given:
        whose = ", ".join(sorted(ledger.seats if expected is None else expected))
        yield line.fault(7, "packets", differs(sentence("packets"), whose, ", ".join(given)))
    running = ledger.running
    live = running if running is not None and running.closed is None else None
    if line.body["epoch"] != (running.number if running else 0):
        yield line.fault(7, "epoch", "deal {number} is not running", number=line.body["epoch"])
    for seat, packet in given.items():
        size = whole_packet_size(ledger, live, Seat(seat))
        yield from _check_length(line, seat, packet, size)


def take_whole_packets(ledger: Ledger, line: Line) -> None:
    """Remember which packets of the running epoch were sealed again."""
    running = ledger.running
    if "packets" in line.body and running is not None and running.closed is None:
        ledger.epochs[running.number] = replace(running, resealed=(*running.resealed, line))
