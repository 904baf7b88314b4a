// What a genesis sets for a whole match: options and setup, as the game's schemas and schemas/README.md §14 have them.

import { complain, isObject } from "./members.mjs";
import { schemaFault } from "./schema.mjs";
import { SCHEMAS } from "./schemas.mjs";

// Every option that the schema enumerates stands there, with one of its values; what is no enumeration is for scenarios.
export function optionsFault(game, options) {
  const properties = Object.fromEntries(Object.entries(SCHEMAS[`${game}/options`].properties).filter(([, { enum: values }]) => values));
  return schemaFault({ type: "object", properties, required: Object.keys(properties), additionalProperties: false }, options);
}

export function dealerFault(setup, seats) {
  const fits = Object.keys(setup).join() === "dealer" && seats.includes(setup.dealer);
  return fits ? undefined : complain(setup, '{"dealer": a seat}');
}

export function boardFault(setup) {
  if (Object.keys(setup).join() !== "board" || !isObject(setup.board)) return complain(Object.keys(setup), '{"board": the whole board}');
  const { board } = setup;
  const wrong = schemaFault(SCHEMAS["way-out-west/board"], board) ?? townsFault(board) ?? trackFault(board);
  return wrong && `/board${wrong}`;
}

const twice = (names) => names.find((name, index) => names.indexOf(name) < index);
const rises = (numbers) => numbers.every((number, index) => index === 0 || numbers[index - 1] < number);

// "San Antonia" → "san-antonia", as actions call it.
export const townId = (name) =>
  [...name.normalize("NFKD")]
    .filter((letter) => letter < "\u0080")
    .join("")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");

function townsFault({ towns, action_boxes: boxes }) {
  const ids = towns.map(({ name }) => townId(name));
  if (ids.includes("")) return "/towns: a name without a letter or digit";
  if (twice(ids)) return `/towns: two are called ${twice(ids)}`;
  const numbers = new Set(towns.map(({ id }) => id));
  if (towns.some((_, index) => !numbers.has(index + 1))) return `/towns: not numbered 1 to ${towns.length}`;
  const same = twice(boxes.map(({ id }) => id));
  return same && `/action_boxes: two are called ${same}`;
}

function trackFault({ last_space: last, income_spaces: income, money_denominations: money, start_space: start }) {
  if (!rises(income)) return "/income_spaces: not rising";
  if (!rises(money)) return "/money_denominations: not rising";
  const late = Object.entries(start).find(([, space]) => space > last);
  if (late) return `/start_space/${late[0]}: behind the last space`;
  return income.some((space) => space > last) ? "/income_spaces: behind the last space" : undefined;
}

// What is wrong with a genesis for this game; nothing if a match can be played by it.
export function genesisFault(game, { rules, seats, options, setup, host }) {
  const [least, most] = game.seats;
  if (seats.length < least || seats.length > most) return `${game.title} is played by ${least} to ${most}, not by ${seats.length}`;
  if (Object.hasOwn(host, "seat") && !seats.includes(host.seat)) return `the host plays ${host.seat}, and the match has no such seat`;
  if (game.versions && !game.versions.includes(rules.version)) return `there is no version ${rules.version} of the rules of ${game.title}`;
  const badOptions = game.optionsFault?.(options);
  if (badOptions) return `options${badOptions}`;
  const badSetup = game.setupFault?.(setup, seats);
  return badSetup && `setup${badSetup}`;
}
