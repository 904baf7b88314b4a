// Text armour (schemas/README.md §13): the signed files that stand in a mail as blocks of letters and digits.

import { equal, tidy, unbase32 } from "./bytes.mjs";
import { sha } from "./crypto.mjs";
import { Malformed, MAX_FILE, parseCanonical } from "./json.mjs";

const MAX_TEXT = 4 * 1024 * 1024;
const MAX_BLOCK = 120_000;
const BEGIN = tidy("PBEM1BEGIN");
const END = tidy("PBEM1END");

// Letters and digits only; those of other alphabets stay, so that they are refused and not dropped.
const letters = (text) => text.replace(/[^\p{L}\p{N}]/gu, "").replace(/[A-Za-z0-9]+/g, tidy);

// The canonical JSON of every block in decoded text (MIME, tags and entities undone); the same block twice counts once.
export async function findBlocks(text) {
  if (text.length > MAX_TEXT) throw new Malformed("too long to look for blocks");
  const [before, ...pieces] = letters(text).split(BEGIN);
  if (before.includes(END)) throw new Malformed("a block was cut off: its end stands there without its beginning");
  const found = new Map();
  for (const piece of pieces) {
    const bytes = await readBlock(piece);
    found.set(bytes.join(), bytes);
  }
  return [...found.values()];
}

async function readBlock(piece) {
  const end = piece.indexOf(END);
  if (end < 0) throw new Malformed("the block was cut off");
  if (end > MAX_BLOCK) throw new Malformed("the block is too long");
  let data;
  try {
    data = unbase32(piece.slice(0, end));
  } catch (error) {
    throw new Malformed(`the block is damaged: ${error.message}`);
  }
  const packed = data.slice(0, -4);
  if (!equal((await sha(packed)).slice(0, 4), data.slice(-4))) throw new Malformed("the block is damaged: its checksum does not fit");
  const line = await inflate(packed);
  if (await inflate(packed.slice(0, -1)).then(() => true, () => false)) throw new Malformed("something follows the zlib stream");
  parseCanonical(line, MAX_FILE);
  return line;
}

export async function inflate(packed, most = MAX_FILE) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const reader = stream.getReader();
  const chunks = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > most) throw new Malformed(`the block holds more than ${most} bytes`);
      chunks.push(value);
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    throw error instanceof Malformed ? error : new Malformed("the block is damaged: it does not unpack");
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
