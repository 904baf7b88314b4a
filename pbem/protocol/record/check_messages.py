"""Players' files inside records, and the links they carry: what is checked of each, and what taking one changes.

Steps 2 and 3 of schemas/README.md §11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pbem.base.errors import PbemError
from pbem.base.sentences import Sentence, command, sentence, typed
from pbem.base.values import dataclass, replace
from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import b64, known64, name64, sha, unb64
from pbem.protocol.crypto.identity import OVERHEAD, check_seal_key, check_sign_key
from pbem.protocol.draws import seat_label, step_down
from pbem.protocol.formats.envelopes import ORDERS_TEXT, body_hash, verify_file
from pbem.protocol.formats.strict_json import MAX_FILE, canon
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.record.ledger import ChainRun, Epoch, Ledger, Player, SealedPart
from pbem.protocol.record.line import Fault, Indexed, Line, differs, proves
from pbem.protocol.record.takeover import link_lost, settle, shared_key


def check_newcomer(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """The join in a record: for a seat of this match, proper keys, signed with the one that it brings."""
    file = line.body["msg"]
    body = file["body"]
    yield from _check_common(ledger, line, file)
    yield from check_keys(ledger, line, Seat(body["seat"]), body)
    yield from _check_signature(line, "join", file, unb64(body["sign"], 32))


def check_message(ledger: Ledger, line: Line, kind: str, file: JsonObject) -> Iterator[Fault]:
    """A file of a seated player: their key, this match, a number above their last, a history that is ours."""
    body = file["body"]
    yield from _check_common(ledger, line, file)
    player = ledger.players.get(Seat(body["seat"]))
    if player is None:
        yield line.fault(2, "no-seat", "nobody has joined as {seat} yet", seat=body["seat"])
        return
    before = newest_number(player, file)
    if body["n"] <= before:
        yield line.fault(2, "number", number_again(body, before))
    ahead = number_ahead(player.n, body["n"])
    if ahead:
        yield line.fault(2, "number", ahead)
    if "sign" in body:
        yield from check_keys(ledger, line, player.seat, body)
    reason = private_message_fault(ledger, body)
    if reason:
        yield line.fault(2, "no-seat", reason)
    reason = gesture_fault(ledger, body)
    if reason:
        yield line.fault(2, "gesture", reason)
    yield from _check_signature(line, kind, file, signing_key(player, file))


def number_again(body: JsonObject, before: int) -> Sentence:
    """That the number of a message is not above the one before it."""
    return sentence(
        "{seat} signed number {n}, but number {before} stands before it",
        seat=body["seat"],
        n=body["n"],
        before=before,
    )


def private_message_fault(ledger: Ledger, body: JsonObject) -> str:
    """Why the private messages of this file reach nobody, in words; empty if each goes to a seat of the match."""
    stranger = next((item["to"] for item in body.get("tell", ()) if item["to"] not in ledger.seats), None)
    if stranger is None:
        return ""
    return sentence(
        'a private message goes to "{to}", and the match has no such seat: {seats}',
        to=stranger,
        seats=", ".join(ledger.seats),
    )


def signing_key(player: Player, file: JsonObject) -> bytes:
    """The key a file must be signed with (schemas/README.md §6): the seat's, or for some its recovery key in force.

    That gives the seat new keys, and agrees in its own name that it is given up or goes to somebody else.
    """
    body = file["body"]
    terms = body.get("what", {})
    leaves = terms.get("kind") in ("resign", "substitute") and terms.get("seat") == body["seat"]
    if ("sign" in body or leaves) and player.recovery is not None:
        claimed = unb64(file["sig"]["key"], 32)
        if sha(claimed) == player.recovery:
            return claimed
    return player.sign


def by_recovery(player: Player, file: JsonObject) -> bool:
    """Whether a file of this seat is signed by its recovery key, and not by its own."""
    return signing_key(player, file) != player.sign


def newest_number(player: Player, file: JsonObject) -> int:
    """The number that this file's must be above: the recovery key's are its own, and the seat's key makes none old."""
    return player.recovered if by_recovery(player, file) else player.n


def newcomer_fault(ledger: Ledger, body: JsonObject) -> str:
    """Why this join brings no substitute into a seat, in words; empty if it may.

    Its number is not held against the forerunner's, who could sign a high one on leaving. A first join (n 0), and one
    that brought its sender into the seat before, brings nobody in.
    """
    if body["n"] == 0:
        return sentence("the join of a replacement player has a number above 0")
    if body_hash(body) in ledger.messages:
        return sentence("this join stands in the record already")
    forerunner = ledger.players.get(Seat(body["seat"]))
    return "" if forerunner is None else number_ahead(forerunner.n, body["n"])


def key_fault(ledger: Ledger, seat: Seat, keys: JsonObject) -> str:
    """Why ``seat`` cannot have the keys ``sign`` and ``seal`` of this object, in words; empty if it can."""
    try:
        check_sign_key(unb64(keys["sign"], 32))
        check_seal_key(unb64(keys["seal"], 32))
    except PbemError as error:
        return str(error)
    return shared_key(ledger, seat, keys)


def check_keys(ledger: Ledger, line: Line, seat: Seat, keys: JsonObject) -> Iterator[Fault]:
    """Keys that are brought are proper and nobody else's at this point, also if they were proposed before."""
    reason = key_fault(ledger, seat, keys)
    if reason:
        yield line.fault(2, "key", "the keys of {seat}: {reason}", seat=seat, reason=reason)


def _check_common(ledger: Ledger, line: Line, file: JsonObject) -> Iterator[Fault]:
    body = file["body"]
    if len(line.raw) > MAX_FILE and len(canon(file)) > MAX_FILE:  # a file is part of its line
        yield line.fault(
            2, "size", "the file of {seat} is longer than {most} bytes", seat=body["seat"], most=MAX_FILE
        )
    if known64(body["game"], 32) != ledger.game:
        yield line.fault(2, "other-game", "the file of {seat} belongs to another match", seat=body["seat"])
    if body["seat"] not in ledger.seats:
        yield line.fault(2, "no-seat", "there is no seat {seat}", seat=body["seat"])
    yield from _check_seen(ledger, line, body)


def _check_seen(ledger: Ledger, line: Line, body: JsonObject) -> Iterator[Fault]:
    seen = body["seen"]
    if not has_seen(ledger, seen):
        known = ledger.line_at(seen["seq"])
        text = "" if known is None else f"{b64(known.hash)} ({known.sig.get('value')})"
        yield line.fault(
            2,
            "other-history",
            differs(
                sentence("record {seq} as {seat} had seen it", seq=seen["seq"], seat=body["seat"]),
                text,
                f"{seen['line']} ({seen['sig']})",
            ),
        )


def has_seen(ledger: Ledger, seen: JsonObject) -> bool:
    """Whether ``seen`` is a record of this file with the host's signature on it (schemas/README.md §6).

    The host may have signed one record several times; any of these signatures will do.
    """
    known = ledger.line_at(seen["seq"])
    if known is None or name64(known.hash) != seen["line"]:
        return False
    return known.sig["value"] == seen["sig"] or proves(ledger.game, ledger.host_sign, seen)


def _check_signature(line: Line, kind: str, file: JsonObject, key: bytes) -> Iterator[Fault]:
    try:
        verify_file(kind, file, key)
    except PbemError as error:
        yield line.fault(
            2, "signature", "the file of {seat}: {error}", seat=file["body"]["seat"], error=error
        )


def check_link(ledger: Ledger, line: Line, body: JsonObject) -> Iterator[Fault]:
    """A link: of the newest epoch, promised after its announcement, the right element of the seat's chain."""
    link = body.get("link")
    if link is None:
        return
    reason = link_fault(ledger, Seat(body["seat"]), link, body["seen"]["seq"])
    if reason:
        yield line.fault(3, "link", reason)


def link_fault(ledger: Ledger, seat: Seat, link: JsonObject, seen: int) -> str:
    """Why this link may not be used, in words; empty if it may."""
    epoch = ledger.newest
    number = link["epoch"]
    if epoch is None or epoch.number != number:
        newest = "none" if epoch is None else epoch.number
        return sentence(
            "{seat} sent a part of the shuffle for deal {number}; the newest announced deal is {newest}",
            seat=seat,
            number=number,
            newest=newest,
        )
    if seen < epoch.announced.seq:
        return sentence(
            "{seat} signed a part of the shuffle for deal {number} before having seen its announcement",
            seat=seat,
            number=number,
        )
    if seat not in epoch.seats:
        return sentence(
            "{seat} was left out of deal {number}; a part of the shuffle from there does not count",
            seat=seat,
            number=number,
        )
    known = epoch.links.get(seat)
    value = unb64(link["value"], 32)
    if known is not None:
        return (
            ""
            if known == value
            else sentence(
                "{seat} sent another part of the shuffle for deal {number} before", seat=seat, number=number
            )
        )
    return _chain_fault(ledger, seat, number, value)


def _chain_fault(ledger: Ledger, seat: Seat, number: int, value: bytes) -> str:
    player = ledger.players.get(seat)
    chain = player.chain_for(number) if player else None
    if chain is None or number > chain.length:
        return sentence("{seat} has no chain with an element {number}", seat=seat, number=number)
    below = chain.value if chain.index else chain.anchor
    if step_down(seat_label(seat), ledger.game, number, value, chain.index) != below:
        return sentence(
            "the part of the shuffle from {seat} for deal {number} does not hash down to element "
            "{index} of that seat's chain",
            seat=seat,
            number=number,
            index=chain.index,
        )
    return ""


def take_link(ledger: Ledger, body: JsonObject) -> None:
    """Take a checked link into the ledger."""
    link = body.get("link")
    if link is None:
        return
    seat = Seat(body["seat"])
    if link_fault(ledger, seat, link, body["seen"]["seq"]):
        return
    value = unb64(link["value"], 32)
    epoch: Epoch = ledger.epochs[link["epoch"]]
    ledger.epochs[epoch.number] = replace(epoch, links={**epoch.links, seat: value})
    ledger.players[seat] = ledger.players[seat].with_link(epoch.number, value)
    ledger.returned -= {seat}


def link_missing(ledger: Ledger, body: JsonObject) -> str:
    """Why this turn is refused for want of a link (schemas/README.md §5); empty if it is not."""
    epoch, seat = ledger.newest, Seat(body["seat"])
    if epoch is None or epoch.opened is not None or epoch.burned or seat not in epoch.seats:
        return ""
    if seat in epoch.links or "link" in body or body["seen"]["seq"] < epoch.announced.seq:
        return ""
    if link_lost(ledger, epoch, seat):
        return ""
    return sentence(
        "{seat} has seen the announcement of deal {number} and must send a part of the shuffle",
        seat=seat,
        number=epoch.number,
    )


def take_message(ledger: Ledger, line: Line, file: JsonObject) -> None:
    """What every accepted message changes: number, link, orders, sealed part, and that its seat wrote."""
    body = file["body"]
    seat = Seat(body["seat"])
    player = ledger.players.get(seat)
    if player is None:
        return
    if by_recovery(player, file):
        player = replace(player, recovered=max(player.recovered, body["n"]))
        if ledger.replacing.pop(seat, None) is not None:
            ledger.frozen |= {seat}
    player = replace(player, n=max(player.n, body["n"]))
    ledger.players[seat] = player.in_page() if "served" in body else player
    ledger.paged |= "served" in body
    ledger.messages[body_hash(body)] = line.seq
    settle(ledger, seat, line.seq)
    ledger.silent -= {seat}
    ledger.burned_out -= {seat}
    take_link(ledger, body)
    running = ledger.running
    number = running.number if running else None
    for part in PARTS:
        if part in body:
            size = sealed_size(part, body[part])
            sealed_part = SealedPart(seat, body["n"], part, body[part], line.seq, number, size, line)
            ledger.unopened[seat, body["n"], part] = sealed_part
            if part == "orders":
                ledger.orders[seat] = sealed_part


def take_signed(ledger: Ledger, line: Line) -> None:
    """Take the one file that a record holds."""
    take_message(ledger, line, line.body["msg"])


def seat_player(ledger: Ledger, line: Line, *, since: int) -> None:
    """Put the sender of a join into their seat; their chain counts from epoch ``since`` on."""
    body = line.body["msg"]["body"]
    seat = Seat(body["seat"])
    recovery = body.get("recovery")
    before = ledger.players[seat].n if seat in ledger.players else 0
    ledger.players[seat] = Player(
        seat,
        body["name"],
        body["lang"],
        unb64(body["sign"], 32),
        unb64(body["seal"], 32),
        max(body["n"], before),
        (ChainRun(unb64(body["anchor"], 32), body["length"], since, served="served" in body),),
        unb64(recovery, 32) if recovery else None,
        body.get("contact"),
        body.get("zone"),
    )
    ledger.paged |= "served" in body
    ledger.replacing.pop(seat, None)
    ledger.frozen -= {seat}
    ledger.messages[body_hash(body)] = line.seq
    settle(ledger, seat, line.seq)


# --- why a file is not taken, as values and words that host and player share ------------------------------
#
# Actions are counted from 0 in ``Refusal.action`` as in ``reject`` files, and from 1 in every sentence
# (``placed``).


class Refusal(Exception):
    """A file that must be refused: ``str()`` is the sentence, ``action`` the place of the fault, counted from 0.

    ``sealed``: the sentence speaks of what only the file's sender and the host can read.
    """

    def __init__(
        self,
        code: str,
        sentence: str,
        *,
        rules: Sequence[str] = (),
        action: int | None = None,
        sealed: bool = False,
    ) -> None:
        super().__init__(sentence)
        self.code = code
        self.rules = tuple(rules)
        self.action = action
        self.sealed = sealed


@dataclass(frozen=True, slots=True)
class NothingNew:
    """A file that would change nothing: what it says stands in ``line`` already; answered and not recorded."""

    line: Line
    sentence: str


def refuse_if(code: str, reason: str) -> None:
    """Raise ``Refusal`` with this code if there is a reason."""
    if reason:
        raise Refusal(code, reason)


def placed(text: str, rules: Sequence[str] = (), action: int | None = None) -> str:
    """A refusal's sentence with the place of the fault, for people: actions are counted from 1.

    Where rows are broken it ends with the command that shows them.
    """
    if action is None:
        return text
    rows = command(" [pbem rules {rules}]", rules=typed(*rules)) if rules else ""
    return sentence("action {checked}: {fault}{rows}", checked=action + 1, fault=text, rows=rows)


# --- gestures ---------------------------------------------------------------------------------------------
#
# Gestures in a turn file: reactions to records, and a nudge for the seat that is waited for
# (schemas/README.md §6).

REACTIONS: Final = ("clap", "laugh", "wow", "ouch", "thanks", "sorry")
"""The reactions that there are."""
NUDGED: Final = 24
"""Hours within which a seat gets one nudge at most, whoever's."""


def gesture_fault(ledger: Ledger, body: JsonObject) -> str:
    """Why the gestures of this file are not allowed, in words; empty if they are."""
    seat, seen = body["seat"], body["seen"]["seq"]
    targets = [reaction["to"] for reaction in body.get("react", ())]
    later = next((to for to in targets if to > seen), None)
    if later is not None:
        return sentence("{seat} reacts to record {seq} and had seen {seen}", seat=seat, seq=later, seen=seen)
    if len(set(targets)) < len(targets):
        return sentence("{seat} reacts twice to one record", seat=seat)
    nudged = body.get("nudge")
    if nudged is not None and (nudged == seat or nudged not in ledger.seats):
        return sentence(
            "{seat} nudges {nudged}, which is not another seat of the match", seat=seat, nudged=nudged
        )
    return ""


def nudged_by(lines: Sequence[Indexed], line: Indexed) -> Seat | None:
    """The seat that this record nudges; None if it was nudged less than a day before."""
    nudged = line.body.get("msg", {}).get("body", {}).get("nudge")
    if nudged is None or nudged_lately(lines[: line.seq], Seat(nudged), line.body["at"]):
        return None
    return Seat(nudged)


def nudged_lately(lines: Sequence[Indexed], seat: Seat, at: str) -> bool:
    """Whether one of these records nudges this seat less than a day before ``at``.

    Nudges in between count for nothing, so whoever nudges all the time does not keep others from it.
    """
    ends = ""
    for line in lines:
        if line.body.get("msg", {}).get("body", {}).get("nudge") == seat and line.body["at"] >= ends:
            ends = plus_hours(line.body["at"], NUDGED)
    return at < ends


def only_reacts(body: JsonObject) -> bool:
    """Whether this file brings reactions and nothing else but a link: nobody gets an email for it."""
    more = {"sealed", "orders", "say", "tell", "nudge"}
    return "react" in body and not body["actions"] and not body.keys() & more


def reactions(lines: Sequence[Indexed]) -> Mapping[int, Mapping[Seat, str]]:
    """By record, each seat's newest reaction to it."""
    by_record: dict[int, dict[Seat, str]] = {}
    for line in lines:
        body = line.body.get("msg", {}).get("body", {})
        for reaction in body.get("react", ()):
            by_record.setdefault(reaction["to"], {})[Seat(body["seat"])] = reaction["with"]
    return by_record


# --- how much one seat may put into the record: sealed bytes, numbers, talk (schemas/README.md §6) --------
#
# A close must open everything that was sealed before it, in one line of at most 1 MiB, and a file grows
# with every record that changes nothing. So both are measured, by public lengths and counts alone:
# anybody can check it, and no file can make a record that cannot be written.

BUDGET: Final = 768 * 1024
"""Bytes that all seats together may have in sealed parts that are not opened yet."""
FRAME: Final = 256
"""What a part costs beside its ciphertext: its place in a close."""
LEAST: Final = 560
"""Bytes of the shortest ciphertext: one block of 512."""
STEP: Final = 256
"""How far a seat's next number may be above its newest in the record."""
TALK: Final = 16
"""Records of one seat alone between two results."""
PARTS: Final = ("sealed", "orders")


def cost(part: str, sealed: JsonObject) -> int:
    """What one sealed part counts."""
    return sealed_size(part, sealed) + FRAME


def sealed_size(part: str, sealed: JsonObject) -> int:
    """What a sealed part may take when it is opened: the length of its ciphertext, as orders were before packing."""
    return ORDERS_TEXT + OVERHEAD if part == "orders" else len(sealed["ct"]) * 3 // 4


def over_budget(ledger: Ledger, body: JsonObject, *, result: bool) -> str:
    """Why the sealed parts of this turn are too much now, in words; empty if they are not.

    Args:
        ledger: the match before the turn.
        body: of the message.
        result: whether its record has one.
    """
    parts = [cost(part, body[part]) for part in PARTS if part in body]
    if not parts:
        return ""
    most = sealed_budget(len(ledger.seats), body, result=result)
    held = sum([part.size + FRAME for part in ledger.unopened.values() if part.seat == body["seat"]])
    total = held + sum(parts)
    if total <= most:
        return ""
    return sentence(
        "with this file {seat} would have {found} bytes sealed and not opened yet; at most {most} are taken: "
        "leave out standing orders and talk without sealing anything; a sealed choice that comes alone has more room",
        seat=body["seat"],
        found=total,
        most=most,
    )


def sealed_budget(seats: int, body: JsonObject, *, result: bool) -> int:
    """How many bytes a seat may have sealed with this turn, in a match of so many seats; ``body`` has sealed parts.

    The last quarter is for a turn with a result that seals the least there is and brings nothing else that could stand
    in its place: a choice that must be made under seal.
    """
    whole = BUDGET // seats
    alone = result and "orders" not in body and not body["actions"]
    return whole if alone and sealed_size("sealed", body["sealed"]) == LEAST else whole - whole // 4


def number_ahead(newest: int, n: int) -> str:
    """Why this number is too far above the newest of its seat; empty if it is not."""
    if n <= newest + STEP:
        return ""
    return sentence(
        "the file is number {n}; at most {most} is taken, {STEP} above the newest number of its seat in the record",
        n=n,
        most=newest + STEP,
        STEP=STEP,
    )


def too_many(ledger: Ledger, seat: Seat, most: int = TALK, *, key: str = "") -> str:
    """Why this seat may write nothing more that moves nobody on; empty if it may.

    What the recovery key signs has a limit of its own: whoever stole the seat's key cannot fill it.

    Args:
        ledger: the match before the file.
        seat: whose file it is.
        most: how many there may be; what is no talk has twice the limit, so that talk shuts neither its
            writer out of the match nor the new player of a partner.
        key: that which signed the file, as files write it.
    """
    counted = ledger.recoveries if _by_recovery(ledger, seat, key) else ledger.alone
    if counted.get(seat, 0) < most:
        return ""
    return sentence(
        "{seat} wrote {TALK} times since the last move; the next is taken after a move", seat=seat, TALK=most
    )


def _by_recovery(ledger: Ledger, seat: Seat, key: str) -> bool:
    """Whether the seat's own key did not sign this file: then only its recovery key can have done so."""
    player = ledger.players.get(seat)
    return bool(key) and player is not None and key != b64(player.sign)


def key_of(line: Line) -> str:
    """The key that signed the one file of this record; empty if it holds none or several."""
    files = line.messages
    return str(files[0]["sig"]["key"]) if len(files) == 1 else ""


def lone_writer(line: Line) -> Seat | None:
    """The one seat whose files this record holds, if it moves nobody on."""
    if "steps" in line.body:
        return None
    writers = {file["body"]["seat"] for file in line.messages}
    return Seat(writers.pop()) if len(writers) == 1 else None


def count(ledger: Ledger, line: Line) -> None:
    """Count a record of one seat alone, before its keys count."""
    seat = lone_writer(line)
    if seat is not None:
        counted = ledger.recoveries if _by_recovery(ledger, seat, key_of(line)) else ledger.alone
        counted[seat] = counted.get(seat, 0) + 1


def restart_counts(ledger: Ledger) -> None:
    """A result and a close begin the count of every seat again."""
    ledger.alone.clear()
    ledger.recoveries.clear()
