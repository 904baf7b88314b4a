"""Where templates are found: in ``templates/``, and those of a game installed beside ours in its own package."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from jinja2 import BaseLoader, ChoiceLoader, Environment, FileSystemLoader, TemplateNotFound

from pbem.base.resources import data_dir, game_dir, installed_games


class _OtherGames(BaseLoader):
    """``GAME/words.jinja`` of games that are not ours; looks for them only when ours have no such template."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        game, _, name = template.partition("/")
        if not name or game not in installed_games():
            raise TemplateNotFound(template)
        source, path, fresh = FileSystemLoader(_folder(game)).get_source(environment, name)
        return source, path, fresh


def _folder(game: str) -> Path:
    return game_dir(game, "templates")


def template_loader() -> BaseLoader:
    """``letter.txt.jinja``, ``GAME/words.jinja``: a game's templates stand under its id wherever they lie."""
    return ChoiceLoader([FileSystemLoader(data_dir("templates")), _OtherGames()])
