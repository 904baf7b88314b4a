"""One open match as the page shows it: what is asked, rows to choose from, the tray, the picture and its places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.player.pictures import Picture, draw
from pbem.player.play import Session
from pbem.player.play.choices import ChoiceRow, Choices, Do
from pbem.player.play.leaving import reaction_lines, summary_of, tray_actions, tray_words, verdict_of
from pbem.protocol.record.check_messages import REACTIONS
from pbem.protocol.record.deadlines import due_in
from pbem.web import touch
from pbem.web.news import SinceLooked
from pbem.web.shelf import TableChanged
from pbem.web.touch import Touched


class Scene:
    """A session, how deep its player is in the choices, and a number for what is shown.

    Every scene shown has a number, and a row or a part is taken, and a file signed, of the newest one only: a tap that
    comes late, on what is not there any more, does nothing.

    Args:
        numbers: where the numbers come from; one source for all matches of a device, so that no two are alike.
    """

    def __init__(
        self, name: str, session: Session, numbers: Iterator[int], *, practice: bool, api: bool
    ) -> None:
        self.name = name
        self.session = session
        self.choices = Choices(session, keyed=False)
        self._practice = practice
        self._api = api
        self._numbers = numbers
        self._number = 0
        self._rows: list[ChoiceRow] = []
        self._board: tuple[Any, JsonObject | None] = (None, None)
        self.touched = Touched(session)
        if session.looked < 0:
            session.mark_looked(session.first_table)

    def to_json(self) -> JsonObject:
        """The scene; the picture is shown every time, and drawn when the table has changed."""
        session, record = self.session, self.session.record
        self._number = next(self._numbers)
        self._rows = self.choices.rows()
        self.touched = Touched(session)
        view, board, held = session.view_json, self._board_of(session.shown), self.touched.held()
        players = self.touched.players()
        drawn = touch.parts_of(board["tree"]) if board else {}
        seen = [*drawn, *(entry["part"] for entry in (*held, *players))]
        return {
            "match": self.name,
            "at": self._number,
            "practice": self._practice,
            "api": self._api,
            "title": record.game_info.title,
            "chapter": session.drawing.chapter(view) if view else "",
            "me": record.names[session.seat],
            "asked": self.choices.title,
            "mine": session.waiting.mine,
            "due": self.choices.due,
            "due_at": (due_in(session.waiting.standing) if session.timed else None) or "",
            "head": record.head.seq,
            "hosted": session.hosted,
            "over": record.over,
            "settled": session.settled,
            "rows": [self._row(at, row) for at, row in enumerate(self._rows)],
            "tray": tray_actions(session),
            "words": tray_words(session),
            "say": session.say,
            "tell": dict(session.tell),
            "react": {str(seq): word for seq, word in session.react.items()},
            "nudge": session.nudge,
            "nudgeable": session.nudgeable or "",
            "others": {seat: name for seat, name in record.names.items() if seat != session.seat},
            "held": held,
            "purse": self.touched.purse(),
            "players": players,
            "board": board,
            "tree": self.touched.to_json(),
            "why": self.touched.why(seen),
            "table": session.drawing.in_words(record.public) if record.public is not None else "",
            "latest": session.history.latest(),
            "news": self.unseen,
            "unanswered": [session.describe(entry) for entry in session.unanswered],
            "played": any(
                line.kind == "turn" and line.body["msg"]["body"]["seat"] == session.seat
                for line in record.lines
            ),
        }

    @property
    def unseen(self) -> JsonObject | None:
        """Whether there is something to be shown first (``news``)."""
        count = len(self.news.seqs)
        return {"count": count, "since": self.session.looked} if count else None

    @property
    def news(self) -> SinceLooked:
        """What happened since the player looked."""
        return SinceLooked(self.session, self._tiles)

    def _tiles(self, view: JsonObject) -> JsonObject | None:
        drawn = self.picture_of(view, form="board")
        return None if drawn is None else touch.picture_json(drawn)

    def _row(self, at: int, row: ChoiceRow) -> JsonObject:
        facts: JsonObject = {"row": at, "do": row.do.value, "label": row.label, "effect": row.effect}
        if row.do is Do.OFFER:
            facts |= {"label": row.effect, "effect": "", "taken": "[x]" in row.label}
        behind = [row.action] if row.action is not None else self.choices.behind(row)
        facts["touch"] = list(self.touched.lead(behind))
        return facts | ({"more": True} if row.more else {})

    def _board_of(self, view: JsonObject | None) -> JsonObject | None:
        """The table in tiles; drawn when it has changed."""
        if self._board[0] != view:
            self._board = (view, None if view is None else self._tiles(view))
        return self._board[1]

    def picture_of(self, view: JsonObject, *, form: str = "picture", portrait: bool = True) -> Picture | None:
        """The table of ``view``, for a phone."""
        session, record = self.session, self.session.record
        return draw(
            record.game_info.id,
            view,
            record.rules.setup,
            record.names,
            record.rules.summary(view),
            viewer=session.seat,
            language=session.language,
            portrait=portrait,
            form=form,
        )

    def preview(self) -> JsonObject:
        """The file before it is signed, and the one that says the same already, if there is one."""
        session = self.session
        preview, same = session.preview(), session.same
        return {
            "summary": summary_of(session, preview),
            "check": verdict_of(preview, session.words),
            "fault": bool(preview.fault),
            "empty": preview.empty or (preview.reacts and not self._api),
            "same": session.words("send-same", text=session.describe(same)) if same else "",
            "entry": same.message.hash.hex() if same else "",
        }

    def moment(self, index: int) -> JsonObject:
        """One record that shows something, by its place in the story."""
        session, seqs = self.session, self.session.history.seqs
        if not seqs:
            return {"index": 0, "count": 0, "title": session.words("no-news"), "text": "", "picture": None}
        index = max(0, min(len(seqs) - 1, index if index >= 0 else len(seqs) - 1))
        moment = session.history.at(seqs[index])
        lines = [moment.story]
        if moment.cards:
            lines.append(session.words("got", cards=session.drawing.cards(moment.cards)))
        names = session.record.names
        lines += [session.words("private", name=names[Seat(who)], text=text) for who, text in moment.words]
        lines += reaction_lines(session, moment.seq)
        picture = None if moment.view is None else self.picture_of(moment.view)
        return {
            "index": index,
            "count": len(seqs),
            "seq": moment.seq,
            "react": {word: session.words(f"react-{word}") for word in REACTIONS},
            "title": session.moment_title(moment),
            "text": "\n".join(lines),
            "proofs": len(session.record.labels(moment.seq)),
            "picture": None if picture is None else touch.picture_json(picture),
        }

    def row(self, asked: JsonObject) -> ChoiceRow:
        """The row of the scene that the page shows; ``UsageProblem`` if another one is shown meanwhile."""
        self.newest(asked)
        at = int(asked["row"])
        if not 0 <= at < len(self._rows):
            raise UsageProblem(sentence("there is no such choice"))
        return self._rows[at]

    def newest(self, asked: JsonObject) -> None:
        """``UsageProblem`` unless ``at`` of the question is the number of the scene shown last."""
        if int(asked.get("at", -1)) != self._number:
            raise TableChanged
