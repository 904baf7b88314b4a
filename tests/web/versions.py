"""Another version of a built page, as its own project would build it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pbem.web.build import HASHES, SERVICE, integrity, service_of


def another_version(files: Mapping[str, bytes], version: str) -> dict[str, bytes]:
    """The same page under another number, which stands in its English title, too."""
    words = json.loads(files["words-en.json"])
    words["title"] += f" {version}"
    members = {
        **files,
        "words-en.json": json.dumps(words).encode(),
        "built.json": json.dumps({**json.loads(files["built.json"]), "version": version}).encode(),
    }
    return released(members, version)


def released(files: Mapping[str, bytes], version: str) -> dict[str, bytes]:
    """These files with hashes of their own, as a release of that number."""
    integrities = {name: integrity(files[name]) for name in json.loads(files[HASHES])["files"]}
    sizes = {name: len(files[name]) for name in integrities}
    hashes = json.dumps({"version": version, "files": integrities, "sizes": sizes}).encode()
    return {**files, HASHES: hashes, SERVICE: service_of(hashes)}
