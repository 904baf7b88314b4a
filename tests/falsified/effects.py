"""What each event does to a position, as JSON: so that a lie about an event can be carried into the position.

``undone`` and ``done`` are approximate where cards are hidden: any card will do, since nobody sees which.
"""

from __future__ import annotations

from collections.abc import Callable

from pbem.game import JsonObject

Position = JsonObject
Effect = Callable[[Position, JsonObject, int], None]
"""Does what an event says (1), or undoes it (-1)."""


def _hand(position: Position, seat: str, card: str, sign: int) -> None:
    hand = position["hands"][seat]
    if sign > 0:
        hand.append(card)
    elif card in hand:
        hand.remove(card)
    else:
        hand.pop()


def _group(position: Position, seat: str, outlaw: str) -> JsonObject:
    empty = {"outlaws": 0, "photo": False, "bank-robbery": 0, "stagecoach-robbery": 0}
    group: JsonObject = position["territories"][seat].setdefault(
        outlaw, {**empty, "fastest-gun": 0, "hideout": False}
    )
    return group


def _swept(position: Position) -> None:
    for groups in position["territories"].values():
        for outlaw in [name for name, group in groups.items() if not group["outlaws"] and not group["photo"]]:
            del groups[outlaw]


def _poster(position: Position, outlaw: str, amount: int) -> None:
    position["posters"][outlaw] += amount


def _drew(position: Position, event: JsonObject, sign: int) -> None:
    hand, pile = position["hands"][event["seat"]], position[event["from"]]
    for _ in range(event["count"]):
        if sign > 0:
            taken = pile.pop(0)
            hand.append(event.get("card", taken))
        else:
            pile.insert(0, event.get("card", hand[-1]))
            _hand(position, event["seat"], event.get("card", hand[-1]), -1)


def _laid(position: Position, event: JsonObject, sign: int) -> None:
    for _ in range(event["count"]):
        _hand(position, event["seat"], event["outlaw"], -sign)
    _group(position, event["seat"], event["outlaw"])["outlaws"] += sign * event["count"]
    _poster(position, event["outlaw"], sign * event["reward"])
    _swept(position)


def _photo(position: Position, event: JsonObject, sign: int) -> None:
    _hand(position, event["seat"], f"photo:{event['outlaw']}", -sign)
    _group(position, event["seat"], event["outlaw"])["photo"] = sign > 0
    _poster(position, event["outlaw"], sign * event["reward"])
    _swept(position)


def _attached(position: Position, event: JsonObject, sign: int) -> None:
    _hand(position, event["seat"], event["card"], -sign)
    _group(position, event["seat"], event["outlaw"])[event["card"]] += sign
    _poster(position, event["outlaw"], sign * event["reward"])


def _discarded(position: Position, event: JsonObject, sign: int) -> None:
    pile = position["discard"]
    if sign > 0:
        pile.insert(0, event["card"])
    else:
        pile.remove(event["card"])
    if event["why"] in ("turn", "missed", "used"):
        _hand(position, event["seat"], event["card"], -sign)


def _shot(position: Position, event: JsonObject, sign: int) -> None:
    if sign > 0:
        position["discard"].insert(0, event["card"])
    else:
        position["discard"].remove(event["card"])


def _given(position: Position, event: JsonObject, sign: int) -> None:
    _hand(position, event["from"], event["outlaw"], -sign)
    _hand(position, event["to"], event["outlaw"], sign)


def _stolen(position: Position, event: JsonObject, sign: int) -> None:
    _group(position, event["from"], event["outlaw"])["outlaws"] -= sign
    _hand(position, event["seat"], event["outlaw"], sign)
    _swept(position)


def _hidden(position: Position, event: JsonObject, sign: int) -> None:
    _hand(position, event["seat"], "hideout", -sign)
    _group(position, event["of"], event["outlaw"])["hideout"] = sign > 0
    _poster(position, event["outlaw"], sign * event.get("reward", 0))


def _uncovered(position: Position, event: JsonObject, sign: int) -> None:
    _group(position, event["seat"], event["outlaw"])["hideout"] = sign < 0


def _found(position: Position, event: JsonObject, sign: int) -> None:
    _hand(position, event["seat"], event.get("card", "hideout"), sign)


def _next_seat(position: Position, event: JsonObject, sign: int) -> None:
    if sign > 0:
        seats = list(position["money"])
        position["active"] = seats[(seats.index(event["seat"]) + 1) % len(seats)]


def _scored_poster(position: Position, event: JsonObject, sign: int) -> None:
    for seat, amount in event["paid"].items():
        position["money"][seat] += sign * amount
    if sign > 0:
        position["posters"][event["outlaw"]] = event["left"]


def _started(position: Position, event: JsonObject, sign: int) -> None:
    if sign > 0:
        position |= {"hand": event["hand"], "dealer": event["dealer"], "active": event["starter"]}


def _reshuffled(position: Position, event: JsonObject, sign: int) -> None:
    supply = position["supply"]
    supply += ["hideout"] * (event["cards"] if sign > 0 else 0)
    del supply[len(supply) - (event["cards"] if sign < 0 else 0) :]


# --- Way Out West -----------------------------------------------------------------------------------------


def _count(position: Position, town: str, piece: str, seat: str, amount: int) -> None:
    counts = position["towns"][town].setdefault(piece, {})
    counts[seat] = counts.get(seat, 0) + amount
    if not counts[seat]:
        del counts[seat]


def _counter(position: Position, event: JsonObject, town: str, sign: int) -> None:
    piece, place = event["what"], position["towns"][town]
    if piece in ("cowboy", "cattle"):
        _count(
            position,
            town,
            "cowboys" if piece == "cowboy" else "cattle",
            event["seat"],
            sign * event.get("count", 1),
        )
    elif piece == "farmer":
        position["farmers"][event["seat"]] -= sign
        place.pop("farmer", None)
        if sign > 0:
            place["farmer"] = event["seat"]
    elif sign > 0:
        place["assets"][piece] = event["seat"]
    else:
        place["assets"].pop(piece, None)


def _bid(position: Position, event: JsonObject, sign: int) -> None:
    position["auction"]["bids"][event["seat"]] = event["amount"] if sign > 0 else 0


def _dropped(position: Position, event: JsonObject, sign: int) -> None:
    position["cash"][event["seat"]] -= sign * event["paid"]
    dropped = position["auction"]["dropped"]
    if sign > 0 and dropped:
        dropped.append(event["seat"])
    elif event["seat"] in dropped:
        dropped.remove(event["seat"])


def _order(position: Position, event: JsonObject, sign: int) -> None:
    if sign > 0:
        position["order"] = event["order"]
        position["active"] = event["order"][0]
    for seat, amount in event.get("paid", {}).items():
        position["cash"][seat] -= sign * amount


def _placed(position: Position, event: JsonObject, sign: int) -> None:
    _counter(position, event, event["town"], sign)
    position["cash"][event["seat"]] -= sign * event["paid"]


def _moved(position: Position, event: JsonObject, sign: int) -> None:
    _counter(position, event, event["from"], -sign)
    _counter(position, event, event["to"], sign)


def _captured(position: Position, event: JsonObject, sign: int) -> None:
    if event["what"] == "cattle":
        _count(position, event["town"], "cattle", event["from"], -sign)
        _count(position, event["town"], "cattle", event["seat"], sign)
    else:
        position["towns"][event["town"]]["assets"][event["what"]] = (
            event["seat"] if sign > 0 else event["from"]
        )


def _removed(position: Position, event: JsonObject, sign: int) -> None:
    place, seats = position["towns"][event["town"]], list(position["cash"])
    if event["what"] == "farmer":
        place.pop("farmer", None)
        if sign < 0:
            place["farmer"] = seats[0]
    elif sign > 0:
        place["assets"].pop(event["what"])
    else:
        place["assets"][event["what"]] = seats[0]


def _robbed(position: Position, event: JsonObject, sign: int) -> None:
    position["cash"][event["from"]] -= sign * event["amount"]
    position["cash"][event["seat"]] += sign * event["amount"]


def _wanted(position: Position, event: JsonObject, sign: int) -> None:
    position["wanted"][event["seat"]] += sign
    if event["from"] != "supply":
        position["wanted"][event["from"]] -= sign


def _killed(position: Position, event: JsonObject, sign: int) -> None:
    fight = position["fight"]
    fight["attack" if event["side"] == fight["attacker"] else "defence"] -= sign * event["count"]
    if event["what"] == "cowboy":
        _count(position, fight["town"], "cowboys", event["side"], -sign * event["count"])


def _gunfight(position: Position, event: JsonObject, sign: int) -> None:
    if sign > 0:
        members = ("town", "attacker", "defender", "target", "attack", "defence", "first")
        position["fight"] |= {name: event[name] for name in members}


def _cash(member: str, amount: str, factor: int) -> Effect:
    def effect(position: Position, event: JsonObject, sign: int) -> None:
        position["cash"][event[member]] += factor * sign * event[amount]

    return effect


def _space(position: Position, event: JsonObject, sign: int) -> None:
    position["space"] = event["space"] + (sign > 0)


EFFECTS: dict[str, dict[str, Effect]] = {
    "wyatt-earp": {
        "drew": _drew,
        "reshuffled": _reshuffled,
        "laid": _laid,
        "photo-played": _photo,
        "attached": _attached,
        "discarded": _discarded,
        "shot": _shot,
        "duel-draw": _shot,
        "given": _given,
        "stolen": _stolen,
        "hidden": _hidden,
        "uncovered": _uncovered,
        "found": _found,
        "turn-ended": _next_seat,
        "poster-scored": _scored_poster,
        "hand-started": _started,
    },
    "way-out-west": {
        "bid": _bid,
        "dropped-out": _dropped,
        "turn-order": _order,
        "placed": _placed,
        "moved": _moved,
        "returned": lambda position, event, sign: _counter(position, event, event["town"], -sign),
        "toll": _cash("to", "amount", 1),
        "income": _cash("seat", "amount", 1),
        "box-paid": _cash("seat", "paid", -1),
        "gunfight": _gunfight,
        "killed": _killed,
        "captured": _captured,
        "removed": _removed,
        "robbed": _robbed,
        "wanted": _wanted,
        "turn-ended": _space,
    },
}
"""An event that is not here changes nothing that lies on the table: a lie about it needs no more than its own words."""
