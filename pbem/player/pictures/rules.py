"""A game's rules as people read them on a page: how one plays, the board as tables and as a picture, every row.

One place for ``pbem rules --html`` and for the rules in the web app; ``board_tables`` is in ``pbem rules``, too.
"""

from __future__ import annotations

from typing import Any, Final, cast

from pbem.base.language import Language
from pbem.base.sentences import Sentence, dollars, sentence, table, term
from pbem.game import PUBLIC, JsonObject, Seat, Setup
from pbem.games import find_game
from pbem.games.rulebook import Rulebook
from pbem.player.pictures.picture import Picture, draw

_PEOPLE: Final = "anna", "burt", "curt", "dora", "emil"


def explained(book: Rulebook, language: Language, setup: Setup | None = None) -> JsonObject:
    """What a page of rules holds, in the reader's language.

    ``setup`` is of the match whose board is shown; without it the board is that of the smallest match by usual rules.

    Returns:
        ``title`` of the game; ``opening`` (title, lines, whether they are numbered); ``board``: tables (head, rows,
        numbers of the columns that stand to the right), empty where a game has no board of towns and boxes;
        ``sections`` (title, rows with id and text).
    """
    return {
        "title": find_game(book.game).info.title,
        "opening": [
            {
                "title": language.translate(part.title),
                "lines": [language.translate(line) for line in part.lines],
                "numbered": number == 1,
            }
            for number, part in enumerate(book.opening)
        ],
        "board": [
            {
                "rows": [[language.translate(cell) for cell in row] for row in table.values["rows"]],
                "head": [language.translate(cell) for cell in table.values["head"]],
                "right": list(table.values["right"]),
            }
            for table in cast("list[Any]", board_tables(book, setup))
        ],
        "sections": [
            {
                "title": language.translate(section.title),
                "rows": [{"id": row.id, "text": language.translate(row.text)} for row in section.rows],
            }
            for section in book.sections
        ],
    }


def board_picture(
    book: Rulebook, language: Language, setup: Setup | None = None, *, portrait: bool = False
) -> Picture | None:
    """The board before the first move; ``None`` where a game has none. ``portrait``: for a phone."""
    setup = setup or _usual(book)
    if not _boarded(setup):
        return None
    rules = find_game(book.game).rules(setup)
    view = rules.view_to_json(rules.observe(rules.initial_state(), PUBLIC))
    names = {seat: str(seat).capitalize() for seat in setup.seats}
    return draw(book.game, view, setup, names, rules.summary(view), language=language, portrait=portrait)


def board_tables(book: Rulebook, setup: Setup | None = None) -> tuple[Sentence, ...]:
    """Towns with their boxes from the lowest up; action boxes with prices, equal ones in one row."""
    setup = setup or _usual(book)
    if not _boarded(setup):
        return ()
    board = cast("Any", setup.extra["board"])
    towns = table(
        ([town["name"], town["corrals"], town["buildings"]] for town in board["towns"]),
        (sentence("Town"), sentence("Corral boxes"), sentence("Building boxes")),
        (1, 2),
    )
    boxes: dict[tuple[str, int, bool], list[int]] = {}
    for box in board["action_boxes"]:
        label = (box.get("asset") or box["kind"]).replace("_", " ")
        name = f"{label} {box['value']}" if "value" in box else label
        each = "price_per_counter" in box
        counts = boxes.setdefault((name, box["price_per_counter"] if each else box["price"], each), [0, 0])
        counts[box["min_players"] > 3] += 1
    rows = (
        [term(name), _price(price, each=each), usual, usual + more]
        for (name, price, each), (usual, more) in boxes.items()
    )
    head = (sentence("Action box"), sentence("Price"), sentence("Boxes"), sentence("With five"))
    return towns, table(rows, head, (2, 3))


def _usual(book: Rulebook) -> Setup:
    """The smallest match of a game by its usual rules."""
    game = find_game(book.game)
    seats = tuple(map(Seat, _PEOPLE))[: game.info.seats.start]
    return Setup(
        seats, game.resolve_options("default", {}), game.default_extra(seats), max(game.info.versions)
    )


def _boarded(setup: Setup) -> bool:
    return "action_boxes" in cast("Any", setup.extra).get("board", {})


def _price(price: int, *, each: bool) -> Sentence:
    if not price:
        return sentence("free")
    return sentence("{price} each", price=dollars(price)) if each else dollars(price)
