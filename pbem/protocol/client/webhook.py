"""Reads the address of a chat webhook: which service it belongs to, and whether it can be one of that service.

It is what the service gives, ``https://…``. Some services are at any host: their names stand in front, ``ntfy+https://…``.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple
from urllib.parse import parse_qs, urlsplit

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence

LONGEST: Final = 1000
"""Characters of an address."""
ANYWHERE: Final = ("mattermost", "matrix", "ntfy")
"""Services that run under any host's name."""
_HOST: Final = re.compile(
    r"(?P<discord>(?:canary\.|ptb\.)?discord(?:app)?\.com)"
    r"|(?P<slack>hooks\.slack(?:-gov)?\.com)"
    r"|(?P<telegram>api\.telegram\.org)"
    r"|(?P<ntfy>ntfy\.sh)"
)
_FORM: Final = re.compile(r"(?:([a-z]+)\+)?(https://[!-~]+)")
_SERVICE_AND_PATH: Final = re.compile(
    r"discord/api/(?:v\d+/)?webhooks/\d+/[\w-]+"
    r"|slack/services/[\w/-]+"
    r"|telegram/bot\d+:[\w-]+/sendMessage"
    r"|ntfy/[\w-]{1,64}"
    r"|mattermost/(?:.*/)?hooks/.+"
    r"|matrix/.+",
    re.DOTALL,
)


class Webhook(NamedTuple):
    """An address as it is kept, the service, and the URL alone."""

    text: str
    service: str
    url: str


class UnknownService(UsageProblem):
    """An https address of which it is to be asked which service it belongs to."""


def read_webhook(text: str) -> Webhook:
    """The webhook behind an address as it was typed.

    Raises:
        UsageProblem: it is no address of one. What was typed is not repeated: it holds a token.
        UnknownService: the service is to be said.
    """
    text = text.strip()
    form = _FORM.fullmatch(text) if len(text) <= LONGEST else None
    try:
        parts = urlsplit(form[2] if form else "")
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if form is None or not host or parts.username is not None or parts.fragment:
        raise no_webhook()
    at_home = _HOST.fullmatch(host)
    known = at_home.lastgroup if at_home else None
    service = known or form[1] or ""
    if not service:
        names = ", ".join(ANYWHERE)
        raise UnknownService(
            sentence("the address does not say which service it belongs to"),
            hint=sentence("Put one of {names} in front, like this: ntfy+https://…", names=names),
        )
    chat = service != "telegram" or "chat_id" in parse_qs(parts.query)
    named = form[1] in (None, service) and (known or service in ANYWHERE)
    if not (named and chat and _SERVICE_AND_PATH.fullmatch(service + parts.path)):
        raise no_webhook()
    return Webhook(text, service, form[2])


def no_webhook() -> UsageProblem:
    """The error for an address that is not of a webhook."""
    return UsageProblem(
        sentence("this is not the address of a chat webhook"),
        hint=sentence(
            "Copy the whole address from Discord, Slack, Mattermost, a Matrix bridge or ntfy; it begins with https://."
            " For Telegram: https://api.telegram.org/botTOKEN/sendMessage?chat_id=NUMBER"
        ),
    )
