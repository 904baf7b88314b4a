"""A host who says something false of the table."""

from __future__ import annotations

from collections.abc import Callable

from pbem.game import JsonObject
from tests.attacks.attack import ANYBODY, Aftermath, attack
from tests.attacks.stage import Stage
from tests.forge import Forge, acting


def _said(stage: Stage, lie: Callable[[JsonObject], bool]) -> Aftermath | None:
    """The file in which the first turn of the first epoch that offers an occasion says something false."""
    forge = Forge(stage)
    bodies = forge.bodies()
    for body in bodies:
        if acting(body) and body.get("epoch") == 1 and "due" in body and lie(body):
            return Aftermath(forge.write(bodies))
    return None


@attack("host", "says falsely how much money somebody has", ANYBODY)
def _money(stage: Stage) -> Aftermath | None:
    def richer(body: JsonObject) -> bool:
        money = body["public"].get("money", body["public"].get("cash", {}))
        for seat in list(money)[:1]:
            money[seat] += 9000
        return bool(money)

    return _said(stage, richer)


@attack("host", "says falsely that a shot has hit, or has not", ANYBODY)
def _hit(stage: Stage) -> Aftermath | None:
    def other(body: JsonObject) -> bool:
        shots = [event for step in body["steps"] for event in step["events"] if "hit" in event]
        for shot in shots[:1]:
            shot["hit"] = not shot["hit"]
        return bool(shots)

    return _said(stage, other)


@attack("host", "says falsely how many cards or counters there are", ANYBODY)
def _supply(stage: Stage) -> Aftermath | None:
    def more(body: JsonObject) -> bool:
        public = body["public"]
        if "supply" in public:
            public["supply"] += 1
        else:
            public["wanted"][stage.seats[0]] += 1
        return True

    return _said(stage, more)


@attack("host", "says falsely whose turn it is", ANYBODY)
def _turn(stage: Stage) -> Aftermath | None:
    def other(body: JsonObject) -> bool:
        waiting = body["public"].get("waiting")
        if waiting is None:
            return False
        waiting["seat"] = next(seat for seat in stage.seats if seat != waiting["seat"])
        return True

    return _said(stage, other)


@attack("host", "pays somebody a reward that no rule gives", ANYBODY)
def _reward(stage: Stage) -> Aftermath | None:
    """In the event and in the view alike."""

    def paid(body: JsonObject) -> bool:
        events = [event for step in body["steps"] for event in step["events"] if "reward" in event]
        for event in events[:1]:
            event["reward"] += 1000
            body["public"]["posters"][event["outlaw"]] += 1000
        return bool(events)

    return _said(stage, paid)
