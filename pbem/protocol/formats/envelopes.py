"""What is sealed: packets to seats, actions and orders to the host, private messages, contacts (schemas/README.md §3).

Every envelope is HPKE under an ``info`` that names match, place and recipient, so a copy of it opens
nowhere else. Packets and what a player seals for the host also have a salted commitment beside the sealed
bytes, which anybody can check once the content is opened. Plaintexts are canonical JSON with exactly the
members of that section's table, padded.

Opening raises ``VerificationError``: code ``seal`` if it does not open or holds something else than it
should, code ``commit`` if the content is not what the commitment says.
"""

from __future__ import annotations

import zlib
from typing import Final, Literal, TypeAlias

from pbem.base.errors import FormatError, VerificationError
from pbem.base.sentences import sentence
from pbem.base.shapes.schema import validate
from pbem.game import Json, JsonObject
from pbem.protocol.crypto import identity
from pbem.protocol.crypto.digest import SALT_SIZE, b64, kdf, lp, name64, sha, sha_lp, unb64
from pbem.protocol.crypto.identity import OVERHEAD, pad, seal, unpad, unseal
from pbem.protocol.crypto.primitives import SealKey, SignKey
from pbem.protocol.formats.strict_json import canon, parse_line

Part: TypeAlias = Literal["sealed", "order"]

CONTENT: Final[dict[Part, str]] = {"sealed": "actions", "order": "order"}
"""The member of the plaintext that holds what was sealed."""
MAX_NESTED: Final = 16
"""How deep what is sealed may be nested: it stands deeper in the close that opens it."""
SIZE: Final = {"sealed": 512, "order": 1024, "tell": 512, "contact": 512, "channel": 1536}
"""Bytes that a plaintext is padded to; what does not fit takes the next multiple of 512, but orders must fit."""
ORDERS_TEXT: Final = 3072
"""Orders are shorter than that before they are packed: so much of them stands in the close that opens them."""


# --- packets: schemas/README.md §3.1 ---------------------------------------------------------------------------


def packet_salt(seed_e: bytes, game: bytes, seq: int, seat: str) -> bytes:
    """The salt of one packet; ``seed_e`` is the seed of the record's epoch."""
    return kdf(seed_e, "pbem/1 packet salt", game, seq, seat)[:SALT_SIZE]


def packet_commit(game: bytes, seq: int, seat: str, salt: bytes, body: JsonObject) -> bytes:
    """The commitment to a packet's body."""
    return sha_lp("pbem/1 packet", game, seq, seat, salt, canon(body))


def seal_packet(
    game: bytes, seq: int, seat: str, public: bytes, salt: bytes, body: JsonObject, size: int
) -> JsonObject:
    """The packet ``{"commit", "ct"}`` of one seat, its plaintext padded to ``size``."""
    ct = _sealed({"salt": b64(salt), "body": body}, public, _packet_info(game, seq, seat, public), size)
    return {"commit": b64(packet_commit(game, seq, seat, salt, body)), "ct": ct}


def open_packet(
    game: bytes, seq: int, seat: str, seal_key: SealKey, public: bytes, packet: JsonObject
) -> JsonObject:
    """The body of a packet sealed to ``public``, checked against its commitment."""
    inside = _opened(packet["ct"], seal_key, _packet_info(game, seq, seat, public), {"salt", "body"})
    body = inside["body"]
    if not (isinstance(body, dict) and body.keys() == {"draws", "facts"}):
        raise VerificationError("seal", sentence('the packet does not hold "draws" and "facts"'))
    if b64(packet_commit(game, seq, seat, _salt(inside), body)) != packet["commit"]:
        raise VerificationError("commit", sentence("the packet's content is not what the record commits to"))
    return body


def _packet_info(game: bytes, seq: int, seat: str, public: bytes) -> bytes:
    return lp("pbem/1 packet", game, seq, seat, public)


# --- what a player seals for the host: schemas/README.md §3.2 --------------------------------------------------


def part_commit(part: Part, game: bytes, seat: str, n: int, salt: bytes, content: Json) -> bytes:
    """The commitment to sealed actions (``sealed``: a list) or standing orders (``order``: an object)."""
    return sha_lp(f"pbem/1 {part}", game, seat, n, salt, canon(content))


def seal_part(
    part: Part,
    game: bytes,
    seat: str,
    n: int,
    host_public: bytes,
    own_public: bytes,
    salt16: bytes,
    content: Json,
) -> JsonObject:
    """The member ``sealed`` or ``orders`` of turn file ``n``: ``{"commit", "ct", "own"}``.

    ``own`` is the same text sealed to the seat's own key ``own_public``, so that its player can read it anywhere.
    """
    if len(salt16) != SALT_SIZE:
        raise ValueError(f"a salt has {SALT_SIZE} bytes, found {len(salt16)}")
    plain = _plain({"salt": b64(salt16), CONTENT[part]: content})
    if part == "order":
        length, most = orders_size(content)
        plain = zlib.compress(plain, 9)
        if length > most or len(plain) >= SIZE["order"]:
            raise ValueError(f"these orders do not fit into {SIZE['order']} bytes")
    info, own_info = (
        _part_info(part, game, seat, n, public, own=own)
        for public, own in ((host_public, False), (own_public, True))
    )
    return {
        "commit": b64(part_commit(part, game, seat, n, salt16, content)),
        "ct": b64(seal(pad(plain, SIZE[part]), host_public, info)),
        "own": b64(seal(pad(plain, SIZE[part]), own_public, own_info)),
    }


def orders_size(order: Json) -> tuple[int, int]:
    """The bytes that standing orders take, and how many fit: of their text, or, where that fits, of what is sealed."""
    text = canon({"salt": b64(bytes(range(SALT_SIZE))), "order": order})
    if len(text) >= ORDERS_TEXT:
        return len(text), ORDERS_TEXT - 1
    return len(zlib.compress(text, 9)), SIZE["order"] - _SPARE


_SPARE: Final = 16
"""What the packed text of the same orders may be longer under another salt, padding's first byte included."""


def _unpacked(packed: bytes) -> bytes:
    """The text of orders; it ends where the stream does, and is never longer than it may be."""
    stream = zlib.decompressobj()
    try:
        text = stream.decompress(packed, ORDERS_TEXT)
    except zlib.error:
        text = b""
    if not stream.eof or stream.unused_data or len(text) >= ORDERS_TEXT:
        raise VerificationError("seal", sentence("the sealed orders cannot be unpacked"))
    return text


def check_copies(body: JsonObject, where: str) -> None:
    """Refuse a file whose ``own`` is not as long as the host's ``ct``; of orders the schema says it.

    Raises:
        FormatError: at the place of the copy; ``where`` is that of the body.
    """
    sealed = body.get("sealed")
    if sealed is not None and len(sealed["own"]) != len(sealed["ct"]):
        raise FormatError(
            sentence(
                "expected as many characters as ct has, {expected}, found {count}",
                expected=len(sealed["ct"]),
                count=len(sealed["own"]),
            ),
            where=f"{where}/sealed/own",
        )


def open_part(
    part: Part,
    game: bytes,
    seat: str,
    n: int,
    host_seal_key: SealKey,
    host_public: bytes,
    sealed: JsonObject,
    *,
    bulk: bool = False,
) -> tuple[bytes, Json]:
    """Salt and content of what a player sealed, checked against its commitment; ``bulk``: it stands in a record."""
    info = _part_info(part, game, seat, n, host_public)
    inside = _opened(sealed["ct"], host_seal_key, info, _members(part), packed=part == "order")
    return _part_inside(part, game, seat, n, inside, sealed, bulk=bulk)


def open_own(
    part: Part,
    game: bytes,
    seat: str,
    n: int,
    seal_key: SealKey,
    public: bytes,
    sealed: JsonObject,
) -> tuple[bytes, Json]:
    """The same from the player's own copy, by the key that their seat had when they sealed it."""
    info = _part_info(part, game, seat, n, public, own=True)
    inside = _opened(sealed["own"], seal_key, info, _members(part), packed=part == "order")
    return _part_inside(part, game, seat, n, inside, sealed)


def _members(part: Part) -> set[str]:
    return {"salt", CONTENT[part]}


def _part_inside(
    part: Part, game: bytes, seat: str, n: int, inside: JsonObject, sealed: JsonObject, *, bulk: bool = True
) -> tuple[bytes, Json]:
    member = CONTENT[part]
    salt, content = _salt(inside), inside[member]
    if not proper_content(part, content, bulk=bulk):
        raise VerificationError(
            "seal",
            sentence(
                "the sealed {member} do not have the form that sealed.schema.json asks for", member=member
            ),
        )
    if b64(part_commit(part, game, seat, n, salt, content)) != sealed["commit"]:
        raise VerificationError(
            "commit", sentence("the sealed {member} are not what the file commits to", member=member)
        )
    return salt, content


def _part_info(part: Part, game: bytes, seat: str, n: int, public: bytes, *, own: bool = False) -> bytes:
    return lp(f"pbem/1 {'own ' if own else ''}{part}", game, seat, n, public)


def proper_content(part: Part, content: Json, *, bulk: bool = True) -> bool:
    """Whether this may be sealed: a list of actions or an object with rules (schemas/README.md §3.2), not too deep."""
    try:
        validate("sealed", content, bulk=bulk)
    except FormatError:
        return False
    return isinstance(content, list) == (part == "sealed") and _shallow(content, MAX_NESTED)


def _shallow(value: Json, left: int) -> bool:
    held = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return left >= 0 and all(_shallow(item, left - 1) for item in held)


def spills(ct: str) -> bool:
    """Whether sealed actions are longer than usual: a client warns."""
    return len(unb64(ct)) > SIZE["sealed"] + OVERHEAD


# --- private messages and contacts ------------------------------------------------------------------------


def seal_tell(game: bytes, seat: str, n: int, to: str, public: bytes, text: str) -> JsonObject:
    """One item of ``tell``: a private message from ``seat``, in its file ``n``, to seat ``to``."""
    info = _tell_info(game, seat, n, to, public)
    return {"to": to, "ct": _sealed({"text": text}, public, info, SIZE["tell"])}


def open_tell(
    game: bytes, seat: str, n: int, to: str, seal_key: SealKey, public: bytes, item: JsonObject
) -> str:
    """The private message that ``seat`` sent to ``to`` in its file ``n``."""
    return _text(_opened(item["ct"], seal_key, _tell_info(game, seat, n, to, public), {"text"})["text"])


def _tell_info(game: bytes, seat: str, n: int, to: str, public: bytes) -> bytes:
    return lp("pbem/1 tell", game, seat, n, to, public)


def seal_contact(game: bytes, seat: str, host_public: bytes, mail: str) -> str:
    """The member ``contact`` of a join: the player's mail address, for the host only."""
    info = lp("pbem/1 contact", game, seat, host_public)
    return _sealed({"mail": mail}, host_public, info, SIZE["contact"])


def open_contact(game: bytes, seat: str, host_seal_key: SealKey, host_public: bytes, contact: str) -> str:
    """The mail address in a join."""
    info = lp("pbem/1 contact", game, seat, host_public)
    return _text(_opened(contact, host_seal_key, info, {"mail"})["mail"])


def seal_channel(game: bytes, seat: str, n: int, host_public: bytes, url: str) -> str:
    """The member ``channel`` of a file ``n``: where its seat's own turns are announced; an empty ``url``: nowhere."""
    info = _channel_info(game, seat, n, host_public)
    return _sealed({"url": url}, host_public, info, SIZE["channel"])


def open_channel(
    game: bytes, seat: str, n: int, host_seal_key: SealKey, host_public: bytes, channel: str
) -> str:
    """The address in a ``channel``."""
    info = _channel_info(game, seat, n, host_public)
    return _text(_opened(channel, host_seal_key, info, {"url"})["url"])


def _channel_info(game: bytes, seat: str, n: int, host_public: bytes) -> bytes:
    return lp("pbem/1 channel", game, seat, n, host_public)


# --- the plaintexts -----------------------------------------------------------------------------------------


def _sealed(inside: JsonObject, public: bytes, info: bytes, size: int) -> str:
    return b64(seal(pad(_plain(inside), size), public, info))


def _plain(inside: JsonObject) -> bytes:
    plain = canon(inside)
    parse_line(plain)  # nothing is sealed that nobody could read
    return plain


def _opened(ct: str, key: SealKey, info: bytes, members: set[str], *, packed: bool = False) -> JsonObject:
    """The object inside, which has exactly these members."""
    try:
        plain = unseal(unb64(ct), key, info)
    except FormatError as fault:
        raise VerificationError(
            "seal", sentence("the sealed text is not readable: {fault}", fault=fault)
        ) from None
    return _inside(plain, members, packed=packed)


def _inside(plain: bytes, members: set[str], *, packed: bool = False) -> JsonObject:
    try:
        inside = parse_line(_unpacked(unpad(plain)) if packed else unpad(plain))
    except FormatError as fault:
        raise VerificationError(
            "seal", sentence("the sealed text is not canonical JSON: {fault}", fault=fault)
        ) from None
    if inside.keys() != members:
        names = ", ".join(sorted(members))
        raise VerificationError(
            "seal", sentence("the sealed text does not hold exactly: {names}", names=names)
        )
    return inside


def _salt(inside: JsonObject) -> bytes:
    try:
        return unb64(inside["salt"], SALT_SIZE)
    except FormatError as fault:
        raise VerificationError(
            "seal", sentence("the salt inside is not readable: {fault}", fault=fault)
        ) from None


def _text(text: Json) -> str:
    if not isinstance(text, str):
        raise VerificationError("seal", sentence("the sealed text holds no text"))
    return text


# --- signed -----------------------------------------------------------------------------------------------
#
# Signed files: ``{"body": {…}, "sig": {"key", "value"}}``, and the lines of a game file
# (schemas/README.md §2, §7).
#
# ``sig.key`` is a hint for people and programs; the key to verify with comes from the record and must be
# the same. A message and a record are named by ``body_hash``, never by signature bytes: a signer can make
# several for one body.

SHORTEST_LINE: Final = len('{"body":{},"sig":{"key":"","value":""}}') + 43 + 86
"""Bytes that no record's line is shorter than: its frame, the host's key and their signature."""


def make_file(kind: str, body: JsonObject, key: SignKey, public: bytes) -> JsonObject:
    """``body`` signed as ``kind`` by ``key``, whose public key is ``public``."""
    value = identity.sign(kind, canon(body), key)
    return {"body": body, "sig": {"key": b64(public), "value": b64(value)}}


def verify_file(kind: str, file: JsonObject, public: bytes) -> None:
    """Return if ``file`` is a file of ``kind`` signed by ``public``.

    Raises:
        VerificationError: code ``signature``.
    """
    body, sig = _parts(file)
    if sig["key"] != name64(public):
        raise VerificationError("signature", sentence("signed by another key than the one expected here"))
    try:
        value = unb64(sig["value"], identity.SIGNATURE_SIZE)
    except FormatError as fault:
        raise VerificationError(
            "signature", sentence("the signature is not readable: {fault}", fault=fault)
        ) from None
    identity.verify(kind, canon(body), public, value)


def make_entry(body: JsonObject, key: SignKey, public: bytes, game: bytes | None) -> JsonObject:
    """A record signed by the host; ``game`` is the name of record 0, None for record 0 itself."""
    name = body_hash(body)
    value = identity.sign_record(name if game is None else game, body["seq"], name, key)
    return {"body": body, "sig": {"key": b64(public), "value": b64(value)}}


def body_hash(body: JsonObject) -> bytes:
    """The name of a message or record: SHA(canon(body))."""
    return sha(canon(body))


def line_of(file: JsonObject) -> bytes:
    """The line of a record, without its line feed."""
    return canon(file)


def _parts(file: Json) -> tuple[JsonObject, JsonObject]:
    sig = file.get("sig") if isinstance(file, dict) else None
    if not isinstance(sig, dict) or file.keys() != {"body", "sig"} or sig.keys() != {"key", "value"}:
        raise VerificationError(
            "signature", sentence('not a signed file: expected "body", and "sig" with "key" and "value"')
        )
    return file["body"], sig
