"""What one's own seat may do now: every legal action in words and as JSON, and the same in few lines."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.base.language import Language
from pbem.game import Grouping, JsonObject
from pbem.games import find_game
from pbem.player.letters.standing import waiting_at
from pbem.player.seat.client import PlayerClient


def legal_facts(client: PlayerClient, language: Language) -> JsonObject:
    """The legal actions of the own seat, in words and as JSON."""
    record, seat = client.record, client.seat
    waiting = record.waiting
    game = find_game(record.game_info.id)
    legal = client.view.legal if waiting is not None and waiting["seat"] == seat else []
    facts: JsonObject = {"seat": seat, "legal": [_worded(game.action_to_words(a), a) for a in legal]}
    if waiting is not None:
        facts["waiting"] = waiting
    facts["groups"] = _groups(client, legal, language)
    facts["note"] = "" if legal else _why_nothing(client, language)
    return facts


def _groups(client: PlayerClient, legal: Sequence[JsonObject], language: Language) -> list[JsonObject]:
    """The same in lines, many of a kind in one with price and odds, where the game says how."""
    rules, view = client.record.rules, client.view
    if not legal or not isinstance(rules, Grouping):
        return []
    rows = rules.grouped(view.view, legal, view.seen)
    return [{"words": words, "says": language.translate(text)} for words, text in rows]


def _worded(words: str, action: JsonObject) -> JsonObject:
    return {"words": words, "action": action}


def _why_nothing(client: PlayerClient, language: Language) -> str:
    record = client.record
    text = waiting_at(record, client.seat, record.head.seq, language).described()
    return text if record.over else f"{text} {language.translate(client.age)}."
