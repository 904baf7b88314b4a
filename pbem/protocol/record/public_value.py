"""The public view of a record as the game's own value."""

from __future__ import annotations

from typing import Any

from pbem.base.errors import VerificationError
from pbem.game import JsonObject, MalformedAction, Rules


def public_value(rules: Rules[Any, Any, Any, Any, Any], public: JsonObject) -> Any:
    """Read what a record says that everybody sees.

    A schema knows the form of a view, not what its numbers must add up to: a host who signs more counters than there
    are is noticed by an audit, and here.

    Raises:
        VerificationError: the view is none that this game can have.
    """
    try:
        return rules.public_from_json(public)
    except MalformedAction as fault:
        raise VerificationError(
            "public",
            f"the host signed a view of the table that this game cannot have: {fault}",
            hint="pbem audit says more; keep this file and tell the others",
        ) from fault
