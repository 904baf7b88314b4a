// The primitives of the player in a browser page: what pbem/protocol/crypto/foreign.py asks for.
//
// libsodium verifies, always, so that no browser's taste decides: its equation has no cofactor and it refuses S that is
// not below the order, as the program's own library does. AES-GCM comes from noble-ciphers, since libsodium has it only
// where the processor has, and WebCrypto answers later. Bytes are text of one character a byte, on both ways; null is a
// refusal.

import sodium from 'libsodium-wrappers-sumo';
import { gcm } from '@noble/ciphers/aes.js';

const bytesOf = (text) => {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
};
const textOf = (bytes) => {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
};

/** The functions for `pbem.protocol.crypto.foreign.of_page`, once libsodium is ready. */
export async function provide() {
  await sodium.ready;
  const keys = (seed) => sodium.crypto_sign_seed_keypair(bytesOf(seed));
  const orNull = (sum) => {
    try {
      return textOf(sum());
    } catch {
      return null;
    }
  };
  return {
    signPublic: (seed) => textOf(keys(seed).publicKey),
    sign: (seed, message) => textOf(sodium.crypto_sign_detached(bytesOf(message), keys(seed).privateKey)),
    verifies: (key, message, signature) => {
      try {
        return sodium.crypto_sign_verify_detached(bytesOf(signature), bytesOf(message), bytesOf(key)) === true;
      } catch {
        return false;
      }
    },
    agree: (scalar, key) => orNull(() => sodium.crypto_scalarmult(bytesOf(scalar), bytesOf(key))),
    gcmSeal: (key, nonce, plain, data) =>
      textOf(gcm(bytesOf(key), bytesOf(nonce), bytesOf(data)).encrypt(bytesOf(plain))),
    gcmOpen: (key, nonce, sealed, data) =>
      orNull(() => gcm(bytesOf(key), bytesOf(nonce), bytesOf(data)).decrypt(bytesOf(sealed))),
    scrypt: (password, salt, logN, r, p) =>
      textOf(sodium.crypto_pwhash_scryptsalsa208sha256_ll(bytesOf(password), bytesOf(salt), 2 ** logN, r, p, 32)),
  };
}
