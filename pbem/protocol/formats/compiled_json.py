"""The two quick halves of ``strict_json``, by ``orjson``: where that is not installed, they are done in plain Python.

No other module imports ``orjson``; an import contract holds that.
"""

from __future__ import annotations

from typing import Final

import orjson

from pbem.game import Json

_CANONICAL: Final = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_PASSTHROUGH_SUBCLASS
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
)


def written(value: Json) -> bytes:
    """The canonical bytes of ``value``; with ``null`` somewhere in them if it may have none."""
    try:
        return orjson.dumps(value, option=_CANONICAL)  # it writes null for NaN, too
    except TypeError:
        return b"null"


def value_of(line: bytes) -> Json:
    """The value that ``line`` is the canonical form of; None if it is none, or of one nested 255 deep."""
    try:
        value: Json = orjson.loads(line)
        return value if orjson.dumps(value, option=_CANONICAL) == line else None
    except (ValueError, TypeError):
        return None


def again(line: bytes) -> Json:
    """The value of a line that ``value_of`` took before."""
    value: Json = orjson.loads(line)
    return value


def spelt(number: float) -> str:
    """A fraction as it stood in a line that ``value_of`` took."""
    return orjson.dumps(number).decode()
