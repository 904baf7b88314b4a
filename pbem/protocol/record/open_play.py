"""Playing on in the open: what follows from public values is recomputed while the hand runs (schemas/README.md §11).

Nobody but the host can see what is hidden; but the rules can be played on with anything in its place that agrees with
what is known (``pbem.game.Filling``), and what everybody sees must come out as the record says: who may act, what a
card that was turned up did, captures, posters, money, how many cards lie where, whose turn it is, whether the hand
is over. One engine does this, and one way of playing a file out (``Play``): nothing of the rules is said here.

Believed until the close, since only a hidden card decides it: a card that somebody says they have not, which of their
cards an order, a default or a sealed action plays, which card a secret search found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import lru_cache
from typing import Any, Final

from pbem import game
from pbem.base.errors import VerificationError
from pbem.base.sentences import Sentence, joined, plain, sentence
from pbem.base.values import dataclass, replace
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.check_results import order_in_force
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.ledger import Epoch, Ledger, OpenMemory
from pbem.protocol.record.line import Fault, Line, difference, differs
from pbem.protocol.record.play import (
    CommittedDeck,
    DeckOnTable,
    FileAction,
    OrderInForce,
    Play,
    RecordedChance,
    RefusedAction,
    Table,
    first_turn,
)

_PICKS: Final = 6
"""Fillings that are tried before a record is called false."""
_NO_STEP: Final[game.JsonObject] = {}


def plays_openly(rules: game.AnyRules) -> bool:
    """Whether these rules are ``Filling``; a match of others is checked at the close alone."""
    return _fills(type(rules))


@lru_cache(maxsize=64)
def _fills(rules: type) -> bool:
    return issubclass(rules, game.Filling)


def check_open_play(ledger: Ledger, line: Line) -> list[Fault]:
    """What a record with a result says otherwise than the rules, as everybody can know; ``ledger`` ends before it.

    What everybody remembers after the record is kept in the ledger.
    """
    epoch = ledger.running
    if epoch is None or not plays_openly(ledger.rules):
        return []
    faults = _checked(ledger, epoch, line, 0)
    for pick in range(1, _PICKS if faults else 0):  # a fault is one whatever is filled in
        if not _checked(ledger, epoch, line, pick):
            return []
    if faults:
        ledger.remembered = None
    return faults


def _checked(ledger: Ledger, epoch: Epoch, line: Line, pick: int) -> list[Fault]:
    try:
        before = _memory(ledger, epoch, line)
        play = _play(ledger, epoch, line, before, pick)
        _begin(play, line)
        faults = differences(line, play)
        if not faults:
            ledger.remembered = OpenMemory(line.seq, before.span, play.followed.remembered, play.table.view)
        return faults
    except RefusedAction as error:
        return [error.fault(line)]
    except game.NoFilling as error:
        return [line.fault(12, "impossible", "whatever is hidden, this cannot be: {error}", error=error)]
    except (
        VerificationError,  # the view before it, which was a fault of its own
        LookupError,
        ValueError,
        TypeError,
        game.IllegalAction,
        game.MalformedAction,
    ) as error:
        return [line.fault(12, "impossible", "the rules cannot follow this record: {error}", error=error)]


def _memory(ledger: Ledger, epoch: Epoch, line: Line) -> OpenMemory:
    remembered, shown = ledger.remembered, ledger.shown
    rules = ledger.rules
    if shown is None:
        return OpenMemory(-1, rules.span(rules.initial_state()), {})
    if remembered is not None and remembered.seq == shown.seq:
        open_memory = remembered
    else:
        open_memory = OpenMemory(shown.seq, 0, _recalled(ledger, epoch, shown.seq))
    if line.kind == "open" or not open_memory.span:
        opening = epoch.results[0].body["public"] if epoch.results else None
        return replace(open_memory, span=_span(rules, opening, shown.body["public"]))
    return open_memory


def _span(rules: Any, opening: game.JsonObject | None, shown: game.JsonObject) -> int:
    """The span of the running epoch: what its opening led into, or what the view before the opening asks for."""
    view = public_value(rules, shown if opening is None else opening)
    state = rules.follow({}, {"steps": []}).filled(view, 0).state if opening is None else rules.imagine(view)
    return int(rules.span(state))


def _recalled(ledger: Ledger, epoch: Epoch, last: int) -> game.JsonObject:
    """Memory after record ``last``, from the results themselves: after a rewind, or where the ledger has none."""
    rules: Any = ledger.rules
    epochs = ledger.epochs.values() if rules.remembers_all() else (epoch,)
    memory: game.JsonObject = {}
    for past in epochs:
        for line in past.results:
            if line.seq <= last and line.seq not in past.taken_back:
                memory = rules.follow(memory, line.body).remembered
    return memory


# --- playing ----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class OpenPlay(Play):
    """A play by somebody who cannot read what is hidden: before each step the state is filled around what is known."""

    record: game.JsonObject = field(default_factory=dict)
    followed: Any = None
    """The record as the rules follow it (``pbem.game.Followed``)."""
    action: Any = None
    """What the step to come does, with its secret part, where its public form does not say it."""
    filled: int = -1
    """The step for which the state is filled."""

    def ready(self) -> None:
        """Fill in what nobody sees so that it agrees with what the next step shows."""
        at = len(self.steps)
        if at > len(self.recorded):
            raise LookupError("the rules go on after its last step")
        if at != self.filled:
            state, self.action = self.followed.filled(self.table.view, at)
            self.table, self.filled = replace(self.table, state=state), at

    def meant(self, step: game.JsonObject) -> Any:
        """What a step does that nobody but its owner may read."""
        self.ready()
        rules, action = self.table.rules, self.action
        return rules.action_from_json(step["action"], bulk=True) if action is None else action

    def act_by_file(self, seat: game.Seat, action: FileAction) -> None:
        """An open action as ever; a sealed one as its step shows it."""
        if action.by == "file":
            Play.act_by_file(self, seat, action)
            return
        at = len(self.steps)
        step = self.recorded[at] if at < len(self.recorded) else _NO_STEP
        if step.get("by") != "sealed" or step["seat"] != seat:
            raise game.MalformedAction("what was sealed further stands nowhere")
        meant = self.meant(step)
        self.act("sealed", seat, meant, self.table.rules.public_action(meant))

    def stop(
        self,
        seat: game.Seat,
        index: int,
        action: FileAction,
        error: game.IllegalAction | game.MalformedAction,
    ) -> None:
        """Where the record says that a sealed action was illegal, it is believed until the close."""
        Play.stop(self, seat, index, action, error)
        stopped = self.record.get("stopped", _NO_STEP)
        if action.by == "sealed" and stopped.get("why") == "illegal":
            self.stopped = stopped


class RecordedCards(RecordedChance):
    """Cards and dice as a record shows them; where only one seat learned a card, any that is left."""

    def __init__(self, entries: Sequence[game.JsonObject]) -> None:
        super().__init__(entries)
        self._entries = entries

    def shuffle(self, deck: str, gen: int, cards: tuple[str, ...]) -> CommittedDeck:
        """A pile in which the cards that were turned up lie where they were."""
        leaves = [b"" for _ in cards]
        if gen:
            laid = [e["leaves"] for e in self._entries if e.get("shuffle") == deck and e["gen"] == gen]
            if [len(cards)] != list(map(len, laid)):
                raise LookupError(f"{len(cards)} cards are shuffled, the record lays {laid and len(laid[0])}")
            leaves = [unb64(leaf) for leaf in laid[0]]
        shown = self.pile(deck, gen, len(cards), leaves)
        left = dict.fromkeys(range(len(cards)))
        order: list[int] = []
        for card in shown.cards:
            place = next((at for at in left if cards[at] == card), None) if card else None
            if card and place is None:
                raise LookupError(f"{card} was turned up, and it was not among the cards that were shuffled")
            order.append(-1 if place is None else place)
            left.pop(order[-1], None)
        spare = iter(left)
        return replace(shown, permutation=tuple(next(spare) if at < 0 else at for at in order))

    def pile(self, deck: str, gen: int, size: int, leaves: Sequence[bytes] = ()) -> CommittedDeck:
        """What is shown of a generation that was laid before."""
        cards, places, salts = [""] * size, [0] * size, [b""] * size
        for e in self._entries:
            if e.get("draw") == deck and e["gen"] == gen and 0 <= e["k"] < size:
                k = e["k"]
                cards[k], places[k] = e.get("card", ""), e.get("place", 0)
                salts[k] = unb64(e["salt"], 16) if "salt" in e else b""
        return CommittedDeck((), tuple(cards), tuple(places), tuple(salts), tuple(leaves))


def _play(ledger: Ledger, epoch: Epoch, line: Line, before: OpenMemory, pick: int) -> OpenPlay:
    """The play of a record before its first step."""
    rules: Any = ledger.rules
    body = line.body
    source = RecordedCards([entry for step in body["steps"] for entry in step["chance"]])
    followed = rules.follow(before.memory, body, pick)
    if ledger.public is None:
        state, action = rules.initial_state(), None
    else:
        view = public_value(rules, ledger.public) if before.view is None else before.view
        state, action = followed.filled(view, 0)
    decks, tapes = {}, {}
    if line.kind != "open":
        newest = {name: generations[-1] for name, generations in epoch.decks.items()}
        decks = {
            name: DeckOnTable(deck.number, source.pile(name, deck.number, len(deck.leaves)), deck.drawn)
            for name, deck in newest.items()
        }
        tapes = {name: tape.used for name, tape in epoch.tapes.items()}
    table = Table(rules, state, epoch.number, before.span, source, decks, tapes, first_turn(epoch.number))
    numbers = {seat: order_in_force(ledger, line, seat) for seat in ledger.seats}
    orders = {seat: OrderInForce(n, None) for seat, n in numbers.items() if n is not None}
    return OpenPlay(
        table,
        orders,
        body["steps"],
        record=body,
        followed=followed,
        action=action,
        filled=0,
    )


def _begin(play: OpenPlay, line: Line) -> None:
    play_result = KINDS[line.kind].play
    if play_result is not None:
        play_result(play, line, _actions)


def _actions(line: Line) -> list[FileAction]:
    """The actions of a file, so many sealed ones as its steps show."""
    body = line.body
    actions = body["msg"]["body"]["actions"]
    sealed = sum(step["by"] == "sealed" for step in body["steps"])
    sealed += body.get("stopped", {"at": -1})["at"] >= len(actions)
    return [FileAction("file", action) for action in actions] + [FileAction("sealed", None)] * sealed


# --- comparing a record with its play ---------------------------------------------------------------------
#
# Where a record and the play that the rules make of it differ, as faults (schemas/README.md §11, engine).


def differences(line: Line, play: Play) -> list[Fault]:
    """What a record with a result says otherwise than ``play``: steps, view, whether anybody is asked, how far."""
    body = line.body
    faults = []
    if len(play.steps) != len(body["steps"]):
        words = differs(sentence("steps"), len(play.steps), len(body["steps"]))
        faults.append(line.fault(12, "steps", words))
    public = play.table.public
    same = canon([play.steps, public]) == canon([body["steps"], body["public"]])
    misused = "" if same else order_misused(play.steps, body["steps"])
    if misused:
        faults.append(line.fault(12, "order", misused))
    for index, (expected, actual) in enumerate(() if same else zip(play.steps, body["steps"], strict=False)):
        if canon(expected) != canon(actual):
            faults.append(
                line.fault(12, "step", difference(expected, actual, sentence("step {n}", n=index + 1)))
            )
    if not same and canon(public) != canon(body["public"]):
        faults.append(line.fault(12, "public", difference(public, body["public"], sentence("the table"))))
    asks = play.table.asks
    if (asks is None) == ("due" in body):
        whom = None if asks is None else sentence("one for {seat}", seat=asks.seat)
        faults.append(line.fault(12, "due", differs(sentence("deadline"), whom, body.get("due"))))
    if play.applied != body.get("applied", play.applied):
        faults.append(
            line.fault(12, "applied", differs(sentence("moves made"), play.applied, body["applied"]))
        )
    if (play.stopped or {}) != body.get("stopped", {}):
        faults.append(
            line.fault(
                12,
                "stopped",
                difference(play.stopped or {}, body.get("stopped", {}), sentence("stopped at move")),
            )
        )
    return faults


def order_misused(ours: Sequence[game.JsonObject], given: Sequence[game.JsonObject]) -> str:
    """Whose order was ignored, misapplied or invented where two lists of steps part; empty if none was.

    The first difference decides: from there on the two play different matches.
    """
    ends = max(len(ours), len(given))
    pairs = ((_at(ours, index), _at(given, index)) for index in range(ends))
    for index, (expected, actual) in enumerate(pairs):
        if _decided(expected) == _decided(actual):
            continue
        ordered, claimed = expected.get("by") == "order", actual.get("by") == "order"
        if ordered or claimed:
            order = expected if ordered else actual
            place = joined((sentence("step {n}", n=index + 1), order_of(order["seat"], order["n"])), ", ")
            same = ordered and claimed and expected["seat"] == actual["seat"]
            action = plain(actual["action"]) if same or not ordered else None
            return differs(place, plain(expected["action"]) if ordered else None, action)
        return ""
    return ""


def _at(steps: Sequence[game.JsonObject], index: int) -> game.JsonObject:
    return steps[index] if index < len(steps) else {}


def _decided(step: game.JsonObject) -> tuple[game.Json, ...]:
    return tuple(step.get(name) for name in ("by", "seat", "action", "n"))


def order_of(seat: str, n: int) -> Sentence:
    """A standing order, as it is named where it was not followed."""
    return sentence("the standing order of {seat} (message {n})", seat=seat, n=n)


# --- the public view of a record as the game's own value --------------------------------------------------


def public_value(rules: game.Rules[Any, Any, Any, Any, Any], public: game.JsonObject) -> Any:
    """Read what a record says that everybody sees.

    A schema knows the form of a view, not what its numbers must add up to: a host who signs more counters than there
    are is noticed by an audit, and here.

    Raises:
        VerificationError: the view is none that this game can have.
    """
    try:
        return rules.public_from_json(public)
    except game.MalformedAction as fault:
        raise VerificationError(
            "public",
            sentence("the host signed a view of the table that this game cannot have: {fault}", fault=fault),
            hint=sentence("pbem audit says more; keep this file and tell the others"),
        ) from fault
