// An archive whose files are stored as they are, as the page's own are: laid into the file system of Python.

const END = 22;
const ENTRY = 46;
const LOCAL = 30;
const SIGNED = 0x06054b50;

/**
 * @param {ArrayBuffer} raw a zip without a comment, nothing in it compressed
 * @param {string} folder
 * @param {{ mkdirTree(path: string): void, writeFile(path: string, data: Uint8Array): void }} files
 */
export function unpack(raw, folder, files) {
  const view = new DataView(raw);
  const end = raw.byteLength - END;
  if (end < 0 || view.getUint32(end, true) !== SIGNED) throw new Error("no archive");
  const folders = new Set();
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    const [size, letters, more, note, begin] = [view.getUint32(at + 24, true), view.getUint16(at + 28, true), view.getUint16(at + 30, true), view.getUint16(at + 32, true), view.getUint32(at + 42, true)];
    if (view.getUint16(at + 10, true) !== 0) throw new Error("packed");
    const name = new TextDecoder().decode(new Uint8Array(raw, at + ENTRY, letters));
    const from = begin + LOCAL + view.getUint16(begin + 26, true) + view.getUint16(begin + 28, true);
    const path = `${folder}/${name}`;
    const home = path.slice(0, path.lastIndexOf("/"));
    if (!folders.has(home)) files.mkdirTree(home);
    folders.add(home);
    files.writeFile(path, new Uint8Array(raw, from, size));
    at += ENTRY + letters + more + note;
  }
}
