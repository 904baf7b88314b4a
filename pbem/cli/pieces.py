"""``pbem lines``: records of a copy as files that fit into mails, for a host who has lost them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pbem.base.errors import UsageProblem
from pbem.base.language import Language
from pbem.base.sentences import counted, sentence
from pbem.cli.clients import bytes_of, raw_lines, record_told
from pbem.cli.console import answer, tell, write_output
from pbem.cli.posting import Sending, post_pieces
from pbem.game import JsonObject
from pbem.player.mail.pieces import Piece, pack, read_piece, unpack
from pbem.player.seat import find_copy
from pbem.protocol.crypto.digest import short_id


def give_lines(
    game: Path, after: int, folder: Path, post: Sending, language: Language, *, as_json: bool
) -> None:
    """Write the records after number ``after`` in numbered pieces, and mail them if that is wanted."""
    record = record_told(find_copy(game))
    lines = [line.raw for line in record.lines[after + 1 :]]
    if not lines:
        raise UsageProblem(
            sentence(
                "your copy ends with record {seq}; there is none after {after}",
                seq=record.head.seq,
                after=after,
            )
        )
    match = short_id(record.game)
    pieces = pack(record.game, lines)
    paths = []
    for number, piece in enumerate(pieces, 1):
        path = folder / f"lines-{match}-{after + 1}-{record.head.seq}-{number}-of-{len(pieces)}.pbem"
        write_output(path, piece, replace=True)
        paths.append(path)
    facts: JsonObject = {"match": match, "records": len(lines), "files": [str(path) for path in paths]}
    if post.wanted:
        facts["to"] = post_pieces([(path.name, path.read_bytes()) for path in paths], match, post)
    if as_json:
        answer("", facts, as_json=True)
        return
    answer("\n".join(facts["files"]), facts, as_json=False)
    count = len(pieces)
    if post.wanted:
        told = counted("mailed to {to}: {n} piece", "mailed to {to}: {n} pieces", count, to=facts["to"])
    else:
        told = counted(
            "{n} piece written; email it to the host",
            "{n} pieces written; email each of them to the host",
            count,
        )
    tell(language.tell(told))


def copies_in(paths: Sequence[Path]) -> list[tuple[str, Sequence[bytes]]]:
    """The copies that these files hold: whole ones, parts, letters, and pieces that ``pbem lines`` has made.

    Raises:
        UsageProblem: a piece is missing.
    """
    found: list[tuple[str, Sequence[bytes]]] = []
    bundles: dict[str, dict[int, Piece]] = {}
    for path in paths:
        piece = None if path.is_dir() else read_piece(bytes_of(path))
        if piece is None:
            found.append((str(path), raw_lines(path)))
        else:
            bundles.setdefault(piece.bundle, {})[piece.number] = piece
    for pieces in bundles.values():
        count = next(iter(pieces.values())).count
        missing = [str(number) for number in range(1, count + 1) if number not in pieces]
        if missing:
            raise UsageProblem(
                sentence(
                    "of {count} pieces these are missing: {missing}", count=count, missing=", ".join(missing)
                )
            )
        lines = unpack({number: piece.data for number, piece in pieces.items()})
        found.append((f"{count} pieces", lines))
    return found
