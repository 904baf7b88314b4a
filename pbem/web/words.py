"""Every sentence of the page that is its own (``templates/page.json``).

What a match says comes from ``player.play`` and the game's templates. They are written into the built page, one file
for each language, so that it speaks before Python has started; ``{n}`` and the like are filled in by the page.
"""

from __future__ import annotations

import json
from typing import Final

from pbem.base.resources import data_dir

OWN_WORDS: Final = "page.json"
PAGE_WORDS: Final[dict[str, str]] = json.loads(
    (data_dir("templates") / OWN_WORDS).read_text(encoding="utf-8")
)
"""By the keys that the page asks for them with."""
