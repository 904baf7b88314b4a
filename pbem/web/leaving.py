"""What leaves the device: a file is looked at, signed, shown checked, and then goes by the host's API or by hand."""

from __future__ import annotations

from pbem.base.errors import UsageProblem
from pbem.base.language import Language
from pbem.base.sentences import sentence
from pbem.game import JsonObject
from pbem.player.letters.standing import waiting_at
from pbem.player.play.leaving import verdict_of
from pbem.player.play.proposing import TYPED, agreed_text, matters_of, meant, said_of, signs
from pbem.player.practice.interactive import PracticeSession
from pbem.player.seat import PlayerClient, SentEntry, Signed
from pbem.player.seat.show import proposals_text
from pbem.protocol.crypto.digest import short_id
from pbem.protocol.formats.api_key import ask_by_keys
from pbem.protocol.formats.armour import armour
from pbem.protocol.formats.strict_json import canon
from pbem.web.device import Answer, Device, seat_of
from pbem.web.scene import Scene
from pbem.web.shelf import on_paper
from pbem.web.touch import sends


class Leaving:
    """Answers to questions about files on their way out."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def answers(self) -> dict[str, Answer]:
        """By the name of the question."""
        return {
            "file": self._file, "sign": self._sign, "again": self._again, "left": self._left, "api": self._api,
            "matters": self._matters, "matter": self._matter, "propose": self._propose,
            "act": self._act, "ready": self._ready, "api-key": self._api_key,
        }  # fmt: skip

    def _file(self, _: JsonObject) -> JsonObject:
        """The file as it would be signed now, and what the host's own checker says to it."""
        return {"preview": self._device.now.preview()}

    def _act(self, asked: JsonObject) -> JsonObject:
        """``at``, ``parts``, ``only``: the yes of the action bar.

        The action of these touches goes into the draft. Where nothing more is asked of this seat then, or something
        new will be seen, the draft is signed (``sign``) at once; ``only`` keeps it, to say in advance what then.
        ``acted`` is ``added``, ``signed``, ``played`` (practice), or ``same``: that decision is signed already.
        """
        scene = self._device.now
        scene.newest(asked)
        session = scene.session
        session.add(scene.touched.action([str(part) for part in asked["parts"]]))
        scene.choices.clear()
        if session.trial is None or asked.get("only") or not sends(session.trial):
            return {"acted": "added", **self._device.shown()}
        same = session.same
        if same is not None:
            return {
                "acted": "same",
                "says": session.words("send-same", text=session.describe(same)),
                "entry": same.message.hash.hex(),
                **self._device.shown(),
            }
        return self._signs(scene, again=False)

    def _sign(self, asked: JsonObject) -> JsonObject:
        """``at``, ``again``: sign what was looked at; it is kept here, has left nowhere yet, and is shown checked."""
        scene = self._device.now
        scene.newest(asked)
        preview = scene.session.preview()
        if preview.reacts and not self._device.has_api(scene.name):
            raise UsageProblem(verdict_of(preview, scene.session.words))
        return self._signs(scene, again=bool(asked.get("again")))

    def _signs(self, scene: Scene, *, again: bool) -> JsonObject:
        if isinstance(scene.session, PracticeSession):
            scene.session.leave()
            scene.choices.clear()
            return {"acted": "played", "played": True, **self._device.shown()}
        signed = scene.session.sign(again=again)
        scene.choices.clear()
        leaf = leaf_of(scene.session.client, signed, self._device.language)
        return {"acted": "signed", "file": leaf, **self._device.shown()}

    def _matters(self, _: JsonObject) -> JsonObject:
        """What this seat can propose or agree to, in the words and the order of ``pbem play``."""
        session = self._device.now.session
        words = session.words
        rows = [
            {
                "matter": matter,
                "label": said_of(session, matter),
                "type": words(f"matter-{matter}-type") if matter in TYPED else "",
            }
            for matter in matters_of(session)
        ]
        held = proposals_text(session.record, session.seat, session.language)
        return {"title": words("matters-title"), "matters": rows, "held": held}

    def _matter(self, asked: JsonObject) -> JsonObject:
        """``at``, ``matter``, ``typed``: what would be signed, in words; or what to do where nothing is."""
        scene, matter = self._device.now, str(asked["matter"])
        scene.newest(asked)
        if not signs(matter):
            return {"says": scene.session.words(f"matter-{matter}-text"), "signs": False}
        terms = meant(scene.session, matter, str(asked.get("typed", "")))
        return {"says": agreed_text(scene.session, terms), "signs": True}

    def _propose(self, asked: JsonObject) -> JsonObject:
        """The same, signed: ``entry`` is the file, which leaves by ``again``."""
        scene = self._device.now
        scene.newest(asked)
        terms = meant(scene.session, str(asked["matter"]), str(asked.get("typed", "")))
        entry = scene.session.agree(terms)
        return {"entry": entry.message.hash.hex(), **self._device.shown()}

    def _again(self, asked: JsonObject) -> JsonObject:
        """``entry``: a file that was signed before, once more; without it the newest that has no answer."""
        client, hashed = self._device.client(), str(asked.get("entry", ""))
        entries = [entry for entry in client.unanswered() if hashed in ("", entry.message.hash.hex())]
        entry = _waiting(entries[-1] if entries else None)
        return {"file": leaf_of(client, client.signed_again(entry), self._device.language)}

    def _left(self, asked: JsonObject) -> JsonObject:
        """``match``, ``text`` of a file, ``way`` (``write``, ``armour`` or ``api``), ``place``: it has left."""
        name = str(asked.get("match") or self._device.open)
        client, raw = self._device.client(name), str(asked["text"]).encode()
        entry = _waiting(
            next((sent for sent in client.unanswered() if client.signed_again(sent).raw == raw), None)
        )
        way = "mail" if asked["way"] == "api" else str(asked["way"])
        client.leaves(client.signed_again(entry), way, str(asked["place"]))
        return self._device.show(name) if name == self._device.open else {}

    def _api(self, asked: JsonObject) -> JsonObject:
        """What the worker that may speak to hosts must know: address, match, word, number of our last record.

        ``set`` keeps an API for a match that has none, or another one, once the player has said yes. ``join`` is the
        receipt of the own join as long as the API's word is still that of the invitation: what became of it brings
        the word that stays, which is kept with ``set``.
        """
        name, shelf = str(asked.get("match") or self._device.open), self._device.shelf
        note = shelf.note(name)
        if asked.get("set"):
            note["api"] = {key: str(asked["set"][key]) for key in ("url", "word")}
            note.pop("join", None)
            shelf.keep_note(name, note)
        if not (api := note.get("api")):
            return {"api": None}
        client = shelf.client(name)
        about = {
            "match": short_id(client.record.game),
            "after": client.record.head.seq,
            "join": note.get("join", ""),
        }
        return {"api": {**api, **about}}

    def _api_key(self, asked: JsonObject) -> JsonObject:
        """``match``: the question by which this seat's keys open its host's API.

        ``words`` and ``link`` (``match``, ``seat``, ``api``) instead: by the keys of a paper, of a seat that is not
        on this device yet.
        """
        device = self._device
        if asked.get("words"):
            link = asked["link"]
            identity = on_paper(str(asked["words"]))
            match, seat, api = (str(link[name]) for name in ("match", "seat", "api"))
        else:
            name = str(asked["match"])
            identity, note = device.shelf.identity(name), device.shelf.note(name)
            match, seat = short_id(device.shelf.client(name).record.game), str(note["seat"])
            api = str(note["api"]["url"])
        file = ask_by_keys(identity, api, match, seat, device.clock())
        return {"file": canon(file).decode()}

    def _ready(self, asked: JsonObject) -> JsonObject:
        """``match``: the file that gives this seat's link, which the page signs and sends by itself; None if none is.

        The player has agreed to game, seats and options by joining. After a substitute came in somebody else sits at
        the table than those whom the player chose to play with: then a tap of the player's own says yes to that.
        """
        name = str(asked["match"])
        if not self._device.has_api(name):
            return {"file": None}  # it could not leave by itself
        client = self._device.client(name)
        record, seat = client.record, seat_of(client)
        if seat is None or not waiting_at(record, seat, record.head.seq, self._device.language).must_be_ready:
            return {"file": None}
        entry = client.same_link()
        if any(line.kind == "substitute" for line in record.lines) or (entry is not None and entry.left):
            return {"file": None}
        signed = client.ready() if entry is None else client.signed_again(entry)
        return {"file": leaf_of(client, signed, self._device.language)}


def _waiting(entry: SentEntry | None) -> SentEntry:
    """A file that has no answer yet; ``UsageProblem`` if there is none."""
    if entry is None:
        raise UsageProblem(sentence("this file has its answer already"))
    return entry


def leaf_of(client: PlayerClient, signed: Signed, language: Language) -> JsonObject:
    """A signed file as the page lets it leave, with the checker's word."""
    verdict, translate = client.check(signed.raw), language.translate
    return {
        "name": signed.name,
        "text": signed.raw.decode(),
        "armour": armour(signed.file),
        "kind": signed.kind,
        "n": signed.n,
        "ok": verdict.ok,
        "said": translate(verdict.sentence),
        "warnings": [translate(text) for text in (*signed.warnings, *verdict.notes)],
    }
