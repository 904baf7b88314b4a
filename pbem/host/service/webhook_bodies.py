"""Makes a request that each chat service takes: plain text, from which nobody is pinged and no name becomes a link."""

from __future__ import annotations

import re
from html import escape
from typing import Final
from urllib.parse import parse_qs, urlsplit, urlunsplit

from pbem.game import JsonObject
from pbem.protocol.client import Webhook

_MOST: Final = 800
"""Characters of a text, so that it is within every service's limit (Discord's 2,000), escaped too."""
_BREAK: Final = "\u2060"
"""Joins words and has no width: behind a sign that makes a link or a mention, it makes none."""
_ACTIVE: Final = re.compile(r"[@./:#<$]")
_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]()#+>~|-])")
_NO_PREVIEW: Final = 1 << 2
"""Discord's flag for a message without embeds."""


def inactive(text: str) -> str:
    """What a person chose, as text that no service takes for a link, a mention or a command."""
    return _ACTIVE.sub(rf"\g<0>{_BREAK}", text)


def request_to(webhook: Webhook, text: str, page: str) -> tuple[str, JsonObject]:
    """Where one text is posted, and the JSON of it; ``page`` is an address that may be shown, or empty."""
    text = text[:_MOST]
    parts = urlsplit(webhook.url)
    plain = f"{text}\n{page}".rstrip()
    marked = _MARKDOWN.sub(r"\\\1", text) + (f"\n{page}" if page else "")
    match webhook.service:
        case "discord":
            # https://discord.com/developers/docs/resources/webhook#execute-webhook
            return webhook.url, {"content": marked, "allowed_mentions": {"parse": []}, "flags": _NO_PREVIEW}
        case "slack":
            # https://docs.slack.dev/messaging/formatting-message-text: three characters are escaped
            return webhook.url, {"text": escape(plain, quote=False), "mrkdwn": False, "unfurl_links": False}
        case "telegram":
            # https://core.telegram.org/bots/api#sendmessage: without parse_mode it is plain text
            given = parse_qs(parts.query)
            chat = {name: given[name][0] for name in ("chat_id", "message_thread_id") if name in given}
            body = {"text": plain, "link_preview_options": {"is_disabled": True}}
            return urlunsplit(parts._replace(query="")), chat | body
        case "ntfy":
            # https://docs.ntfy.sh/publish/#publish-as-json: the topic stands in the body
            topic = {"topic": parts.path[1:], "message": text, "markdown": False}
            return urlunsplit(parts._replace(path="/")), topic | ({"click": page} if page else {})
        case "matrix":
            # hookshot takes html as it is, and would read text alone as Markdown
            return webhook.url, {"text": plain, "html": escape(plain).replace("\n", "<br>")}
        case _:
            # https://developers.mattermost.com/integrate/webhooks/incoming
            return webhook.url, {"text": marked}
