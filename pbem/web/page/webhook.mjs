// A chat webhook of one's own: the host announces there whose turn it is. Its address holds a token: it is sent to the
// host once, and neither kept nor shown here.
import { apiOf, postTo } from "./ask.mjs";
import { button, Choice, Field, value } from "./parts.mjs";
import { closeSheet, notify, sheet } from "./sheet.mjs";
import { read } from "./store.mjs";
import { apiTrouble, objectOf } from "./trouble.mjs";
import { html } from "./view.mjs";
import { say } from "./words.mjs";

/** @param {"webhook" | "webhook-set" | "webhook-off"} act @param {string} [text] @returns {Promise<string | null>} the service that is called, or none; null: the person sees why */
async function askWebhook(act, text = "") {
  const api = await apiOf(read().match.scene?.match ?? "");
  if (!api) return null;
  const answer = await postTo(act, api, { text });
  const trouble = answer.status === 422 ? say("webhook-refused") : answer.status === 404 ? say("webhook-no-host") : apiTrouble(answer)?.text;
  const service = trouble ? null : objectOf(answer.data)?.service;
  if (typeof service === "string") return service;
  notify(trouble || say("api-login"), { trouble: true });
  return null;
}

/** What is announced where, and a field for another address. */
export async function webhook() {
  const service = await askWebhook("webhook");
  if (service === null) return;
  const done = async (/** @type {"webhook-set" | "webhook-off"} */ act, text = "") => {
    const now = await askWebhook(act, text);
    if (now === null) return;
    closeSheet();
    notify(now ? say("webhook-on", { service: now }) : say("webhook-none"));
  };
  const set = () => done("webhook-set", JSON.stringify({ url: value("webhook-service") + value("webhook").trim() }));
  /** @type {[string, string][]} */
  const services = [["", say("webhook-named")], ["mattermost+", "Mattermost"], ["matrix+", "Matrix"], ["ntfy+", "ntfy"]];
  sheet(say("webhook"), () => html`<p>${say("webhook-about")}</p><p id="webhooks">${service ? say("webhook-on", { service }) : say("webhook-none")}</p>
    <${Choice} id="webhook-service" label=${say("webhook-service")} options=${services} value="" />
    <${Field} id="webhook" label=${say("webhook-address")} type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" maxLength="980" placeholder="https://…" />
    <p class="note">${say("webhook-who")}</p>
    <div class="ways">${button(say("webhook-set"), set, { class: "first" })}${service && button(say("webhook-off"), () => done("webhook-off"))}${button(say("cancel"), closeSheet)}</div>`);
}
