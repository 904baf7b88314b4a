"""Every card that was turned up and every die of a match, with its label and the numbers to check it by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from pbem.base.language import ENGLISH, Language
from pbem.game import JsonObject
from pbem.player.letters.by_hand import card_proof, roll_proof
from pbem.player.letters.environment import Style, macros
from pbem.player.letters.layout import clean
from pbem.player.report.luck import trials_by_record
from pbem.protocol.audit import Draw
from pbem.protocol.record import Label, Ledger
from pbem.protocol.record.verifier import FOREIGN


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
    by_record = trials_by_record(trials)
    shown: dict[int, list[Label]] = {}
    for label in labels:
        if label.kind != "hand":
            shown.setdefault(label.seq, []).append(label)
    found = []
    for seq, mine in shown.items():
        hits = [draw.trial.success for draw in by_record.get(seq, [])]
        same = len(hits) == len(mine)
        for number, label in enumerate(mine):
            told = _told(ledger, label, words)
            found.append(told | ({"hit": hits[number]} if same else {}))
    return found


def _told(ledger: Ledger, label: Label, words: Any) -> JsonObject:
    told: JsonObject = {
        "record": label.seq,
        "kind": label.kind,
        "shown": _name(label, words),
        "label": label.label,
        "number": label.number,
    }
    if label.seat:
        told["seat"] = label.seat
    if label.again:
        told |= {"again": list(label.again), "thrown_away": label.thrown_away}
        told |= {"retaken": True} if label.retaken else {}
    if label.left_out:
        told |= {"left_out": list(label.left_out), "cut_by": list(label.cut_by)}
    if label.served:
        told["served"] = list(label.served)
    if label.unknown:
        told["unknown"] = list(label.unknown)
    if label.kind == "card":
        told |= {"card": label.text, "deck": label.source, "generation": label.gen, "place": label.place}
        prove = card_proof
    else:
        told |= {
            "value": int(label.text),
            "sides": label.sides,
            "tape": label.source,
            "purpose": label.purpose,
        }
        prove = roll_proof
    try:
        proof = prove(ledger, label)
    except FOREIGN as fault:  # only in a file with faults
        return told | {"holds": False, "by_hand": f"it cannot be checked: {clean(repr(fault))}"}
    return told | {
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


def labels_by_epoch(ledger: Ledger, labels: Sequence[Label]) -> Iterator[tuple[int, Label]]:
    """Each label with the epoch of its record."""
    for label in labels:
        yield ledger.lines[label.seq].body["epoch"], label
