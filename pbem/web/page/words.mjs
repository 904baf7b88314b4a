// The page's own sentences in the reader's language. What a match says comes from Python.

/** @type {Record<string, string>} what must be said even where no file of sentences came */
const spoken = {
  "not-started": "The web app could not be loaded completely. Check the network (a hotel's login page?) and try again.",
  "help-retry": "Try again",
};
export const LANGUAGES = { en: "English", fr: "Français", it: "Italiano", de: "Deutsch" };
export let code = "en";

/**
 * The sentences of another language from now on.
 * @param {string} language two letters
 * @param {Record<string, string>} words
 */
export function setWords(language, words) {
  code = language;
  document.documentElement.lang = language;
  Object.assign(spoken, words);
  document.title = say("title");
}

/** What was chosen on this device before; nothing where the browser keeps nothing. @param {string} key */
export function storedChoice(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** The language that is wished for: the chosen one, else the browser's, else English. @returns {string} */
export function preferredLanguage() {
  for (const wanted of [storedChoice("lang"), ...(navigator.languages || [])]) {
    const short = (wanted || "").slice(0, 2).toLowerCase();
    if (short in LANGUAGES) return short;
  }
  return "en";
}

/**
 * A sentence with its values put in.
 * @param {string} key
 * @param {Record<string, unknown>} [values]
 */
export const say = (key, values = {}) => fill(spoken[key] ?? key, values);

/**
 * @param {string} text with `{name}` for values
 * @param {Record<string, unknown>} values
 */
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));

/** A name without the places where it may break. @param {string} name */
export const plain = (name) => name.replaceAll("\u00ad", "");

/** A time of day as the reader's clock shows it. @param {number | Date} when */
export const clock = (when = Date.now()) => new Intl.DateTimeFormat(code, { hour: "2-digit", minute: "2-digit" }).format(when);

/** A day and time in the reader's own zone. @param {number} when */
export const moment = (when) => new Intl.DateTimeFormat(code, { weekday: "long", hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(when);

/**
 * How much time is left, in two units at most; empty when it is over.
 * @param {number} milliseconds
 */
export function timeLeft(milliseconds) {
  if (!(milliseconds > 0)) return "";
  const minutes = Math.ceil(milliseconds / 60000);
  const days = Math.floor(minutes / 1440);
  const hours = Math.floor((minutes % 1440) / 60);
  /** @param {number} value @param {"day" | "hour" | "minute"} unit */
  const format = (value, unit) => new Intl.NumberFormat(code, { style: "unit", unit, unitDisplay: "narrow" }).format(value);
  if (days) return `${format(days, "day")} ${hours ? format(hours, "hour") : ""}`.trim();
  return hours ? `${format(hours, "hour")} ${minutes % 60 ? format(minutes % 60, "minute") : ""}`.trim() : format(minutes, "minute");
}
