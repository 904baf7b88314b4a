"""What leaves the device: a file is looked at, signed, shown checked, and then goes by the host's door or by hand."""

from __future__ import annotations

from pbem.base.errors import UsageProblem
from pbem.base.language import Language
from pbem.base.sentences import sentence
from pbem.game import JsonObject
from pbem.player.practice.sitting import PracticeSession
from pbem.player.seat import BookEntry, PlayerDesk, Signed
from pbem.protocol.crypto.digest import short_id
from pbem.protocol.formats.armour import armour
from pbem.web.device import Answer, Device


class Leaving:
    """Answers to questions about files on their way out."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def answers(self) -> dict[str, Answer]:
        """By the name of the question."""
        return {
            "file": self._file, "sign": self._sign, "again": self._again, "left": self._left, "door": self._door,
        }  # fmt: skip

    def _file(self, _: JsonObject) -> JsonObject:
        """The file as it would be signed now, and what the host's own checker says to it."""
        return {"preview": self._device.now.preview()}

    def _sign(self, asked: JsonObject) -> JsonObject:
        """``at``, ``again``: sign what was looked at; it is kept here, has left nowhere yet, and is shown checked."""
        scene = self._device.now
        scene.newest(asked)
        if isinstance(scene.session, PracticeSession) and not asked.get("only"):
            scene.session.leave()
            scene.choices.clear()
            return {"played": True, **self._device.shown()}
        signed = scene.session.sign(again=bool(asked.get("again")))
        scene.choices.clear()
        leaf = leaf_of(scene.session.desk, signed, self._device.language)
        return {"file": leaf, **self._device.shown()}

    def _again(self, asked: JsonObject) -> JsonObject:
        """``entry``: a file that was signed before, once more; without it the newest that has no answer."""
        desk, hashed = self._device.desk(), str(asked.get("entry", ""))
        found = [one for one in desk.unanswered() if hashed in ("", one.message.hash.hex())]
        entry = _waiting(found[-1] if found else None)
        return {"file": leaf_of(desk, desk.signed_again(entry), self._device.language)}

    def _left(self, asked: JsonObject) -> JsonObject:
        """``text`` of a file, ``way`` (``write``, ``armour`` or ``door``), ``place``: it has left."""
        desk, raw = self._device.desk(), str(asked["text"]).encode()
        entry = _waiting(next((one for one in desk.unanswered() if desk.signed_again(one).raw == raw), None))
        way = "mail" if asked["way"] == "door" else str(asked["way"])
        desk.leaves(desk.signed_again(entry), way, str(asked["place"]))
        return self._device.show(self._device.open)

    def _door(self, asked: JsonObject) -> JsonObject:
        """What the worker that may speak to hosts must know: address, match, word, number of our last record.

        ``set`` keeps a door for a match that has none, or another one, once the player has said yes.
        """
        name, shelf = str(asked.get("match") or self._device.open), self._device.shelf
        note = shelf.note(name)
        if asked.get("set"):
            note["door"] = {key: str(asked["set"][key]) for key in ("url", "word")}
            shelf.keep_note(name, note)
        door = note.get("door")
        if not door:
            return {"door": None}
        desk = shelf.desk(name)
        return {"door": {**door, "match": short_id(desk.record.game), "after": desk.record.head.seq}}


def _waiting(entry: BookEntry | None) -> BookEntry:
    """A file that has no answer yet; ``UsageProblem`` if there is none."""
    if entry is None:
        raise UsageProblem(sentence("this file has its answer already"))
    return entry


def leaf_of(desk: PlayerDesk, signed: Signed, language: Language) -> JsonObject:
    """A signed file as the page lets it leave, with the checker's word."""
    verdict, tell = desk.check(signed.raw), language.tell
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
