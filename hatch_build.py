"""The build hook of hatchling: compiles the message catalogues, which are not in the repository, into the wheel."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledCatalogues(BuildHookInterface):
    """Puts ``templates`` into the wheel, with ``pbem.mo`` in place of each ``pbem.po``."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile what is missing or older than its source; an editable wheel (``version``) only needs that."""
        mo_bytes = runpy.run_path(str(Path(self.root, "pbem/base/language/catalogue.py")))["mo_bytes"]
        templates = Path(self.root, "templates")
        for po in templates.rglob("*.po"):
            mo_bytes(po)
        if version != "editable":
            for path in sorted(templates.rglob("*")):
                if path.is_file() and path.suffix not in (".po", ".pot"):
                    inside = f"pbem/_data/templates/{path.relative_to(templates).as_posix()}"
                    build_data["force_include"][str(path)] = inside
