"""``pbem audit --mbox``: mailboxes, Maildirs and folders read into ``pbem.audit.mailbox``, and its answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pbem.audit.mailbox import rebuild
from pbem.audit.mailbox_papers import Found, Mailbox
from pbem.crypto.digest import unb64
from pbem.errors import UsageProblem
from pbem.game import JsonObject
from pbem.letters import short_id
from pbem.mail import content_of
from pbem.mail.boxes import letters_in
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
    if not path.exists():
        raise UsageProblem(f"there is no file or folder {path}")
    for source, box, raw in letters_in(path):
        if not source.endswith(_SKIPPED):
            content = content_of(raw)
            yield Found(source, box, content.lines, content.files)


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
