// A drawing as a PNG that other programs can show, with our own letters in it: nobody else has them.
import { base64 } from "./bytes.mjs";
import { drawing } from "./svg.mjs";
import { h, render } from "./view.mjs";

/** @import { Picture } from "../types.js" */

/** Our letters by the names that drawings have for them. */
export const FACES = { "Pbem Text": "pbem-text.ttf", "Pbem Poster": "pbem-poster.ttf" };
const ZOOM = 2;

/** @param {string} name */
async function face(name) {
  const raw = await (await fetch(/** @type {Record<string, string>} */ (FACES)[name])).arrayBuffer();
  return `@font-face { font-family: "${name}"; src: url("data:font/ttf;base64,${base64(new Uint8Array(raw))}"); }`;
}

/** @param {Picture} picture @returns {Promise<Blob>} */
export async function pngOf({ tree, width, height }) {
  const place = document.createElement("div");
  const [tag, given, ...inside] = tree;
  render(h("div", null, drawing([tag, { ...given, width, height }, ...inside])), place);
  const faces = await Promise.all(Object.keys(FACES).map(face));
  const svg = /** @type {Element} */ (place.querySelector("svg"));
  const text = new XMLSerializer().serializeToString(svg).replace(">", `><style>${faces.join("")}</style>`);
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: width * ZOOM, height: height * ZOOM });
    const paper = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    paper.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("no picture"))), "image/png"));
  } finally {
    URL.revokeObjectURL(url);
  }
}
