"""What is done at the open table: choices, words, standing orders; and looking back at what happened."""

from __future__ import annotations

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.games.rulebook import games_with_rules, rows_told, rulebook
from pbem.player.play.choices import Choices, Do
from pbem.player.play.leaving import travels
from pbem.player.play.orders import StandingOrders
from pbem.player.practice.interactive import PracticeSession
from pbem.protocol.record.gestures import REACTIONS
from pbem.web import tree
from pbem.web.device import Answer, Device
from pbem.web.proving import audited, proofs_of
from pbem.web.scene import Scene


class Choosing:
    """Answers to questions about the open match; nothing of them leaves the device."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def answers(self) -> dict[str, Answer]:
        """By the name of the question."""
        return {
            "take": self._take, "more": self._more, "back": self._back, "undo": self._undo,
            "talk": self._talk, "orders": self._orders, "order": self._order, "look": self._look,
            "looked": self._looked, "moment": self._moment, "audit": self._audit, "hint": self._hint,
            "review": self._review, "rules": self._rules, "branch": self._branch, "weigh": self._weigh,
            "picture": self._picture, "card": self._card, "news": self._news,
            "ending": self._ending, "react": self._react,
        }  # fmt: skip

    @property
    def _now(self) -> Scene:
        return self._device.now

    @property
    def _choices(self) -> Choices:
        return self._now.choices

    # --- choosing -----------------------------------------------------------------------------------------

    def _take(self, asked: JsonObject) -> JsonObject:
        """``row``, ``at``: take a row of the scene of that number; ``screen`` says what is left for the page."""
        row = self._now.row(asked)
        left = self._choices.take(row)
        return {"screen": "" if left is Do.NOTE else left.value, **self._device.shown()}

    def _more(self, asked: JsonObject) -> JsonObject:
        self._choices.more(self._now.row(asked))
        return self._device.shown()

    def _back(self, _: JsonObject) -> JsonObject:
        self._choices.back()
        return self._device.shown()

    def _undo(self, asked: JsonObject) -> JsonObject:
        session = self._now.session
        undone = session.take_back(int(asked.get("index", -1)))
        self._choices.clear()
        note = ""
        if undone is not None:
            action, more = undone
            note = session.words("undone", label=session.phrases.label(action))
            note += "\n" + session.words("undone-more", n=more) if more else ""
        return {"note": note, **self._device.shown()}

    def _talk(self, asked: JsonObject) -> JsonObject:
        """``say``, ``tell``, ``nudge``: words that travel with the file, and whether it calls who is waited for."""
        say = str(asked.get("say", "")).strip()
        tell = {Seat(seat): str(text).strip() for seat, text in dict(asked.get("tell", {})).items()}
        if not all(map(travels, (say, *tell.values()))):
            raise UsageProblem(sentence("No line breaks or control characters, please."))
        session = self._now.session
        session.speak(say, {seat: text for seat, text in tell.items() if text})
        session.call(off=not asked.get("nudge"))
        return self._device.shown()

    def _react(self, asked: JsonObject) -> JsonObject:
        """``seq``, ``with``: a reaction under a record; the same again takes it back."""
        session, seq, word = self._now.session, int(asked["seq"]), str(asked["with"])
        if word not in REACTIONS or not 0 <= seq <= session.record.head.seq:
            raise UsageProblem(sentence("there is no such choice"))
        session.gesture(seq, word)
        return self._device.shown()

    def _orders(self, _: JsonObject) -> JsonObject:
        standing = StandingOrders(self._now.session)
        lines = [
            {"label": line.label, "effect": line.effect, "can": line.change is not None, "send": line.send}
            for line in standing.lines()
        ]
        return {
            "orders": {"lines": lines, "answers": standing.answers(), "vocabulary": standing.vocabulary()}
        }

    def _order(self, asked: JsonObject) -> JsonObject:
        """``line`` of the orders shown, or ``text`` of a rule: change what the next file carries."""
        standing = StandingOrders(self._now.session)
        if "text" in asked:
            standing.session.plan_orders(standing.typed(str(asked["text"])))
        else:
            change = standing.lines()[int(asked["line"])].change
            if change is not None:
                standing.session.plan_orders(change())
        return {**self._orders(asked), **self._device.shown()}

    # --- by touch -----------------------------------------------------------------------------------------

    def _branch(self, asked: JsonObject) -> JsonObject:
        """``at``, ``parts``: the tree from where these touches lead."""
        self._now.newest(asked)
        return {"node": self._now.touched.branch(_parts(asked))}

    def _weigh(self, asked: JsonObject) -> JsonObject:
        """``at``, ``parts``: the action of these touches, what follows, and whether its yes lets the draft leave."""
        self._now.newest(asked)
        return {"offer": self._now.touched.weigh(_parts(asked))}

    def _picture(self, asked: JsonObject) -> JsonObject:
        """``form``: ``portrait`` or ``wide``, the roomy table."""
        scene = self._now
        view = scene.session.shown
        drawn = None if view is None else scene.picture_of(view, portrait=asked.get("form") != "wide")
        return {"picture": None if drawn is None else tree.told(drawn)}

    def _card(self, asked: JsonObject) -> JsonObject:
        """``part``: its name, and the rows of the rules that tell what it is and does."""
        return {"card": self._now.touched.card(str(asked["part"]))}

    # --- looking back -------------------------------------------------------------------------------------

    def _look(self, _: JsonObject) -> JsonObject:
        """The scene, opened anew."""
        return self._device.show(self._device.open)

    def _news(self, _: JsonObject) -> JsonObject:
        """Each turn since the player looked last, on the table (``pbem.web.news``); it stays news until ``looked``."""
        return {"news": self._now.news.told()}

    def _ending(self, _: JsonObject) -> JsonObject:
        """The end of the match as a picture to show others: nothing in it that only this seat knows."""
        return {"picture": self._now.news.ending()}

    def _looked(self, _: JsonObject) -> JsonObject:
        self._now.session.mark_looked()
        return self._device.shown()

    def _moment(self, asked: JsonObject) -> JsonObject:
        """``index``: one record that tells something, with the table as it was; -1 is the last one."""
        return {"moment": self._now.moment(int(asked.get("index", -1)))}

    def _audit(self, asked: JsonObject) -> JsonObject:
        """Everything that can be checked about the match; with ``seq`` the proofs of one record, by hand."""
        record, language = self._now.session.record, self._device.language
        if "seq" in asked:
            return {"proofs": proofs_of(record, int(asked["seq"]), language)}
        return {"audit": audited(record, language)}

    def _rules(self, asked: JsonObject) -> JsonObject:
        """``rows`` that a refusal names, as they read; without it the whole rulebook of the match."""
        game = self._now.session.record.game_info.id
        language = self._device.language
        if "rows" in asked:
            return {"text": rows_told(game, list(map(str, asked["rows"])), language.tell)}
        sections: list[JsonObject] = [
            {
                "title": language.tell(section.title),
                "rows": [{"id": row.id, "text": language.tell(row.text)} for row in section.rows],
            }
            for section in (rulebook(game).sections if game in games_with_rules() else ())
        ]
        parts = (
            [section["title"], *(f"{row['id']}  {row['text']}" for row in section["rows"])]
            for section in sections
        )
        return {"sections": sections, "text": "\n\n".join(map("\n".join, parts))}

    def _hint(self, _: JsonObject) -> JsonObject:
        session = self._now.session
        return {"text": session.hint() if isinstance(session, PracticeSession) else ""}

    def _review(self, _: JsonObject) -> JsonObject:
        session = self._now.session
        return {"text": session.review() if isinstance(session, PracticeSession) else ""}


def _parts(asked: JsonObject) -> list[str]:
    """The parts that were touched, in order."""
    return [str(part) for part in asked["parts"]]
