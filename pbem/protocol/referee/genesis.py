"""The first record of a match: what is agreed on before anybody joins (schemas/README.md §7)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import BadSetup, JsonObject, Seat, Setup
from pbem.games import find_game
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record import Deadlines, Line
from pbem.protocol.record.kinds.agreements import AGREEMENTS
from pbem.protocol.record.line import write_line

_SEAT = re.compile(r"[a-z][a-z0-9-]{0,15}\Z")


RESERVED = frozenset({"table", "public", "farmer", "both", "nobody", "supply"})
"""Words that stand where a seat may stand, so that no seat can be called so."""


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """What the host chooses: game, seats clockwise, profile with overrides, setup, deadlines, consents."""

    game: str
    seats: Sequence[str]
    profile: str = "default"
    options: JsonObject = field(default_factory=dict)
    setup: JsonObject = field(default_factory=dict)
    deadlines: Deadlines = field(default_factory=Deadlines)
    reveal: str = "epoch"
    consent: JsonObject = field(default_factory=lambda: {"pause": "all", "substitute": "others"})
    plays: str | None = None
    """The seat that the host plays, declared to everybody; None if the host does not play."""
    page: bool = False
    """Whether the host serves a page to play in, declared to everybody."""


def create_match(plan: MatchPlan, host: Identity, nonce: bytes, at: str) -> Line:
    """Sign the genesis of a new match; ``nonce`` is 16 or more fresh random bytes.

    Raises:
        UsageProblem: if game, seats, options or setup do not fit together.
    """
    try:
        game = find_game(plan.game)
        seats = _seats(plan.seats)
        options = game.resolve_options(plan.profile, plan.options)
        extra = {**game.default_extra(seats), **plan.setup}
        version = max(game.info.versions)
        game.rules(Setup(seats, options, extra, version))
        policy = Deadlines.from_json(plan.deadlines.to_json())
        if plan.plays is not None and plan.plays not in seats:
            raise BadSetup(
                sentence(
                    "the host cannot play {seat}: the seats are {names}",
                    seat=plan.plays,
                    names=", ".join(seats),
                )
            )
    except (KeyError, BadSetup) as error:
        raise UsageProblem(str(error.args[0]), hint=sentence("nothing was created")) from error
    unknown = set(plan.consent) - set(AGREEMENTS)
    if unknown:
        raise UsageProblem(
            sentence("nobody can agree to {min!r}", min=min(unknown)),
            hint=sentence("there are {names}", names=", ".join(AGREEMENTS)),
        )
    members: JsonObject = {
        "pbem": 1,
        "nonce": b64(nonce),
        "host": {"sign": b64(host.sign_public), "seal": b64(host.seal_public)}
        | ({} if plan.plays is None else {"seat": plan.plays})
        | ({"page": True} if plan.page else {}),
        "rules": {"id": game.info.id, "version": version},
        "options": options,
        "setup": extra,
        "seats": list(seats),
        "draw": {"alg": "pbem-draw-1", "reveal": plan.reveal},
        "deadlines": policy.to_json(),
        "consent": plan.consent,
    }
    return write_line("genesis", members, host, game=None, after=None, at=at)


def _seats(names: Sequence[str]) -> tuple[Seat, ...]:
    for name in names:
        if _SEAT.match(name) is None:
            raise BadSetup(
                sentence(
                    "seat {name!r}: a seat is named by up to 16 lower-case letters, digits and hyphens, a letter first",
                    name=name,
                )
            )
    if len(set(names)) != len(names):
        raise BadSetup(sentence("two seats have the same name"))
    taken = RESERVED.intersection(names)
    if taken:
        raise BadSetup(sentence("seat {min!r}: that name means something else in records", min=min(taken)))
    return tuple(map(Seat, names))
