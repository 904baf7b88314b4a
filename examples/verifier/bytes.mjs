// Bytes as schemas/README.md §1 and §13 write them: u32, LP, base64url, hexadecimal, Crockford base32.

const utf8 = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export const text = (value) => utf8.encode(value);
export const fromUtf8 = (bytes) => strict.decode(bytes); // throws on anything that is not UTF-8

export function concat(...parts) {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

export function u32(n) {
  if (!Number.isInteger(n) || n < 0 || n > 0xffffffff) throw new Error(`${n} does not fit into four bytes`);
  return new Uint8Array([n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255]);
}

// LP(x1, …, xn): each part behind its length. Text stands for its UTF-8 bytes; a number must be given as u32(n).
export function lp(...parts) {
  const pieces = [];
  for (const part of parts) {
    const bytes = typeof part === "string" ? text(part) : part;
    pieces.push(u32(bytes.length), bytes);
  }
  return concat(...pieces);
}

export const equal = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
export const unhex = (digits) => Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));

const ALPHABET64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

export function b64(bytes) {
  let out = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const word = (bytes[i] << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    const digits = [18, 12, 6, 0].map((shift) => ALPHABET64[(word >> shift) & 63]).join("");
    out += digits.slice(0, Math.min(4, bytes.length - i + 1));
  }
  return out;
}

// Only the one canonical spelling: no padding, no foreign characters, unused bits zero.
export function unb64(digits, size) {
  if (typeof digits !== "string" || !/^[A-Za-z0-9_-]*$/.test(digits) || digits.length % 4 === 1) {
    throw new Error("not base64url");
  }
  const out = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let word = 0;
  let bits = 0;
  let at = 0;
  for (const digit of digits) {
    word = ((word << 6) | ALPHABET64.indexOf(digit)) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out[at++] = (word >> bits) & 255;
    }
  }
  if (word & ((1 << bits) - 1)) throw new Error("not canonical base64url: unused bits are set");
  if (size !== undefined && out.length !== size) throw new Error(`expected ${size} bytes, found ${out.length}`);
  return out;
}

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

export function base32(bytes) {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.match(/.{1,5}/g).map((five) => CROCKFORD[parseInt(five.padEnd(5, "0"), 2)]).join("");
}

// `digits` are tidied already (upper case, O read as 0, I and L as 1); fill bits must be zero.
export function unbase32(digits) {
  const out = new Uint8Array(Math.floor((digits.length * 5) / 8));
  let word = 0;
  let bits = 0;
  let at = 0;
  for (const digit of digits) {
    const value = CROCKFORD.indexOf(digit);
    if (value < 0) throw new Error(`${JSON.stringify(digit)} is not a character of this code`);
    word = ((word << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      out[at++] = (word >> bits) & 255;
    }
  }
  if (bits >= 5 || word & ((1 << bits) - 1)) throw new Error("the last character does not fit");
  return out;
}

export const tidy = (typed) => typed.toUpperCase().replaceAll("O", "0").replace(/[IL]/g, "1");
