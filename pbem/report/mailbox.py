"""What mailboxes prove, for a person."""

from __future__ import annotations

from pbem.audit.mailbox_papers import MailboxAudit
from pbem.crypto.digest import short_id, unb64
from pbem.report.verdict import verdict_of


def mailbox_verdict(one: MailboxAudit) -> str:
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


def mailbox_text(one: MailboxAudit) -> str:
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
