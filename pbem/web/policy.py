"""The headers that the page must be served with. It asks for them itself, and does not start without them.

Two policies: whatever can see a key may fetch from its own origin only; ``post.mjs`` sees no key, and alone may speak
to hosts. A worker obeys the headers of its own script, so each file has its own.
"""

from __future__ import annotations

from typing import Final

_COMMON: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src {connect};"
    " style-src 'self'; img-src 'self' blob: data:; font-src data:; manifest-src 'self'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types pbem"
)
KEYS: Final = _COMMON.format(connect="'self'")
"""For everything that may see keys or hands."""
POST: Final = _COMMON.format(connect="https: http://localhost:* http://127.0.0.1:*")
"""For ``post.mjs``: any host, over TLS (or on this very machine)."""
POST_FILE: Final = "post.mjs"

TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".wasm": "application/wasm",
    ".zip": "application/zip",
    ".ttf": "font/ttf",
    ".txt": "text/plain; charset=utf-8",
}


def headers_of(name: str) -> dict[str, str]:
    """The headers for the file ``name`` of the page."""
    suffix = "." + name.rpartition(".")[2]
    return {
        "Content-Type": TYPES.get(suffix, "application/octet-stream"),
        "Content-Security-Policy": POST if name == POST_FILE else KEYS,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-cache",
    }
