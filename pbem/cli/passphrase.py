"""Passphrases: from a file or a prompt, never from the command line (schemas/README.md §12).

Decided: an identity is made without a passphrase only if ``--no-passphrase`` says so; an empty passphrase
file is then taken for a mistake. To open an identity an empty one is as good as any other: it fits or it does
not.
"""

from __future__ import annotations

import getpass
import sys
from pathlib import Path

from pbem.base.errors import PbemError, UsageProblem
from pbem.base.sentences import sentence
from pbem.cli.console import print_notice
from pbem.cli.speech import language_here
from pbem.player.store.durable import loose_permissions
from pbem.protocol.client import ANYWHERE, UnknownService, read_webhook

_MOST = 4096


def new_passphrase(file: Path | None, *, none: bool) -> str:
    """The passphrase of an identity that is being made; asked for twice on a terminal."""
    if none:
        print_notice(sentence("without a passphrase, whoever gets the identity file plays in your name"))
        return ""
    if file is not None:
        passphrase = _from_file(file)
        if not passphrase:
            raise UsageProblem(
                sentence("the passphrase file {file} begins with an empty line", file=file),
                hint=sentence("If you want no passphrase, say --no-passphrase."),
            )
        return passphrase
    passphrase = _ask(sentence("New passphrase: "))
    if not passphrase:
        raise UsageProblem(
            sentence("the passphrase is empty"),
            hint=sentence("If you want no passphrase, say --no-passphrase."),
        )
    if _ask(sentence("The same again: ")) != passphrase:
        raise UsageProblem(
            sentence("the two passphrases differ; nothing was made"), hint=sentence("Try again.")
        )
    return passphrase


def old_passphrase(file: Path | None, name: str) -> str:
    """The passphrase that opens identity ``name``."""
    return _from_file(file) if file is not None else _ask(sentence("Passphrase of {name}: ", name=name))


def _from_file(file: Path) -> str:
    try:
        with file.open("rb") as handle:
            first = handle.readline(_MOST + 1)
        if file.is_file() and (warning := loose_permissions(file)):
            print_notice(warning)
        if len(first) > _MOST:
            raise UsageProblem(
                sentence(
                    "the passphrase in {file} is too long: at most {most} bytes are read",
                    file=file,
                    most=_MOST,
                )
            )
        return first.removesuffix(b"\n").removesuffix(b"\r").decode()
    except OSError as fault:
        raise UsageProblem(
            sentence("cannot read the passphrase file {file}: {strerror}", file=file, strerror=fault.strerror)
        ) from fault
    except UnicodeDecodeError:
        raise UsageProblem(sentence("the passphrase file {file} is not UTF-8 text", file=file)) from None


def _ask(prompt: str) -> str:
    if not sys.stdin.isatty():
        raise UsageProblem(
            sentence("a passphrase is needed, and there is no terminal to ask for it"),
            hint=sentence("Name a file that holds it: --passphrase-file FILE, or PBEM_PASSPHRASE_FILE."),
        )
    try:
        return getpass.getpass(language_here().translate(prompt))
    except EOFError:
        raise PbemError(sentence("no passphrase was given")) from None


def typed_webhook() -> str:
    """A webhook's address, which holds a token: typed unseen or from standard input; a person is asked whose it is."""
    if not sys.stdin.isatty():
        return read_webhook(sys.stdin.readline()).text
    translate = language_here().translate
    asked = sentence("The address of the webhook (https://…)")
    address = getpass.getpass(f"{translate(asked)}: ")
    try:
        return read_webhook(address).text
    except UnknownService:
        asked = sentence("Which service is it ({names})?", names=", ".join(ANYWHERE))
        service = input(f"{translate(asked)} ").strip().lower()
        return read_webhook(f"{service}+{address.strip()}").text
