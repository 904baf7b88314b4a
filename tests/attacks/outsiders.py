"""People outside the match: who reads the mail, who edits the file, who writes to the host."""

from __future__ import annotations

from contextlib import suppress
from time import process_time
from typing import Final

from pbem.base.errors import VerificationError
from pbem.game import Seat
from pbem.player.mail.gate import MailRefused
from pbem.player.mail.look import look
from pbem.protocol.client.seat_view import SeatView
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import make_entry, make_file
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.referee import receive
from tests.attacks.attack import ANYBODY, COPIES, FUTILE, REFUSED, Aftermath, attack
from tests.attacks.stage import Stage
from tests.forge import Forge, acting, body_of, first
from tests.world import secret


@attack("mailbox reader", "opens the hands in the emails", FUTILE)
def _read(stage: Stage) -> Aftermath | None:
    reader = Identity(secret("who reads other people's mail"))
    tries = gained = 0
    record = stage.copy()
    for line in record.lines:
        for seat in line.body.get("packets", {}):
            tries += 1
            try:
                SeatView(record, reader, Seat(seat)).open_packet(
                    record.ledger.epochs[line.body["epoch"]], line
                )
            except VerificationError:
                continue
            gained += 1
    return Aftermath(tries=tries, gained=gained) if tries else None


@attack("mailbox reader", "tells hands by the length of envelopes", FUTILE)
def _measured(stage: Stage) -> Aftermath | None:
    maps = [line.body["packets"] for line in stage.record.lines if "packets" in line.body]
    uneven = [packets for packets in maps if len({len(unb64(p["ct"])) for p in packets.values()}) > 1]
    return Aftermath(tries=len(maps), gained=len(uneven)) if maps else None


@attack("mailbox reader", "sees from a turn file whether somebody has orders", FUTILE)
def _orders_seen(stage: Stage) -> Aftermath | None:
    files = [file["body"] for file in stage.sent.values() if "actions" in file["body"]]
    plain = (
        {len(body["orders"]["ct"]) for body in files} if all("orders" in body for body in files) else {0, 1}
    )
    return Aftermath(tries=len(files), gained=len(plain) - 1)


@attack("match file editor", "changes one character", ANYBODY)
def _letter(stage: Stage) -> Aftermath:
    lines = stage.lines
    at = len(lines) // 2
    lines[at] = lines[at].replace(b'"at":"2026', b'"at":"2027', 1)
    return Aftermath(lines)


@attack("match file editor", "takes a line out", ANYBODY)
def _line(stage: Stage) -> Aftermath:
    lines = stage.lines
    at = len(lines) // 2
    return Aftermath(lines[:at] + lines[at + 1 :])


@attack("match file editor", "signs a changed record with their own key", ANYBODY)
def _signed(stage: Stage) -> Aftermath:

    lines = stage.lines
    editor = Identity(secret("an editor of files"))
    body = {**body_of(lines[-1]), "at": stage.later(1)}
    lines[-1] = canon(make_entry(body, editor.sign_key, editor.sign_public, stage.record.game))
    return Aftermath(lines)


@attack("match file editor", "cuts off the end", COPIES)
def _cut_off(stage: Stage) -> Aftermath:
    lines = stage.lines[:-4]
    return Aftermath(lines, upto=len(lines), since=len(lines), others=stage.lines, whole=True)


@attack("stranger", "makes up a whole match", COPIES)
def _made_up(stage: Stage) -> Aftermath:
    other = stage.another("made up")
    for seat in map(Seat, other.seats):
        other.send(other.join_file(seat))
    return Aftermath(other.lines, upto=len(other.lines), others=stage.lines, stage=other)


@attack("stranger", "sends a turn for a player", REFUSED)
def _stranger(stage: Stage) -> Aftermath | None:
    record = stage.moment(lambda r: r.waiting is not None)
    if record is None:
        return None
    branch = stage.branch(record)
    seat = branch.seat_to_act()
    if seat is None:
        return None
    file = branch.turn_file(seat, branch.advice(seat))
    who = Identity(secret("a stranger"))
    return Aftermath(ruling=branch.judge(make_file("turn", file["body"], who.sign_key, who.sign_public)))


@attack("stranger", "sends the host rubbish", REFUSED)
def _rubbish(stage: Stage) -> Aftermath:
    return Aftermath(ruling=receive(stage.record, stage.host, b'{"body":{"n":1.0}}', stage.now))


@attack("host", "writes commands for the terminal into a record", ANYBODY)
def _commands(stage: Stage) -> Aftermath | None:
    """U+009B clears the screen and rewrites what stands there, in terminals that take it for an escape."""
    forge = Forge(stage)
    bodies = forge.bodies()
    body = first(bodies, acting)
    if body is None:
        return None
    body["msg"]["body"]["say"] = "\x9b2JYour turn was accepted."
    return Aftermath(forge.write(bodies))


@attack("stranger", "sends emails that take hours to read", FUTILE)
def _slow(_: Stage) -> Aftermath:
    """Each once kept a host busy for a minute or more: open heads, open quotes, open braces, a header of comments."""
    texts = {
        "text/html": "<head>" * 32_000,
        "text/plain": '{"' + '\\"' * 32_000,
        "text/x-braces": '{"a":' * 12_000,
    }
    mails = [
        f"From: s@mail.test\r\nContent-Type: {kind}\r\n\r\n{text}\r\n".encode()
        for kind, text in texts.items()
    ]
    mails.append(b"From: " + b"(" * 30_000 + b"\r\n\r\nhello\r\n")
    return Aftermath(tries=len(mails), gained=sum(_seconds(raw) > _PATIENCE for raw in mails))


_PATIENCE: Final = 10.0
"""Seconds of work that no mail may cost; each of these once took more than a minute."""


def _seconds(raw: bytes) -> float:
    begun = process_time()
    with suppress(MailRefused):
        look(raw, "host@mail.test")
    return process_time() - begun
