"""Every action, and its public form if a part of it is secret, fits the published schema (schemas/README.md §14.1)."""

from __future__ import annotations

from functools import cache
from typing import Final

import pytest

from pbem.game import JsonObject
from tests.conformance.driver import late_cases, moments, profile_cases
from tests.shapes.test_published import SCHEMAS, judge

MOST: Final = 40
KINDS: Final = {
    "wyatt-earp": (
        "draw", "lay", "photo", "discard", "react", "choose", "choose without its card", "wyatt-earp draw",
        "wyatt-earp search", "wyatt-earp remove-hideout", "bank-robbery", "stagecoach-robbery", "fastest-gun",
        "most-wanted", "hideout",
    ),
    "way-out-west": (
        "bid", "drop-out", "pass", "place-cowboy", "cowboys", "move-cowboys", "cattle", "move-cattle", "build",
        "farmer", "gunfight", "fire", "retreat", "take-wanted", "ask-sheriff", "lend-sheriff",
    ),
}  # fmt: skip


def kind_of(action: JsonObject) -> str:
    if action == {"do": "choose"}:
        return "choose without its card"
    return f"{action['do']} {action['mode']}" if "mode" in action else str(action["do"])


@cache
def forms(game: str) -> dict[str, list[JsonObject]]:
    """Actions and what stands in a record for them, by kind, in a few matches of the game."""
    by_kind: dict[str, dict[str, JsonObject]] = {}
    for case in [case for case in (*late_cases(), *profile_cases()) if case.game_id == game][::3]:
        rules = case.rules()
        for moment in moments(case):
            for action in rules.legal_actions(rules.observe(moment.state, moment.seat)):
                for form in (rules.action_to_json(action), rules.public_action(action)):
                    some = by_kind.setdefault(kind_of(form), {})
                    if len(some) < MOST:
                        some.setdefault(str(form), form)
    return {kind: list(some.values()) for kind, some in by_kind.items()}


@pytest.mark.parametrize(("game", "kind"), [(game, kind) for game, kinds in KINDS.items() for kind in kinds])
def test_what_stands_in_a_record_for_an_action_is_as_published(game: str, kind: str) -> None:
    published = forms(game)[kind]
    for form in published:
        assert judge(f"{game}/action").is_valid(form) or judge(f"{game}/action", "public").is_valid(form), (
            form
        )
    spoilt = {**published[0], "more": 1}
    assert not judge(f"{game}/action").is_valid(spoilt)
    assert not judge(f"{game}/action", "public").is_valid(spoilt)


def test_the_prose_names_the_definition_of_the_public_form() -> None:
    assert "takes, or what that file's definition `public` takes" in (SCHEMAS / "README.md").read_text(
        "utf-8"
    )


@pytest.mark.parametrize("game", KINDS)
def test_every_kind_of_action_is_among_them(game: str) -> None:
    assert set(forms(game)) == set(KINDS[game])
