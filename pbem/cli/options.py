"""Options and arguments that several commands share, spelled once.

Those that belong together are a ``Shared``: one argument of a command, of whose fields ``tree`` makes options.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import typer

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.games import OURS

A_GAME = " or ".join(OURS)
"""What may stand for GAME, in help texts; a game that is installed beside ours is meant too."""

Home: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--home",
        envvar="PBEM_HOME",
        metavar="DIR",
        help="Where your identities live, instead of ~/.config/pbem.",
    ),
]
PassphraseFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file",
        envvar="PBEM_PASSPHRASE_FILE",
        metavar="FILE",
        help="Read the passphrase from the first line of FILE instead of asking.",
    ),
]
NoPassphrase: TypeAlias = Annotated[
    bool,
    typer.Option("--no-passphrase", help="Use an empty passphrase: nothing but the file's mode protects it."),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Off: TypeAlias = Annotated[bool, typer.Option("--off", help="Stop telling it.")]

Who: TypeAlias = Annotated[
    str | None,
    typer.Option("--id", metavar="NAME|FILE", help="The identity to use; needed only if several would do."),
]
Lang: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--lang",
        metavar="CODE",
        help="en, fr, it or de; otherwise as PBEM_LANG, LC_ALL, LC_MESSAGES or LANG say.",
    ),
]
GameArgument: TypeAlias = Annotated[
    Path,
    typer.Argument(
        metavar="COPY",
        help="Your copy: a match file, its folder (saved emails in it are read too), or an email (.eml).",
    ),
]
HERE: Final = Path()
"""COPY where none is named and nothing else could be meant: this folder."""
MatchFolderOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--match",
        envvar="PBEM_MATCH",
        metavar="DIR",
        help="The host's match folder; otherwise the first argument if it is one, else this folder.",
    ),
]
Title: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--title", metavar="TEXT", help="What you call the match; otherwise as its folder is called."
    ),
]


def _writable(path: Path | None) -> Path | None:
    """The place of a file, refused before anything is signed if its folder is not there."""
    if path is not None and not path.parent.is_dir():
        raise UsageProblem(
            sentence("cannot write {path}: there is no folder {parent}", path=path, parent=path.parent),
            hint=sentence("Nothing was signed. Make the folder first, or name another place."),
        )
    return path


Output: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        callback=_writable,
        help="Write the signed file there (- for standard output). Otherwise: a file in this folder on a"
        " terminal, standard output in a pipe.",
    ),
]
Armour: TypeAlias = Annotated[
    bool, typer.Option("--armour", help="Write a text block that survives any mail program, not JSON.")
]
Again: TypeAlias = Annotated[
    bool,
    typer.Option("--again", help="Sign although you have signed the same before and have no answer yet."),
]
Send: TypeAlias = Annotated[
    bool, typer.Option("--send", help="Email the file to the host, as 'pbem mail init' has set it up.")
]
To: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="ADDRESS",
        help="The host's address for --send; remembered, and read from the host's emails.",
    ),
]
Png: TypeAlias = Annotated[
    Path | None, typer.Option("--png", metavar="FILE", help="Draw it as a picture into FILE instead.")
]
WhichGame: TypeAlias = Annotated[str, typer.Option("--game", metavar="GAME", help=f"{A_GAME}.")]
RuleOptions: TypeAlias = Annotated[
    list[str] | None, typer.Option("--option", metavar="KEY=VALUE", help="One rule option; may be repeated.")
]
MatchRest: TypeAlias = Annotated[
    list[str] | None, typer.Argument(metavar="[FOLDER]", help="The match folder; otherwise this folder.")
]
ClockIsRight: TypeAlias = Annotated[
    bool, typer.Option("--clock-is-right", help="You have looked: this machine's clock is right.")
]
Untried: TypeAlias = Annotated[
    bool, typer.Option("--untried", help="Write the configuration even if a server does not answer.")
]
ConfigFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--config",
        envvar="PBEM_SERVICE",
        metavar="FILE",
        help="The service's configuration; otherwise service.toml in this folder.",
    ),
]
ServedMatch: TypeAlias = Annotated[
    str, typer.Argument(metavar="MATCH", help="The match's short name, as in subjects.")
]
Hours: TypeAlias = Annotated[int, typer.Option(help="Hours for an answer.")]
Grace: TypeAlias = Annotated[int, typer.Option(help="Extra time after that, in hours.")]
InvitationLang: TypeAlias = Annotated[
    str, typer.Option("--lang", metavar="CODE", help="Language of the invitations: en, fr, it or de.")
]


class Shared:
    """Several options as one argument of a command; its fields are annotated as options are."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Keys(Shared):
    """How the user says which identity; ``which`` finds and opens it."""

    home: Home = None
    who: Who = None
    passphrase_file: PassphraseFile = None


KEYS: Final = Keys()


@dataclass(frozen=True, slots=True)
class Handover(Shared):
    """How a signed file leaves, where a command signs one; ``posting.hand_over`` does it."""

    output: Output = None
    as_armour: Armour = False
    send: Send = False
    to: To = None


HANDOVER: Final = Handover()


class Colours(StrEnum):
    """What ``--colours`` takes."""

    AUTO = "auto"
    DARK = "dark"
    LIGHT = "light"


ColoursOption: TypeAlias = Annotated[
    Colours,
    typer.Option("--colours", help="Dark or light colours; auto asks the terminal. NO_COLOR is respected."),
]
