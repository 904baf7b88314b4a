// Which part was touched leads where: the tree of what may be done, walked without asking Python.

/** @import { Branch, Offer, TreeNode } from "../types.js" */

/**
 * The node where one stands after these touches; null where it is not known yet, undefined where they lead nowhere.
 * @param {TreeNode | null | undefined} root
 * @param {string[]} parts
 * @returns {TreeNode | null | undefined}
 */
export function nodeAt(root, parts) {
  let node = root;
  for (const part of parts) {
    if (!node) return node;
    const branch = node.next.find((candidate) => candidate.part === part);
    node = branch ? branch.node : undefined;
  }
  return node;
}

/**
 * A tree in which the branch behind these touches is known.
 * @param {TreeNode} root
 * @param {string[]} parts
 * @param {TreeNode} node
 * @returns {TreeNode}
 */
export function grafted(root, [part, ...rest], node) {
  if (part === undefined) return node;
  const next = root.next.map((branch) => (branch.part !== part || (rest.length && !branch.node) ? branch : { ...branch, node: rest.length ? grafted(/** @type {TreeNode} */ (branch.node), rest, node) : node }));
  return { ...root, next };
}

/** @param {TreeNode | null | undefined} root @param {string[]} parts @returns {Offer | null} */
export const offerAt = (root, parts) => nodeAt(root, parts)?.row ?? null;

/** @param {string[]} parts @param {string[]} others */
export const sameParts = (parts, others) => parts.length === others.length && parts.every((part, at) => part === others[at]);

/**
 * What a touch does: the new list of touched parts, or why it leads nowhere.
 * A part that is no next one begins again where it can; touched again it is let go.
 * @param {TreeNode | null | undefined} root
 * @param {string[]} chosen
 * @param {string} part
 * @param {Record<string, string>} [why]
 * @returns {{ chosen: string[], why: string }}
 */
export function touched(root, chosen, part, why = {}) {
  const node = nodeAt(root, chosen);
  if (node?.next.some((candidate) => candidate.part === part)) return { chosen: [...chosen, part], why: "" };
  const at = chosen.lastIndexOf(part);
  if (at >= 0) return { chosen: chosen.slice(0, at), why: "" };
  // another card, another town: begun again, or in the place of the last one
  for (let keep = chosen.length - 1; keep >= 0; keep -= 1) {
    const before = chosen.slice(0, keep);
    if (nodeAt(root, before)?.next.some((candidate) => candidate.part === part)) return { chosen: [...before, part], why: "" };
  }
  return { chosen, why: why[part] ?? "" };
}

/** What can be touched next, by its part. @param {TreeNode | null | undefined} root @param {string[]} chosen @returns {Map<string, Branch>} */
export function nextOf(root, chosen) {
  return new Map((nodeAt(root, chosen)?.next ?? []).map((branch) => [branch.part, branch]));
}

/**
 * What can be touched and is seen nowhere: buttons, and numbers for a stepper.
 * @param {TreeNode | null | undefined} root
 * @param {string[]} chosen
 * @param {(part: string) => boolean} seen
 * @returns {{ chips: Branch[], numbers: Branch[], current: string }} `current`: the number that is chosen already
 */
export function unseen(root, chosen, seen) {
  const node = nodeAt(root, chosen);
  let numbers = (node?.next ?? []).filter((branch) => branch.number !== null && !seen(branch.part));
  let current = "";
  // the stepper stays while one of its numbers is chosen
  if (!numbers.length && chosen.length) {
    const siblings = (nodeAt(root, chosen.slice(0, -1))?.next ?? []).filter((branch) => branch.number !== null && !seen(branch.part));
    if (siblings.some((branch) => branch.part === chosen.at(-1))) {
      numbers = siblings;
      current = /** @type {string} */ (chosen.at(-1));
    }
  }
  numbers = [...numbers].sort((branch, other) => /** @type {number} */ (branch.number) - /** @type {number} */ (other.number));
  return { chips: (node?.next ?? []).filter((branch) => branch.number === null && !seen(branch.part)), numbers, current };
}

/**
 * Which part a finger means: the smallest one under it that leads on, else one near enough that leads on, else whatever
 * is under it.
 * @param {{ part: string, x: number, y: number, width: number, height: number }[]} boxes
 * @param {(part: string) => boolean} can
 * @param {number} x
 * @param {number} y
 * @param {number} [reach] pixels around a small part that count as it
 */
export function meant(boxes, can, x, y, reach = 22) {
  const under = boxes.filter((box) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height)
    .sort((box, other) => box.width * box.height - other.width * other.height);
  const leading = under.find((box) => can(box.part));
  if (leading) return leading.part;
  const away = (/** @type {{ x: number, y: number, width: number, height: number }} */ box) =>
    Math.hypot(Math.max(box.x - x, 0, x - box.x - box.width), Math.max(box.y - y, 0, y - box.y - box.height));
  const near = boxes.filter((box) => can(box.part) && away(box) <= (Math.min(box.width, box.height) < 2 * reach ? reach : 0))
    .sort((box, other) => away(box) - away(other))[0];
  return near?.part ?? under[0]?.part ?? "";
}

/**
 * The button that says yes takes no tap in its first moments: a finger that was on its way meant something else.
 * @param {number} since when it began to say this
 * @param {number} now
 */
export const settledFor = (since, now) => now - since >= 300;
