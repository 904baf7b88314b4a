// node pack.mjs FOLDER NAME...: lays each file packed beside itself (NAME.br, NAME.gz), where that spares a tenth, so
// that a server need not pack anything while somebody waits. The same bytes for the same file.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const [folder, ...names] = process.argv.slice(2);
for (const name of names) {
  const raw = readFileSync(join(folder, name));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length };
  const ways = { ".br": brotliCompressSync(raw, { params }), ".gz": gzipSync(raw, { level: 9 }) };
  for (const [end, packed] of Object.entries(ways)) if (packed.length < 0.9 * raw.length) writeFileSync(join(folder, name + end), packed);
}
