"""``pbem id``: make, show, back up and restore identities."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Annotated

import segno
import typer

from pbem.base.resources import PAGE
from pbem.base.sentences import Sentence, joined, sentence, table
from pbem.cli.console import answer, print_notice, read_input, write_output
from pbem.cli.keys import (
    describe,
    identity_on_paper,
    keyring_at,
    make_identity,
    open_identity,
    place_for,
    put_back,
    same_identity,
)
from pbem.cli.options import AsJson, Home, NoPassphrase, PassphraseFile
from pbem.cli.passphrase import new_passphrase
from pbem.cli.speech import language_here
from pbem.player.seat.keeping_open import MOST_MINUTES, SystemKeyring, keep_open, read_settings
from pbem.protocol.crypto.identity import to_paper
from pbem.protocol.formats.identity_file import read_header

app = typer.Typer(
    help="Your identity: the secret from which all your keys are derived.", no_args_is_help=True
)

_PAPER_LIMIT = 4096

Person = Annotated[str, typer.Argument(metavar="PERSON", help="Your name, as the others will read it.")]
Name = Annotated[
    str | None, typer.Argument(metavar="[NAME]", help="Which identity; not needed if there is only one.")
]
As = Annotated[
    str | None,
    typer.Option("--as", metavar="NAME", help="What to call the identity here; made from PERSON otherwise."),
]
Host = Annotated[bool, typer.Option("--host", help="An identity to host matches with, not to play.")]

Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", help="Write it there (mode 0600), to print it."),
]
AsQr = Annotated[
    bool, typer.Option("--qr", help="Show it as a QR code, too: for the camera of your own phone.")
]
Paper = Annotated[
    Path | None,
    typer.Option("--from", metavar="FILE", help="Read the recovery words from FILE (- for standard input)."),
]


@app.command()
def new(
    person: Person,
    name: As = None,
    host: Host = False,
    home: Home = None,
    passphrase_file: PassphraseFile = None,
    no_passphrase: NoPassphrase = False,
    as_json: AsJson = False,
) -> None:
    """Make an identity, sealed under a passphrase."""
    place = place_for(home, person, name, "host" if host else "player")
    passphrase = new_passphrase(passphrase_file, none=no_passphrase)
    _, paper = make_identity(place, passphrase)
    facts = describe(place.keyring, place.name)
    parts: list[str] = [sentence("Made the identity {name}.", name=place.name), _portrait(facts)]
    if paper:
        parts.append(
            sentence(
                "Recovery words. They are kept nowhere: write them down now. They give the identity "
                "back if you lose it (pbem id\nrestore), and your seats if somebody else gets hold of "
                "it (pbem rekey --recovery)."
            )
        )
        parts.append(_indented(paper))
    else:
        parts.append(
            sentence(
                "Next, put a copy of the identity itself on paper: pbem id backup {name}", name=place.name
            )
        )
    answer(joined(parts, "\n\n"), facts | ({"recovery_paper": paper} if paper else {}), as_json=as_json)


@app.command()
def show(name: Name = None, home: Home = None, as_json: AsJson = False) -> None:
    """Show the public side of an identity, or of all of them. Needs no passphrase."""
    keyring = keyring_at(home)
    if name is not None:
        facts = describe(keyring, keyring.pick(name))
        answer(_portrait(facts), facts, as_json=as_json)
        return
    every = [describe(keyring, each) for each in keyring.names()]
    none = sentence("There is no identity in {folder} yet. Make one: pbem id new", folder=keyring.folder)
    answer(joined(map(_portrait, every), "\n\n") if every else none, every, as_json=as_json)


@app.command()
def backup(
    name: Name = None,
    output: Output = None,
    qr: AsQr = False,
    home: Home = None,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Print an identity's recovery words, to keep on paper. Whoever reads them plays in your name."""
    keyring = keyring_at(home)
    identity = describe(keyring, keyring.pick(name))
    paper = to_paper(open_identity(home, identity["name"], passphrase_file))
    shown = f"{squares(paper, colour=output is None and not as_json)}\n{paper}" if qr else paper
    page = read_settings(keyring.folder).page or PAGE
    if page:
        page_line = sentence("The web app that you play with in a browser: {page}", page=page)
        shown += f"\n\n{language_here().translate(page_line)}"
    if output is not None:
        portrait = language_here().translate(_portrait(identity))
        write_output(output, f"{portrait}\n\n{shown}\n".encode(), private=True)
        facts = {"name": identity["name"], "output": str(output)}
        answer(sentence("Wrote {place}. Print it, then remove it.", place=output), facts, as_json=as_json)
    else:
        answer(shown, {"name": identity["name"], "paper": paper}, as_json=as_json)


@app.command()
def restore(
    person: Person,
    paper: Paper = None,
    name: As = None,
    host: Host = False,
    home: Home = None,
    passphrase_file: PassphraseFile = None,
    no_passphrase: NoPassphrase = False,
    as_json: AsJson = False,
) -> None:
    """Restore an identity from its recovery words or its backup. It gets a new passphrase.

    Where the same identity is already, only its passphrase is a new one.
    """
    place = place_for(home, person, name, "host" if host else "player", free=False)
    text = _typed() if paper is None else read_input(paper, limit=_PAPER_LIMIT).decode(errors="replace")
    identity, recovery = identity_on_paper(text)
    if not same_identity(place.keyring, identity):
        place.keyring.check_free(place.name)
    stored = put_back(place, identity, new_passphrase(passphrase_file, none=no_passphrase), recovery)
    facts = describe(place.keyring, stored)
    restored = sentence("Restored the identity {name}.", name=stored)
    answer(joined((restored, _portrait(facts)), "\n\n"), facts, as_json=as_json)


@app.command()
def unlock(
    name: Name = None,
    minutes: Annotated[
        int, typer.Option(min=1, max=MOST_MINUTES, help="How long the other commands need no passphrase.")
    ] = 30,
    lock: Annotated[
        bool, typer.Option("--lock", help="Lock it again: from now on its passphrase is asked for.")
    ] = False,
    home: Home = None,
    passphrase_file: PassphraseFile = None,
) -> None:
    """Keep an identity open in this computer's keyring for a while. Nothing is written to a file."""
    keyring = keyring_at(home)
    if lock:
        gone = SystemKeyring(print_notice).forget(read_header(keyring.read(keyring.pick(name))))
        words = sentence("Locked.") if gone else sentence("It was not unlocked.")
        return answer(words, {"locked": gone}, as_json=False)
    until = keep_open(keyring.folder, open_identity(home, name, passphrase_file), minutes, print_notice)
    return answer(sentence("Unlocked until {until}.", until=until), {"until": until}, as_json=False)


def _portrait(facts: dict[str, str]) -> Sentence:
    kind = sentence("host") if facts["kind"] == "host" else sentence("player")
    rows = (("", sentence("fingerprint"), facts["fingerprint"]), ("", sentence("file"), facts["file"]))
    return joined((sentence("{person} ({kind})", person=facts["person"], kind=kind), table(rows)), "\n")


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def _typed() -> str:
    """The paper's text, typed in: until its 56 characters are there, or an empty line."""
    print_notice(
        sentence("type the fourteen groups of your recovery words; spaces, hyphens and case do not matter")
    )
    text = ""
    while len("".join(text.split()).replace("-", "")) < 56:
        try:
            line = input()
        except EOFError:
            break
        if text and not line.strip():
            break
        text += line + "\n"
    return text


# --- QR codes for terminals: a link or a paper that a phone reads off the screen --------------------------


def squares(text: str, *, colour: bool) -> str:
    """A code in half blocks, light where a block is; in black and white whatever the terminal has."""
    drawn = io.StringIO()
    segno.make(text, error="m", micro=False).terminal(drawn, compact=True, border=4)
    lines = drawn.getvalue().splitlines()
    return "\n".join(f"\x1b[97;40m{line}\x1b[0m" for line in lines) if colour else "\n".join(lines)
