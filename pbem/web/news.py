"""What happened since the player looked last, as steps on the table: computed in one call, before the first is shown.

A step is one record: what is shown of it, what moved from which part to which, shots and dice with the chance they had,
money before and after, and the drawing of every part that looks otherwise afterwards. Where a hand or the match ends
there is a standing. Only the last steps are drawn (``MOST_STEPS``); the sentences of the others come before them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Final, TypeAlias

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.games.touching import touching_of
from pbem.player.pictures import draw, draw_ending
from pbem.player.play import Session
from pbem.player.play.leaving import reaction_lines
from pbem.protocol.record.check_messages import REACTIONS
from pbem.protocol.record.deadlines import Over
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.ledger import Epoch
from pbem.web import touch
from pbem.web.touch import Touched

MOST_STEPS: Final = 12
"""Steps that are drawn: at most one second each (the page), then it is one's own turn."""
SEAT: Final = "seat:"

Drawer: TypeAlias = Callable[[JsonObject], JsonObject | None]
"""Draws the table of a view in tiles."""


class SinceLooked:
    """The records after ``since`` that show something.

    Args:
        session: whose match it is.
        draw: the table of a view in tiles; None if the game has no picture.
    """

    def __init__(self, session: Session, draw: Drawer) -> None:
        self._session = session
        self._draw = draw
        self._touching = touching_of(session.game)

    @cached_property
    def seqs(self) -> list[int]:
        """The records that are news."""
        looked = self._session.looked
        return self._session.history.since(looked) if looked >= 0 else []

    def to_json(self) -> JsonObject:
        """All of it."""
        session, history = self._session, self._session.history
        drawn = self.seqs[-MOST_STEPS:]
        begin = _Table(session, self._view(drawn[0] - 1 if drawn else session.record.head.seq), self._draw)
        before, steps = begin, []
        for seq in drawn:
            after = _Table(session, history.view(seq), self._draw)
            steps.append(self._step(seq, before, after))
            before = after
        earlier = self.seqs[: len(self.seqs) - len(drawn)]
        return {
            "since": session.looked,
            "upto": session.record.head.seq,
            "earlier": history.story(earlier[0] - 1, earlier[-1]) if earlier else "",
            "begin": begin.board,
            "steps": steps,
            "react": {word: session.words(f"react-{word}") for word in REACTIONS},
        }

    def _view(self, seq: int) -> JsonObject | None:
        return self._session.history.view(seq) if seq >= 0 else None

    def _step(self, seq: int, before: _Table, after: _Table) -> JsonObject:
        session = self._session
        line, entry = session.record.lines[seq], session.history.entry(seq)
        cards = session.history.cards(seq)
        return {
            "seq": seq,
            "at": session.history.when(line.body["at"]),
            "seat": str(line.body.get("msg", {}).get("body", {}).get("seat", "")),
            "title": entry.title if entry else "",
            "text": list(entry.sentences) if entry else [],
            "say": entry.say if entry else "",
            "private": [session.words("private", name=session.record.names[Seat(who)], text=text)
                        for who, text in session.history.private(seq)],
            "under": reaction_lines(session, seq),
            "reacts": [session.words(f"react-{reaction['with']}")
                       for reaction in line.body.get("msg", {}).get("body", {}).get("react", ())],
            "got": [{"part": f"hand:{card}", "name": after.touched.thing(card)} for card in cards],
            "moves": list(self._moves(seq, after)),
            "shots": list(self._shots(seq)),
            "figures": _figures(session, before, after),
            "parts": _changed(before, after),
            "end": self._end(seq, after),
        }  # fmt: skip

    def _moves(self, seq: int, after: _Table) -> Iterator[JsonObject]:
        for step in self._session.record.lines[seq].body.get("steps", ()):
            for event in step["events"]:
                for move in self._touching.moved(event):
                    name = after.touched.thing(move.name)
                    yield {"from": move.origin, "to": move.to, "name": name, "count": move.count}

    def _shots(self, seq: int) -> Iterator[JsonObject]:
        record, words = self._session.record, self._session.words
        steps = record.lines[seq].body.get("steps", ())
        public = record.moment(seq - 1).public if steps and seq else None
        for trial in record.rules.trials(steps, public) if steps else ():
            hits, of = trial.chance
            yield {
                "seat": str(trial.seat),
                "chance": [hits, of],
                "words": words("chance", hits=hits, of=of),
                "hit": trial.success,
            }

    def _end(self, seq: int, after: _Table) -> JsonObject | None:
        """The screen at the end of a hand or of the match; None where neither ends."""
        session, record = self._session, self._session.record
        ends = KINDS[record.lines[seq].kind].ends
        if not ends:
            return None
        epoch = self._epoch(seq)
        last = next((line.seq for line in reversed(epoch.results) if line.seq < seq), None) if epoch else None
        started = _Table(session, self._view(epoch.opened or -1) if epoch else None, self._draw)
        whole = ends == "match"
        story_entry = (
            session.history.entry(seq) if whole else session.history.entry(last) if last is not None else None
        )
        rows = _standing(session, started, after, whole=whole)
        return {
            "kind": "match" if whole else "hand",
            "title": self._winners(rows) if whole else session.drawing.ended(after.view or {}),
            "lines": list(story_entry.sentences) if story_entry else [],
            "standing": rows,
            "again": whole,
        }

    def _winners(self, rows: list[JsonObject]) -> str:
        """Who won the match, in words; that it is over where nobody did."""
        won = ", ".join(row["name"] for row in rows if row["won"])
        return self._session.words("won", names=won) if won else self._session.waiting.line()

    def ending(self) -> JsonObject:
        """The end of the match as a picture to show others, from what is public; ``UsageProblem`` while it goes on."""
        session, record = self._session, self._session.record
        if not record.over or record.public is None:
            raise UsageProblem(sentence("the match is not over"))
        table = _Table(session, record.public, self._draw)
        game, setup, seats = record.game_info, record.rules.setup, record.seats
        summary = record.rules.summary(record.public)
        drawn = draw(game.id, record.public, setup, record.names, summary, language=session.language)
        rows = _standing(session, table, table, whole=True)
        names = {seat: record.names[seat] for seat in seats}
        return touch.picture_json(
            draw_ending(self._winners(rows), game.title, rows, drawn, names, session.language)
        )

    def _epoch(self, seq: int) -> Epoch | None:
        """The epoch that was open before record ``seq``."""
        epochs = self._session.record.ledger.epochs.values()
        opened = [epoch for epoch in epochs if epoch.opened is not None and epoch.opened < seq]
        return max(opened, key=lambda epoch: epoch.number, default=None)


class _Table:
    """The table of one moment: what is drawn of it, and what is said of it."""

    def __init__(self, session: Session, view: JsonObject | None, draw: Drawer) -> None:
        self.view = view
        self.touched = Touched(session, view)
        self._draw = draw

    @cached_property
    def board(self) -> JsonObject | None:
        """The drawing in tiles."""
        return None if self.view is None else self._draw(self.view)

    @cached_property
    def parts(self) -> dict[str, list[touch.Tree]]:
        """The drawing of each part."""
        return touch.parts_of(self.board["tree"]) if self.board else {}

    def figure(self, seat: str) -> tuple[str, int]:
        """What a player has; nothing before the first deal."""
        return self.touched.figure(seat) if self.view is not None else ("", 0)

    def score(self, seat: str) -> tuple[str, int]:
        """What decides the match, of a player."""
        return self.touched.score(seat) if self.view is not None else ("", 0)


def _changed(before: _Table, after: _Table) -> JsonObject:
    return {part: drawn[0] for part, drawn in after.parts.items() if before.parts.get(part) != drawn}


def _figures(session: Session, before: _Table, after: _Table) -> list[JsonObject]:
    figures = []
    for seat in session.record.seats:
        (_, was), (words, now) = before.figure(seat), after.figure(seat)
        if was != now:
            figures.append({"part": SEAT + seat, "before": was, "after": now, "words": words})
    return figures


def _standing(session: Session, started: _Table, after: _Table, *, whole: bool) -> list[JsonObject]:
    """Everybody by what they have, the most first; who has as much has the same place."""
    record = session.record
    won = (
        set(record.standing.outcome.get("winners", ()))
        if whole and isinstance(record.standing, Over)
        else set()
    )
    rows = [(seat, *after.score(seat), started.score(seat)[1]) for seat in record.seats]
    rows.sort(key=lambda row: (row[0] not in won, -row[2]))
    return [
        {
            "seat": str(seat),
            "name": record.names[seat],
            "figure": words,
            "gained": amount - before,
            "place": 1 + sum(other[2] > amount for other in rows),
            "won": seat in won,
            "me": seat == session.seat,
        }
        for seat, words, amount, before in rows
    ]
