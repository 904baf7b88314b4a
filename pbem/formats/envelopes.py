"""What is sealed: packets to seats, actions and orders to the host, private words, contacts (protocol §2).

Every envelope is HPKE under an ``info`` that names match, place and recipient, so a copy of it opens
nowhere else. Packets and what a player seals for the host also have a salted commitment beside the sealed
bytes, which anybody can check once the content is opened. Plaintexts are canonical JSON with exactly the
members of the table in §2, padded.

Opening raises ``VerificationError``: code ``seal`` if it does not open or holds something else than it
should, code ``commit`` if the content is not what the commitment says.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from pbem.crypto.digest import SALT_SIZE, b64, kdf, lp, sha, u32, unb64
from pbem.crypto.sealing import OVERHEAD, pad, seal, unpad, unseal
from pbem.errors import FormatError, VerificationError
from pbem.formats.strict_json import canon, check_text, parse_line
from pbem.game import Json, JsonObject

Part: TypeAlias = Literal["sealed", "order"]

CONTENT: Final[dict[Part, str]] = {"sealed": "actions", "order": "order"}
"""The member of the plaintext that holds what was sealed."""
MAX_SEALED: Final = 64
"""Sealed actions in one file: as many as open ones."""
SIZE: Final = {"sealed": 512, "order": 2048, "tell": 512, "contact": 512}
"""Bytes that a plaintext is padded to; what does not fit takes the next multiple of 512."""


# --- packets (§2.1) -----------------------------------------------------------------------------------------


def packet_salt(seed_e: bytes, game: bytes, seq: int, seat: str) -> bytes:
    """The salt of one packet; ``seed_e`` is the seed of the record's epoch."""
    return kdf(seed_e, "pbem/1 packet salt", game, u32(seq), seat)[:SALT_SIZE]


def packet_commit(game: bytes, seq: int, seat: str, salt: bytes, body: JsonObject) -> bytes:
    """The commitment to a packet's body."""
    return sha(lp("pbem/1 packet", game, u32(seq), seat, salt, canon(body)))


def seal_packet(
    game: bytes, seq: int, seat: str, public: bytes, salt: bytes, body: JsonObject, size: int
) -> JsonObject:
    """The packet ``{"commit", "ct"}`` of one seat, its plaintext padded to ``size``."""
    ct = _sealed({"salt": b64(salt), "body": body}, public, _packet_info(game, seq, seat, public), size)
    return {"commit": b64(packet_commit(game, seq, seat, salt, body)), "ct": ct}


def open_packet(
    game: bytes, seq: int, seat: str, seal_key: X25519PrivateKey, public: bytes, packet: JsonObject
) -> JsonObject:
    """The body of a packet sealed to ``public``, checked against its commitment."""
    inside = _opened(packet["ct"], seal_key, _packet_info(game, seq, seat, public), {"salt", "body"})
    body = inside["body"]
    if not (isinstance(body, dict) and body.keys() == {"draws", "facts"}):
        raise VerificationError("seal", 'the packet does not hold "draws" and "facts"')
    if b64(packet_commit(game, seq, seat, _salt(inside), body)) != packet["commit"]:
        raise VerificationError("commit", "the packet's content is not what the record commits to")
    return body


def _packet_info(game: bytes, seq: int, seat: str, public: bytes) -> bytes:
    return lp("pbem/1 packet", game, u32(seq), seat, public)


# --- what a player seals for the host (§2.2) ----------------------------------------------------------------


def part_commit(part: Part, game: bytes, seat: str, n: int, salt: bytes, content: Json) -> bytes:
    """The commitment to sealed actions (``sealed``: a list) or standing orders (``order``: an object)."""
    return sha(lp(f"pbem/1 {part}", game, seat, u32(n), salt, canon(content)))


def seal_part(
    part: Part, game: bytes, seat: str, n: int, host_public: bytes, salt16: bytes, content: Json
) -> JsonObject:
    """The member ``sealed`` or ``orders`` of turn file ``n``: ``{"commit", "ct"}``."""
    if len(salt16) != SALT_SIZE:
        raise ValueError(f"a salt has {SALT_SIZE} bytes, found {len(salt16)}")
    info = _part_info(part, game, seat, n, host_public)
    ct = _sealed({"salt": b64(salt16), CONTENT[part]: content}, host_public, info, SIZE[part])
    return {"commit": b64(part_commit(part, game, seat, n, salt16, content)), "ct": ct}


def open_part(
    part: Part,
    game: bytes,
    seat: str,
    n: int,
    host_seal_key: X25519PrivateKey,
    host_public: bytes,
    sealed: JsonObject,
) -> tuple[bytes, Json]:
    """Salt and content of what a player sealed, checked against its commitment."""
    member = CONTENT[part]
    info = _part_info(part, game, seat, n, host_public)
    inside = _opened(sealed["ct"], host_seal_key, info, {"salt", member})
    salt, content = _salt(inside), inside[member]
    if not (_are_actions(content) if part == "sealed" else isinstance(content, dict)):
        raise VerificationError("seal", f"the sealed {member} are of the wrong type, or too many")
    if b64(part_commit(part, game, seat, n, salt, content)) != sealed["commit"]:
        raise VerificationError("commit", f"the sealed {member} are not what the file commits to")
    return salt, content


def _part_info(part: Part, game: bytes, seat: str, n: int, host_public: bytes) -> bytes:
    return lp(f"pbem/1 {part}", game, seat, u32(n), host_public)


def _are_actions(content: Json) -> bool:
    """Whether ``content`` has the form that the turn schema asks of open actions."""
    return (
        isinstance(content, list)
        and len(content) <= MAX_SEALED
        and all(isinstance(action, dict) and isinstance(action.get("do"), str) for action in content)
    )


def spills(kind: str, ct: str) -> bool:
    """Whether a sealed text of this kind (a key of ``SIZE``) is longer than usual: a client warns."""
    return len(unb64(ct)) > SIZE[kind] + OVERHEAD


# --- private words and contacts -----------------------------------------------------------------------------


def seal_tell(game: bytes, seat: str, n: int, to: str, public: bytes, text: str) -> JsonObject:
    """One item of ``tell``: a private word from ``seat``, in its file ``n``, to seat ``to``."""
    info = _tell_info(game, seat, n, to, public)
    return {"to": to, "ct": _sealed({"text": text}, public, info, SIZE["tell"])}


def open_tell(
    game: bytes, seat: str, n: int, to: str, seal_key: X25519PrivateKey, public: bytes, item: JsonObject
) -> str:
    """The private word that ``seat`` sent to ``to`` in its file ``n``."""
    return _text(_opened(item["ct"], seal_key, _tell_info(game, seat, n, to, public), {"text"})["text"])


def _tell_info(game: bytes, seat: str, n: int, to: str, public: bytes) -> bytes:
    return lp("pbem/1 tell", game, seat, u32(n), to, public)


def seal_contact(game: bytes, seat: str, host_public: bytes, mail: str) -> str:
    """The member ``contact`` of a join: the player's mail address, for the host only."""
    info = lp("pbem/1 contact", game, seat, host_public)
    return _sealed({"mail": mail}, host_public, info, SIZE["contact"])


def open_contact(
    game: bytes, seat: str, host_seal_key: X25519PrivateKey, host_public: bytes, contact: str
) -> str:
    """The mail address in a join."""
    info = lp("pbem/1 contact", game, seat, host_public)
    return _text(_opened(contact, host_seal_key, info, {"mail"})["mail"])


# --- the plaintexts -----------------------------------------------------------------------------------------


def _sealed(inside: JsonObject, public: bytes, info: bytes, size: int) -> str:
    return b64(seal(pad(canon(inside), size), public, info))


def _opened(ct: str, key: X25519PrivateKey, info: bytes, members: set[str]) -> JsonObject:
    """The object inside, which has exactly these members."""
    try:
        inside = parse_line(unpad(unseal(unb64(ct), key, info)))
    except FormatError as fault:
        raise VerificationError("seal", f"the sealed text is not canonical JSON: {fault}") from None
    if inside.keys() != members:
        names = ", ".join(sorted(members))
        raise VerificationError("seal", f"the sealed text does not hold exactly: {names}")
    return inside


def _salt(inside: JsonObject) -> bytes:
    try:
        return unb64(inside["salt"], SALT_SIZE)
    except FormatError as fault:
        raise VerificationError("seal", f"the salt inside is not readable: {fault}") from None


def _text(text: Json) -> str:
    if not isinstance(text, str):
        raise VerificationError("seal", "the sealed text holds no text")
    try:
        check_text(text)
    except FormatError as fault:
        raise VerificationError("seal", f"the sealed text is refused: {fault}") from None
    return text
