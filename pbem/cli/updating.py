"""``pbem update``: a copy gets what it lacks, records or its owner's word; a host gets the records it has lost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from pbem.base.errors import UsageProblem
from pbem.base.language import Language
from pbem.base.sentences import counted, sentence
from pbem.cli.clients import checkpoints, player_client, record_after_notes
from pbem.cli.console import answer, print_notice, write_output
from pbem.cli.options import KEYS, AsJson, GameArgument, Keys, Lang, Send, To
from pbem.cli.posting import Sending
from pbem.cli.speech import spoken
from pbem.game import JsonObject
from pbem.player.mail.pieces import pack
from pbem.player.seat import find_copy, in_order, read_lines
from pbem.player.seat.posting import mail_pieces
from pbem.protocol.crypto.digest import fingerprint, short_id

app = typer.Typer()


@app.command()
def update(
    game: GameArgument,
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE...]", help="Emails, parts of the match file, or whole copies."),
    ] = None,
    mine: Annotated[
        bool,
        typer.Option(
            "--mine",
            help="Confirm that you signed on another device what your seat has recorded and was not signed here.",
        ),
    ] = False,
    for_host: Annotated[
        int | None,
        typer.Option(
            "--for-host",
            metavar="N",
            min=0,
            help="Instead write your records from number N on as files, for a host who lost them.",
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="The folder for the files of --for-host.")
    ] = Path(),
    send: Send = False,
    to: To = None,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Add an email's records to your copy, once verified. Needs no identity, but for --mine."""
    language = spoken(lang)
    if for_host is not None:
        if files or mine:
            raise UsageProblem(sentence("--for-host goes with neither files nor --mine"))
        post = Sending(send, to, find_copy(game).folder.path, keys.home)
        _give_records(game, for_host, output, post, language, as_json=as_json)
        return
    if not files and not mine:
        raise UsageProblem(
            sentence("pbem update needs FILE: the emails or copies whose records are to be added"),
            hint=sentence("Without files there are --mine and --for-host: pbem update --help"),
        )
    facts = _updated(game, files or ())
    text = _update_text(facts, language)
    if mine:
        facts["mine"] = player_client(game, keys).signed_elsewhere()
        numbers = ", ".join(map(str, facts["mine"])) or "-"
        taken = counted(
            "{n} record is taken for yours: {seqs}.",
            "{n} records are taken for yours: {seqs}.",
            len(facts["mine"]),
            seqs=numbers,
        )
        text += "\n" + language.translate(taken)
    answer(text, facts, as_json=as_json)


def _updated(game: Path, files: Sequence[Path]) -> JsonObject:
    """Take the lines of these files into the copy, the oldest first."""
    copy = find_copy(game, checkpoints(None))
    for path in files:
        read_lines(path)
    taken = [
        {"file": str(path), "new": copy.take_in(read_lines(path), str(path))} for path in in_order(files)
    ]
    record = copy.record
    for note in copy.notes:
        print_notice(note)
    head = fingerprint(record.head.hash)
    return {"file": str(copy.folder.game.path), "records": len(record.lines), "head": head, "taken": taken}


def _update_text(facts: JsonObject, language: Language) -> str:
    """What was new in each file, and what the copy holds now."""
    taken = [
        counted("{file}: {n} new record", "{file}: {n} new records", file["new"], file=file["file"])
        for file in facts["taken"]
    ]
    now = counted(
        "{file}: {n} record, record hash {head}",
        "{file}: {n} records, record hash {head}",
        facts["records"],
        file=facts["file"],
        head=facts["head"],
    )
    return "\n".join(map(language.translate, (*taken, now)))


def _give_records(
    game: Path, first: int, folder: Path, post: Sending, language: Language, *, as_json: bool
) -> None:
    """Write the records from number ``first`` on in numbered pieces, and mail them if that is wanted."""
    record = record_after_notes(find_copy(game))
    lines = [line.raw for line in record.lines[first:]]
    if not lines:
        raise UsageProblem(
            sentence("there is no record {seq}; the last one is {last}", seq=first, last=record.head.seq)
        )
    match = short_id(record.game)
    pieces = pack(record.game, lines)
    paths = []
    for number, piece in enumerate(pieces, 1):
        path = folder / f"lines-{match}-{first}-{record.head.seq}-{number}-of-{len(pieces)}.pbem"
        write_output(path, piece, replace=True)
        paths.append(path)
    facts: JsonObject = {"match": match, "records": len(lines), "files": [str(path) for path in paths]}
    if post.wanted:
        facts["to"] = mail_pieces([(path.name, path.read_bytes()) for path in paths], match, post.way())
    if as_json:
        answer("", facts, as_json=True)
        return
    answer("\n".join(facts["files"]), facts, as_json=False)
    count = len(pieces)
    if post.wanted:
        text = counted(
            "sent by email to {to}: {n} piece", "sent by email to {to}: {n} pieces", count, to=facts["to"]
        )
    else:
        text = counted(
            "{n} piece written; email it to the host",
            "{n} pieces written; email each of them to the host",
            count,
        )
    print_notice(language.translate(text))
