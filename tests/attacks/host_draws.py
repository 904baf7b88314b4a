"""A host who would like other cards and other dice."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import b64
from pbem.protocol.draws import cut, entropy, lay, leaf
from pbem.protocol.formats.envelopes import packet_salt, seal_packet
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Line, Record
from pbem.protocol.record.check_results import packet_plaintext_size
from pbem.protocol.record.line import read_line
from pbem.protocol.record.open_play import check_open_play
from tests.attacks.attack import ANYBODY, CLOSE, FUTILE, NOBODY, OWNER, Aftermath, attack
from tests.attacks.stage import Stage, long_stage_of
from tests.forge import (
    Bodies,
    Forge,
    Test,
    acting,
    chance_of,
    first,
    flipped,
    of_kind,
)
from tests.world import secret

Laid = tuple[list[str], list[bytes], list[int]]
"""Cards and salts by place, and the places that no draw took."""


def _chance(bodies: Bodies, test: Test) -> JsonObject | None:
    return next((entry for body in bodies for entry in chance_of(body) if test(entry)), None)


def _changed(stage: Stage, test: Test, change: Callable[[JsonObject], None]) -> Aftermath | None:
    """The file in which the first card or die that passes ``test`` was changed."""
    forge = Forge(stage)
    bodies = forge.bodies()
    chance = _chance([body for body in bodies if acting(body)], test) or _chance(bodies, test)
    if chance is None:
        return None
    change(chance)
    return Aftermath(forge.write(bodies))


def _face_up(entry: JsonObject) -> bool:
    return entry.get("to") == "table"


@attack("host", "forges a shot", ANYBODY)
def _shot(stage: Stage) -> Aftermath | None:
    cards = {card for deck in stage.record.game_info.decks.values() for card in deck}

    def other(entry: JsonObject) -> None:
        entry["card"] = min(cards - {entry["card"]})

    return _changed(stage, _face_up, other)


@attack("host", "skips a card", ANYBODY)
def _skipped_card(stage: Stage) -> Aftermath | None:
    return _changed(stage, lambda entry: "draw" in entry, lambda entry: entry.update(k=entry["k"] + 1))


@attack("host", "forges a die", ANYBODY)
def _die(stage: Stage) -> Aftermath | None:
    return _changed(
        stage,
        lambda entry: "roll" in entry,
        lambda entry: entry.update(value=entry["value"] % entry["sides"] + 1),
    )


@attack("host", "skips a die", ANYBODY)
def _skipped_die(stage: Stage) -> Aftermath | None:
    return _changed(stage, lambda entry: "roll" in entry, lambda entry: entry.update(j=entry["j"] + 1))


@attack("host", "turns up the bottom card", ANYBODY)
def _bottom_up(stage: Stage) -> Aftermath | None:
    forge = Forge(stage)
    if not _has_bottom(forge):
        return None

    def bottom(entry: JsonObject) -> None:
        cards, salts, free = _laid(forge, 1, entry["draw"])
        place = free[-1]
        entry.update(place=place, card=cards[place], salt=b64(salts[place]))

    return _changed(stage, _face_up, bottom)


# --- the deck -------------------------------------------------------------------------------------------------


def _laid(forge: Forge, epoch: int, deck: str) -> Laid:
    record = forge.world.record
    full = record.game_info.decks[deck]
    laid = lay(forge.seed(epoch), record.game, epoch, deck, 0, full)
    generation = record.ledger.epochs[epoch].decks[deck][0]
    places = generation.cut or ()
    return [full[index] for index in laid.order], list(laid.salts), list(places[generation.drawn :])


def _has_bottom(forge: Forge) -> bool:
    """Whether a card of every first deck was never drawn."""
    return all(_laid(forge, 1, deck)[2] for deck in forge.world.record.game_info.decks)


def _relaid(stage: Stage, change: Callable[[list[str], list[int]], None]) -> Aftermath | None:
    """The first deck laid by hand: ``change`` gets the cards by place, and the places that nobody drew."""
    forge = Forge(stage)
    bodies = forge.bodies()
    announce = first(bodies, of_kind("announce", 1))
    if announce is None or "decks" not in announce or first(bodies, of_kind("close", 1)) is None:
        return None
    deck = min(announce["decks"])
    cards, salts, free = _laid(forge, 1, deck)
    if len({cards[place] for place in free}) < 2:
        return None
    change(cards, free)
    announce["decks"][deck]["leaves"] = [
        b64(leaf(stage.record.game, 1, deck, 0, place, salts[place], card))
        for place, card in enumerate(cards)
    ]
    return Aftermath(forge.write(bodies))


@attack(
    "host", "arranges the deck", CLOSE, words="It is useless besides: the cut that follows is not known yet."
)
def _arranged(stage: Stage) -> Aftermath | None:
    def arrange(cards: list[str], free: list[int]) -> None:
        for place, card in zip(sorted(free), sorted(cards[place] for place in free), strict=True):
            cards[place] = card

    return _relaid(stage, arrange)


@attack("host", "swaps two cards of the deck", CLOSE)
def _swapped(stage: Stage) -> Aftermath | None:
    def swap(cards: list[str], free: list[int]) -> None:
        first_place = free[0]
        other = next(place for place in free if cards[place] != cards[first_place])
        cards[first_place], cards[other] = cards[other], cards[first_place]

    return _relaid(stage, swap)


@attack("host", "puts a card in twice, and another not at all", CLOSE)
def _doubled(stage: Stage) -> Aftermath | None:
    def double(cards: list[str], free: list[int]) -> None:
        other = next(place for place in free if cards[place] != cards[free[0]])
        cards[other] = cards[free[0]]

    return _relaid(stage, double)


@attack("host", "reveals a different seed from the committed one", CLOSE)
def _other_seed(stage: Stage) -> Aftermath | None:
    forge = Forge(stage)
    bodies = forge.bodies()
    announce = first(bodies, of_kind("announce", 1))
    if announce is None or first(bodies, of_kind("close", 1)) is None:
        return None
    announce["commit"] = flipped(announce["commit"])
    return Aftermath(forge.write(bodies))


# --- hands ----------------------------------------------------------------------------------------------------


def _lied(stage: Stage, lie: Callable[[Forge, JsonObject], None]) -> Aftermath | None:
    """The file in which one packet shows its owner another card; sealed and committed to like any other."""
    forge = Forge(stage)
    bodies = forge.bodies()
    body = first(bodies, lambda b: acting(b) and b.get("epoch") == 1 and _dealt(b))
    if body is None or "packets" not in body:
        return None
    seat = Seat(_dealt(body)[0]["to"])
    opened = _opened_packet(stage, body["_was"], seat)
    lie(forge, opened["draws"][0])
    record = stage.record
    line: Line = record.lines[body["_was"]]
    before = next(r for r in stage.past[::-1] if r.head.seq < line.seq)
    size = packet_plaintext_size(before.ledger, body["steps"])
    if size is None:
        return None
    salt = packet_salt(forge.seed(1), record.game, line.seq, seat)
    public = stage.people[seat].seal_public
    body["packets"][seat] = seal_packet(record.game, line.seq, seat, public, salt, opened, size)
    return Aftermath(forge.write(bodies))


def _dealt(body: JsonObject) -> list[JsonObject]:
    return [entry for entry in chance_of(body) if "draw" in entry and entry["to"] != "table"]


def _opened_packet(stage: Stage, seq: int, seat: Seat) -> JsonObject:
    """What the packet of a record truly says: the seat's own program opens it."""
    view = stage.view(seat)
    line = stage.record.lines[seq]
    return view.open_packet(stage.record.ledger.epochs[line.body["epoch"]], line)


@attack("host", "deals the bottom card into a hand", OWNER, CLOSE)
def _bottom_dealt(stage: Stage) -> Aftermath | None:
    def bottom(forge: Forge, draw: JsonObject) -> None:
        cards, salts, free = _laid(forge, 1, draw["deck"])
        draw.update(place=free[-1], card=cards[free[-1]], salt=b64(salts[free[-1]]))

    return _lied(stage, bottom) if _has_bottom(Forge(stage)) else None


@attack("host", "lies about a dealt card", OWNER, CLOSE)
def _lie(stage: Stage) -> Aftermath | None:
    def other(forge: Forge, draw: JsonObject) -> None:
        cards = set(forge.world.record.game_info.decks[draw["deck"]])
        draw["card"] = min(cards - {draw["card"]})

    return _lied(stage, other)


@attack("host", "gives a false answer about a hand", OWNER, CLOSE)
def _false_answer(stage: Stage) -> Aftermath | None:
    """Somebody is asked for a card; the record says the opposite of what they have."""
    honest = Forge(stage).bodies()
    for seq, body in enumerate(honest):
        steps = range(len(body.get("steps", ())) if body.get("epoch") == 1 else 0)
        for at, which in product(steps, range(len(stage.seats) - 1)):
            forge = Forge(stage)
            bodies = forge.bodies()
            if not _answers_otherwise(bodies[seq], at, which):
                continue
            lines = forge.write(bodies)
            before = Record.load(stage.lines[:seq])
            if not check_open_play(
                before.ledger, read_line(lines[seq])
            ):  # else everybody sees that it cannot be
                return Aftermath(lines)
    return None


def _answers_otherwise(body: JsonObject, at: int, which: int) -> bool:
    """Carry the lie about one who was asked through events and view; whether there was anybody to lie about.

    Who has nothing hands the card over, and nobody is asked after them; or they keep it, and all others have none.
    """
    events = body["steps"][at]["events"]
    asked = [event for event in events if event["event"] == "asked"]
    if which >= len(asked):
        return False
    hands, answer = body["public"]["hands"], asked[which]
    for given in [event for event in events if event["event"] == "given"]:
        events.remove(given)
        hands[given["from"]] += 1
        hands[given["to"]] -= 1
    for later in asked[which + 1 :]:
        events.remove(later)
    answer["has"] = not answer["has"]
    if not answer["has"]:  # the others are asked then, and they have none either
        seats, action = list(hands), body["steps"][at]["action"]
        turn = 1 if action["direction"] == "clockwise" else -1
        begin = seats.index(answer["seat"])
        order = action.get("order") or [seats[(begin + turn * i) % len(seats)] for i in range(1, len(seats))]
        place = events.index(answer) + 1
        events[place:place] = [{**answer, "of": other} for other in order[which + 1 :]]
    else:
        given = {"event": "given", "from": answer["of"], "to": answer["seat"], "outlaw": answer["outlaw"]}
        events.insert(events.index(answer) + 1, given)
        hands[given["from"]] -= 1
        hands[given["to"]] += 1
    return True


@attack("host", "reshuffles other cards than were discarded", CLOSE)
def _reshuffled(stage: Stage) -> Aftermath | None:
    """In a match where the deck ran out; the cards already drawn from the new one stay as they were."""
    long = long_stage_of(stage.game, len(stage.seats))
    if long is None:
        return None
    stage = long
    forge = Forge(stage)
    bodies = forge.bodies()
    entry = _chance([body for body in bodies if body.get("epoch") == 1], lambda e: "shuffle" in e)
    if entry is None or first(bodies, of_kind("close", 1)) is None:
        return None
    deck, gen, size = entry["shuffle"], entry["gen"], len(entry["leaves"])
    generation = stage.record.ledger.epochs[1].decks[deck][gen]
    free = (generation.cut or ())[generation.drawn :]
    if not free:
        return None
    card = max(stage.record.game_info.decks[deck])
    salts = lay(forge.seed(1), stage.record.game, 1, deck, gen, [card] * size).salts
    for place in free:
        entry["leaves"][place] = b64(leaf(stage.record.game, 1, deck, gen, place, salts[place], card))
    return Aftermath(forge.write(bodies), stage=stage)


@attack("host", "exchanges two players' envelopes", OWNER, CLOSE)
def _exchanged(stage: Stage) -> Aftermath | None:
    forge = Forge(stage)
    bodies = forge.bodies()
    body = first(bodies, lambda b: acting(b) and b.get("epoch") == 1 and "packets" in b)
    if body is None:
        return None
    seat, other = sorted(body["packets"])[:2]
    packets = body["packets"]
    packets[seat], packets[other] = packets[other], packets[seat]
    return Aftermath(forge.write(bodies))


@attack("host", "marks an envelope by its length", ANYBODY)
def _marked(stage: Stage) -> Aftermath | None:
    forge = Forge(stage)
    bodies = forge.bodies()
    body = first(bodies, lambda b: acting(b) and "packets" in b)
    if body is None:
        return None
    packet = body["packets"][min(body["packets"])]
    packet["ct"] += "A" * 684
    return Aftermath(forge.write(bodies))


# --- links and announcements ------------------------------------------------------------------------------------


@attack("host", "commits to another deck after seeing the players' parts of the shuffle", ANYBODY)
def _relaid_late(stage: Stage) -> Aftermath | None:
    forge = Forge(stage)
    bodies = forge.bodies()
    announce = first(bodies, of_kind("announce", 1))
    opened = first(bodies, of_kind("open", 1))
    if announce is None or opened is None:
        return None
    announce["commit"] = flipped(announce["commit"])
    for body in bodies[announce["_was"] : opened["_was"]]:
        body["_keep"] = True  # the players had signed for the deck that lay there before
    return Aftermath(forge.write(bodies), upto=announce["_was"] + 2)


@attack("host", "delays an announcement until play has started", ANYBODY)
def _delayed(stage: Stage) -> Aftermath | None:
    """The next deck is laid one turn late, so that this turn owes no link of it."""
    forge = Forge(stage)
    bodies = forge.bodies()
    announce = first(bodies, of_kind("announce", 2))
    if announce is None:
        return None
    at = announce["_was"]
    turn = bodies[at + 1]
    if turn["kind"] != "turn":
        return None
    turn["msg"]["body"].pop("link", None)
    turn["msg"]["body"]["seen"] = stage.record.lines[at - 1].seen
    announce["at"] = turn["at"]
    bodies[at], bodies[at + 1] = turn, announce
    return Aftermath(forge.write(bodies))


@attack("host", "deals a deck although a part of its shuffle is missing", ANYBODY)
def _without_link(stage: Stage) -> Aftermath | None:
    forge = Forge(stage)
    bodies = forge.bodies()
    opened = first(bodies, of_kind("open", 1))
    if opened is None:
        return None
    last = opened["_was"] - 1  # the ready that made the links complete
    return Aftermath(forge.write([*bodies[:last], opened]))


@attack("host", "uses a player's old part of the shuffle again", ANYBODY)
def _old_link(stage: Stage) -> Aftermath | None:
    forge = Forge(stage)
    bodies = forge.bodies()
    ready, second = first(bodies, of_kind("ready")), first(bodies, of_kind("announce", 2))
    if ready is None or second is None:
        return None
    again = {**ready, "at": second["at"], "_was": -1, "_keep": True}
    return Aftermath(forge.write([*bodies[: second["_was"] + 1], again]))


@attack(
    "host",
    "tries many match numbers before inviting anybody",
    NOBODY,
    words="It gains nothing: the cut depends on parts of the shuffle that only the players know.",
)
def _ground_nonce(stage: Stage) -> Aftermath | None:
    best = max((stage.another(f"{stage.seed} {n}") for n in range(8)), key=lambda s: s.record.game)
    for seat in map(Seat, best.seats):
        best.send(best.join_file(seat))
    for seat in map(Seat, best.seats):
        best.send(best.ready_file(seat))
    return Aftermath(best.lines, upto=len(best.lines), stage=best)


@attack(
    "host and all players but one",
    "aim the cut although one part of it is unknown to them",
    FUTILE,
    words="One honest part of the shuffle is enough.",
)
def _aimed(stage: Stage) -> Aftermath | None:
    epoch = stage.record.ledger.epochs[1]
    links = {str(seat): link for seat, link in epoch.links.items()}
    honest = max(links)
    if not epoch.decks and not epoch.tapes:
        return None
    wanted = _cut_of(stage, links)
    tries = 64
    hits = 0
    for number in range(tries):
        guess = secret(f"a guess at the honest link {number}")
        hits += _cut_of(stage, {**links, honest: guess}) == wanted
    return Aftermath(tries=tries, gained=hits)


def _cut_of(stage: Stage, links: dict[str, bytes]) -> bytes:
    """What the cards or dice of the first epoch would be with these links, as far as it matters."""
    value = entropy(stage.record.game, 1, links)
    decks = {
        name: list(cut(value, name, 0, len(cards))) for name, cards in stage.record.game_info.decks.items()
    }
    return canon(decks) if decks else value
