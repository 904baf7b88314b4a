// Audits many game files in one process: every argument is a folder; prints one line of JSON for each file in it.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { audit } from "../../examples/verifier/audit.mjs";

process.removeAllListeners("warning");
for (const folder of process.argv.slice(2)) {
  for (const name of readdirSync(folder).sort()) {
    const report = await audit(new Uint8Array(readFileSync(join(folder, name))));
    console.log(JSON.stringify({ name, ...report.toJSON() }));
  }
}
