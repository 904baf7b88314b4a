"""What this Python says of strings: JSON on standard input, ``1`` or ``0`` for each on standard output.

Started by the tests with every Python that there is. It needs no package but the modules that judge: others of the same
packages, and what they import, are left out.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Judge."""
    sys.path.insert(0, str(ROOT))
    for name in ("pbem", "pbem.base", "pbem.protocol", "pbem.protocol.formats"):
        bare = ModuleType(name)
        bare.__path__ = [str(ROOT.joinpath(*name.split(".")))]
        sys.modules[name] = bare
    from pbem.protocol.formats.strict_json import forbidden
    from pbem.protocol.formats.unicode import nfc, unassigned

    for text in json.load(sys.stdin):
        print(int(not forbidden(text) and not unassigned(text) and nfc(text) == text))


if __name__ == "__main__":
    main()
