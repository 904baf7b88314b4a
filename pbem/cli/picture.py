"""``pbem show``: the table, the own hand, who is awaited, what was said. Imported only by bodies of commands."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from pbem.cli.console import wants_colour
from pbem.cli.desks import Keys, lone_record, player_desk
from pbem.cli.ordering import orders_said
from pbem.client import SeatView
from pbem.crypto.digest import fingerprint
from pbem.errors import UsageProblem
from pbem.game import JsonObject, Seat
from pbem.letters import short_id, story_text
from pbem.letters.terminal import render_table
from pbem.pictures import draw
from pbem.record import Record

_PIPED_WIDTH = 80
_WIDEST = 110


def picture(game: Path, keys: Keys, *, at: int | None, public: bool) -> tuple[str, JsonObject]:
    """The picture and the same as data."""
    record, view, said = _seen(game, keys, at=at, public=public)
    return _draw(record, view, said)


def drawing(game: Path, keys: Keys, *, at: int | None, public: bool) -> bytes:
    """The table, and the own hand unless ``public``, as PNG."""
    record, view, _ = _seen(game, keys, at=at, public=public)
    if record.public is None:
        raise UsageProblem("nothing has been dealt yet", hint="The match waits for joins or ready files.")
    shown = record.public if view is None else view.view_json
    rules, name = record.rules, record.game_info.id
    seat = None if view is None else view.seat
    drawn = draw(name, shown, rules.setup, record.names, rules.summary(record.public), viewer=seat)
    if drawn is None:
        raise UsageProblem(f"there is no picture of {record.game_info.title}")
    return drawn.png


def _seen(
    game: Path, keys: Keys, *, at: int | None, public: bool
) -> tuple[Record, SeatView | None, tuple[str, ...]]:
    """The record, the own view of it, and what is to be said of the own orders."""
    if public:
        return _cut(lone_record(game), at), None, ()
    desk = player_desk(game, keys)
    view = desk.view if at is None else desk.view_at(at)
    return view.record, view, () if at is not None else orders_said(desk)


def _cut(record: Record, at: int | None) -> Record:
    if at is None:
        return record
    if not 0 <= at < len(record.lines):
        raise UsageProblem(f"there is no record {at}; the last one is {record.head.seq}")
    return Record.load([line.raw for line in record.lines[: at + 1]])


def _draw(record: Record, view: SeatView | None, said: tuple[str, ...]) -> tuple[str, JsonObject]:
    seat = None if view is None else view.seat
    shown = record.public if view is None or record.public is None else view.view_json
    facts: JsonObject = {
        "match": short_id(record.game),
        "rules": record.game_info.id,
        "head": {"seq": record.head.seq, "fingerprint": fingerprint(record.head.hash)},
        "over": record.over,
    }
    optional = {"seat": seat, "view": shown, "waiting": record.waiting, "due": record.due}
    facts |= {name: value for name, value in optional.items() if value is not None}
    facts["words"] = [] if view is None else [list(word) for word in view.private_words()]
    parts = [_heading(record, seat), _story(record, seat)]
    if shown is not None:
        parts.append(_table(record, shown, seat))
    parts += [
        _standing(record, seat),
        *said,
        *(f"{who} to you (record {n}): {text}" for n, who, text in facts["words"]),
    ]
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()), facts


def _heading(record: Record, seat: Seat | None) -> str:
    you = f", you are {record.names[seat]} ({seat})" if seat is not None else ""
    head = f"record {record.head.seq}, head {fingerprint(record.head.hash)}"
    return f"{record.game_info.title}, match {short_id(record.game)}{you}\n{head}"


def _story(record: Record, seat: Seat | None) -> str:
    """What happened since the own last file, or in the last record."""
    mine = [
        line.seq for line in record.lines if line.body.get("msg") and line.body["msg"]["body"]["seat"] == seat
    ]
    since = mine[-1] - 1 if mine else record.head.seq - 1
    return story_text(record, max(since, 0), record.head.seq)


def _table(record: Record, shown: JsonObject, seat: Seat | None) -> str:
    colour = wants_colour(sys.stdout, os.environ)
    width = min(shutil.get_terminal_size().columns, _WIDEST) if sys.stdout.isatty() else _PIPED_WIDTH
    summary = record.rules.summary(record.public or shown)
    game, setup = record.game_info.id, record.rules.setup
    return render_table(game, shown, setup, record.names, summary, width=width, colour=colour, viewer=seat)


def _standing(record: Record, seat: Seat | None) -> str:
    """Who is awaited and until when, where the picture does not say it."""
    if record.over:
        outcome = record.head.body.get("outcome", {})
        winners = ", ".join(record.names.get(Seat(one), one) for one in outcome.get("winners", ()))
        return f"The match is over. Winner: {winners}" if winners else "The match is over."
    if record.ledger.paused is not None:
        return "The match is paused; nothing is due."
    unjoined = [one for one in record.seats if one not in record.ledger.players]
    if unjoined:
        return f"Waiting for {', '.join(unjoined)} to join."
    if record.waiting is None:
        names = ["you" if one == seat else one for one in record.missing_links]
        return f"Waiting for ready files of {', '.join(names)}, due {record.due}."
    return f"Due {record.due}."
