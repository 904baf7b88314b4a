// The primitives, on WebCrypto alone (schemas/README.md §1, §2, §3, §12): hashes, HKDF, strict Ed25519, HPKE opening, scrypt.

import { base32, concat, lp, text, u32, unb64 } from "./bytes.mjs";

const subtle = globalThis.crypto.subtle;
const NOTHING = new Uint8Array(0);

export const sha = async (bytes) => new Uint8Array(await subtle.digest("SHA-256", bytes));
export const hmacKey = (key) =>
  subtle.importKey("raw", key.length ? key : new Uint8Array(32), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
export const macWith = async (key, message) => new Uint8Array(await subtle.sign("HMAC", key, message));
export const mac = async (key, message) => macWith(await hmacKey(key), message);

// KDF(key, x1, …) = HKDF-SHA-256 with empty salt and info LP(x1, …), 32 bytes: one block of HKDF-Expand.
export async function kdf(key, ...parts) {
  return expand(await mac(NOTHING, key), lp(...parts), 32);
}

async function expand(prk, info, length) {
  const key = await hmacKey(prk);
  let block = NOTHING;
  let out = NOTHING;
  for (let counter = 1; out.length < length; counter++) {
    block = await macWith(key, concat(block, info, new Uint8Array([counter])));
    out = concat(out, block);
  }
  return out.slice(0, length);
}

// --- Ed25519, the strict rule of schemas/README.md §2 --------------------------------------------------------------

const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const ORDER_EIGHT = [
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd83d3d703a17c7n,
];
const SMALL = new Set([0n, 1n, P - 1n, ...ORDER_EIGHT]); // y of the points whose order divides 8, either sign

function littleEndian(bytes) {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i]);
  return value;
}

// A point encoding that no two verifiers can disagree on: canonical, and of large order.
export function soundPoint(bytes) {
  const y = littleEndian(bytes) & (2n ** 255n - 1n);
  return bytes.length === 32 && y < P && !SMALL.has(y);
}

function power(base, exponent) {
  let out = 1n;
  for (base %= P; exponent; exponent >>= 1n, base = (base * base) % P) if (exponent & 1n) out = (out * base) % P;
  return out;
}

const D = (-121665n * power(121666n, P - 2n) % P) + P;

// A key that people may sign with: sound, and a point of the curve: x² = (y² − 1) / (d y² + 1) has a root.
export function goodSignKey(bytes) {
  if (!soundPoint(bytes)) return false;
  const y = littleEndian(bytes) & (2n ** 255n - 1n);
  const square = ((y * y - 1n + P) * power(D * y * y + 1n, P - 2n)) % P;
  return power(square, (P - 1n) / 2n) === 1n;
}

const SMALL_U = new Set([
  0n, 1n, P - 1n,
  325606250916557431795983626356110631294008115727848805560023387167927233504n,
  39382357235489614581723060781553021112529911719440698176882885853963445705823n,
]);

// A key that people may seal to: canonical, top bit clear, not of small order.
export function goodSealKey(bytes) {
  const u = littleEndian(bytes);
  return bytes.length === 32 && u < P && !SMALL_U.has(u);
}

const imported = new Map();

async function publicKey(bytes) {
  const name = bytes.join();
  if (!imported.has(name)) {
    if (imported.size > 64) imported.clear();
    imported.set(name, await subtle.importKey("raw", bytes, "Ed25519", false, ["verify"]));
  }
  return imported.get(name);
}

export async function verifyEd25519(key, message, signature) {
  if (key.length !== 32 || signature.length !== 64) return false;
  if (!soundPoint(key) || !soundPoint(signature.slice(0, 32))) return false;
  if (littleEndian(signature.slice(32)) >= L) return false;
  try {
    return await subtle.verify("Ed25519", await publicKey(key), signature, message);
  } catch (error) {
    if (error.name === "NotSupportedError") throw error;
    return false;
  }
}

// A file: Ed25519("pbem/1 " kind "\n" canon(body)). A record, by its name: Ed25519(LP("pbem/1 entry", game, u32 seq, name)).
export const verifySigned = (kind, canonical, key, signature) =>
  verifyEd25519(key, text(`pbem/1 ${kind}\n${canonical}`), signature);
export const verifyRecord = (game, seq, name, key, signature) => verifyEd25519(key, lp("pbem/1 entry", game, u32(seq), name), signature);

// --- X25519 and HPKE base mode (RFC 9180; suite 0x0020 0x0001 0x0001) ------------------------------------------------

const pkcs8 = (oid, secret) => concat(Uint8Array.from([0x30, 46, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, oid, 4, 34, 4, 32]), secret);
const BASE_POINT = Uint8Array.from([9, ...new Array(31).fill(0)]);

export async function x25519(secret, point) {
  const own = await subtle.importKey("pkcs8", pkcs8(0x6e, secret), "X25519", false, ["deriveBits"]);
  const other = await subtle.importKey("raw", point, "X25519", false, []);
  const shared = new Uint8Array(await subtle.deriveBits({ name: "X25519", public: other }, own, 256));
  if (shared.every((byte) => byte === 0)) throw new Error("the shared secret is zero");
  return shared;
}

export async function ed25519Public(seed) {
  const { x } = await subtle.exportKey("jwk", await subtle.importKey("pkcs8", pkcs8(0x70, seed), "Ed25519", true, ["sign"]));
  return unb64(x, 32);
}

export const x25519Public = (secret) => x25519(secret, BASE_POINT);

const KEM = concat(text("KEM"), Uint8Array.from([0, 0x20]));
const SUITE = concat(text("HPKE"), Uint8Array.from([0, 0x20, 0, 1, 0, 1]));
const labeledExtract = (suite, salt, label, ikm) => mac(salt, concat(text("HPKE-v1"), suite, text(label), ikm));
const labeledExpand = (suite, prk, label, info, length) =>
  expand(prk, concat(u32(length).slice(2), text("HPKE-v1"), suite, text(label), info), length);

// `sealed` is enc (32 bytes) ‖ ciphertext ‖ tag; throws if it does not open.
export async function hpkeOpen(secret, info, sealed, aad = NOTHING) {
  const { key, nonce } = await hpkeKeys(secret, info, sealed.slice(0, 32));
  return aesOpen(key, nonce, sealed.slice(32), aad);
}

export async function hpkeKeys(secret, info, enc) {
  const dh = await x25519(secret, enc);
  const kemContext = concat(enc, await x25519Public(secret));
  const prk = await labeledExtract(KEM, NOTHING, "eae_prk", dh);
  const shared = await labeledExpand(KEM, prk, "shared_secret", kemContext, 32);
  const pskHash = await labeledExtract(SUITE, NOTHING, "psk_id_hash", NOTHING);
  const infoHash = await labeledExtract(SUITE, NOTHING, "info_hash", info);
  const context = concat(Uint8Array.from([0]), pskHash, infoHash);
  const schedule = await labeledExtract(SUITE, shared, "secret", NOTHING);
  return {
    key: await labeledExpand(SUITE, schedule, "key", context, 16),
    nonce: await labeledExpand(SUITE, schedule, "base_nonce", context, 12),
  };
}

export async function aesOpen(key, nonce, sealed, aad) {
  const opener = await subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
  const how = { name: "AES-GCM", iv: nonce, additionalData: aad, tagLength: 128 };
  return new Uint8Array(await subtle.decrypt(how, opener, sealed));
}

// ISO 7816-4: 0x80, then zeros.
export function unpad(padded) {
  let end = padded.length - 1;
  while (end >= 0 && padded[end] === 0) end--;
  if (end < 0 || padded[end] !== 0x80) throw new Error("the padding is wrong");
  return padded.slice(0, end);
}

// --- scrypt (RFC 7914), by hand: WebCrypto has only the PBKDF2 around it -------------------------------------------------

async function pbkdf2(password, salt, length) {
  if (!password.length) return pbkdf2Empty(salt, length);
  const key = await subtle.importKey("raw", password, "PBKDF2", false, ["deriveBits"]);
  return new Uint8Array(await subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt, iterations: 1 }, key, length * 8));
}

async function pbkdf2Empty(salt, length) {
  let out = NOTHING;
  for (let block = 1; out.length < length; block++) out = concat(out, await mac(NOTHING, concat(salt, u32(block))));
  return out.slice(0, length);
}

function salsa8(B) {
  const x = B.slice();
  const step = (a, b, c, by) => {
    const sum = (x[b] + x[c]) | 0;
    x[a] ^= (sum << by) | (sum >>> (32 - by));
  };
  const quarter = (a, b, c, d) => (step(b, a, d, 7), step(c, b, a, 9), step(d, c, b, 13), step(a, d, c, 18));
  for (let round = 0; round < 4; round++) {
    quarter(0, 4, 8, 12), quarter(5, 9, 13, 1), quarter(10, 14, 2, 6), quarter(15, 3, 7, 11);
    quarter(0, 1, 2, 3), quarter(5, 6, 7, 4), quarter(10, 11, 8, 9), quarter(15, 12, 13, 14);
  }
  for (let i = 0; i < 16; i++) B[i] = (B[i] + x[i]) | 0;
}

function blockMix(B, Y, r) {
  const X = B.slice((2 * r - 1) * 16);
  for (let i = 0; i < 2 * r; i++) {
    for (let j = 0; j < 16; j++) X[j] ^= B[i * 16 + j];
    salsa8(X);
    Y.set(X, ((i & 1) * r + (i >> 1)) * 16);
  }
  B.set(Y);
}

// p = 1, as the identity file has it. Runs on a little-endian machine only (as every browser does).
export async function scrypt(password, salt, logN, r, length) {
  const seed = await pbkdf2(password, salt, 128 * r);
  const B = new Int32Array(seed.buffer);
  const Y = new Int32Array(32 * r);
  const N = 2 ** logN;
  const V = new Int32Array(N * 32 * r);
  for (let i = 0; i < N; i++) {
    V.set(B, i * 32 * r);
    blockMix(B, Y, r);
  }
  for (let i = 0; i < N; i++) {
    const at = (B[(2 * r - 1) * 16] & (N - 1)) * 32 * r;
    for (let j = 0; j < 32 * r; j++) B[j] ^= V[at + j];
    blockMix(B, Y, r);
  }
  return pbkdf2(password, new Uint8Array(B.buffer), length);
}

// The first 100 bits of SHA in Crockford base32, for people who compare by phone: four groups of five.
export async function fingerprint(bytes) {
  return base32(await sha(bytes)).slice(0, 20).match(/.{5}/g).join("-");
}
