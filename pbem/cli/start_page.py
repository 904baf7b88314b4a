"""What ``pbem`` says when nothing else was typed and no match lies here: where to begin."""

from __future__ import annotations

from pbem.base.language import Language
from pbem.base.resources import INSTALL

_GAP = 3


def start_page(language: Language) -> str:
    """The page, at most 100 columns wide, without a line feed at its end."""
    _ = language.gettext
    parts = [
        _("Play Wyatt Earp and Way Out West by mail: signed turns, proven draws, sealed hands."),
        _block(
            _("You have been invited: save the letter in a new folder, and there"),
            [
                ("pbem play", _("asks three questions, once, and joins; from then on it is all you type")),
            ],
        ),
        _block(
            _("You play already"),
            [
                (
                    "pbem play FOLDER",
                    _("the table, your hand, your choices; letters saved there are taken in"),
                ),
                ("pbem replay FOLDER", _("step through the match")),
            ],
        ),
        _block(
            _("You want to host for friends (then you do not play)"),
            [
                ("pbem id new HOST --host", _("once: your keys as a host")),
                ("pbem host new SATURDAY --game wyatt-earp --seats anna,burt,curt", ""),
            ],
        ),
        _block(_("A friend installs pbem with one of these lines"), [(line, "") for line in INSTALL]),
        _("All commands: {command}").format(command="pbem --help"),
    ]
    return "\n\n".join(parts)


def _block(head: str, rows: list[tuple[str, str]]) -> str:
    """A headline, and under it commands with what they do."""
    width = max((len(command) for command, told in rows if told), default=0) + _GAP
    return "\n".join([head, *(f"  {command:{width if told else 0}}{told}" for command, told in rows)])
