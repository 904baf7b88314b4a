"""What the page asks and what it is told: JSON in, JSON out, one question after the other.

A question is ``{"do": name, …}``. The answer is ``{"ok": true, …}`` or ``{"ok": false, "fault": text, "hint": text}``;
nothing is half done where a fault is told. Answers may hold ``keep``: secrets that the browser is to keep before
it shows anything (``Shelf.fresh``). Bytes travel as base64. What is shown is words in the reader's language, an SVG
picture with the places in it that can be touched, and rows to choose from; the page knows no more of any game.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, Final

from pbem.crypto.digest import b64, fingerprint, short_id
from pbem.crypto.identity import recovery_hash, recovery_key, recovery_to_paper
from pbem.errors import FormatError, PbemError, UsageProblem
from pbem.formats.armour import armour
from pbem.game import JsonObject, Seat
from pbem.language import Language, language_of
from pbem.letters.standing import waiting_at
from pbem.mail import content_of
from pbem.play import Post, Session
from pbem.play.choices import Choices, Do
from pbem.play.leaving import travels
from pbem.play.orders import StandingOrders
from pbem.player import Entry, PlayerDesk, Signed
from pbem.player.book import Book
from pbem.player.copy import belongs
from pbem.player.moments import now
from pbem.player.next_step import next_step
from pbem.practice import PracticePlan
from pbem.practice.match import Practice, fresh
from pbem.practice.sitting import PracticeSession
from pbem.record import Record
from pbem.record.line import read_line
from pbem.sentences import sentence
from pbem.web.proving import audited, proofs_of
from pbem.web.scene import Scene
from pbem.web.shelf import PRACTICE, Entropy, Shelf, decoded
from pbem.web.words import PAGE_WORDS

Clock = Callable[[], str]
MOST_BYTES: Final = 64 * 1024 * 1024


class Worker:
    """One device: its matches, the open one, and what is being looked at.

    Args:
        root: the folder that outlives the page.
        secrets: of each match, as they were kept.
        entropy: fresh random bytes.
        clock: the time now, UTC as records write it.
        lang: what is spoken until another language is asked for (``hello``).
    """

    def __init__(
        self,
        root: Path,
        secrets: dict[str, bytes],
        entropy: Entropy,
        clock: Clock = now,
        *,
        lang: str = "en",
    ) -> None:
        self.shelf = Shelf(root, secrets, entropy)
        self.clock = clock
        self._language: Language = language_of(lang)
        self._open = ""
        self._numbers = count(1)
        self._scene: Scene | None = None
        self._invitation: tuple[bytes, ...] = ()

    def ask(self, text: str) -> str:
        """One question and its answer, both JSON."""
        try:
            question: JsonObject = json.loads(text)
            answer = {"ok": True, **self._answers()[question["do"]](question)}
        except PbemError as fault:
            answer = {
                "ok": False,
                "fault": self._language.tell(fault),
                "hint": self._language.tell(fault.hint),
            }
        if self.shelf.fresh:
            answer["keep"] = {
                name: None if secret is None else base64.b64encode(secret).decode()
                for name, secret in self.shelf.fresh.items()
            }
            self.shelf.fresh = {}
        return json.dumps(answer, ensure_ascii=False)

    def _answers(self) -> dict[str, Callable[[JsonObject], JsonObject]]:
        return {
            "hello": self._hello, "words": self._words, "matches": self._matches, "open": self._opened,
            "practice": self._practice, "invited": self._invited, "join": self._join, "bring": self._bring,
            "forget": self._forget, "backup": self._backup, "restore": self._restore, "paper": self._paper,
            "take": self._take, "more": self._more, "back": self._back, "touch": self._touch, "undo": self._undo,
            "talk": self._talk, "orders": self._orders, "order": self._order, "file": self._file,
            "sign": self._sign, "again": self._again, "left": self._left, "moment": self._moment,
            "looked": self._looked, "audit": self._audit, "hint": self._hint, "review": self._review,
            "door": self._door, "answered": self._answered, "look": self._look,
        }  # fmt: skip

    # --- the device ---------------------------------------------------------------------------------------

    def _hello(self, asked: JsonObject) -> JsonObject:
        """``lang``: what is spoken from now on."""
        self._language = language_of(str(asked.get("lang", "en")))
        if self._open:
            self._show(self._open)
        return self._matches(asked)

    def _words(self, asked: JsonObject) -> JsonObject:
        language = language_of(str(asked["lang"]))
        return {"words": {key: language.gettext(text) for key, text in PAGE_WORDS.items()}}

    def _matches(self, _: JsonObject) -> JsonObject:
        """Every match in one line."""
        return {"matches": [self._row(name) for name in self.shelf.names()]}

    def _row(self, name: str) -> JsonObject:
        practice = self.shelf.is_practice(name)
        try:
            desk = self._desk(name)
            record = desk.record
            seat = _seat_of(desk)
            asked = next_step(record, seat, desk.unanswered(), self.clock(), self._language)
            mine = waiting_at(record, seat, record.head.seq, self._language).mine
            title, game = record.game_info.title, b64(record.game)
        except PbemError as fault:  # one that is damaged keeps nobody from the others
            title, game, asked, mine = name, "", self._language.tell(fault), False
        told: JsonObject = {"id": name, "title": title, "told": asked, "mine": mine, "practice": practice}
        if not practice:
            told |= {"game": game, "seat": self.shelf.note(name).get("seat", "")}
        return told

    def _desk(self, name: str) -> PlayerDesk:
        if self.shelf.is_practice(name):
            return Practice(self.shelf.folder(name), self.shelf.entropy, self.clock).desk()
        return self.shelf.desk(name)

    # --- opening ------------------------------------------------------------------------------------------

    def _opened(self, asked: JsonObject) -> JsonObject:
        """``match``: open it and show it."""
        return self._show(str(asked["match"]))

    def _show(self, name: str) -> JsonObject:
        self._scene = None
        self._open = name
        folder = self.shelf.folder(name)
        if self.shelf.is_practice(name):
            session: Session = PracticeSession(
                Practice(folder, self.shelf.entropy, self.clock), self._language
            )
        else:
            desk = self.shelf.desk(name)
            if _seat_of(desk) is None:
                return {"scene": self._joining(name, desk)}
            first = [desk]
            session = Session(
                lambda: first.pop() if first else self.shelf.desk(name), Post(folder), language=self._language
            )
        practice, door = self.shelf.is_practice(name), self._has_door(name)
        self._scene = Scene(name, session, self._numbers, practice=practice, door=door)
        return {"scene": self._scene.told()}

    def _joining(self, name: str, desk: PlayerDesk) -> JsonObject:
        """A match whose host has not answered the own join yet."""
        entries = desk.unanswered()
        return {
            "match": name,
            "joining": True,
            "title": desk.record.game_info.title,
            "told": [self._language.tell(desk.told(entry)) for entry in entries],
            "entry": entries[-1].message.hash.hex() if entries else "",
            "door": self._has_door(name),
        }

    @property
    def _now(self) -> Scene:
        if self._scene is None:
            raise UsageProblem(sentence("no match is open"))
        return self._scene

    def _shown(self) -> JsonObject:
        return {"scene": self._now.told()}

    def _practice(self, asked: JsonObject) -> JsonObject:
        """``game``, ``against``, ``level``, ``name``: a new practice match, opened."""
        game = str(asked["game"])
        plan = PracticePlan(
            game,
            int(asked.get("against", 2)),
            str(asked.get("level", "medium")),
            str(asked.get("name") or "Anna"),
        )
        shelf = self.shelf.root / PRACTICE
        folder = fresh(shelf, game)
        Practice.begin(folder, plan, self.shelf.entropy, self.clock)
        return self._show(folder.name)

    # --- joining ------------------------------------------------------------------------------------------

    def _invited(self, asked: JsonObject) -> JsonObject:
        """``data``: an invitation; which match it is, and which seats are free."""
        lines, seat = self._lines(decoded(asked["data"]))
        record = Record.load(lines)
        self._invitation = lines
        return {"invitation": self._told_invitation(record, seat)}

    def _lines(self, raw: bytes) -> tuple[tuple[bytes, ...], str]:
        _check_size(raw)
        found = content_of(raw)
        if not found.lines:
            raise FormatError(
                sentence("there is no invitation in this"),
                hint=sentence("Take the whole letter, or the file that is attached to it."),
            )
        return found.lines, found.seat

    def _told_invitation(self, record: Record, seat: str) -> JsonObject:
        players = record.ledger.players
        seats = [
            {"seat": one, "name": players[one].name if one in players else "", "free": one not in players}
            for one in record.seats
        ]
        return {
            "match": short_id(record.game),
            "title": record.game_info.title,
            "seats": seats,
            "seat": seat,
            "host": fingerprint(record.ledger.host_sign),
        }

    def _join(self, asked: JsonObject) -> JsonObject:
        """``seat``, ``name``, ``mail``, ``zone``, ``word``, ``door``: fresh keys, a signed join, the paper's words."""
        seat = str(asked["seat"]).lower()
        wish: dict[str, Any] = {"name": str(asked["name"]).strip(), "lang": self._language.code}
        wish |= {key: str(asked[key]) for key in ("mail", "zone", "word") if asked.get(key)}
        name, desk, secret = self.shelf.begin(self._invitation, seat)
        try:
            hashed = recovery_hash(recovery_key(secret).public)
            signed = desk.join(seat, recovery=hashed, **wish)
        except PbemError:
            self.shelf.forget(name)
            self.shelf.fresh.pop(name, None)
            raise
        self.shelf.keep_note(name, {"seat": seat, "door": asked.get("door")})
        self._invitation = ()
        return {"paper": recovery_to_paper(secret), "file": self._leaf(signed), **self._show(name)}

    # --- in -----------------------------------------------------------------------------------------------

    def _bring(self, asked: JsonObject) -> JsonObject:
        """``data``: letters, game files, parts of them, for whichever match they are; how many records were new."""
        raw = decoded(asked["data"])
        _check_size(raw)
        if raw[:4] == b"PK\x03\x04":
            return self._restore(asked)
        found = content_of(raw)
        if not found.lines and not found.files:
            raise FormatError(
                sentence("there is nothing of a match in this"),
                hint=sentence("Take the whole letter, or the file that is attached to it."),
            )
        name = self._whose(found.lines)
        if name is None:
            if found.lines and b'"kind":"genesis"' in found.lines[0]:
                self._invitation = found.lines
                return {"invitation": self._told_invitation(Record.load(found.lines), found.seat)}
            raise UsageProblem(sentence("this belongs to no match on this device"))
        desk = self.shelf.desk(name)
        Book.at(desk.copy.folder).take_refusals(desk.record, found.files)
        new = desk.take_in(found.lines, self._language.tell(sentence("this file"))) if found.lines else 0
        return {"new": new, "match": name, **self._show(name)}

    def _whose(self, lines: tuple[bytes, ...]) -> str | None:
        """The match that these lines are of; without lines the open one."""
        if not lines:
            return self._open or None
        names = [name for name in self.shelf.names() if not self.shelf.is_practice(name)]
        first = [self._open] if self._open in names else []
        for name in (*first, *names):
            if belongs(self.shelf.desk(name).record, lines) and self._same_match(name, lines):
                return name
        return None

    def _same_match(self, name: str, lines: tuple[bytes, ...]) -> bool:
        """Lines that begin behind the copy's end may be of any match: then the open one is meant."""
        return read_line(lines[0]).seq <= len(self.shelf.desk(name).record.lines) or name == self._open

    def _forget(self, asked: JsonObject) -> JsonObject:
        name = str(asked["match"])
        self.shelf.forget(name)
        if name == self._open:
            self._open, self._scene = "", None
        return self._matches(asked)

    def _backup(self, asked: JsonObject) -> JsonObject:
        name = str(asked["match"])
        raw = self.shelf.backup(name)
        return {"name": f"pbem-{name}.backup.zip", "data": base64.b64encode(raw).decode()}

    def _restore(self, asked: JsonObject) -> JsonObject:
        raw = decoded(asked["data"])
        _check_size(raw)
        return {"new": 0, "restored": True, **self._show(self.shelf.restore(raw))}

    def _paper(self, asked: JsonObject) -> JsonObject:
        """``match``, ``words``: keys that the browser lost, from paper."""
        self.shelf.from_paper(str(asked["match"]), str(asked["words"]))
        return self._show(str(asked["match"]))

    # --- choosing -----------------------------------------------------------------------------------------

    @property
    def _choices(self) -> Choices:
        return self._now.choices

    def _take(self, asked: JsonObject) -> JsonObject:
        """``row``, ``at``: take a row of the scene of that number; ``screen`` says what is left for the page."""
        row = self._now.row(asked)
        left = self._choices.take(row)
        return {"screen": "" if left is Do.NOTE else left.value, **self._shown()}

    def _more(self, asked: JsonObject) -> JsonObject:
        self._choices.more(self._now.row(asked))
        return self._shown()

    def _back(self, _: JsonObject) -> JsonObject:
        self._choices.back()
        return self._shown()

    def _touch(self, asked: JsonObject) -> JsonObject:
        """``spot``, ``at``: only what can be done with this part of the table."""
        self._choices.touch(self._now.spot(asked))
        return self._shown()

    def _undo(self, asked: JsonObject) -> JsonObject:
        session = self._now.session
        undone = session.take_back(int(asked.get("index", -1)))
        self._choices.clear()
        note = ""
        if undone is not None:
            action, more = undone
            note = session.words("undone", label=session.phrases.label(action))
            note += "\n" + session.words("undone-more", n=more) if more else ""
        return {"note": note, **self._shown()}

    def _talk(self, asked: JsonObject) -> JsonObject:
        """``say``, ``tell``: words that travel with the file."""
        say = str(asked.get("say", "")).strip()
        tell = {Seat(seat): str(text).strip() for seat, text in dict(asked.get("tell", {})).items()}
        if not all(map(travels, (say, *tell.values()))):
            raise UsageProblem(sentence("No line breaks or control characters, please."))
        session = self._now.session
        session.speak(say, {seat: text for seat, text in tell.items() if text})
        return self._shown()

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
        return {**self._orders(asked), **self._shown()}

    # --- out ----------------------------------------------------------------------------------------------

    def _file(self, _: JsonObject) -> JsonObject:
        """The file as it would be signed now, and what the host's own checker says to it."""
        return {"preview": self._now.preview()}

    def _sign(self, asked: JsonObject) -> JsonObject:
        """``at``, ``again``: sign what was looked at; it is kept here, has left nowhere yet, and is shown checked."""
        scene = self._now
        scene.newest(asked)
        if isinstance(scene.session, PracticeSession) and not asked.get("only"):
            scene.session.leave()
            scene.choices.clear()
            return {"played": True, **self._shown()}
        signed = scene.session.sign(again=bool(asked.get("again")))
        scene.choices.clear()
        return {"file": self._leaf(signed), **self._shown()}

    def _again(self, asked: JsonObject) -> JsonObject:
        """``entry``: a file that was signed before, once more; without it the newest that has no answer."""
        desk, entry = self._entry(str(asked.get("entry", "")))
        return {"file": self._leaf(desk.signed_again(entry))}

    def _entry(self, hashed: str) -> tuple[PlayerDesk, Entry]:
        desk = self._now.session.desk if self._scene is not None else self.shelf.desk(self._open)
        found = [one for one in desk.unanswered() if hashed in ("", one.message.hash.hex())]
        if not found:
            raise UsageProblem(sentence("this file has its answer already"))
        return desk, found[-1]

    def _leaf(self, signed: Signed) -> JsonObject:
        """A signed file as the page lets it leave."""
        desk = (
            self._now.session.desk if self._scene is not None else self.shelf.desk(self._open or self._last())
        )
        verdict = desk.check(signed.raw)
        tell = self._language.tell
        return {
            "name": signed.name,
            "text": signed.raw.decode(),
            "armour": armour(signed.file),
            "kind": signed.kind,
            "n": signed.n,
            "ok": verdict.ok,
            "said": tell(verdict.sentence),
            "warnings": [tell(one) for one in (*signed.warnings, *verdict.notes)],
        }

    def _last(self) -> str:
        return max(self.shelf.fresh, default="")

    def _left(self, asked: JsonObject) -> JsonObject:
        """``text`` of a file, ``way`` (``write``, ``armour`` or ``door``), ``place``: it has left."""
        desk = self._now.session.desk if self._scene is not None else self.shelf.desk(self._open)
        raw = str(asked["text"]).encode()
        entry = next((one for one in desk.unanswered() if desk.signed_again(one).raw == raw), None)
        if entry is None:
            raise UsageProblem(sentence("this file has its answer already"))
        way = "mail" if asked["way"] == "door" else str(asked["way"])
        desk.leaves(desk.signed_again(entry), way, str(asked["place"]))
        return self._show(self._open)

    # --- the host's door ----------------------------------------------------------------------------------

    def _has_door(self, name: str) -> bool:
        return bool(self.shelf.note(name).get("door"))

    def _door(self, asked: JsonObject) -> JsonObject:
        """What the worker that may speak to hosts must know: address, match, word, number of our last record.

        ``set`` keeps a door for a match that has none, or another one, once the player has said yes.
        """
        name = str(asked.get("match") or self._open)
        note = self.shelf.note(name)
        if asked.get("set"):
            note["door"] = {key: str(asked["set"][key]) for key in ("url", "word")}
            self.shelf.keep_note(name, note)
        door = note.get("door")
        if not door:
            return {"door": None}
        desk = self.shelf.desk(name)
        return {"door": {**door, "match": short_id(desk.record.game), "after": desk.record.head.seq}}

    def _answered(self, asked: JsonObject) -> JsonObject:
        """``match``, ``data``: what the host's door gave; verified like any letter, and taken in.

        A match that is not open is not opened: its player may be choosing in another one.
        """
        name = str(asked.get("match") or self._open)
        raw = decoded(asked["data"])
        _check_size(raw)
        desk = self.shelf.desk(name)
        lines = tuple(line for line in raw.split(b"\n") if line)
        new = desk.take_in(lines, self._language.tell(sentence("the host's answer"))) if lines else 0
        shown = self._show(name) if new and name == self._open else {}
        return {"new": new, **shown}

    # --- looking back -------------------------------------------------------------------------------------

    def _look(self, _: JsonObject) -> JsonObject:
        """The scene as it is."""
        return self._show(self._open)

    def _moment(self, asked: JsonObject) -> JsonObject:
        """``index``: one record that tells something, with the table as it was; -1 is the last one."""
        return {"moment": self._now.moment(int(asked.get("index", -1)))}

    def _looked(self, _: JsonObject) -> JsonObject:
        self._now.session.mark_looked()
        return self._shown()

    def _audit(self, asked: JsonObject) -> JsonObject:
        """Everything that can be checked about the match; with ``seq`` the proofs of one record, by hand."""
        record = self._now.session.record
        if "seq" in asked:
            return {"proofs": proofs_of(record, int(asked["seq"]), self._language)}
        return {"audit": audited(record, self._language)}

    def _hint(self, _: JsonObject) -> JsonObject:
        session = self._now.session
        return {"text": session.hint() if isinstance(session, PracticeSession) else ""}

    def _review(self, _: JsonObject) -> JsonObject:
        session = self._now.session
        return {"text": session.review() if isinstance(session, PracticeSession) else ""}


def _seat_of(desk: PlayerDesk) -> Seat | None:
    """The seat of these keys; None while the join has no answer."""
    players = desk.record.ledger.players
    mine = [seat for seat, player in players.items() if player.sign == desk.identity.sign_public]
    return mine[0] if mine else None


def _check_size(raw: bytes) -> None:
    if len(raw) > MOST_BYTES:
        raise FormatError(sentence("at most {most} bytes are read", most=MOST_BYTES))
