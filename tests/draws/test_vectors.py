"""The known answers of ``schemas/vectors.json`` that concern draws; ``deck`` is the protocol's own list."""

from __future__ import annotations

import json

import pytest

from pbem.base.resources import data_dir
from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.draws import (
    Stream,
    chain,
    cut,
    entropy,
    epoch_seed,
    lay,
    leaf,
    merkle_root,
    permutation,
    roll,
    seat_label,
    seed_commit,
    step_down,
    tape_label,
)
from tests.vectors.paths import merkle_path, verify_path

CARDS = tuple(sorted(rank + suit for rank in "23456789TJQKA" for suit in "CDHS"))


@pytest.fixture(scope="module")
def vectors() -> JsonObject:
    loaded: JsonObject = json.loads((data_dir("schemas") / "vectors.json").read_text())
    return loaded


def test_the_epoch_seed_and_its_commitment(vectors: JsonObject) -> None:
    known = vectors["deck"]
    game = unb64(known["game"])
    seed = epoch_seed(unb64(known["master"]), game, 1)
    assert b64(seed) == known["seed_1"]
    assert b64(seed_commit(game, 1, seed)) == known["commit_1"]


def test_the_hidden_order_the_cut_and_the_deck(vectors: JsonObject) -> None:
    known = vectors["deck"]
    laid = lay(unb64(known["seed_1"]), unb64(known["game"]), 1, "main", 0, CARDS)
    places = cut(unb64(known["entropy_1"]), "main", 0, len(CARDS))
    assert [CARDS[index] for index in laid.order] == known["hidden"]
    assert list(places) == known["cut"]
    assert [CARDS[index] for index in permutation(laid.order, places)] == known["deck"]


def test_the_root_and_the_path_of_place_17(vectors: JsonObject) -> None:
    known = vectors["deck"]
    game = unb64(known["game"])
    laid = lay(unb64(known["seed_1"]), game, 1, "main", 0, CARDS)
    path = merkle_path(laid.leaves, 17)
    assert b64(merkle_root(laid.leaves)) == known["root"]
    assert [b64(node) for node in path] == known["path_17"]
    opened = leaf(game, 1, "main", 0, 17, laid.salts[17], known["hidden"][17])
    assert opened == laid.leaves[17]
    assert verify_path(opened, 17, 52, path, unb64(known["root"]))


def test_numbers_below_bounds_that_really_reject_words(vectors: JsonObject) -> None:
    known = vectors["deck"]["below"]
    stream = Stream(unb64(known["key"]))
    each = len(known["out"]) // len(known["n"])
    assert [stream.below(n) for n in known["n"] for _ in range(each)] == known["out"]
    assert stream.blocks == known["blocks"] == 3


def test_a_chain_of_a_seat(vectors: JsonObject) -> None:
    known = vectors["chain"]
    assert known["label"] == seat_label("anna")
    links = chain(known["label"], unb64(known["game"]), unb64(known["seed"]), known["length"])
    assert {index: b64(links[int(index)]) for index in known["links"]} == known["links"]


def test_a_tape_its_entropy_and_its_rolls(vectors: JsonObject) -> None:
    known = vectors["tape"]
    game = unb64(known["game"])
    assert known["label"] == tape_label("public", 1)
    links = chain(known["label"], game, unb64(known["seed"]), known["length"])
    assert {index: b64(links[int(index)]) for index in known["links"]} == known["links"]
    assert step_down(known["label"], game, 12, links[12], 0) == links[0]
    drawn = entropy(game, 1, {seat: unb64(link) for seat, link in known["entropy_links"].items()})
    assert b64(drawn) == known["entropy"]
    assert [roll(links[j], drawn, "public", j, 6) for j in range(1, 13)] == known["rolls"]
