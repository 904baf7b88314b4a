"""The page is built from the modules, holds no address outside itself, and reads a file in a browser."""

from __future__ import annotations

import base64
import re
import subprocess
from pathlib import Path

from tests.browsers import chromium
from tests.verifier.node import VERIFIER, node
from tests.verifier.tampering import tampered
from tests.world import World

PAGE = VERIFIER / "verifier.html"
IMPORT = re.compile(r"""^(?:import|export) .* from "([^"]+)";$|\bimport\("([^"]+)"\)""", re.MULTILINE)


def test_the_page_is_what_the_modules_and_its_frame_give() -> None:
    node(VERIFIER / "build.mjs", "--check")


def test_the_page_loads_and_sends_nothing() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert not re.search(
        r"https?://|fetch\(|XMLHttpRequest|WebSocket|sendBeacon|\bsrc=|<link|@import|innerHTML", text
    )


def test_the_verifier_imports_only_itself_and_node_where_it_runs_in_node() -> None:
    for module in VERIFIER.glob("*.mjs"):
        source = module.read_text(encoding="utf-8")
        matches = re.findall(
            r"""^(?:import|export) .* from "([^"]+)";$|\bimport\("([^"]+)"\)""", source, flags=re.MULTILINE
        )
        outside = {name for pair in matches for name in pair if name and not name.startswith("./")}
        assert all(name.startswith("node:") for name in outside), module.name
        assert not outside or module.name in ("verify.mjs", "build.mjs"), module.name


def test_a_browser_says_the_same(tmp_path: Path) -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="page").start().play(4)
    honest = read_in_browser(tmp_path, world.lines)
    assert "Everything holds so far" in honest
    assert "does not hold" not in honest
    forged = next(cheat for cheat in tampered(world) if cheat.name == "a shot is forged")
    assert "This file does not hold" in read_in_browser(tmp_path, forged.lines)


DROPPED = """<script type="module">
const bytes = Uint8Array.from(atob("%s"), (c) => c.charCodeAt(0));
const given = new DataTransfer();
given.items.add(new File([bytes], "game.jsonl"));
document.getElementById("file").files = given.files;
document.getElementById("file").dispatchEvent(new Event("change"));
</script></body>"""


def read_in_browser(folder: Path, lines: list[bytes]) -> str:
    """What the page shows when this file is dropped into it."""
    game = base64.b64encode(b"".join(line + b"\n" for line in lines)).decode()
    page = folder / "page.html"
    page.write_text(PAGE.read_text(encoding="utf-8").replace("</body>", DROPPED % game), encoding="utf-8")
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=60000", "--dump-dom")
    command = [chromium(), *flags, f"--user-data-dir={folder / 'profile'}", page.as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=180).stdout
    return re.sub(r"<script.*?</script>", "", shown, flags=re.DOTALL)
