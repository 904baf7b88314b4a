// What travels between the page's modules, for `tsc --checkJs`; nothing of this is shipped.

export type Tree = [tag: string, attributes: Record<string, string | number>, ...inside: (Tree | string)[]];

export interface Picture {
  tree: Tree;
  width: number;
  height: number;
  alt: string;
}

export interface Offer {
  label: string;
  sends?: boolean | null;
  ends?: string;
  effect?: string;
  button?: string;
  only?: boolean;
}

export interface TreeNode {
  next: Branch[];
  row: Offer | null;
  more?: boolean;
}

export interface Branch {
  part: string;
  words: string;
  number: number | null;
  node: TreeNode | null;
}

export interface Card {
  part: string;
  name: string;
  short?: string;
  count: number;
  fresh?: boolean;
  icon?: Tree | null;
}

export interface Player {
  part: string;
  seat: string;
  name: string;
  computer: string;
  figure: string;
  cards?: number | null;
  active?: boolean;
  waiting?: boolean;
  me?: boolean;
  mark?: Tree | null;
}

export interface Row {
  row: number;
  do: string;
  label: string;
  effect: string;
  touch?: string[];
  more?: boolean;
  taken?: boolean;
}

export interface Scene {
  match: string;
  at: number;
  practice: boolean;
  api: boolean;
  title: string;
  chapter: string;
  me: string;
  asked: string;
  mine: boolean;
  due: string;
  due_at?: string;
  head: number;
  over: boolean;
  settled: boolean;
  hosted: string;
  played?: boolean;
  held: Card[];
  players: Player[];
  purse: { label: string; value: string }[];
  board: Picture | null;
  tree?: TreeNode | null;
  why?: Record<string, string>;
  rows: Row[];
  tray: string[];
  words: string[];
  say: string;
  tell: Record<string, string>;
  react: Record<string, string>;
  nudge: string;
  nudgeable: string;
  others: Record<string, string>;
  table: string;
  latest: string;
  unanswered: string[];
  news: { count: number; since: number } | null;
  joining?: boolean;
  signs?: string[];
}

export interface End {
  kind: "hand" | "match";
  title: string;
  lines: string[];
  standing: { seat: string; name: string; figure: string; place: string | number; me: boolean }[];
  again: boolean;
}

export interface Step {
  seq: number;
  at: string;
  seat: string;
  title: string;
  text: string[];
  say: string;
  private: string[];
  moves: { from: string; to: string; name: string; count: number }[];
  shots: { seat: string; chance: [number, number]; words: string; hit: boolean }[];
  figures: { part: string; before: number; after: number; words: string }[];
  parts: Record<string, Tree>;
  under: string[];
  reacts: string[];
  end: End | null;
}

export interface News {
  earlier: string;
  begin: Picture | null;
  steps: Step[];
  react: Record<string, string>;
  upto: number;
}

export interface Match {
  id: string;
  title: string;
  says: string;
  mine: boolean;
  practice: boolean;
  game?: string;
  seat?: string;
  due_at?: string;
  host?: string;
  over?: boolean;
}

export interface Leaf {
  name: string;
  text: string;
  armour: string;
  kind: string;
  ok: boolean;
  said: string;
  warnings: string[];
  mailto?: string;
}

export interface Invitation {
  match: string;
  title: string;
  seats: { seat: string; name: string; free: boolean }[];
  seat: string;
  host: string;
  hosted: string;
  says?: string;
  word?: string;
  code?: string;
  retake?: boolean;
  api?: Api | null;
}

export interface Answer {
  ok: boolean;
  fault?: string;
  hint?: string;
  help?: string;
  trace?: string;
  storage?: boolean;
  broken?: boolean;
  /** a file of the page that is needed from now on could not be fetched */
  missing?: boolean;
  scene?: Scene;
  [name: string]: any;
}

export interface Sheet {
  id: number;
  title: string;
  body: () => any;
  kind: string;
  closed?: () => unknown;
}

/** How a host's API is reached; `code` opens it: the access code of a seat, or an invitation's. */
export interface Api {
  url: string;
  code: string;
}

/** A sentence for a moment, and the names of the buttons that help; `retry` and `another` are what two of them do. */
export interface Notice {
  text: string;
  trouble: boolean;
  help: string[];
  answer: { fault?: string; hint?: string; trace?: string };
  retry?: () => unknown;
  another?: () => unknown;
}

/** What is on the page: one screen, with what it alone shows. */
export type Screen =
  | { name: "" | "home" | "last" | "table" | "joining" }
  | { name: "invitation"; invitation: Invitation }
  | { name: "lost"; match: string; text: string };

/** What happened, while it is shown step by step: `at` is the step, `tree` the table in motion, `held` an event that is answered. */
export interface Playback extends News {
  at: number;
  tree: Tree | null;
  figures: Record<string, string>;
  held: number | null;
}

/** The open match: its scene, the parts that are chosen, what happens to the signed file `leaf`. */
export interface OpenMatch {
  readonly scene: Scene | null;
  readonly chosen: string[];
  /** When the confirm button began to say what it says, in milliseconds. */
  readonly since: number;
  readonly why: string;
  readonly weighed: { parts: string[]; offer: Partial<Offer> } | null;
  readonly news: Readonly<Playback> | null;
  readonly tab: "table" | "hand";
  readonly status: string;
  readonly leaf: Leaf | null;
  /** The large drawing, for wide screens. */
  readonly wide: Picture | null;
}

export interface MatchList {
  matches: Match[];
  games: { id: string; title: string; seats: number[]; practice: boolean }[];
  game: string;
  quiet: boolean;
}

export interface State {
  readonly screen: Screen;
  readonly match: OpenMatch;
  readonly list: Readonly<MatchList>;
  /** The host that serves this page, in words and by its API; both empty on a page of one's own. */
  readonly host: Readonly<{ says: string; api: string }>;
  readonly sheet: Sheet | null;
  readonly notice: Notice | null;
  /** `link` was followed last, from its # on. */
  readonly device: Readonly<{ link: string; notes: string[]; install: boolean; version: { version: string; print: string; worker: ServiceWorker } | null }>;
}

/** Messages that change the state, and what each carries. */
export interface Changes {
  "last-table-opened": void;
  "home-opened": void;
  "invitation-opened": Invitation;
  "keys-missing": { match: string; text: string };
  "table-opened": void;
  scene: Scene;
  chosen: { parts: string[]; why: string; since: number };
  "choice-cleared": void;
  branch: { parts: string[]; node: TreeNode };
  weighed: NonNullable<OpenMatch["weighed"]>;
  status: string;
  leaving: Leaf | null;
  tab: OpenMatch["tab"];
  "wide-drawing": Picture;
  news: News & { moving: boolean };
  "news-step": void;
  "news-held": number | null;
  "news-over": void;
  "news-left": Scene["news"];
  "sheet-opened": Sheet;
  "sheet-closed": void;
  notice: Notice | null;
  list: Partial<MatchList>;
  "served-by": State["host"];
  link: string;
  notes: string[];
  install: boolean;
  version: NonNullable<State["device"]["version"]>;
  /** Something that is shown but not in the state has changed: what a dialog holds, the clock, what this browser keeps. */
  redraw: void;
}

/** Messages that ask the page for another screen: whoever sends one need not know that screen. */
export interface Requests {
  "open-home": void;
  "open-table": void;
  "open-match": string;
  "open-link": { hash: string; page?: string };
}

export type Messages = Changes & Requests;

declare global {
  var pbemScript: (url: string) => string;
  var pbemMeasure: () => Promise<any>;
  var pbemInstall: { prompt: () => Promise<unknown> } | undefined;
  interface Window {
    trustedTypes?: { createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): { createScriptURL(url: string): unknown } };
  }
  var trustedTypes: Window["trustedTypes"];
}
