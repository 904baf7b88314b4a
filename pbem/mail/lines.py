"""Lines of a game file, known by how they begin."""

from __future__ import annotations

import re
from typing import Final

_RECORD: Final = re.compile(rb'"prev":"[A-Za-z0-9_-]{0,43}"')


def lines_in(data: bytes) -> tuple[bytes, ...] | None:
    """The records of a game file or a part of one; None if the bytes do not begin like one."""
    clean = data.lstrip(b" \t\r\n\xef\xbb\xbf")
    if not clean.startswith(b'{"body":{'):
        return None
    clean = clean.replace(b"\r\n", b"\n")
    first = clean.partition(b"\n")[0]
    if not first.endswith(b"}}") or b'"sig":{' not in first or _RECORD.search(first) is None:
        return None
    return tuple(line for line in clean.split(b"\n") if line)
