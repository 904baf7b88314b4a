"""The manual page says what ``--help`` says, and roff finds nothing wrong with it; shells complete the same words."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import typer

from pbem.cli.app import command
from pbem.cli.manual import manual
from tests.needed import program


@cache
def page() -> str:
    return manual(command(), "pbem 0")


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    for name, cmd in group.commands.items():
        if hasattr(cmd, "commands"):
            yield from commands(cmd, (*path, name))
        else:
            yield " ".join((*path, name)), cmd


def plain(text: str) -> str:
    """The page as it was before roff's escapes."""
    for escape, meant in (("\\-", "-"), ("\\(aq", "'"), ("\\(dq", '"'), ("\\(ti", "~"), ("\\e", "\\")):
        text = text.replace(escape, meant)
    return " ".join(text.split())


def test_every_command_and_option_is_shown_in_the_words_of_its_help() -> None:
    sections = re.findall(r'^\.SS "pbem (.*?)( \[.*?)?"\n(.*?)(?=^\.S[SH])', page(), re.DOTALL | re.MULTILINE)
    described = {plain(name): plain(f"{usage} {body}") for name, usage, body in sections}
    everywhere = plain(page())
    for name, entry in commands(command()):
        assert name in described, name
        assert " ".join(entry.help.split()).split(". ")[0] in described[name], name
        for parameter in entry.params:
            if "--help" not in parameter.opts:
                options = [name for name in parameter.opts if name.startswith("-")]
                assert not options or options[0] in described[name], (name, options)
                assert " ".join((parameter.help or "").split()) in everywhere, (name, parameter.name)


def test_what_is_set_outside_is_shown() -> None:
    _, _, environment = page().partition(".SH ENVIRONMENT")
    assert {"PBEM_HOME", "PBEM_LANG", "PBEM_MATCH", "PBEM_PASSPHRASE_FILE"} <= set(
        re.findall(r"PBEM_\w+", environment)
    )


def test_roff_finds_nothing_wrong(tmp_path: Path) -> None:
    groff = program("groff")
    (tmp_path / "pbem.1").write_text(page(), encoding="ascii")
    done = subprocess.run(
        [groff, "-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=100n", str(tmp_path / "pbem.1")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "pbem host new [OPTIONS] FOLDER" in done.stdout
    assert "wyatt-earp or way-out-west. [required]" in " ".join(done.stdout.split())


def test_nothing_in_a_help_text_is_a_request() -> None:
    app = typer.Typer(add_completion=False)

    @app.callback()
    def root() -> None:
        """.so /etc/passwd 'quoted' \\n ~ é"""

    @app.command()
    def sample() -> None:
        """.SH Two"""

    page = manual(typer.main.get_command(app), ".x")
    assert '.TH PBEM 1 "" "\\&.x"' in page
    assert "\n\\&.so /etc/passwd \\(aqquoted\\(aq \\en \\(ti \\[u00E9]\n" in page
    assert "\n\\&.SH Two\n" in page
