// Other people's vectors, put to the second verifier: node foreign.mjs FOLDER prints the names of those that do not hold.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { concat, hex, text, unhex } from "../../examples/verifier/bytes.mjs";
import * as crypto from "../../examples/verifier/crypto.mjs";
import { merklePath, merkleRoot, rootFromPath } from "../../examples/verifier/draws.mjs";
import { canon, parseStrict } from "../../examples/verifier/json.mjs";

process.removeAllListeners("warning");
const read = (name) => JSON.parse(readFileSync(join(argv[2], name), "utf8"));
const wrong = [];
let asked = 0;
const check = (name, holds) => {
  asked++;
  if (!holds) wrong.push(name);
};

const rfc = read("rfc.json");
for (const { about, key, secret, msg, sig } of rfc.ed25519) {
  check(about, await crypto.verifyEd25519(unhex(key), unhex(msg), unhex(sig)));
  check(about, hex(await crypto.ed25519Public(unhex(secret))) === key);
  check(about, !(await crypto.verifyEd25519(unhex(key), concat(unhex(msg), text("x")), unhex(sig))));
}
for (const one of rfc.hpke) {
  const { key, nonce } = await crypto.hpkeKeys(unhex(one.secret), unhex(one.info), unhex(one.enc));
  check(one.about, hex(key) === one.key && hex(nonce) === one.nonce);
  const sealed = concat(unhex(one.enc), unhex(one.ct));
  check(one.about, hex(await crypto.hpkeOpen(unhex(one.secret), unhex(one.info), sealed, unhex(one.aad))) === one.pt);
}
for (const { about, ikm, okm } of rfc.hkdf) check(about, hex(await crypto.kdf(unhex(ikm))) === okm);
for (const { about, password, salt, log_n: logN, r, out } of rfc.scrypt) {
  check(about, hex(await crypto.scrypt(text(password), text(salt), logN, r, 64)) === out);
}
for (const one of rfc.canonical) {
  let found;
  try {
    found = canon(parseStrict(one.text));
  } catch {
    found = undefined;
  }
  check(one.about, found === one.canonical);
}
const leaves = [];
for (const [i, leaf] of rfc.tree.leaves.entries()) {
  leaves.push(await crypto.sha(concat(new Uint8Array(1), unhex(leaf))));
  check(`6962, tree of ${i + 1}`, hex(await merkleRoot(leaves)) === rfc.tree.roots[i]);
  const path = await merklePath(leaves, i);
  check(`6962, path of ${i}`, hex(await rootFromPath(leaves[i], i, leaves.length, path)) === rfc.tree.roots[i]);
}
for (const { id, key, msg, sig, result } of read("wycheproof-ed25519.json").cases) {
  const holds = await crypto.verifyEd25519(unhex(key), unhex(msg), unhex(sig));
  check(`Wycheproof Ed25519 ${id}`, holds === (result === "valid"));
}
for (const { id, public: point, private: secret, shared, flags } of read("wycheproof-x25519.json").cases) {
  let found;
  try {
    found = hex(await crypto.x25519(unhex(secret), unhex(point)));
  } catch {
    found = "refused";
  }
  check(`Wycheproof X25519 ${id}`, found === (flags.includes("ZeroSharedSecret") ? "refused" : shared));
}
console.log(JSON.stringify({ asked, wrong }));
