// A drawing that came as a tree is built from an allow list: elements, attributes, nothing else. A name that is not
// on it, a value that could load or run something: left out, with whatever lies below an unknown element.
import { h } from "./view.mjs";

/** @import { Picture, Tree } from "../types.js" */

const ELEMENTS = new Set(["svg", "g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "title", "desc"]);
const ATTRIBUTES = new Set([
  "data-part", "x", "y", "dx", "dy", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "width", "height", "viewBox", "d", "points",
  "transform", "fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-dashoffset",
  "stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "opacity", "font-family", "font-size", "font-weight", "font-style", "text-anchor",
  "dominant-baseline", "letter-spacing", "textLength", "lengthAdjust", "preserveAspectRatio", "paint-order",
]);
const VALUE = /^(?:(?:matrix|translate|rotate|scale|skewX|skewY)\([-+0-9.eE,\s]*\)[\s,]*)+$|^[^()<>]*$/;
const DEPTH = 24;

/**
 * Whether an attribute of a tree may be on the screen.
 * @param {string} name
 * @param {unknown} value
 */
export const allowed = (name, value) => ATTRIBUTES.has(name) && (typeof value === "number" || (typeof value === "string" && VALUE.test(value)));

/**
 * @param {Tree | string | null | undefined} tree
 * @param {(part: string) => string} [look] classes of an element that is a part
 * @param {number} [depth]
 * @returns {any} what `view.mjs` draws; null for what is not allowed
 */
export function drawing(tree, look = () => "", depth = 0) {
  if (typeof tree === "string") return depth ? tree : null;
  if (!Array.isArray(tree) || depth > DEPTH || !ELEMENTS.has(tree[0])) return null;
  const [tag, given, ...inside] = tree;
  /** @type {Record<string, unknown>} */
  const attributes = {};
  for (const [name, value] of Object.entries(given || {})) if (allowed(name, value)) attributes[name] = value;
  const part = attributes["data-part"];
  if (typeof part === "string") {
    const looks = look(part);
    if (looks) attributes.class = looks;
  }
  return h(tag, attributes, ...inside.map((/** @type {any} */ child) => drawing(child, look, depth + 1)));
}

/** The drawing of a picture, as large as its place. @param {Pick<Picture, "tree" | "width" | "height">} picture @returns {Tree} */
export function sized({ tree: [tag, given, ...inside], width, height }) {
  return [tag, { ...given, viewBox: given.viewBox ?? `0 0 ${width} ${height}`, width: "100%", height: "100%" }, ...inside];
}

/** The boxes of all parts of a drawing on the screen. @param {Element} place */
export function boxesOf(place) {
  return [...place.querySelectorAll("[data-part]")].map((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { part: element.getAttribute("data-part") || "", x, y, width, height };
  });
}

/**
 * The parts of a drawing, in the order in which they are drawn.
 * @param {Tree | string | null | undefined} tree
 * @param {Set<string>} [parts]
 */
export function partsOf(tree, parts = new Set()) {
  if (!Array.isArray(tree)) return parts;
  const [, given, ...inside] = tree;
  if (typeof given?.["data-part"] === "string") parts.add(given["data-part"]);
  for (const child of inside) partsOf(child, parts);
  return parts;
}

/**
 * A drawing in which some parts are drawn again.
 * @param {Tree | string} tree
 * @param {Record<string, Tree>} parts
 * @returns {Tree | string}
 */
export function replaced(tree, parts) {
  if (!Array.isArray(tree)) return tree;
  const [tag, given, ...inside] = tree;
  const fresh = given && parts[/** @type {string} */ (given["data-part"])];
  if (fresh) return fresh;
  return /** @type {Tree} */ ([tag, given, ...inside.map((/** @type {any} */ child) => replaced(child, parts))]);
}

/**
 * One part of a drawing, with whatever moves it to its place left out of the way.
 * @param {Tree | string | null | undefined} tree
 * @param {string} part
 * @returns {Tree | null}
 */
export function partOf(tree, part) {
  if (!Array.isArray(tree)) return null;
  const [, given, ...inside] = tree;
  if (given?.["data-part"] === part) return tree;
  for (const child of inside) {
    const inner = partOf(/** @type {any} */ (child), part);
    if (inner) return inner;
  }
  return null;
}
