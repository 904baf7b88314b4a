"""A host who plays and says so (``host.seat`` in genesis): what that adds for a cheat, and what it does not."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import Final

from pbem.base.errors import RefusedError
from pbem.game import Seat
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.draws import chain, entropy, seat_label
from pbem.protocol.referee import Accepted, burn, perform_default
from pbem.protocol.referee.draft import Draft
from tests.attacks.attack import ANYBODY, FUTILE, NOBODY, Aftermath, attack
from tests.attacks.stage import Stage
from tests.forge import Bodies, Forge, first, of_kind
from tests.world import secret

HOST: Final = "host who plays"
_MOST_FILES: Final = 40


@cache
def _played(game: str, seats: tuple[str, ...], seed: str) -> Stage:
    return Stage(game, seats, seed=seed, plays=seats[0]).perform()


def hosted(stage: Stage) -> Stage:
    """The match of ``stage`` once more, with a host who plays the first seat and says so."""
    return _played(stage.game, tuple(stage.seats), stage.seed)


def _begun(stage: Stage) -> Stage:
    """A match with that host in which everybody has joined, and nobody has given a link."""
    hosting = Stage(stage.game, stage.seats, seed=stage.seed, plays=stage.seats[0])
    for seat in map(Seat, hosting.seats):
        hosting.send(hosting.join_file(seat))
    return hosting


@attack(
    HOST,
    "looks at the other hands and at the cards to come",
    NOBODY,
    words="It is declared before anybody joins, and stands beside every proof. If you mind, ask somebody to host who"
    " does not play.",
)
def _looks(stage: Stage) -> Aftermath | None:
    """What the host's own record says of an opponent's view is what that opponent sees."""
    if not stage.record.rules.has_secrets:
        return None
    hosting = hosted(stage)
    record = hosting.moment(lambda r: r.waiting is not None)
    if record is None:
        return None
    branch = hosting.branch(record)
    opponent, rules = Seat(hosting.seats[1]), record.rules
    state = Draft(record, hosting.host, branch.now).play().table.state
    read = rules.view_to_json(rules.observe(state, opponent))
    if read != branch.view(opponent).view_json:
        return None
    return Aftermath(branch.lines, upto=len(branch.lines), since=len(branch.lines), stage=hosting)


def _knowing(stage: Stage, *, honestly: bool) -> Aftermath | None:
    """A changed page sends its host the keys of all; with them the cut is known before the deck is laid."""
    playing = stage.seats if honestly else ()
    hosting = Stage(
        stage.game, stage.seats, seed=stage.seed, plays=stage.seats[0], page=True, in_page=playing
    ).start()
    game, epoch = hosting.record.game, hosting.record.ledger.epochs[1]
    parts = {
        str(seat): chain(seat_label(seat), game, hosting.people[seat].chain_seed(game))[1]
        for seat in epoch.seats
    }
    if entropy(game, 1, parts) != epoch.entropy or (epoch.unknown == ()) != honestly:
        return None
    return Aftermath(hosting.lines, upto=len(hosting.lines), since=epoch.announced.seq, stage=hosting)


@attack(
    HOST,
    "commits to a deck knowing every part of its shuffle, since all play in the web app that they serve",
    ANYBODY,
)
def _page(stage: Stage) -> Aftermath | None:
    """The label says it: such draws are bound only."""
    return _knowing(stage, honestly=True)


@attack(
    HOST,
    "serves a changed web app to all that does not say that they play in it",
    NOBODY,
    words="It is declared that the host serves a web app. Every draw then says that no record can show what made the"
    " parts of its shuffle. One player whose own program made a part is enough.",
)
def _silent_page(stage: Stage) -> Aftermath | None:
    return _knowing(stage, honestly=False)


@attack(HOST, "puts their own part into the shuffle", ANYBODY)
def _own_part(stage: Stage) -> Aftermath | None:
    """With it the host would choose among 1,024 cuts, once the others' parts are known."""

    def change(bodies: Bodies) -> None:
        announced = first(bodies, of_kind("announce", 2))
        if announced is not None:
            announced["seats"].append(hosting.seats[0])

    hosting = hosted(stage)
    forge = Forge(hosting)
    bodies = forge.bodies()
    change(bodies)
    return Aftermath(forge.write(bodies), stage=hosting)


@attack(HOST, "deals without any other player's part of the shuffle", ANYBODY)
def _alone(stage: Stage) -> Aftermath | None:
    hosting = hosted(stage)
    forge = Forge(hosting)
    bodies = forge.bodies()
    opened, announced = first(bodies, of_kind("open", 1)), first(bodies, of_kind("announce", 1))
    if opened is None or announced is None:
        return None
    return Aftermath(forge.write([*bodies[: announced["_was"] + 1], opened]), stage=hosting)


@attack(HOST, "voids a deck for a part that they owe themselves", ANYBODY)
def _own_burn(stage: Stage) -> Aftermath | None:
    return _burned(stage, opponent=False)


@attack(HOST, "voids a deck for an opponent's part that is there", ANYBODY)
def _given_burn(stage: Stage) -> Aftermath | None:
    return _burned(stage, opponent=True)


def _burned(stage: Stage, *, opponent: bool) -> Aftermath | None:
    """A burn for the host's own seat, or for the opponent who gave the first link of the second deck."""
    hosting = hosted(stage)
    forge = Forge(hosting)
    bodies = forge.bodies()
    announced = first(bodies, of_kind("announce", 2))
    if announced is None:
        return None
    giver = first(
        bodies[announced["_was"] :],
        lambda b: "msg" in b and b["msg"]["body"].get("link", {}).get("epoch") == 2,
    )
    if giver is None:
        return None
    missing = giver["msg"]["body"]["seat"] if opponent else hosting.seats[0]
    voided = {"kind": "burn", "at": giver["at"], "epoch": 2, "missing": [missing], "_was": -1}
    return Aftermath(forge.write([*bodies[: giver["_was"] + 1], voided]), stage=hosting)


@attack(
    HOST,
    "keeps an opponent's part back until its time is up, and deals again",
    ANYBODY,
    words="It cannot be told from a player who was late: the hand is marked as dealt again, with whose part"
    " was missing.",
)
def _withheld(stage: Stage) -> Aftermath | None:
    hosting = hosted(stage)
    burn = next((line for line in hosting.record.lines if line.kind == "burn"), None)
    if burn is None:
        return None
    return Aftermath(hosting.lines, upto=burn.seq + 1, since=burn.seq, stage=hosting)


@attack(HOST, "voids one deck after another until nobody else's part is in it", FUTILE)
def _all_burned(stage: Stage) -> Aftermath | None:
    """A deck is laid again only if somebody else still gives a part; else the match waits."""
    hosting = _begun(stage)
    for seat in hosting.record.ledger.linking:
        hosting.send(hosting.ready_file(seat))
    for _ in range(_MOST_FILES):
        waiting = hosting.record.waiting
        if waiting is None:
            break
        seat = Seat(waiting["seat"])
        if seat == Seat(hosting.seats[0]):
            if not hosting.move():
                break
        else:
            hosting.tick(200)
            hosting.take(perform_default(hosting.record, hosting.host, seat, hosting.now))
    burned = sum(line.kind == "burn" for line in hosting.record.lines)
    if not burned:
        return None
    hosting.tick(2_000)
    with suppress(RefusedError):
        hosting.take(burn(hosting.record, hosting.host, hosting.now))
    alone = sum(set(epoch.seats) <= {hosting.seats[0]} for epoch in hosting.record.ledger.epochs.values())
    return Aftermath(tries=burned + 1, gained=alone, stage=hosting)


@attack(HOST, "takes new keys for their own seat to have a bad deck dealt again", FUTILE)
def _rekeyed(stage: Stage) -> Aftermath | None:
    """The host's seat owes no part, so no deck waits for its new keys and none is voided for them."""
    hosting = _begun(stage)
    seat = Seat(hosting.seats[0])
    laid = b64(hosting.record.ledger.epochs[1].commit)
    new = Identity(secret("the host's second keys"))
    done = hosting.send(hosting.rekey_file(seat, hosting.people[seat].sign_key, new))
    if not isinstance(done, Accepted):
        return None
    hosting.people[seat] = new
    for link in hosting.record.ledger.linking:
        hosting.send(hosting.ready_file(link))
    opened = hosting.record.ledger.epochs[1]
    again = int(b64(opened.commit) != laid or opened.opened is None or opened.thrown_away > 0)
    return Aftermath(tries=1, gained=again, stage=hosting)
