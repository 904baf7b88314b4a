"""The opening of an epoch: all links are in, so every deck is cut and dealt (schemas/README.md §5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.base.values import replace
from pbem.game import Seat
from pbem.protocol.draws import cut, entropy
from pbem.protocol.record.kind import Actions, Kind, RulingContext
from pbem.protocol.record.kinds.announce import announce
from pbem.protocol.record.ledger import Epoch, Ledger
from pbem.protocol.record.line import Fault, Line, everybody
from pbem.protocol.record.play import Play, SeedChance


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """All links are in, and the epoch before is over."""
    epoch = ledger.newest
    if epoch is None or epoch.number != line.body["epoch"] or epoch.burned or epoch.opened is not None:
        yield line.fault(
            5, "open", "deal {number} is not waiting for parts of the shuffle", number=line.body["epoch"]
        )
        return
    if epoch.missing:
        yield line.fault(
            5,
            "link-missing",
            "dealt without the part of the shuffle from {missing}",
            missing=", ".join(epoch.missing),
        )
    before = ledger.running
    if before is not None and ledger.reveal == "epoch" and before.closed is None:
        yield line.fault(5, "open", "deal {number} was never closed", number=before.number)


def _begin(ledger: Ledger, line: Line) -> None:
    """The entropy is known now: cut every deck."""
    epoch = ledger.epochs.get(line.body["epoch"])
    if epoch is None or epoch.opened is not None:
        return
    sound = epoch.sound and not epoch.missing
    served = tuple(seat for seat in epoch.seats if _in_page(ledger, epoch, seat))
    epoch = replace(epoch, opened=line.seq, sound=sound, served=served, page=ledger.paged)
    ledger.epochs[epoch.number] = opened_epoch(ledger.game, epoch)


def _in_page(ledger: Ledger, epoch: Epoch, seat: Seat) -> bool:
    """Whether a page that the host serves had the chain of this seat's link, as the seat says."""
    player = ledger.players.get(seat)
    chain = None if player is None else player.chain_for(epoch.number)
    return chain is not None and chain.served


def opened_epoch(game: bytes, epoch: Epoch) -> Epoch:
    """The epoch with its entropy and every deck's cut."""
    value = entropy(game, epoch.number, {str(seat): link for seat, link in epoch.links.items()})
    decks = {
        name: tuple(replace(g, cut=cut(value, name, g.number, len(g.leaves))) for g in generations)
        for name, generations in epoch.decks.items()
    }
    return replace(epoch, entropy=value, decks=decks)


def _play(play: Play, _: Line, __: Actions) -> None:
    play.opening()


def _announces(line: Line) -> bool:
    return line.body["public"].get("waiting") is not None


def deal(context: RulingContext, epoch: Epoch) -> None:
    """All links are in: cut, deal, let standing orders answer; then announce the next epoch."""
    game, play = context.ledger.game, context.play()
    seed = context.openings.seed(epoch.number)
    source = SeedChance(game, epoch.number, seed, opened_epoch(game, epoch).entropy)
    play.table = play.table.with_epoch(epoch.number, source)
    play.opening()
    context.add(OPEN.name, {"epoch": epoch.number, **context.result(play)})
    announce(context)


OPEN: Final = Kind(
    "open",
    _check,
    begin=_begin,
    announces=_announces,
    by=frozenset({"game", "order"}),
    play=_play,
    audience=everybody,
    asks=True,
    follows=True,
    bars=True,
    letter="started",
)
