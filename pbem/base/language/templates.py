"""Where templates are found, and their bytecode, kept so that they are compiled once per installation.

They lie in ``templates/``, those of a game installed beside ours in its own package. Their bytecode lies where Python
keeps that of the modules. Where a program is shipped with its templates compiled (``use_shipped``: the web app), both
are of one release. Else that is ``__pycache__`` beside the templates, or wherever ``PYTHONPYCACHEPREFIX`` says; nothing
is written where Python writes none. Who can write there can change the program itself, so it is believed as much as the
program. Where nothing can be written every process compiles for itself. What is compiled has no language.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.util import cache_from_source
from io import BytesIO
from pathlib import Path
from types import CodeType

from jinja2 import BaseLoader, BytecodeCache, ChoiceLoader, Environment, FileSystemLoader, TemplateNotFound
from jinja2.bccache import Bucket

from pbem.base import system
from pbem.base.resources import data_dir, game_dir, installed_games
from pbem.base.system.program import program_stamp


class _OtherGames(BaseLoader):
    """``GAME/words.jinja`` of games that are not ours; looks for them only when ours have no such template."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        game, _, name = template.partition("/")
        if not name or game not in installed_games():
            raise TemplateNotFound(template)
        source, path, fresh = FileSystemLoader(_folder(game)).get_source(environment, name)
        return source, path, fresh


def _folder(game: str) -> Path:
    return game_dir(game, "templates")


def template_loader() -> BaseLoader:
    """``letter.txt.jinja``, ``GAME/words.jinja``: a game's templates stand under its id wherever they lie."""
    return ChoiceLoader([FileSystemLoader(data_dir("templates")), _OtherGames()])


# --- compiled ---------------------------------------------------------------------------------------------

_shipped: list[bool] = []


def use_shipped() -> None:
    """From now on what lies compiled beside the templates is of the program's own release, whatever its stamp."""
    _shipped.append(True)


class TemplateCache(BytecodeCache):
    """The compiled templates of one ``flavour``, the same for its environments in all languages."""

    def __init__(self, flavour: str) -> None:
        self._flavour = flavour
        self._loaded: dict[tuple[str, str], CodeType] = {}

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """Where a template lies, a game's that is installed beside ours too; its name if it comes from no file."""
        return filename or name

    def get_source_checksum(self, source: str) -> str:
        """The template's words and the program's code, whose filters may be folded into what is compiled."""
        stamp = b"" if _shipped else program_stamp()
        return sha256(stamp + source.encode()).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take what is kept; what does not fit is compiled again."""
        bucket.code = self._loaded.get((bucket.key, bucket.checksum))
        if bucket.code is None:
            with suppress(OSError, EOFError, ValueError, NotImplementedError):
                bucket.load_bytecode(BytesIO(self._place(bucket.key).read_bytes()))
            self._keep(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled, whole or not at all."""
        self._keep(bucket)
        if sys.dont_write_bytecode:
            return
        with suppress(OSError, NotImplementedError):
            place = self._place(bucket.key)
            place.parent.mkdir(parents=True, exist_ok=True)  # Python may keep bytecode far from what it is of
            temporary = place.with_name(f"{place.name}.{os.getpid()}.tmp")
            temporary.write_bytes(bucket.bytecode_to_string())
            system.replace(temporary, place)

    def _keep(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            self._loaded[bucket.key, bucket.checksum] = bucket.code

    def _place(self, key: str) -> Path:
        return Path(cache_from_source(f"{key}.{self._flavour}.py"))


template_cache = cache(TemplateCache)
