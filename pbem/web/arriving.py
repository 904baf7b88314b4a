"""What comes onto the device: invitations, emails, records from the host's API, backups, keys from paper."""

from __future__ import annotations

import base64
from hashlib import sha256
from typing import Any, Final

from pbem.base.errors import FormatError, PbemError, UsageProblem
from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.player.mail import content_of
from pbem.player.seat.copy import belongs
from pbem.player.seat.sent_log import SentLog
from pbem.protocol.crypto.digest import fingerprint, short_id
from pbem.protocol.crypto.identity import recovery_hash, recovery_key, recovery_to_paper
from pbem.protocol.record import Record
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.kinds.retake import retake_fault
from pbem.protocol.record.line import read_line
from pbem.web.device import Answer, Device
from pbem.web.leaving import leaf_of
from pbem.web.shelf import decoded, refuse_newer

MOST_BYTES: Final = 64 * 1024 * 1024


class Arriving:
    """Answers to questions that bring something, or take a whole match away."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._shelf = device.shelf
        self._invitation: tuple[bytes, ...] = ()

    def answers(self) -> dict[str, Answer]:
        """What answers each question of the page, by the question's name."""
        return {
            "invited": self._invited, "join": self._join, "bring": self._bring, "answered": self._answered,
            "proposals": self._proposals,
            "restore": self._restore, "paper": self._paper, "backup": self._backup, "forget": self._forget,
            "paper-words": self._paper_words, "written": self._written,
        }  # fmt: skip

    def _invited(self, asked: JsonObject) -> JsonObject:
        """``data``: an invitation, ``seat``: a link's own; which match it is, and which seats are free."""
        content = content_of(_read(asked))
        if not content.lines:
            raise FormatError(
                sentence("there is no invitation in this"),
                hint=sentence("Take the whole email, or the file that is attached to it."),
            )
        return self._invites(content.lines, str(asked.get("seat") or content.seat))

    def _invites(self, lines: tuple[bytes, ...], seat: str) -> JsonObject:
        record = Record.load(lines)
        self._device.check_host(record)
        self._invitation = lines
        players = record.ledger.players
        seats = [
            {"seat": seat, "name": players[seat].name if seat in players else "", "free": seat not in players}
            for seat in record.seats
        ]
        invitation = {
            "match": short_id(record.game),
            "title": record.game_info.title,
            "seats": seats,
            "seat": seat,
            "host": fingerprint(record.ledger.host_sign),
            "hosted": self._device.hosted(record),
            "retake": not retake_fault(record.ledger, Seat(seat)),
        }
        return {"invitation": invitation}

    def _join(self, asked: JsonObject) -> JsonObject:
        """``seat``, ``name``, ``mail``, ``zone``, ``word`` or ``code``, ``api``: fresh keys, a signed join, the paper.

        ``code`` is a link's, ``word`` one that people type: the join proves it (``invitation_proof``).
        """
        language = self._device.language
        seat = str(asked["seat"]).lower()
        wish: dict[str, Any] = {"name": str(asked["name"]).strip(), "lang": language.code}
        wish |= {key: str(asked[key]) for key in ("mail", "zone", "word") if asked.get(key)}
        if asked.get("code"):
            wish["word"] = str(asked["code"])
        name, client, secret = self._shelf.begin(self._invitation, seat)
        try:
            hashed = recovery_hash(recovery_key(secret).public)
            signed = client.join(seat, recovery=hashed, **wish)
        except PbemError:
            self._shelf.forget(name)
            self._shelf.fresh.clear()
            raise
        join = sha256(signed.raw).hexdigest()
        self._shelf.keep_note(name, {"seat": seat, "api": asked.get("api"), "join": join})
        self._invitation = ()
        leaf = leaf_of(client, signed, language)
        return {"paper": recovery_to_paper(secret), "file": leaf, **self._device.show(name)}

    def _bring(self, asked: JsonObject) -> JsonObject:
        """``data``: emails, game files, parts of them, for any match; how many records and proposals were new."""
        raw = _read(asked)
        if raw[:4] == b"PK\x03\x04":
            return self._restore(asked)
        refuse_newer((line for line in raw.split(b"\n") if line.startswith(b"{")), KINDS)
        content = content_of(raw)
        if content.kind == "nothing" or not (content.lines or content.files):
            raise FormatError(
                sentence("there is nothing of a match in this"),
                hint=sentence("Take the whole email, or the file that is attached to it."),
            )
        name = self._whose(content.lines)
        if name is None:
            if content.lines and b'"kind":"genesis"' in content.lines[0]:
                return self._invites(content.lines, content.seat)
            raise UsageProblem(sentence("this belongs to no match on this device"))
        client = self._shelf.client(name)
        before = len(client.proposed())
        SentLog.at(client.copy.folder).take_answers(client.record, content.files)
        proposed = len(client.proposed()) - before
        source = self._device.language.translate(sentence("this file"))
        new = client.take_in(content.lines, source) if content.lines else 0
        return {"new": new, "proposed": proposed, "match": name, **self._device.show(name)}

    def _whose(self, lines: tuple[bytes, ...]) -> str | None:
        """The match that these lines are of; without lines the open one."""
        opened = self._device.open
        if not lines:
            return opened or None
        names = [name for name in self._shelf.names() if not self._shelf.is_practice(name)]
        first = [opened] if opened in names else []
        for name in (*first, *names):
            record = self._shelf.client(name).record
            # Lines that begin behind the copy's end may be of any match: then the open one is meant.
            near = name == opened or read_line(lines[0]).seq <= len(record.lines)
            if near and belongs(record, lines):
                return name
        return None

    def _answered(self, asked: JsonObject) -> JsonObject:
        """``match``, ``data``: what the host's API gave; verified like any email, and taken in.

        A match that is not open is not opened: its player may be choosing in another one.
        """
        opened = self._device.open
        name = str(asked.get("match") or opened)
        lines = tuple(line for line in _read(asked).split(b"\n") if line)
        refuse_newer(lines, KINDS)
        source = self._device.language.translate(sentence("the host's answer"))
        new = self._shelf.client(name).take_in(lines, source) if lines else 0
        shown = self._device.show(name) if new and name == opened else {}
        return {"new": new, **shown}

    def _proposals(self, asked: JsonObject) -> JsonObject:
        """``match``, ``data``: what other seats propose, as the host's API gave it; each is verified, then kept."""
        name = str(asked["match"])
        client = self._shelf.client(name)
        files = [line for line in _read(asked).split(b"\n") if line]
        new = SentLog.at(client.copy.folder).take_answers(client.record, files)
        shown = self._device.show(name) if new and name == self._device.open else {}
        return {"new": new, **shown}

    def _restore(self, asked: JsonObject) -> JsonObject:
        """``data``: a backup, put in again."""
        return {"new": 0, "restored": True, **self._device.restore(_read(asked))}

    def _paper(self, asked: JsonObject) -> JsonObject:
        """``match``, ``words``: keys that the browser lost, from paper.

        Without ``match``: the match whose records were brought as an invitation is the player's own on another device.
        """
        words = str(asked["words"])
        if asked.get("match"):
            name = str(asked["match"])
            self._shelf.from_paper(name, words)
        else:
            name, seat = self._shelf.moved(self._invitation, words)
            self._shelf.keep_note(name, {"seat": seat, "api": asked.get("api")})
            self._invitation = ()
        return self._device.show(name)

    def _paper_words(self, asked: JsonObject) -> JsonObject:
        """``match``: the words for paper, as long as nobody has written them down; empty from then on."""
        secret = self._shelf.unwritten(str(asked["match"]))
        return {"paper": "" if secret is None else recovery_to_paper(secret)}

    def _written(self, asked: JsonObject) -> JsonObject:
        """``match``: its words are on paper, and are not shown again."""
        self._shelf.written(str(asked["match"]))
        return {}

    def _backup(self, asked: JsonObject) -> JsonObject:
        """``match``: everything of it in one file, keys in clear."""
        name = str(asked["match"])
        raw = self._shelf.backup(name)
        return {"name": f"pbem-{name}.backup.zip", "data": base64.b64encode(raw).decode()}

    def _forget(self, asked: JsonObject) -> JsonObject:
        """``match``: off this device, keys and all."""
        name = str(asked["match"])
        self._shelf.forget(name)
        if name == self._device.open:
            self._device.close()
        return self._device.matches()


def _read(asked: JsonObject) -> bytes:
    """``data`` of a question."""
    raw = decoded(asked["data"])
    if len(raw) > MOST_BYTES:
        raise FormatError(sentence("at most {most} bytes are read", most=MOST_BYTES))
    return raw
