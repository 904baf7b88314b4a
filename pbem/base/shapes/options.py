"""The options of a match: ``schemas/<game>/options.schema.json`` names every key and enumerates its values.

The first value of each is the default. What is no enumeration there (``board``) is for scenarios and no option.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from pbem.base.sentences import sentence
from pbem.base.shapes.schema import Form, load
from pbem.game import BadSetup, Json, JsonObject


@lru_cache(maxsize=16)
def options_of(game: str) -> Mapping[str, tuple[Json, ...]]:
    """Every option of ``game`` with its values, the default first."""
    return {name: tuple(values["enum"]) for name, values in _enumerations(game).items()}


def resolve_options(
    game: str, profiles: Mapping[str, JsonObject], profile: str, given: JsonObject
) -> JsonObject:
    """All options: the defaults, what ``profile`` sets, and what is ``given`` on top.

    Raises:
        BadSetup: naming the profile, key or value that does not exist.
    """
    if profile not in profiles:
        raise BadSetup(
            sentence("no profile {profile!r}; there are: {known}", profile=profile, known=", ".join(profiles))
        )
    defaults = {name: values[0] for name, values in options_of(game).items()}
    return _judged(game, {**defaults, **profiles[profile], **given}, bulk=False)


def whole_options(game: str, options: JsonObject) -> JsonObject:
    """``options`` as a genesis record has them: every key of the game, each with a value that it can have.

    Raises:
        BadSetup: for a missing or unknown key, or a value that the key cannot have.
    """
    return _judged(game, options, bulk=True)


def _judged(game: str, options: JsonObject, *, bulk: bool) -> JsonObject:
    fault = _whole(game).fault(options, bulk=bulk)
    if fault is not None:
        raise BadSetup(fault.told("options"))
    return options


def _enumerations(game: str) -> dict[str, JsonObject]:
    return {name: form for name, form in load(f"{game}/options")["properties"].items() if "enum" in form}


@lru_cache(maxsize=16)
def _whole(game: str) -> Form:
    keys = _enumerations(game)
    return Form({"type": "object", "properties": keys, "required": list(keys), "additionalProperties": False})
