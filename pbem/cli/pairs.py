"""What a person types as ``KEY=VALUE``."""

from __future__ import annotations

import json

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.game import Json


def pair(text: str) -> tuple[str, Json]:
    """``KEY=VALUE``; the value as JSON where it is some, else as text."""
    key, sign, value = text.partition("=")
    if not sign or not key:
        raise UsageProblem(sentence("expected KEY=VALUE, found {text!r}", text=text))
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value
