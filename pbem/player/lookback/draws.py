"""Every card that was turned up and every die of a match, with its label and the numbers to check it by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from pbem.base.language import ENGLISH, Language
from pbem.game import JsonObject
from pbem.player.letters.by_hand import card_proof, purpose_words, roll_proof
from pbem.player.letters.layout import clean
from pbem.player.letters.rendering import Style, macros
from pbem.protocol.audit import Draw
from pbem.protocol.record import Label, Ledger
from pbem.protocol.record.verifier import BAD_VALUE_ERRORS


def hidden_draws(labels: Sequence[Label]) -> dict[str, int]:
    """How many cards went face down into hands, by label."""
    return dict(Counter(label.label for label in labels if label.kind == "hand"))


def open_draws(
    ledger: Ledger, labels: Sequence[Label], trials: Sequence[Draw], language: Language = ENGLISH
) -> list[JsonObject]:
    """Each open draw, in the order of the file.

    ``hit`` is there where the game calls the draw a trial: where a record has as many trials as open draws.
    """
    given = {"names": {}, "seats": (), "setup": ledger.rules.setup}
    words = macros(Style.TEXT, ledger.info.id, "words.jinja", given, language)
    hits: dict[int, list[bool]] = {}
    for trial in trials:
        hits.setdefault(trial.seq, []).append(trial.trial.success)
    shown: dict[int, list[Label]] = {}
    for label in labels:
        if label.kind != "hand":
            shown.setdefault(label.seq, []).append(label)
    draws = []
    for seq, mine in shown.items():
        same = len(hits.get(seq, ())) == len(mine)
        for number, label in enumerate(mine):
            facts = _draw_facts(ledger, label, words)
            draws.append(facts | ({"hit": hits[seq][number]} if same else {}))
    return draws


def _draw_facts(ledger: Ledger, label: Label, words: Any) -> JsonObject:
    facts: JsonObject = {
        "record": label.seq,
        "kind": label.kind,
        "shown": _name(label, words),
        "label": label.label,
        "number": label.number,
    }
    if label.seat:
        facts["seat"] = label.seat
    if label.again:
        facts |= {"again": list(label.again), "thrown_away": label.thrown_away}
        facts |= {"retaken": True} if label.retaken else {}
    if label.left_out:
        facts |= {"left_out": list(label.left_out), "cut_by": list(label.cut_by)}
    if label.served:
        facts["served"] = list(label.served)
    if label.unknown:
        facts["unknown"] = list(label.unknown)
    if label.kind == "card":
        facts |= {"card": label.text, "deck": label.source, "generation": label.gen, "place": label.place}
        prove = card_proof
    else:
        facts |= {
            "value": int(label.text),
            "sides": label.sides,
            "tape": label.source,
            "purpose": label.purpose,
            "rolled_for": purpose_words(words, label.purpose),
        }
        prove = roll_proof
    try:
        proof = prove(ledger, label)
    except BAD_VALUE_ERRORS as fault:  # only in a file with faults
        return facts | {"holds": False, "by_hand": f"it cannot be checked: {clean(repr(fault))}"}
    return facts | {
        "laid": proof["laid"],
        "holds": proof["holds"],
        "by_hand": proof["text"],
        "numbers": _numbers(proof),
    }


def _name(label: Label, words: Any) -> str:
    """How a person calls it; a card that the game does not know by its id."""
    if label.kind != "card":
        return label.text
    try:
        return " ".join(str(words.card(label.text)).split())
    except (LookupError, TypeError, AttributeError):
        return clean(label.text)


_TEXTS = ("text", "holds", "laid", "card", "value", "place", "roll", "tape")


def _numbers(proof: JsonObject) -> JsonObject:
    """What goes in and what comes out, without what is said beside it."""
    return {name: value for name, value in proof.items() if name not in _TEXTS}
