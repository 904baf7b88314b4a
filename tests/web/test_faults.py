"""The ten faults that a phone once met, the tests that fail as long as they are there, and those of the start."""

from __future__ import annotations

import ast
import re
import threading
from pathlib import Path
from typing import Any, Final

import trustme

from pbem.web.serve import page_files, server
from tests.pyodide.page import ROOT
from tests.web.device import Phone

MENDED: Final[dict[str, tuple[str, ...]]] = {
    "1 an invitation names no browser; a certificate of one's own ends in an exception": (
        "tests/service/test_links.py::test_a_link_is_page_seat_and_api_in_one",
        "tests/web/test_page.py::test_a_friend_joins_by_a_link_is_ready_by_itself_on_another_day_and_plays_by_touch",
        "tests/web/test_faults.py::test_a_certificate_that_nobody_trusts_is_shown_in_a_sentence",
    ),
    "2 what happened since the last visit is never shown, nor that a hand has ended": (
        "tests/web/test_worker_texts.py::test_what_happened_stays_news_until_it_was_seen_and_shows_every_step",
        "tests/web/test_table.py::test_draw_and_discard_are_four_taps_and_no_dialog_comes",
        "tests/web/test_by_touch.py::test_a_hand_and_a_game_turn_by_touch_alone_from_the_link_on",
    ),
    "3 the list is stale, and nothing calls": (
        "tests/web/test_page.py::test_a_friend_joins_by_a_link_is_ready_by_itself_on_another_day_and_plays_by_touch",
    ),
    "4 hand and choices are never on one screen": (
        "tests/web/test_table.py::test_turn_table_hand_and_yes_are_on_one_screen_and_no_name_is_cut",
        "tests/web/test_table.py::test_lying_on_its_side_the_table_has_a_column_of_its_own",
    ),
    "5 nothing is compressed, and progress counts files": (
        "tests/service/test_links.py::test_the_page_is_served_packed_as_it_was_built",
        "tests/web/test_loading.py::test_bytes_of_the_line_are_counted_within_files_and_what_was_not_brought_along_comes_later",
        "tests/web/test_faults.py::test_too_little_storage_ends_in_a_sentence_and_bytes_were_counted_until_then",
    ),
    "6 after the record is there the page still offers to send": (
        "tests/web/test_page.py::test_a_friend_joins_by_a_link_is_ready_by_itself_on_another_day_and_plays_by_touch",
    ),
    "7 the phone's Back leaves the page": (
        "tests/web/test_page.py::test_practice_offline_and_a_touched_table",
        "tests/web/test_table.py::test_a_card_held_says_what_it_does_and_the_rules_are_searched",
    ),
    "8 letters of twice the size cover the screen": (
        "tests/web/test_table.py::test_letters_of_twice_the_size_leave_the_table_most_of_the_screen",
    ),
    "9 a login page, a full storage, a host that hangs, a newer record": (
        "tests/web/test_page.py::test_a_turn_by_the_hosts_api_from_a_links_tap_on",
        "tests/web/test_faults.py::test_too_little_storage_ends_in_a_sentence_and_bytes_were_counted_until_then",
        "tests/web/node/post.test.mjs::a host that hangs is given up after half a minute, and says so",
        "tests/web/test_worker.py::test_every_fault_is_a_sentence_with_a_button",
    ),
    "10 cards explain nothing, the rules have no search, a redraw folds, jumps and loses the focus": (
        "tests/web/test_table.py::test_a_card_held_says_what_it_does_and_the_rules_are_searched",
        "tests/web/test_table.py::test_what_was_unfolded_and_scrolled_stays_so",
        "tests/web/test_manners.py::test_a_match_is_begun_and_a_file_leaves_by_the_keyboard_alone",
    ),
}
"""The faults, and which tests fail as long as they are there."""
_NOTICES = """
globalThis.shown = [];
new MutationObserver(() => {
  const text = document.getElementById("notice")?.textContent;
  if (text && text !== shown.at(-1)) shown.push(text);
}).observe(document, { subtree: true, childList: true, characterData: true });
"""


def test_every_fault_has_tests_and_they_are_there() -> None:
    assert [int(fault.partition(" ")[0]) for fault in MENDED] == list(range(1, 11))
    for path, _, name in (test.partition("::") for tests in MENDED.values() for test in tests):
        source = (ROOT / path).read_text(encoding="utf-8")
        if path.endswith(".py"):
            names = {node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
        else:
            names = set(re.findall(r'^test\("([^"]+)"', source, re.MULTILINE))
        assert name in names, f"{path}: {name}"


def test_a_certificate_that_nobody_trusts_is_shown_in_a_sentence(
    browser: Any, built: Path, tmp_path: Path
) -> None:
    issued = trustme.CA().issue_cert("127.0.0.1")
    chain, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    chain.write_bytes(b"".join(pem.bytes() for pem in issued.cert_chain_pems))
    key.write_bytes(issued.private_key_pem.bytes())
    running = server(page_files(built), 0, certificate=(chain, key))
    threading.Thread(target=running.serve_forever, daemon=True).start()
    # the person has pressed "go on nevertheless", as play.md says
    phone = Phone(browser, f"https://127.0.0.1:{running.server_address[1]}/", ignore_https_errors=True)
    phone.open()
    assert phone.state == "refused"
    assert "does not trust this address's certificate" in phone.page.inner_text("[role=alert]")
    assert phone.page.get_by_role("button", name="Try again").count() == 1
    phone.close()
    running.shutdown()
    running.server_close()


def test_in_one_home_without_a_certificate_the_page_says_what_a_browser_allows(
    browser: Any, served: str
) -> None:
    """Recipe d of ``examples/host.md``: not by a name or number of the host, only on the very machine."""
    phone = Phone(browser, served.replace("127.0.0.1", "anna.house.test"))
    phone.open()
    assert phone.state == "refused"
    assert "This address begins with http://" in phone.page.inner_text("[role=alert]")
    assert phone.page.get_by_role("button", name="Try again").count() == 1
    assert phone.page.evaluate("() => 'serviceWorker' in navigator || 'subtle' in crypto") is False
    phone.close()


def test_too_little_storage_ends_in_a_sentence_and_bytes_were_counted_until_then(
    browser: Any, served: str
) -> None:
    phone = Phone(browser, served, quota=6_000_000)
    phone.context.add_init_script(_NOTICES)
    phone.open()
    assert phone.state == "refused"
    heard = phone.page.evaluate("() => shown")
    counted = [re.fullmatch(r"Loading the game: ([0-9.]+) of ([0-9.]+) MB", text) for text in heard]
    done = [float(match[1]) for match in counted if match]
    assert len(done) > 3
    assert done == sorted(done)
    assert {float(match[2]) > 10 for match in counted if match} == {True}
    assert "There is not enough storage left for this web app" in heard[-1]
    assert phone.page.get_by_role("button", name="Try again").count() == 1
    phone.close()


def test_a_browser_that_keeps_nothing_is_shown_in_a_sentence(browser: Any, served: str) -> None:
    """Where a person has forbidden cookies even looking at the storage is a fault."""
    phone = Phone(browser, served)
    phone.context.add_init_script(
        "Object.defineProperty(globalThis, 'localStorage', { get() { throw new DOMException('', 'SecurityError'); } });"
    )
    phone.open()
    assert phone.state == "refused"
    assert "This browser lets no web app work offline" in phone.page.inner_text("[role=alert]")
    assert phone.page.get_by_role("button", name="Try again").count() == 1
    assert phone.said == []
    phone.close()
