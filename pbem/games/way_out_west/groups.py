"""What a seat may do, said shortly: combinations in one line each, with prices and odds.

``legal`` has hundreds of ways to move cowboys and dozens to buy them; a person wants to know how many, from where, to
where, for how much. The words are those to type, with ``N`` and ``TOWN`` where a choice is left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from pbem.base.sentences import dollars, sentence
from pbem.game import JsonObject
from pbem.games.way_out_west.action_json import action_from_json
from pbem.games.way_out_west.actions import Gunfight
from pbem.games.way_out_west.odds import odds
from pbem.games.way_out_west.player import imagined_fight
from pbem.games.way_out_west.state import Match, Position
from pbem.games.way_out_west.words import action_to_words


def grouped(
    match: Match, position: Position, seat: int, actions: Sequence[JsonObject]
) -> list[tuple[str, str]]:
    """The legal ``actions`` in groups: what is typed, and what it means, costs or promises (a sentence or nothing)."""
    kinds: defaultdict[str, list[JsonObject]] = defaultdict(list)
    for action in actions:
        kinds[action["do"]].append(action)
    found: list[tuple[str, str]] = []
    for do, some in kinds.items():
        made = _GROUPS[do](match, position, seat, some) if do in _GROUPS else None
        found += [(action_to_words(one), "") for one in some] if made is None else made
    return found


Group = Callable[[Match, Position, int, list[JsonObject]], list[tuple[str, str]]]


def _per_counter(match: Match, position: Position, kind: str) -> str:
    """The price of one counter in the free boxes of this kind."""
    prices = [box.per_counter for box in match.boxes if box.kind == kind and box.id not in position.used]
    return sentence("{amount} each", amount=dollars(min(prices, default=0)))


def _bids(match: Match, position: Position, seat: int, some: list[JsonObject]) -> list[tuple[str, str]]:
    del match, position, seat
    amounts = [one["amount"] for one in some]
    least, most = dollars(min(amounts)), dollars(max(amounts))
    return [("bid N", sentence("N from {least} to {most}", least=least, most=most))]


def _bought(match: Match, position: Position, seat: int, some: list[JsonObject]) -> list[tuple[str, str]]:
    del seat
    do = str(some[0]["do"])
    towns = sorted({town for one in some for town in one["towns"]})
    most = max(len(one["towns"]) for one in some)
    words = f"{do} TOWN{' [TOWN]' * (most - 1)}"
    return [
        (words, sentence("{price}: {names}", price=_per_counter(match, position, do), names=", ".join(towns)))
    ]


def _built(match: Match, position: Position, seat: int, some: list[JsonObject]) -> list[tuple[str, str]]:
    del seat
    towns: defaultdict[str, list[str]] = defaultdict(list)
    for one in some:
        towns[one["asset"]].append(one["town"])
    prices = {box.asset: box.price for box in match.boxes if box.asset and box.id not in position.used}
    return [
        (
            f"build {asset} TOWN",
            sentence("{price}: {names}", price=dollars(prices.get(asset, 0)), names=", ".join(there)),
        )
        for asset, there in towns.items()
    ]


def _moved(match: Match, position: Position, seat: int, some: list[JsonObject]) -> list[tuple[str, str]]:
    moved = [one["moves"] for one in some]
    most = max(sum(move["count"] for move in moves) for moves in moved)
    there = [
        f"{town} {here.cowboys[seat]}"
        for town, here in zip(match.town_ids, position.towns, strict=True)
        if here.cowboys[seat]
    ]
    said = sentence("up to {most}: {names} → any other town", most=most, names=", ".join(there))
    return [("move-cowboys N from TOWN to TOWN[, N from TOWN to TOWN …]", said)]


def _cattle_moved(
    match: Match, position: Position, seat: int, some: list[JsonObject]
) -> list[tuple[str, str]]:
    del match, position, seat
    ways: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for one in some:
        ways[one["from"], one.get("seat", "")].append(one["to"])
    return [
        (f"move-cattle from {begin} to TOWN{f' of {owner}' if owner else ''}", " | ".join(to))
        for (begin, owner), to in ways.items()
    ]


def _fought(match: Match, position: Position, seat: int, some: list[JsonObject]) -> list[tuple[str, str]]:
    """Each target with the strengths as they would be, a third player's sheriff helping the defence."""
    found: list[tuple[str, str]] = []
    for one in some:
        action = action_from_json(match, one)
        assert isinstance(action, Gunfight)  # noqa: S101 - its "do" said so
        fight = imagined_fight(match, position, seat, action)
        chance = (
            odds(fight.attack, fight.defence).attack
            if fight.attack and fight.defence
            else int(fight.attack > 0)
        )
        told = sentence(
            "{attack} against {defence}: wins {percent} %",
            attack=fight.attack,
            defence=fight.defence,
            percent=round(100 * chance),
        )
        found.append((action_to_words(one), told))
    return found


_GROUPS: Final[dict[str, Group]] = {
    "bid": _bids,
    "cattle": _bought,
    "cowboys": _bought,
    "build": _built,
    "move-cowboys": _moved,
    "move-cattle": _cattle_moved,
    "gunfight": _fought,
}
