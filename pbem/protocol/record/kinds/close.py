"""The close of an epoch: what the host opens, and that it fits what was said before (schemas/README.md §11, 9).

With the epoch's seed everything that was hidden can be read: the leaves give every card of every generation, and
with them the body of every packet. No rules engine is needed; only which cards a deck has, and the table of what
goes into and out of a hand (``Rules.learn``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from pbem.base.sentences import sentence
from pbem.base.values import dataclass, replace
from pbem.game import JsonObject, NotHeld, Seat
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.draws import SealedDeck, chain, lay, leaf, seed_commit, tape_label
from pbem.protocol.formats.envelopes import packet_commit, packet_salt
from pbem.protocol.record.agreement import check_consents, take_consents
from pbem.protocol.record.check_results import lasting_facts
from pbem.protocol.record.kind import Kind, RulingContext
from pbem.protocol.record.kinds.end import AGREED, end
from pbem.protocol.record.ledger import DrawEntry, Epoch, Generation, Ledger
from pbem.protocol.record.line import Fault, Line, at_record, differs, everybody
from pbem.protocol.record.openings import agreed_end, check_opened, due_to_open, parts_to_open, take_opened
from pbem.protocol.record.takeover import links_by


@dataclass(frozen=True, slots=True)
class OpenDeck:
    """A generation with its cards known: ``cards[i]`` and ``salts[i]`` at place i."""

    cards: tuple[str, ...]
    salts: tuple[bytes, ...]
    cut: tuple[int, ...]
    as_commanded: bool
    """Whether the whole announced deck was laid exactly as the seed commands."""


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """Everything a close must open, and that it fits what was said before (schemas/README.md §10.3)."""
    body = line.body
    yield from _check_agreed_end(ledger, line)
    epoch = ledger.epochs.get(body["epoch"])
    if epoch is None or epoch.opened is None or epoch.closed is not None:
        yield line.fault(9, "close", "deal {number} is not running", number=body["epoch"])
        return
    seed = unb64(body["seed"], 32)
    if seed_commit(ledger.game, epoch.number, seed) != epoch.commit:
        yield line.fault(9, "seed", "the seed of deal {number} is not the committed one", number=epoch.number)
    yield from _check_tapes(ledger, line, epoch, seed)
    decks: dict[tuple[str, int], OpenDeck] = {}
    for name, generations in epoch.decks.items():
        for generation in generations if name in ledger.info.decks else ():
            deck = open_deck(ledger, epoch, name, generation, seed)
            decks[name, generation.number] = deck
            yield from _check_deck(ledger, line, epoch, name, generation, deck, seed)
    yield from check_opened(ledger, line, due_to_open(ledger, epoch.number), 9)
    if ledger.rules.has_secrets:
        yield from _check_secrets(ledger, line, epoch, decks, seed)


def _check_agreed_end(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """A hand in play is closed by nobody but all its seats, and then the match ends."""
    agreed = "what" in line.body
    if agreed:
        yield from check_consents(ledger, line, AGREED)
    if agreed_end(ledger) is not None:
        if agreed:
            yield line.fault(9, "consent", "no agreement is needed here")
    elif ledger.asks and not agreed:
        words = sentence("deal {number} is not over", number=line.body["epoch"])
        yield line.fault(9, "early", words)
    elif agreed and not ledger.asks:
        yield line.fault(9, "consent", "no agreement is needed here")


def _check_tapes(ledger: Ledger, line: Line, epoch: Epoch, seed: bytes) -> Iterator[Fault]:
    for name, tape in epoch.tapes.items():
        links = chain(tape_label(name, epoch.number), ledger.game, seed, tape.length)
        if links[0] != tape.anchor:
            yield line.fault(
                9,
                "tape-anchor",
                "{deck} does not follow from the seed of deal {number}",
                deck=name,
                number=epoch.number,
            )


def open_deck(ledger: Ledger, epoch: Epoch, name: str, generation: Generation, seed: bytes) -> OpenDeck:
    """Read every card of a generation from its leaves; an unreadable place gives an empty name.

    The announced deck is first laid as it should be; only where that differs each leaf is tried with every kind.
    """
    size, full = len(generation.leaves), ledger.info.decks[name]
    honest = generation.number == 0 and size == len(full)
    laid = lay(seed, ledger.game, epoch.number, name, generation.number, full if honest else ("",) * size)
    order = generation.cut or tuple(range(size))
    if honest and tuple(map(b64, laid.leaves)) == generation.leaves:
        return OpenDeck(tuple(full[index] for index in laid.order), laid.salts, order, as_commanded=True)
    kinds = sorted(set(full))
    cards = tuple(
        _card_at(ledger.game, epoch.number, name, generation, place, laid.salts[place], kinds)
        for place in range(size)
    )
    return OpenDeck(cards, laid.salts, order, as_commanded=False)


def _card_at(
    game: bytes, epoch: int, name: str, generation: Generation, place: int, salt: bytes, kinds: Sequence[str]
) -> str:
    wanted = generation.leaves[place]
    for card in kinds:
        if b64(leaf(game, epoch, name, generation.number, place, salt, card)) == wanted:
            return card
    return ""


def _check_deck(
    ledger: Ledger, line: Line, epoch: Epoch, name: str, generation: Generation, deck: OpenDeck, seed: bytes
) -> Iterator[Fault]:
    if deck.as_commanded:
        return
    number = generation.number
    bad = [place for place, card in enumerate(deck.cards) if not card]
    if bad:
        yield line.fault(
            9, "leaf", "place {place} of {deck} holds no card of the game", place=bad[0], deck=name
        )
        return
    cards = tuple(sorted(deck.cards, key=str.encode))
    full = ledger.info.decks[name]
    surplus = Counter(cards) - Counter(full)
    if (number == 0 and cards != full) or surplus:
        lacking = Counter(full if number == 0 else ()) - Counter(cards)
        yield line.fault(
            9, "multiset", differs(sentence("cards in {deck}", deck=name), _listed(lacking), _listed(surplus))
        )
    forced: SealedDeck = lay(seed, ledger.game, epoch.number, name, number, cards)
    if tuple(map(b64, forced.leaves)) != generation.leaves:
        yield line.fault(
            9,
            "arranged",
            "{deck} does not follow from the seed of deal {number}",
            deck=name,
            number=epoch.number,
        )


def _listed(cards: Counter[str]) -> str:
    return ", ".join(f"{n} × {card}" for card, n in sorted(cards.items()))


# --- packets and hands ------------------------------------------------------------------------------------


def _check_secrets(
    ledger: Ledger, line: Line, epoch: Epoch, decks: dict[tuple[str, int], OpenDeck], seed: bytes
) -> Iterator[Fault]:
    facts: dict[tuple[int, str], list[JsonObject]] = {}
    records = {record.seq for record in epoch.results}
    for fact in line.body["facts"]:
        seq, owner = fact["seq"], fact["seat"]
        if seq not in records or owner not in ledger.seats or (seq, owner) in facts:
            yield line.fault(
                9,
                "facts",
                "what {seat} was told in record {record} cannot be opened here",
                seat=owner,
                record=seq,
            )
        facts[seq, owner] = fact["facts"]
    dealt: dict[tuple[int, str], list[DrawEntry]] = {}
    for draw in epoch.draws:
        dealt.setdefault((draw.seq, draw.to), []).append(draw)
    for seat in ledger.seats:
        places = [(record, (record.seq, seat)) for record in epoch.results]
        bodies = [
            (record, packet_body(dealt.get(place, ()), decks, facts.get(place, [])))
            for record, place in places
        ]
        for record, body in bodies:
            yield from _check_commit(ledger, line, record, seat, body, seed)
        played = [(record, body) for record, body in bodies if record.seq not in epoch.taken_back]
        yield from _check_hand(ledger, line, seat, played)
    yield from _check_resealed(ledger, line, epoch, decks, facts, seed)


def packet_body(
    draws: Sequence[DrawEntry], decks: dict[tuple[str, int], OpenDeck], facts: list[JsonObject]
) -> JsonObject:
    """The body of the packet that shows these draws, from what the close opened (schemas/README.md §3.1)."""
    return {"draws": [draw_opening(draw, decks) for draw in draws], "facts": facts}


def draw_opening(draw: DrawEntry, decks: dict[tuple[str, int], OpenDeck]) -> JsonObject:
    """The opening of one draw, as a packet holds it."""
    deck = decks[draw.deck, draw.gen]
    place = deck.cut[draw.k]
    return {
        "card": deck.cards[place],
        "deck": draw.deck,
        "gen": draw.gen,
        "k": draw.k,
        "place": place,
        "salt": b64(deck.salts[place]),
    }


def _check_commit(
    ledger: Ledger, line: Line, record: Line, seat: Seat, body: JsonObject, seed: bytes
) -> Iterator[Fault]:
    packet = record.body.get("packets", {}).get(seat)
    if packet is None:
        return
    salt = packet_salt(seed, ledger.game, record.seq, seat)
    if packet_commit(ledger.game, record.seq, seat, salt, body) != unb64(packet["commit"], 32):
        yield line.fault(
            9,
            "packet",
            "what {seat} was told in record {record} is not what is opened here",
            seat=seat,
            record=record.seq,
        )


def _check_hand(
    ledger: Ledger, line: Line, seat: Seat, bodies: Sequence[tuple[Line, JsonObject]]
) -> Iterator[Fault]:
    own = ledger.rules.knowledge(seat)
    for record, body in bodies:
        try:
            own = ledger.rules.learn(own, record.body["steps"], body)
        except NotHeld as error:
            yield line.fault(9, "not-held", at_record(record.seq, error))
            return


def _check_resealed(
    ledger: Ledger,
    line: Line,
    epoch: Epoch,
    decks: dict[tuple[str, int], OpenDeck],
    facts: dict[tuple[int, str], list[JsonObject]],
    seed: bytes,
) -> Iterator[Fault]:
    for record in epoch.resealed:
        for seat in record.body.get("packets", {}):
            body = whole_body(epoch.draws, decks, facts, record.seq, seat)
            yield from _check_commit(ledger, line, record, Seat(seat), body, seed)


def whole_body(
    draws: Sequence[DrawEntry],
    decks: dict[tuple[str, int], OpenDeck],
    facts: dict[tuple[int, str], list[JsonObject]],
    before: int,
    seat: str,
) -> JsonObject:
    """All draws of a seat in the running epoch and what its searches showed: what rekey, substitute and reseal hold."""
    earlier = (facts[seq, owner] for seq, owner in sorted(facts) if owner == seat and seq < before)
    all_facts = [fact for facts_of_record in earlier for fact in facts_of_record]
    mine = [draw_opening(d, decks) for d in draws if d.to == seat and d.seq < before]
    return {"draws": mine, "facts": lasting_facts(all_facts)}


def _take(ledger: Ledger, line: Line) -> None:
    take_consents(ledger, line)
    take_opened(ledger, line)
    epoch = ledger.epochs.get(line.body["epoch"])
    if epoch is not None:
        ledger.epochs[epoch.number] = replace(epoch, closed=line.seq, seed=unb64(line.body["seed"], 32))
    if ledger.reveal == "epoch":
        ledger.due, ledger.asked = line.body.get("due"), line.seq


def _due(ledger: Ledger, line: Line) -> str | None:
    newest = ledger.newest
    return links_by(ledger, newest.missing if newest else (), line.at)


def close(context: RulingContext, epoch: Epoch, agreed: JsonObject | None = None) -> None:
    """Open the seed and what was sealed in this epoch; ``agreed`` is by what a hand in play is closed."""
    ledger, newest = context.ledger, context.ledger.newest
    members: JsonObject = {
        **(agreed or {}),
        "epoch": epoch.number,
        "seed": b64(context.openings.seed(epoch.number)),
        "opened": [context.openings.opening(part) for part in parts_to_open(ledger, epoch.number)],
        "facts": _facts(context, epoch),
    }
    if context.outcome is None and newest is not None and newest.missing:
        members["due"] = links_by(ledger, newest.missing, context.at)
    context.add(CLOSE.name, members)


def _facts(context: RulingContext, epoch: Epoch) -> list[JsonObject]:
    if not context.ledger.rules.has_secrets:
        return []
    return [
        {"seq": line.seq, "seat": seat, "facts": facts}
        for line in epoch.results
        for seat in context.ledger.seats
        if (facts := context.packet_body(line.seq, seat)["facts"])
    ]


def close_and_end(context: RulingContext, members: JsonObject) -> None:
    """Close what is open, then end the match. If a hand is in play the first close holds the consents."""
    for number in sorted(context.ledger.epochs):
        epoch = context.ledger.epochs[number]
        if epoch.opened is None or epoch.closed is not None:
            continue
        if context.ledger.asks and "consents" in members:
            close(context, epoch, {"what": members["what"], "consents": members["consents"]})
            members = {name: value for name, value in members.items() if name != "consents"}
        else:
            close(context, epoch)
    end(context, members)


CLOSE: Final = Kind(
    "close",
    _check,
    _take,
    due=_due,
    audience=everybody,
    letter="hand-end",
    text="close",
    fresh=True,
    bars=True,
    ends="epoch",
)
