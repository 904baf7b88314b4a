"""Message catalogues as gettext reads them: ``pbem.mo``, compiled from the translators' ``pbem.po``.

Compiled catalogues are in no repository. A wheel contains them (``hatch_build.py`` compiles them there); in a checkout,
and for a game that brings only ``pbem.po``, they are compiled when they are first needed or older than their source.
``hatch_build.py`` loads this module by its path, so it imports the standard library and Babel only.
"""

from __future__ import annotations

import os
from collections.abc import Container
from datetime import UTC, datetime
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path
from typing import Final

_NO_CLOCK: Final = datetime(2026, 1, 1, tzinfo=UTC)


def translations(po: Path) -> GNUTranslations:
    """The catalogue of ``po``; where its folder cannot be written, it is compiled in memory each time.

    Raises:
        OSError: neither ``po`` nor the ``.mo`` file beside it can be read.
    """
    return GNUTranslations(BytesIO(mo_bytes(po)))


def mo_bytes(po: Path) -> bytes:
    """The bytes of the ``.mo`` file beside ``po``, written first if it is missing or older than ``po``."""
    mo = po.with_suffix(".mo")
    if mo.is_file() and (not po.is_file() or mo.stat().st_mtime_ns >= po.stat().st_mtime_ns):
        return mo.read_bytes()
    compiled = compiled_catalogue(po.read_bytes())
    scratch = mo.with_name(f".{mo.name}.{os.getpid()}")
    try:
        scratch.write_bytes(compiled)
        scratch.replace(mo)
    except OSError:
        scratch.unlink(missing_ok=True)
    return compiled


def compiled_catalogue(source: bytes, places: Container[str] | None = None) -> bytes:
    """A ``.po`` file as a ``.mo`` file: the same bytes for the same source; what is not translated is left out.

    ``places``: files of the repository; a message that stands in none of them is left out too. None: all are kept.
    """
    from babel.messages import mofile, pofile

    catalogue = pofile.read_po(BytesIO(source))
    for message in list(catalogue):
        strings = [message.string] if isinstance(message.string, str) else message.string or ()
        used = places is None or any(place in places for place, _ in message.locations)
        if message.id and not (used and all(strings)):
            catalogue.delete(message.id, message.context)
    catalogue.creation_date = _NO_CLOCK
    file = BytesIO()
    mofile.write_mo(file, catalogue)
    return file.getvalue()
