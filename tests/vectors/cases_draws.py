"""Cases of chains, cuts, shots, rolls, reshuffles and closes."""

from __future__ import annotations

from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64
from pbem.protocol.draws import (
    chain,
    cut,
    entropy,
    lay,
    merkle_root,
    roll,
    seat_label,
    seed_commit,
    tape_label,
)
from pbem.protocol.formats.envelopes import packet_commit, packet_salt, part_commit
from tests.vectors.fixed import CARDS, GAME, SALT, SEED, Cases, bad, flipped, good, secret
from tests.vectors.paths import merkle_path


def chains() -> Cases:
    label = seat_label("anna")
    links = chain(label, GAME, SEED, 1024)
    case: JsonObject = {
        "label": label,
        "game": b64(GAME),
        "seed": b64(SEED),
        "length": 1024,
        "elements": [1, 2, 7, 1024],
    }
    given: JsonObject = {"label": label, "game": b64(GAME), "index": 7, "link": b64(links[7]), "known": 2}
    given |= {"value": b64(links[2])}
    return "README section 4.1: chains of links, hashed down to the highest element known", [
        good("a seat's chain", "chain", case),
        good("a tape's chain", "chain", {**case, "label": tape_label("public", 3)}),
        good("element 7 above element 2", "link", given),
        good(
            "element 1 above the anchor",
            "link",
            {**given, "index": 1, "link": b64(links[1]), "known": 0, "value": b64(links[0])},
        ),
        bad("a link that was made up", "link", given, "link", link=flipped(given["link"])),
        bad("element 6 given as element 7", "link", given, "link", link=b64(links[6])),
        bad("another seat's chain", "link", given, "link", label=seat_label("burt")),
        bad("another match", "link", given, "link", game=b64(bytes(32))),
    ]


def cuts() -> Cases:
    links = {"burt": b64(secret("link burt")), "anna": b64(secret("link anna"))}
    given: JsonObject = {"game": b64(GAME), "epoch": 1, "links": links, "deck": "main", "gen": 0, "size": 78}
    members = {**given, "links": {"anna": links["anna"]}}
    return "README section 4.2: entropy of the announced seats' links, and the cut of a deck", [
        good("two seats", "cut", given),
        good("the next generation is cut otherwise", "cut", {**given, "gen": 1, "size": 31}),
        good("another deck", "cut", {**given, "deck": "duel"}),
        good("the next epoch, of one seat", "cut", {**members, "epoch": 2}),
        good("a deck of one card", "cut", {**given, "size": 1}),
    ]


def shots() -> Cases:
    value = entropy(GAME, 1, {"anna": secret("link anna"), "burt": secret("link burt")})
    deck = lay(SEED, GAME, 1, "main", 0, CARDS)
    places = cut(value, "main", 0, len(CARDS))
    place = places[2]
    given: JsonObject = {
        "game": b64(GAME),
        "epoch": 1,
        "deck": "main",
        "gen": 0,
        "entropy": b64(value),
        "k": 2,
        "place": place,
        "card": CARDS[deck.order[place]],
        "salt": b64(deck.salts[place]),
        "leaves": list(map(b64, deck.leaves)),
    }
    tree: JsonObject = {"leaves": given["leaves"], "place": 5}
    path = list(map(b64, merkle_path(deck.leaves, 5)))
    proof: JsonObject = {"leaf": given["leaves"][5], "place": 5, "size": 8, "path": path}
    proof["root"] = b64(merkle_root(deck.leaves))
    other = "ace" if given["card"] != "ace" else "six"
    return "README section 4.2: a card turned up, held against cut and leaf; a proof of it alone", [
        good("a shot", "shot", given),
        bad("another card", "shot", given, "leaf", card=other),
        bad("another salt", "shot", given, "leaf", salt=flipped(given["salt"])),
        bad("another place", "shot", given, "place", place=places[3]),
        bad("the next draw", "shot", given, "place", k=3),
        bad("another epoch", "shot", given, "leaf", epoch=2),
        bad("another cut", "shot", given, "place", entropy=b64(secret("another entropy"))),
        good("root and path", "tree", tree),
        good(
            "root and path of a deck whose size is no power of two",
            "tree",
            {"leaves": given["leaves"][:7], "place": 6},
        ),
        good("a proof", "proof", proof),
        bad("a proof of another place", "proof", proof, "path", place=4),
        bad("a proof that is too short", "proof", proof, "path", path=path[:-1]),
        bad("a proof that is too long", "proof", proof, "path", path=[*path, path[0]]),
        bad("a proof for another root", "proof", proof, "path", root=flipped(proof["root"])),
    ]


def rolls() -> Cases:
    links = chain(tape_label("public", 1), GAME, SEED, 1024)
    value = entropy(GAME, 1, {"anna": secret("link anna"), "burt": secret("link burt")})

    def case(j: int, sides: int) -> JsonObject:
        common: JsonObject = {"game": b64(GAME), "epoch": 1, "entropy": b64(value), "tape": "public"}
        face = roll(links[j], value, "public", j, sides)
        return common | {
            "j": j,
            "sides": sides,
            "link": b64(links[j]),
            "before": b64(links[j - 1]),
            "value": face,
        }

    given = case(5, 6)
    return "README section 4.3: a die", [
        *(
            good(f"roll {j} of {sides} sides", "roll", case(j, sides))
            for j, sides in ((1, 3), (2, 6), (3, 6), (4, 6))
        ),
        good("roll 5", "roll", given),
        good("a die of one side", "roll", case(6, 1)),
        bad("another value", "roll", given, "roll-value", value=given["value"] % 6 + 1),
        bad("the next link", "roll", given, "roll-link", link=b64(links[6])),
        bad("a link that was made up", "roll", given, "roll-link", link=flipped(given["link"])),
        bad("another epoch's tape", "roll", given, "roll-link", epoch=2),
    ]


def reshuffles() -> Cases:
    given: JsonObject = {
        "seed": b64(SEED),
        "game": b64(GAME),
        "epoch": 1,
        "deck": "main",
        "gen": 1,
        "cards": CARDS[:5],
    }
    deck = lay(SEED, GAME, 1, "main", 1, CARDS[:5])
    leaves = list(map(b64, deck.leaves))
    claimed = {**given, "leaves": leaves}
    swapped = [leaves[1], leaves[0], *leaves[2:]]
    return (
        "README section 4.2: a deck laid from the seed; a reshuffle is the next generation",
        [
            good("the first generation", "laid", {**given, "gen": 0, "cards": CARDS}),
            good("a reshuffle of five cards", "laid", given),
            good(
                "the order in which the cards are named does not matter",
                "laid",
                {**given, "cards": CARDS[4::-1]},
            ),
            good("held against the seed", "reshuffle", claimed),
            bad("two cards exchanged", "reshuffle", claimed, "arranged", leaves=swapped),
            bad("another card among them", "reshuffle", claimed, "arranged", cards=[*CARDS[:4], "six"]),
            bad("a card more", "reshuffle", claimed, "arranged", cards=CARDS[:6]),
            bad("another seed", "reshuffle", claimed, "arranged", seed=b64(bytes(32))),
            bad("another generation", "reshuffle", claimed, "arranged", gen=2),
        ],
    )


def closes() -> Cases:
    body: JsonObject = {"draws": [], "facts": [{"found": "hideout"}]}
    salt = packet_salt(SEED, GAME, 8, "anna")
    packet: JsonObject = {
        "seq": 8,
        "seat": "anna",
        "body": body,
        "commit": b64(packet_commit(GAME, 8, "anna", salt, body)),
    }
    content = [{"do": "discard", "card": "hideout"}]
    opened: JsonObject = {"part": "sealed", "seat": "anna", "n": 3, "salt": b64(SALT), "content": content}
    opened["commit"] = b64(part_commit("sealed", GAME, "anna", 3, SALT, content))
    orders: JsonObject = {**opened, "part": "orders", "content": {"rules": []}}
    orders["commit"] = b64(part_commit("order", GAME, "anna", 3, SALT, {"rules": []}))
    given: JsonObject = {
        "game": b64(GAME),
        "epoch": 1,
        "seed": b64(SEED),
        "commit": b64(seed_commit(GAME, 1, SEED)),
    }
    given |= {"packets": [packet], "opened": [opened, orders]}
    lie = {**packet, "body": {"draws": [], "facts": []}}
    return "README sections 3 and 4.1: what a close opens, against what was committed", [
        good("a close", "close", given),
        bad("another seed", "close", given, "seed", seed=b64(bytes(32))),
        bad("another epoch", "close", given, "seed", epoch=2),
        bad("a fact kept back", "close", given, "packet", packets=[lie]),
        bad("a packet of another record", "close", given, "packet", packets=[{**packet, "seq": 9}]),
        bad("another action", "close", given, "commitment", opened=[{**opened, "content": [{"do": "pass"}]}]),
        bad("another salt", "close", given, "commitment", opened=[{**opened, "salt": b64(bytes(16))}]),
        bad(
            "orders given out as actions", "close", given, "commitment", opened=[{**orders, "part": "sealed"}]
        ),
        bad("another file", "close", given, "commitment", opened=[{**opened, "n": 4}]),
    ]
