"""Six chat services of the tests behind one TLS port: each takes what its documentation says, within its limits.

What a service would make of a text beyond showing it is kept beside it: who is pinged, what becomes a link.
"""

from __future__ import annotations

import json
import re
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import trustme

from pbem.host.service.public_post import PostAnswer, PublicPost

ADDRESSES = {
    "discord": "https://discord.com/api/webhooks/112233/a-token-of-friends",
    "slack": "https://hooks.slack.com/services/T000/B000/a-token-of-friends",
    "mattermost": "mattermost+https://chat.example.org/hooks/a-token-of-friends",
    "matrix": "matrix+https://bridge.example.org/webhook/a-token-of-friends",
    "telegram": "https://api.telegram.org/bot12:a-token-of-friends/sendMessage?chat_id=-100200",
    "ntfy": "https://ntfy.sh/a-token-of-friends",
}
NUMBERED = re.compile(r"\(#\d+\)")
_LINK = re.compile(r"https?://\S+|\b[\w-]+\.(?:example|com|org|me)\b", re.IGNORECASE)


@dataclass
class ShownText:
    """A message as its readers see it."""

    service: str
    text: str
    pings: list[str]
    links: list[str]


class RefusedText(Exception):
    """A status and its body, for what a service does not take."""


def _links(text: str) -> list[str]:
    return _LINK.findall(text)


def _unmarked(text: str) -> tuple[str, list[str]]:
    """What Markdown shows of a text, and what of it stands out or leads elsewhere."""
    odd = re.findall(r"(?<!\\)(?:[*_~`|]{1,3}\S|\[[^\]]*\]\([^)]*\)|^#+ )", text, re.MULTILINE)
    return re.sub(r"\\([\\`*_{}\[\]()#+.!>~|-])", r"\1", text), odd


def discord(path: str, body: dict[str, Any]) -> ShownText:
    """https://discord.com/developers/docs/resources/webhook#execute-webhook"""
    content = body["content"]
    if not path.startswith("/api/webhooks/") or not 0 < len(content) <= 2000:
        raise RefusedText(400, b'{"code": 50006}')
    pings = re.findall(r"@everyone|@here|<@[!&]?\d+>", content)
    shown, odd = _unmarked(content)
    return ShownText("discord", shown, pings if body.get("allowed_mentions") != {"parse": []} else [], odd)


def slack(path: str, body: dict[str, Any]) -> ShownText:
    """https://docs.slack.dev/messaging/formatting-message-text"""
    text = body["text"]
    if not path.startswith("/services/") or not 0 < len(text) <= 40_000:
        raise RefusedText(400, b"invalid_payload")
    marks = [] if body.get("mrkdwn") is False else re.findall(r"[*_~`]\S+[*_~`]", text)
    commands = re.findall(r"<[!@#][^>]*>", text)
    return ShownText("slack", unescape(text), commands, marks + re.findall(r"<(?![!@#])[^>]*>", text))


def mattermost(path: str, body: dict[str, Any]) -> ShownText:
    """https://developers.mattermost.com/integrate/webhooks/incoming"""
    text = body["text"]
    if not path.startswith("/hooks/") or not 0 < len(text) <= 16_383:
        raise RefusedText(400, b"")
    shown, odd = _unmarked(text)
    return ShownText("mattermost", shown, re.findall(r"@(?:all|channel|here)\b|<![a-z]+>", text), odd)


def matrix(path: str, body: dict[str, Any]) -> ShownText:
    """https://matrix-org.github.io/matrix-hookshot/latest/setup/webhooks.html"""
    if not path.startswith("/webhook/") or not body["text"]:
        raise RefusedText(400, b"")
    tags = re.findall(r"<(?!br>)[^>]*>", body["html"])
    assert unescape(body["html"].replace("<br>", "\n")) == body["text"]
    return ShownText("matrix", body["text"], re.findall(r"@room\b", body["text"]), tags)


def telegram(path: str, body: dict[str, Any]) -> ShownText:
    """https://core.telegram.org/bots/api#sendmessage"""
    if not re.fullmatch(r"/bot12:[\w-]+/sendMessage", path) or body["chat_id"] != "-100200":
        raise RefusedText(404, b'{"ok":false,"error_code":404}')
    if not 0 < len(body["text"]) <= 4096:
        raise RefusedText(
            400, b'{"ok":false,"error_code":400,"description":"Bad Request: message is too long"}'
        )
    assert "parse_mode" not in body
    previews = [] if body["link_preview_options"] == {"is_disabled": True} else ["preview"]
    return ShownText("telegram", body["text"], re.findall(r"@\w{5,}|/[a-z]+\b", _own(body["text"])), previews)


def ntfy(path: str, body: dict[str, Any]) -> ShownText:
    """https://docs.ntfy.sh/publish/#publish-as-json"""
    message = body["message"]
    if path != "/" or body["topic"] != "a-token-of-friends" or len(message.encode()) > 4096:
        raise RefusedText(400, b'{"code":40009,"http":400}')
    return ShownText("ntfy", message, [], ["markdown"] if body.get("markdown") else [])


def _own(text: str) -> str:
    """Without the page's address, which stands in a line of its own."""
    return "\n".join(line for line in text.splitlines() if NUMBERED.search(line))


_SERVICES = {each.__name__: each for each in (discord, slack, mattermost, matrix, telegram, ntfy)}
_TAKEN = {"discord": (204, b""), "slack": (200, b"ok"), "telegram": (200, b'{"ok":true}')}


@dataclass
class ChatServices:
    """All six at one port; ``post`` reaches them by the names that they have in the world."""

    shown: list[ShownText] = field(default_factory=list)
    answers: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    """What the next requests are answered instead of being taken."""
    asked: int = 0

    def __post_init__(self) -> None:
        chats, authority = self, trustme.CA()
        hosts = {str(urlsplit(url.rpartition("+")[2]).hostname): name for name, url in ADDRESSES.items()}

        class Handler(BaseHTTPRequestHandler):
            def do_POST(handler) -> None:  # noqa: N805 - the library's names
                raw = handler.rfile.read(int(handler.headers["Content-Length"]))
                assert handler.headers["Content-Type"] == "application/json"
                name = hosts[handler.headers["X-Meant-For"]]
                status, headers, body = chats.take(name, handler.path, json.loads(raw))
                handler.send_response(status)
                for header in headers.items():
                    handler.send_header(*header)
                handler.end_headers()
                handler.wfile.write(body)

            def log_message(handler, *_: object) -> None:  # noqa: N805
                """Quietly."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("127.0.0.1").configure_cert(context)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        trusting = ssl.create_default_context()
        authority.configure_trust(trusting)
        self.name = f"127.0.0.1:{self._server.server_port}"
        self.trusting, self._caller = trusting, PublicPost((self.name,), trusting)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def take(self, name: str, path: str, body: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        """What a service answers."""
        self.asked += 1
        if self.answers:
            return self.answers.pop(0)
        try:
            taken = _SERVICES[name](urlsplit(path).path, body)
        except RefusedText as fault:
            status, text = fault.args
            return status, {}, text
        taken.links += _links(_own(taken.text))
        self.shown.append(taken)
        status, text = _TAKEN.get(name, (200, b"{}"))
        return status, {}, text

    def post(self, url: str, headers: Mapping[str, str], body: bytes) -> PostAnswer:
        """As ``PublicPost``, with this port in place of the world's."""
        parts = urlsplit(url)
        assert parts.scheme == "https"
        assert "chat_id" not in parse_qs(parts.query)
        local = parts._replace(netloc=self.name).geturl()
        return self._caller(local, {**headers, "X-Meant-For": str(parts.hostname)}, body)

    @property
    def lines(self) -> list[str]:
        """Every line about the match that was shown, without the page's address."""
        return [line for shown in self.shown for line in _own(shown.text).splitlines()]

    def close(self) -> None:
        """They are away."""
        self._server.shutdown()
        self._server.server_close()
