"""How to check one draw by hand: the numbers that go in, the number that must come out, and the command for it.

Needed are a hash program and, for a die, ``openssl`` 3; nothing of ours. ``pbem verify --card N`` prints the same text
that a fold-out of the report shows. Digits and commands are the same in every language.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pbem.base.language import ENGLISH, UTC_CLOCK, Clock, Language
from pbem.base.language.language import moment_of
from pbem.base.sentences import Sentence, Typed, counted, joined, sentence, typed
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.player.letters.layout import clean, clean_name
from pbem.player.letters.rendering import Style, macros, one_line
from pbem.protocol.crypto.digest import b64, kdf, lp, mac, sha, u32, unb64
from pbem.protocol.draws import step_down, tape_label
from pbem.protocol.record import Epoch, Label, Ledger, Record
from pbem.protocol.record.kinds.agreements import AGREEMENTS

if TYPE_CHECKING:
    from pbem.protocol.audit import EpochReport, Report

_WORD = 4
_WORDS = 2**32

LABELS: Final = {
    "fair": sentence("proven now"),
    "fair after reveal": sentence("proven when the hand ends"),
    "bound only": sentence("committed, not yet proven"),
}
"""How well a draw is proven, as people read it (schemas/README.md §4.4)."""


def proofs_of(record: Record, seq: int, language: Language = ENGLISH) -> list[JsonObject]:
    """Of each open card and die of record ``seq`` its proof: ``text`` is for a person, the rest for a program."""
    return [
        (card_proof if label.kind == "card" else roll_proof)(record.ledger, label, language)
        for label in record.labels(seq)
        if label.kind != "hand"
    ]


def card_proof(ledger: Ledger, label: Label, language: Language = ENGLISH) -> JsonObject:
    """A card that was turned up: its leaf is the hash of text, salt and where it lay (schemas/README.md §4.2)."""
    epoch = _epoch(ledger, label)
    generation = epoch.decks[label.source][label.gen]
    place = label.place or 0
    parts = lp(
        "pbem/1 card",
        ledger.game,
        u32(epoch.number),
        label.source,
        u32(label.gen),
        u32(place),
        unb64(label.salt),
        label.text,
    )
    preimage = b"\x00" + parts
    leaf = generation.leaves[place]
    laid = epoch.announced.seq if label.gen == 0 else generation.seq
    holds = b64(sha(preimage)) == leaf
    lines = [
        sentence(
            "{card}: draw {number} of deck {deck}, generation {generation}: {verdict}",
            card=_card(ledger, label, language), number=label.number, deck=label.source, generation=label.gen,
            verdict=_verdict(label),
        ),
        sentence(
            "the cut of deal {epoch} sends draw {number} to place {place}",
            epoch=epoch.number, number=label.number, place=place,
        ),
        sentence("leaf {place} in record {laid} is {leaf}", place=place, laid=laid, leaf=leaf),
        sentence("which is {hex} in hexadecimal digits", hex=unb64(leaf).hex()),
        sentence("it is the SHA-256 of these bytes (0x00, then LP of the parts):")
        if holds
        else sentence("it IS NOT the SHA-256 of these bytes (0x00, then LP of the parts):"),
        preimage.hex(),
        sentence("by hand: {command}", command="printf %s THESE-DIGITS | xxd -r -p | sha256sum"),
    ]  # fmt: skip
    return {
        "card": label.text,
        "place": place,
        "leaf": leaf,
        "preimage": preimage.hex(),
        "laid": laid,
        "holds": holds,
        "text": _lines(lines, language),
    }


def roll_proof(ledger: Ledger, label: Label, language: Language = ENGLISH) -> JsonObject:
    """A die: its link hashes to the one opened before, link and entropy give the number (schemas/README.md §4.3)."""
    epoch = _epoch(ledger, label)
    tape = epoch.tapes[label.source]
    chain, link = tape_label(label.source, epoch.number), unb64(label.link, 32)
    preimage = lp("pbem/1 chain", chain, ledger.game, u32(label.number), link)
    below = step_down(chain, ledger.game, label.number, link, 0)
    info = lp("pbem/1 roll", epoch.entropy, label.source, u32(label.number))
    key = kdf(link, "pbem/1 roll", epoch.entropy, label.source, u32(label.number))
    word = _word(key, label.sides)
    value = 1 + word % label.sides
    holds = below == tape.anchor and str(value) == label.text
    lines = [
        sentence(
            "{value}: roll {number} of dice sequence {tape}, {sides} sides, for {purpose}: {verdict}",
            value=label.text, number=label.number, tape=label.source, sides=label.sides,
            purpose=_rolled_for(ledger, label, language), verdict=_verdict(label),
        ),
        sentence(
            "its chain value {link} hashes down to the anchor in record {laid}",
            link=label.link, laid=epoch.announced.seq,
        ),
        sentence(
            "the value is 1 + below({sides}) of stream(KDF(link, 'pbem/1 roll', entropy, tape, j))",
            sides=label.sides,
        ),
        sentence("entropy of deal {epoch}: {entropy}", epoch=epoch.number, entropy=b64(epoch.entropy)),
        sentence("it holds. By hand, in three steps:")
        if holds
        else sentence("it DOES NOT HOLD. By hand, in three steps:"),
        sentence(
            "1 the SHA-256 of these bytes is the chain value of roll {earlier}, {hash}:",
            earlier=label.number - 1, hash=sha(preimage).hex(),
        )
        if label.number > 1
        else sentence("1 the SHA-256 of these bytes is the anchor, {hash}:", hash=sha(preimage).hex()),
        f"  printf %s {preimage.hex()} | xxd -r -p | sha256sum",
        sentence("2 this prints the key {key}, with colons:", key=key.hex()),
        f"  openssl kdf -keylen 32 -kdfopt digest:SHA256 -kdfopt hexkey:{link.hex()} -kdfopt hexinfo:{info.hex()} HKDF",
        sentence(
            "3 the first number of its stream is {hex}; {word} leaves {rest} when divided by {sides}, so the die"
            " shows {value}:",
            hex=f"0x{word:08x}", word=word, rest=value - 1, sides=label.sides, value=value,
        ),
        f"  printf 00000000 | xxd -r -p | openssl dgst -sha256 -mac HMAC -macopt hexkey:{key.hex()}",
    ]  # fmt: skip
    return {
        "value": label.text,
        "roll": label.number,
        "tape": label.source,
        "link": label.link,
        "laid": epoch.announced.seq,
        "anchor": b64(tape.anchor),
        "preimage": preimage.hex(),
        "info": info.hex(),
        "key": key.hex(),
        "word": word,
        "holds": holds,
        "text": _lines(lines, language),
    }


def _rolled_for(ledger: Ledger, label: Label, language: Language) -> str:
    words = macros(Style.TEXT, ledger.info.id, "words.jinja", {"setup": ledger.rules.setup}, language)
    return purpose_words(words, label.purpose)


def purpose_words(words: Any, purpose: str) -> str:
    """What a die was rolled for, in the words of its game; ``words`` are its macros, ``purpose`` what is signed."""
    return one_line(words.purpose(purpose)) if hasattr(words, "purpose") else clean(purpose)


def _card(ledger: Ledger, label: Label, language: Language) -> str:
    """A card by the name that the table has for it."""
    game = ledger.genesis["rules"]["id"]
    return one_line(macros(Style.TEXT, game, "words.jinja", {}, language).card(clean(label.text)))


def _verdict(label: Label) -> str:
    said: str = LABELS.get(label.label, label.label)
    if label.again:
        many = {"label": said, "seats": ", ".join(label.again), "count": str(label.thrown_away + 1)}
        said = (
            sentence(
                "{label}, dealt again because the seat of {seats} was taken again by its invitation; "
                "the host and whoever held it could have compared {count} shuffles",
                **many,
            )
            if label.retaken
            else sentence(
                "{label}, dealt again because a part of {seats} was missing; the host and {seats} "
                "together could have compared {count} shuffles",
                **many,
            )
        )
    if label.left_out:
        said = sentence(
            "{label}; {seats} had no part in this shuffle, so the host and {others} together could have chosen it",
            label=said,
            seats=", ".join(label.left_out),
            others=", ".join(label.cut_by),
        )
    if label.served:
        said = sentence(
            "{label}; the part of {seats} was made in the host's own web app and counts for nothing",
            label=said,
            seats=", ".join(label.served),
        )
    if label.unknown:
        said = sentence(
            "{label}; whether the host's web app made the part of {seats} too, no record can show",
            label=said,
            seats=", ".join(label.unknown),
        )
    return said


def doubt_of(report: Report) -> Sentence | None:
    """Who could have chosen the draws of a match in which every one is proven; None if nobody could."""
    chosen: dict[Sentence, list[str]] = {}
    for epoch in report.epochs:
        for who in () if epoch.burned else _choosers(epoch, report.names):
            chosen.setdefault(who, []).append(str(epoch.number))
    parts = [
        counted(
            "deal {epochs} could have been chosen by {who}",
            "deals {epochs} could have been chosen by {who}",
            len(numbers),
            epochs=", ".join(numbers),
            who=who,
        )
        for who, numbers in chosen.items()
    ]
    if not parts:
        return None
    return sentence("Every card and every die is proven; {chosen}.", chosen=joined(parts, "; "))


def _choosers(epoch: EpochReport, names: Mapping[str, str]) -> Iterator[Sentence]:
    """Each set of people who together could have chosen the draws of this epoch."""

    def together(seats: Sequence[str]) -> Sentence:
        named = ", ".join(clean_name(names.get(seat, "")) or seat for seat in seats)
        return sentence("the host and {names} together", names=named)

    if epoch.left_out:
        yield together(epoch.cut_by)
    if epoch.retaken:
        yield sentence("the host and whoever held the invitation")
    elif epoch.again:
        yield together(epoch.again)
    if epoch.unknown:
        yield sentence("the host, if their web app made every part of the shuffle")


def _lines(lines: Sequence[str], language: Language) -> str:
    """The first line, and the others behind two blanks."""
    return "\n  ".join(language.translate(line) for line in lines)


def _word(key: bytes, sides: int) -> int:
    """The word of the stream that decides: the first below the greatest multiple of ``sides``."""
    block = 0
    while True:
        words = mac(key, u32(block))
        for start in range(0, len(words), _WORD):
            word = int.from_bytes(words[start : start + _WORD], "big")
            if word < _WORDS - _WORDS % sides:
                return word
        block += 1


def _epoch(ledger: Ledger, label: Label) -> Epoch:
    return ledger.epochs[ledger.lines[label.seq].body["epoch"]]


# --- what players agree to, in words: for the email that asks them, for screens and for the host ----------
#
# In: the terms of a consent (schemas/README.md §6), the players' names, the reader's clock. Out: a
# sentence that stands behind a colon, and the words that say exactly the same to ``pbem consent``.


@dataclass(frozen=True, slots=True)
class _Reader:
    names: Mapping[Seat, str]
    now: str
    clock: Clock

    def name(self, seat: str) -> str:
        return clean_name(self.names.get(Seat(seat), "")) or seat

    def moment(self, time: str) -> Sentence:
        return moment_of(time, self.now, self.clock)

    def passed(self, time: str) -> bool:
        return time <= self.now

    def typed(self, text: str) -> str:
        return clean(text, 60)


def agreed_words(
    terms: JsonObject, names: Mapping[Seat, str], now: str, clock: Clock = UTC_CLOCK
) -> Sentence:
    """What is proposed, with a capital and without a full stop: ``Pause the match until Monday 19:00``."""
    return AGREEMENTS[terms["kind"]].says(terms, _Reader(names, now, clock))


def agreed_command(terms: JsonObject) -> Typed:
    """The words behind ``pbem consent COPY`` that agree to exactly this: ``pause until=2026-12-01T18:00:00Z``."""
    words = [str(terms["kind"])]
    for member, value in terms.items():
        if member != "kind":
            words.append(f"{member}={value['seq'] if isinstance(value, dict) else value}")
    return typed(*words)
