// Step 9 of schemas/README.md §11: what a close opens, held against everything that was laid, committed and sealed before.

import { b64, equal, lp, u32, unb64 } from "./bytes.mjs";
import { sha } from "./crypto.mjs";
import { chainAnchor, hiddenOrder, leaf, packetSalt, placeSalts, seedCommit, sortCards, tapeLabel } from "./draws.mjs";
import { publicForm } from "./games.mjs";
import { canon, same } from "./json.mjs";
import { partName } from "./match.mjs";

// (9) seed against commit, every leaf of every generation, the deck's cards, packets, sealed parts, hands.
export async function step9(match, record, fault) {
  if (record.kind !== "close") return;
  checkAgreed(match, record, fault);
  const epoch = match.epochs.get(record.body.epoch);
  if (!epoch?.opened || epoch.closed) return void fault("close", `epoch ${record.body.epoch} is not open`);
  const seed = unb64(record.body.seed, 32);
  if (!equal(await seedCommit(match.id, epoch.number, seed), epoch.commit)) {
    fault("seed", `the seed of epoch ${epoch.number} is not the committed one`);
  }
  for (const [name, tape] of epoch.tapes) {
    const anchor = await chainAnchor(seed, tapeLabel(name, epoch.number), match.id, tape.length);
    if (!equal(anchor, tape.anchor)) fault("tape-anchor", `the tape ${name} was not made from the seed`);
  }
  const decks = new Map();
  for (const [name, generations] of epoch.decks) {
    for (const deck of generations) decks.set(`${name} ${deck.gen}`, await openDeck(match, epoch, name, deck, seed, fault));
  }
  await openedParts(match, record, partsDue(match, epoch), fault);
  if (match.hasSecrets) await checkSecrets({ match, record, epoch, seed, decks, fault });
}

// A hand in play is closed by nobody but all its seats, and then the match ends; step 2 judged the consents themselves.
function checkAgreed(match, { body }, fault) {
  if (match.agreed) {
    if (body.what) fault("consent", "the close before holds the consents already");
  } else if (match.asks && !body.what) {
    fault("early", `epoch ${body.epoch} is not over: ${match.waiting?.seat ?? "somebody"} was to act, and nobody agreed to end the match`);
  } else if (!match.asks && body.what) fault("consent", "the epoch is over; its close needs no consent");
}

// --- decks ------------------------------------------------------------------------------------------------------------

// Reads every card from the leaves (the seed gives the salts), then checks that the seed forced exactly this order.
async function openDeck(match, epoch, name, deck, seed, fault) {
  const { gen, leaves } = deck;
  const full = match.facts.decks[name] ?? [];
  const kinds = [...new Set(full)];
  const salts = await placeSalts(seed, match.id, epoch.number, name, gen, leaves.length);
  const forced = gen === 0 ? await hiddenOrder(seed, match.id, epoch.number, name, gen, full) : [];
  const readCard = async (place) => {
    for (const card of new Set([forced[place] ?? kinds[0], ...kinds])) {
      if (b64(await leaf(match.id, epoch.number, name, gen, place, salts[place], card)) === leaves[place]) return card;
    }
    return undefined;
  };
  const cards = [];
  for (let place = 0; place < leaves.length; place++) cards.push(await readCard(place));
  const opened = { cards, salts, cut: deck.cut };
  const where = `${name}, generation ${gen}`;
  if (cards.includes(undefined)) {
    fault("leaf", `${where}: place ${cards.indexOf(undefined)} holds no card of the game under this seed`);
    return opened;
  }
  const [found, all] = [tally(cards), tally(full)];
  const surplus = kinds.filter((card) => (found.get(card) ?? 0) > all.get(card));
  const lacking = gen === 0 ? kinds.filter((card) => (found.get(card) ?? 0) < all.get(card)) : [];
  if (surplus.length) fault("multiset", `${where} holds more ${surplus.join(", ")} than the game has`);
  else if (lacking.length) fault("multiset", `${where} lacks ${lacking.join(", ")}`);
  const order = await hiddenOrder(seed, match.id, epoch.number, name, gen, sortCards(cards));
  if (!same(order, cards)) fault("arranged", `${where} was not laid in the order that the seed commands`);
  return opened;
}

function tally(cards) {
  const counts = new Map();
  for (const card of cards) counts.set(card, (counts.get(card) ?? 0) + 1);
  return counts;
}

// --- sealed parts --------------------------------------------------------------------------------------------------------

// Sealed actions up to this epoch, and orders that are no longer in force.
function partsDue(match, epoch) {
  return [...match.parts.values()].filter((part) =>
    part.part === "sealed" ? part.epoch <= epoch.number : match.orders.get(part.seat) !== part,
  );
}

export const partCommit = (part, game, seat, n, salt, content) =>
  sha(lp(part === "orders" ? "pbem/1 order" : "pbem/1 sealed", game, seat, u32(n), salt, canon(content)));

// What may be sealed: at most 64 actions, or orders with at most 64 rules, nested at most 16 deep.
function properContent(part, content) {
  const shallow = (value, left) =>
    left >= 0 && (typeof value !== "object" || value === null || Object.values(value).every((held) => shallow(held, left - 1)));
  const object = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const few = (list, test) => Array.isArray(list) && list.length <= 64 && list.every((item) => object(item) && test(item));
  if (!shallow(content, 16)) return false;
  if (part === "sealed") return few(content, ({ do: name }) => typeof name === "string" && /^[a-z][a-z-]{0,39}$/.test(name));
  return object(content) && Object.keys(content).join() === "rules" && few(content.rules, () => true);
}

// Every part that is due is opened, nothing else is, and each fits its commitment and what was applied.
export async function openedParts(match, record, due, fault) {
  const expected = new Map(due.map((part) => [partName(part), part]));
  const seen = new Set();
  for (const opening of record.body.opened) {
    const name = partName(opening);
    const part = expected.get(name);
    const early = match.parts.has(name) && !seen.has(name);
    seen.add(name);
    if (!part) {
      fault(early ? "opened-early" : "opened", `the ${opening.part} of ${opening.seat}'s message ${opening.n} cannot be opened here`);
      continue;
    }
    expected.delete(name);
    const commit = await partCommit(part.part, match.id, part.seat, part.n, unb64(opening.salt, 16), opening.content);
    if (b64(commit) !== part.commit) fault("commitment", `the ${part.part} of ${part.seat}'s message ${part.n} are not what was committed to`);
    else if (!properContent(part.part, opening.content)) fault("commitment", `${name}: not of the form that may be sealed`);
    else if (part.part === "sealed") checkSealedSteps(match, part, opening.content, fault);
  }
  for (const part of expected.values()) fault("unopened", `the ${part.part} of ${part.seat}'s message ${part.n} should be opened here`);
}

function checkSealedSteps(match, { seat, record }, content, fault) {
  const taken = (record.body.steps ?? []).filter(({ by }) => by === "sealed");
  const where = `record ${record.index}`;
  for (const [i, { action }] of taken.entries()) {
    if (i >= content.length) return fault("sealed-step", `${where} applied a sealed action that ${seat} never sent`);
    if (!same(publicForm(match.facts, match.options, content[i]), action)) {
      return fault("sealed-step", `${where}: sealed action ${i} was not applied as written`);
    }
  }
  if (!record.body.stopped && taken.length < content.length) {
    return fault("sealed-step", `${where} dropped sealed actions of ${seat} without a reason`);
  }
  return undefined;
}

// --- packets and hands ------------------------------------------------------------------------------------------------------

export const packetCommit = (game, seq, seat, salt, body) =>
  sha(lp("pbem/1 packet", game, u32(seq), seat, salt, canon(body)));

async function checkSecrets({ match, record, epoch, seed, decks, fault }) {
  const facts = new Map();
  const withPackets = new Set(epoch.results.map((result) => result.index));
  for (const { seq, seat, facts: told } of record.body.facts) {
    const name = `${seq} ${seat}`;
    if (!withPackets.has(seq) || !match.seats.includes(seat)) fault("facts", `record ${seq} has no packet of ${seat} in this epoch`);
    if (facts.has(name)) fault("facts", `the facts of ${seat} in record ${seq} are opened twice`);
    facts.set(name, told);
  }
  const context = { match, epoch, decks, facts };
  for (const seat of match.seats) {
    for (const result of epoch.results) {
      const body = { draws: drawsOf(context, seat, (index) => index === result.index), facts: facts.get(`${result.index} ${seat}`) ?? [] };
      await checkPacket(match, result, seat, body, seed, fault);
    }
    checkHand(context, seat, fault);
  }
  for (const sent of epoch.resealed) {
    for (const seat of Object.keys(sent.body.packets)) {
      const told = epoch.results
        .filter((result) => result.index < sent.index)
        .flatMap((result) => facts.get(`${result.index} ${seat}`) ?? []);
      const lasting = [...told.filter((fact) => "stack" in fact || "found" in fact), ...told.filter((fact) => "cash" in fact).slice(-1)];
      const body = { draws: drawsOf(context, seat, (index) => index < sent.index), facts: lasting };
      await checkPacket(match, sent, seat, body, seed, fault);
    }
  }
}

function drawsOf({ epoch, decks }, seat, inRecord) {
  return epoch.draws
    .filter(({ record, entry }) => entry.to === seat && inRecord(record.index))
    .flatMap(({ entry }) => {
      const deck = decks.get(`${entry.draw} ${entry.gen}`);
      const place = deck?.cut[entry.k];
      if (place === undefined) return [];
      return [{ card: deck.cards[place] ?? "", deck: entry.draw, gen: entry.gen, k: entry.k, place, salt: b64(deck.salts[place]) }];
    });
}

async function checkPacket(match, { index, body }, seat, content, seed, fault) {
  const packet = body.packets && Object.hasOwn(body.packets, seat) ? body.packets[seat] : undefined;
  if (!packet) return;
  const commit = await packetCommit(match.id, index, seat, await packetSalt(seed, match.id, index, seat), content);
  if (b64(commit) !== packet.commit) fault("packet", `the packet of ${seat} in record ${index} told something else than what happened`);
}

// What a hand was dealt, took and gave away must cover every card it played: record by record, what goes in first.
function checkHand({ match, epoch, decks, facts }, seat, fault) {
  const { hand: table } = match.facts;
  const hand = new Map();
  const add = (card, by) => hand.set(card, (hand.get(card) ?? 0) + by);
  for (const { index, body } of epoch.results) {
    if (match.undone.has(index)) continue;
    const events = body.steps.flatMap((step) => step.events);
    for (const fact of facts.get(`${index} ${seat}`) ?? []) if ("found" in fact) add(fact.found, 1);
    for (const entry of body.steps.flatMap((step) => step.chance)) {
      const deck = entry.to === seat && decks.get(`${entry.draw} ${entry.gen}`);
      if (deck) add(deck.cards[deck.cut[entry.k]], 1);
    }
    for (const event of events) for (const card of table.gained(event, seat)) add(card, 1);
    for (const event of events) for (const card of table.lost(event, seat)) add(card, -1);
    for (const [card, count] of hand) {
      if (count < 0) return fault("not-held", `record ${index}: ${seat} showed ${-count} ${card} more than that hand ever held`);
    }
    if (events.some(table.clears)) hand.clear();
  }
  return undefined;
}

