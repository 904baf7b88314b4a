// node compile.mjs NODE_MODULES WORK GAME...: the Python of the page compiles the modules of the page, so that what is shipped
// is what it would make itself. WORK holds *.src.zip; beside each *.zip is written, with nothing in it that changes by
// itself: names in order, no time, no path of this machine, code bound to no source file. Then the page's worker is
// tried, for each game in a Python of its own, as far as a first practice table and a second visit, in each language:
// loaded.json says by game which modules and files that took in English and which in any language, which modules Python
// has in itself, which of the library can come before ours, and the templates that were compiled on the way, as
// hexadecimal digits by their places.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { unpack } from "./page/unpack.mjs";

const [modules, work, ...games] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(join(modules, "pyodide", "pyodide.mjs")));
const env = { PYTHONNODEBUGRANGES: "1" }; // without the columns of each instruction, which nobody reads without the source
const bytesOf = (name) => new Uint8Array(readFileSync(join(work, name)));

const WITHOUT_LINES = `
import types

def without_lines(code):
    """Every instruction at the first line of its function: a trace names what it passed, and that line."""
    inside = (without_lines(one) if isinstance(one, types.CodeType) else one for one in code.co_consts)
    eights, more = divmod(len(code.co_code) // 2, 8)  # an entry covers eight of them: "no columns", no line further
    table = bytes([0b11101111, 0]) * eights + (bytes([0b11101000 + more - 1, 0]) if more else b"")
    return code.replace(co_linetable=table, co_consts=tuple(inside))
`;

async function compiled() {
  const python = await loadPyodide({ indexURL: join(modules, "pyodide") + "/", env });
  const compile = python.runPython(`
import ast, functools, importlib.util, io, marshal, zipfile

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

def statements(tree):
    """The tree and every statement in it, without their expressions, which are most of it."""
    nodes = [tree]
    for node in nodes:
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            nodes += getattr(node, block, ())
    return nodes

def bare(tree, ours):
    """Without docstrings, and ours without the types of what functions and modules hold: nobody reads them there."""
    for node in statements(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
                node.body[0:1] = [] if len(node.body) > 1 else [ast.copy_location(ast.Pass(), first)]
        if ours and isinstance(node, FUNCTIONS):
            node.returns = None
            for given in ast.walk(node.args):
                if isinstance(given, ast.arg):
                    given.annotation = None
        if ours and isinstance(node, ast.Module):
            node.body = [one for one in map(untold, node.body) if one]
    return tree

def untold(node):
    """A name of a module without its type; nothing where that was all."""
    if not isinstance(node, ast.AnnAssign):
        return node
    return node.value and ast.copy_location(ast.Assign([node.target], node.value), node)

${WITHOUT_LINES}
@functools.cache
def compiled(name, raw):
    ours = name.startswith("pbem/")
    code = compile(bare(ast.parse(raw), ours), name, "exec", dont_inherit=True, optimize=0)
    whole = marshal.dumps(without_lines(code))
    return importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + whole

def archive_of(raw):
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as target:
        for name in sorted(source.namelist()):
            data = source.read(name)
            if name.endswith(".py"):
                name, data = name + "c", compiled(name, data)
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.external_attr = 0o100644 << 16
            target.writestr(info, data)
    return out.getvalue()

lambda raw: archive_of(raw.to_py().tobytes())
`);
  for (const name of readdirSync(work).filter((archive) => archive.endsWith(".src.zip")).sort()) {
    writeFileSync(join(work, name.replace(".src.zip", ".zip")), compile(bytesOf(name)).toJs());
  }
}

// A device on which nothing is kept: a first table of a game, in English and then in the other languages, and each time
// the page opened again. What chance and the clock say is the same each time, so that the same modules are asked for.
async function tried(game) {
  const python = await loadPyodide({ indexURL: join(modules, "pyodide") + "/", stdLibURL: join(work, "stdlib.zip"), env: { ...env, PYTHONHASHSEED: "0", PYTHONTZPATH: "" } });
  python.runPython("import sys; begun = set(sys.modules)");
  for (const name of readdirSync(work).filter((archive) => /^(app|lang-..)\.zip$/.test(archive))) unpack(bytesOf(name).buffer, "/site", python.FS);
  const loaded = python.runPython(`
import importlib, io, os, sys, zipfile  # of these the worker itself makes use
sys.path.insert(0, "/site")
read = set()
def hook(event, given):
    if event == "open" and str(given[0]).startswith("/site/"):
        read.add(str(given[0]).removeprefix("/site/"))

sys.addaudithook(hook)
import json
from hashlib import shake_256
from itertools import count
from pathlib import Path
import pbem.web.browser
from pbem.base.language import CODES
from pbem.base.language.templates import TemplateCache, use_shipped
from pbem.base.language.language import AskedZone, use_zones
from pbem.protocol.crypto.foreign import of_page
from pbem.protocol.crypto.provider import use
from pbem.web.worker import Worker

${WITHOUT_LINES}
templates = {}
def keep(self, bucket):
    bucket.code = without_lines(bucket.code)
    self._keep(bucket)
    templates[self._place(bucket.key).relative_to("/site").as_posix()] = bucket.bytecode_to_string().hex()

TemplateCache.dump_bytecode = keep

def tried(primitives, game):
    use_shipped()
    use(of_page(primitives))
    use_zones(lambda zone: AskedZone(zone, lambda name, seconds: 0))
    number = count()

    def visit():
        worker = Worker(Path("/kept"), {}, lambda size: shake_256(str(next(number)).encode()).digest(size), lambda: "2026-01-01T00:00:00Z")

        def ask(do, **given):
            answer = json.loads(worker.ask(json.dumps({"do": do, **given})))
            if not answer["ok"]:
                raise RuntimeError(f"{do}: {answer}")
            return answer

        return ask

    def first_tables(code):
        ask = visit()
        seats = next(one["seats"] for one in ask("hello", lang=code)["games"] if one["id"] == game)
        ask("served", host=None)
        scene = ask("practice", game=game, against=max(seats) - 1)["scene"]
        if scene["news"]:
            ask("news")
            ask("looked")
        parts, node = [], scene["tree"]
        while node["next"] and not node["row"]:
            parts.append(node["next"][0]["part"])
            node = ask("branch", at=scene["at"], parts=parts)["node"]
        ask("weigh", at=scene["at"], parts=parts)
        ask = visit()
        ask("hello", lang=code)
        ask("open", match=scene["match"])

    first_tables("en")
    first = sorted(read.union(sys.modules))
    ahead = sorted(set(sys.modules) - begun)
    for code in CODES[1:]:
        first_tables(code)
    spoken = sorted(read.union(sys.modules))
    frozen = sorted(name for name, module in sys.modules.items() if getattr(module.__spec__, "origin", "") == "frozen")
    return json.dumps({"first": first, "spoken": spoken, "frozen": frozen, "ahead": ahead, "templates": dict(sorted(templates.items()))})

tried
`);
  const { provide } = await import(pathToFileURL(join(work, "primitives.mjs")));
  return JSON.parse(loaded(await provide(), game));
}

try {
  await compiled();
  const loaded = {};
  for (const game of games) loaded[game] = await tried(game);
  writeFileSync(join(work, "loaded.json"), JSON.stringify(loaded));
} catch (fault) {
  console.error(fault.message);
  process.exit(1);
}
