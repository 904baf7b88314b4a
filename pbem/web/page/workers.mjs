// The two workers: one holds the keys and Python, the other may speak to hosts and sees no key.
import { say } from "./words.mjs";

/** @param {string} file @returns {(message: object) => Promise<any>} */
export function startWorker(file) {
  const worker = new Worker(globalThis.pbemScript(file), { type: "module" });
  /** @type {Map<number, (data: any) => void>} */
  const open = new Map();
  let number = 0;
  worker.onmessage = ({ data }) => {
    open.get(data.id)?.(data);
    open.delete(data.id);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    for (const done of open.values()) done({ status: 0, fault: "broken", answer: { ok: false, help: "reload", fault: say("broken"), trace: event.message || file } });
    open.clear();
  };
  return (message) => new Promise((done) => {
    number += 1;
    open.set(number, done);
    worker.postMessage({ id: number, ...message });
  });
}

/** Python is loaded, and what a link to practice will need; then it starts; what else is asked of it waits. @param {string} lang */
export function startPython(lang) {
  const worker = startWorker("keys.mjs");
  const game = /^#practice=([^&]*)/.exec(location.hash)?.[1];
  return { worker, loaded: worker({ question: { do: "load", lang, game } }), booted: worker({ question: { do: "boot", lang } }) };
}
