"""German Whist: the registry's entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from german_whist import codec
from german_whist import touching as by_touch
from german_whist.model import DECK
from german_whist.rules import GermanWhistRules
from pbem.game import AnyRules, BadSetup, GameInfo, JsonObject, Seat, Setup
from pbem.games.touching import Touching


@dataclass(frozen=True)
class GermanWhist:
    """What every match of it shares."""

    info: GameInfo = field(
        default_factory=lambda: GameInfo(
            id="german-whist",
            title="German Whist",
            seats=range(2, 3),
            versions=(1,),
            profiles={"default": {}, "long": {"hands": 4}},
            options={"hands": (2, 1, 4)},
            decks={"main": DECK},
            tapes=(),
        )
    )

    touching: Touching = by_touch
    """How a card is played by touch (``pbem.games.touching``)."""

    def resolve_options(self, profile: str, overrides: JsonObject) -> JsonObject:
        """All options; ``BadSetup`` names a bad one."""
        if profile not in self.info.profiles:
            raise BadSetup(f"profile {profile!r}: expected one of {', '.join(self.info.profiles)}")
        defaults = {key: values[0] for key, values in self.info.options.items()}
        return self._whole({**defaults, **self.info.profiles[profile], **overrides})

    def _whole(self, options: JsonObject) -> JsonObject:
        """Every option there is, each with a value of its own; ``True`` is not 1."""
        known = self.info.options
        for key in {**known, **options}:
            value = options.get(key)
            if isinstance(value, bool) or value not in known.get(key, ()):
                raise BadSetup(f"option {key}={value!r}: expected one of {known.get(key)}")
        return options

    def default_extra(self, seats: Sequence[Seat]) -> JsonObject:
        """The first seat leads."""
        return {"leader": seats[0]}

    def rules(self, setup: Setup) -> AnyRules:
        """The engine bound to one match."""
        if len(set(setup.seats)) != 2 or len(setup.seats) != 2:
            raise BadSetup("German Whist is for two different seats")
        if set(setup.extra) != {"leader"} or setup.extra["leader"] not in setup.seats:
            raise BadSetup("setup: expected leader, one of the seats")
        if setup.version not in self.info.versions:
            raise BadSetup(f"no rules version {setup.version}; there are: {self.info.versions}")
        self._whole(setup.options)
        return GermanWhistRules(setup)

    def action_from_words(self, words: Sequence[str]) -> JsonObject:
        """``play spades-ace``."""
        return codec.action_from_words(words)

    def action_to_words(self, obj: JsonObject) -> str:
        """The same back."""
        return codec.action_to_words(obj)


GAME: Final = GermanWhist()
