"""Chains, decks and dice as schemas/README.md §4 defines them, and what no host and no seat can do to them."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.protocol.crypto.digest import kdf, lp, mac, sha, u32
from pbem.protocol.draws import (
    Stream,
    chain,
    cut,
    entropy,
    lay,
    leaf,
    merkle_root,
    permutation,
    roll,
    shuffle,
    step_down,
)
from tests.vectors.paths import merkle_path, verify_path

GAME = sha(b"a match")
SEED = sha(b"a seed")
keys = st.binary(min_size=32, max_size=32)


# --- numbers --------------------------------------------------------------------------------------------------


def words_of(key: bytes, count: int) -> list[int]:
    data = b"".join(mac(key, u32(block)) for block in range(count // 8 + 1))
    return [int.from_bytes(data[start : start + 4], "big") for start in range(0, 4 * count, 4)]


@given(keys, st.integers(1, 2**32))
def test_below_takes_words_until_one_favours_nobody(key: bytes, bound: int) -> None:
    expected = [word % bound for word in words_of(key, 64) if word < 2**32 - 2**32 % bound]
    stream = Stream(key)
    assert [stream.below(bound) for _ in range(8)] == expected[:8]


@pytest.mark.parametrize("bound", [0, -1, 2**32 + 1])
def test_impossible_bounds_are_refused(bound: int) -> None:
    with pytest.raises(ValueError, match="bound"):
        Stream(SEED).below(bound)


def test_the_first_word_that_would_favour_somebody_is_left_out() -> None:
    """The limit is the first word left out: with it, small results would come once more often than great ones."""
    bound = 2**31 + 1
    stream = Stream(SEED)
    stream._words = [7, bound]  # taken from the end; the limit of this bound is the bound itself
    assert stream.below(bound) == 7


@given(keys, st.lists(st.integers(), max_size=60))
def test_a_shuffle_keeps_everything_and_is_that_of_the_protocol(key: bytes, items: list[int]) -> None:
    stream, expected = Stream(key), list(items)
    for i in reversed(range(1, len(items))):
        j = stream.below(i + 1)
        expected[i], expected[j] = expected[j], expected[i]
    assert shuffle(key, items) == expected
    assert Counter(expected) == Counter(items)


def chi_square(counts: Counter[object], cells: int, total: int) -> float:
    mean = total / cells
    return sum((count - mean) ** 2 / mean for count in counts.values()) + (cells - len(counts)) * mean


def test_all_orders_of_four_are_equally_likely() -> None:
    """23 degrees of freedom: beyond 49.7 only once in a thousand keys; the keys are fixed."""
    total = 12_000
    counts: Counter[object] = Counter(tuple(shuffle(sha(u32(i)), range(4))) for i in range(total))
    assert chi_square(counts, 24, total) < 49.7


def test_every_card_is_equally_likely_at_every_place_after_lay_and_cut() -> None:
    """A host that lays the deck in one and the same order gains nothing: the cut alone makes it uniform."""
    total, size = 4_000, 8
    places: Counter[object] = Counter()
    for i in range(total):
        order = permutation(range(size), cut(sha(u32(i)), "main", 0, size))
        places.update((k, card) for k, card in enumerate(order))
    assert chi_square(places, size * size, total * size) < 103.4  # 63 degrees of freedom, one in a thousand


def test_dice_are_even() -> None:
    counts: Counter[object] = Counter(roll(sha(u32(j)), SEED, "public", j, 6) for j in range(1, 6001))
    assert set(counts) == {1, 2, 3, 4, 5, 6}
    assert chi_square(counts, 6, 6000) < 20.5


# --- chains ---------------------------------------------------------------------------------------------------


def test_a_chain_is_hashed_as_the_protocol_writes_it() -> None:
    links = chain("seat anna", GAME, SEED, 3)
    assert links[3] == kdf(SEED, "pbem/1 chain seed", "seat anna", GAME)
    for i in (3, 2, 1):
        text = lp("pbem/1 chain", "seat anna", GAME, u32(i), links[i])
        assert links[i - 1] == hashlib.sha256(text).digest()
    assert len(links) == 4


@given(st.integers(0, 20), st.integers(0, 20))
def test_any_link_leads_down_to_any_earlier_one(a: int, b: int) -> None:
    links = chain("seat anna", GAME, SEED, 20)
    high, low = max(a, b), min(a, b)
    assert step_down("seat anna", GAME, high, links[high], low) == links[low]


@pytest.mark.parametrize(
    ("label", "game", "index"),
    [("seat burt", GAME, 5), ("seat anna", sha(b"other"), 5), ("seat anna", GAME, 6)],
)
def test_a_link_of_another_seat_match_or_number_does_not_lead_to_the_anchor(
    label: str, game: bytes, index: int
) -> None:
    links = chain("seat anna", GAME, SEED, 20)
    assert step_down(label, game, index, links[5], 0) != links[0]


def test_nobody_hashes_upwards() -> None:
    with pytest.raises(ValueError, match="from link 2 to link 3"):
        step_down("seat anna", GAME, 2, SEED, 3)
    with pytest.raises(ValueError, match="to link -1"):
        step_down("seat anna", GAME, 2, SEED, -1)


# --- decks ----------------------------------------------------------------------------------------------------

decks = st.lists(
    st.sampled_from(["bob-dalton", "hideout", "photo:jesse-james", "wyatt-earp"]), max_size=30
).map(lambda cards: tuple(sorted(cards)))


@given(decks, st.integers(1, 9), st.integers(0, 3))
def test_a_laid_deck_opens_everywhere(cards: tuple[str, ...], epoch: int, gen: int) -> None:
    laid = lay(SEED, GAME, epoch, "main", gen, cards)
    assert sorted(laid.order) == list(range(len(cards)))
    for place, index in enumerate(laid.order):
        assert len(laid.salts[place]) == 16
        opened = leaf(GAME, epoch, "main", gen, place, laid.salts[place], cards[index])
        assert opened == laid.leaves[place]


def test_hidden_order_salts_and_leaves_are_those_of_the_protocol() -> None:
    cards = tuple(sorted(["a", "b", "b", "c"]))
    where = (GAME, u32(7), "main", u32(2))
    laid = lay(SEED, GAME, 7, "main", 2, cards)
    hidden = shuffle(kdf(SEED, "pbem/1 hide", *where), cards)
    assert [cards[index] for index in laid.order] == hidden
    salt = mac(kdf(SEED, "pbem/1 salt", *where), u32(3))[:16]
    assert laid.salts[3] == salt
    assert laid.leaves[3] == sha(b"\x00" + lp("pbem/1 card", *where, u32(3), salt, hidden[3]))


def test_epoch_deck_and_generation_each_change_everything() -> None:
    cards = tuple(sorted(f"card-{i:02}" for i in range(40)))
    variants = [
        lay(SEED, GAME, 1, "main", 0, cards),
        lay(SEED, GAME, 2, "main", 0, cards),
        lay(SEED, GAME, 1, "side", 0, cards),
        lay(SEED, GAME, 1, "main", 1, cards),
        lay(SEED, sha(b"other"), 1, "main", 0, cards),
    ]
    assert len({laid.order for laid in variants}) == 5
    assert len({leave for laid in variants for leave in laid.leaves}) == 5 * 40


def test_cards_out_of_byte_order_are_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="sorted by bytes"):
        lay(SEED, GAME, 1, "main", 0, ("b", "a"))


def test_the_cut_is_keyed_by_entropy_deck_and_generation_alone() -> None:
    key = kdf(SEED, "pbem/1 cut", "main", u32(1))
    assert list(cut(SEED, "main", 1, 20)) == shuffle(key, range(20))


def test_entropy_takes_the_seats_in_byte_order() -> None:
    links = {"burt": sha(b"b"), "anna": sha(b"a")}
    expected = sha(lp("pbem/1 entropy", GAME, u32(3), "anna", sha(b"a"), "burt", sha(b"b")))
    assert entropy(GAME, 3, links) == expected
    assert entropy(GAME, 3, dict(reversed(links.items()))) == expected


def test_one_honest_link_moves_every_draw() -> None:
    """Whatever the others agree on, another link of one seat gives another cut."""
    cuts = {
        cut(entropy(GAME, 1, {"anna": sha(u32(i)), "burt": SEED, "curt": SEED}), "main", 0, 20)
        for i in range(50)
    }
    assert len(cuts) == 50


# --- Merkle tree ----------------------------------------------------------------------------------------------


def test_the_tree_of_rfc_6962_by_hand() -> None:
    a, b, c = sha(b"a"), sha(b"b"), sha(b"c")
    assert merkle_root([]) == sha(b"")
    assert merkle_root([a]) == a
    ab = sha(b"\x01" + a + b)
    assert merkle_root([a, b, c]) == sha(b"\x01" + ab + c)
    assert merkle_path([a, b, c], 0) == (b, c)
    assert merkle_path([a, b, c], 2) == (ab,)


@given(st.integers(1, 90), st.data())
def test_every_place_has_a_path_and_no_other_leaf_or_place_fits_it(size: int, data: st.DataObject) -> None:
    leaves = [sha(u32(i)) for i in range(size)]
    root = merkle_root(leaves)
    place = data.draw(st.integers(0, size - 1))
    path = merkle_path(leaves, place)
    assert verify_path(leaves[place], place, size, path, root)
    assert not verify_path(sha(b"other"), place, size, path, root)
    assert not verify_path(leaves[place], place, size, (*path, root), root)
    assert not verify_path(leaves[place], size, size, path, root)
    if path:
        assert not verify_path(leaves[place], place, size, path[:-1], root)
        assert not verify_path(leaves[place], place, size, (path[0][:31], *path[1:]), root)
        other = data.draw(st.integers(0, size - 1).filter(lambda i: i != place))
        assert not verify_path(leaves[place], other, size, path, root)


def test_there_is_no_path_to_a_place_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="no place 3 among 3"):
        merkle_path([SEED] * 3, 3)
    with pytest.raises(ValueError, match="no place"):
        merkle_path([SEED] * 3, -1)
    assert not verify_path(SEED, -1, 1, (), SEED)
