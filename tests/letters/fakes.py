"""A record made of plain data, as emails read it: for tests only."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, cast

from pbem.game import AnyRules, Game, GameInfo, JsonObject, Seat, Setup
from pbem.protocol.crypto.digest import b64
from pbem.protocol.record.deadlines import (
    Answer,
    Decision,
    Host,
    Joins,
    Links,
    Moment,
    Over,
    Paused,
    ReadyFiles,
    Running,
    Standing,
    plus_hours,
)
from pbem.protocol.record.line import Index
from pbem.protocol.record.record import Label

KEY = b64(bytes(range(32)))


@dataclass(frozen=True)
class FakeLine:
    seq: int
    kind: str
    body: JsonObject
    hash: bytes
    raw: bytes


@dataclass(frozen=True)
class FakeRules:
    setup: Setup
    figures: Callable[[JsonObject, Setup], JsonObject] | None
    has_secrets: bool

    def summary(self, view: JsonObject) -> JsonObject:
        return self.figures(view, self.setup) if self.figures else {}


@dataclass
class FakeSource:
    game_info: GameInfo
    setup: Setup
    names: Mapping[Seat, str]
    figures: Callable[[JsonObject, Setup], JsonObject] | None = None
    has_secrets: bool = True
    label: str = "fair"
    lines: list[FakeLine] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.lines:
            self.add("genesis", **self._genesis())

    def _genesis(self) -> JsonObject:
        return {
            "pbem": 1, "rules": {"id": self.game_info.id, "version": 1},
            "options": self.setup.options, "setup": self.setup.extra, "seats": list(self.setup.seats),
            "deadlines": {"hours": 72, "grace": 24, "again": 0, "then": "default"},
            "consent": {"pause": "all", "substitute": "others"},
        }  # fmt: skip

    # building
    def add(self, kind: str, **members: Any) -> int:
        seq = len(self.lines)
        body = {
            "kind": kind,
            "seq": seq,
            "at": f"2026-11-21T{18 + seq // 60:02d}:{seq % 60:02d}:00Z",
            **members,
        }
        raw = json.dumps({"body": body, "sig": {"key": KEY, "value": "…"}}, sort_keys=True).encode()
        self.lines.append(FakeLine(seq, kind, body, sha256(raw).digest(), raw))
        return seq

    def message(self, seat: str, n: int, seen: int | None = None, **members: Any) -> JsonObject:
        seen = len(self.lines) - 1 if seen is None else seen
        return {"body": {"seat": seat, "n": n, "seen": {"seq": seen, "line": KEY}, **members}, "sig": {}}

    def join_all(self) -> None:
        for seat in self.setup.seats:
            message = self.message(seat, 0, seen=0, name=self.names[seat], sign=KEY, lang="en")
            self.add("join", msg=message)

    def start(
        self, public: JsonObject, events: Sequence[JsonObject] = (), chance: Sequence[JsonObject] = ()
    ) -> int:
        """Joins, announcement, ready files, the first ``open`` and the second announcement."""
        self.join_all()
        self.add("announce", epoch=1, seats=list(self.setup.seats), due="2026-11-24T18:00:00Z")
        for seat in self.setup.seats:
            self.add("ready", msg=self.message(seat, 1, link={"epoch": 1, "value": KEY}))
        seq = self.result("open", public, [step("game", events, chance=chance)], epoch=1)
        self.add("announce", epoch=2, seats=list(self.setup.seats), due="2026-11-27T18:00:00Z")
        return seq

    def result(self, kind: str, public: JsonObject, steps: Sequence[JsonObject], **members: Any) -> int:
        if self.has_secrets:
            members["packets"] = {seat: {"commit": KEY, "ct": KEY} for seat in self.setup.seats}
        members.setdefault("epoch", 1)
        members.setdefault("due", "2026-11-25T18:00:00Z")
        return self.add(kind, public=public, steps=list(steps), **members)

    def turn(self, seat: str, n: int, public: JsonObject, steps: Sequence[JsonObject], **members: Any) -> int:
        say = members.pop("say", None)
        message = self.message(seat, n, actions=[s["action"] for s in steps if s["by"] == "file"])
        if say is not None:
            message["body"]["say"] = say
        applied = sum(s["by"] in ("file", "sealed") for s in steps)
        return self.result("turn", public, steps, msg=message, applied=applied, **members)

    # what emails read
    @property
    def index(self) -> Index:
        index = Index()
        for line in self.lines:
            index.take(line)
        return index

    @property
    def game(self) -> bytes:
        return sha256(b"a match of the tests").digest()

    @property
    def genesis(self) -> JsonObject:
        return {"host": {}, **self.lines[0].body}

    @property
    def seats(self) -> tuple[Seat, ...]:
        return self.setup.seats

    @property
    def rules(self) -> AnyRules:
        return cast(AnyRules, FakeRules(self.setup, self.figures, self.has_secrets))

    def moment(self, seq: int) -> Moment:
        return Moment(self._standing(self.lines[: seq + 1]), self._shown(self.lines[: seq + 1]))

    def _shown(self, lines: Sequence[FakeLine]) -> FakeLine | None:
        return next((line for line in reversed(lines) if "public" in line.body), None)

    def _public(self, lines: Sequence[FakeLine]) -> JsonObject | None:
        shown = self._shown(lines)
        return None if shown is None else shown.body["public"]

    def _standing(self, lines: Sequence[FakeLine]) -> Standing:
        """As far as these tests go: nobody resigns, and nothing is excused."""
        if lines[-1].kind == "end":
            return Over(lines[-1].body["outcome"])
        pauses = [line for line in lines if line.kind == "pause"]
        running = self._running(lines)
        if not pauses or pauses[-1].body["what"]["until"] <= pauses[-1].body["at"]:
            return running
        return Paused(pauses[-1].body["what"]["until"], running)

    def _running(self, lines: Sequence[FakeLine]) -> Running:
        joined = {line.body["msg"]["body"]["seat"] for line in lines if line.kind == "join"}
        unjoined = tuple(seat for seat in self.seats if seat not in joined)
        spans = [line for line in lines if line.kind in ("open", "close")]
        public, due = self._public(lines) or {}, _due(lines)
        waiting = public.get("waiting") if spans and spans[-1].kind == "open" else None
        if unjoined:
            return Joins(unjoined)
        if waiting:
            asked = max(line.seq for line in lines if "public" in line.body)
            seat, active = Seat(waiting["seat"]), Seat(public.get("active", waiting["seat"]))
            limit = plus_hours(due, 24) if due else None
            if active != seat:
                return Answer(seat, waiting["phase"], active, asked, due, limit)
            return Decision(seat, waiting["phase"], asked, due, limit)
        missing = self._linkless(lines)
        if missing and not spans:
            return ReadyFiles(missing, due)
        return Links(missing, 2, due) if missing else Host()

    def _linkless(self, lines: Sequence[FakeLine]) -> tuple[Seat, ...]:
        announced = next((line for line in reversed(lines) if line.kind == "announce"), None)
        if announced is None or lines[-1].kind == "burn":
            return ()
        sent = {line.body["msg"]["body"]["seat"] for line in lines[announced.seq :] if line.kind == "ready"}
        return tuple(Seat(seat) for seat in announced.body["seats"] if seat not in sent)

    def labels(self, seq: int) -> list[Label]:
        steps = self.lines[seq].body.get("steps", ())
        return [
            Label(seq, n, i, "card", self.label, "", "", "")
            for n, step in enumerate(steps)
            for i in range(len(step["chance"]))
        ]


def _due(lines: Sequence[FakeLine]) -> str | None:
    return next(
        (line.body["due"] for line in reversed(lines) if "due" in line.body and line.kind != "announce"), None
    ) or next((line.body["due"] for line in reversed(lines) if "due" in line.body), None)


def step(by: str, events: Sequence[JsonObject], seat: str = "", action: JsonObject | None = None,
         chance: Sequence[JsonObject] = (), n: int | None = None) -> JsonObject:  # fmt: skip
    """One step of a result; ``by`` game has no seat and no action."""
    step: JsonObject = {"by": by, "events": list(events), "chance": list(chance)}
    if by != "game":
        step |= {"seat": seat, "action": action}
    if n is not None:
        step["n"] = n
    return step


def event(name: str, **fields: Any) -> JsonObject:
    """``fields`` may use ``from_`` for ``from``."""
    return {"event": name, **{key.rstrip("_"): value for key, value in fields.items()}}


def figures_by(game: Game) -> Callable[[JsonObject, Setup], JsonObject]:
    """The public figures of a view, by the rules bound to its setup; options that it leaves out are the defaults."""
    return lambda view, setup: game.rules(
        replace(setup, options=game.resolve_options("default", setup.options))
    ).summary(view)


# --- Wyatt Earp -------------------------------------------------------------------------------------------

OUTLAWS = (
    "belle-starr",
    "billy-the-kid",
    "bob-dalton",
    "butch-cassidy",
    "jesse-james",
    "sundance-kid",
    "wes-hardin",
)


def group(outlaws: int = 0, **more: Any) -> JsonObject:
    empty = {"photo": False, "bank-robbery": 0, "stagecoach-robbery": 0, "fastest-gun": 0, "hideout": False}
    return {"outlaws": outlaws, **empty, **{key.replace("_", "-"): value for key, value in more.items()}}


def earp_view(**changes: Any) -> JsonObject:
    """A public view in the middle of a hand."""
    view = {
        "hand": 2, "dealer": "curt", "active": "anna", "phase": "play", "sheriff_played": False, "reshuffled": False,
        "opened": ["belle-starr", "jesse-james", "wes-hardin"],
        "posters": dict.fromkeys(OUTLAWS, 1000) | {"jesse-james": 7000, "belle-starr": 4000, "wes-hardin": 3000},
        "money": {"anna": 9000, "burt": 4000, "curt": 12000}, "hands": {"anna": 7, "burt": 9, "curt": 11},
        "supply": 31, "discard": {"top": "photo:bob-dalton", "count": 9, "takeable": 8},
        "territories": {
            "anna": {"jesse-james": group(3, photo=True, bank_robbery=1), "wes-hardin": group(2)},
            "burt": {"jesse-james": group(2, hideout=True, stagecoach_robbery=1),
                     "belle-starr": group(3, fastest_gun=1)},
            "curt": {"belle-starr": group(1), "wes-hardin": group(3, bank_robbery=2)},
        },
        "waiting": {"seat": "anna", "phase": "play"},
    }  # fmt: skip
    return view | changes


def earp_source(names: Mapping[str, str] | None = None, **changes: Any) -> FakeSource:
    from pbem.games.wyatt_earp import GAME

    info = replace(GAME.info, decks={}, deck_lists={})
    seats = tuple(Seat(seat) for seat in ("anna", "burt", "curt"))
    setup = Setup(seats, GAME.resolve_options(changes.pop("profile", "default"), {}), {"dealer": "curt"})
    called = {seat: (names or {}).get(seat, seat.capitalize()) for seat in seats}
    return FakeSource(info, setup, called, figures_by(GAME), **changes)


# --- Way Out West -----------------------------------------------------------------------------------------


def town(**changes: Any) -> JsonObject:
    return {"cowboys": {}, "cattle": {}, "assets": {}, "farmer": None, "sheriff_down": False} | changes


def west_view(**changes: Any) -> JsonObject:
    view = {
        "space": 5, "phase": "actions", "order": ["burt", "anna", "curt"], "active": "burt",
        "cash": {"anna": 14, "burt": 9, "curt": 22}, "wanted": {"anna": 1, "burt": 0, "curt": 2},
        "farmers": {"anna": 1, "burt": 0, "curt": 1}, "tokens": {"anna": 2, "burt": 1, "curt": 2},
        "used_boxes": ["cattle-1", "store"],
        "towns": {
            "san-antonia": town(cowboys={"anna": 2, "burt": 1}, cattle={"anna": 2, "curt": 1},
                                assets={"store": "burt", "stagecoach": "anna"}),
            "kansas-city": town(cowboys={"curt": 3}, cattle={"curt": 2, "burt": 1}, farmer="burt"),
            "abilene": town(cowboys={"burt": 2, "anna": 1}, assets={"jail": "curt", "hotel": "anna", "bank": "burt"}),
            "dodge-city": town(), "deadwood": town(cowboys={"curt": 1}),
        },
        "auction": {"bids": {"anna": 1, "burt": 3}, "dropped": []},
        "waiting": {"seat": "burt", "phase": "actions"},
    }  # fmt: skip
    return view | changes


def west_source(names: Mapping[str, str] | None = None) -> FakeSource:
    from pbem.games.way_out_west import GAME

    info = GameInfo("way-out-west", "Way Out West", range(3, 6), (1,), {"default": {}}, {}, {}, ("public",))
    seats = tuple(Seat(seat) for seat in ("anna", "burt", "curt"))
    options = {
        "cattle_gate": "next_lower",
        "farmer_fills": True,
        "store_follows_cattle": False,
        "store_own_farmer": "no",
    }
    setup = Setup(seats, options, GAME.default_extra(seats))
    called = {seat: (names or {}).get(seat, seat.capitalize()) for seat in seats}
    return FakeSource(info, setup, called, figures_by(GAME), has_secrets=False)


# --- a game without templates -----------------------------------------------------------------------------


def toy_source() -> FakeSource:
    info = GameInfo("no-such-game", "A Toy", range(2, 3), (1,), {"default": {}}, {}, {}, ())
    seats = (Seat("anna"), Seat("burt"))
    return FakeSource(info, Setup(seats, {}, {}), {seat: seat.capitalize() for seat in seats}, None)
