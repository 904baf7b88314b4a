"""Options and arguments that several commands share, spelled once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

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
    typer.Option(
        "--no-passphrase",
        help="Use an empty passphrase: nothing but the file's mode protects it.",
    ),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
