// Step (1)'s "known kind and members" (schemas/README.md §6, §7, §8, record.schema.json): a small table, and its reader.
//
// A shape is a function (value) → nothing, or the words of what is wrong, beginning with where. An optional member's name
// ends with "?".

import { unb64 } from "./bytes.mjs";

// --- shapes -----------------------------------------------------------------------------------------------------------

export const complain = (found, wanted) => `: expected ${wanted}, found ${JSON.stringify(found)?.slice(0, 60)}`;
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

const when = (test, wanted) => (value) => (test(value) ? undefined : complain(value, wanted));
const matching = (pattern, wanted) => when((value) => typeof value === "string" && pattern.test(value), wanted);
const one = (...allowed) => when((value) => allowed.includes(value), allowed.map((x) => JSON.stringify(x)).join(" or "));
const int = (low = 0, high = 0xffffffff) =>
  when((value) => Number.isInteger(value) && value >= low && value <= high, `an integer from ${low} to ${high}`);
const anything = () => undefined;
const open = when(isObject, "an object");

const b64of = (size, least = 0) =>
  when((value) => {
    try {
      return unb64(value, size).length >= least;
    } catch {
      return false;
    }
  }, size === undefined ? "base64url" : `${size} bytes in base64url`);

const words = (least, most) =>
  when((value) => {
    if (typeof value !== "string") return false;
    const length = [...value].length;
    return length >= least && length <= most;
  }, `a text of ${least} to ${most} characters`);

function obj(members) {
  const known = new Map();
  const required = [];
  for (const [name, shape] of Object.entries(members)) {
    const optional = name.endsWith("?");
    known.set(optional ? name.slice(0, -1) : name, shape);
    if (!optional) required.push(name);
  }
  return (value) => {
    if (!isObject(value)) return complain(value, "an object");
    for (const name of required) if (!Object.hasOwn(value, name)) return `: the member ${name} is missing`;
    for (const [name, member] of Object.entries(value)) {
      const shape = known.get(name);
      if (!shape) return `: unknown member ${name}`;
      const wrong = shape(member);
      if (wrong) return `/${name}${wrong}`;
    }
    return undefined;
  };
}

const list = (item, most, least = 0, unique = false) => (value) => {
  if (!Array.isArray(value)) return complain(value, "a list");
  if (value.length < least || value.length > most) return `: ${value.length} items, expected ${least} to ${most}`;
  if (unique && new Set(value).size !== value.length) return ": an item stands there twice";
  for (const [index, element] of value.entries()) {
    const wrong = item(element);
    if (wrong) return `/${index}${wrong}`;
  }
  return undefined;
};

const map = (name, item, most, least = 0) => (value) => {
  if (!isObject(value)) return complain(value, "an object");
  const entries = Object.entries(value);
  if (entries.length < least || entries.length > most) return `: ${entries.length} members, expected ${least} to ${most}`;
  for (const [key, element] of entries) {
    const wrong = name(key) ?? item(element);
    if (wrong) return `/${key}${wrong}`;
  }
  return undefined;
};

const both = (...shapes) => (value) => {
  for (const shape of shapes) {
    const wrong = shape(value);
    if (wrong) return wrong;
  }
  return undefined;
};

const BLANK_END = /^\p{White_Space}|\p{White_Space}$/u;

// --- the pieces ----------------------------------------------------------------------------------------------------------

const OTHER = new Set(["table", "public", "farmer", "both", "nobody", "supply"]); // where a seat could stand
const seat = when((value) => typeof value === "string" && /^[a-z][a-z0-9-]{0,15}$/.test(value) && !OTHER.has(value), "a seat id");
const word = matching(/^[a-z][a-z0-9-]{0,31}$/, "a word");
const name = matching(/^[a-z][a-z-]{0,39}$/, "a name");
const instant = when(isInstant, "a time YYYY-MM-DDThh:mm:ssZ");
const hash = b64of(32);
const salt = b64of(16);
const box = b64of(undefined, 560); // enc, tag and at least one padded block
const reference = obj({ seq: int(), line: hash });
const seen = obj({ seq: int(), line: hash, sig: b64of(64) });
const link = obj({ epoch: int(1), value: hash });
const asLong = (value) => (value.own.length === value.ct.length ? undefined : "/own: not as long as ct");
const sealed = both(obj({ commit: hash, ct: box, own: box }), asLong);
const orders = obj({ commit: hash, ct: b64of(1072), own: b64of(1072) });
const packets = map(seat, obj({ commit: hash, ct: box }), 8);
const action = both(open, (value) => (Object.hasOwn(value, "do") ? name(value.do) : ": the member do is missing"));
const event = both(open, (value) => (Object.hasOwn(value, "event") ? name(value.event) : ": the member event is missing"));

function isInstant(value) {
  if (typeof value !== "string" || !/^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value)) return false;
  const moment = new Date(value);
  return !Number.isNaN(moment.getTime()) && moment.toISOString() === value.replace("Z", ".000Z");
}

const signed = (body) => obj({ body, sig: obj({ key: hash, value: b64of(64) }) });
const common = { game: hash, seat, n: int(), seen };
const message = (members) => signed(obj({ ...common, ...members }));
const keys = { sign: hash, seal: hash, anchor: hash, length: int(1, 65536) };

const WHAT = {
  absence: { seat, from: instant, until: instant },
  pause: { until: instant },
  resign: { seat },
  substitute: { seat, newcomer: matching(/^[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){3}$/, "a fingerprint") },
  rewind: { to: reference },
  rekey: { seat, ...keys },
  end: { "why?": words(1, 280) },
};
const whatOf = (kind) => obj({ kind: one(kind), ...WHAT[kind] });
const anyWhat = (value) => {
  const kind = isObject(value) ? value.kind : undefined;
  return typeof kind === "string" && Object.hasOwn(WHAT, kind) ? whatOf(kind)(value) : ": nothing one can agree to";
};

const made = { "served?": one(true) }; // in a page that the host serves
const JOIN = message({
  name: both(words(1, 60), (value) => (BLANK_END.test(value) ? complain(value, "a name without blanks at its ends") : undefined)),
  lang: matching(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, "a language tag"),
  ...keys,
  "recovery?": hash,
  "contact?": box,
  "proof?": matching(/^[0-9a-hjkmnp-tv-z]{26}$/, "the proof of an invitation's code"),
  ...made,
  "zone?": both(words(1, 40), matching(/^[A-Za-z0-9_+-]+(\/[A-Za-z0-9_+-]+){0,2}$/, "the name of a zone")),
});
const TURN = message({
  ...made,
  actions: list(action, 64),
  "link?": link,
  "sealed?": sealed,
  "orders?": orders,
  "say?": words(1, 280),
  "tell?": list(obj({ to: seat, ct: box }), 8, 1),
  "react?": list(obj({ to: int(), with: one("clap", "laugh", "wow", "ouch", "thanks", "sorry") }), 8, 1),
  "nudge?": seat,
});
const READY = message({ link, ...made });
const REKEY = message({ ...keys, "recovery?": hash, ...made });
const consents = list(message({ what: anyWhat }), 8);

export const MESSAGES = { join: JOIN, ready: READY, turn: TURN, rekey: REKEY, consent: message({ what: anyWhat }) };

// --- results ----------------------------------------------------------------------------------------------------------------

const HAND = obj({ draw: word, gen: int(), k: int(), to: seat });
const TABLE = obj({ draw: word, gen: int(), k: int(), to: one("table"), place: int(), card: words(1, 80), salt });
const SHUFFLE = obj({ shuffle: word, gen: int(1), leaves: list(hash, 10000) });
const ROLL = obj({ roll: word, j: int(1), sides: int(1), value: int(1), link: hash, for: words(1, 280) });

const chance = (value) => {
  if (!isObject(value)) return complain(value, "an object");
  if (Object.hasOwn(value, "draw")) return (value.to === "table" ? TABLE : HAND)(value);
  return (Object.hasOwn(value, "shuffle") ? SHUFFLE : ROLL)(value);
};

const lists = { chance: list(chance, 10000), events: list(event, 10000) };
const STEPS = {
  game: obj({ by: one("game"), ...lists }),
  order: obj({ by: one("order"), seat, action, n: int(), ...lists }),
  file: obj({ by: one("file"), seat, action, ...lists }),
  sealed: obj({ by: one("sealed"), seat, action, ...lists }),
  default: obj({ by: one("default"), seat, action, ...lists }),
};
const step = (value) => {
  const by = isObject(value) ? value.by : undefined;
  return typeof by === "string" && Object.hasOwn(STEPS, by) ? STEPS[by](value) : `/by${complain(by, "file, sealed, order, default or game")}`;
};

const result = { epoch: int(1), steps: list(step, 10000), public: open, "packets?": packets, "due?": instant };
const stopped = obj({
  at: int(0, 127),
  why: one("illegal", "waiting", "epoch"),
  "code?": word,
  "rules?": list(words(1, 16), 32),
});

// --- records ----------------------------------------------------------------------------------------------------------------

const opened = list(
  obj({ seat, n: int(), part: one("sealed", "orders"), salt, content: when((x) => typeof x === "object" && x !== null, "a list or an object") }),
  100000,
);
const facts = list(
  obj({ seq: int(), seat, facts: list(both(open, (x) => (Object.keys(x).length ? undefined : ": empty")), 1000, 1) }),
  100000,
);
const head = (kind) => ({ kind: one(kind), seq: int(1), prev: hash, at: instant });
const agreed = (kind, more = {}) => obj({ ...head(kind), what: whatOf(kind), consents, ...more });
const AGREE = one("all", "others", "host", "seat");

const hours = int(0, 8784);
const policy = { hours, grace: hours, again: hours, then: one("default", "wait"), "excused?": int(0, 99) };
const WEEK = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const time = matching(/^([01]\d|2[0-3]):[0-5]\d$/, "a time of day");
const calendar = obj({
  ...policy,
  days: both(list(one(...WEEK), 7, 1, true), (days) => (days.join() === WEEK.filter((day) => days.includes(day)).join() ? undefined : ": not in order")),
  from: time,
  to: (value) => (value === "24:00" ? undefined : time(value)),
  zone: matching(/^[A-Za-z0-9_+-]{1,32}(\/[A-Za-z0-9_+-]{1,32}){0,2}$/, "the name of a zone"),
  offsets: both(list(obj({ since: instant, minutes: int(-1080, 1080) }), 256, 1), (all) =>
    all.every(({ since }, i) => i === 0 || all[i - 1].since < since) ? undefined : ": not rising"),
});
const deadlines = (value) => {
  if (!isObject(value) || !["days", "from", "to", "zone", "offsets"].some((name) => Object.hasOwn(value, name))) {
    return obj(policy)(value) ?? (value.excused && value.then === "wait" ? ": excused means nothing in a match that waits" : undefined);
  }
  return calendar(value) ?? (value.from < value.to ? undefined : ": from is not before to");
};

const GENESIS = obj({
  kind: one("genesis"),
  seq: one(0),
  prev: one(""),
  at: instant,
  pbem: one(1),
  nonce: both(b64of(undefined, 16), (value) => (unb64(value).length <= 64 ? undefined : ": longer than 64 bytes")),
  host: obj({ sign: hash, seal: hash, "seat?": seat, "page?": one(true) }),
  rules: obj({ id: word, version: int(1) }),
  options: open,
  setup: open,
  seats: list(seat, 8, 1, true),
  draw: obj({ alg: one("pbem-draw-1"), reveal: one("epoch", "match") }),
  deadlines,
  consent: map(one(...Object.keys(WHAT)), AGREE, 8),
});

const bare = obj({ ...head("turn"), msg: TURN });
const played = obj({ ...head("turn"), msg: TURN, applied: int(0, 128), "stopped?": stopped, ...result });
const turn = (value) =>
  isObject(value) && ["epoch", "applied", "steps", "public", "stopped", "packets", "due"].some((x) => Object.hasOwn(value, x))
    ? played(value)
    : bare(value);

const own = obj({ ...head("rekey"), msg: REKEY, epoch: int(), "packets?": packets });
const carriedOut = { proposal: int(1), "act?": one("host"), epoch: int(), "packets?": packets };
const proposed = (kind, more) => obj({ ...head(kind), ...more, ...carriedOut });
const takeovers = { rekey: proposed("rekey", {}), substitute: proposed("substitute", { msg: JOIN }) };
const directly = agreed("substitute", { msg: JOIN, epoch: int(), "packets?": packets });
const named = (value) => isObject(value) && Object.hasOwn(value, "proposal");
const proposable = (value) => (["rekey", "resign", "substitute"].includes(value?.kind) ? whatOf(value.kind)(value) : ": nothing to propose");
const agrees = { "what?": whatOf("end"), "consents?": consents };
const together = (form) => (value) =>
  form(value) ??
  (Object.hasOwn(value, "what") === Object.hasOwn(value, "consents") ? undefined : ": what and consents go together");
const ends = obj({
  ...head("end"),
  outcome: both(open, (x) => (Object.hasOwn(x, "winners") ? list(seat, 8, 0, true)(x.winners) : ": the member winners is missing")),
  opened,
  ...agrees,
});

const burnFor = (seats) => obj({ ...head("burn"), epoch: int(1), [seats]: list(seat, 8, 1, true) });

export const RECORDS = {
  genesis: GENESIS,
  join: obj({ ...head("join"), msg: JOIN }),
  ready: obj({ ...head("ready"), msg: READY }),
  announce: obj({
    ...head("announce"),
    epoch: int(1),
    commit: hash,
    seats: list(seat, 8, 1, true),
    "decks?": map(word, obj({ gen: one(0), leaves: list(hash, 10000, 1) }), 16, 1),
    "tapes?": map(word, obj({ anchor: hash, length: int(1, 65536) }), 16, 1),
    due: instant,
  }),
  open: obj({ ...head("open"), ...result }),
  turn,
  default: obj({ ...head("default"), seat, ...result }),
  close: together(obj({ ...head("close"), epoch: int(1), seed: hash, opened, facts, "due?": instant, ...agrees })),
  burn: (value) => (isObject(value) && Object.hasOwn(value, "back") ? burnFor("back") : burnFor("missing"))(value),
  extend: obj({ ...head("extend"), seat, due: instant }),
  rekey: (value) => (isObject(value) && Object.hasOwn(value, "msg") ? own : takeovers.rekey)(value),
  reseal: obj({ ...head("reseal"), epoch: int(1), packets }),
  propose: obj({ ...head("propose"), what: proposable, consents, until: instant }),
  withdraw: obj({ ...head("withdraw"), proposal: int(1) }),
  substitute: (value) => (named(value) ? takeovers.substitute : directly)(value),
  retake: obj({ ...head("retake"), msg: JOIN, epoch: int(), "packets?": packets, "void?": int(1) }),
  absence: agreed("absence"),
  pause: agreed("pause"),
  resign: agreed("resign"),
  rewind: agreed("rewind"),
  end: (value) =>
    ends(value) ??
    (Object.hasOwn(value, "consents") && !Object.hasOwn(value, "what") ? ": consents are to something: what is missing" : undefined),
};

export const FILE = obj({ body: open, sig: obj({ key: hash, value: b64of(64) }) });

// What is wrong with this signed file as a record; nothing if it is one.
export function recordFault(file) {
  const wrong = FILE(file);
  if (wrong) return wrong;
  const kind = file.body.kind;
  if (typeof kind !== "string" || !Object.hasOwn(RECORDS, kind)) return `/body/kind${complain(kind, "a known kind")}`;
  const inside = RECORDS[kind](file.body);
  return inside && `/body${inside}`;
}
