"""A summary for a person in a terminal: tables, bars and intervals.

Bars are made of eighths of a block, so they are exact; who is meant always stands beside them in words. In a
stacked bar each player has a filling of their own, for those who do not see colours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.base.language import ENGLISH, Language, duration
from pbem.base.sentences import sentence
from pbem.player.letters.rendering import escape_markup
from pbem.player.letters.terminal import PlainScreen, Screen, screen_of
from pbem.player.lookback.chance import CONFIDENCE, Luck
from pbem.player.lookback.summary import OriginTable, Summary

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
    screen = screen_of(width, colour=colour)
    for summary in summaries:
        screen.title(escape_markup(summary.title))
        screen.quiet(escape_markup(language.translate(summary.subtitle)))
        sheet = _Sheet(screen, summary, language, width)
        sheet.results()
        if summary.luck:
            sheet.luck()
        if summary.waits:
            sheet.waits()
        for table in summary.tables:
            sheet.table(table)
    return screen.text()


def bar(amount: float, most: float, size: int) -> str:
    """``amount`` of ``most`` as a bar of at most ``size`` characters, to an eighth of one."""
    eighths = round(max(0.0, min(amount / most, 1.0)) * size * 8) if most > 0 else 0
    whole, rest = divmod(eighths, 8)
    return _EIGHTHS[8] * whole + (_EIGHTHS[rest] if rest else "")


def whisker(row: Luck, size: int) -> str:
    """The rate (●), its interval (├─┤) and the chance there was (┆) between 0 and 100 %."""

    def place(rate: float) -> int:
        return min(size - 1, max(0, round(rate * (size - 1))))

    cells = [" "] * size
    low, high = map(place, row.rate)
    cells[low : high + 1] = "─" * (high - low + 1)
    cells[low], cells[high] = "├", "┤"
    cells[place(float(row.expected) / row.count)] = "┆"
    cells[place(row.hits / row.count)] = "●"
    return "".join(cells)


def stacked(amounts: Mapping[str, int], fillings: Mapping[str, str], most: int, size: int) -> str:
    """The amounts side by side in one bar, each player with the markup of one sign of theirs."""
    parts, done, drawn = [], 0, 0
    for player, filling in fillings.items():
        done += max(0, amounts.get(player, 0))
        upto = round(done / most * size) if most > 0 else 0
        parts.append(filling * max(0, upto - drawn))
        drawn = max(drawn, upto)
    return "".join(parts)


class _Sheet:
    """One summary, in one language, on a screen."""

    def __init__(
        self, screen: Screen | PlainScreen, summary: Summary, language: Language, width: int
    ) -> None:
        self.screen, self.summary, self.language, self.width = screen, summary, language, width
        self.bar = _BAR if width >= _WIDE else _SHORT_BAR

    def results(self) -> None:
        """The score, and who won."""
        summary = self.summary
        most = max((row.total for row in summary.results), default=0)
        many = len(summary.matches) > 1
        decided = not many and any(row.wins for row in summary.results)
        rows = []
        for row in summary.results:
            cells: list[object] = [self._name(row.player)]
            if many:
                cells += [row.matches, row.wins, self._amount(row.best, summary.unit)]
            cells += [self._amount(row.total, summary.unit), bar(row.total, most, self.bar)]
            if decided:
                cells.append(self.language.gettext("wins") if row.wins else "")
            rows.append(cells)
        sums = (sentence("Matches"), sentence("Won"), sentence("Best")) if many else ()
        title = self.language.pgettext("figures", summary.score_title)
        self.screen.table(
            [*self._head(sentence("Player"), *sums), title, *[""] * (2 if decided else 1)],
            rows,
            "l" + ("rrr" if many else "") + ("rll" if decided else "rl"),
        )

    def luck(self) -> None:
        """Hits against the chances there were."""
        language = self.language
        self.screen.title(language.gettext("Shots and dice"))
        rows = [
            [
                self._name(row.player),
                escape_markup(language.translate(row.purpose)) or language.gettext("all"),
                row.count,
                row.hits,
                language.number(float(row.expected), 1),
                whisker(row, self.bar),
                f"{100 * row.odd:.0f}%",
            ]
            for row in self.summary.luck
        ]
        titles = sentence("Player"), sentence("For"), sentence("Tries"), sentence("Hits"), sentence("Due")
        scale = "0%" + " " * (self.bar - 6) + "100%"
        head = [*self._head(*titles), scale, *self._head(sentence("Odd"))]
        self.screen.table(head, rows, "llrrrlr", whole=len(titles))
        text = sentence(
            "Due: hits by the chance each try had. ● rate of hits, ├─┤ where the true rate lies with {percent}"
            " confidence (Clopper-Pearson, exact), ┆ the chance. Odd: how often chance alone gives a result at least"
            " as unlikely; of {count} rows one in twenty lies below 5% by itself. Cards of one deck are not drawn"
            " independently, so for shots the interval is rather too wide than too narrow.",
            percent=f"{round(100 * CONFIDENCE)}%",
            count=len(rows),
        )
        self.screen.quiet(language.translate(text))

    def waits(self) -> None:
        """Who waited for whom, and how long."""
        summary, language = self.summary, self.language
        self.screen.title(language.gettext("Who waited for whom"))
        longest = max(row.seconds for row in summary.waits)
        rows = [
            [
                self._name(row.player),
                row.answers,
                duration(row.median),
                duration(row.longest),
                duration(row.seconds),
                bar(row.seconds, longest, self.bar * 2 // 3),
                row.defaults or "",
            ]
            for row in summary.waits
        ]
        first = self._head(
            sentence("Waited for"), sentence("Answers"), sentence("Middle"), sentence("Longest")
        )
        self.screen.table(
            [*first, *self._head(sentence("In all"), "", sentence("Defaults"))], rows, "lrrrrlr"
        )
        players = [row.player for row in summary.waits]
        if summary.handed and len(players) <= 6:
            self._handed(players)

    def _handed(self, players: Sequence[str]) -> None:
        """From whose file to whose answer: the middle time and how often."""
        rows = []
        for giver in players:
            cells = [self._name(giver)]
            for other in players:
                times, middle = self.summary.handed.get((giver, other), (0, 0))
                cells.append(f"{duration(middle)} [dim]×{times}[/]" if times else "[dim]-[/]")
            rows.append(cells)
        self.screen.table([*self._head(sentence("After a file of")), *map(self._name, players)], rows)
        text = sentence(
            "The middle time until the player above answered, after a file of the player on the left, and how often."
            " The times are the host's. Pauses do not count; what a standing order answered took no time and is not"
            " counted."
        )
        self.screen.quiet(self.language.translate(text))

    def table(self, table: OriginTable) -> None:
        """Where money or points came from."""
        language, every = self.language, table.rows.values()
        self.screen.title(escape_markup(language.pgettext("figures", table.title)))
        fillings = {
            player: f"[{_COLOURS[number % len(_COLOURS)]}]{_FILLINGS[number % len(_FILLINGS)]}[/]"
            for number, player in enumerate(self.summary.names)
            if any(amounts.get(player) for amounts in every)
        }
        most = max(sum(amounts.values()) for amounts in every)
        size = max(8, min(_BAR, self.width - 32 - 11 * len(fillings)))
        rows: list[list[object]] = [
            [
                escape_markup(language.pgettext("figures", name)),
                *(self._amount(amounts.get(player, 0), table.unit) for player in fillings),
                stacked(amounts, fillings, most, size),
            ]
            for name, amounts in table.rows.items()
        ]
        if len(table.rows) > 1:
            sums = [sum(amounts.get(player, 0) for amounts in every) for player in fillings]
            cells = (language.gettext("together"), *(self._amount(amount, table.unit) for amount in sums))
            rows.append([*(f"[bold]{cell}[/]" for cell in cells), ""])
        legend = [f"{self._name(player)} {filling}" for player, filling in fillings.items()]
        self.screen.table(["", *legend, ""], rows, "l" + "r" * len(fillings) + "l")

    def _head(self, *titles: str) -> list[str]:
        return [self.language.translate(title) for title in titles]

    def _amount(self, amount: int, unit: str) -> str:
        return self.language.amount(amount, unit)

    def _name(self, player: str) -> str:
        names = self.summary.names
        number = list(names).index(player) if player in names else -1
        name = escape_markup(names.get(player) or self.language.gettext("together"))
        return f"[bold {_COLOURS[number % len(_COLOURS)]}]{name}[/]" if number >= 0 else f"[bold]{name}[/]"
