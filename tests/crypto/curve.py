"""Edwards25519 written out (RFC 8032 §5.1), to make keys and signatures that no library makes."""

from __future__ import annotations

import hashlib

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
Point = tuple[int, int]


def add(a: Point, b: Point) -> Point:
    k = D * a[0] * b[0] * a[1] * b[1] % P
    x = (a[0] * b[1] + a[1] * b[0]) * pow(1 + k, -1, P) % P
    y = (a[1] * b[1] + a[0] * b[0]) * pow(1 - k, -1, P) % P
    return x, y


def times(n: int, point: Point) -> Point:
    product = (0, 1)
    while n:
        if n & 1:
            product = add(product, point)
        point, n = add(point, point), n >> 1
    return product


def root(y: int) -> int | None:
    """An x with (x, y) on the curve."""
    x2 = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(x2, (P + 3) // 8, P)
    for candidate in (x, x * pow(2, (P - 1) // 4, P) % P):
        if candidate * candidate % P == x2:
            return candidate
    return None


def encode(point: Point) -> bytes:
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def decode(encoded: bytes) -> Point:
    """The point of an encoding that has one."""
    number = int.from_bytes(encoded, "little")
    y, sign = number & (1 << 255) - 1, number >> 255
    x = root(y)
    assert x is not None
    return (x if x & 1 == sign else P - x), y


def small_points() -> list[Point]:
    """All eight points whose order divides 8: L times something that is not in the prime-order group."""
    for y in range(2, 100):
        x = root(y)
        if x is None:
            continue
        generator = times(L, (x, y))
        if times(4, generator) != (0, 1):
            return [times(k, generator) for k in range(8)]
    raise AssertionError("no point of order 8 found")


BASE = (root(4 * pow(5, -1, P) % P) or 0, 4 * pow(5, -1, P) % P)
if BASE[0] & 1:
    BASE = (P - BASE[0], BASE[1])
SMALL = small_points()


def challenge(commitment: bytes, public: bytes, message: bytes) -> int:
    """k = SHA-512(R ‖ A ‖ M) mod L."""
    return int.from_bytes(hashlib.sha512(commitment + public + message).digest(), "little") % L


def with_torsion(seed: bytes, message: bytes) -> bytes:
    """A signature of the key with this seed whose R has a part of order 8: 8·S·B = 8·R + 8·k·A, but S·B ≠ R + k·A."""
    clamped = bytearray(hashlib.sha512(seed).digest()[:32])
    clamped[0] &= 248
    clamped[31] = clamped[31] & 127 | 64
    secret = int.from_bytes(clamped, "little")
    nonce = int.from_bytes(hashlib.sha512(b"TEST nonce" + message).digest(), "little") % L
    commitment = encode(add(times(nonce, BASE), SMALL[1]))
    scalar = nonce + challenge(commitment, encode(times(secret, BASE)), message) * secret
    return commitment + (scalar % L).to_bytes(32, "little")
