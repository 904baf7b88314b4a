"""How to check one draw by hand: the numbers that go in, the number that must come out, and the command for it.

Needed are a hash program and, for a die, ``openssl`` 3; nothing of ours. ``pbem verify --card N`` prints the same text
that a fold-out of the report shows.
"""

from __future__ import annotations

from pbem.crypto.digest import b64, kdf, lp, mac, sha, u32, unb64
from pbem.draws.chain import step_down, tape_label
from pbem.game import JsonObject
from pbem.letters.layout import clean
from pbem.record import Epoch, Label, Ledger, Record

_WORD = 4
_WORDS = 2**32


def proofs_of(record: Record, seq: int) -> list[JsonObject]:
    """Of each open card and die of record ``seq`` its proof: ``text`` is for a person, the rest for a program."""
    return [
        (card_proof if label.kind == "card" else roll_proof)(record.ledger, label)
        for label in record.labels(seq)
        if label.kind != "hand"
    ]


def card_proof(ledger: Ledger, label: Label) -> JsonObject:
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
    text = (
        f"{clean(label.text)}: draw {label.number} of deck {label.source}, generation {label.gen}: {label.verdict}\n"
        f"  the cut of epoch {epoch.number} sends draw {label.number} to place {place}\n"
        f"  leaf {place} in record {laid} is {leaf}\n"
        f"  which is {unb64(leaf).hex()} in hexadecimal digits\n"
        f"  it {'is' if holds else 'IS NOT'} the SHA-256 of these bytes (0x00, then LP of the parts):\n"
        f"  {preimage.hex()}\n"
        "  by hand: printf %s THESE-DIGITS | xxd -r -p | sha256sum"
    )
    return {
        "card": label.text,
        "place": place,
        "leaf": leaf,
        "preimage": preimage.hex(),
        "laid": laid,
        "holds": holds,
        "text": text,
    }


def roll_proof(ledger: Ledger, label: Label) -> JsonObject:
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
    earlier = f"the link of roll {label.number - 1}" if label.number > 1 else "the anchor"
    text = (
        f"{label.text}: roll {label.number} of tape {label.source}, {label.sides} sides,"
        f" for {clean(label.purpose)}: {label.verdict}\n"
        f"  its link {label.link} hashes down to the anchor in record {epoch.announced.seq}\n"
        f"  the value is 1 + below({label.sides}) of stream(KDF(link, 'pbem/1 roll', entropy, tape, j))\n"
        f"  entropy of epoch {epoch.number}: {b64(epoch.entropy)}\n"
        f"  it {'holds' if holds else 'DOES NOT HOLD'}. By hand, in three steps:\n"
        f"  1 the SHA-256 of these bytes is {earlier}, {sha(preimage).hex()}:\n"
        f"    printf %s {preimage.hex()} | xxd -r -p | sha256sum\n"
        f"  2 this prints the key {key.hex()}, with colons:\n"
        "    openssl kdf -keylen 32 -kdfopt digest:SHA256"
        f" -kdfopt hexkey:{link.hex()} -kdfopt hexinfo:{info.hex()} HKDF\n"
        f"  3 the first number of its stream is 0x{word:08x}; {word} leaves {value - 1} when divided by"
        f" {label.sides}, so the die shows {value}:\n"
        f"    printf 00000000 | xxd -r -p | openssl dgst -sha256 -mac HMAC -macopt hexkey:{key.hex()}"
    )
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
        "text": text,
    }


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
