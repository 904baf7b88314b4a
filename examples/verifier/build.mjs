// Puts the schemas of the games' options and boards into schemas.mjs, and all modules and page.html together into
// verifier.html, one file that works from a disk: node build.mjs [--check]

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { argv, exit } from "node:process";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const SCHEMAS = ["way-out-west/board", "way-out-west/options", "wyatt-earp/options"];
const ORDER = [];
const IMPORT = /^import \{[^}]*\} from "\.\/([a-z]+\.mjs)";\n/gm;

// Modules stand after those that they import.
function visit(name) {
  if (ORDER.includes(name)) return;
  const source = readFileSync(join(here, name), "utf8");
  for (const [, other] of source.matchAll(IMPORT)) visit(other);
  ORDER.push(name);
}

// Each module in a function of its own, so that their private names stay apart.
function wrapped(name) {
  const source = readFileSync(join(here, name), "utf8");
  const own = (other) => `m_${other.replace(".mjs", "")}`;
  const imports = [...source.matchAll(/^import \{([^}]*)\} from "\.\/([a-z]+\.mjs)";\n/gm)]
    .map(([, names, other]) => `const {${names.replaceAll(/ as /g, ": ")}} = ${own(other)};\n`)
    .join("");
  const exported = [...source.matchAll(/^export (?:async )?(?:function|class|const) ([A-Za-z0-9_]+)/gm)].map(([, found]) => found);
  const body = source.replaceAll(IMPORT, "").replaceAll(/^export (?=async |function|class|const)/gm, "");
  if (/^(import|export) /m.test(body)) throw new Error(`${name}: an import or export that the page cannot hold`);
  return `// ${name}\nconst ${own(name)} = (() => {\n${imports}${body}return { ${exported.join(", ")} };\n})();\n`;
}

function schemas() {
  const read = (name) => {
    const { $schema, ...schema } = JSON.parse(readFileSync(join(here, "..", "..", "schemas", `${name}.schema.json`), "utf8"));
    return schema; // the page holds no address of the web
  };
  const all = Object.fromEntries(SCHEMAS.map((name) => [name, read(name)]));
  const lines = Object.entries(all).map(([name, schema]) => `  ${JSON.stringify(name)}: ${JSON.stringify(schema)},\n`);
  return `// Made by build.mjs from schemas/.\n\nexport const SCHEMAS = {\n${lines.join("")}};\n\nexport const UNICODE = ${unicode()};\n`;
}

function unicode() {
  const { about, ...data } = JSON.parse(readFileSync(join(here, "..", "..", "schemas", "unicode.json"), "utf8"));
  return JSON.stringify(data);
}

function page() {
  visit("page.mjs");
  const code = ORDER.map(wrapped).join("\n");
  if (code.includes("</script")) throw new Error("a module would end the script");
  return readFileSync(join(here, "page.html"), "utf8").replace("/* THE MODULES */", () => code);
}

const checks = argv.includes("--check");
let same = true;
for (const [name, make] of Object.entries({ "schemas.mjs": schemas, "verifier.html": page })) {
  const target = join(here, name);
  const text = make();
  if (!checks) writeFileSync(target, text);
  else same &&= readFileSync(target, "utf8") === text;
}
exit(same ? 0 : 1);
