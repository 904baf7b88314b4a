// What everybody can know while a hand runs (schemas/README.md §11): each step played on from the public view before it, and
// its events, and the view behind the last, held against what the record says. A game's `replay` (games.mjs) says what a step
// does; whatever a hidden card or a seal decides it takes from the record, and that is proven at the close.

export class Impossible extends Error {}

const MOST_EVENTS = 10_000; // of one step
const MOST = 1_000_000; // as the games' schemas bound the numbers of their views

// One step as a game plays it: the view that it changes, what is remembered beside it, and what the record tells of the step.
export class Play {
  constructor({ options, seats, setup, public: view, memory }) {
    Object.assign(this, { options, seats, setup, view: view && structuredClone(view), memory: structuredClone(memory ?? {}) });
  }

  begin(step) {
    this.step = step;
    this.chance = [...step.chance];
    this.events = [];
  }

  say(event, members) {
    if (this.events.length === MOST_EVENTS) throw new Impossible("more happens than a match can hold");
    this.events.push({ event, ...members });
  }

  // The record's own word for the event that comes next, where only a hidden card could tell.
  get told() {
    return this.step.events[this.events.length] ?? {};
  }

  after(seat, count = 1) {
    const { length } = this.seats;
    return this.seats[(((this.seats.indexOf(seat) + count) % length) + length) % length];
  }

  // The others, in turn order from this seat's left.
  others(seat) {
    return this.seats.slice(1).map((_, index) => this.after(seat, index + 1));
  }

  // --- chance, in the order in which it fell

  next(what, fits) {
    const entry = this.chance.shift();
    if (!entry || !fits(entry)) throw new Impossible(`expected ${what}, found ${entry ? JSON.stringify(brief(entry)) : "no more chance"}`);
    return entry;
  }

  dealt(seat) {
    this.next(`a card for ${seat}`, (entry) => "draw" in entry && entry.to === seat);
  }

  turnedUp() {
    return this.next("a card turned up", (entry) => "draw" in entry && entry.to === "table").card;
  }

  shuffled(size) {
    this.next(`a shuffle of ${size} cards`, (entry) => "shuffle" in entry && entry.leaves.length === size);
  }

  rolled(sides) {
    return this.next(`a die with ${sides} sides`, (entry) => "roll" in entry && entry.sides === sides).value;
  }
}

const brief = ({ draw, shuffle, roll, to, sides, leaves }) => ({ draw, shuffle, roll, to, sides, cards: leaves?.length });
const isList = (value) => typeof value === "object" && value !== null;
const words = (value) => (value === undefined ? "nothing" : JSON.stringify(value));

// The first place where two values differ, in words; nothing if none.
export function difference(expected, found, path = "") {
  if (!isList(expected) || !isList(found) || Array.isArray(expected) !== Array.isArray(found)) {
    return expected === found ? undefined : `${path}: expected ${words(expected)}, found ${words(found)}`;
  }
  for (const name of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    const wrong = difference(expected[name], found[name], `${path}/${name}`);
    if (wrong) return wrong;
  }
  return undefined;
}

// Whether a view that was found false before can be played on from at all: a number out of bounds would keep us counting.
const bounded = (value) => (isList(value) ? Object.values(value).every(bounded) : typeof value !== "number" || Math.abs(value) <= MOST);

// (12) every result: steps, events and public view as the rules give them, and a `due` where somebody is asked. After a fault
// nothing more of that epoch is played on: the first is enough, and all that follows would only repeat it.
export function step12(match, record, fault) {
  const { body, kind } = record;
  const { replay } = match.facts;
  if (!body.steps || !replay || !match.running) return;
  const begun = match.public !== undefined;
  if (kind === "open" && begun && (!bounded(match.public) || (!match.memory && replay.remembers(match.options, body)))) match.lose();
  if (match.running.unplayable) return;
  const { options, seats, genesis } = match;
  const play = new Play({ options, seats, setup: genesis.setup, public: match.public, memory: match.memory });
  const wrong = replayed(play, replay, record);
  if (!wrong) return void (record.memory = play.memory);
  match.lose();
  fault("rules", wrong);
}

function replayed(play, replay, { body }) {
  try {
    for (const [index, step] of body.steps.entries()) {
      const wrong = playStep(play, replay, step);
      if (wrong) return `step ${index}: ${wrong}`;
    }
    replay.settle?.(play, body.public);
  } catch (error) {
    if (error instanceof Impossible) return error.message;
    throw error;
  }
  const wrong = difference(play.view, body.public);
  if (wrong) return `the public view: ${wrong}`;
  const asks = Boolean(play.view.waiting) && !replay.epochOver?.(body);
  if (body.stopped) {
    const stays = play.view.waiting?.seat === body.msg.body.seat;
    const why = !asks ? "epoch" : stays ? "illegal" : "waiting";
    if (body.stopped.why !== why) return `/stopped/why: expected ${words(why)}, found ${words(body.stopped.why)}`;
  }
  if (asks === "due" in body) return undefined;
  return asks ? `/due: ${play.view.waiting.seat} is asked, and nothing says until when` : `/due: expected nothing, found ${words(body.due)}: nobody is asked in this epoch`;
}

function playStep(play, replay, step) {
  play.begin(step);
  if (step.by === "game") replay.open(play);
  else {
    const seat = play.view?.waiting?.seat;
    if (step.seat !== seat) return `/seat: expected ${words(seat)}, found ${words(step.seat)}`;
    try {
      replay.act(play, step.action);
    } catch (error) {
      // what was said before is held against the record first: it may be why the rest does not fit
      const wrong = error instanceof Impossible && difference(play.events, step.events.slice(0, play.events.length), "/events");
      if (wrong) return wrong;
      throw error;
    }
  }
  const wrong = difference(play.events, step.events, "/events");
  if (wrong) return wrong;
  return play.chance.length ? `/chance: ${play.chance.length} more than the rules ask for` : undefined;
}
