// What the second verifier must know of German Whist: node ../verifier/verify.mjs game.jsonl --game german_whist.mjs

import { readFileSync } from "node:fs";
import { schemaFault } from "../verifier/schema.mjs";

const SUITS = ["clubs", "diamonds", "hearts", "spades"];
const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king", "ace"];
const OPTIONS = JSON.parse(readFileSync(new URL("german_whist/schemas/options.schema.json", import.meta.url), "utf8"));

export const GAMES = {
  "german-whist": {
    title: "German Whist",
    seats: [2, 2],
    versions: [1],
    optionsFault: (options) => schemaFault(OPTIONS, options),
    setupFault: (setup, seats) =>
      Object.keys(setup).join() === "leader" && seats.includes(setup.leader) ? undefined : ": expected a leader who has a seat",
    decks: { main: SUITS.flatMap((suit) => RANKS.map((rank) => `${suit}-${rank}`)) },
    tapes: [],
    hasSecrets: () => true,
    packetSize: (options, dealt, shown) => Math.ceil((257 + 112 * dealt + 24 * shown) / 512) * 512,
    shown: () => 0,
    secretMembers: () => [],
    tidy: (action) => action,
    hand: {
      gained: (event, seat) => (event.event === "took" && event.seat === seat ? [event.card] : []),
      lost: (event, seat) => (event.event === "played" && event.seat === seat ? [event.card] : []),
      clears: (event) => event.event === "hand-ended",
    },
  },
};
