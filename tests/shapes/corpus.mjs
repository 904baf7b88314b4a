// Reads schemas and values as one JSON text; prints a line for each schema: 1 for each value that it allows, 0 for others.

import { readFileSync } from "node:fs";
import { schemaFault } from "../../examples/verifier/schema.mjs";

const { schemas, values } = JSON.parse(readFileSync(0, "utf8"));
for (const schema of schemas) console.log(values.map((value) => (schemaFault(schema, value) ? "0" : "1")).join(""));
