// Audits many game files in one process: every line of its input is a folder; prints one line of JSON for each file in
// it, then an empty one. It ends with its input.
//
// The files are one match falsified in many ways: most of what is hashed and verified is the same bytes again. SHA-256 and
// Ed25519 are functions of these bytes, so each answer of WebCrypto is cached; the verifier itself asks as always.

import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { audit } from "../../examples/verifier/audit.mjs";

const MOST = 300_000; // answers in the cache

const { subtle } = globalThis.crypto;
const bytes = (data) => Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("latin1");

const digests = new Map();
const digest = subtle.digest.bind(subtle);
subtle.digest = async (how, data) => {
  const name = bytes(data);
  let found = digests.get(name);
  if (found === undefined) {
    if (digests.size > MOST) digests.clear();
    found = await digest(how, data);
    digests.set(name, found);
  }
  return found.slice();
};

const verified = new WeakMap(); // by key
const verify = subtle.verify.bind(subtle);
subtle.verify = async (how, key, signature, data) => {
  if (how !== "Ed25519") return verify(how, key, signature, data);
  if (!verified.has(key)) verified.set(key, new Map());
  const name = `${bytes(signature)}:${createHash("sha256").update(data).digest("latin1")}`;
  const known = verified.get(key);
  if (!known.has(name)) known.set(name, await verify(how, key, signature, data));
  return known.get(name);
};

process.removeAllListeners("warning");
for await (const folder of createInterface({ input: process.stdin })) {
  for (const name of readdirSync(folder).sort()) {
    const report = await audit(new Uint8Array(readFileSync(join(folder, name))));
    console.log(JSON.stringify({ name, ...report.toJSON() }));
  }
  digests.clear(); // the next folder is another match
  console.log();
}
