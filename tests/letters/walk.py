"""Matches shown record by record, for the tests of emails: one event of each kind of both games among them."""

from __future__ import annotations

from pbem.game import JsonObject
from tests.letters.fakes import KEY, FakeSource, earp_source, earp_view, event, step, west_source, west_view

SALT = "t8AbCdEfGhIjKlMnOpQrSt"
SHOT: JsonObject = {
    "draw": "main",
    "gen": 0,
    "k": 33,
    "to": "table",
    "place": 5,
    "card": "bob-dalton",
    "salt": SALT,
}


def into_hand(seat: str, k: int) -> JsonObject:
    return {"draw": "main", "gen": 0, "k": k, "to": seat}


def die(j: int, value: int, purpose: str) -> JsonObject:
    return {"roll": "public", "j": j, "sides": 6, "value": value, "link": KEY, "for": purpose}


def asking(seat: str, phase: str) -> JsonObject:
    return {"seat": seat, "phase": phase}


def earp_started(**changes: object) -> FakeSource:
    source = earp_source(**changes)  # type: ignore[arg-type]
    view = earp_view(phase="draw", waiting=asking("anna", "draw"))
    source.start(view, [event("hand-started", hand=2, dealer="curt", starter="anna")])
    return source


def earp_look(source: FakeSource) -> int:
    """Anna draws, to look."""
    drawn = [event("drew", seat="anna", from_="supply", count=2)]
    look = step(
        "file",
        drawn,
        "anna",
        {"do": "draw", "from": "supply"},
        [into_hand("anna", 31), into_hand("anna", 32)],
    )
    return source.turn("anna", 2, earp_view(phase="play", waiting=asking("anna", "play")), [look])


def earp_hideout(source: FakeSource) -> int:
    """Anna lays and plays a Hideout that hits; Burt must answer first."""
    steps = [
        step("file", [event("laid", seat="anna", outlaw="jesse-james", count=3, reward=2000)], "anna",
             {"do": "lay", "outlaw": "jesse-james", "count": 3}),
        step("file", [event("shot", seat="anna", card="bob-dalton", hit=True),
                      event("hidden", seat="anna", of="burt", outlaw="belle-starr")], "anna",
             {"do": "hideout", "on": "belle-starr", "seat": "burt"}, [SHOT]),
    ]  # fmt: skip
    pending = {"card": "hideout", "by": "anna", "outlaw": "belle-starr"}
    view = earp_view(phase="react", waiting=asking("burt", "react"), pending=pending)
    return source.turn("anna", 3, view, steps, stopped={"at": 2, "why": "waiting"}, say="Reach for the sky")


def earp_pass(source: FakeSource) -> int:
    view = earp_view(phase="play", sheriff_played=True, waiting=asking("anna", "play"))
    return source.turn("burt", 2, view, [step("file", [], "burt", {"do": "react", "with": "pass"})])


def earp_turn_end(source: FakeSource) -> int:
    over = [event("discarded", seat="anna", card="wes-hardin", why="turn"), event("turn-ended", seat="anna")]
    view = earp_view(active="burt", phase="draw", waiting=asking("burt", "draw"))
    return source.turn("anna", 4, view, [step("file", over, "anna", {"do": "discard", "card": "wes-hardin"})])


def earp_hand_end(source: FakeSource) -> tuple[int, int]:
    """Curt goes out; the hand is scored, closed, and the next one dealt."""
    events = [
        event("discarded", seat="curt", card="hideout", why="turn"), event("turn-ended", seat="curt"),
        event("hand-ended", reason="went-out"),
        event("poster-scored", outlaw="jesse-james", cp={"anna": 12, "burt": 0, "curt": 0}, captured=True,
              paid={"anna": 7000, "burt": 0, "curt": 0}, left=0),
        event("poster-scored", outlaw="wes-hardin", cp={"anna": 4, "burt": 0, "curt": 0}, captured=False,
              paid={"anna": 0, "burt": 0, "curt": 0}, left=3000),
    ]  # fmt: skip
    after = earp_view(phase="chance")
    del after["waiting"]
    first = source.turn(
        "curt", 5, after, [step("file", events, "curt", {"do": "discard", "card": "hideout"})]
    )
    source.add(
        "close", epoch=1, seed=KEY, facts=[{"seq": 11, "seat": "burt", "facts": [{"found": "SECRET-FACT"}]}],
        opened=[{"seat": "anna", "n": 3, "part": "sealed", "salt": SALT, "content": [{"do": "SECRET-OPENED"}]}],
    )  # fmt: skip
    dealt = step("game", [event("hand-started", hand=3, dealer="anna", starter="burt")])
    source.result("open", earp_view(hand=3, phase="draw", waiting=asking("burt", "draw")), [dealt], epoch=2)
    last = source.add("announce", epoch=3, seats=list(source.seats), due="2026-11-30T18:00:00Z")
    return first, last


def earp_match_end(source: FakeSource) -> tuple[int, int]:
    money = {"anna": 27000, "burt": 19000, "curt": 27000}
    events = [
        event("turn-ended", seat="curt"), event("hand-ended", reason="exhausted"),
        event("duel-draw", seat="anna", card="jesse-james", hit=True),
        event("duel-draw", seat="curt", card="hideout", hit=False),
        event("match-ended", winners=["anna"], money=money),
    ]  # fmt: skip
    after = earp_view(phase="over", money=money)
    del after["waiting"]
    turn = step("file", events, "curt", {"do": "draw", "from": "supply"})
    first = source.turn("curt", 9, after, [turn])
    source.add("close", epoch=1, seed=KEY, facts=[], opened=[])
    last = source.add("end", outcome={"winners": ["anna"], "money": money}, opened=[])
    return first, last


EARP_EVENTS = [
    event("drew", seat="anna", from_="supply", count=2),
    event("drew", seat="anna", from_="discard", count=1, card="photo:wes-hardin"),
    event("reshuffled", cards=31),
    event("laid", seat="anna", outlaw="jesse-james", count=3, reward=2000),
    event("laid", seat="curt", outlaw="jesse-james", count=1, reward=0),
    event("photo-played", seat="burt", outlaw="billy-the-kid", reward=1000),
    event("shot", seat="anna", card="bob-dalton", hit=True),
    event("shot", seat="anna", card="photo:bob-dalton", hit=False),
    event("attached", seat="anna", card="stagecoach-robbery", outlaw="jesse-james", reward=3000),
    event("discarded", seat="anna", card="wes-hardin", why="turn"),
    event("discarded", seat="anna", card="bank-robbery", why="missed"),
    event("discarded", seat="anna", card="wyatt-earp", why="used"),
    event("discarded", seat="burt", card="fastest-gun", why="replaced"),
    event("discarded", seat="burt", card="bank-robbery", why="orphan"),
    event("discarded", seat="burt", card="hideout", why="removed"),
    event("asked", seat="anna", outlaw="wes-hardin", of="burt", has=False),
    event("asked", seat="anna", outlaw="wes-hardin", of="curt", has=True),
    event("given", from_="curt", to="anna", outlaw="wes-hardin"),
    event("stolen", seat="anna", from_="burt", outlaw="belle-starr"),
    event("hidden", seat="anna", of="burt", outlaw="belle-starr"),
    event("uncovered", seat="burt", outlaw="belle-starr"),
    event("searching", seat="anna", cards=11),
    event("found", seat="anna"),
    event("found", seat="anna", card="hideout"),
    event("turn-ended", seat="anna"),
    event("hand-ended", reason="went-out"),
    event("hand-ended", reason="empty-hand"),
    event("hand-ended", reason="exhausted"),
    event("hand-ended", reason="last-card-reaction"),
    event("poster-scored", outlaw="jesse-james", cp={"anna": 9, "burt": 5, "curt": 4}, captured=True,
          paid={"anna": 5000, "burt": 3000, "curt": 0}, left=0),
    event("poster-scored", outlaw="bob-dalton", cp={"anna": 0, "burt": 0, "curt": 0}, captured=False,
          paid={"anna": 0, "burt": 0, "curt": 0}, left=1000),
    event("hand-started", hand=3, dealer="anna", starter="burt"),
    event("duel-draw", seat="anna", card="jesse-james", hit=True),
    event("match-ended", winners=["anna", "burt"], money={"anna": 27000, "burt": 27000, "curt": 12000}),
]  # fmt: skip

EARP_ACTIONS = [
    {"do": "react", "with": "pass"}, {"do": "react", "with": "wyatt-earp"}, {"do": "choose", "decline": True},
    {"do": "choose", "on": "jesse-james"}, {"do": "draw", "from": "supply"}, {"do": "most-wanted", "steal": True},
]  # fmt: skip

WEST_EVENTS = [
    event("bid", seat="anna", amount=3),
    event("dropped-out", seat="burt", place=3, paid=2),
    event("turn-order", order=["curt", "anna", "burt"]),
    event("placed", seat="anna", what="cowboy", town="deadwood", paid=0),
    event("placed", seat="anna", what="cattle", town="san-antonia", paid=1),
    event("placed", seat="burt", what="store", town="kansas-city", paid=5),
    event("placed", seat="burt", what="farmer", town="abilene", paid=0),
    event("moved", seat="anna", what="cowboy", from_="abilene", to="deadwood", count=2),
    event("moved", seat="anna", what="cattle", from_="abilene", to="deadwood", count=1),
    event("toll", to="curt", amount=2, town="abilene"),
    event("returned", seat="curt", what="cattle", town="abilene", count=1),
    event("gunfight", town="abilene", attacker="anna", defender="burt", target={"asset": "bank"}, attack=4,
          defence=3, first="burt"),
    event("gunfight", town="abilene", attacker="anna", defender="farmer", target={"farmer": True}, attack=1,
          defence=1, first="both"),
    event("gunfight", town="abilene", attacker="anna", defender="curt", target={"cattle": 2, "seat": "curt"},
          attack=1, defence=2, first="anna"),
    event("volley", side="attack", dice=[5, 2, 6], hits=2),
    event("volley", side="defence", dice=[5], hits=1),
    event("killed", side="defence", what="cowboy", count=2),
    event("killed", side="defence", what="default-cowboy", count=1),
    event("retreated", seat="burt", to=["abilene", "deadwood"], lost=1),
    event("retreated", seat="burt", to=[], lost=0),
    event("gunfight-won", winner="anna", loser="burt", target={"asset": "bank"}),
    event("gunfight-won", winner="farmer", loser="anna", target={"farmer": True}),
    event("gunfight-won", winner="nobody", loser="anna", target={"asset": "bank"}),
    event("captured", seat="anna", from_="burt", what="train", town="abilene"),
    event("captured", seat="anna", from_="burt", what="cattle", town="abilene"),
    event("removed", what="jail", town="abilene"),
    event("robbed", seat="anna", from_="burt", dice=[1, 2, 6], amount=9, bank_closed=False),
    event("robbed", seat="anna", from_="burt", dice=[6, 6, 6], amount=4, bank_closed=True),
    event("wanted", seat="anna", from_="supply"),
    event("wanted", seat="anna", from_="burt"),
    event("income", seat="anna", source="cattle", town="abilene", amount=4),
    event("turn-ended", space=6),
    event("scored", seat="anna", assets=12, cattle=5, control=3, cash=5, wanted=2, total=27),
    event("match-ended", winners=["anna"], points={"anna": 27, "burt": 20, "curt": 19}),
]  # fmt: skip

WEST_ACTIONS = [
    {"do": "pass"}, {"do": "ask-sheriff", "ask": True}, {"do": "ask-sheriff", "ask": False},
    {"do": "lend-sheriff", "lend": True}, {"do": "lend-sheriff", "lend": False}, {"do": "fire"},
    {"do": "retreat", "to": []}, {"do": "bid", "amount": 1},
]  # fmt: skip


def west_started() -> FakeSource:
    source = west_source()
    first: JsonObject = {**die(1, 2, "first player"), "sides": 3}
    view = west_view(space=1, phase="auction", waiting=asking("anna", "auction"))
    source.start(view, [], [first])
    return source


def west_fight(source: FakeSource) -> int:
    """Burt attacks a jail; nobody's turn of the game ends."""
    fight = [
        event("gunfight", town="abilene", attacker="burt", defender="curt", target={"asset": "jail"}, attack=2,
              defence=1, first="curt"),
        event("volley", side="defence", dice=[3], hits=0), event("volley", side="attack", dice=[5, 2], hits=1),
        event("killed", side="defence", what="sheriff", count=1),
        event("gunfight-won", winner="burt", loser="curt", target={"asset": "jail"}),
        event("removed", what="jail", town="abilene"), event("wanted", seat="burt", from_="supply"),
    ]  # fmt: skip
    dice = [
        die(2, 3, "gunfight abilene defence 1"),
        die(3, 5, "gunfight abilene attack 1"),
        die(4, 2, "gunfight abilene attack 1"),
    ]
    action = {"do": "gunfight", "town": "abilene", "target": {"asset": "jail"}}
    view = west_view(waiting=asking("anna", "actions"), active="anna")
    return source.turn("burt", 2, view, [step("file", fight, "burt", action, dice)])


def west_turn_end(source: FakeSource) -> tuple[int, int]:
    """The last action of a turn of the game: income, close, open, the next announcement."""
    events = [
        event("placed", seat="curt", what="cattle", town="deadwood", paid=1),
        event("income", seat="anna", source="cattle", town="san-antonia", amount=4),
        event("turn-ended", space=6),
    ]
    after = west_view(space=7, phase="auction", active="anna", waiting=asking("anna", "auction"))
    first = source.turn(
        "curt", 7, after, [step("file", events, "curt", {"do": "cattle", "towns": ["deadwood"]})]
    )
    source.add("close", epoch=1, seed=KEY, facts=[], opened=[])
    source.result("open", after, [], epoch=2)
    last = source.add("announce", epoch=3, seats=list(source.seats), due="2026-11-30T18:00:00Z")
    return first, last
