#!/usr/bin/env node
// pbem: a second verifier, on WebCrypto alone, written from schemas/README.md.
//
//   node verify.mjs game.jsonl [--identity FILE | --secret PAPER] [--game FILE.mjs] [--json]
//
// --game names a module that exports GAMES, as games.mjs does: what must be known of a game
// that is not one of our two. The passphrase of an identity file is asked for, or read from the file that --passphrase-file
// names. Exit codes: 0 nothing wrong was found, 2 wrong use, 4 the file does not verify.

import { aimed, audit, LABELS, STEPS } from "./audit.mjs";
import { GAMES } from "./games.mjs";
import { identityFromPaper, keysOf, secretFromFile, secretFromPaper } from "./identity.mjs";

export { audit, keysOf, secretFromFile, secretFromPaper };

const USAGE = "node verify.mjs game.jsonl [--identity FILE | --secret PAPER] [--passphrase-file FILE] [--game FILE.mjs] [--json]";

const REPLAYED = "What everyone can see was checked by the rules; what a hidden card, a sealed move or a standing order decides, `pbem audit` replays too.";

class Usage extends Error {}

function readArguments(words) {
  const given = { json: false };
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (word === "--json") given.json = true;
    else if (["--identity", "--secret", "--passphrase-file", "--game"].includes(word) && words[i + 1] !== undefined) given[word.slice(2)] = words[++i];
    else if (word.startsWith("-") || given.file) throw new Usage(`not understood: ${word}`);
    else given.file = word;
  }
  if (!given.file) throw new Usage("which game file?");
  return given;
}

async function ask(question) {
  const { createInterface } = await import("node:readline/promises");
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await reader.question(question);
  } finally {
    reader.close();
  }
}

async function keysFrom(given, fs) {
  if (given.secret) return keysOf(await identityFromPaper(given.secret));
  if (!given.identity) return undefined;
  const typed = given["passphrase-file"] ? fs.readFileSync(given["passphrase-file"], "utf8").replace(/\r?\n$/, "") : await ask("Passphrase: ");
  const { scrypt } = await import("node:crypto");
  const derive = (password, salt, logN, r, length) =>
    new Promise((resolve, reject) => {
      const options = { N: 2 ** logN, r, p: 1, maxmem: 2 ** 31 - 1 };
      scrypt(password, salt, length, options, (error, key) => (error ? reject(error) : resolve(new Uint8Array(key))));
    });
  return keysOf(await secretFromFile(fs.readFileSync(given.identity, "utf8"), typed, derive));
}

async function gamesWith(file) {
  if (!file) return GAMES;
  const { pathToFileURL } = await import("node:url");
  const { GAMES: more } = await import(pathToFileURL(file).href);
  if (!more) throw new Usage(`${file} exports no GAMES`);
  return { ...GAMES, ...more };
}

export function inWords(report) {
  const lines = [];
  const { draws } = report;
  if (report.title) lines.push(`${report.title}, ${report.records} records, ${Object.values(report.names).join(", ")}`);
  if (report.fingerprint) lines.push(`Latest record ${report.fingerprint}`);
  lines.push(report.ok ? "Nothing wrong was found." : `This file does not verify: ${report.faults.length} finding(s).`);
  for (const fault of report.faults) lines.push(`  record ${fault.record}, step (${fault.step}) ${STEPS[fault.step]}: ${fault.text} [${fault.code}]`);
  lines.push(`Draws: ${Object.entries(draws).map(([label, count]) => `${count} ${LABELS[label]}`).join(", ")}.`);
  for (const { epoch, record, missing, back } of report.burns) {
    const why = back ? `${back.join(", ")} wrote before it and had no part in it` : `${missing.join(", ")} sent no part of the shuffle in time`;
    lines.push(`Deal ${epoch} is void (record ${record}): ${why}.`);
  }
  for (const epoch of report.epochs) {
    const words = aimed(epoch);
    if (words) lines.push(`Deal ${epoch.number}${words}.`);
  }
  for (const [seat, count] of Object.entries(report.defaults)) lines.push(`${seat} was played for ${count} time(s), being late.`);
  if (report.outcome) lines.push(`Ended; winner: ${report.outcome.winners.join(", ")}.`);
  if (report.seat) lines.push(`Seat ${report.seat.seat}: ${report.seat.packets} packets opened, ${report.seat.draws.length} cards, each as it was committed.`);
  lines.push(...report.notes, report.replayed ? REPLAYED : "The rules of the game were not replayed: `pbem audit` does that too.");
  return lines.join("\n");
}

export async function main(words) {
  const fs = await import("node:fs");
  let given;
  let report;
  try {
    given = readArguments(words);
    const bytes = new Uint8Array(fs.readFileSync(given.file));
    report = await audit(bytes, { keys: await keysFrom(given, fs), games: await gamesWith(given.game) });
  } catch (error) {
    console.error(error instanceof Usage ? `${error.message}\n${USAGE}` : error.message);
    return 2;
  }
  console.log(given.json ? JSON.stringify(report, null, 1) : inWords(report));
  return report.ok ? 0 : 4;
}

const started = typeof process !== "undefined" && process.argv?.[1];
if (started && import.meta.url === (await import("node:url")).pathToFileURL((await import("node:fs")).realpathSync(started)).href) {
  process.removeAllListeners("warning"); // node 20 calls Ed25519 in WebCrypto experimental
  process.exitCode = await main(process.argv.slice(2));
}
