// Reads the body of one genesis record a line as JSON; prints for each what is wrong with its terms, or an empty line.
// An argument names the module of another game.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { GAMES as OURS } from "../../examples/verifier/games.mjs";
import { genesisFault } from "../../examples/verifier/setup.mjs";

const [, , other] = process.argv;
const GAMES = other ? (await import(pathToFileURL(other).href)).GAMES : OURS;
process.removeAllListeners("warning");
const out = [];
for (const line of readFileSync(0, "utf8").split("\n")) {
  if (!line) continue;
  const body = JSON.parse(line);
  out.push((genesisFault(GAMES[body.rules.id], body) ?? "").replaceAll("\n", " "));
}
console.log(out.join("\n"));
