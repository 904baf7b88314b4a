"""Lies about burns, of another epoch, of everybody's links, or too early between epochs: step (4)."""

from __future__ import annotations

from datetime import timedelta

from pbem.game import JsonObject
from pbem.protocol.record.deadlines import format_time, parse_time
from tests.forge import Bodies, Forge
from tests.verifier.cheats.cheat import Lines, changed, cheat, first, of_kind


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


def _before_an_unclosed_burn(forge: Forge) -> tuple[Bodies, JsonObject] | None:
    """All records before the burn between two epochs none of which is closed, and the burn."""
    bodies = forge.bodies()
    burn = the_burn(bodies)
    if burn is None or forge.world.record.ledger.reveal != "match":
        return None
    return bodies[: burn["_was"]], burn


@cheat("a burn between two epochs a second too early, seeds unrevealed", 4, "burn")
def _early_unclosed(forge: Forge) -> Lines | None:
    if (place := _before_an_unclosed_burn(forge)) is None:
        return None
    before, burn = place
    burn["at"] = format_time(parse_time(burn["at"]) - timedelta(seconds=1))
    return forge.write([*before, burn])


@cheat("more time between two epochs for a seat whose link is there, seeds unrevealed", 4, "extend")
def _time_for_a_giver(forge: Forge) -> Lines | None:
    """The view names who begins the next turn; nobody is to act before it is open."""
    if (place := _before_an_unclosed_burn(forge)) is None:
        return None
    before, _ = place
    result = before[-1]
    seat = result["public"]["waiting"]["seat"]
    more = {"kind": "extend", "at": result["at"], "seat": seat, "due": "2031-01-01T00:00:00Z", "_was": -1}
    return forge.write([*before, more])
