"""The site is whole: Sphinx finds nothing wrong with what it is made of, and would find it."""

from __future__ import annotations

from pathlib import Path

from tests.docs.site import LIST, reached, sphinx, stage, with_links


def test_sphinx_finds_nothing_wrong_and_names_a_dead_link(tmp_path: Path) -> None:
    """One build for both: a page with three broken links is put beside the true ones, and only it is named."""
    source = tmp_path / "source"
    stage(source)
    (source / "wrong.md").write_text(
        "---\norphan:\n---\n# Wrong\n\n[a](nowhere.md) [b](index.md#nothing) ![c](none.png)\n",
        encoding="utf-8",
    )
    faults = sphinx(source, tmp_path / "built", "dummy").splitlines()
    assert [line for line in faults if "wrong.md" not in line] == []
    for name in ("nowhere.md", "nothing", "none.png"):
        assert any(name in line for line in faults), name


def test_every_page_of_the_list_is_in_the_site() -> None:
    pages, files = reached()
    assert {LIST, "examples/play.md", "examples/cheats.md", "schemas/README.md", "ARCHITECTURE.md"} <= set(
        pages
    )
    assert any(name.endswith(".svg") for name in files)


def test_a_folder_is_its_page_or_no_link() -> None:
    text = (
        "[x](../schemas) [y](../pbem) [z](../README.md#install-and-begin) [![p](a.png)](host.md) ![q](b.png)"
    )
    assert with_links("examples/play.md", text) == (
        "[x](../schemas/README.md) y [z](../index.md#install-and-begin) [![p](a.png)](host.md) ![q](b.png)"
    )
