"""What ``pbem`` says when nothing else was typed and no match lies here: where to begin."""

from __future__ import annotations

from pbem.base.language import Language
from pbem.base.resources import INSTALL

_GAP = 3


def start_page(language: Language) -> str:
    """The page, at most 100 columns wide, without a line feed at its end."""
    _ = language.gettext
    parts = [
        _("Wyatt Earp and Way Out West: two Western board games by email."),
        _block(
            _("Try it alone (nothing is sent)"),
            [
                ("pbem practice wyatt-earp --lesson", _("a guided hand, about ten minutes")),
                ("pbem practice way-out-west", _("a match against the computer")),
                ("pbem rules", _("the rules of both games")),
            ],
        ),
        _block(
            _("You were invited, or you have a seat: save the email in a folder, and there"),
            [("pbem play", _("joins, then shows the table, your hand and your legal moves"))],
        ),
        _block(
            _("Play with friends: one of you runs the match"),
            [("pbem host", _("asks a few questions, invites the others and runs the match"))],
        ),
        _block(
            _("A friend installs pbem with one of these lines, in a copy of its folder"),
            [(line, "") for line in INSTALL],
        ),
        _("All commands: {command}").format(command="pbem --help"),
    ]
    return "\n\n".join(parts)


def _block(head: str, rows: list[tuple[str, str]]) -> str:
    """A headline, and under it commands with what they do."""
    width = max((len(command) for command, told in rows if told), default=0) + _GAP
    return "\n".join([head, *(f"  {command:{width if told else 0}}{told}" for command, told in rows)])
