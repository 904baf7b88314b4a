// node compile.mjs NODE_MODULES WORK: the Python of the page compiles the modules of the page, so that what is shipped
// is what it would make itself. WORK holds *.src.zip; beside each *.zip is written, with nothing in it that changes by
// itself: names in order, no time, no path of this machine, code bound to no source file.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [modules, work] = process.argv.slice(2);
const { loadPyodide } = await import(join(modules, "pyodide", "pyodide.mjs"));
const env = { PYTHONNODEBUGRANGES: "1" }; // without the columns of each instruction, which nobody reads without the source
const python = await loadPyodide({ indexURL: join(modules, "pyodide") + "/", env });
const compile = python.runPython(`
import ast, importlib.util, io, marshal, zipfile
from hashlib import sha256

def bare(tree):
    """Without docstrings: nobody reads them there."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
                node.body[0:1] = [] if len(node.body) > 1 else [ast.copy_location(ast.Pass(), first)]
    return tree

def compiled(name, raw):
    code = compile(bare(ast.parse(raw)), name, "exec", dont_inherit=True, optimize=0)
    return importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + marshal.dumps(code)

def made(raw):
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

lambda raw: made(raw.to_py().tobytes())
`);
try {
  for (const name of readdirSync(work).filter((one) => one.endsWith(".src.zip")).sort()) {
    const bytes = compile(new Uint8Array(readFileSync(join(work, name)))).toJs();
    writeFileSync(join(work, name.replace(".src.zip", ".zip")), bytes);
  }
} catch (fault) {
  console.error(fault.message);
  process.exit(1);
}
