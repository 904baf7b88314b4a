"""The one place that makes a TLS context.

``smtplib``, ``imaplib`` and imap-tools verify **nothing** unless they are given a context, and will not change that.
So nothing in this program connects without the context from here.
"""

from __future__ import annotations

import ssl
from datetime import UTC, datetime

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence


def verified_context(ca_file: str = "") -> ssl.SSLContext:
    """A context that demands a valid certificate for the very name that was dialled; TLS 1.2 or newer.

    ``ca_file`` adds trust in one more authority (a server of one's own); it never takes any away.
    """
    try:
        context = ssl.create_default_context()
        if ca_file:
            context.load_verify_locations(cafile=ca_file)
    except (OSError, ssl.SSLError) as fault:
        raise UsageProblem(
            sentence("cannot read the certificates in {ca_file}: {fault}", ca_file=ca_file, fault=fault)
        ) from fault
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def ends_at(sock: object) -> str:
    """When the certificate of the other side ends, as records write times; nothing if there is no such connection."""
    if not isinstance(sock, ssl.SSLSocket):
        return ""
    found = (sock.getpeercert() or {}).get("notAfter", "")
    seconds = ssl.cert_time_to_seconds(found) if isinstance(found, str) and found else 0
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if seconds else ""


def sasl_xoauth2(user: str, token: str) -> str:
    """The initial response of XOAUTH2, as Google and Microsoft define it."""
    return f"user={user}\x01auth=Bearer {token}\x01\x01"
