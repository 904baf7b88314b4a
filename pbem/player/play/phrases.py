"""Actions and their consequences in plain words, through the game's ``play.jinja``.

Nothing here knows a game. What an action does is found by doing it in the imagined position and comparing: events,
view and figures before and after go to the template, which names what changed. Where chance or another seat's secret
follows, only what is certain is shown, never what the imagined position happened to hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from pbem.base.language import ENGLISH, Language
from pbem.game import PUBLIC, Game, JsonObject, Seat, Setup
from pbem.player.letters.layout import clean_name
from pbem.player.letters.rendering import Style, macros, marks, one_line
from pbem.player.play.menu import MenuEntry
from pbem.player.play.trial import Trial
from pbem.player.play.words import Words


class Phrases:
    """How one seat is shown the actions of one match."""

    def __init__(
        self,
        game: Game,
        setup: Setup,
        seat: Seat,
        names: Mapping[Seat, str],
        language: Language = ENGLISH,
        odds: tuple[int, int] | None = None,
    ) -> None:
        """``odds``: of so many cards that the seat has not seen (the second number) so many would hit."""
        self._language = language
        self._odds = odds
        self._words = Words(language)
        self._game = game
        self._setup = setup
        self._seat = seat
        self._names = names

    def who(self, seat: str) -> str:
        """The player's name, or "you"."""
        return self._words("you") if seat == self._seat else clean_name(self._names.get(Seat(seat), seat))

    @cached_property
    def _macros(self) -> Any:
        context = {
            "me": self._seat,
            "who": self.who,
            "seats": self._setup.seats,
            "setup": self._setup,
            "marks": marks(self._setup.seats),
            "odds": self._odds,
        }
        return macros(Style.TEXT, self._game.info.id, "play.jinja", context, self._language)

    def label(self, action: JsonObject) -> str:
        """The action in words: ``Lay 3 Jesse James``."""
        return one_line(self._macros.label(action, self._game.action_to_words(action)))

    def entry(self, entry: MenuEntry, do: str) -> str:
        """A line of a menu."""
        if entry.action is not None:
            return self.label(entry.action)
        name = entry.part[0] if entry.part is not None else "do"
        if name == "do":
            return one_line(self._macros.kind(entry.value))
        text = one_line(self._macros.part(do, name, entry.value))
        return text[:1].upper() + text[1:]

    def ordered(self, actions: Sequence[JsonObject]) -> list[JsonObject]:
        """The actions as a person would look for them: kinds in the template's order, a refusal last."""
        order: list[str] = self._macros.ORDER

        def rank(action: JsonObject) -> tuple[int, bool, list[int]]:
            do = action["do"]
            numbers = [value for value in action.values() if type(value) is int]
            return order.index(do) if do in order else len(order), "decline" in action, numbers

        return sorted(actions, key=rank)

    def kind(self, do: str) -> str:
        """The heading for all actions of a kind."""
        return one_line(self._macros.kind(do))

    def question(self, action: JsonObject) -> str:
        """What to ask before ``action`` is taken; empty where nothing is worth asking."""
        return one_line(self._macros.question(action))

    def enough(self, action: JsonObject) -> str:
        """The answer that says no more."""
        return one_line(self._macros.enough(action))

    def effect(self, trial: Trial, action: JsonObject) -> str:
        """What ``action`` does if it is added to the tray; after a look only that it is sealed."""
        if trial.revealed:
            return ""
        rules = trial.rules
        step = trial.step(action)
        hidden = step.reveals or bool(step.deals) or bool(step.facts)
        events = [] if hidden else [rules.event_to_json(event, PUBLIC) for event in step.events]
        before = rules.view_to_json(trial.now)
        was = rules.summary(before)
        if trial.reveals(step):
            return one_line(self._macros.look(action, events, before, was)) or self._words("look")
        after = rules.view_to_json(rules.observe(step.state, self._seat))
        return one_line(self._macros.effect(action, events, before, after, was, rules.summary(after)))
