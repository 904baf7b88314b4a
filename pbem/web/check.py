"""Is a page what it says it is: its files against its hashes, its hashes against the release, its headers.

What is compared is what the place gives to us, now: whoever serves a page can give another one to somebody else. So
the page shows its fingerprint by itself, too, and asks before it takes a new version.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urljoin
from urllib.request import urlopen

from pbem.base.errors import StoreError, UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.web.build import HASHES, SERVICE, SIZES, fingerprint_of, integrity, service_of
from pbem.web.policy import headers_of
from pbem.web.serve import PACKED, PACKINGS, page_files

_LONGEST = 64 * 1024 * 1024
_PATIENCE = 30.0
_NEEDED = ("Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy")

Fetch = Callable[[str], tuple[bytes, dict[str, str]]]
"""The bytes of a file of the page, and its headers in lower case."""


@dataclass(frozen=True, slots=True)
class CheckedPage:
    """The fingerprint of a page, the version that it says it is, and what is wrong with it."""

    version: str
    fingerprint: str
    files: int
    faults: tuple[str, ...]


def check(place: str, released: str = "", own: Path = PACKED) -> CheckedPage:
    """Check the page at a URL, in a folder or in an archive.

    Args:
        place: ``https://…/``, a folder or a zip file.
        released: the fingerprint that it must have; if it is empty, it is that of ``own`` for a page of its version,
            and of another version it is only shown.
        own: the page that came with this pbem, if one did.

    Raises:
        UsageProblem: there is no page.
        StoreError: the place does not answer.
    """
    if place.startswith(("https://", "http://")):
        base = _base(place)
        return _checked(lambda name: _fetched(urljoin(base, name)), released, served=True, own=own)
    files = page_files(Path(place))
    checked_page = _checked(lambda name: (_content(files, name), {}), released, served=False, own=own)
    listed = set(json.loads(files[HASHES])["files"]) | {HASHES, SERVICE, SIZES}
    packed = {name + end for name in listed for end in PACKINGS.values()}
    extra = [
        sentence("{file}: the web app has no such file", file=name)
        for name in sorted(set(files) - listed - packed)
    ]
    return CheckedPage(
        checked_page.version, checked_page.fingerprint, checked_page.files, (*checked_page.faults, *extra)
    )


def address_of(url: str) -> str:
    """The address of a page as it is kept and shown: with a slash at its end, without what stands behind ``#``.

    Raises:
        UsageProblem: it is none.
    """
    text = _base(url.partition("#")[0])
    if not re.fullmatch(r"https?://[A-Za-z0-9.:\[\]-]+/[A-Za-z0-9._~/%-]*", text):
        raise UsageProblem(
            sentence("{url!r} is not the address of a web app", url=url),
            hint=sentence("It looks like https://page.example.org/"),
        )
    return text


def _base(place: str) -> str:
    return place.removesuffix("index.html").rstrip("/") + "/"


def _checked(fetch: Fetch, released: str, *, served: bool, own: Path) -> CheckedPage:
    hashes, _ = fetch(HASHES)
    try:
        listing = json.loads(hashes)
        names = {str(name): str(value) for name, value in listing["files"].items()}
        version = str(listing["version"])
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise UsageProblem(
            sentence("there is no web app: {file} is not what it must be", file=HASHES)
        ) from fault
    fingerprint = fingerprint_of(hashes)
    faults = list(_wrong(fetch, names, served=served))
    if fetch(SERVICE)[0] != service_of(hashes):
        faults.append(
            sentence(
                "{file}: not the one of this version of pbem ({version} is what the web app says it is)",
                file=SERVICE,
                version=version,
            )
        )
    if not released and own.is_file():
        hashes_here = page_files(own)[HASHES]
        released = fingerprint_of(hashes_here) if json.loads(hashes_here)["version"] == version else ""
    if released and fingerprint != released.lower():
        faults.insert(
            0,
            sentence(
                "the fingerprint is {found}, expected {expected}",
                found=fingerprint,
                expected=released.lower(),
            ),
        )
    return CheckedPage(version, fingerprint, len(names) + 2, tuple(faults))


def _wrong(fetch: Fetch, names: dict[str, str], *, served: bool) -> Iterator[str]:
    """What is wrong with the files, one sentence each."""
    # What a browser is given for the address itself.
    bare = {"": names.get("index.html", "")} if served else {}
    for name, expected in (names | bare).items():
        data, headers = fetch(name)
        shown = name or sentence("the address itself")
        if not data:
            yield sentence("{file}: it is not there", file=shown)
            continue
        if integrity(data) != expected:
            yield sentence(
                "{file}: the hash is {found}, expected {expected}",
                file=shown,
                found=integrity(data),
                expected=expected,
            )
        for header in _NEEDED if served else ():
            wanted, given = headers_of(name or "index.html")[header], headers.get(header.lower(), "")
            if given != wanted:
                yield (
                    sentence("{file}: the header {header} is {found}", file=shown, header=header, found=given)
                    if given
                    else sentence("{file}: the header {header} is missing", file=shown, header=header)
                )


def _content(files: dict[str, bytes], name: str) -> bytes:
    return files.get(name, b"")


def _fetched(url: str) -> tuple[bytes, dict[str, str]]:
    try:
        with urlopen(url, timeout=_PATIENCE) as answer:  # noqa: S310 - check() lets no other scheme in
            return answer.read(_LONGEST), {key.lower(): value for key, value in answer.headers.items()}
    except HTTPError as fault:
        if fault.code in (404, 410):  # shown as a file that is not what it must be
            return b"", {}
        raise StoreError(
            sentence("{url} answers with {code} ({why})", url=url, code=fault.code, why=fault.reason)
        ) from fault
    except (URLError, OSError, ValueError) as fault:
        why = fault.reason if isinstance(fault, URLError) else fault
        raise StoreError(
            sentence("{url} cannot be reached: {why}", url=url, why=getattr(why, "strerror", None) or why),
            hint=sentence("Check the address and the network, and try again."),
        ) from fault
