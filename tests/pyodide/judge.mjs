// Python in WebAssembly as the page has it, answering one question a line: node judge.mjs SET-UP, where SET-UP is JSON
// {"web": folder of package.json, "root": the repository, "packages": {name: folder}, "cache": folder}.

import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const setUp = JSON.parse(process.argv[2]);
const at = (...parts) => import(pathToFileURL(join(setUp.web, ...parts)));
const { loadPyodide } = await at("node_modules/pyodide/pyodide.mjs");
const { provide } = await at("primitives.mjs");

const say = (text) => process.stderr.write(`${text}\n`);
const pyodide = await loadPyodide({ stdout: say, stderr: say });
const mount = (place, root) => {
  pyodide.FS.mkdirTree(place);
  pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root }, place);
};
mount("/repo", setUp.root);
mount("/cache", setUp.cache);
for (const [name, folder] of Object.entries(setUp.packages)) mount(`/site/${name}`, folder);
pyodide.registerJsModule("pbem_primitives", await provide());
const ask = pyodide.runPython(`
import sys
sys.path[:0] = ["/repo", "/site"]
sys.pycache_prefix = "/cache"
import pbem_primitives
from pbem.protocol.crypto.foreign import of_page
from pbem.protocol.crypto.provider import use
use(of_page(pbem_primitives))
from tests.pyodide.questions import ask_text
ask_text
`);

const answer = (line) => {
  try {
    return `{"ok":${ask(line)}}`;
  } catch (fault) {
    return JSON.stringify({ fault: String(fault.message ?? fault) });
  }
};
const seconds = () => {
  const used = process.cpuUsage();
  return (used.user + used.system) / 1e6;
};
process.stdout.write(`${JSON.stringify({ ok: pyodide.version, seconds: seconds() })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${answer(line)}\n${JSON.stringify({ seconds: seconds() })}\n`);
}
