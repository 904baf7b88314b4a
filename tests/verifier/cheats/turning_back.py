"""Lies about burns: of another epoch than the one that waits, or of everybody's links."""

from __future__ import annotations

from pbem.game import JsonObject
from tests.verifier.cheats.cheat import Lines, changed, cheat, first, of_kind
from tests.verifier.forging import Bodies, Forge


def the_burn(bodies: Bodies) -> JsonObject | None:
    return first(bodies, of_kind("burn"))


@cheat("a burn names an epoch that was never announced", 4, "burn")
def _burn_of_the_next(forge: Forge) -> Lines | None:
    return changed(forge, the_burn, lambda burn: burn.update(epoch=burn["epoch"] + 1))


@cheat("a burn leaves nobody who gives a link", 4, "burn")
def _burn_of_all(forge: Forge) -> Lines | None:
    """Between two epochs every link is overdue; anna's, which came last, is left out."""
    bodies = forge.bodies()
    burn = the_burn(bodies)
    if burn is None:
        return None
    given = bodies[burn["_was"] - 1]
    if given["kind"] != "ready" or given["at"] != burn["at"]:
        return None
    burn["missing"].append(given["msg"]["body"]["seat"])
    return forge.write([*bodies[: given["_was"]], burn])
