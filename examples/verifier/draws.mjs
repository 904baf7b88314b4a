// Lay first, cut later (schemas/README.md §4): chains, streams, shuffles, decks, cuts, rolls, Merkle roots.

import { concat, lp, text, u32 } from "./bytes.mjs";
import { hmacKey, kdf, macWith, sha } from "./crypto.mjs";

export const TAPE_LENGTH = 1024;

// --- chains ---------------------------------------------------------------------------------------------------------

// link_{i−1} from link_i
export const linkBelow = (label, game, i, link) => sha(lp("pbem/1 chain", label, game, u32(i), link));

export async function hashDown(label, game, from, link, to) {
  for (let i = from; i > to; i--) link = await linkBelow(label, game, i, link);
  return link;
}

export const chainTop = (seed, label, game) => kdf(seed, "pbem/1 chain seed", label, game);
export const seatLabel = (seat) => `seat ${seat}`;
export const tapeLabel = (tape, epoch) => `tape ${tape} ${epoch}`;

export async function chainAnchor(seed, label, game, length) {
  return hashDown(label, game, length, await chainTop(seed, label, game), 0);
}

// --- numbers ----------------------------------------------------------------------------------------------------------

// stream(k): MAC(k, u32 0) MAC(k, u32 1) …, as big-endian words; below(n) throws words away rather than be unfair.
export class Stream {
  constructor(key) {
    this.key = hmacKey(key);
    this.block = 0;
    this.words = [];
  }

  async word() {
    if (!this.words.length) {
      const bytes = await macWith(await this.key, u32(this.block++));
      const view = new DataView(bytes.buffer);
      for (let at = 0; at < 32; at += 4) this.words.push(view.getUint32(at));
    }
    return this.words.shift();
  }

  async below(n) {
    const limit = 2 ** 32 - (2 ** 32 % n);
    for (;;) {
      const x = await this.word();
      if (x < limit) return x % n;
    }
  }
}

export async function shuffle(key, items) {
  const out = [...items];
  const stream = new Stream(key);
  for (let i = out.length - 1; i > 0; i--) {
    const j = await stream.below(i + 1);
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}

// --- decks ------------------------------------------------------------------------------------------------------------

const byBytes = (a, b) => {
  const [x, y] = [text(a), text(b)];
  for (let i = 0; i < Math.min(x.length, y.length); i++) if (x[i] !== y[i]) return x[i] - y[i];
  return x.length - y.length;
};

export const sortCards = (cards) => [...cards].sort(byBytes);

export const seedCommit = (game, epoch, seed) => sha(lp("pbem/1 seed commit", game, u32(epoch), seed));

// The cards by place, as the seed lays them.
export async function hiddenOrder(seed, game, epoch, deck, gen, cards) {
  return shuffle(await kdf(seed, "pbem/1 hide", game, u32(epoch), deck, u32(gen)), sortCards(cards));
}

export async function placeSalts(seed, game, epoch, deck, gen, size) {
  const key = await hmacKey(await kdf(seed, "pbem/1 salt", game, u32(epoch), deck, u32(gen)));
  const salts = [];
  for (let i = 0; i < size; i++) salts.push((await macWith(key, u32(i))).slice(0, 16));
  return salts;
}

const LEAF = new Uint8Array([0]);
const NODE = new Uint8Array([1]);

export const leaf = (game, epoch, deck, gen, place, salt, card) =>
  sha(concat(LEAF, lp("pbem/1 card", game, u32(epoch), deck, u32(gen), u32(place), salt, card)));

// `links` are [seat, link] of every announced seat.
export function entropy(game, epoch, links) {
  const sorted = [...links].sort(([a], [b]) => byBytes(a, b));
  return sha(lp("pbem/1 entropy", game, u32(epoch), ...sorted.flat()));
}

export async function cutOrder(entropyBytes, deck, gen, size) {
  return shuffle(await kdf(entropyBytes, "pbem/1 cut", deck, u32(gen)), [...Array(size).keys()]);
}

export async function rollValue(link, entropyBytes, tape, j, sides) {
  const key = await kdf(link, "pbem/1 roll", entropyBytes, tape, u32(j));
  return 1 + (await new Stream(key).below(sides));
}

export const packetSalt = async (seed, game, seq, seat) =>
  (await kdf(seed, "pbem/1 packet salt", game, u32(seq), seat)).slice(0, 16);

// --- Merkle (RFC 6962): leaves are leaf hashes already ------------------------------------------------------------------

const split = (size) => 2 ** Math.ceil(Math.log2(size) - 1);

export async function merkleRoot(leaves) {
  if (leaves.length === 0) return sha(new Uint8Array(0));
  if (leaves.length === 1) return leaves[0];
  const k = split(leaves.length);
  return sha(concat(NODE, await merkleRoot(leaves.slice(0, k)), await merkleRoot(leaves.slice(k))));
}

export async function merklePath(leaves, at) {
  if (leaves.length === 1) return [];
  const k = split(leaves.length);
  if (at < k) return [...(await merklePath(leaves.slice(0, k), at)), await merkleRoot(leaves.slice(k))];
  return [...(await merklePath(leaves.slice(k), at - k)), await merkleRoot(leaves.slice(0, k))];
}

export async function rootFromPath(leafHash, at, size, path) {
  if (size === 1) {
    if (path.length) throw new Error("the path is too long");
    return leafHash;
  }
  if (!path.length) throw new Error("the path is too short");
  const k = split(size);
  const [rest, last] = [path.slice(0, -1), path.at(-1)];
  if (at < k) return sha(concat(NODE, await rootFromPath(leafHash, at, k, rest), last));
  return sha(concat(NODE, last, await rootFromPath(leafHash, at - k, size - k, rest)));
}

