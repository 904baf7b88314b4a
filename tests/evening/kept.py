"""A keyring for tests: what a desktop keeps under the user's login, here in a file beside the test."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from keyring.backend import KeyringBackend


class FileKeyring(KeyringBackend):
    """Named by ``PYTHON_KEYRING_BACKEND``; the file by ``PBEM_TEST_KEYRING``."""

    priority: Any = 1

    @property
    def _path(self) -> Path:
        return Path(os.environ["PBEM_TEST_KEYRING"])

    def _all(self) -> dict[str, str]:
        secrets: dict[str, str] = json.loads(self._path.read_text()) if self._path.exists() else {}
        return secrets

    def get_password(self, service: str, username: str) -> str | None:
        """What is kept."""
        return self._all().get(f"{service}/{username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep it."""
        self._path.write_text(json.dumps(self._all() | {f"{service}/{username}": password}))

    def delete_password(self, service: str, username: str) -> None:
        """Forget it."""
        self._path.write_text(
            json.dumps({k: v for k, v in self._all().items() if k != f"{service}/{username}"})
        )
