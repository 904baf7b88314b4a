"""What people, the host and time do: each move changes a ``Match``, as ``Fate`` chooses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pbem.base.errors import UsageProblem
from pbem.game import JsonObject, MalformedAction, Seat
from pbem.protocol.client import compose_ready, link_of
from pbem.protocol.client.compose import owes_old_link
from pbem.protocol.crypto.digest import b64, sha
from pbem.protocol.crypto.identity import Identity, recovery_key
from pbem.protocol.formats.envelopes import make_file
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.record.takeover import default_from
from pbem.protocol.referee import Accepted, after_outage, burn, carry_on, extend, perform_default, reseal
from tests.machine import files
from tests.machine.fate import Fate
from tests.machine.match import Match
from tests.machine.sealed import FRAME, LEAST
from tests.machine.twists import JUNK, TWISTS
from tests.world import secret

Move = Callable[[Match, Fate], None]
RECOVERY: Final = recovery_key(secret("recovery of whoever takes one"))


def someone(match: Match, fate: Fate) -> Seat | None:
    """A seat that somebody holds; who is awaited comes first."""
    waiting = match.record.waiting
    first = [Seat(waiting["seat"])] if waiting else list(match.record.missing_links)
    seats = first + [seat for seat in match.joined if seat not in first]
    seats = [seat for seat in seats if seat in match.ledger.players]
    return fate.pick(seats) if seats else None


def suggested(match: Match, seat: Seat) -> JsonObject:
    """What a sensible player does."""
    rules = match.record.rules
    match.world.people[seat] = match.who(seat)
    return rules.action_to_json(rules.suggest(match.world.view(seat).view))


# --- playing -----------------------------------------------------------------------------------------------------


def play(match: Match, fate: Fate) -> None:
    """Whoever is awaited does what they should, some files long."""
    for _ in range(fate.pick((1, 3, 1, 8))):
        if not play_one(match):
            return


def play_one(match: Match) -> bool:
    """One good file of whoever is awaited; False when nobody is, or in a pause."""
    record = match.record.as_of(max(match.world.now, match.record.head.at))
    waiting = record.waiting
    if record.over or record.ledger.paused is not None:
        return False
    if waiting is None:
        seat = next((s for s in match.record.missing_links), None)
        return seat is not None and ready_one(match, seat)
    seat = Seat(waiting["seat"])
    if owes_old_link(match.world.copy(), match.who(seat), seat):
        ready_one(match, seat)
    body = files.turn(match, seat, suggested(match, seat))
    match.tell(f"{seat} plays {body['actions'] or 'sealed'}")
    return isinstance(match.send(files.signed("turn", body, match.who(seat))), Accepted)


def ready_one(match: Match, seat: Seat) -> bool:
    """A seat gives its link, if need be from the chain of the identity that it had before."""
    copy, who = match.world.copy(), match.who(seat)
    had = [old for old in match.keys.values() if link_of(copy, old, seat) is not None]
    try:
        file = compose_ready(copy, who, seat, match.number(seat), old=had[0] if had else None)
    except UsageProblem:
        return False
    match.tell(f"{seat} is ready")
    return isinstance(match.send(file), Accepted)


def random_action(match: Match, fate: Fate) -> None:
    """Whoever is awaited does anything legal, perhaps twice, perhaps with orders that answer next time."""
    waiting = match.record.waiting
    if waiting is None or match.record.over:
        return
    seat, rules = Seat(waiting["seat"]), match.record.rules
    match.world.people[seat] = match.who(seat)
    legal: list[Any] = list(rules.legal_actions(match.world.view(seat).view))
    chosen = [rules.action_to_json(fate.pick(legal)) for _ in range(fate.pick((1, 1, 2)))]
    more: JsonObject = {}
    if fate.number(0, 2) == 2:
        more["orders"] = {"rules": [{"when": waiting["phase"], "do": chosen[0]}]}
    match.tell(f"{seat} does {chosen} {more}")
    try:
        body = files.turn(match, seat, *chosen, **more)
    except (MalformedAction, UsageProblem):  # their own program refuses such orders
        try:
            body = files.turn(match, seat, *chosen)
        except (
            UsageProblem
        ):  # no space for a choice under seal behind an open action; one alone has space of its own
            if match.sealed.left_for_choices(seat) < LEAST + FRAME:
                return
            body = files.turn(match, seat, chosen[0])
    match.send(files.signed("turn", body, match.who(seat)))


def talk(match: Match, fate: Fate) -> None:
    """Anybody talks, some files long; a link may travel along."""
    seat = someone(match, fate)
    if seat is None:
        return
    for _ in range(fate.pick((1, 2, 17))):
        body = files.turn(match, seat, say=fate.pick(("Howdy", "Ça va?", "🤠")))
        match.tell(f"{seat} talks")
        match.send(files.signed("turn", body, match.who(seat)))


def ready(match: Match, fate: Fate) -> None:
    """A link again: of another epoch, wrong, or the one that stands already, with a fresh number."""
    seat = someone(match, fate)
    if seat is None:
        return
    body = files.head(match, seat)
    links = [line.body["msg"]["body"] for line in match.record.lines if line.kind in ("ready", "turn")]
    known = [own["link"] for own in links if own["seat"] == seat and "link" in own]
    value = fate.pick((*known, {"epoch": 1, "value": "A" * 43}, {"epoch": 2, "value": "A" * 43}))
    match.tell(f"{seat} gives a link of epoch {value['epoch']}")
    match.send(files.signed("ready", {**body, "link": value}, match.who(seat)))


# --- hostile files -------------------------------------------------------------------------------------------------


def twisted(match: Match, fate: Fate) -> None:
    """Turn files that were changed before they were signed: several, since most are refused."""
    for _ in range(fate.number(1, 4)):
        twisted_once(match, fate)


def twisted_once(match: Match, fate: Fate) -> None:
    """One of these."""
    seat = someone(match, fate)
    if seat is None:
        return
    waiting = match.record.waiting
    acts = waiting is not None and waiting["seat"] == seat and fate.number(0, 1)
    actions = [suggested(match, seat)] if acts else []
    body = files.turn(match, seat, *actions)
    name = match.choose(fate, TWISTS)
    TWISTS[name](match, fate, body)
    match.tell(f"{seat} sends a turn {'with' if acts else 'without'} actions: {name}")
    match.send(files.signed("turn", body, match.who(seat)))


def sealed(match: Match, fate: Fate) -> None:
    """Whoever is awaited does what they should, with anything at all sealed behind it: the close must open that."""
    if match.record.waiting is None:
        return
    seat = Seat(match.record.waiting["seat"])
    body = files.turn(match, seat, suggested(match, seat))
    name = match.choose(fate, JUNK)
    body["sealed"] = files.part(match, body, "sealed", JUNK[name], size=fate.pick((512, 1024)))
    match.tell(f"{seat} plays, and has sealed behind it: {name}")
    match.send(files.signed("turn", body, match.who(seat)))


def crossed(match: Match, fate: Fate) -> None:
    """A file that is refused, then another of the same number that brings one of its parts in the other's place."""
    seat = someone(match, fate)
    if seat is None:
        return
    body = files.turn(match, seat)
    plain = {name: value for name, value in body.items() if name not in files.LABEL}
    source, target = fate.pick((("orders", "sealed"), ("sealed", "orders")))
    content: JsonObject | list[JsonObject] = [] if source == "sealed" else {"rules": []}
    moved = files.part(match, body, source, content, size=1024)
    other = files.part(match, body, target, [] if target == "sealed" else {"rules": []}, size=1024)
    refused = {**plain, source: moved, target: {**other, "commit": files.flipped(other["commit"])}}
    match.tell(f"{seat} brings its {source} as {target}")
    match.send(files.signed("turn", refused, match.who(seat)))
    if source == "orders" and "orders" in body:  # opened last: what the rules refuse later leaves them read
        match.send(files.signed("turn", {**body, "actions": _illegal(match, seat)}, match.who(seat)))
        moved = body["orders"]
    match.send(files.signed("turn", {**plain, target: moved}, match.who(seat)))


def _illegal(match: Match, seat: Seat) -> list[JsonObject]:
    """Something that the rules refuse before anything is shown."""
    if match.record.game_info.decks:
        return [{"do": "draw", "from": "discard"}] * 2
    return [{"do": "pass"}] * 2


def again(match: Match, fate: Fate) -> None:
    """Something that was sent before arrives once more, perhaps damaged on the way."""
    if not match.raws:
        return
    raw = bytearray(fate.pick(match.raws[::-1]))
    if raw and fate.number(0, 1):
        raw[fate.number(0, len(raw) - 1)] ^= 1 << fate.number(0, 7)
    match.tell("an old file arrives again")
    match.send_raw(bytes(raw))


def flood(match: Match, fate: Fate) -> None:
    """Many files, each with as much sealed in it as it may hold: the close must open it all."""
    for count in range(fate.pick((2, 2, 12))):
        match.tell(f"everybody seals as much as they can ({count})")
        for seat in match.joined:
            body = files.turn(match, seat)
            body["orders"] = files.part(match, body, "orders", fat_orders(match), size=1024)
            match.send(files.signed("turn", body, match.who(seat)))
        waiting = match.record.waiting
        if waiting is None or match.record.over or match.ledger.paused is not None:
            return
        seat = Seat(waiting["seat"])
        body = files.turn(match, seat, suggested(match, seat))
        plain = body.get("sealed")
        body["sealed"] = files.part(match, body, "sealed", [{"do": "draw", "from": "x" * 20_000}])
        if not isinstance(match.send(files.signed("turn", body, match.who(seat))), Accepted):
            body |= {"sealed": plain} if plain else {}
            match.send(files.signed("turn", body, match.who(seat)))


def fat_orders(match: Match) -> JsonObject:
    """Orders that say one thing as often as they may: a close must open each of them."""
    deck: JsonObject = {"when": "draw", "do": {"do": "draw", "from": "supply"}}
    none: JsonObject = {"when": "bid", "do": {"do": "bid", "up_to": 0}}
    return {"rules": [deck if match.record.game_info.decks else none] * FAT}


FAT: Final = 45
"""Rules: so many fit into the size that orders have."""


def fill(match: Match, seat: Seat) -> None:
    """A seat seals in talk as much as may be, until only the space for choices is left, or it has talked enough."""
    while (size := (match.sealed.left(seat) - BESIDE) // 512 * 512) > 0:
        body = files.turn(match, seat)
        plain = {name: value for name, value in body.items() if name not in files.LABEL}
        plain["sealed"] = files.part(match, body, "sealed", [], size=min(size, LONGEST))
        if not isinstance(match.send(files.signed("turn", plain, match.who(seat))), Accepted):
            return


LONGEST: Final = 22_528
"""Bytes of text that fit, sealed twice, into a file."""
BESIDE: Final = 48 + 256
"""What a sealed part counts beside its text."""
PAST: Final[dict[str, tuple[bool, int, bool]]] = {
    "a choice": (False, 512, False),
    "a long choice": (False, 1024, False),
    "a choice and orders": (False, 512, True),
    "an open action and a sealed one": (True, 512, False),
    "an open action and orders": (True, 0, True),
    "an open action": (True, 0, False),
}
"""What is sent past three quarters: whether it acts openly, the length of what it seals, whether it has orders."""


def reserve(match: Match, fate: Fate) -> None:
    """Whoever is awaited fills all but what is kept for choices, and goes on: only a choice alone is taken."""
    seat = someone(match, fate)
    if seat is None or match.record.over:
        return
    match.tell(f"{seat} seals in talk as much as it may")
    fill(match, seat)
    for _ in range(fate.pick((1, 3))):
        waiting = match.record.waiting
        if waiting is None:
            return
        seat, name = Seat(waiting["seat"]), match.choose(fate, PAST)
        match.tell(f"{seat} goes past three quarters: {name}")
        match.send(past(match, seat, name))


def past(match: Match, seat: Seat, name: str) -> JsonObject:
    """A file of whoever is awaited that seals so much, in this way."""
    openly, size, ordered = PAST[name]
    action = suggested(match, seat)
    body = {name: value for name, value in files.turn(match, seat).items() if name not in files.LABEL}
    body["actions"] = [action] if openly else []
    if size:
        body["sealed"] = files.part(match, body, "sealed", [] if openly else [action], size=size)
    if ordered:
        body["orders"] = files.part(match, body, "orders", {"rules": []}, size=1024)
    return files.signed("turn", body, match.who(seat))


# --- seats -----------------------------------------------------------------------------------------------------


def join(match: Match, fate: Fate) -> None:
    """Somebody takes a seat, or tries to take one that is taken; keys of all kinds."""
    free = [seat for seat in match.record.seats if seat not in match.ledger.players]
    seat = fate.pick(free or list(match.record.seats))
    who = match.world.people[seat] if free else match.stranger()
    kind = fate.pick(("good", "good", "recovery", "host's keys", "another's keys", "number", "small order"))
    file = join_file(match, seat, who, kind)
    match.tell(f"{seat} is joined: {kind}")
    match.send(file)


def join_file(match: Match, seat: Seat, who: Identity, kind: str, *, n: int = 0) -> JsonObject:
    """A join of this kind."""
    if kind == "host's keys":
        who = match.host
    elif kind == "another's keys" and match.joined:
        who = match.who(match.joined[0])
    match.keys.setdefault(who.sign_public, who)
    head = {"game": _game(match), "seat": seat, "n": n, "seen": match.record.head.seen}
    body = {**head, "name": seat.title(), "lang": "en", **files.keys(match, seat, who)}
    if kind == "recovery":
        body["recovery"] = b64(sha(RECOVERY.public))
    elif kind == "number":
        body["n"] = 1
    elif kind == "small order":
        body["seal"] = b64(files.SMALL_ORDER)
    return files.signed("join", body, who)


def _game(match: Match) -> str:
    return b64(match.record.game)


def rekey(match: Match, fate: Fate) -> None:
    """A seat takes new keys, by its own key or by the recovery key; good ones, bad ones, somebody's."""
    seat = someone(match, fate)
    if seat is None:
        return
    new, kind = (
        match.stranger(),
        fate.pick(("good", "good", "small order", "off the curve", "host's", "another's")),
    )
    if kind == "host's":
        new = match.host
    elif kind == "another's":
        new = match.who(match.joined[-1])
    match.keys.setdefault(new.sign_public, new)
    body = {**files.head(match, seat), **files.keys(match, seat, new)}
    if kind == "small order":
        body["sign"] = b64(files.SMALL_ORDER)
    elif kind == "off the curve":
        body["sign"] = b64(files.OFF_CURVE)
    elif kind == "good" and fate.number(0, 1):
        ready_one(match, seat)  # else the old key is refused
        body = {**files.head(match, seat), **files.keys(match, seat, new)}
        body["recovery"] = b64(sha(new.seal_public))  # nobody has its key; who comes second claims another
    by = fate.pick((match.who(seat).sign_key, RECOVERY))
    match.tell(f"{seat} takes new keys ({kind}) by {'recovery' if by is RECOVERY else 'its own key'}")
    match.send(make_file("rekey", body, by, by.public))


# --- the host and time -------------------------------------------------------------------------------------------


def host_acts(match: Match, fate: Fate) -> None:
    """The host does what is due, or tries what is not."""
    acts = (_burn, _extend, _reseal, _outage, _carry_on)
    fate.pick(acts)(match, fate)


def default(match: Match, fate: Fate) -> None:
    """The host passes a seat over, once it is overdue or before."""
    seat = fate.pick(_awaited_first(match))
    limit = default_from(match.ledger, seat)
    if limit is not None and limit < "9" and fate.number(0, 3):
        match.world.now = max(match.world.now, limit)
    match.tell(f"the host defaults {seat}")
    match.act("a default", lambda record: perform_default(record, match.host, seat, match.world.now))


def _awaited_first(match: Match) -> list[Seat]:
    waiting = match.record.waiting
    first = [Seat(waiting["seat"])] if waiting else []
    return first + [seat for seat in match.record.seats if seat not in first]


def _burn(match: Match, fate: Fate) -> None:
    match.tell("the host burns")
    match.act("a burn", lambda record: burn(record, match.host, match.world.now))


def _extend(match: Match, fate: Fate) -> None:
    seat = fate.pick(_awaited_first(match))
    due = plus_hours(max(match.world.now, match.ledger.due or ""), fate.pick((24, 1, 500)))
    match.tell(f"the host extends for {seat}")
    match.act("an extension", lambda record: extend(record, match.host, seat, due, match.world.now))


def _reseal(match: Match, fate: Fate) -> None:
    seat = fate.pick(list(match.record.seats))
    match.tell(f"the host seals {seat}'s packets again")
    match.act("a reseal", lambda record: reseal(record, match.host, seat, match.world.now))


def _outage(match: Match, fate: Fate) -> None:
    since, now = match.record.head.at, max(match.world.now, match.record.head.at)
    match.tell("the host was away")
    match.act("an outage", lambda record: after_outage(record, match.host, since, now, now))


def _carry_on(match: Match, fate: Fate) -> None:
    match.act("carrying on", lambda record: carry_on(record, match.host, match.world.now))


def time(match: Match, fate: Fate) -> None:
    """Time passes: some hours, or exactly to the moment at which somebody is overdue."""
    waiting = match.record.waiting
    limit = default_from(match.ledger, Seat(waiting["seat"])) if waiting else match.ledger.due
    hours = fate.pick((1, 24, -1, 72, 96, 24 * 40))
    if limit is not None and limit < "9" and fate.number(0, 1):
        match.world.now = max(match.world.now, limit)
    else:
        match.world.tick(hours)
    match.tell(f"it is {match.world.now}")


def restart(match: Match, fate: Fate) -> None:
    """The host's program is started again."""
    match.tell("the host is restarted")
    match.restart()


def rubbish(match: Match, fate: Fate) -> None:
    """Bytes that are no file."""
    match.send_raw(fate.pick((b"", b"{}", b'{"body":{"n":1.0}}', b"[" * 500, canon({"body": {"what": {}}}))))


PLAYING: Final[dict[str, Move]] = {
    "play": play,
    "random action": random_action,
    "talk": talk,
    "ready": ready,
    "join": join,
    "time": time,
    "restart": restart,
}
HOSTILE: Final[dict[str, Move]] = {
    "sealed": sealed,
    "crossed": crossed,
    "again": again,
    "flood": flood,
    "reserve": reserve,
    "rubbish": rubbish,
}
SEATED: Final[dict[str, Move]] = {
    "rekey": rekey,
    "default": default,
    "host": host_acts,
    "join": join,
    "time": time,
}
