// A seat's keys (schemas/README.md §12): from the identity file and its passphrase, or from the paper backup.

import { b64, base32, concat, equal, lp, text, tidy, unb64, unbase32 } from "./bytes.mjs";
import { aesOpen, ed25519Public, kdf, scrypt, sha, x25519Public } from "./crypto.mjs";
import { canon, Malformed, parseStrict } from "./json.mjs";

const MAX_LOG_N = 20;

export async function keysOf(secret) {
  const seal = await kdf(secret, "pbem/1 seal");
  return { secret, seal, sealPublic: await x25519Public(seal) };
}

export async function publicKeys(secret) {
  return { sign: await ed25519Public(await kdf(secret, "pbem/1 sign")), seal: (await keysOf(secret)).sealPublic };
}

const paperCheck = async (secret, what) => (await sha(lp("pbem/1 paper", what, secret))).slice(0, 3);

export async function toPaper(secret) {
  return base32(concat(secret, await paperCheck(secret, "identity"))).match(/.{4}/g).join(" ");
}

// 32 bytes and the first three of SHA(LP("pbem/1 paper", what, secret)), in Crockford base32; what: identity or recovery.
export async function secretFromPaper(typed, what = "identity") {
  const data = unbase32(tidy(typed.replace(/[\s-]/g, "")));
  if (data.length !== 35) throw new Error(`a paper backup has 56 letters and digits, this gives ${data.length} bytes`);
  const secret = data.slice(0, 32);
  if (!equal(await paperCheck(secret, what), data.slice(32))) throw new Error("the paper's checksum does not fit: a character is wrong");
  return secret;
}

// The secret of an identity from either of its papers: its own, or the one of the recovery secret that it comes from.
export async function identityFromPaper(typed) {
  try {
    return await secretFromPaper(typed);
  } catch (fault) {
    const recovery = await secretFromPaper(typed, "recovery").catch(() => {
      throw fault;
    });
    return kdf(recovery, "pbem/1 identity");
  }
}

// key = scrypt(passphrase in NFKC); box = AES-256-GCM of the secret, nonce zero, associated data canon(header).
export async function secretFromFile(source, passphrase, derive = scrypt) {
  const { header, box } = parseStrict(source);
  const { alg, log_n: logN, r, p, salt } = header.kdf;
  if (header.pbem !== "identity/1" || alg !== "scrypt" || r !== 8 || p !== 1) throw new Malformed("not an identity file");
  if (!(logN >= 1 && logN <= MAX_LOG_N)) throw new Malformed(`the work factor ${logN} is too big`);
  const key = await derive(text(passphrase.normalize("NFKC")), unb64(salt, 16), logN, r, 32);
  let secret;
  try {
    secret = await aesOpen(key, new Uint8Array(12), unb64(box, 48), text(canon(header)));
  } catch {
    throw new Error("the passphrase does not open this identity");
  }
  const { sealPublic } = await keysOf(secret);
  if (b64(sealPublic) !== header.seal) throw new Error("the public keys in the identity file are not those of its secret");
  return secret;
}

