"""Judging a parsed value by one of ``schemas/``, the only statement of what a value may look like.

``validate("turn", obj)`` reads ``schemas/turn.schema.json``, ``validate("wyatt-earp/action", obj)``
``schemas/wyatt-earp/action.schema.json``; each is read and compiled once per process. Names are ours, never foreign.
"""

from __future__ import annotations

import json
from functools import lru_cache

from pbem.errors import FormatError
from pbem.formats.compiled import Compiled
from pbem.formats.explain import Path, explain
from pbem.formats.strict_json import pointer
from pbem.game import Json, JsonObject
from pbem.resources import data_dir, game_dir


def validate(name: str, obj: Json) -> None:
    """Return if ``obj`` is what the schema ``name`` allows.

    Raises:
        FormatError: the first fault, ``where`` it is (JSON Pointer), what was expected and found.
    """
    _form(name).validate(obj)


class Form:
    """One schema, ready to judge values."""

    def __init__(self, schema: JsonObject) -> None:
        self._schema = schema
        self._compiled = Compiled(schema)
        self._check = self._compiled.check(schema)

    def validate(self, obj: Json, where: Path = ()) -> None:
        """Return if ``obj``, which stands at ``where``, is what the schema allows; ``FormatError`` as ``validate``."""
        if not self._check(obj):
            fault = explain(self._compiled, self._schema, obj, where)
            raise FormatError(fault.sentence, where=pointer(*fault.path))


@lru_cache(maxsize=256)
def narrowed(name: str, words: tuple[tuple[str, tuple[str, ...]], ...]) -> Form:
    """A game's schema in one match: these of its definitions (``seat``, …) allow these words and no others.

    A definition ``public`` says how a value may stand in a record instead, when its secret part is left out.
    """
    schema = load(name)
    definitions = {**schema.get("$defs", {}), **{which: {"enum": list(allowed)} for which, allowed in words}}
    if "public" in definitions:
        schema = {"anyOf": [schema, {"$ref": "#/$defs/public"}]}
    return Form({**schema, "$defs": definitions})


@lru_cache(maxsize=64)
def load(name: str) -> JsonObject:
    """The schema itself, as JSON; do not change what you are given."""
    game, _, form = name.rpartition("/")
    path = (game_dir(game, "schemas") if game else data_dir("schemas")) / f"{form}.schema.json"
    schema: JsonObject = json.loads(path.read_bytes())
    return schema


@lru_cache(maxsize=64)
def _form(name: str) -> Form:
    return Form(load(name))
