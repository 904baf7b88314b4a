"""A stand-in for the tunnel of recipe b: TLS ends here, and what comes goes on to the address that the flags name.

::

    python -m tests.evening.tunnel tunnel --url http://127.0.0.1:8080

Called by the flags of ``cloudflared`` as ``examples/host.md`` has them; it prints the address at which it is reached,
in a frame as the other does, and the file of the authority that a client must trust. It ends with its standard input.
"""

from __future__ import annotations

import argparse
import base64
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import trustme
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.mail.stack import free_port
from tests.service.containers import caddy_program


@contextmanager
def ending_tls(folder: Path, name: str, port: int, behind: str) -> Iterator[str]:
    """Caddy at a name and a port, in front of what is reached at ``behind``; the pin by which Chromium knows it.

    ``folder`` has ``authority.pem`` afterwards, for a client that is to trust it.
    """
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "authority.pem")
    leaf = authority.issue_cert(name)
    leaf.private_key_pem.write_to_path(folder / "key.pem")
    chain = b"".join(blob.bytes() for blob in leaf.cert_chain_pems)
    (folder / "chain.pem").write_bytes(chain)
    site = f"{{\n admin off\n auto_https off\n}}\nhttps://{name}:{port} {{\n tls {folder}/chain.pem {folder}/key.pem\n"
    (folder / "Caddyfile").write_text(f"{site} reverse_proxy {behind}\n}}\n")
    command = [caddy_program(), "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
    with (folder / "caddy.log").open("wb") as log:
        running = subprocess.Popen(
            command, stdout=log, stderr=log, env={"HOME": str(folder), "PATH": "/usr/bin:/bin"}
        )
        try:
            key = x509.load_pem_x509_certificate(chain).public_key()
            raw = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
            yield base64.b64encode(sha256(raw).digest()).decode()
        finally:
            running.terminate()
            running.wait(20)


def main() -> None:
    """Until it is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["tunnel"])
    parser.add_argument("--url", required=True)
    given, port = parser.parse_args(), free_port()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with ending_tls(folder, "localhost", port, given.url.removeprefix("http://")):
            frame = f"+{'-' * 60}+"
            print(f"{frame}\n|  https://localhost:{port}  |\n{frame}\n{folder / 'authority.pem'}", flush=True)
            with open(0, "rb") as stop:
                stop.read()


if __name__ == "__main__":
    main()
