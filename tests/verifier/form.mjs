// Reads one signed file a line as JSON; prints for each what is wrong with its form as a record, or an empty line.

import { readFileSync } from "node:fs";
import { recordFault } from "../../examples/verifier/members.mjs";

process.removeAllListeners("warning");
const out = [];
for (const line of readFileSync(0, "utf8").split("\n")) if (line) out.push((recordFault(JSON.parse(line)) ?? "").replaceAll("\n", " "));
console.log(out.join("\n"));
