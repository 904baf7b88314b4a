"""Another version of a built page, as its own project would build it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pbem.web.build import HASHES, SERVICE, integrity, service_of


def another_version(files: Mapping[str, bytes], version: str) -> dict[str, bytes]:
    """The same page under another number, which stands in its English title, too."""
    words = json.loads(files["words-en.json"])
    words["title"] += f" {version}"
    made = {
        **files,
        "words-en.json": json.dumps(words).encode(),
        "built.json": json.dumps({**json.loads(files["built.json"]), "version": version}).encode(),
    }
    told = {name: integrity(made[name]) for name in json.loads(files[HASHES])["files"]}
    sizes = {name: len(made[name]) for name in told}
    made[HASHES] = json.dumps({"version": version, "files": told, "sizes": sizes}).encode()
    made[SERVICE] = service_of(made[HASHES])
    return made
