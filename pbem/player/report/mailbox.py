"""What mailboxes prove, for a person."""

from __future__ import annotations

from collections import Counter

from pbem.base.sentences import Sentence, counted, joined, sentence
from pbem.player.report.verdict import verdict_of
from pbem.player.report.words import fault_words
from pbem.protocol.audit.mailbox_papers import MailboxAudit
from pbem.protocol.crypto.digest import short_id, unb64


def mailbox_verdict(one: MailboxAudit) -> str:
    """The result in one sentence."""
    proofs = sum(finding.proof for finding in one.findings)
    if proofs:
        return counted(
            "The host cheated: {n} proof, signed by the host.",
            "The host cheated: {n} proofs, each signed by the host.",
            proofs,
        )
    if one.report is not None and one.report.faults:
        return verdict_of(one.report)
    if one.findings:
        return counted(
            "Nothing is proven against the host, but {n} thing does not fit together.",
            "Nothing is proven against the host, but {n} things do not fit together.",
            len(one.findings),
        )
    fits = sentence("Everything in these emails fits together.")
    return joined((fits, verdict_of(one.report) if one.report else ""), " ")


def mailbox_text(one: MailboxAudit) -> Sentence:
    """The result for a person."""
    head = [
        sentence(
            "match {match}: {records} records rebuilt from {sources} emails and files",
            match=short_id(unb64(one.game, 32)),
            records=len(one.lines),
            sources=one.sources,
        )
    ]
    fates = Counter(fate["fate"] for fate in one.fates)
    if fates:
        counts = ", ".join(f"{count} {name}" for name, count in sorted(fates.items()))
        head.append(sentence("players' files: {counts}", counts=counts))
    parts: list[str] = [joined(head, "\n")]
    for finding in one.findings:
        marked = sentence("PROOF: {finding}", finding=finding.sentence)
        if not finding.proof:
            marked = sentence("note: {note}", note=finding.sentence)
        where = ", ".join(finding.sources[:4])
        parts.append(joined((marked, sentence("in {places}", places=where)), "\n      ") if where else marked)
    if one.report is not None:
        parts += map(fault_words, one.report.faults[:20])
        parts += [sentence("note: {note}", note=note) for note in one.report.notes]
    return joined((*parts, sentence("Verdict: {verdict}", verdict=mailbox_verdict(one))), "\n\n")
