// The questions of the vectors, answered by the second verifier: node operations.mjs FILE… prints an answer for each case.

import { readFileSync } from "node:fs";
import { argv } from "node:process";
import { fingerprint } from "../../examples/verifier/crypto.mjs";
import { findBlocks } from "../../examples/verifier/armour.mjs";
import { b64, equal, fromUtf8, lp, text, u32, unb64 } from "../../examples/verifier/bytes.mjs";
import { packetCommit, partCommit } from "../../examples/verifier/close.mjs";
import { hpkeOpen, sha, verifyRecord, verifySigned } from "../../examples/verifier/crypto.mjs";
import * as draws from "../../examples/verifier/draws.mjs";
import { keysOf, publicKeys, secretFromFile, secretFromPaper, toPaper } from "../../examples/verifier/identity.mjs";
import { canon, Malformed, parseCanonical, parseStrict } from "../../examples/verifier/json.mjs";
import { MESSAGES, recordFault } from "../../examples/verifier/members.mjs";
import { partCost } from "../../examples/verifier/match.mjs";
import { openPacket, openPart } from "../../examples/verifier/seat.mjs";
import { roomFor } from "../../examples/verifier/steps.mjs";

process.removeAllListeners("warning");

class Fails extends Error {}

const need = (holds, why) => {
  if (!holds) throw new Fails(why);
};

async function trying(why, run) {
  try {
    return await run();
  } catch (error) {
    throw error instanceof Fails ? error : new Fails(why, { cause: error });
  }
}

const signed = async (kind, file, key) => {
  const holds = await verifySigned(kind, canon(file.body), unb64(key), unb64(file.sig.value));
  need(holds && file.sig.key === key, "signature");
};

async function sealedPart({ part, game, seat, n, secret, sealed }, own) {
  const label = part === "order" ? "order" : "sealed";
  const member = part === "order" ? "order" : "actions";
  const keys = await keysOf(unb64(secret));
  const inside = await trying("seal", () => openPart(keys, label, unb64(game), seat, n, sealed, own));
  need(Object.keys(inside).sort().join() === [member, "salt"].sort().join(), "seal");
  const content = inside[member];
  const commit = await partCommit(part === "order" ? "orders" : "sealed", unb64(game), seat, n, unb64(inside.salt, 16), content);
  need(b64(commit) === sealed.commit, "commit");
  return { salt: inside.salt, content };
}

async function laid({ seed, game, epoch, deck, gen, cards }) {
  const places = await draws.hiddenOrder(unb64(seed), unb64(game), epoch, deck, gen, cards);
  const salts = await draws.placeSalts(unb64(seed), unb64(game), epoch, deck, gen, cards.length);
  const leaves = [];
  for (const [place, card] of places.entries()) leaves.push(b64(await draws.leaf(unb64(game), epoch, deck, gen, place, salts[place], card)));
  return { places, leaves };
}

const OPERATIONS = {
  canonical: ({ text: source }) => trying("malformed", () => ({ canonical: canon(parseStrict(source)) })),
  line: ({ line }) => trying("malformed", () => ({ value: parseCanonical(text(line)) })),
  async turn({ kind, key, text: source }) {
    const file = await trying("malformed", () => parseStrict(source));
    need(!MESSAGES.turn(file), "malformed");
    await signed(kind, file, key);
    return { hash: b64(await sha(text(canon(file.body)))) };
  },
  async record({ line, game, key, prev }) {
    const file = await trying("malformed", () => parseCanonical(text(line)));
    need(!recordFault(file), "malformed");
    const name = await sha(text(canon(file.body)));
    const holds = await verifyRecord(unb64(game), file.body.seq, name, unb64(key), unb64(file.sig.value));
    need(holds && file.sig.key === key, "signature");
    need(file.body.prev === prev, "prev");
    return { hash: b64(name) };
  },
  async seen({ game, key, seen: { seq, line, sig } }) {
    return { proves: await verifyRecord(unb64(game), seq, unb64(line), unb64(key), unb64(sig)) };
  },
  async packet({ secret, game, seq, seat, packet }) {
    const keys = await keysOf(unb64(secret));
    const { salt, body } = await trying("seal", () => openPacket(keys, unb64(game), seq, seat, packet.ct));
    need(b64(await packetCommit(unb64(game), seq, seat, unb64(salt, 16), body)) === packet.commit, "commit");
    return { body };
  },
  sealed: (given) => sealedPart(given, false),
  own: (given) => sealedPart(given, true),
  async chain({ label, game, seed, length, elements }) {
    const top = await draws.chainTop(unb64(seed), label, unb64(game));
    const at = async (i) => b64(await draws.hashDown(label, unb64(game), length, top, i));
    const links = {};
    for (const i of elements) links[i] = await at(i);
    return { anchor: await at(0), links };
  },
  async link({ label, game, index, link, known, value }) {
    need(b64(await draws.hashDown(label, unb64(game), index, unb64(link), known)) === value, "link");
    return {};
  },
  async cut({ game, epoch, links, deck, gen, size }) {
    const pairs = Object.entries(links).map(([seat, link]) => [seat, unb64(link)]);
    const value = await draws.entropy(unb64(game), epoch, pairs);
    return { entropy: b64(value), cut: await draws.cutOrder(value, deck, gen, size) };
  },
  async shot({ game, epoch, deck, gen, entropy, k, place, card, salt, leaves }) {
    const cut = await draws.cutOrder(unb64(entropy), deck, gen, leaves.length);
    need(cut[k] === place, "place");
    need(b64(await draws.leaf(unb64(game), epoch, deck, gen, place, unb64(salt), card)) === leaves[place], "leaf");
    return {};
  },
  async tree({ leaves, place }) {
    const nodes = leaves.map((one) => unb64(one));
    return { root: b64(await draws.merkleRoot(nodes)), path: (await draws.merklePath(nodes, place)).map(b64) };
  },
  async proof({ leaf, place, size, path, root }) {
    const found = await trying("path", () => draws.rootFromPath(unb64(leaf), place, size, path.map((part) => unb64(part))));
    need(equal(found, unb64(root)), "path");
    return {};
  },
  async roll({ game, epoch, entropy, tape, j, sides, link, before, value }) {
    const below = await draws.linkBelow(draws.tapeLabel(tape, epoch), unb64(game), j, unb64(link));
    need(b64(below) === before, "roll-link");
    need((await draws.rollValue(unb64(link), unb64(entropy), tape, j, sides)) === value, "roll-value");
    return {};
  },
  laid,
  async reshuffle(given) {
    const made = await laid(given);
    need(canon(made.leaves) === canon(given.leaves), "arranged");
    return {};
  },
  async close({ game, epoch, seed, commit, packets, opened }) {
    const [id, key] = [unb64(game), unb64(seed)];
    need(b64(await draws.seedCommit(id, epoch, key)) === commit, "seed");
    for (const { seq, seat, body, commit: said } of packets) {
      need(b64(await packetCommit(id, seq, seat, await draws.packetSalt(key, id, seq, seat), body)) === said, "packet");
    }
    for (const { part, seat, n, salt, content, commit: said } of opened) {
      need(b64(await partCommit(part, id, seat, n, unb64(salt), content)) === said, "commitment");
    }
    return {};
  },
  measure({ seats, held, actions, sealed, orders, result }) {
    const part = (bytes) => bytes && { ct: "A".repeat(Math.ceil((bytes * 4) / 3)) };
    const body = { actions, sealed: part(sealed), orders: part(orders) };
    const parts = ["sealed", "orders"].filter((name) => body[name]).map((name) => partCost(body[name], name));
    const counts = [...held, ...parts].reduce((sum, one) => sum + one, 0);
    const most = roomFor(seats, body, result);
    need(counts <= most, "over-budget");
    return { counts, most };
  },
  armour: ({ text: source }) => trying("damaged", async () => ({ files: (await findBlocks(source)).map(fromUtf8) })),
  async identity({ secret }) {
    const { sign, seal } = await publicKeys(unb64(secret));
    return { sign: b64(sign), seal: b64(seal), fingerprint: await fingerprint(sign), paper: await toPaper(unb64(secret)) };
  },
  paper: ({ what, text: typed }) => trying("paper", async () => ({ secret: b64(await secretFromPaper(typed, what)) })),
  async "identity file"({ text: source, passphrase }) {
    try {
      return { secret: b64(await secretFromFile(source, passphrase)), name: JSON.parse(source).header.name };
    } catch (error) {
      throw new Fails(error instanceof Malformed ? "malformed" : "passphrase");
    }
  },
};

for (const file of argv.slice(2)) {
  for (const { op, in: given } of JSON.parse(readFileSync(file, "utf8")).cases) {
    let out;
    try {
      out = await OPERATIONS[op](given);
    } catch (error) {
      out = error instanceof Fails ? { fails: error.message } : { crashed: String(error.stack) };
    }
    console.log(JSON.stringify(out));
  }
}

