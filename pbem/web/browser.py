"""Where Python begins in the page: libsodium does the sums, the browser keeps the folder, one ``Worker`` answers."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pbem.base.language.language import AskedZone, use_zones
from pbem.base.language.templates import use_shipped
from pbem.base.system.program import use_stamp
from pbem.protocol.crypto.foreign import of_page
from pbem.protocol.crypto.provider import use
from pbem.web.worker import Worker


def start(
    secrets: str,
    root: str,
    primitives: Any,
    lang: str,
    offset: Callable[[str, int], float | None],
    known: Any,
    stamp: str,
) -> Worker:
    """The worker over the folder ``root``; ``secrets`` is JSON, base64 by the name of each match.

    ``primitives`` is what ``primitives.mjs`` makes: whoever does the sums from now on. ``lang``: what is spoken.
    ``offset`` gives for a zone and a time (seconds since 1970) how many seconds its clocks are ahead of UTC.
    ``known``: bytes by the name of each match, what ``Worker.verified`` gave before. ``stamp``: the page's fingerprint.
    """
    use_shipped()
    use_stamp(bytes.fromhex(stamp))
    use(of_page(primitives))
    use_zones(lambda zone: AskedZone(zone, offset))
    kept = {name: base64.b64decode(secret) for name, secret in json.loads(secrets).items()}
    before = {name: bytes(raw) for name, raw in known.to_py().items()}
    return Worker(Path(root), kept, os.urandom, lang=lang, known=before)
