"""``pbem audit --mbox``: mailboxes, Maildirs and folders read into ``pbem.audit.mailbox``, and its answer."""

from __future__ import annotations

import mailbox
from collections.abc import Iterator, Sequence
from pathlib import Path

from pbem.audit.mailbox import rebuild
from pbem.audit.mailbox_papers import Found, Mailbox
from pbem.crypto.digest import unb64
from pbem.errors import UsageProblem
from pbem.game import JsonObject
from pbem.letters import short_id
from pbem.mail import MAX_INPUT, content_of
from pbem.report import verdict_of

_SKIPPED = (".key", ".passphrase")


def judged(boxes: Sequence[Path], games: Sequence[Path], *, engine: bool) -> tuple[JsonObject, str]:
    """What these mailboxes, together with copies of the game file, prove."""
    found = [one for path in (*boxes, *games) for one in _found_in(path)]
    if not any(one.lines or one.files for one in found):
        raise UsageProblem(
            "there is no letter, turn file or game file in it",
            hint="--mbox takes a mbox file, a Maildir, or a folder of letters and turn files.",
        )
    results = rebuild(found, engine=engine)
    if not results:
        raise UsageProblem(
            "record 0 of the match is in none of these letters",
            hint="Add the invitation, or name a copy of the game file too.",
        )
    facts: JsonObject = {
        "ok": all(one.ok for one in results),
        "places": len(found),
        "matches": [one.to_json() | {"verdict": mailbox_verdict(one)} for one in results],
    }
    return facts, "\n\n".join(mailbox_text(one) for one in results)


def _found_in(path: Path) -> Iterator[Found]:
    if path.is_dir() and (path / "cur").is_dir() and (path / "new").is_dir():
        with_maildir = mailbox.Maildir(path, create=False)
        for key in sorted(with_maildir.keys()):
            yield _found(with_maildir.get_bytes(key), key.split(":")[0], path.name)
        return
    if path.is_dir():
        for file in sorted(file for file in path.rglob("*") if file.is_file()):
            yield from _found_in_file(file, str(file.relative_to(path)), path.name)
        return
    if not path.is_file():
        raise UsageProblem(f"there is no file or folder {path}")
    yield from _found_in_file(path, path.name, "")


def _found_in_file(path: Path, name: str, box: str) -> Iterator[Found]:
    with path.open("rb") as file:
        begin = file.read(5)
    if begin == b"From ":
        letters = mailbox.mbox(path, create=False)
        try:
            for number, key in enumerate(letters.keys()):
                yield _found(letters.get_bytes(key), f"letter {number + 1}", f"{box}/{name}" if box else name)
        finally:
            letters.close()
        return
    if path.suffix in _SKIPPED or path.stat().st_size > MAX_INPUT:
        return
    yield _found(path.read_bytes(), name, box)


def _found(raw: bytes, source: str, box: str) -> Found:
    content = content_of(raw)
    return Found(source, box, content.lines, content.files)


# --- telling --------------------------------------------------------------------------------------------------


def mailbox_verdict(one: Mailbox) -> str:
    """The result in one sentence."""
    proofs = sum(finding.proof for finding in one.findings)
    if proofs:
        return f"The host cheated: {proofs} {'proof' if proofs == 1 else 'proofs'}, each by papers he signed himself."
    if one.report is not None and one.report.faults:
        return verdict_of(one.report)
    if one.findings:
        return f"Nothing is proven against the host, but {len(one.findings)} things do not fit together."
    return "Everything that these letters hold fits together. " + (
        verdict_of(one.report) if one.report else ""
    )


def mailbox_text(one: Mailbox) -> str:
    """The result for a person."""
    head = [
        f"match {short_id(unb64(one.game, 32))}: {len(one.lines)} records rebuilt from {one.sources} letters and files"
    ]
    fates: dict[str, int] = {}
    for fate in one.fates:
        fates[fate["fate"]] = fates.get(fate["fate"], 0) + 1
    if fates:
        head.append(
            "players' files: " + ", ".join(f"{count} {name}" for name, count in sorted(fates.items()))
        )
    parts = ["\n".join(head)]
    for finding in one.findings:
        mark = "PROOF" if finding.proof else "note"
        where = f"\n      in {', '.join(finding.sources[:4])}" if finding.sources else ""
        parts.append(f"{mark}: {finding.sentence}{where}")
    if one.report is not None:
        parts += [
            f"FAULT record {f.seq}, step {f.step} ({f.code}): {f.sentence}" for f in one.report.faults[:20]
        ]
        parts += [f"note: {note}" for note in one.report.notes]
    return "\n\n".join([*parts, f"Verdict: {mailbox_verdict(one)}"])
