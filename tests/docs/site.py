"""The pages as a small site: ``make site``, or ``python -m tests.docs.site FOLDER``.

README is its first page; every page that can be reached from there by links is in it, with the pictures and files
that they show, and both games' rules in every language. The way through it is the list of ``examples/README.md``.
Sphinx builds it (the extra ``docs``) and takes a broken link, a missing heading or a missing picture for a fault, so
the site is whole or is not built.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from pbem.base.language import CODES, language_of
from pbem.games import GAMES
from pbem.games.rulebook import OPTIONS, rulebook_of
from tests.docs.markdown import links

ROOT: Final = Path(__file__).resolve().parents[2]
FIRST: Final = "README.md"
LIST: Final = "examples/README.md"

CONF: Final = """\
project = "pbem"
html_title = "pbem"
extensions = ["myst_parser"]
myst_heading_anchors = 4
myst_enable_extensions = ["html_image"]
highlight_language = "text"
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
html_theme = "furo"
html_show_copyright = html_show_sphinx = html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
html_static_path = ["static"]
html_css_files = ["site.css"]
"""
STYLE: Final = """\
/* figures and commands stay on their line; what is too wide is moved within its own box, never the page */
table.docutils td, table.docutils th { vertical-align: top; }
article img { height: auto; max-width: 100%; }
article code.literal { overflow-wrap: break-word; }
"""


def path_of(page: str, link: str) -> str | None:
    """The path from the root that a page's link means, a folder by its page; None if it leads out of the repository."""
    target = link.partition("#")[0]
    if not target or "://" in link or link.startswith("mailto:"):
        return None
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
    return f"{path}/README.md" if (ROOT / path / "README.md").is_file() else path


def reached() -> tuple[list[str], set[str]]:
    """All pages from the first on, each once, and the other files that they show or link."""
    pages, files = [FIRST], set()
    for page in pages:
        for link in links((ROOT / page).read_text(encoding="utf-8")):
            target = path_of(page, link)
            if target and target.endswith(".md") and (ROOT / target).is_file():
                if target not in pages:
                    pages.append(target)
            elif target:
                files.add(target)
    return pages, files


def with_links(page: str, text: str) -> str:
    """The text of a page as the site has it: the first page is ``index``, a folder is its page or no link."""

    def named(match: re.Match[str]) -> str:
        target = path_of(page, match[2])
        if target is None:
            return match[0]
        if (ROOT / target).is_dir():
            return match[1]
        if not target.endswith(".md"):
            return match[0]
        _, mark, anchor = match[2].partition("#")
        path = posixpath.relpath("index.md" if target == FIRST else target, posixpath.dirname(page) or ".")
        return f"[{match[1]}]({path}{mark}{anchor})"

    return re.sub(r"(?<!!)\[((?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*)\]\(([^)\s]+)\)", named, text)


def rules(game: str, code: str) -> str:
    """All rules of a game in one language, as a page."""
    language = language_of(code)
    title = next(info.info.title for info in GAMES if info.info.id == game)
    lines = [f"# {title}", ""]
    others = [f"**{other}**" if other == code else f"[{other}]({game}-{other}.md)" for other in CODES]
    lines += [" · ".join(others), ""]
    for section in rulebook_of(game).sections:
        head = language.translate(section.title)
        lines += [f"## {head}" if section.id == OPTIONS else f"## {section.id}. {head}", ""]
        for row in section.rows:
            lines += [f"**{row.id}** {_plain(language.translate(row.text))}", ""]
    return "\n".join(lines)


def _plain(text: str) -> str:
    """A sentence in which nothing is markup."""
    return re.sub(r"([\\`*_\[\]<>#{}|$])", r"\\\1", text)


def ways(page: str, text: str, pages: Iterable[str]) -> Iterator[str]:
    """The way through the site: a list for each part of the list of pages, the rules, and what only others link."""
    rest = dict.fromkeys(other for other in pages if other not in (FIRST, page))
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        caption, _, body = part.partition("\n")
        targets = [
            target for link in links(body) if (target := path_of(page, link)) and target.endswith(".md")
        ]
        rest = {target: None for target in rest if target not in targets}
        yield _tree(caption, dict.fromkeys(targets))
    titles = {(game.info.id, code): f"{game.info.title} ({code})" for game in GAMES for code in CODES}
    yield _tree("Rules", {f"rules/{game}-{code}.md": title for (game, code), title in titles.items()})
    yield _tree("Further", {**rest, page: None})


def _tree(caption: str, entries: Mapping[str, str | None]) -> str:
    listed = [
        f"{title} </{page.removesuffix('.md')}>" if title else f"/{page.removesuffix('.md')}"
        for page, title in entries.items()
    ]
    return "\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", "", *listed, "```", ""])


def stage(folder: Path) -> None:
    """Put what the site is made of into an empty folder."""
    pages, files = reached()
    for page in pages:
        path = folder / ("index.md" if page == FIRST else page)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = with_links(page, (ROOT / page).read_text(encoding="utf-8"))
        if page == FIRST:
            text = "\n".join([text, *ways(LIST, (ROOT / LIST).read_text(encoding="utf-8"), pages)])
        path.write_text(text, encoding="utf-8")
    for name in files:
        if (ROOT / name).is_file():  # a broken link stays broken, and Sphinx names it
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, path)
    (folder / "rules").mkdir()
    for game in GAMES:
        for code in CODES:
            (folder / f"rules/{game.info.id}-{code}.md").write_text(
                rules(game.info.id, code), encoding="utf-8"
            )
    (folder / "static").mkdir()
    (folder / "static/site.css").write_text(STYLE, encoding="utf-8")
    (folder / "conf.py").write_text(CONF, encoding="utf-8")


def sphinx(source: Path, built: Path, builder: str = "html") -> str:
    """Build a staged site; what Sphinx found fault with, empty if all is well."""
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-b", builder, "-q", "-W", "--keep-going", str(source), str(built)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stderr or ("" if done.returncode == 0 else done.stdout or f"exit code {done.returncode}")


def main() -> int:
    """The command."""
    built = Path(sys.argv[1] if len(sys.argv) > 1 else "build/site")
    with tempfile.TemporaryDirectory() as name:
        stage(Path(name))
        faults = sphinx(Path(name), built)
    print(faults or f"{built}/index.html, {len(list(built.rglob('*.html')))} pages")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
