"""The page as files that anybody can make again, byte for byte.

::

    index.html *.mjs page.css service.js …                                 from page/
    primitives.mjs; foreign/ pyodide/                                      the latter from npm packages, exact versions
    app.zip game-<id>.zip lang-<code>.zip pairing.zip                      our modules, compiled by its own Python
    rest.zip rest-<code>.zip                                               what no first practice table takes
    words-<code>.json built.json hashes.json headers.json LICENSES.txt *.ttf
    *.br *.gz sizes.json                                                   for servers that send packed files

``hashes.json`` holds the SHA-256 of every other file but ``service.js``, which follows from it; its own SHA-256 is the
page's fingerprint. Built are the modules of the installed pbem; needed are node and ``npm ci --ignore-scripts``.
"""

from __future__ import annotations

import base64
import importlib.metadata
import io
import json
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final

from pbem.base.errors import UsageProblem
from pbem.base.language import CODES, language_of
from pbem.base.resources import PAGE, data_dir, installed_games
from pbem.games import game_ids
from pbem.player.pictures.picture import WIDTHS, Font
from pbem.web.languages import catalogue_of, language_files
from pbem.web.modules import APART, ROOTS, asked_by, folder_of, needed, package_of
from pbem.web.policy import KEYS, POST, POST_FILE, headers_of

OWN_WORDS: Final = "page.json"
PAGE_WORDS: Final[dict[str, str]] = json.loads((data_dir("templates") / OWN_WORDS).read_bytes())
"""Every sentence of the page that is its own, by the keys that the page asks for them with.

They are written into the built page, one file for each language, so that it speaks before Python has started; ``{n}``
and the like are filled in by the page. What a match says comes from ``player.play`` and the game's templates.
"""
WEB: Final = Path(__file__).resolve().parent
SOURCES: Final = WEB / "page"
HASHES: Final = "hashes.json"
SERVICE: Final = "service.js"
_GAMES: Final = ("wyatt-earp", "way-out-west")
_TEMPLATES: Final = ("", "generic", "pictures", *_GAMES)
_OF_A_GAME: Final = frozenset({".py", ".json", ".jinja"})
"""What the page needs of the package of a game."""
_PYODIDE: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
LEFT_OUT: Final = frozenset(
    {
        "xml", "multiprocessing", "unittest", "_pyrepl", "pdb", "pydoc", "pydoc_data", "doctest", "xmlrpc", "wsgiref",
        "mailbox", "imaplib", "smtplib", "optparse", "bdb", "pickletools", "ensurepip", "idlelib", "turtle",
        "tkinter", "venv", "zipapp", "profile", "pstats", "cProfile", "poplib", "ftplib", "sqlite3", "dbm", "curses",
        "trace", "timeit", "cmd", "rlcompleter", "webbrowser", "this", "antigravity", "symtable", "tabnanny",
        "shelve", "socketserver", "turtledemo", "pyclbr", "modulefinder", "filecmp", "fileinput", "netrc", "pty",
        "sched", "argparse", "getopt", "ctypes", "configparser", "plistlib", "statistics", "graphlib", "lzma", "bz2",
        "colorsys", "wave", "mimetypes", "getpass", "compression", "_pyio", "_pydatetime", "_pydecimal", "tomllib",
        "_aix_support", "_osx_support",
    }
)  # fmt: skip
"""Parts of the standard library that the page never asks for."""
_NEVER: Final = re.compile(
    r"asyncio/(?:windows|proactor|tools|__main__)|concurrent/(?:interpreters|futures/(?:process|interpreter))|http/"
    r"|logging/(?:config|handlers)|(?:tarfile|gzip|uuid|tracemalloc|compileall|py_compile|runpy|pkgutil|code)\.py"
    r"|sysconfig/__main__|_?ssl\.py|urllib/(?:request|robotparser|response)|pyodide/(?:console|http/)|_py_abc\.py"
    # code pages that no mail of today is written in
    r"|encodings/(?:mac_|cp(?!125|437)|hp_roman|ptcp154|kz1048|palmos|tis_620)"
)
"""More of them, by the beginnings of their places."""
_TAKEN: Final = ("jinja2", "markupsafe", "babel", "confusable-homoglyphs", "spake2")
_NPM: Final = ("pyodide", "libsodium-wrappers-sumo", "libsodium-sumo", "@noble/ciphers", "preact", "htm")
_DRAWING: Final = {
    "preact": "./foreign/preact.mjs", "preact/hooks": "./foreign/hooks.mjs", "htm": "./foreign/htm.mjs",
}  # fmt: skip
"""What the page's own modules import by the names of packages."""
REST: Final = "rest.zip"
LATER: Final = re.compile(
    r"(?:rest.*|game-.*|lang-.*|pairing)\.zip|words-(?!en).*\.json|.*\.ttf|icon-.*\.png|LICENSES\.txt|headers\.json"
)
"""Files that the first practice table does not need; its game and the language are asked for by their names anyway."""
WAVES: Final = (
    ("pyodide/pyodide.asm.mjs", "pyodide/pyodide.asm.wasm", "pyodide/python_stdlib.zip"),
    (
        "app.zip", "primitives.mjs", "foreign/sodium.mjs", "foreign/sodium-sumo.mjs", "foreign/aes.js",
        "foreign/_polyval.js", "foreign/utils.js",
    ),
)  # fmt: skip
"""What comes behind the page itself at a first visit, in this order: Python starts while its modules are on the way."""
AHEAD: Final = "ahead.py"
"""A module that imports what ours will ask the standard library for."""
SIZES: Final = "sizes.json"
"""How large each file is packed, beside the page; unsigned, since another program to pack may pack otherwise."""
_PRIMITIVES: Final = {
    "libsodium-wrappers-sumo": "libsodium-wrappers-sumo/dist/modules-sumo-esm/libsodium-wrappers.mjs",
    "@noble/ciphers/aes.js": "@noble/ciphers/aes.js",
}
"""What ``primitives.mjs`` imports, and where it lies below ``node_modules``."""
_ABOUT_PYODIDE: Final = """What this page is made of, and under which licences. pbem itself: MIT, see below.

== pyodide ==
Pyodide is under the Mozilla Public License, version 2.0 (https://mozilla.org/MPL/2.0/); its source, unaltered here, is
at https://github.com/pyodide/pyodide. It contains CPython, under the license of the Python Software Foundation,
version 2 (https://docs.python.org/3/license.html), of whose standard library a part is shipped, compiled;
and the run time of Emscripten, under the MIT license (https://emscripten.org/docs/introducing_emscripten/emscripten_license.html)."""
_SMALL_ALREADY: Final = (".png",)
_SCHEMAS: Final = "pbem/_data/schemas/"
_OF_DATA: Final = re.compile(r"pbem/_data/(?:schemas/.*|templates/.*\.json)|confusable_homoglyphs/.*\.json")


def build(folder: Path, modules: Path, *, pack: bool = False) -> str:
    """Make the page in ``folder``, which must be empty or not there; its fingerprint.

    Args:
        folder: where its files go.
        modules: the folder ``node_modules`` that ``npm ci --ignore-scripts`` made.
        pack: lay each file that gets much smaller beside itself as ``.br`` and ``.gz``, for servers that send those.

    Raises:
        UsageProblem: ``folder`` holds something, a package or node is missing; nothing was made.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageProblem(f"{folder} is not empty")
    _check_tools(modules)
    with tempfile.TemporaryDirectory() as temporary_directory:
        work = Path(temporary_directory)
        _write_sources(work, modules)
        _compile(work, modules)
        files = _files(work, modules)
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    if pack:
        names = [name for name in files if not name.endswith(_SMALL_ALREADY)]
        _run_node("pack.mjs", str(folder), *names)
    return fingerprint_of(files[HASHES])


def archive(folder: Path, place: Path) -> None:
    """The built page as one zip file, the same bytes for the same page."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    place.write_bytes(_zip({name: (folder / name).read_bytes() for name in names}, zipfile.ZIP_DEFLATED))


def fingerprint_of(hashes: bytes) -> str:
    """The page's fingerprint from the bytes of ``hashes.json``: SHA-256 in hexadecimal digits, as the page shows it."""
    return sha256(hashes).hexdigest()


def service_of(hashes: bytes) -> bytes:
    """The service worker for these hashes: it fetches nothing else, and nothing without its hash."""
    release = json.loads(hashes)
    about = {
        "version": release["version"],
        "print": fingerprint_of(hashes),
        "files": {**release["files"], HASHES: integrity(hashes)},
        "sizes": {**release["sizes"], HASHES: len(hashes)},
        "waves": WAVES,
        "later": sorted(
            (name for name in release["files"] if LATER.fullmatch(name)),
            key=lambda name: (not name.startswith("game-"), name != REST),
        ),
    }
    source = (SOURCES / SERVICE).read_text(encoding="utf-8")
    return _filled(source, "BUILT", about).encode()


def integrity(data: bytes) -> str:
    """SHA-256 as a browser wants it beside a request (Subresource Integrity)."""
    return "sha256-" + base64.b64encode(sha256(data).digest()).decode()


def _check_tools(modules: Path) -> None:
    missing = [name for name in _NPM if not (modules / name).is_dir()]
    if missing:
        raise UsageProblem(
            f"{modules} lacks the package {missing[0]}",
            hint="Run 'npm ci --ignore-scripts' in pbem/web of a checkout, or serve a page that is built.",
        )
    if shutil.which("node") is None:
        raise UsageProblem("node is not installed; the page is built with it")


def _write_sources(work: Path, modules: Path) -> None:
    """The zips of sources that Pyodide compiles."""
    (work / "app.src.zip").write_bytes(_zip(app_files()))
    for code in CODES:
        if code != "en":
            (work / f"lang-{code}.src.zip").write_bytes(_zip(language_files(code)))
    (work / "pairing.src.zip").write_bytes(_zip(pairing_files()))
    with zipfile.ZipFile(modules / "pyodide" / "python_stdlib.zip") as whole:
        kept = {
            name: whole.read(name)
            for name in whole.namelist()
            if name.partition("/")[0].removesuffix(".py") not in LEFT_OUT
            and not _NEVER.match(name)
            and not name.endswith("/")
        }
    (work / "stdlib.src.zip").write_bytes(_zip(kept))
    at = {name: (modules / place).resolve().as_uri() for name, place in _PRIMITIVES.items()}
    (work / "primitives.mjs").write_bytes(_bare_import(WEB / "primitives.mjs", at))


def _compile(work: Path, modules: Path) -> None:
    """Compile them, and lay what only one game's first table takes, and what none takes, in archives of their own."""
    _run_node("compile.mjs", str(modules.resolve()), str(work), *game_ids())
    tried = json.loads((work / "loaded.json").read_bytes())
    first = {game: frozenset(result["first"]) for game, result in tried.items()}
    always, ever = frozenset.intersection(*first.values()), frozenset.union(*first.values())
    spoken = frozenset().union(*(result["spoken"] for result in tried.values()))
    frozen, ahead = (next(iter(tried.values()))[key] for key in ("frozen", "ahead"))
    archives = {
        path.name: _unzipped(path) for path in work.glob("*.zip") if not path.name.endswith(".src.zip")
    }
    library, app = archives.pop("stdlib.zip"), archives.pop("app.zip")
    library = {name: data for name, data in library.items() if _module(name) not in frozen}
    templates = {
        game: {name: bytes.fromhex(data) for name, data in result["templates"].items()}
        for game, result in tried.items()
    }
    begin = {"stdlib.zip": _loaded(library, always), "app.zip": _loaded(app, always)}
    begin["app.zip"] |= {
        name: data
        for name, data in templates[min(templates)].items()
        if all(name in others for others in templates.values())
    }
    imports = (name for name in ahead if name in map(_module, begin["stdlib.zip"]))
    for game, loaded in first.items():
        own = _in_folder("library", _without(_loaded(library, loaded), begin["stdlib.zip"]))
        begin[f"game-{game}.zip"] = own | _in_folder(
            "site", _without(_loaded(app, loaded) | templates[game], begin["app.zip"])
        )
    begin[REST] = _in_folder("library", _without(library, _loaded(library, ever)))
    begin[REST] |= _in_folder("site", _without(app, _loaded(app, ever)))
    places = frozenset(map(_source, {**_loaded(app, ever | spoken), **begin["app.zip"]}))
    for name, files in archives.items():
        begin[name] = _in_folder("site", files)
    for code in CODES:
        if code != "en":
            own = _in_folder("library", _loaded(library, spoken - ever))
            begin[f"lang-{code}.zip"] |= own | _in_folder("site", catalogue_of(code, places))
            begin[f"rest-{code}.zip"] = _in_folder("site", catalogue_of(code, frozenset(map(_source, app))))
    begin["stdlib.zip"][AHEAD] = "".join(f"import {name}\n" for name in imports).encode()
    for name, files in begin.items():
        (work / name).write_bytes(_zip(files))


def _without(files: Mapping[str, bytes], others: Mapping[str, bytes]) -> dict[str, bytes]:
    return {name: data for name, data in files.items() if name not in others}


def _source(name: str) -> str:
    """Where the file stands in the repository, as catalogues name it."""
    return name.removeprefix("pbem/_data/").removesuffix("c" if name.endswith(".pyc") else "")


def _loaded(files: Mapping[str, bytes], loaded: frozenset[str]) -> dict[str, bytes]:
    """The modules, schemas and templates that were loaded, and all else that belongs to a package of which any was."""
    asked_for = {name for name in files if name.endswith((".pyc", ".jinja")) or _OF_DATA.fullmatch(name)}
    taken = {name for name in asked_for if name in loaded or _module(name) in loaded}
    asleep = {_package(name) for name in asked_for} - {_package(name) for name in taken}
    return {
        name: data
        for name, data in files.items()
        if name in taken or (name not in asked_for and _package(name) not in asleep)
    }


def _module(name: str) -> str:
    return name.removesuffix(".pyc").removesuffix("/__init__").replace("/", ".")


def _package(name: str) -> str:
    return name.partition("/")[0]


def _in_folder(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {f"{folder}/{name}": data for name, data in files.items()}


def _run_node(script: str, *arguments: str) -> None:
    run = [shutil.which("node") or "node", str(WEB / script), *arguments]
    done = subprocess.run(run, capture_output=True, text=True, check=False)  # noqa: S603 - our own script
    if done.returncode:
        raise UsageProblem(f"{script} failed: {done.stderr.strip()[-2000:]}")


def app_files() -> dict[str, bytes]:
    """Our modules and the packages they need, the games installed beside ours, templates, schemas, fonts."""
    guests = {game: package_of(game) for game in sorted(installed_games())}
    asked = [name for home in guests.values() for name in asked_by(home)]
    files = {_place(name, path): path.read_bytes() for name, path in needed((*ROOTS, *asked)).items()}
    for game, home in guests.items():
        files |= _guest(game, home)
    files["confusable_homoglyphs/__init__.py"] = b""
    files["confusable_homoglyphs/confusables.py"] = _ALIKE
    files |= {f"confusable_homoglyphs/{name}": _json(table) for name, table in _alike().items()}
    for folder in _TEMPLATES:
        for path in sorted((data_dir("templates") / folder).iterdir()):
            if path.is_file() and path.suffix != ".md" and path.name != OWN_WORDS:
                files[f"pbem/_data/templates/{folder}/{path.name}".replace("//", "/")] = path.read_bytes()
    for font in Font:  # the browser has the letters themselves
        widths = font.path.with_suffix(WIDTHS)
        files[f"pbem/_data/templates/fonts/{widths.name}"] = widths.read_bytes()
    for path in sorted(data_dir("schemas").rglob("*.json")):
        files[f"{_SCHEMAS}{path.relative_to(data_dir('schemas')).as_posix()}"] = path.read_bytes()
    return files


def pairing_files() -> dict[str, bytes]:
    """What only a seat needs that goes along to another device: our modules, and the library with its HKDF."""
    always = needed()
    files = {
        _place(name, path): path.read_bytes() for name, path in needed(APART).items() if name not in always
    }
    library = folder_of("spake2")
    for path in sorted((*library.glob("*.py"), *(library / "parameters").glob("*.py"))):
        files[f"spake2/{path.relative_to(library).as_posix()}"] = path.read_bytes()
    files["cryptography/hazmat/primitives/hashes.py"] = b"SHA256 = dict\n"
    files["cryptography/hazmat/primitives/kdf/hkdf.py"] = HKDF
    return files


HKDF: Final = b"""import hmac


class HKDF:
    def __init__(self, algorithm, length, salt, info):
        self.length, self.salt, self.info = length, salt, info

    def derive(self, key):
        secret = hmac.digest(self.salt, key, "sha256")
        done = block = b""
        for number in range(1, -(-self.length // 32) + 1):
            block = hmac.digest(secret, block + self.info + bytes([number]), "sha256")
            done += block
        return done[: self.length]
"""
"""HKDF with SHA-256 (RFC 5869), all that ``spake2`` asks of ``cryptography``, which is not in the page."""


def _guest(game: str, folder: Path) -> dict[str, bytes]:
    """A game's package, and the line by which it is found; its catalogues go with their languages."""
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix in _OF_A_GAME and path.is_file()]
    files = {f"{folder.name}/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in paths}
    about = f"{folder.name}-0.dist-info"
    files[f"{about}/METADATA"] = f"Metadata-Version: 2.1\nName: {folder.name}\nVersion: 0\n".encode()
    line = f"[pbem.games]\n{game} = {installed_games()[game].value}\n"
    return {**files, f"{about}/entry_points.txt": line.encode()}


def _place(name: str, path: Path) -> str:
    stem = name.replace(".", "/")
    return f"{stem}/__init__.py" if path.name == "__init__.py" else f"{stem}.py"


_ALIKE: Final = b"""import json
from functools import cache
from pathlib import Path

@cache
def table(name):
    return json.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))

class Alike:
    def get(self, letter, default=()):
        plain = table("plain.json")
        found = plain if letter.isascii() or letter in plain else table("alike.json")
        return [{"c": other} for other in found.get(letter, default)]

confusables_data = Alike()
"""


def _alike() -> dict[str, dict[str, list[str]]]:
    """Which letters look like one other, without their names: nobody asks for those that look like several.

    ``plain.json`` is enough for names in ASCII, so that a first table need not wait for the rest.
    """
    home = folder_of("confusable_homoglyphs")
    whole = json.loads((home / "confusables.json").read_bytes())
    bare = {char: [alike[0]["c"]] for char, alike in whole.items() if len(alike) == 1}
    plain = {char for char in bare if char.isascii()}
    plain |= {alike for char in plain for alike in bare[char]}
    return {"alike.json": bare, "plain.json": {char: bare.get(char, []) for char in plain}}


def _files(work: Path, modules: Path) -> dict[str, bytes]:
    """Every file of the page by its name."""
    version = importlib.metadata.version("pbem")
    files = {
        path.name: _bare_import(path, _DRAWING) if path.suffix == ".mjs" else path.read_bytes()
        for path in sorted(SOURCES.iterdir())
        if path.is_file() and path.name != SERVICE
    }
    policies = {"index.html": KEYS, "keys.mjs": KEYS, "page.mjs": KEYS, POST_FILE: POST}
    files["start.mjs"] = _filled(files["start.mjs"].decode(), "POLICIES", policies).encode()
    archives = ["app.zip", "pairing.zip", REST, *(f"game-{game}.zip" for game in game_ids())]
    for code in CODES:
        language = language_of(code)
        words = {key: language.gettext(text) for key, text in PAGE_WORDS.items()}
        files[f"words-{code}.json"] = _json(words)
        if code != "en":
            archives += [f"lang-{code}.zip", f"rest-{code}.zip"]
    files |= {name: (work / name).read_bytes() for name in archives}
    files["keys.mjs"] = _filled(files["keys.mjs"].decode(), "GAMES", list(game_ids())).encode()
    files |= _third_party(work, modules)
    for path in sorted((data_dir("templates") / "fonts").glob("*.ttf")):
        files[path.name] = path.read_bytes()
    made_with = {name: importlib.metadata.version(name) for name in _TAKEN}
    made_with |= {name: _npm_version(modules, name) for name in _NPM}
    files["built.json"] = _json({"version": version, "address": PAGE, "with": made_with})
    files["LICENSES.txt"] = _licences(modules)
    listed = sorted({*files, HASHES, SERVICE, "headers.json"})
    files["headers.json"] = _json({name: headers_of(name) for name in listed})
    listing = {
        "version": version,
        "files": {name: integrity(files[name]) for name in sorted(files)},
        "sizes": {name: len(files[name]) for name in sorted(files)},
    }
    files[HASHES] = _json(listing)
    files[SERVICE] = service_of(files[HASHES])
    return files


def _third_party(work: Path, modules: Path) -> dict[str, bytes]:
    """What comes from npm packages, and their licences."""
    pyodide = modules / "pyodide"
    files = {f"pyodide/{name}": (pyodide / name).read_bytes() for name in _PYODIDE}
    files["pyodide/python_stdlib.zip"] = (work / "stdlib.zip").read_bytes()
    lock = json.loads((pyodide / "pyodide-lock.json").read_bytes())
    files["pyodide/pyodide-lock.json"] = _json({"info": lock["info"], "packages": {}})
    sodium, ciphers = modules / "libsodium-wrappers-sumo", modules / "@noble" / "ciphers"
    files["foreign/sodium.mjs"] = _bare_import(
        sodium / "dist/modules-sumo-esm/libsodium-wrappers.mjs", {"libsodium-sumo": "./sodium-sumo.mjs"}
    )
    files["foreign/sodium-sumo.mjs"] = (
        modules / "libsodium-sumo/dist/modules-sumo-esm/libsodium-sumo.mjs"
    ).read_bytes()
    for name in ("aes.js", "_polyval.js", "utils.js"):
        files[f"foreign/{name}"] = (ciphers / name).read_bytes()
    files["foreign/preact.mjs"] = (modules / "preact/dist/preact.mjs").read_bytes()
    files["foreign/hooks.mjs"] = _bare_import(
        modules / "preact/hooks/dist/hooks.mjs", {"preact": "./preact.mjs"}
    )
    files["foreign/htm.mjs"] = (modules / "htm/dist/htm.mjs").read_bytes()
    files["primitives.mjs"] = _bare_import(
        WEB / "primitives.mjs",
        {"libsodium-wrappers-sumo": "./foreign/sodium.mjs", "@noble/ciphers/aes.js": "./foreign/aes.js"},
    )
    return files


def _npm_version(modules: Path, name: str) -> str:
    return str(json.loads((modules / name / "package.json").read_bytes())["version"])


def _licences(modules: Path) -> bytes:
    """The licence of everything that is shipped, one after the other."""
    parts = [f"{_ABOUT_PYODIDE}"]
    for name in _NPM[1:]:
        parts += [
            f"== {name} ==",
            *(path.read_text(encoding="utf-8") for path in sorted((modules / name).glob("LICENSE*"))),
        ]
    for name in ("pbem", *_TAKEN):
        package_paths = [
            file
            for file in importlib.metadata.files(name) or ()
            if file.name.upper().startswith(("LICENSE", "COPYING"))
        ]
        parts += [f"== {name} ==", *(file.read_text() for file in sorted(package_paths))]
    parts += ["== fonts ==", (data_dir("templates") / "fonts" / "LICENSE.txt").read_text(encoding="utf-8")]
    return "\n\n".join(part.strip() for part in parts).encode() + b"\n"


def _bare_import(path: Path, places: Mapping[str, str]) -> bytes:
    """A module whose imports name files instead of packages: a browser knows no packages."""
    text = path.read_text(encoding="utf-8")
    for package, place in places.items():
        for written in (f"'{package}'", f'"{package}"'):
            text = text.replace(f"from {written}", f'from "{place}"').replace(
                f"from{written}", f'from "{place}"'
            )
    return text.encode()


def _filled(source: str, name: str, value: object) -> str:
    """The source with what stands behind the mark ``/*NAME*/`` up to the end of its line put in."""
    before, mark, behind = source.partition(f"/*{name}*/")
    if not mark:
        raise ValueError(f"no mark /*{name}*/")
    rest = behind.partition("\n")[2]
    return f"{before}{json.dumps(value, sort_keys=True)};\n{rest}"


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=0, sort_keys=True).encode() + b"\n"


def _unzipped(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as whole:
        return {name: whole.read(name) for name in whole.namelist()}


def _zip(files: Mapping[str, bytes], way: int = zipfile.ZIP_STORED) -> bytes:
    """A zip with nothing in it that changes by itself."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", way) as target:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.external_attr = 0o100644 << 16
            info.compress_type = way
            target.writestr(info, files[name])
    return buffer.getvalue()
