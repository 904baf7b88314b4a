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
  api?: { url: string; word: string } | null;
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

export interface App {
  /** The link that was followed last, from its # on. */
  link: string;
  screen: string;
  lost: { name: string; text: string } | null;
  invitation: Invitation | null;
  scene: Scene | null;
  matches: Match[];
  games: { id: string; title: string; seats: number[]; practice: boolean }[];
  game: string;
  quiet: boolean;
  served: string;
  servedAt: string;
  chosen: string[];
  since: number;
  why: string;
  weighed: { parts: string[]; offer: Partial<Offer> } | null;
  tab: "table" | "hand";
  sheet: Sheet | null;
  notice: { text: string; trouble: boolean; help: { text: string; act: () => unknown }[] } | null;
  status: string;
  leaf: Leaf | null;
  busy: number;
  news: { begin: Picture | null; steps: Step[]; earlier: string; at: number; tree: Tree | null; figures: Record<string, string>; react: Record<string, string>; upto: number; held: number | null } | null;
  version: { version: string; print: string; worker: ServiceWorker } | null;
  notes: string[];
  offers: { install?: boolean };
  roomy: Picture | null;
}

declare global {
  var pbemScript: (url: string) => string;
  var pbemMeasure: () => Promise<any>;
  var pbemInstall: { prompt: () => Promise<unknown> } | undefined;
  interface Window {
    trustedTypes?: { createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): { createScriptURL(url: string): unknown } };
  }
  var trustedTypes: Window["trustedTypes"];
}
