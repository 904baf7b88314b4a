// What a verifier must know of a game, and nothing of its rules: which options and setups there are, decks and tapes of an
// epoch, sizes of packets, which actions are secret, and what goes into and out of a hand (schemas/README.md §14).

import { WYATT_EARP } from "./earp.mjs";
import { OUTLAWS } from "./earptable.mjs";
import { WAY_OUT_WEST } from "./west.mjs";
import { boardFault, dealerFault, optionsFault } from "./setup.mjs";

const copies = (card, count) => Array(count).fill(card);

const WYATT_EARP_DECK = [
  ...OUTLAWS.flatMap((outlaw) => copies(outlaw, 7)),
  ...OUTLAWS.map((outlaw) => `photo:${outlaw}`),
  ...copies("bank-robbery", 4),
  ...copies("stagecoach-robbery", 2),
  ...copies("fastest-gun", 3),
  ...copies("most-wanted", 3),
  ...copies("hideout", 3),
  ...copies("wyatt-earp", 7),
];

const without = (object, ...names) => Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
const HAND_DISCARDS = new Set(["turn", "missed", "used"]);

// Way Out West with hidden money: each packet states the cash; nothing is drawn into a hand.
const NO_HAND = { gained: () => [], lost: () => [], clears: () => false };

// What schemas/README.md §14.1 says of a hand. `found` cards are in no event; they come from the packets' facts.
const WYATT_EARP_HAND = {
  gained(event, seat) {
    if (event.event === "drew" && event.seat === seat && event.from === "discard") return [event.card];
    if (event.event === "given" && event.to === seat) return [event.outlaw];
    if (event.event === "stolen" && event.seat === seat) return [event.outlaw];
    return [];
  },
  lost(event, seat) {
    if (event.event === "given") return event.from === seat ? [event.outlaw] : [];
    if (event.seat !== seat) return [];
    if (event.event === "laid") return copies(event.outlaw, event.count);
    if (event.event === "photo-played") return [`photo:${event.outlaw}`];
    if (event.event === "attached") return [event.card];
    if (event.event === "hidden") return ["hideout"];
    if (event.event === "discarded" && HAND_DISCARDS.has(event.why)) return [event.card];
    return [];
  },
  clears: (event) => event.event === "hand-ended",
};

export const GAMES = {
  "wyatt-earp": {
    title: "Wyatt Earp",
    seats: [2, 4],
    versions: [1],
    optionsFault: (options) => optionsFault("wyatt-earp", options),
    setupFault: dealerFault,
    decks: { main: WYATT_EARP_DECK },
    tapes: [],
    hasSecrets: () => true,
    // 512 · ⌈(257 + 112·D + 24·S) / 512⌉: D cards dealt to one seat, S cards of a stack shown to one
    packetSize: (options, dealt, shown) => Math.ceil((257 + 112 * dealt + 24 * shown) / 512) * 512,
    shown: (events) => Math.max(0, ...events.filter((event) => event.event === "searching").map((event) => event.cards)),
    secretMembers: (options, action) => ("take" in action && options.search_public !== true ? ["take"] : []),
    tidy: (action) => action,
    hand: WYATT_EARP_HAND,
    replay: WYATT_EARP,
  },
  "way-out-west": {
    title: "Way Out West",
    seats: [3, 5],
    versions: [1],
    optionsFault: (options) => optionsFault("way-out-west", options),
    setupFault: boardFault,
    decks: {},
    tapes: ["public"],
    hasSecrets: (options) => options.money_public === false,
    packetSize: () => 512,
    shown: () => 0,
    secretMembers: () => [],
    tidy: tidyMoves,
    hand: NO_HAND,
    replay: WAY_OUT_WEST,
  },
};

// One action, one spelling: lists whose order has no meaning stand sorted, equal entries added up.
function tidyMoves(action) {
  const by = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  if (Array.isArray(action.moves)) {
    const counts = new Map();
    for (const { count, ...where } of action.moves) {
      const name = [where.from ?? "", where.to].join(" ");
      counts.set(name, { ...where, count: count + (counts.get(name)?.count ?? 0) });
    }
    return { ...action, moves: [...counts].sort(([a], [b]) => by(a, b)).map(([, move]) => move) };
  }
  return action.do === "retreat" && Array.isArray(action.to) ? { ...action, to: [...action.to].sort() } : action;
}

export function publicForm(game, options, action) {
  return game.tidy(without(action, ...game.secretMembers(options, action)));
}
