"""The player's side with nothing but plain Python: ``python -m tests.system.bare``.

Compiled libraries, databases, terminals, network and POSIX are taken away before anything else of pbem is imported;
the primitives come from functions on bytes, as in a page. Then a player takes a turn: they look at their choices and at
the picture, signs, is checked, and the host rules. What is printed is JSON: the answer of ``evening``, and what a
client says while the page does not hold its lock.
"""

from __future__ import annotations

import builtins
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from pbem.protocol.crypto.foreign import Foreign
from pbem.protocol.crypto.native import Native
from pbem.protocol.crypto.primitives import Unfit
from pbem.protocol.crypto.provider import use
from tests.system.elsewhere import become

GONE = (
    "_sqlite3", "_ssl", "babel", "css_inline", "imap_tools", "jsonschema", "keyring", "orjson", "PIL", "psycopg",
    "pydantic", "resvg_py", "rich", "segno", "sqlite3", "ssl", "subprocess", "textual", "typer",
)  # fmt: skip


class NativeSums:
    """What a page brings, from the library of this Python."""

    def __init__(self) -> None:
        self._native = Native()
        self.verifies, self.scrypt, self.gcm_seal = (
            self._native.verifies,
            self._native.scrypt,
            self._native.gcm_seal,
        )

    def sign_public(self, seed: bytes) -> bytes:
        return self._native.sign_key(seed).public

    def sign(self, seed: bytes, message: bytes) -> bytes:
        return self._native.sign_key(seed).sign(message)

    def agree(self, scalar: bytes, public: bytes) -> bytes | None:
        try:
            return self._native.seal_key(scalar).agree(public)
        except Unfit:
            return None

    def gcm_open(self, key: bytes, nonce: bytes, sealed: bytes, data: bytes) -> bytes | None:
        try:
            return self._native.gcm_open(key, nonce, sealed, data)
        except Unfit:
            return None


def main() -> None:
    """Take away, play, print."""
    use(Foreign(NativeSums()))
    for name in [*sys.modules]:
        if name.partition(".")[0] in GONE:
            del sys.modules[name]
    for name in GONE:
        sys.modules[name] = None  # type: ignore[assignment]
    become("plain")
    known = builtins.__import__

    def imported(name: str, of: Any = None, *rest: Any, **named: Any) -> Any:
        """``cryptography`` imports parts of itself when used, so it stays; only the page's sums may ask for it."""
        asks = str((of or {}).get("__name__"))
        if (
            name.partition(".")[0] == "cryptography"
            and asks.startswith("pbem.")
            and asks != Native.__module__
        ):
            raise ModuleNotFoundError(name)
        return known(name, of, *rest, **named)

    builtins.__dict__["__import__"] = imported
    from pbem.base.errors import StoreError
    from pbem.base.system import plain, platform
    from pbem.player.store import MatchFolder
    from tests.pyodide.questions import ask

    assert platform is plain
    plain.guard(lambda: True)
    played = ask("evening", "wyatt-earp", 14, "en")
    plain.guard(lambda: False)
    with tempfile.TemporaryDirectory() as folder:
        try:
            with MatchFolder(Path(folder)).lock():
                kept_out = ""
        except StoreError as fault:
            kept_out = str(fault)
    print(json.dumps({"played": played, "kept out": kept_out}))


if __name__ == "__main__":
    main()
