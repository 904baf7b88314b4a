"""Members of events and views, and false values for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pbem.game import Json, JsonObject
from pbem.games.wyatt_earp.deck import DECK, NAMES, OUTLAW_NAMES

Path = tuple[str | int, ...]

TOWNS = ("san-antonia", "kansas-city", "abilene", "dodge-city", "deadwood")
COUNTERS = ("cowboy", "cattle", "hotel", "store", "bank", "jail", "train", "stagecoach", "farmer")
PHASES = {
    "wyatt-earp": ("draw", "play"),
    "way-out-west": ("setup", "auction", "actions"),
}
WORDS = (
    ("turn", "missed", "used", "orphan", "replaced", "removed"),
    ("went-out", "empty-hand", "exhausted", "last-card-reaction"),
    ("cattle", "bank", "store", "hotel"),
    ("supply", "discard"),
    ("ask-sheriff", "lend-sheriff", "fire", "leave-town", "take-wanted"),
    ("none", "attack", "defence"),
)


def leaves(value: Json, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    """Every place that holds a plain value, and every list."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from leaves(member, (*path, name))
    else:
        yield path, value
        if isinstance(value, list):
            for index, item in enumerate(value[:2]):
                if isinstance(item, dict):
                    yield from leaves(item, (*path, index))


def member_of(path: Path, seats: Sequence[str]) -> str:
    """The member that a place belongs to: names of seats, towns and Outlaws are one place."""
    names = {*seats, *TOWNS, *OUTLAW_NAMES, *NAMES}
    names -= {"bank-robbery", "stagecoach-robbery", "fastest-gun", "hideout"}
    return "/".join("*" if part in names or isinstance(part, int) else str(part) for part in path)


def false_values(game: str, path: Path, value: Json, seats: Sequence[str]) -> list[Json]:
    """Values of the same form that could stand there and are false."""
    name = str(path[-1]) if path else ""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        steps = (1000, -1000) if value % 1000 == 0 and value else (1, -1, 2)
        return [value + step for step in steps if value + step >= 0]
    if isinstance(value, list):
        return _lists(value, seats)
    if name == "phase":
        return [phase for phase in PHASES[game] if phase != value]
    for group in (
        tuple(seats),
        TOWNS,
        OUTLAW_NAMES,
        *WORDS,
        NAMES if name in ("card", "top", "drawn") else COUNTERS,
    ):
        if value in group:
            return [other for other in group if other != value]
    return []


def _lists(value: list[Json], seats: Sequence[str]) -> list[Json]:
    variants: list[Json] = []
    if value:
        variants += [value[1:], value[::-1]] if value[::-1] != value else [value[1:]]
    if all(isinstance(item, str) for item in value):
        pool = next((g for g in (tuple(seats), TOWNS, OUTLAW_NAMES) if set(value) <= set(g)), ())
        variants += [[*value, other] for other in pool if other not in value][:2]
    if value and all(isinstance(item, int) for item in value):
        variants.append([item % 6 + 1 for item in value])
    return [other for other in variants if other != value]


def put(holder: Json, path: Path, value: Json) -> None:
    """Write ``value`` at ``path``."""
    for part in path[:-1]:
        holder = holder[part]
    holder[path[-1]] = value


def get(holder: Json, path: Path) -> Json:
    """What stands at ``path``."""
    for part in path:
        holder = holder[part]
    return holder


def in_position(position: JsonObject, path: Path, value: Json) -> None:
    """Make a position so that its public view has ``value`` at ``path``."""
    whole = {"hands", "supply", "discard", "waiting"}
    if not path or path[0] not in whole or "cash" in position:
        target: Path = (
            ("active",) if path == ("waiting", "seat") else ("phase",) if path[0] == "waiting" else path
        )
        put(position, target, value)
    elif path[0] == "waiting":
        position["active" if path[1] == "seat" else "phase"] = value
    elif path[0] == "discard":
        _discard(position["discard"], str(path[1]), value)
    else:
        pile = get(position, path)
        missing = value - len(pile)
        pile += ["hideout"] * missing
        del pile[value:]


def balanced(position: JsonObject) -> int:
    """Exchange hidden cards of Wyatt Earp until no kind has too many; how many cards had to be left out."""
    groups = [group for groups in position["territories"].values() for group in groups.items()]
    lying = Counter(DECK)
    for outlaw, group in groups:
        lying[outlaw] -= group["outlaws"]
        lying[f"photo:{outlaw}"] -= group["photo"]
        for name in ("bank-robbery", "stagecoach-robbery", "fastest-gun", "hideout"):
            lying[name] -= int(group[name])
    piles = [position["supply"], *position["hands"].values(), position["discard"]]
    for pile in piles:
        lying.subtract(pile)
    for pile in piles:
        for at in range(len(pile) - 1, 0 if pile is position["discard"] else -1, -1):
            free = next((card for card, left in lying.items() if left > 0), None)
            if lying[pile[at]] < 0 and free is not None:
                lying[pile[at]] += 1
                lying[free] -= 1
                pile[at] = free
    spare = 0
    while position["supply"] and any(left < 0 for left in lying.values()):
        lying[position["supply"].pop()] += 1
        spare += 1
        for pile in piles:
            for at, card in enumerate(pile):
                free = next((kind for kind, left in lying.items() if left > 0), None)
                if lying[card] < 0 and free is not None:
                    lying[card] += 1
                    lying[free] -= 1
                    pile[at] = free
    return spare


def _discard(pile: list[str], member: str, value: Json) -> None:
    if member == "top":
        pile[0] = value
    elif member == "count":
        pile += ["hideout"] * (value - len(pile))
        del pile[value:]
    else:  # how many are not Wyatt Earps
        for at in range(len(pile) - 1, 0, -1):
            now = sum(card != "wyatt-earp" for card in pile)
            if now != value:
                pile[at] = "wyatt-earp" if now > value else "hideout"
