"""``pbem legal`` in groups: every legal action is in a line, few lines, prices and odds as they are."""

from __future__ import annotations

import pytest

from pbem.games import find_game
from pbem.games.way_out_west.odds import odds
from tests.play.walk import positions

WEST = find_game("way-out-west")


@pytest.mark.parametrize("options", [{}, {"money_public": False}], ids=["public money", "hidden money"])
def test_every_action_has_a_line_and_there_are_few(options: dict[str, bool]) -> None:
    grouped_most = 0
    for number, (table, seat) in enumerate(positions("way-out-west", 4, 3, "default", **options)):
        if number > 120:
            break
        rules = table.rules
        view = rules.observe(table.state, seat)
        legal = [rules.action_to_json(action) for action in rules.legal_actions(view)]
        rows = rules.grouped(view, legal, [])  # type: ignore[attr-defined]
        heads = {words.split()[0] for words, _ in rows}
        assert {WEST.action_to_words(action).split()[0] for action in legal} == heads
        assert len(rows) <= 40
        grouped_most = max(grouped_most, len(legal) // len(rows))
        for words, said in rows:
            if "N" not in words.split() and "TOWN" not in words and "[TOWN]" not in words:
                assert any(WEST.action_to_words(action) == words for action in legal), words
            if words.startswith("gunfight"):
                attack, _, defence = str(said).split(":")[0].split(" ")
                chance = odds(int(attack), int(defence)).attack
                assert str(said).endswith(f"wins {round(100 * chance)} %")
    assert grouped_most > 20


def test_how_many_cowboys_from_where_is_what_the_actions_say() -> None:
    for number, (table, seat) in enumerate(positions("way-out-west", 3, 5)):
        if number > 80:
            break
        rules = table.rules
        view = rules.observe(table.state, seat)
        legal = [rules.action_to_json(action) for action in rules.legal_actions(view)]
        rows = rules.grouped(view, legal, [])  # type: ignore[attr-defined]
        consequences = [str(said) for words, said in rows if words.startswith("move-cowboys")]
        moves = [action["moves"] for action in legal if action["do"] == "move-cowboys"]
        assert len(consequences) == bool(moves)
        if moves:
            most = max(sum(move["count"] for move in some) for some in moves)
            assert consequences[0].startswith(f"up to {most}: ")
            assert all(f"{move['from']} " in consequences[0] for some in moves for move in some)
