// node pack.mjs FOLDER NAME...: lays each file packed beside itself (NAME.br, NAME.gz), where that spares a tenth, so
// that a server need not pack anything while somebody waits. sizes.json tells for each way how large they are then, for
// whoever counts bytes on the line.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const [folder, ...names] = process.argv.slice(2);
const sizes = { br: {}, gzip: {} };
const ends = { br: ".br", gzip: ".gz" };

function pack(name) {
  const raw = readFileSync(join(folder, name));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length };
  const ways = { br: brotliCompressSync(raw, { params }), gzip: gzipSync(raw, { level: 9 }) };
  for (const [way, packed] of Object.entries(ways)) {
    if (packed.length >= 0.9 * raw.length) continue;
    sizes[way][name] = packed.length;
    writeFileSync(join(folder, name + ends[way]), packed);
  }
}

for (const name of names) pack(name);
writeFileSync(join(folder, "sizes.json"), JSON.stringify(sizes));
pack("sizes.json");
