"""``pbem audit --mbox``: mailboxes, Maildirs and folders read into ``pbem.protocol.audit.mailbox``, and its answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pbem.base.errors import UsageProblem
from pbem.base.sentences import joined, sentence
from pbem.game import JsonObject
from pbem.player.mail import content_of
from pbem.player.mail.boxes import letters_in
from pbem.player.report.words import mailbox_text, mailbox_verdict
from pbem.protocol.audit.mailbox import rebuild
from pbem.protocol.audit.mailbox_papers import FoundPapers

_SKIPPED = (".key", ".passphrase")


def judged(boxes: Sequence[Path], games: Sequence[Path], *, engine: bool) -> tuple[JsonObject, str]:
    """What these mailboxes, together with copies of the game file, prove."""
    sources = [papers for path in (*boxes, *games) for papers in _papers_in(path)]
    if not any(papers.lines or papers.files for papers in sources):
        raise UsageProblem(
            sentence(
                "there is no email, turn file or match file in {names}",
                names=", ".join(map(str, (*boxes, *games))),
            ),
            hint=sentence("--mbox takes a mbox file, a Maildir, or a folder of emails and turn files."),
        )
    results = rebuild(sources, engine=engine)
    if not results:
        raise UsageProblem(
            sentence("record 0 of the match is in none of these emails"),
            hint=sentence("Add the invitation, or name a copy of the match file too."),
        )
    facts: JsonObject = {
        "ok": all(result.ok for result in results),
        "places": len(sources),
        "matches": [result.to_json() | {"verdict": mailbox_verdict(result)} for result in results],
    }
    return facts, joined(map(mailbox_text, results), "\n\n")


def _papers_in(path: Path) -> Iterator[FoundPapers]:
    if not path.exists():
        raise UsageProblem(sentence("there is no file or folder {path}", path=path))
    for source, box, raw in letters_in(path):
        if not source.endswith(_SKIPPED):
            content = content_of(raw)
            yield FoundPapers(source, box, content.lines, content.files)
