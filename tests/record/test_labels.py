"""How well a draw is proven (schemas/README.md §4.4): fair, fair after reveal, bound only."""

from __future__ import annotations

from pbem.protocol.record import Record
from pbem.protocol.record.record import labels_of
from tests.record.golden import walked
from tests.verifier.matches import match


def test_draws_of_no_known_epoch_are_bound_only() -> None:
    lines = [line for line in walked("way-out-west-turn").record.lines if "steps" in line.body]
    labels = [label.label for line in lines for label in labels_of(line, None, proven=True)]
    assert set(labels) == {"bound only"}
    epoch = walked("way-out-west-turn").record.ledger.epochs[1]
    assert {label.label for label in labels_of(lines[0], epoch, proven=False)} <= {"fair"}


def test_the_draws_of_a_record_with_their_proof() -> None:
    record = walked("wyatt-earp-hand").record
    assert record.labels(1) == []  # a join
    opened = next(line.seq for line in record.lines if line.kind == "open")
    labels = record.labels(opened)
    assert [label.label for label in labels] == ["fair"] * 31
    assert [(label.kind, label.seat) for label in labels[:3]] == [
        ("hand", seat) for seat in ("anna", "burt", "curt")
    ]
    assert (labels[-1].kind, labels[-1].seat, labels[-1].number) == ("card", "", 30)


def test_cards_of_a_reshuffle_are_fair_once_the_close_has_shown_it() -> None:
    lines = match("wyatt-earp-italian").lines
    shuffled = next(seq for seq, raw in enumerate(lines) if b'"shuffle":' in raw)
    drawn = next(seq for seq, raw in enumerate(lines) if b'"gen":1,"k":0' in raw)
    closed = next(seq for seq, raw in enumerate(lines) if seq > drawn and b'"kind":"close"' in raw)
    assert shuffled <= drawn
    for until, says in ((closed, "bound only"), (closed + 1, "fair after reveal")):
        labels = Record.load(lines[:until]).labels(drawn)
        assert {label.label for label in labels if label.gen == 1} == {says}
        assert {label.label for label in labels if label.gen == 0} <= {"fair"}


def test_every_reshuffle_of_an_epoch_is_shown_by_its_close() -> None:
    """Four searches, each with what is left of the supply shuffled again."""
    lines = match("wyatt-earp-french").lines
    record = Record.load(lines)
    closed = record.ledger.epochs[1]
    assert closed.closed is not None
    assert [draw.number for draw in closed.decks["main"]] == list(range(5))
    labels = {(label.gen, label.label) for line in closed.results for label in record.labels(line.seq)}
    assert labels == {(0, "fair"), *((later, "fair after reveal") for later in range(1, 5))}
