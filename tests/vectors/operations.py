"""What a vector asks, answered by our own code: ``answer(op, given)`` is its ``out``, or ``{"fails": why}``.

``operations.mjs`` answers the same questions with the second verifier. Binary values are base64url, ``text`` is JSON
as it would stand in a file.
"""

from __future__ import annotations

from collections.abc import Callable

from pbem.base.errors import FormatError, PbemError, VerificationError
from pbem.game import Json, JsonObject
from pbem.protocol.crypto.digest import b64, fingerprint, kdf, unb64
from pbem.protocol.crypto.identity import Identity, from_paper, recovery_from_paper, to_paper
from pbem.protocol.crypto.provider import provider
from pbem.protocol.draws import chain, cut, entropy, lay, leaf, merkle_root, roll, seed_commit, step_down
from pbem.protocol.formats.armour import scan
from pbem.protocol.formats.envelopes import (
    body_hash,
    open_own,
    open_packet,
    open_part,
    packet_commit,
    packet_salt,
    part_commit,
    verify_file,
)
from pbem.protocol.formats.identity_file import read_identity
from pbem.protocol.formats.messages import read_message
from pbem.protocol.formats.strict_json import canon, parse, parse_line
from pbem.protocol.record.check_messages import PARTS, cost, sealed_budget
from pbem.protocol.record.line import proves, read_line, verify_entry
from tests.vectors.paths import merkle_path, verify_path


class Fails(Exception):
    """The failure that a vector must cause."""


def answer(op: str, given: JsonObject) -> JsonObject:
    """The ``out`` of a vector, or ``{"fails": why}``."""
    try:
        return OPERATIONS[op](given)
    except Fails as failure:
        return {"fails": str(failure)}


def _need(holds: bool, why: str) -> None:
    if not holds:
        raise Fails(why)


def _read(read: Callable[[], Json], why: str) -> Json:
    try:
        return read()
    except FormatError as error:
        raise Fails(why) from error


def _signed(kind: str, file: JsonObject, key: bytes) -> None:
    try:
        verify_file(kind, file, key)
    except VerificationError as error:
        raise Fails("signature") from error


def canonical(given: JsonObject) -> JsonObject:
    value = _read(lambda: parse(given["text"].encode(), limit=1 << 16), "malformed")
    return {"canonical": canon(value).decode()}


def turn(given: JsonObject) -> JsonObject:
    """A player's signed file, of any kind: its members, its signature, its name."""
    message = _read(lambda: read_message(given["text"].encode()), "malformed")
    _signed(given["kind"], message.file, unb64(given["key"]))
    return {"hash": b64(body_hash(message.body))}


def record(given: JsonObject) -> JsonObject:
    """One line of a game file after the line before it."""
    line = _read(lambda: read_line(given["line"].encode()), "malformed")
    try:
        verify_entry(line, unb64(given["game"], 32), unb64(given["key"], 32))
    except VerificationError as error:
        raise Fails("signature") from error
    _need(line.body["prev"] == given["prev"], "prev")
    return {"hash": b64(line.hash)}


def seen(given: JsonObject) -> JsonObject:
    """A word of the host that a message quotes: did this host sign this record of this match?"""
    return {"proves": proves(unb64(given["game"], 32), unb64(given["key"], 32), given["seen"])}


def packet(given: JsonObject) -> JsonObject:
    seal = provider().seal_key(kdf(unb64(given["secret"]), "pbem/1 seal"))
    public = seal.public
    try:
        body = open_packet(unb64(given["game"]), given["seq"], given["seat"], seal, public, given["packet"])
    except VerificationError as error:
        raise Fails(error.code) from error
    return {"body": body}


def sealed(given: JsonObject) -> JsonObject:
    return _part(given, open_part)


def own(given: JsonObject) -> JsonObject:
    """The player's own copy of what they sealed."""
    return _part(given, open_own)


def _part(given: JsonObject, opener: Callable[..., tuple[bytes, Json]]) -> JsonObject:
    who = Identity(unb64(given["secret"]))
    where = (unb64(given["game"]), given["seat"], given["n"], who.seal_key, who.seal_public)
    try:
        salt, content = opener(given["part"], *where, given["sealed"])
    except VerificationError as error:
        raise Fails(error.code) from error
    return {"salt": b64(salt), "content": content}


def chain_made(given: JsonObject) -> JsonObject:
    links = chain(given["label"], unb64(given["game"]), unb64(given["seed"]), given["length"])
    return {"anchor": b64(links[0]), "links": {str(i): b64(links[i]) for i in given["elements"]}}


def chain_checked(given: JsonObject) -> JsonObject:
    element = step_down(
        given["label"], unb64(given["game"]), given["index"], unb64(given["link"]), given["known"]
    )
    _need(b64(element) == given["value"], "link")
    return {}


def cut_made(given: JsonObject) -> JsonObject:
    links = {seat: unb64(link) for seat, link in given["links"].items()}
    value = entropy(unb64(given["game"]), given["epoch"], links)
    return {"entropy": b64(value), "cut": list(cut(value, given["deck"], given["gen"], given["size"]))}


def shot(given: JsonObject) -> JsonObject:
    """A card turned up: it takes the place that the cut says, and it is what was laid there."""
    places = cut(unb64(given["entropy"]), given["deck"], given["gen"], len(given["leaves"]))
    _need(places[given["k"]] == given["place"], "place")
    where = (unb64(given["game"]), given["epoch"], given["deck"], given["gen"], given["place"])
    _need(b64(leaf(*where, unb64(given["salt"]), given["card"])) == given["leaves"][given["place"]], "leaf")
    return {}


def tree(given: JsonObject) -> JsonObject:
    leaves = [unb64(leave) for leave in given["leaves"]]
    path = [b64(part) for part in merkle_path(leaves, given["place"])]
    return {"root": b64(merkle_root(leaves)), "path": path}


def proof(given: JsonObject) -> JsonObject:
    path = [unb64(part) for part in given["path"]]
    where = (unb64(given["leaf"]), given["place"], given["size"], path, unb64(given["root"]))
    _need(verify_path(*where), "path")
    return {}


def rolled(given: JsonObject) -> JsonObject:
    label = f"tape {given['tape']} {given['epoch']}"
    below = step_down(label, unb64(given["game"]), given["j"], unb64(given["link"]), given["j"] - 1)
    _need(b64(below) == given["before"], "roll-link")
    value = roll(unb64(given["link"]), unb64(given["entropy"]), given["tape"], given["j"], given["sides"])
    _need(value == given["value"], "roll-value")
    return {}


def laid(given: JsonObject) -> JsonObject:
    cards = sorted(given["cards"], key=str.encode)
    where = (unb64(given["game"]), given["epoch"], given["deck"], given["gen"])
    deck = lay(unb64(given["seed"]), *where, cards)
    return {"places": [cards[i] for i in deck.order], "leaves": [b64(leave) for leave in deck.leaves]}


def reshuffled(given: JsonObject) -> JsonObject:
    """A generation held against the seed, as a close does it."""
    cards = laid(given)
    _need(cards["leaves"] == given["leaves"], "arranged")
    return {}


def closed(given: JsonObject) -> JsonObject:
    game, seed = unb64(given["game"]), unb64(given["seed"])
    _need(b64(seed_commit(game, given["epoch"], seed)) == given["commit"], "seed")
    for packet in given["packets"]:
        salt = packet_salt(seed, game, packet["seq"], packet["seat"])
        commit = b64(packet_commit(game, packet["seq"], packet["seat"], salt, packet["body"]))
        _need(commit == packet["commit"], "packet")
    for packet in given["opened"]:
        part = "order" if packet["part"] == "orders" else "sealed"
        salt, content = unb64(packet["salt"]), packet["content"]
        commit = b64(part_commit(part, game, packet["seat"], packet["n"], salt, content))  # type: ignore[arg-type]
        _need(commit == packet["commit"], "commitment")
    return {}


def armoured(given: JsonObject) -> JsonObject:
    try:
        scanned = scan(given["text"])
    except FormatError as error:
        raise Fails("damaged") from error
    if scanned.damages:
        raise Fails("damaged") from scanned.damages[0]
    return {"files": [block.decode() for block in scanned.blocks]}


def identity(given: JsonObject) -> JsonObject:
    owner = Identity(unb64(given["secret"]))
    return {
        "sign": b64(owner.sign_public),
        "seal": b64(owner.seal_public),
        "fingerprint": fingerprint(owner.sign_public),
        "paper": " ".join(to_paper(owner).split()),
    }


def paper(given: JsonObject) -> JsonObject:
    read = from_paper if given["what"] == "identity" else recovery_from_paper
    words = _read(lambda: read(given["text"]), "paper")
    return {"secret": b64(words.secret if isinstance(words, Identity) else words)}


def identity_file(given: JsonObject) -> JsonObject:
    try:
        owner, name = read_identity(given["text"].encode(), given["passphrase"])
    except PbemError as error:
        raise Fails(error.code if isinstance(error, VerificationError) else "malformed") from error
    return {"secret": b64(owner.secret), "name": name}


def measured(given: JsonObject) -> JsonObject:
    """How much a seat seals with a turn, by lengths alone, and how much it may."""
    parts: JsonObject = {name: {"ct": "A" * -(-given[name] * 4 // 3)} for name in PARTS if name in given}
    counts = sum(given["held"]) + sum(cost(name, part) for name, part in parts.items())
    most = sealed_budget(given["seats"], {"actions": given["actions"], **parts}, result=given["result"])
    _need(counts <= most, "over-budget")
    return {"counts": counts, "most": most}


def strict_json(given: JsonObject) -> JsonObject:
    value = _read(lambda: parse_line(given["line"].encode()), "malformed")
    return {"value": value}


OPERATIONS: dict[str, Callable[[JsonObject], JsonObject]] = {
    "canonical": canonical,
    "line": strict_json,
    "turn": turn,
    "record": record,
    "seen": seen,
    "packet": packet,
    "sealed": sealed,
    "own": own,
    "chain": chain_made,
    "link": chain_checked,
    "cut": cut_made,
    "shot": shot,
    "tree": tree,
    "proof": proof,
    "roll": rolled,
    "laid": laid,
    "reshuffle": reshuffled,
    "close": closed,
    "armour": armoured,
    "identity": identity,
    "paper": paper,
    "identity file": identity_file,
    "measure": measured,
}
