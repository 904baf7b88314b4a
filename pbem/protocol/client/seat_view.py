"""What one seat knows: the public record and what its key opens (schemas/README.md §3.1, §11)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from pbem.base.errors import UsageProblem, VerificationError
from pbem.base.sentences import sentence, term
from pbem.base.values import dataclass
from pbem.game import AnyRules, Chance, Decision, IllegalAction, JsonObject, MalformedAction, NotHeld, Seat
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.draws import leaf
from pbem.protocol.formats.envelopes import body_hash, open_packet, open_tell
from pbem.protocol.formats.strict_json import canon, read_again
from pbem.protocol.record import Epoch, Fault, Line, Record
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.open_play import public_value


def seat_of(record: Record, identity: Identity) -> Seat:
    """The seat that this identity holds; ``UsageProblem`` if none."""
    for seat, player in record.ledger.players.items():
        if player.sign == identity.sign_public:
            return seat
    raise UsageProblem(
        sentence("this identity holds no seat in this match"),
        hint=sentence("choose another with --id, or 'pbem join' first"),
    )


class Packets:
    """A cache of opened packets (schemas/README.md §3.1).

    Its keys are all that opening depends on: key, match, record, seat and the packet's own bytes. What does not open is
    tried again.
    """

    def __init__(self) -> None:
        self._opened: dict[tuple[bytes, bytes, int, Seat, str, str], bytes] = {}
        self.learned: dict[tuple[bytes, bytes, Seat], tuple[int, bytes, Any]] = {}
        """By key, match and seat: from how many results of an epoch, the last one's name, and what was learned."""

    def open(self, identity: Identity, game: bytes, seq: int, seat: Seat, packet: JsonObject) -> JsonObject:
        """The body of the packet of record ``seq``; ``VerificationError`` if it does not open."""
        key = (identity.seal_public, game, seq, seat, packet["commit"], packet["ct"])
        if key not in self._opened:
            body = open_packet(game, seq, seat, identity.seal_key, identity.seal_public, packet)
            self._opened[key] = canon(body)
        return read_again(self._opened[key])  # each caller has a copy; reading costs a fraction of deepcopy


class PrivateMessage(NamedTuple):
    """What one seat has written to another, in a turn."""

    seq: int
    seat: Seat
    """The writer."""
    text: str


class SeatView:
    """A seat's own view of a verified record. Opening the packets raises ``VerificationError`` at the first lie.

    ``packets`` come from a program that looks at one record after the other; None opens all again.
    """

    def __init__(
        self,
        record: Record,
        identity: Identity,
        seat: Seat | None = None,
        packets: Packets | None = None,
    ) -> None:
        self.record = record
        self.identity = identity
        self.seat = seat_of(record, identity) if seat is None else seat
        self.packets = Packets() if packets is None else packets

    @property
    def epoch(self) -> Epoch | None:
        """The running epoch, or the last one."""
        return self.record.ledger.running

    @cached_property
    def own(self) -> Any:
        """What only this seat learned in the running epoch (the game's own value)."""
        rules = self.record.rules
        own = rules.knowledge(self.seat)
        epoch = self.epoch
        if epoch is None or (epoch.closed is not None and not self.record.over):
            return own
        try:
            if epoch.resealed or epoch.taken_back:
                for steps, body in self.shown(epoch):
                    own = rules.learn(own, steps, body)
                return own
            return self._learned(own, epoch)
        except NotHeld as error:
            raise VerificationError(
                "not-held", sentence("your packets and the record do not agree: {error}", error=error)
            ) from error

    def _learned(self, own: Any, epoch: Epoch) -> Any:
        """``own`` after all results of an epoch in which nothing was sealed again or taken back.

        What was learned of the first of them before is not learned again: a record's name stands for all before it.
        """
        key = (self.identity.seal_public, self.record.game, self.seat)
        count, name, known = self.packets.learned.get(key, (0, b"", own))
        if count and (count > len(epoch.results) or epoch.results[count - 1].hash != name):
            count, known = 0, own
        for line in epoch.results[count:]:
            known = self.record.rules.learn(known, line.body["steps"], self._packet_of(epoch, line))
        if epoch.results:
            self.packets.learned[key] = (len(epoch.results), epoch.results[-1].hash, known)
        return known

    @property
    def seen(self) -> list[JsonObject]:
        """The bodies of the running epoch's results, without those taken back: what a seat can remember."""
        epoch = self.epoch
        return (
            []
            if epoch is None
            else [result.body for result in epoch.results if result.seq not in epoch.taken_back]
        )

    def shown(self, epoch: Epoch) -> list[tuple[Sequence[JsonObject], JsonObject]]:
        """The epoch's results and what their packets showed this seat; ``steps`` and body of each record."""
        if not self.record.rules.has_secrets:
            return [(line.body["steps"], self._packet_of(epoch, line)) for line in epoch.results]
        whole = [line for line in epoch.resealed if self.seat in line.body.get("packets", {})]
        since = whole[-1].seq if whole else -1
        shown: list[tuple[Sequence[JsonObject], JsonObject]] = []
        if whole:
            before = [line for line in epoch.results if line.seq < since and line.seq not in epoch.taken_back]
            steps = [step for line in before for step in line.body["steps"]]
            shown.append((steps, self.open_whole(epoch, whole[-1])))
        for line in epoch.results:
            if line.seq > since:
                body = self.open_packet(epoch, line)
                if line.seq not in epoch.taken_back:
                    shown.append((line.body["steps"], body))
        return shown

    def _packet_of(self, epoch: Epoch, line: Line) -> JsonObject:
        return self.open_packet(epoch, line) if self.record.rules.has_secrets else {"draws": [], "facts": []}

    def open_packet(self, epoch: Epoch, line: Line) -> JsonObject:
        """The body of this seat's packet in ``line``, every card checked against place and leaf."""
        body = self._open(line)
        dealt = [
            entry
            for step in line.body["steps"]
            for entry in step["chance"]
            if "draw" in entry and entry["to"] == self.seat
        ]
        self._check_draws(epoch, line, body["draws"], [(e["draw"], e["gen"], e["k"]) for e in dealt])
        return body

    def open_whole(self, epoch: Epoch, line: Line) -> JsonObject:
        """The body of a rekey, substitute or reseal: everything dealt to this seat before."""
        body = self._open(line)
        mine = [draw for draw in epoch.draws if draw.to == self.seat and draw.seq < line.seq]
        self._check_draws(epoch, line, body["draws"], [(d.deck, d.gen, d.k) for d in mine])
        return body

    def _open(self, line: Line) -> JsonObject:
        try:
            return self.packets.open(
                self.identity, self.record.game, line.seq, self.seat, line.body["packets"][self.seat]
            )
        except VerificationError as error:
            raise VerificationError(
                error.code,
                sentence("your packet in record {seq}: {error}", seq=line.seq, error=error),
                hint=sentence(
                    "ask the host to seal it again ('pbem host reseal'); keep this file as evidence"
                ),
            ) from error

    def _check_draws(
        self, epoch: Epoch, line: Line, draws: Sequence[JsonObject], dealt: Sequence[tuple[str, int, int]]
    ) -> None:
        drawn = [(draw["deck"], draw["gen"], draw["k"]) for draw in draws]
        if drawn != list(dealt):
            raise VerificationError(
                "packet",
                sentence(
                    "your packet in record {seq} tells of other draws than the record does", seq=line.seq
                ),
            )
        for draw in draws:
            self._check_draw(epoch, line, draw)

    def _check_draw(self, epoch: Epoch, line: Line, draw: JsonObject) -> None:
        generation = epoch.decks[draw["deck"]][draw["gen"]]
        place = generation.cut[draw["k"]] if generation.cut else -1
        raw = leaf(
            self.record.game,
            epoch.number,
            draw["deck"],
            draw["gen"],
            place,
            unb64(draw["salt"], 16),
            draw["card"],
        )
        if draw["place"] != place or b64(raw) != generation.leaves[place]:
            raise VerificationError(
                "packet",
                sentence(
                    "your packet in record {seq}: {draw} is not the card committed at place {place} of {deck}",
                    seq=line.seq,
                    draw=term(draw["card"]),
                    place=place,
                    deck=draw["deck"],
                ),
                hint=sentence("the host lied to you about a card; keep this file and tell the others"),
            )

    @cached_property
    def public(self) -> Any:
        """The public view as the game's own value."""
        public = self.record.public
        if public is None:
            raise UsageProblem(
                sentence("nothing has been dealt yet"),
                hint=sentence("the match waits for players to join or to press Ready"),
            )
        return public_value(self.record.rules, public)

    @cached_property
    def view(self) -> Any:
        """What the seat may know, as the game's own value."""
        return self.record.rules.view_of(self.public, self.own)

    @property
    def view_json(self) -> JsonObject:
        """The same as JSON: the public view with the own hand opened."""
        return self.record.rules.view_to_json(self.view)

    @property
    def legal(self) -> list[JsonObject]:
        """The legal actions of this moment in their short forms; empty if it is somebody else's."""
        waiting = self.record.waiting
        if waiting is None or waiting["seat"] != self.seat:
            return []
        rules = self.record.rules
        return [rules.action_to_json(action) for action in rules.legal_actions(self.view)]

    def private_messages(self) -> list[PrivateMessage]:
        """Private messages to this seat; what does not open is skipped."""
        messages = []
        for seq in self.record.ledger.index.tells.get(self.seat, ()):
            line = self.record.lines[seq]
            if line.kind != "turn":
                continue
            body = line.body["msg"]["body"]
            for item in body.get("tell", ()):
                if item["to"] == self.seat:
                    messages += self._private_message(line, body, item)
        return messages

    def _private_message(self, line: Line, body: JsonObject, item: JsonObject) -> list[PrivateMessage]:
        key, public = self.identity.seal_key, self.identity.seal_public
        try:
            text = open_tell(self.record.game, body["seat"], body["n"], self.seat, key, public, item)
        except VerificationError:
            return []
        return [PrivateMessage(line.seq, body["seat"], text)]


# --- checking actions offline, with the rules the host uses, as far as the seat's own view reaches --------


@dataclass(frozen=True, slots=True)
class CheckedActions:
    """How far a list of actions could be checked.

    ``checked`` actions are legal; ``fault`` says what is wrong with the next one (``rules``: the broken rows, ``code``:
    ``illegal``, or ``malformed`` if it is no action at all). With no fault and ``checked`` less than their number,
    ``open_until`` says what has to be known first.
    """

    checked: int
    fault: str = ""
    rules: tuple[str, ...] = ()
    open_until: str = ""
    code: str = "illegal"


def check_actions(rules: AnyRules, view: Any, seat: Seat, actions: Sequence[JsonObject]) -> CheckedActions:
    """Try ``actions`` one by one on a position that agrees with the seat's view.

    The trial stops without verdict where an action shows something new: what comes after depends on it.
    """
    state = rules.imagine(view)
    for index, written in enumerate(actions):
        node = rules.node(state)
        if isinstance(node, Chance):
            return CheckedActions(index, open_until=sentence("what is drawn or rolled"))
        if not isinstance(node, Decision):
            return CheckedActions(index, open_until=sentence("the match is over"))
        if node.seat != seat:
            return CheckedActions(index, open_until=sentence("{seat} has answered", seat=node.seat))
        try:
            action = rules.action_from_json(written)
            seen = rules.observe(state, seat) if index else view
            rules.check(seen, action)
            step = rules.apply(state, action)
        except (IllegalAction, MalformedAction) as error:
            code = "illegal" if isinstance(error, IllegalAction) else "malformed"
            return CheckedActions(index, fault=str(error), rules=tuple(error.rules), code=code)
        if index + 1 < len(actions) and (step.reveals or step.deals or step.facts):
            return CheckedActions(index + 1, open_until=sentence("what this action shows"))
        state = step.state
    return CheckedActions(len(actions))


# --- a seat's own files in the record ---------------------------------------------------------------------
#
# Whether the host recorded and played the seat's files as they were signed (schemas/README.md §3.2, §6).
#
# Everybody else learns what was sealed at the close; its owner kept a copy and can check at once.


def sealed_faults(view: SeatView, sealed: Callable[[int], object], *, since: int = 0) -> list[Fault]:
    """Where other actions were done than this seat had sealed, in records from ``since`` on.

    ``sealed``: the own copy of what was sealed in the file of this number; anything but a list if there is none.
    """
    faults: list[Fault] = []
    for line in view.record.lines[since:]:
        message = line.body.get("msg")
        if message is not None and message["body"]["seat"] == view.seat and "steps" in line.body:
            faults += _sealed_steps(view, line, sealed(message["body"]["n"]))
    return faults


class OtherFile(NamedTuple):
    """A file in a record whose number the seat has used for another one."""

    name: bytes
    seq: int
    n: int


def other_files(
    record: Record, seat: Seat, sent: Mapping[int, Collection[bytes]], *, since: int = 0
) -> Iterator[OtherFile]:
    """Files of ``seat`` in records from ``since`` on whose number was used for others.

    ``sent``: the names of the files that this seat has signed, by number. What stands before whoever sits there took
    the seat over is their forerunner's.
    """
    taken = record.ledger.lost.get(seat)
    sat_down = taken.seq if taken is not None and KINDS[taken.kind].newcomer else 0
    for name, seq in record.ledger.messages.items():
        if seq < max(since, sat_down):
            continue
        body = _body_of(record.lines[seq], name)
        known = sent.get(body["n"]) if body is not None and body["seat"] == seat else None
        if body is not None and known is not None and name not in known:
            yield OtherFile(name, seq, int(body["n"]))


def _body_of(line: Line, name: bytes) -> JsonObject | None:
    """The message of this name in a record; a record of an agreement holds several."""
    files = [*line.body.get("consents", ()), *([line.body["msg"]] if "msg" in line.body else [])]
    bodies: list[JsonObject] = [file["body"] for file in files]
    if len(bodies) == 1:
        return bodies[0]
    return next((body for body in bodies if body_hash(body) == name), None)


def _sealed_steps(view: SeatView, line: Line, content: object) -> Iterator[Fault]:
    """The sealed steps must be the first sealed actions, in their public form and in order."""
    if not isinstance(content, list):
        return
    rules = view.record.rules
    done = [step["action"] for step in line.body["steps"] if step["by"] == "sealed"]
    for index, action in enumerate(done):
        try:
            meant = (
                rules.public_action(rules.action_from_json(content[index], bulk=True))
                if index < len(content)
                else None
            )
        except MalformedAction:
            return
        if meant is None or canon(meant) != canon(action):
            yield line.fault(11, "own-sealed", "move {n} was not made as you sealed it", n=index + 1)
            return
