"""The engine protocol: what every game implements, and all that the service knows of a game.

A **game** is the rules; a **match** is one play of it. ``Game`` is what the registry holds: static facts and
``rules(setup)``, which binds the rules to one match's seats and options. ``Rules`` is the pure engine:

* states, actions, events and views are immutable values; ``apply`` and ``resolve`` return a new state;
* chance is an argument: ``node`` asks for a ``Shuffle`` or a ``Roll``, ``resolve`` is given the outcome;
* ``apply`` checks legality itself and raises ``IllegalAction`` with the rule rows that were broken;
* a seat's legal actions are a function of that seat's *view*, never of the full state, so they cannot leak;
* a seat's view is the public view plus what only that seat learned (``view_of``), built up, never masked down.

A caller's loop::

    rules = find_game("wyatt-earp").rules(setup)
    state = rules.initial_state()
    while not isinstance(node := rules.node(state), Terminal):
        if isinstance(node, Chance):
            step = rules.resolve(state, outcome_of(node.draw))
        else:
            step = rules.apply(state, choose(rules.legal_actions(rules.observe(state, node.seat))))
        state = step.state
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import Enum
from typing import Any, Final, Generic, NamedTuple, NewType, Protocol, TypeAlias, TypeVar, runtime_checkable

from pbem.base.values import dataclass

Json: TypeAlias = Any
"""A JSON value as Python holds it; only codecs and formats look inside."""
JsonObject: TypeAlias = dict[str, Any]
Words: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""Names of one match, by what the game's schemas call them: ``(("seat", ("anna", "burt")), ("town", (…)))``."""

Seat = NewType("Seat", str)
"""A position in a match, by its short lower-case id (``anna``); the player is the person who sits there."""


class Audience(Enum):
    """Viewers that are not a seat."""

    PUBLIC = "public"
    """What everybody may know."""
    FULL = "full"
    """Everything: for tests, scenarios and the host; never for an email."""


PUBLIC: Final = Audience.PUBLIC
FULL: Final = Audience.FULL
Viewer: TypeAlias = "Seat | Audience"


class Table(Enum):
    """The one place besides a seat where a drawn card can go: face up on the table."""

    TABLE = "table"


TABLE: Final = Table.TABLE


# --- chance -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Ask for an order of ``cards``; the outcome is a permutation ``p`` of ``range(len(cards))``.

    ``cards`` are sorted by their bytes; draw ``k`` from the new generation of ``deck`` is ``cards[p[k]]``
    (schemas/README.md §4.2). ``label`` says in words what the shuffle is for.
    """

    label: str
    deck: str
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Roll:
    """Ask for dice from ``tape``; the outcome is one value ``1..sides[i]`` for each die, in order.

    ``label`` is the purpose (``for`` in the record): it is fixed before the dice are rolled.
    """

    label: str
    tape: str
    sides: tuple[int, ...]


Draw: TypeAlias = Shuffle | Roll
Outcome: TypeAlias = tuple[int, ...]


# --- nodes ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Decision:
    """``seat`` must act; ``phase`` is the public name of what is asked (``draw``, ``react``, ``auction``)."""

    seat: Seat
    phase: str


@dataclass(frozen=True, slots=True)
class Chance:
    """Chance must answer ``draw`` before anybody can act."""

    draw: Draw


@dataclass(frozen=True, slots=True)
class Terminal:
    """The match is over; ``outcome`` holds ``winners`` and the game's own results, as JSON."""

    outcome: JsonObject


Node: TypeAlias = Decision | Chance | Terminal


# --- transitions ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Deal:
    """One card taken from the top of ``deck``: into the hand of a seat, or face up onto the table."""

    deck: str
    to: Seat | Table


@dataclass(frozen=True, slots=True)
class Fact:
    """What only ``seat`` is shown, as JSON (schemas/README.md §3.1: ``{"found": card}``, ``{"stack": […]}``)."""

    seat: Seat
    body: JsonObject


@dataclass(frozen=True, slots=True)
class Trial:
    """One chance with two ends, for tables of luck: ``chance`` is (favourable, possible) before it fell."""

    seat: Seat
    label: str
    chance: tuple[int, int]
    success: bool


S = TypeVar("S")
A = TypeVar("A")
E = TypeVar("E")
V = TypeVar("V")
K = TypeVar("K")
E_co = TypeVar("E_co", covariant=True)
S_co = TypeVar("S_co", covariant=True)


class Step(NamedTuple, Generic[S_co, E_co]):
    """One transition: where it led and what happened, as data.

    ``deals`` are the cards this step took from decks, in order (which cards they are follows from the order of
    the deck, which the caller keeps); ``facts`` what single seats learned beyond their deals; ``reveals`` is
    true if the step showed anybody something that no view held before (schemas/README.md §8).
    """

    state: S_co
    events: tuple[E_co, ...] = ()
    deals: tuple[Deal, ...] = ()
    facts: tuple[Fact, ...] = ()
    reveals: bool = False


class IllegalAction(Exception):
    """The rules forbid this action now; ``rules`` names the rows (``("D4",)``), ``str()`` is the sentence."""

    def __init__(self, rules: str | Sequence[str], sentence: str) -> None:
        super().__init__(sentence)
        self.rules: tuple[str, ...] = (rules,) if isinstance(rules, str) else tuple(rules)


class MalformedAction(Exception):
    """Not an action of this game at all; ``str()`` says what was expected and what was found.

    ``rules`` names rows too, where a row forbids what the form already forbids (a bid of 0: ``("B5",)``).
    """

    def __init__(self, sentence: str, rules: Sequence[str] = ()) -> None:
        super().__init__(sentence)
        self.rules: tuple[str, ...] = tuple(rules)


class BadSetup(Exception):
    """Seats, options or setup that this game cannot be played with; ``str()`` names the key and the values."""


class NotHeld(Exception):
    """What a seat showed does not follow from what it was given: it played a card it never held."""


class NoFilling(Exception):
    """No hidden cards, whatever they are, agree with what is public; ``str()`` says where they do not."""


# --- the protocol -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GameInfo:
    """Static facts of a game. ``decks`` and ``tapes`` are what every epoch announces (schemas/README.md §5)."""

    id: str
    title: str
    seats: range
    versions: tuple[int, ...]
    profiles: Mapping[str, JsonObject]
    """Named profiles: the options each sets; every other key keeps its default."""
    options: Mapping[str, tuple[Json, ...]]
    """Every option key with its values, the default first."""
    decks: Mapping[str, tuple[str, ...]]
    """Deck name → its cards, sorted by bytes."""
    tapes: tuple[str, ...]
    deck_lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Deck name → its kinds in deck-list order, where that is not their order by bytes (schemas/README.md §14.1)."""

    def variant(self, options: JsonObject) -> str:
        """Name the profile that has exactly these options; ``own`` if none has."""
        standard = {key: values[0] for key, values in self.options.items()}
        return next((name for name, own in self.profiles.items() if {**standard, **own} == options), "own")


@dataclass(frozen=True, slots=True)
class Setup:
    """What a match was created with: seats clockwise, resolved options, the ``setup`` object of genesis."""

    seats: tuple[Seat, ...]
    options: JsonObject
    extra: JsonObject
    version: int = 1
    recorded: bool = False
    """It stands in a record: what it holds is judged in bulk, not as what somebody hands in."""


class Rules(Protocol[S, A, E, V, K]):
    """The pure engine of one match. S state, A action, E event, V view, K what one seat learned."""

    @property
    def setup(self) -> Setup:
        """What these rules are bound to."""

    @property
    def words(self) -> Words:
        """What the definitions ``seat``, ``town`` … of the game's schemas stand for in this match."""

    @property
    def has_secrets(self) -> bool:
        """Whether records of this match carry packets (schemas/README.md §3.1)."""

    # transitions
    def initial_state(self) -> S:
        """The state before the first chance of the match."""

    def node(self, state: S) -> Node:
        """Who or what must answer next."""

    def span(self, state: S) -> int:
        """Number, from 1, of the epoch's worth of play the next decision or chance belongs to; never falls.

        When a step leads to a higher span, the running epoch is over (a hand, a game turn: schemas/README.md §5).
        """

    def apply(self, state: S, action: A) -> Step[S, E]:
        """Carry out ``action`` for the seat that is to decide.

        Raises:
            IllegalAction: with rule rows and a sentence; the state is a value, so nothing changed.
        """

    def resolve(self, state: S, outcome: Outcome) -> Step[S, E]:
        """Carry on with the outcome of the draw that ``node`` asked for (``ValueError`` if it does not fit)."""

    # views
    def observe(self, state: S, viewer: Viewer) -> V:
        """What ``viewer`` may know now: PUBLIC or a seat (FULL is not a view: see ``position_to_json``)."""

    def knowledge(self, seat: Seat) -> K:
        """What only ``seat`` knows before anything was dealt."""

    def learn(self, own: K, steps: Sequence[JsonObject], body: JsonObject) -> K:
        """Fold one record into ``own``: its public steps and the body of the seat's packet (schemas/README.md §3.1).

        Raises:
            NotHeld: if a card leaves the hand that was never in it (schemas/README.md §11, 9).
        """

    def view_of(self, public: V, own: K) -> V:
        """The seat's view from the public view and what only it was shown; equals ``observe`` of that seat."""

    def imagine(self, view: V) -> S:
        """A full state that agrees with ``view``, unknown cards filled in somehow: to try actions offline."""

    # decisions: functions of a view, so that a player's machine can answer them too
    def legal_actions(self, view: V) -> Sequence[A]:
        """Short forms that the seat to decide may play, ordered by the bytes of their canonical JSON.

        ``view`` is that seat's own view; for any other seat, and when the match is over, there are none.
        """

    def check(self, view: V, action: A) -> None:
        """Raise ``IllegalAction`` unless ``action`` (optional fields too) is legal in the seat's view."""

    def default_action(self, view: V) -> A:
        """What a ``default`` plays here (schemas/README.md §14.1, §14.2)."""

    def order_action(self, view: V, order: JsonObject) -> A | None:
        """What the seat's standing order answers here, or None if it does not (or no longer makes sense)."""

    def check_order(self, order: Json, *, bulk: bool = False) -> None:
        """Raise ``MalformedAction`` unless ``order`` is in this game's order vocabulary; ``bulk`` as for an action.

        Every game takes ``{"rules": []}``: orders that answer nothing.
        """

    def suggest(self, view: V) -> A:
        """What a sensible computer player does here; deterministic."""

    # for people
    def summary(self, public: JsonObject) -> JsonObject:
        """Figures that follow from a public view and that a person wants to see (points, income), as JSON."""

    def trials(self, steps: Sequence[JsonObject], before: JsonObject | None = None) -> tuple[Trial, ...]:
        """The shots or dice of these public steps, each with the chance it had (luck against expectation).

        ``before``: the public view that the first step begins from, None if there is none.
        """

    # packets
    def standing_facts(self, state: S) -> tuple[Fact, ...]:
        """Facts that every record's packets repeat (Way Out West with ``money_public=false``: the cash)."""

    def packet_size(self, draws: int, shown: int) -> int | None:
        """Bytes every packet plaintext is padded to; None if the match has no packets (schemas/README.md §3.1).

        ``draws``: the most cards the record deals to one seat; ``shown``: cards of a stack shown to one seat.
        """

    def shown(self, steps: Sequence[JsonObject]) -> int:
        """How many cards of a stack these public steps show to one seat, else 0."""

    # codecs
    def action_from_json(self, obj: Json, *, bulk: bool = False) -> A:
        """Raises ``MalformedAction``. Unordered lists are put in order: one action, one spelling.

        ``bulk``: it stands in a record or comes from this program, and is nothing that somebody hands in. Both mean
        the same: it is for games that judge by a schema (DECISIONS.md 7), any other may ignore it.
        """

    def action_to_json(self, action: A) -> JsonObject:
        """The canonical object of an action, secret part included."""

    def public_action(self, action: A) -> JsonObject:
        """The action as records show it: without its secret part."""

    def is_secret(self, action: A) -> bool:
        """Whether the action has a secret part, so that a turn file must seal it (schemas/README.md §3.2)."""

    def may_reveal(self, action: A) -> bool:
        """Whether this action may reveal something, so that a client seals what comes after it."""

    def event_to_json(self, event: E, viewer: Viewer) -> JsonObject:
        """The event with the fields ``viewer`` may know (PUBLIC for records, FULL for scenarios)."""

    def view_to_json(self, view: V) -> JsonObject:
        """Position with every secret replaced by its number, and ``waiting`` (the game's ``view.schema.json``)."""

    def public_from_json(self, obj: Json) -> V:
        """The public view that a record holds; ``MalformedAction`` if it is none."""

    def position_to_json(self, state: S) -> JsonObject:
        """The whole position, every default included (the game's ``position.schema.json``)."""

    def position_from_json(self, obj: Json) -> S:
        """The state a scenario's position describes; ``BadSetup`` if it is impossible."""


class Filled(NamedTuple):
    """A full state that agrees with what is public, and the action that a step shows with its secret part filled in.

    ``action`` is None where the public form says all (or where there is no step).
    """

    state: Any
    action: Any = None


class Followed(Protocol):
    """One record with a result, followed by what was remembered before it (``Filling.follow``)."""

    @property
    def remembered(self) -> JsonObject:
        """What is remembered after it."""

    def filled(self, view: Any, at: int) -> Filled:
        """A state before step ``at`` of the record (or after the last one), and what that step does.

        Args:
            view: the public view, or that of a seat, before the step.
            at: the number of the step, from 0.

        Raises:
            NoFilling: what the record shows cannot be, whatever is hidden.
        """


@runtime_checkable
class Filling(Protocol):
    """What rules add so that anybody can play on from what is public: unknown cards are filled in around what is known.

    What follows from public values must not depend on the filling: with any two of them the engine makes the same
    public view, the same events, the same deals. So who plays on a filled state knows whether a record is true.

    ``memory`` is JSON: what everybody can remember beyond the public view (the order of a discard, cards that somebody
    took openly); ``{}`` before the match. A ``record`` is the body of a record with a result (``steps``, ``public``).
    A seat may follow too: with its own view, and with the cards that only it was shown written into the record.
    """

    def remembers_all(self) -> bool:
        """Whether memory reaches further back than the running epoch."""

    def follow(self, memory: JsonObject, record: JsonObject, pick: int = 0) -> Followed:
        """Go through one more result.

        Args:
            memory: what was remembered before it.
            record: whose steps show what must be where: cards played, cards turned up, answers given.
            pick: which of the many fillings.
        """


@runtime_checkable
class Grouping(Protocol):
    """What rules add whose legal actions are too many to be read one by one, or are worth a word on price and odds."""

    def grouped(
        self, view: Any, actions: Sequence[JsonObject], seen: Sequence[JsonObject]
    ) -> list[tuple[str, str]]:
        """The legal ``actions`` in lines: words to type, and what it costs or promises (a sentence, or nothing).

        ``seen`` are the bodies of the epoch's results so far: what a seat can remember.
        """


@runtime_checkable
class Counting(Protocol):
    """What rules add in which one card decides, and a seat can count which cards it has not seen."""

    def odds(self, view: Any, seen: Sequence[JsonObject]) -> tuple[int, int]:
        """Of so many cards that may come next for the viewer (the second number) so many decide for them.

        ``seen`` as for ``Grouping``.
        """


@runtime_checkable
class Foresight(Protocol):
    """What rules may add for a client that offers choices; without it a client offers short forms only."""

    def extras(self, view: Any, action: Any) -> tuple[Any, ...]:
        """Legal actions that name one thing more in advance than ``action``, which is legal in ``view``.

        Asked again with one of its answers it goes on from there (a second preference, a second town).
        """

    def worlds(self, view: Any) -> tuple[Any, ...]:
        """Full states that agree with ``view`` and differ in what it does not show.

        What is legal in all of them can be said in advance, before the unknown is seen.
        """


class Game(Protocol):
    """One entry of the registry."""

    @property
    def info(self) -> GameInfo:
        """Static facts."""

    def resolve_options(self, profile: str, overrides: JsonObject) -> JsonObject:
        """All options of ``profile`` with ``overrides`` on top; ``BadSetup`` names a bad key or value."""

    def default_extra(self, seats: Sequence[Seat]) -> JsonObject:
        """The ``setup`` object of genesis if the host says nothing (first dealer, default board)."""

    def rules(self, setup: Setup) -> AnyRules:
        """The engine bound to one match; ``BadSetup`` if seats, options, extra or version do not fit."""

    # how a person types and reads an action
    def action_from_words(self, words: Sequence[str]) -> JsonObject:
        """``["lay", "3", "jesse-james"]`` → the action object; ``MalformedAction`` says what may be typed."""

    def action_to_words(self, obj: JsonObject) -> str:
        """The short form that ``action_from_words`` reads back."""


# Type parameters are forgotten in this one place: above the games nobody asks which game it is.
AnyRules: TypeAlias = Rules[Any, Any, Any, Any, Any]
AnyStep: TypeAlias = Step[Any, Any]
