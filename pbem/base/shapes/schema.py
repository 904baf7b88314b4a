"""Judging a parsed value by one of ``schemas/``, the only statement of what a value may look like.

``validate("turn", obj)`` reads ``schemas/turn.schema.json``, ``validate("wyatt-earp/action", obj)``
``schemas/wyatt-earp/action.schema.json``; each is read once per process. Names are ours, never foreign.

Two judges say yes or no, and mean the same: ``jsonschema`` for what people hand in, compiled predicates for what is
read in bulk (``bulk=True``: records and what is in them) and for everything in the browser page.
"""

from __future__ import annotations

import json
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from pbem.base.errors import FormatError
from pbem.base.resources import data_dir, game_dir
from pbem.base.shapes.compiled import Compiled
from pbem.base.shapes.explain import Complaint, Explaining, Path, every_fault, explain
from pbem.game import Json, JsonObject, Words

if TYPE_CHECKING:
    from pbem.base.shapes.judge import LibraryJudge


def validate(name: str, obj: Json, *, bulk: bool = False) -> None:
    """Return if ``obj`` is what the schema ``name`` allows.

    Raises:
        FormatError: the first fault, ``where`` it is (JSON Pointer), what was expected and found.
    """
    form(name).validate(obj, bulk=bulk)


class Form:
    """One schema, ready to judge values."""

    def __init__(self, schema: JsonObject) -> None:
        self._compiled = Compiled(schema)
        self._check = self._compiled.check(schema)

    def validate(self, obj: Json, where: Path = (), *, bulk: bool = False) -> None:
        """Return if ``obj``, which stands at ``where``, is what the schema allows; ``FormatError`` as ``validate``."""
        if not self._accepts(obj, bulk):
            fault = explain(*self._explaining(bulk), obj, where)
            raise FormatError(fault.sentence, where=pointer(*fault.path))

    def fault(self, obj: Json, *, bulk: bool = False) -> Complaint | None:
        """The first thing that is wrong with ``obj``, to be told in somebody's own words; None if nothing is."""
        return None if self._accepts(obj, bulk) else explain(*self._explaining(bulk), obj)

    def faults(self, obj: Json) -> list[Complaint]:
        """What is wrong with ``obj``, for a file that somebody mends by hand; empty if nothing is."""
        return [] if self._accepts(obj, bulk=False) else list(every_fault(*self._explaining(bulk=False), obj))

    def _accepts(self, obj: Json, bulk: bool) -> bool:
        return self._check(obj) if bulk else self._judge.accepts(self._judge.document, obj)

    def _explaining(self, bulk: bool) -> tuple[Explaining, JsonObject]:
        judge = self._compiled if bulk else self._judge
        return Explaining(judge), judge.document

    @cached_property
    def _judge(self) -> LibraryJudge | Compiled:
        try:
            from pbem.base.shapes.judge import LibraryJudge
        except ModuleNotFoundError:  # the browser page
            return self._compiled
        return LibraryJudge(self._compiled.document)


@lru_cache(maxsize=256)
def narrowed(name: str, words: Words, part: str = "", *, public: bool = False) -> Form:
    """A game's schema in one match: these of its definitions (``seat``, ``town``) allow these words and no others.

    ``every-seat`` (``every-town`` …) then says of an object by seat, or of a list, that none is missing. ``part``
    names a definition that is meant instead of the whole; ``public`` takes also how a value stands in a record
    without its secret part, if there is such a definition.
    """
    schema = load(name)
    definitions = dict(schema.get("$defs", {}))
    for which, allowed in words:
        definitions[which] = {"enum": list(allowed)}
        definitions[f"every-{which}"] = {"required": list(allowed), "minItems": len(allowed)}
    if public and "public" in definitions:
        schema = {"anyOf": [schema, {"$ref": "#/$defs/public"}]}
    return Form({**({"$ref": f"#/$defs/{part}"} if part else schema), "$defs": definitions})


@lru_cache(maxsize=64)
def load(name: str) -> JsonObject:
    """The schema itself, as JSON; do not change what you are given."""
    game, _, form = name.rpartition("/")
    path = (game_dir(game, "schemas") if game else data_dir("schemas")) / f"{form}.schema.json"
    schema: JsonObject = json.loads(path.read_bytes())
    return schema


@lru_cache(maxsize=64)
def form(name: str) -> Form:
    """The schema ``name``, compiled once in a process."""
    return Form(load(name))


def pointer(*steps: str | int) -> str:
    """The JSON Pointer (RFC 6901) of a path of member names and indices."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)
