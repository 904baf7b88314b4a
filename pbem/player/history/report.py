"""A summary for a person in a terminal: tables, bars and intervals, with rich.

Bars are made of eighths of a block, so they are exact; who is meant always stands beside them in words. In a
stacked bar each player has a filling of their own, for those who do not see colours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.base.language import ENGLISH, Language, duration
from pbem.base.sentences import sentence
from pbem.player.history.summary import CONFIDENCE, LuckRow, OriginTable, Summary
from pbem.player.letters.rendering import escape_markup
from pbem.player.letters.terminal import Screen

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_FILLINGS = "█▓▒░#=+"
_COLOURS = ("red", "blue", "green", "yellow", "magenta")
_WIDE = 96
"""Columns from which on bars have their full length."""
_BAR, _SHORT_BAR = 24, 15


def report_text(
    summaries: Sequence[Summary], *, width: int = 80, colour: bool = False, language: Language = ENGLISH
) -> str:
    """The report on all summaries."""
    screen = _Sheet(width, colour, language)
    for summary in summaries:
        screen.title(escape_markup(summary.title))
        screen.quiet(escape_markup(language.translate(summary.subtitle)))
        size = _BAR if width >= _WIDE else _SHORT_BAR
        _results(screen, summary, size)
        if summary.luck:
            _luck(screen, summary, size)
        if summary.waits:
            _waits(screen, summary, size)
        for table in summary.tables:
            _table(screen, summary, table, width)
    return screen.text()


class _Sheet(Screen):
    """A screen with the language that is spoken on it."""

    def __init__(self, width: int, colour: bool, language: Language) -> None:
        super().__init__(width, colour)
        self.language = language

    def head(self, *titles: str) -> list[str]:
        """Heads of columns."""
        return [self.language.translate(title) for title in titles]

    def amount(self, amount: int, unit: str) -> str:
        """An amount as the language writes it."""
        return self.language.amount(amount, unit)


def bar(amount: float, most: float, size: int) -> str:
    """``amount`` of ``most`` as a bar of at most ``size`` characters, to an eighth of one."""
    eighths = round(max(0.0, min(amount / most, 1.0)) * size * 8) if most > 0 else 0
    whole, rest = divmod(eighths, 8)
    return _EIGHTHS[8] * whole + (_EIGHTHS[rest] if rest else "")


def whisker(row: LuckRow, size: int) -> str:
    """The rate (●), its interval (├─┤) and the chance there was (┆) between 0 and 100 %."""

    def place(rate: float) -> int:
        return min(size - 1, max(0, round(rate * (size - 1))))

    cells = [" "] * size
    low, high = place(row.low), place(row.high)
    cells[low : high + 1] = "─" * (high - low + 1)
    cells[low], cells[high] = "├", "┤"
    cells[place(float(row.expected) / row.tries)] = "┆"
    cells[place(row.hits / row.tries)] = "●"
    return "".join(cells)


def _name(summary: Summary, player: str, language: Language = ENGLISH) -> str:
    number = list(summary.names).index(player) if player in summary.names else -1
    name = escape_markup(summary.names.get(player) or language.gettext("together"))
    return f"[bold {_COLOURS[number % len(_COLOURS)]}]{name}[/]" if number >= 0 else f"[bold]{name}[/]"


def _results(screen: _Sheet, summary: Summary, size: int) -> None:
    most = max((row.total for row in summary.results), default=0)
    many = len(summary.matches) > 1
    decided = not many and any(row.wins for row in summary.results)
    rows = []
    for row in summary.results:
        cells: list[object] = [_name(summary, row.player)]
        if many:
            cells += [row.matches, row.wins, screen.amount(row.best, summary.unit)]
        cells += [screen.amount(row.total, summary.unit), bar(row.total, most, size)]
        if decided:
            cells.append(screen.language.gettext("wins") if row.wins else "")
        rows.append(cells)
    sums = (sentence("Matches"), sentence("Won"), sentence("Best")) if many else ()
    title = screen.language.pgettext("figures", summary.score_title)
    screen.table(
        [*screen.head(sentence("Player"), *sums), title, *[""] * (2 if decided else 1)],
        rows,
        "l" + ("rrr" if many else "") + ("rll" if decided else "rl"),
    )


def _luck(screen: _Sheet, summary: Summary, size: int) -> None:
    language = screen.language
    screen.title(language.gettext("Shots and dice"))
    rows = [
        [
            _name(summary, row.player, language),
            escape_markup(language.translate(row.purpose)) or language.gettext("all"),
            row.tries,
            row.hits,
            language.number(float(row.expected), 1),
            whisker(row, size),
            f"{100 * row.odd:.0f}%",
        ]
        for row in summary.luck
    ]
    before, odd = (
        screen.head(
            sentence("Player"), sentence("For"), sentence("Tries"), sentence("Hits"), sentence("Due")
        ),
        screen.head(sentence("Odd")),
    )
    screen.table([*before, "0%" + " " * (size - 6) + "100%", *odd], rows, "llrrrlr", whole=len(before))
    text = sentence(
        "Due: hits by the chance each try had. ● rate of hits, ├─┤ where the true rate lies with {percent} confidence"
        " (Clopper-Pearson, exact), ┆ the chance. Odd: how often chance alone gives a result at least as unlikely;"
        " of {count} rows one in twenty lies below 5% by itself. Cards of one deck are not drawn independently,"
        " so for shots the interval is rather too wide than too narrow.",
        percent=f"{round(100 * CONFIDENCE)}%",
        count=len(rows),
    )
    screen.quiet(language.translate(text))


def _waits(screen: _Sheet, summary: Summary, size: int) -> None:
    screen.title(screen.language.gettext("Who waited for whom"))
    longest = max(row.total for row in summary.waits)
    rows = [
        [
            _name(summary, row.player),
            row.answers,
            duration(row.median),
            duration(row.longest),
            duration(row.total),
            bar(row.total, longest, size * 2 // 3),
            row.defaults or "",
        ]
        for row in summary.waits
    ]
    first = screen.head(sentence("Waited for"), sentence("Answers"), sentence("Middle"), sentence("Longest"))
    other = screen.head(sentence("In all"), "", sentence("Defaults"))
    screen.table([*first, *other], rows, "lrrrrlr")
    _handed(screen, summary)


def _handed(screen: _Sheet, summary: Summary) -> None:
    """From whose file to whose answer: the middle time and how often."""
    players = [row.player for row in summary.waits]
    if not summary.handed or len(players) > 6:
        return
    rows = []
    for giver in players:
        cells = [_name(summary, giver)]
        for other in players:
            times, middle = summary.handed.get((giver, other), (0, 0))
            cells.append(f"{duration(middle)} [dim]×{times}[/]" if times else "[dim]-[/]")
        rows.append(cells)
    head = screen.head(sentence("After a file of"))
    screen.table([*head, *(_name(summary, player) for player in players)], rows)
    text = sentence(
        "The middle time until the player above answered, after a file of the player on the left, and how often. The"
        " times are the host's. Pauses do not count; what a standing order answered took no time and is not counted."
    )
    screen.quiet(screen.language.translate(text))


def _table(screen: _Sheet, summary: Summary, table: OriginTable, width: int) -> None:
    language = screen.language
    screen.title(escape_markup(language.pgettext("figures", table.title)))
    players = [player for player in summary.names if any(row.amounts.get(player) for row in table.rows)]
    every = {player: _filling(number) for number, player in enumerate(summary.names)}
    fillings = {player: every[player] for player in players}
    most = max(sum(row.amounts.values()) for row in table.rows)
    size = max(8, min(_BAR, width - 32 - 11 * len(players)))
    rows: list[list[object]] = []
    for row in table.rows:
        amounts = [screen.amount(row.amounts.get(player, 0), table.unit) for player in players]
        rows.append(
            [
                escape_markup(language.pgettext("figures", row.name)),
                *amounts,
                stacked(row.amounts, fillings, most, size),
            ]
        )
    if len(table.rows) > 1:
        sums = [sum(row.amounts.get(player, 0) for row in table.rows) for player in players]
        cells = (language.gettext("together"), *(screen.amount(amount, table.unit) for amount in sums))
        rows.append([*(f"[bold]{cell}[/]" for cell in cells), ""])
    legend = [f"{_name(summary, player)} {_painted(fillings[player], 1)}" for player in players]
    screen.table(["", *legend, ""], rows, "l" + "r" * len(players) + "l")


Filling = tuple[str, str]
"""A character and its colour."""


def _filling(number: int) -> Filling:
    return _FILLINGS[number % len(_FILLINGS)], _COLOURS[number % len(_COLOURS)]


def _painted(filling: Filling, times: int) -> str:
    character, colour = filling
    return f"[{colour}]{character * times}[/]"


def stacked(amounts: Mapping[str, int], fillings: Mapping[str, Filling], most: int, size: int) -> str:
    """The amounts side by side in one bar, each player with their filling; rich markup."""
    parts, done, drawn = [], 0, 0
    for player, filling in fillings.items():
        done += max(0, amounts.get(player, 0))
        upto = round(done / most * size) if most > 0 else 0
        if upto > drawn:
            parts.append(_painted(filling, upto - drawn))
            drawn = upto
    return "".join(parts)
