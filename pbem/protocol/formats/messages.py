"""Messages that a player signs, and the host's ``reject``, from bytes to values and back (schemas/README.md §6).

``read_message`` takes untrusted bytes: size cap, strict JSON, the kind by its members, the kind's schema. It
verifies no signature, since only the record knows whose key it must be: ``envelopes.verify_file(message.kind,
message.file, key)``. ``build_…`` make signed files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeGuard

from pbem.base.errors import FormatError
from pbem.base.sentences import sentence
from pbem.base.shapes.schema import validate
from pbem.base.values import dataclass
from pbem.game import Json, JsonObject
from pbem.protocol.crypto import digest as base32
from pbem.protocol.crypto.digest import b64, lp, mac, unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.crypto.primitives import SignKey
from pbem.protocol.formats.envelopes import body_hash, check_copies, make_file
from pbem.protocol.formats.strict_json import MAX_FILE, canon, collector_paused, parse

_TELLTALE: Final = (
    ("code", "reject"),
    ("what", "consent"),
    ("actions", "turn"),
    ("name", "join"),
    ("anchor", "rekey"),
    ("link", "ready"),
    ("channel", "channel"),
)
"""The first of these members that a body has says its kind."""


@dataclass(frozen=True)
class Message:
    """One message, its form checked, its signature not; ``hash`` is SHA(canon(body)), its only name."""

    kind: str
    body: JsonObject
    file: JsonObject
    hash: bytes

    @property
    def game(self) -> bytes:
        """The match it is for."""
        return unb64(self.body["game"], 32)

    @property
    def seat(self) -> str:
        """Whose message it is (in a ``reject``: whose message was refused)."""
        seat: str = self.body["seat"]
        return seat

    @property
    def n(self) -> int:
        """The seat's own counter of files."""
        n: int = self.body["n"]
        return n

    @property
    def seen_seq(self) -> int:
        """The number of the last record that the signer knew (``head`` of a ``reject``)."""
        seq: int = self._seen["seq"]
        return seq

    @property
    def seen_line(self) -> bytes:
        """The name of that record."""
        return unb64(self._seen["line"], 32)

    @property
    def _seen(self) -> JsonObject:
        seen: JsonObject = self.body["head" if self.kind == "reject" else "seen"]
        return seen


CODE: Final = 26
"""Characters of the code in an invitation's link, and of every proof of a code."""


def is_code(word: str | None) -> TypeGuard[str]:
    """Whether this is the code of a link, and none that a person types."""
    return word is not None and len(word) == CODE


def invitation_proof(code: str, game: bytes, seat: str, sign: bytes) -> str:
    """The ``proof`` of a join: it proves the invitation's code and shows nothing of it.

    A join is public as soon as it is recorded, and the code may open something still. So the join holds 130 bits of
    MAC(code, LP("pbem/1 invitation", game, seat, sign)), in lower-case base32: it is good for the key ``sign`` of this
    join alone.

    Args:
        code: the code of the link, or the one that is typed: case, blanks and hyphens do not matter.
        game: the match's id.
        seat: the seat that the invitation is for.
        sign: the public key that signs the join.
    """
    plain = base32.tidy("".join(code.split()).replace("-", "")).lower().encode()
    return base32.encode(mac(plain, lp("pbem/1 invitation", game, seat, sign)))[:CODE].lower()


def read_message(raw: bytes) -> Message:
    """The message that ``raw`` holds: a signed file of JSON text in any layout, at most 64 KiB.

    Raises:
        FormatError: with the place of the first fault.
    """
    with collector_paused(len(raw)):
        return message_of(parse(raw, limit=MAX_FILE))


def message_of(file: Json) -> Message:
    """The message of a file that is parsed already: from a record, a scenario of a test, a consent.

    Raises:
        FormatError: if it is of no kind, or not as its kind's schema wants it.
    """
    kind = kind_of(file)
    validate(kind, file)
    body = file["body"]
    check_copies(body, "/body")
    return Message(kind, body, file, body_hash(body))


def kind_of(file: Json) -> str:
    """The kind of a signed file, by the members of its body."""
    body = file.get("body") if isinstance(file, dict) else None
    if not isinstance(body, dict):
        raise FormatError(sentence('not a signed file: expected an object with "body" and "sig"'))
    for member, kind in _TELLTALE:
        if member in body:
            return kind
    raise FormatError(
        sentence("not a file of a match: nothing in it says what it is for"),
        where="/body",
    )


# --- builders ----------------------------------------------------------------------------------------------


def link_json(epoch: int, value: bytes) -> JsonObject:
    """The member ``link``."""
    return {"epoch": epoch, "value": b64(value)}


def build_join(
    identity: Identity,
    game: bytes,
    seat: str,
    n: int,
    seen: JsonObject,
    *,
    name: str,
    lang: str,
    anchor: bytes,
    length: int,
    recovery: bytes | None = None,
    contact: str | None = None,
    proof: str | None = None,
    zone: str | None = None,
    served: bool = False,
) -> JsonObject:
    """A player takes a seat.

    ``recovery`` is the hash of the recovery key, ``contact`` the sealed address, ``proof`` that of the invitation's
    code, ``zone`` the one in which the player reads times; everybody can read it. ``served``, here and in other files:
    it is made in a page that the host serves.
    """
    body = _head(game, seat, n, seen) | {"name": name, "lang": lang} | _keys(identity, anchor, length)
    if recovery is not None:
        body["recovery"] = b64(recovery)
    if contact is not None:
        body["contact"] = contact
    if proof is not None:
        body["proof"] = proof
    if zone is not None:
        body["zone"] = zone
    return _signed("join", body | _served(served), identity)


def build_ready(
    identity: Identity,
    game: bytes,
    seat: str,
    n: int,
    seen: JsonObject,
    *,
    epoch: int,
    link: bytes,
    served: bool = False,
) -> JsonObject:
    """A seat agrees to the roster and gives its link of ``epoch``."""
    body = _head(game, seat, n, seen) | {"link": link_json(epoch, link)}
    return _signed("ready", body | _served(served), identity)


def gestures(react: Mapping[int, str] | None, nudge: str) -> JsonObject:
    """The members ``react`` and ``nudge`` of a turn, as far as there is something in them."""
    reactions = [{"to": to, "with": word} for to, word in sorted((react or {}).items())]
    return ({"react": reactions} if reactions else {}) | ({"nudge": nudge} if nudge else {})


def build_turn(
    identity: Identity,
    game: bytes,
    seat: str,
    n: int,
    seen: JsonObject,
    *,
    actions: Sequence[JsonObject] = (),
    link: tuple[int, bytes] | None = None,
    sealed: JsonObject | None = None,
    orders: JsonObject | None = None,
    say: str = "",
    tell: Sequence[JsonObject] = (),
    served: bool = False,
    react: Mapping[int, str] | None = None,
    nudge: str = "",
) -> JsonObject:
    """A turn file: open actions, what was sealed (``envelopes``), a link, talk, reactions by record, a nudge."""
    body = _head(game, seat, n, seen) | {"actions": list(actions)}
    optional = {
        "link": link_json(*link) if link else None,
        "sealed": sealed,
        "orders": orders,
        "say": say,
        "tell": list(tell),
        "served": served,
        **gestures(react, nudge),
    }
    body |= {member: value for member, value in optional.items() if value}
    return _signed("turn", body, identity)


def build_rekey(
    old: SignKey,
    game: bytes,
    seat: str,
    n: int,
    seen: JsonObject,
    *,
    new: Identity,
    anchor: bytes,
    length: int,
    recovery: bytes | None = None,
    served: bool = False,
) -> JsonObject:
    """New keys for a seat, signed by ``old``: the key it had until now, or its recovery key.

    ``recovery`` is the hash of another recovery key, which takes the old one's place after a hold.
    """
    body = _head(game, seat, n, seen) | _keys(new, anchor, length) | _served(served)
    if recovery is not None:
        body["recovery"] = b64(recovery)
    file = make_file("rekey", body, old, old.public)
    validate("rekey", parse(canon(file), limit=MAX_FILE))
    return file


def build_consent(
    identity: Identity | SignKey, game: bytes, seat: str, n: int, seen: JsonObject, *, terms: JsonObject
) -> JsonObject:
    """A seat agrees to these ``terms``: ``kind`` and the members of the record to come (schemas/README.md §6).

    ``identity`` is the seat's, or the recovery key, which may say that the seat is given up or goes to somebody else.
    """
    key = identity.sign_key if isinstance(identity, Identity) else identity
    return make_file("consent", _head(game, seat, n, seen) | {"what": terms}, key, key.public)


def build_channel(
    identity: Identity, game: bytes, seat: str, n: int, seen: JsonObject, *, channel: str
) -> JsonObject:
    """A seat says where its own turns are announced besides: ``channel`` is sealed (``seal_channel``)."""
    return _signed("channel", _head(game, seat, n, seen) | {"channel": channel}, identity)


def build_reject(
    host: Identity,
    message: Message,
    *,
    code: str,
    head: JsonObject,
    at: str,
    action: int | None = None,
    rules: Sequence[str] | None = None,
) -> JsonObject:
    """The host's refusal of ``message`` (schemas/README.md §9); ``action``, ``rules``: of a fault in an open action."""
    body: JsonObject = {
        "game": message.body["game"],
        "seat": message.seat,
        "n": message.n,
        "hash": b64(message.hash),
        "code": code,
        "head": head,
        "at": at,
    }
    if action is not None:
        body["action"] = action
    if rules is not None:
        body["rules"] = list(rules)
    return _signed("reject", body, host)


def _head(game: bytes, seat: str, n: int, seen: JsonObject) -> JsonObject:
    """What every message begins with; ``seen`` is ``Line.seen`` of the newest record known."""
    return {"game": b64(game), "seat": seat, "n": n, "seen": seen}


def _served(served: bool) -> JsonObject:
    return {"served": True} if served else {}


def _keys(identity: Identity, anchor: bytes, length: int) -> JsonObject:
    return {
        "sign": b64(identity.sign_public),
        "seal": b64(identity.seal_public),
        "anchor": b64(anchor),
        "length": length,
    }


def _signed(kind: str, body: JsonObject, identity: Identity) -> JsonObject:
    """The signed file; nothing is signed that would be refused for its form."""
    file = make_file(kind, body, identity.sign_key, identity.sign_public)
    validate(kind, parse(canon(file), limit=MAX_FILE))
    return file
