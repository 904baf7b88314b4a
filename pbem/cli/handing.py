"""A match goes from one host to another, by three commands (schemas/README.md §10.11)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.base.errors import FormatError, UsageProblem
from pbem.base.sentences import Sentence, joined, sentence
from pbem.cli.console import answer, read_input, write_output
from pbem.cli.host_clients import act, host_client, match_and_rest, print_notices, service_config
from pbem.cli.match_plan import copies_in, recovered, recovered_served, with_service_config
from pbem.cli.options import KEYS, AsJson, Keys, MatchFolderOption
from pbem.cli.which import identity_in, identity_of_kind, unlocked
from pbem.game import JsonObject
from pbem.host.config import ApiPlace, checked_api
from pbem.player.mail.outgoing import check_address
from pbem.player.seat import read_lines
from pbem.protocol.crypto.digest import b64, fingerprint, short_id, unb64
from pbem.protocol.formats.identity_file import read_header
from pbem.protocol.formats.strict_json import MAX_FILE, canon, parse
from pbem.protocol.record.line import read_line
from pbem.protocol.record.openings import hosts_of
from pbem.protocol.referee import offer as signed_offer

app = typer.Typer(help="Give a match to another host.", no_args_is_help=True)


@app.command()
def offer(
    game: Annotated[
        Path, typer.Argument(metavar="COPY", help="The match: any copy of its match file, or an invitation.")
    ],
    plays: Annotated[
        str, typer.Option(metavar="SEAT", help="The seat that you play in this match; all must agree then.")
    ] = "",
    mail: Annotated[str, typer.Option(metavar="ADDRESS", help="Where you take files by email.")] = "",
    api: Annotated[str, typer.Option("--api", metavar="URL", help="Where you take files by HTTP.")] = "",
    page: Annotated[
        bool, typer.Option("--page", help="You serve a web app to play in; all players are told so.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Where the offer is written.")
    ] = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Offer to host somebody's match from now on.

    Signs a file for its host. All players are told who you are and where you take files, and can object.
    """
    genesis = read_line(read_lines(game)[0])
    name, raw = identity_of_kind(with_service_config(keys), "host")
    if read_header(raw).kind != "host":
        raise UsageProblem(
            sentence("the identity {name} is a player's; a host deals with keys of their own", name=name),
            hint=sentence("Make one for hosting: pbem id new --host PERSON"),
        )
    if plays and plays not in genesis.body["seats"]:
        raise UsageProblem(sentence("there is no seat {seat}", seat=plays))
    identity = unlocked(keys, raw, name)
    address, place = check_address(mail) if mail else "", checked_api(ApiPlace(api.rstrip("/")))
    file = signed_offer(genesis.hash, identity, seat=plays, mail=address, api=place.url, page=page)
    where = output or Path(f"offer-{short_id(genesis.hash)}.json")
    write_output(where, canon(file) + b"\n")
    facts: JsonObject = {
        "file": str(where),
        "match": short_id(genesis.hash),
        "fingerprint": fingerprint(identity.sign_public),
    }
    words = sentence(
        "Written: {file}. Send it to the host, and let the host compare your fingerprint by phone: {key}."
        " Then: pbem host hand-over MATCH {file}",
        file=where,
        key=facts["fingerprint"],
    )
    answer(words, facts, as_json=as_json)


@app.command("hand-over")
def hand_over(
    rest: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FOLDER|MATCH] [OFFER]", help="The match, and the file of the new host."),
    ] = None,
    stay: Annotated[
        bool, typer.Option("--stay", help="Keep the match after all, before it is done.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Where the match is written for the new host."),
    ] = None,
    match: MatchFolderOption = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Give a match to another host, who has offered to take it. Everybody is told, and can object.

    First name the file of the offer: that tells everybody. After the hold, run it again without a file. It writes the
    match for the new host, and nobody is served here any more. If the file gets lost, run it once more.
    """
    path, arguments = match_and_rest(match, rest or [])
    client = host_client(path, keys)
    if arguments:
        offered = _offer_in(Path(arguments[0]))
        act(client, lambda: client.retire(offered), sentence("another host"), as_json=as_json)
        return
    if stay:
        act(client, client.stay, sentence("the match stays"), as_json=as_json)
        return
    lines, mine = client.match_lines(), b64(client.host.sign_public)
    if hosts_of(lines)[-1][1]["sign"] == mine:
        client.hand_over()
        lines = client.match_lines()
    print_notices(client)
    _, host = hosts_of(lines)[-1]
    where = output or Path(f"match-{short_id(read_line(lines[0]).hash)}.jsonl")
    write_output(where, b"".join(line + b"\n" for line in lines), replace=True)
    facts: JsonObject = {"file": str(where), "records": len(lines), "host": host}
    answer(_given(facts), facts, as_json=as_json)


def _given(facts: JsonObject) -> Sentence:
    return joined(
        (
            sentence(
                "The match is given away, and everybody gets an email about it. Send the new host "
                "this file: {file}. Seeds, sealed orders and addresses are in it, for the new host's "
                "eyes only.",
                file=facts["file"],
            ),
            sentence("The new host runs: pbem host take-over {file}", file=facts["file"]),
            sentence(
                "Keep this place running for a while: whoever still writes here is told where the match is now."
            ),
        ),
        "\n",
    )


@app.command("take-over")
def take_over(
    copies: Annotated[
        list[Path],
        typer.Argument(metavar="COPY...", help="The file of the host before, or any player's copy."),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="The folder for the match.")
    ] = Path("taken-over"),
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Go on with a match that another host has given to you.

    In the folder of a service the match becomes one of the service; otherwise it has a folder of its own.
    """
    lines = max((copy for _, copy in copies_in(copies)), key=len)
    short, hosts = short_id(read_line(lines[0]).hash), hosts_of(lines)
    if len(hosts) == 1:
        raise UsageProblem(
            sentence(
                "nobody has given the match {short} to another host yet, as far as these copies go",
                short=short,
            ),
            hint=sentence("The host before runs pbem host hand-over and sends you the file that it writes."),
        )
    if service_config().is_file():
        text, facts = recovered_served(short, copies, take=0)
    else:
        identity_in(keys, [unb64(hosts[-1][1]["sign"], 32)], sentence("the new host"))
        text, facts = recovered(output, copies, keys, take=0)
    answer(text, facts, as_json=as_json)


def _offer_in(path: Path) -> JsonObject:
    value = parse(read_input(path, limit=MAX_FILE), limit=MAX_FILE)
    body = value.get("body") if isinstance(value, dict) else None
    if (
        not isinstance(body, dict)
        or not {"game", "sign", "seal"} <= body.keys()
        or "value" not in value.get("sig", {})
    ):
        raise FormatError(
            sentence("{path} is not an offer from a host", path=path),
            hint=sentence("The new host makes it with: pbem host offer COPY"),
        )
    offered: JsonObject = value
    return offered
