"""Hostile bytes of any length, by the reader they go to: the worst that were thought of, attacked with, or found.

Every family is a function of a length; what it makes has about that many bytes.
"""

from __future__ import annotations

import base64
import io
import zipfile
import zlib
from collections.abc import Callable
from functools import cache
from typing import Final

from pbem.protocol.crypto import digest as base32
from pbem.protocol.crypto.digest import sha

Family = Callable[[int], bytes]
MOST_PARTS: Final = 38
"""Parts that a mail may have, with space for what stands around them."""
HEAD: Final = b"From: anna@players.test\r\nMessage-ID: <1@players.test>\r\n"


def filled(token: str, size: int) -> str:
    """A token again and again, up to this many bytes."""
    return token * max(1, size // len(token.encode()))


def text(token: str, begin: str = "", end: str = "", kind: str = "plain") -> Family:
    """A mail of one text part."""
    head = HEAD + f"Content-Type: text/{kind}; charset=utf-8\r\n\r\n".encode()
    return lambda size: head + (begin + filled(token, size - len(head)) + end).encode()


def header(name: str, token: str, begin: str = "", most: int = 60_000) -> Family:
    """A mail with one long header; where a longer one does not pass, with parts that have one each, as many as pass."""

    def line(size: int) -> bytes:
        return f"{name}: {begin}{filled(token, size)}\r\n".encode()

    def make(size: int) -> bytes:
        if size <= most:
            return HEAD + line(size) + b"\r\n"
        own = b"" if name == "Content-Type" else line(most)
        out = [HEAD, own, b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n']
        left = size - len(own)
        while left > 0 and len(out) < MOST_PARTS:
            out.append(b"--b\r\n" + line(min(left, most)) + b"\r\nx\r\n")
            left -= len(out[-1])
        return b"".join([*out, filled(token, max(left, 0)).encode(), b"\r\n--b--\r\n"])

    return make


def part_header(token: str, begin: str) -> Family:
    """A mail with one part whose content type is long."""
    return lambda size: (
        HEAD + b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain'
        + (begin + filled(token, size)).encode() + b"\r\n\r\nx\r\n--b--\r\n"
    )  # fmt: skip


def encoded(encoding: str, token: str) -> Family:
    """A mail with a transfer encoding."""
    head = HEAD + f"Content-Type: text/plain\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n".encode()
    return lambda size: head + filled(token, size).encode()


def parts(
    inside: Callable[[int], bytes], kind: str = "application/octet-stream", most: int = MOST_PARTS
) -> Family:
    """A mail with many parts: as many as pass, each with its share."""

    def make(size: int) -> bytes:
        out = [HEAD, b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n']
        left, share = size, max(400, size // most)
        while left > 0:
            data = base64.encodebytes(inside(share * 3 // 4)).replace(b"\n", b"\r\n")
            out.append(
                f"--b\r\nContent-Type: {kind}\r\nContent-Transfer-Encoding: base64\r\n\r\n".encode() + data
            )
            left -= max(share, len(data))
        return b"".join([*out, b"--b--\r\n"])

    return make


def zipped(token: str, most: int = 60_000) -> Callable[[int], bytes]:
    """An archive of about this many bytes whose files unfold to as much as is taken."""

    def make(size: int) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for number in range(4):
                archive.writestr(str(number), filled(token, min(most, size * 200)))
        return out.getvalue()

    return cache(make)


def tiny_parts(line: bytes) -> Family:
    """Parts of nothing."""
    head = HEAD + b'Content-Type: multipart/digest; boundary="b"\r\n\r\n'
    return lambda size: head + line * (size // len(line))


def nested(size: int) -> bytes:
    """Multiparts in multiparts, as deep as passes, around short lines."""
    head, tail = HEAD, b""
    for level in range(7):
        mark = b"b%d" % level
        head += b'Content-Type: multipart/mixed; boundary="' + mark + b'"\r\n\r\n--' + mark + b"\r\n"
        tail = b"\r\n--" + mark + b"--\r\n" + tail
    return head + b"\r\n" + b"abcdefghijklmnopqrstuvwxyz12345\r\n" * (size // 33) + tail


def mails(size: int) -> bytes:
    """Emails in mails, as deep as passes."""
    return HEAD + b"Content-Type: message/rfc822\r\n\r\n" * 4 + b"x" * size


def bomb(size: int) -> bytes:
    """Armour blocks of nothing but blanks: 64 KiB each, out of a hundred characters."""
    packed = zlib.compress(b" " * 65_000, 9)
    block = "PBEM1BEGIN " + base32.encode(packed + sha(packed)[:4]) + " PBEM1END\n"
    return text(block)(min(size, 31 * len(block) + 100)) + b"words " * ((size - 31 * len(block)) // 6)


BROKEN: Final = '> {“body":{"a":1,"b":"— … “x”"},\r\n>  "sig":{"key":"k","value":"v"}} \r\n'

MAIL: Final[dict[str, Family]] = {
    "words": text("and so it goes, my friend\r\n"),
    "short lines": text("a b c d e f g h i j k l m n o\r\n"),
    "lines of one letter": lambda size: text("x\n")(min(size, 38_000)) + b"word " * ((size - 38_000) // 5),
    "HTML: style opened": text("<style>", kind="html"),
    "HTML: head opened and closed": text("<head></head>", kind="html"),
    "HTML: nested blocks": text("<div>", kind="html"),
    "HTML: half tags": text("<p ", kind="html"),
    "HTML: entities": text("&#x41;&notit;", kind="html"),
    "HTML: a number of digits": text("9", "&#", ";", kind="html"),
    "HTML: comments": text("<!-- x -->", kind="html"),
    "JSON: escaped quotes": text('\\"', '{"body":{"a":"'),
    "JSON: braces": text('{"body":'),
    "JSON: brackets": text("[", '{"body":'),
    "JSON: broken, quoted, wrapped": text(BROKEN),
    "JSON: blanks without an end": text(" ", '{"body":1'),
    "JSON: line ends": text(" \r\n", '{"body":1,"x":'),
    "JSON: many wrong files": text('{"body":{"n":1},"sig":{"key":"","value":""}} \n'),
    "JSON: one great object": text('{"a":[[],{},"“x”"]},', '{"body":{"b":[', "]}"),
    "armour: begin markers": text("PBEM1BEGIN 00 PBEM1END "),
    "armour: one long block": text("0 ", "PBEM1BEGIN ", " PBEM1END"),
    "armour: other alphabets": text("é1PBEMß"),
    "armour: bombs": bomb,
    "command: blanks": text(" ", "STATUS", "%"),
    "zips of broken JSON": parts(zipped('{"body":{"a":"“\\"'), "application/zip"),
    "zips of braces": parts(zipped('{"body":'), "application/zip"),
    "zips of HTML": parts(zipped("<html><head>"), "application/zip"),
    "zips of nothing": parts(zipped("\0"), "application/zip"),
    "parts of broken JSON": parts(lambda size: filled(BROKEN, size).encode(), "text/plain"),
    "parts of HTML": parts(lambda size: filled("<div>&amp;", size).encode(), "text/html"),
    "multiparts in multiparts": nested,
    "mails in mails": mails,
    "headers: brackets": header("From", "("),
    "headers: encoded words": header("Subject", "=?utf-8?q?a?= "),
    "headers: addresses": header("To", "a@b.c, "),
    "headers: parameters": header("Content-Type", ' ;"', "text/plain", 3900),
    "headers: continued parameters": header("Content-Type", ";a*0*=x", "text/plain", 3900),
    "headers: many": lambda size: (
        HEAD + b"X-A: b\r\n" * (min(size, 60_000) // 8) + b"\r\n" + b"word " * ((size - 60_000) // 5)
    ),
    "base64 of junk": encoded("base64", "!=A\r\n====Zm9v====abcdefghijklmno"),
    "quoted-printable of junk": encoded("quoted-printable", "=\r\n==3D=Z=abcdefghijklmnopqrstu"),
    "uuencode of junk": encoded("x-uuencode", "begin 666 x\r\nM#\x20abcdefghijklmnopqrst\r\n"),
}
"""What passes the gate, so that all of it is looked at."""

REFUSED: Final[dict[str, Family]] = {
    "ten thousand parts": tiny_parts(b"--b\r\n\r\nx\r\n"),
    "a content type of parameters": part_header(';"', ";"),
    "line ends of the old kind": lambda size: HEAD + b"\r" * size,
    "a header without end": lambda size: HEAD + b"X: " + b"y\r\n " * (size // 4),
    "mails in mails in mails": lambda size: HEAD + b"Content-Type: message/rfc822\r\n\r\n" * (size // 33),
    "the same with old line ends": lambda size: HEAD + b"Content-Type: message/rfc822\r\r" * (size // 31),
    "a report of empty blocks": lambda size: (
        HEAD + b"Content-Type: message/delivery-status\r\n\r\n" + b"\r\n\r\n" * (size // 4)
    ),
}
"""What must cost less than being looked at."""


def string(token: bytes, begin: bytes, end: bytes = b"") -> Family:
    """JSON out of one token."""
    return lambda size: begin + token * ((size - len(begin) - len(end)) // len(token)) + end


JSON: Final[dict[str, Family]] = {
    "a string": string(b"a", b'{"body":"', b'"}'),
    "escaped quotes": string(b'\\"', b'{"body":"', b'"}'),
    "escaped quotes without end": string(b'"\\', b'{"body":'),
    "quotes": string(b'"', b'{"body":'),
    "brackets": string(b"[", b'{"body":'),
    "empty lists": string(b"[],", b'{"body":[', b"1]}"),
    "small objects": string(b'{"a":1},', b'{"body":[', b"1]}"),
    "strings of brackets": string(b'"[",', b'{"body":[', b"1]}"),
    "strings of brackets without commas": string(b'"["', b'{"body":'),
    "members": string(b'"a":1,', b'{"body":{', b'"b":1}}'),
    "numbers": string(b"1,", b'{"body":[', b"1]}"),
    "one number": string(b"9", b'{"body":', b"}"),
    "escapes": string(b"\\u00e9", b'{"body":"', b'"}'),
    "letters beyond ASCII": string("é".encode(), b'{"body":"', b'"}'),
    "marks to be ordered": string("\u0316\u0301".encode(), b'{"body":"a', b'"}'),
    "signature marks": string(b'"sig":{', b'{"body":{', b"}}"),
}
"""Signed files, record lines and identity files."""

BOX: Final[dict[str, Family]] = {
    "From lines": string(b"From \n\n", b"From x\n"),
    "short letters": string(b"From a@b.c Sat Nov 21 2026\nSubject: x\n\ny\n\n", b""),
    "one letter": string(b"words and words\n", b"From x\nSubject: x\n\n"),
}
