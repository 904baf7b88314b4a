// Which page this is, and a newer one that waits for a yes.
import { hex } from "./bytes.mjs";
import { read, send } from "./store.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

/** The page's version, its fingerprint, and where its release lies. @returns {Promise<{ version: string, address: string, print: string }>} */
export async function readVersion() {
  const about = await (await fetch("built.json")).json();
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", await (await fetch("hashes.json")).arrayBuffer()));
  return { version: about.version, address: about.address, print: hex(hash) };
}

/** @param {ServiceWorkerRegistration} registration */
export function watchVersions(registration) {
  const offered = async (/** @type {ServiceWorker} */ worker) => {
    const channel = new Promise((done) => {
      navigator.serviceWorker.addEventListener("message", function heard(event) {
        if (event.data?.print && event.source === worker) {
          navigator.serviceWorker.removeEventListener("message", heard);
          done(event.data);
        }
      });
    });
    worker.postMessage("who");
    const { version, print } = await channel;
    if (print !== (await readVersion()).print) send("version", { version, print, worker });
  };
  // It may have come while Python was starting, when there was no place yet to ask, or while every page was closed.
  const newest = () => {
    const worker = registration.waiting || registration.active;
    if (worker) void offered(worker);
  };
  const follow = () => registration.installing?.addEventListener("statechange", newest);
  registration.addEventListener("updatefound", follow);
  follow();
  newest();
  registration.update().catch(() => {}); // without a network there is nothing new
}

export function Newer() {
  const { version } = read().device;
  return html`<div id="version" role="status">${version && html`<p>${say("new-version", { version: version.version, print: version.print })}</p><button type="button" onClick=${() => {
    navigator.serviceWorker.addEventListener("message", (event) => event.data?.taken && location.reload());
    version.worker.postMessage("now");
  }}>${say("use-version")}</button>`}</div>`;
}
