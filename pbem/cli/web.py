"""``pbem web``: the player's page for browsers: build it, show it on this machine, check one."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from pbem.base.sentences import Sentence, counted, joined, sentence
from pbem.cli.console import answer, print_notice
from pbem.cli.keys import keyring_at
from pbem.cli.options import AsJson, Home
from pbem.player.seat.keeping_open import read_settings, write_settings
from pbem.web.build import HASHES, WEB, fingerprint_of
from pbem.web.build import archive as pack
from pbem.web.build import build as build_page
from pbem.web.check import address_of
from pbem.web.check import check as check_page
from pbem.web.serve import packed_page, page_files, server, version_of

app = typer.Typer(help="The web app: build it, serve it on this machine, check it.", no_args_is_help=True)

_SERVED = sentence("That is what was served to you now. Others may be served something else.")

Built = Annotated[
    Path | None,
    typer.Argument(
        metavar="PAGE",
        help="A built web app: its folder or its archive. Without it the one that came with this pbem.",
    ),
]


def _fingerprint(fingerprint: str) -> Sentence:
    return sentence("fingerprint  {fingerprint}", fingerprint=fingerprint)


@app.command()
def build(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where its files go: empty, or not there.")],
    modules: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The node_modules that 'npm ci --ignore-scripts' made in pbem/web."),
    ] = None,
    archive: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the whole web app into one zip file, too.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Build the web app. Whoever builds the same release gets the same bytes. Needs node."""
    fingerprint = build_page(folder, modules or WEB / "node_modules", pack=True)
    if archive is not None:
        pack(folder, archive)
    facts = {"folder": str(folder), "fingerprint": fingerprint}
    parts = (sentence("The web app is in {folder}.", folder=folder), _fingerprint(fingerprint))
    answer(joined(parts, "\n"), facts, as_json=as_json)


@app.command()
def serve(
    page: Built = None,
    port: Annotated[int, typer.Option(metavar="N", help="The port.", min=0, max=65535)] = 8420,
    host: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="The address to listen on; other devices need a certificate."),
    ] = "127.0.0.1",
    certificate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Your own certificate (PEM), for TLS.")
    ] = None,
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Its key (PEM), if it is not in the same file.")
    ] = None,
) -> None:
    """Serve the web app on this machine, until Ctrl-C. With the headers that it needs."""
    files = page_files(page or packed_page())
    pair = None if certificate is None else (certificate, key or certificate)
    with server(files, port, host=host, certificate=pair) as running:
        scheme = "http" if pair is None else "https"
        name = "localhost" if host == "127.0.0.1" else host
        url = f"{scheme}://{name}:{running.server_address[1]}/"
        print_notice(f"pbem {version_of(files)}: {url}")
        print_notice(_fingerprint(fingerprint_of(files[HASHES])))
        print_notice(
            sentence(
                "a practice table at once: {first} or {second}",
                first=f"{url}#practice=wyatt-earp",
                second=f"{url}#practice=way-out-west",
            )
        )
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            print_notice(sentence("no longer served"))


@app.command()
def check(
    place: Annotated[
        str, typer.Argument(metavar="URL|PAGE", help="The web app's address, folder or archive.")
    ],
    fingerprint: Annotated[str, typer.Option(metavar="HEX", help="The fingerprint of the release.")] = "",
    use: Annotated[
        bool,
        typer.Option(
            "--use", help="If it is right, remember its address; printed recovery words have it, too."
        ),
    ] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Check a web app's files against their hashes. And its headers. Exit code 4 if something is wrong."""
    if use:
        place = address_of(place)
    checked_page = check_page(place, fingerprint)
    facts = {"ok": not checked_page.faults, **asdict(checked_page)}
    lines = [
        counted(
            "pbem {version}, {n} file",
            "pbem {version}, {n} files",
            checked_page.files,
            version=checked_page.version,
        ),
        _fingerprint(checked_page.fingerprint),
        *checked_page.faults,
        *((_SERVED,) if place.startswith(("https://", "http://")) else ()),
    ]
    if use and checked_page.faults:
        lines.append(sentence("{page} is not kept", page=place))
    elif use:
        folder = keyring_at(home).folder
        write_settings(folder, replace(read_settings(folder), page=place))
    answer(joined(lines, "\n"), facts, as_json=as_json)
    raise typer.Exit(4 if checked_page.faults else 0)
