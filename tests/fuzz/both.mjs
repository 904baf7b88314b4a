// Reads one text a line in hexadecimal; prints for each what strict JSON and canonical JSON make of it, as JSON.

import { readFileSync } from "node:fs";
import { fromUtf8, unhex } from "../../examples/verifier/bytes.mjs";
import { canon, parseCanonical, parseStrict } from "../../examples/verifier/json.mjs";

const attempt = (make) => {
  try {
    return canon(make());
  } catch {
    return null;
  }
};
for (const line of readFileSync(0, "utf8").split("\n")) {
  if (line === "") continue;
  const bytes = unhex(line.slice(1));
  console.log(JSON.stringify({ strict: attempt(() => parseStrict(fromUtf8(bytes))), canonical: attempt(() => parseCanonical(bytes)) }));
}
