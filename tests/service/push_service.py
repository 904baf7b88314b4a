"""A push service of the tests, which takes calls by TLS on this machine, and a browser that opens them."""

from __future__ import annotations

import base64
import json
import os
import ssl
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import http_ece
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.x509.oid import NameOID

from pbem.protocol.crypto.digest import b64, unb64


@dataclass
class Call:
    """One call as it came."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class PushService:
    """It listens on this machine, and answers ``status`` to everything."""

    folder: Path
    status: int = 201
    calls: list[Call] = field(default_factory=list)

    def __post_init__(self) -> None:
        certificate, key = _certificate(self.folder)
        took = self.calls

        class Handler(BaseHTTPRequestHandler):
            def do_POST(handler) -> None:  # noqa: N805 - the library's names
                body = handler.rfile.read(int(handler.headers["Content-Length"]))
                took.append(Call(handler.path, dict(handler.headers.items()), body))
                handler.send_response(self.status)
                handler.end_headers()

            def log_message(handler, *_: object) -> None:  # noqa: N805
                """Quietly."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.trusting = ssl.create_default_context(cafile=str(certificate))
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def name(self) -> str:
        """As a host adds it."""
        return f"127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        """It is away."""
        self._server.shutdown()
        self._server.server_close()


class Browser:
    """What a browser keeps of its registration, and what it makes of a message."""

    def __init__(self, service: str) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.auth = os.urandom(16)
        self.endpoint = f"https://{service}/wake/{b64(os.urandom(9))}"

    def wish(self, **more: Any) -> bytes:
        """What the page posts at the API."""
        point = self.key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )
        keys = {"p256dh": b64(point), "auth": b64(self.auth)}
        subscription = {"endpoint": self.endpoint, "expirationTime": None, "keys": keys}
        return json.dumps(
            {"subscription": subscription, "named": False, "zone": "UTC", "lang": "en", **more}
        ).encode()

    def opened(self, call: Call) -> Any:
        """The message in a call (RFC 8291)."""
        assert call.headers["Content-Encoding"] == "aes128gcm"
        raw = http_ece.decrypt(call.body, private_key=self.key, auth_secret=self.auth, version="aes128gcm")
        return json.loads(raw)


def signed_by(call: Call, key: str, audience: str, now: datetime) -> dict[str, Any]:
    """The claims of a call, if they are signed by the key that the browser was given (RFC 8292)."""
    scheme, _, given = call.headers["Authorization"].partition(" ")
    assert scheme == "vapid"
    parts = dict(field.split("=", 1) for field in given.split(","))
    assert parts["k"] == key
    head, claims, signature = parts["t"].split(".")
    raw = base64.urlsafe_b64decode(signature + "==")
    der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), unb64(key, 65))
    public.verify(der, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    claim: dict[str, Any] = json.loads(base64.urlsafe_b64decode(claims + "=="))
    assert claim["aud"] == audience
    assert 0 < claim["exp"] - now.timestamp() <= 86_400
    return claim


def _certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for this machine that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "push service of the tests")])
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    folder.mkdir(parents=True, exist_ok=True)
    certificate, private = folder / "push.pem", folder / "push.key"
    certificate.write_bytes(builder.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return certificate, private
